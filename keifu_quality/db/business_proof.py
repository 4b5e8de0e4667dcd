"""The proof, from the catalogue, that the business connection cannot write.

What belongs here: one statement, what it found, and the refusal in words. What stays out: whether the tables are
the expected ones (`keifu_quality.db.business_contract`). Functions that run with their owner's rights are not
looked into.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from psycopg import sql
from sqlalchemy import Connection, text

from keifu_quality.errors import BusinessNotReadOnly

TABLES_NAMED = 5
ALLOW_VARIABLE = "KEIFU_ALLOW_WRITABLE_BUSINESS_ROLE"

# A membership lets its member take the role on with SET ROLE, unless PostgreSQL 16 or newer says otherwise; older
# versions have no set_option, which is why it is read through JSON. Who may administer a role may also grant it to
# itself.
_PROOF = text("""
WITH RECURSIVE reachable(oid) AS (
    SELECT oid FROM pg_roles WHERE rolname IN (session_user, current_user)
    UNION
    SELECT m.roleid
    FROM reachable
    JOIN pg_auth_members m ON m.member = reachable.oid
    WHERE coalesce((to_jsonb(m) ->> 'set_option')::boolean, true) OR m.admin_option
), role AS (
    SELECT r.* FROM reachable JOIN pg_roles r USING (oid)
), relation AS (
    SELECT c.oid, c.relname, c.relowner, c.relacl, n.nspname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
)
SELECT
    session_user::text AS role,
    current_database()::text AS database,
    current_setting('default_transaction_read_only') = 'on' AS defaults_to_read_only,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object('role', rolname, 'power', CASE WHEN rolsuper THEN 'SUPERUSER'
        ELSE rolname END)
            ORDER BY rolname), '[]')
        FROM role
        WHERE rolsuper OR rolname IN ('pg_write_server_files', 'pg_execute_server_program')
    ) AS powers,
    (
        SELECT coalesce(jsonb_agg(to_jsonb(w) ORDER BY w.schema, w.table, w.acting_role, w.position), '[]')
        FROM (
            SELECT
                relation.nspname AS schema,
                relation.relname AS table,
                role.rolname AS acting_role,
                p.privilege,
                p.position,
                (
                    SELECT array_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE
                    pg_get_userbyid(a.grantee)::text END) FROM (
                        SELECT x.grantee, x.privilege_type
                        FROM aclexplode(coalesce(relation.relacl, acldefault('r', relation.relowner))) AS x
                        UNION ALL
                        SELECT x.grantee, x.privilege_type
                        FROM pg_attribute AS at, aclexplode(at.attacl) AS x
                        WHERE at.attrelid = relation.oid AND at.attacl IS NOT NULL
                    ) AS a
                    WHERE a.privilege_type = p.privilege
                        AND (a.grantee = 0 OR pg_has_role(role.oid, a.grantee, 'USAGE'))
                ) AS grantees
            FROM role
            CROSS JOIN relation
            CROSS JOIN LATERAL (VALUES
                (0, 'OWNER', pg_has_role(role.oid, relation.relowner, 'USAGE')),
                (1, 'INSERT', has_table_privilege(role.oid, relation.oid, 'INSERT')
                    OR has_any_column_privilege(role.oid, relation.oid, 'INSERT')),
                (2, 'UPDATE', has_table_privilege(role.oid, relation.oid, 'UPDATE')
                    OR has_any_column_privilege(role.oid, relation.oid, 'UPDATE')),
                (3, 'DELETE', has_table_privilege(role.oid, relation.oid, 'DELETE')),
                (4, 'TRUNCATE', has_table_privilege(role.oid, relation.oid, 'TRUNCATE'))
            ) AS p(position, privilege, held)
            WHERE p.held AND NOT role.rolsuper
        ) AS w
    ) AS writable,
    (
        SELECT coalesce(jsonb_agg(n.nspname ORDER BY n.nspname), '[]')
        FROM pg_namespace n
        WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
            AND has_schema_privilege(session_user, n.oid, 'CREATE')
    ) AS creatable_schemas,
    (SELECT coalesce(bool_or(rolcreaterole AND NOT rolsuper), false) FROM role) AS creates_roles
