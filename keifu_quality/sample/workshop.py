"""Makes the rows of athletes.

Belongs here: helpers that make one row with the importer's habits (school years from 1 April to 31 March, start and
end years beside the dates, entries always marked as starters). Stays out: which careers and faults there are.
"""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from keifu_quality.sample import mark_text
from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.calendar import Calendar, Event
from keifu_quality.sample.names import Name, NameSupply
from keifu_quality.sample.organizations import Organizations, make_organizations
from keifu_quality.sample.rows import (
    AuditLog,
    Membership,
    NameVariant,
    Organization,
    Person,
    PersonalBest,
    RaceResult,
    Source,
    SourceReference,
)
from keifu_quality.sample.slugs import SlugSupply

BACKLOG_DAYS = 120
"""The archive's first imports ran this long before the as-of date."""

_SOURCES = {
    "official": ("大会公式記録", "hakone_official", 5),
    "university": ("大学公式サイト", "university_official", 4),
    "broadcast": ("中継選手名鑑", "ntv", 4),
    "archive": ("駅伝記録アーカイブ", "data_site", 3),
    "pdf": ("競技会結果PDF", "pdf", 3),
    "fan": ("陸上ファンのまとめ", "fan_site", 2),
    "seed": ("seed-source", "manual", 1),
}


