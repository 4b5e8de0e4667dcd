"""Fills a business database by hand: an invented archive, row by row.

Belongs here: inserts with defaults, so that a test says only what matters. Times are UTC, as stored.
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

CREATED = "2026-07-01 12:00:00"


class Archive:
    """The rows of a test's business database; each method inserts one row and gives its id."""

    def __init__(self, owner_url: str) -> None:
        self._connection = psycopg.connect(owner_url.replace("postgresql+psycopg", "postgresql", 1), autocommit=True)

    def close(self) -> None:
        self._connection.close()

    def execute(self, statement: str, **parameters: Any) -> None:
        """Run one statement as the owner of the tables."""
        self._connection.execute(statement.encode(), parameters)

    def insert(self, table: str, identifier: str, **values: Any) -> str:
        """Insert a row; dictionaries and lists become JSON."""
        row: Mapping[str, Any] = {"id": identifier, "createdAt": CREATED, "updatedAt": CREATED, **values}
        row = {name: value for name, value in row.items() if not (table == "AuditLog" and name == "updatedAt")}
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, row)),
            sql.SQL(", ").join(sql.Placeholder() * len(row)),
        )
        self._connection.execute(
            statement, [Jsonb(value) if isinstance(value, (dict, list)) else value for value in row.values()]
        )
        return identifier

    def person(self, identifier: str, name: str, **values: Any) -> str:
        search = name.replace(" ", "").replace("\u3000", "")
        slug = values.pop("slug", f"slug-{identifier}")
        return self.insert("Person", identifier, slug=slug, displayNameJa=name, displayNameJaSearch=search, **values)

    def organization(self, identifier: str, name: str, kind: str = "university", **values: Any) -> str:
        return self.insert("Organization", identifier, slug=f"slug-{identifier}", nameJa=name, type=kind, **values)

    def source(self, identifier: str, **values: Any) -> str:
        return self.insert("Source", identifier, **{"name": "例示記録集", "type": "data_site", **values})

    def membership(self, identifier: str, person: str, organization: str, **values: Any) -> str:
        row = {"type": "enrolled", "personId": person, "organizationId": organization, **values}
        return self.insert("Membership", identifier, **row)

    def personal_best(self, identifier: str, person: str, discipline: str, mark: str, **values: Any) -> str:
        return self.insert("PersonalBest", identifier, personId=person, discipline=discipline, mark=mark, **values)

    def race(self, identifier: str, *, year: int = 2024, starts_on: str | None = None, **values: Any) -> str:
        """A race with an edition and a competition of its own, whose ids begin with that of the race."""
        competition = self.insert(
            "Competition", f"{identifier}-c", slug=f"{identifier}-c", nameJa="例示駅伝", type="university_ekiden"
        )
        edition = self.insert(
            "CompetitionEdition",
            f"{identifier}-e",
            competitionId=competition,
            slug=f"{identifier}-e",
            year=year,
            officialName="第一回例示駅伝",
            startsOn=starts_on,
        )
        row = {"discipline": "ekiden_leg", "leg": 1, "name": "1区", **values}
        return self.insert("Race", identifier, competitionEditionId=edition, slug=f"slug-{identifier}", **row)

    def result(self, identifier: str, person: str, race: str, **values: Any) -> str:
        row = {"isEntry": True, "isStarter": True, "personId": person, "raceId": race, **values}
        return self.insert("RaceResult", identifier, **row)

    def name_variant(self, identifier: str, value: str, **values: Any) -> str:
        return self.insert("NameVariant", identifier, value=value, **{"type": "official", **values})

    def reference(self, identifier: str, person: str, source: str, **metadata: Any) -> str:
        return self.insert(
            "SourceReference",
            identifier,
            sourceId=source,
            sourceEntityType="person",
            sourceEntityKey=f"key-{identifier}",
            personId=person,
            metadata=metadata,
        )

    def relation_cache(self, identifier: str, person: str, payload: Any, **values: Any) -> str:
        row = {"generatedAt": CREATED, **values}
        return self.insert("PlayerRelationCache", identifier, personId=person, payload=payload, **row)

    def audit(self, identifier: str, entity: str, entity_type: str = "Person", **values: Any) -> str:
        row = {"action": "merge", "reasonType": "entity_merge", "entityId": entity, "entityType": entity_type, **values}
        return self.insert("AuditLog", identifier, **row)

    def completed_import(self, identifier: str, source: str, *, started_at: str, created: str) -> None:
        """A finished run of an import batch, with the entry in the log on the result that it made."""
        batch = {"key": f"import-{identifier}", "type": "race", "status": "completed", "sourceId": source}
        self.insert("ImportBatch", identifier, startedAt=started_at, completedAt=started_at, **batch)
        self.audit(f"audit-{identifier}", created, "RaceResult", action="create", batchId=identifier)