""")


@dataclass(frozen=True, slots=True)
class WritePrivilege:
    """One way to write one table: `acting_role` is the session's role or one that it can take on with SET ROLE.

    `privilege` is INSERT, UPDATE, DELETE, TRUNCATE or OWNER; `grantees` says to whom it was granted (PUBLIC included).
    """

    schema: str
    table: str
    acting_role: str
    privilege: str
    grantees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BusinessProof:
    """What the catalogue says of the business connection. `is_read_only` is the verdict.

    `powers` names reachable superusers and server-wide powers; `warnings` are what does not write the archive's
    tables but should not be there.
    """

    role: str
    database: str
    defaults_to_read_only: bool
    powers: tuple[str, ...]
    writable: tuple[WritePrivilege, ...]
    warnings: tuple[str, ...]

    @property
    def is_read_only(self) -> bool:
        """Whether no way to write was found."""
        return self.defaults_to_read_only and not self.powers and not self.writable

    def explain(self) -> str:
        """What speaks against the connection and what to do about it; empty if nothing does."""
        return " ".join(self._faults())

    def _faults(self) -> Iterator[str]:
        if not self.defaults_to_read_only:
            yield (
                "default_transaction_read_only is off although the connection asks for it; a pooler between may drop "
                f"start-up options. Run: ALTER ROLE {_identifier(self.role)} SET default_transaction_read_only = on;"
            )
        for power in self.powers:
            yield f"The role {self.role} has or can take on {power}."
        by_table: dict[tuple[str, str], list[WritePrivilege]] = {}
        for found in self.writable:
            by_table.setdefault((found.schema, found.table), []).append(found)
        for privileges in list(by_table.values())[:TABLES_NAMED]:
            yield from _table_faults(self.role, privileges)
        if len(by_table) > TABLES_NAMED:
            yield f"{len(by_table) - TABLES_NAMED} more tables are writable."
        if self.powers or any(found.privilege == "OWNER" for found in self.writable):
            yield (
                "Give TASUKI_KEIFU_BUSINESS_DATABASE_URL a role of its own: CREATE ROLE keifu_reader LOGIN; "
                "GRANT USAGE ON SCHEMA public TO keifu_reader; "
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO keifu_reader;"
            )


def prove_read_only(connection: Connection) -> BusinessProof:
    """Ask the catalogue, in one statement, whether this connection's role can write."""
    row = connection.execute(_PROOF).one()
    return BusinessProof(
        role=row.role,
        database=row.database,
        defaults_to_read_only=row.defaults_to_read_only,
        powers=tuple(
            power["power"] if power["power"] != "SUPERUSER" else f"SUPERUSER (role {power['role']})"
            for power in row.powers
        ),
        writable=tuple(_write_privilege(found) for found in row.writable),
        warnings=tuple(_warnings(row)),
    )


def require_read_only(proof: BusinessProof, *, allow_writable: bool) -> tuple[str, ...]:
    """The warnings that every run has to show.

    Raises BusinessNotReadOnly if the role can write, unless `allow_writable`, which turns the refusal into a warning.
    """
    if proof.is_read_only:
        return proof.warnings
    message = f"The business database {proof.database} is not read only for the role {proof.role}. {proof.explain()}"
    if not allow_writable:
        raise BusinessNotReadOnly(f"{message} A developer may set {ALLOW_VARIABLE}=1 to go on with a warning.")
    return (f"{message} Going on because {ALLOW_VARIABLE} is set.", *proof.warnings)


def _write_privilege(found: dict[str, Any]) -> WritePrivilege:
    return WritePrivilege(
        schema=found["schema"],
        table=found["table"],
        acting_role=found["acting_role"],
        privilege=found["privilege"],
        grantees=tuple(found["grantees"] or ()),
    )


def _warnings(row: Any) -> Iterator[str]:
    for schema in row.creatable_schemas:
        yield (
            f"The role {row.role} may create tables in the schema {schema}. "
            f"Run: REVOKE CREATE ON SCHEMA {_identifier(schema)} FROM PUBLIC, {_identifier(row.role)};"
        )
    if row.creates_roles:
        yield f"The role {row.role} may create roles. Run: ALTER ROLE {_identifier(row.role)} NOCREATEROLE;"


def _table_faults(role: str, privileges: list[WritePrivilege]) -> Iterator[str]:
    for acting_role in dict.fromkeys(found.acting_role for found in privileges):
        held = [found for found in privileges if found.acting_role == acting_role]
        who = f"The role {role}" if acting_role == role else f"The role {role}, after SET ROLE {acting_role},"
        table = f"{_identifier(held[0].schema)}.{_identifier(held[0].table)}"
        if held[0].privilege == "OWNER":
            yield f"{who} owns {table}."
            continue
        names = ", ".join(found.privilege for found in held)
        grantees = sorted({grantee for found in held for grantee in found.grantees})
        if acting_role != role:
            remedy = f"REVOKE {_identifier(acting_role)} FROM {_identifier(role)};"
        elif grantees:
            receivers = ", ".join(g if g == "PUBLIC" else _identifier(g) for g in grantees)
            remedy = f"REVOKE {names} ON {table} FROM {receivers};"
        else:
            remedy = f"REVOKE pg_write_all_data FROM {_identifier(role)};"
        yield f"{who} has {names} on {table}. Run: {remedy}"


def _identifier(name: str) -> str:
    return sql.Identifier(name).as_string()