class Workshop:
    """What is needed to make athletes, and the athletes made so far.

    `as_of` is the day for which the roster is right. `after_import` and `after_caches` hold steps that planted faults
    want done once import times are set, and once relation caches are built. `left_over` holds the ids of results that
    an earlier payload of their race had and the last one has not.
    """

    def __init__(self, size: int, seed: int, as_of: date) -> None:
        self.as_of = as_of
        self.rng = Random(f"{seed}:{size}:{as_of}")
        self.names = NameSupply(self.rng)
        self.slugs = SlugSupply(self.rng)
        self.created = datetime.combine(as_of - timedelta(days=BACKLOG_DAYS), time())
        self._id_prefix = f"{seed}:{size}:{as_of}"
        self._id_numbers: dict[str, Random] = {}
        self._serial = 0
        self.sources = {
            key: Source(self.new_id("source"), name, kind, reliability, self.created, self.created)
            for key, (name, kind, reliability) in _SOURCES.items()
        }
        self.organizations: Organizations = make_organizations(size, self.new_id, self.created)
        self.extra_organizations: list[Organization] = []
        self.organization_types = {row.id: row.type for row in self.organizations.everything()}
        self.calendar = Calendar(self.new_id, self.sources, self.created, as_of)
        self.athletes: list[Athlete] = []
        self.organization_variants: list[NameVariant] = []
        self.audit_records: list[AuditLog] = []
        self.left_over: set[str] = set()
        self.after_import: list[Callable[[], None]] = []
        self.after_caches: list[Callable[[dict[str, Any]], None]] = []

    @property
    def academic_year(self) -> int:
        """The academic year of the as-of date."""
        return self.as_of.year - (self.as_of.month < 4)

    def serial(self) -> int:
        """A number, counted from 1, for what must not be made twice."""
        self._serial += 1
        return self._serial

    def new_id(self, kind: str) -> str:
        """A new row id, 25 characters beginning with c, as the archive's are."""
        # Each kind has numbers of its own, so that one more race does not rename all people.
        numbers = self._id_numbers.get(kind)
        if numbers is None:
            numbers = self._id_numbers[kind] = Random(f"{self._id_prefix}:{kind}")
        return f"c{numbers.getrandbits(96):024x}"

    def athlete(
        self,
        name: Name | None = None,
        *,
        written: str | None = None,
        slug: str | None = None,
        organization_slug: str | None = None,
        **fields: Any,
    ) -> Athlete:
        """A new athlete without memberships, results or bests.

        `written` replaces the display name and makes an unset slug opaque. The search key is the display name without
        spaces unless `fields`, which set columns of `Person`, give another.
        """
        name = name or self.names.japanese()
        if slug is None and written is not None:
            # A slug must not tell another name than the row does.
            slug = self.slugs.opaque()
        display = name.written if written is None else written
        person = Person(
            self.new_id("person"),
            self.slugs.claim(slug) if slug else self.slugs.any_form(name, organization_slug),
            display,
            "".join(display.replace("\ufeff", "").split()),
            self.created,
            self.created,
        )
        for field, value in fields.items():
            setattr(person, field, value)
        athlete = Athlete(person, name, self.rng.triangular(812_000, 930_000, 852_000))
        self.athletes.append(athlete)
        return athlete

    def membership(
        self,
        athlete: Athlete,
        organization: Organization,
        start: date | None,
        end: date | None,
        *,
        source: str = "archive",
        **fields: Any,
    ) -> Membership:
        """A stay from `start` to `end`; `fields` set further columns or replace the importer's values."""
        ended = end is not None and end < self.as_of
        kind = (
            "affiliated"
            if organization.type not in ("junior_high_school", "high_school", "university")
            else ("graduated" if ended else "enrolled")
        )
        row = Membership(
            self.new_id("membership"),
            athlete.person.id,
            organization.id,
            kind,
            _midnight(start),
            _midnight(end),
            start.year if start else None,
            end.year if end else None,
            self.sources[source].id,
            self.created,
            self.created,
        )
        for field, value in fields.items():
            setattr(row, field, value)
        athlete.memberships.append(row)
        return row

    def school(
        self,
        athlete: Athlete,
        organization: Organization,
        entry_year: int,
        years: int | None = None,
        **fields: Any,
    ) -> Membership:
        """A stay at a school of its usual length, four years at a university and three elsewhere, or of `years`."""
        length = years or (4 if organization.type == "university" else 3)
        return self.membership(
            athlete, organization, date(entry_year, 4, 1), date(entry_year + length, 3, 31), **fields
        )

    def result(
        self,
        athlete: Athlete,
        event: Event,
        organization: Organization | None,
        millis: int | None = None,
        *,
        mark: str | None = None,
        grade: int | None = None,
        **fields: Any,
    ) -> RaceResult:
        """A row of a result list. Without `millis` and `mark` the athlete runs about as its ability says."""
        if millis is None and mark is None:
            millis = self.run(athlete, event)
        text = mark if millis is None else mark or mark_text.canonical(event.race.discipline, millis)
        row = RaceResult(
            self.new_id("result"),
            athlete.person.id,
            event.race.id,
            organization.id if organization else None,
            text,
            millis,
            grade,
            event.race.source_id,
            self.created,
            self.created,
        )
        for field, value in fields.items():
            setattr(row, field, value)
        athlete.results.append(row)
        athlete.events.append(event)
        event.results.append(row)
        return row

    def run(self, athlete: Athlete, event: Event, form: float = 1.0) -> int:
        """A time for the athlete in that race in milliseconds; `form` above 1 is slower than usual."""
        base = potential(athlete, event.race.discipline, event.race.distance_meters)
        return mark_text.timed(event.race.discipline, base * form * (1 + 0.03 * self.rng.random()))

    def best(
        self,
        athlete: Athlete,
        discipline: str,
        millis: int | None,
        *,
        mark: str | None = None,
        source: str | None = "broadcast",
        **fields: Any,
    ) -> PersonalBest:
        """A personal best row; without `mark` its text is the canonical form of `millis`."""
        text = mark if mark is not None or millis is None else mark_text.canonical(discipline, millis)
        if text is None:
            raise ValueError("a personal best needs a time or a text")
        row = PersonalBest(
            self.new_id("best"),
            athlete.person.id,
            discipline,
            text,
            millis,
            self.sources[source].id if source else None,
            self.created,
            self.created,
        )
        for field, value in fields.items():
            setattr(row, field, value)
        athlete.bests.append(row)
        return row

    def reference(
        self, athlete: Athlete, *, source: str = "archive", name: str | None = None, **metadata: Any
    ) -> SourceReference:
        """What a source printed about the athlete; `name` defaults to the display name."""
        row_id = self.new_id("reference")
        row = SourceReference(
            row_id,
            self.sources[source].id,
            "person",
            f"athlete-{row_id[1:]}",
            athlete.person.id,
            {"displayNameJa": athlete.person.display_name_ja if name is None else name, **metadata},
            self.created,
            self.created,
        )
        athlete.references.append(row)
        return row

    def variant(
        self,
        value: str,
        kind: str,
        *,
        athlete: Athlete | None = None,
        organization: Organization | None = None,
    ) -> NameVariant:
        """Another name of an athlete or of an organization."""
        row = NameVariant(
            self.new_id("variant"),
            value,
            kind,
            athlete.person.id if athlete else None,
            organization.id if organization else None,
            self.sources["archive"].id,
            self.created,
            self.created,
        )
        (athlete.variants if athlete else self.organization_variants).append(row)
        return row

    def organization(self, name: str, kind: str, prefecture: str | None = None) -> Organization:
        """An organization besides the ordinary ones."""
        row = Organization(
            self.new_id("organization"),
            f"extra-{len(self.extra_organizations) + 1}",
            name,
            kind,
            prefecture,
            "JP",
            self.created,
            self.created,
        )
        self.extra_organizations.append(row)
        self.organization_types[row.id] = kind
        return row


_FACTORS = {
    "m800": 0.137, "m1500": 0.27, "m2000sc": 0.405, "m3000": 0.575, "m3000sc": 0.625, "m5000": 1.0, "m10000": 2.085,
    "ten_mile": 3.42, "half_marathon": 4.6, "marathon": 9.8,
}  # fmt: skip


def potential(athlete: Athlete, discipline: str, distance_meters: int | None = None) -> float:
    """The best time in milliseconds that the athlete's 5000 m ability promises over a discipline or a leg."""
    if discipline == "ekiden_leg":
        return athlete.five_thousand * 2.085 * 1.02 * (distance_meters or 10_000) / 10_000
    return athlete.five_thousand * _FACTORS[discipline]


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time()) if day else None
