"""Typed facts of one athlete, as read from the business database at one moment.

Belongs here: frozen records of rows and of what surrounds an athlete. Stays out: every judgement.
Calendar dates are dates of the stored UTC timestamps (the site stores midnight UTC); instants are aware
datetimes in UTC; marks are text as stored plus whole milliseconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NoReturn, TypeVar, overload

RowT_co = TypeVar("RowT_co", covariant=True)

PersonType = Literal["athlete", "coach", "staff"]
DataStatus = Literal["verified", "pending", "conflicting", "missing"]
MembershipType = Literal["origin", "enrolled", "affiliated", "graduated", "staff"]
MembershipRole = Literal["athlete", "coach", "staff"]
NameVariantType = Literal["official", "short", "kana", "romanized", "chinese", "english", "former", "media"]
OrganizationType = Literal[
    "junior_high_school",
    "high_school",
    "university",
    "corporate_team",
    "company",
    "club",
    "organizer",
    "prefecture_representative",
    "student_union_select",
]
CompetitionType = Literal[
    "university_ekiden",
    "high_school_ekiden",
    "corporate_ekiden",
    "mixed_ekiden",
    "track_meet",
    "road_race",
    "marathon",
]
Discipline = Literal[
    "m800",
    "m1500",
    "m2000sc",
    "m3000",
    "m3000sc",
    "m5000",
    "m10000",
    "ten_mile",
    "half_marathon",
    "marathon",
    "ekiden_leg",
]


class FactsUnavailableError(Exception):
    """A rule asked for facts that could not be read; `table` and `message` say which and why."""

    def __init__(self, table: str, code: str, message: str) -> None:
        super().__init__(message)
        self.table = table
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Unavailable(Sequence[RowT_co]):
    """Stands in for rows that could not be read; every look inside raises `FactsUnavailableError`.

    So a rule that needs the rows cannot mistake them for none, and a rule that does not need them still runs.
    """

    table: str
    code: str
    message: str

    def _refuse(self) -> NoReturn:
        raise FactsUnavailableError(self.table, self.code, self.message)

    @overload
    def __getitem__(self, index: int) -> RowT_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RowT_co]: ...
    def __getitem__(self, index: int | slice) -> RowT_co | Sequence[RowT_co]:
        self._refuse()

    def __len__(self) -> int:  # noqa: PLE0303 it raises
        self._refuse()


@dataclass(frozen=True, slots=True, eq=False)
class UnknownValue:
    """Stands in for a value that this version does not know; whoever compares it with one that it does is refused.

    So a rule to which the value matters cannot take it for just another one, and all other rules still run.
    """

    table: str
    code: str
    message: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnknownValue):
            raise FactsUnavailableError(self.table, self.code, self.message)
        return (self.table, self.code, self.message) == (other.table, other.code, other.message)

    def __hash__(self) -> int:
        raise FactsUnavailableError(self.table, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Source:
    """A published source; `reliability` runs from 1 (guess) to 5 (official)."""

    id: str
    name: str
    type: str
    reliability: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OrganizationName:
    """Another name of an organization, former ones included."""

    value: str
    type: NameVariantType


@dataclass(frozen=True, slots=True)
class Organization:
    """A school, a team or a club; `prefecture` is null where the archive does not know it."""

    id: str
    slug: str
    name_ja: str
    type: OrganizationType
    short_name: str | None = None
    prefecture: str | None = None
    country: str = "JP"
    names: Sequence[OrganizationName] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """The profile row. Null means unknown; the archive has no sex column.

    `type` and `status` may be an `UnknownValue`, which refuses to be looked at.
    """

    id: str
    slug: str
    name_ja: str
    search_key: str
    kana: str | None
    roman: str | None
    name_zh: str | None
    name_en: str | None
    birth_date: date | None
    hometown: str | None
    nationality: str | None
    height_cm: int | None
    weight_kg: int | None
    type: PersonType
    status: DataStatus
    notes: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Membership:
    """A stay at an organization. Unset end means current; unknown days are stored as 04-01 and 03-31."""

    id: str
    organization: Organization
    type: MembershipType
    role: MembershipRole
    start_date: date | None
    end_date: date | None
    start_year: int | None
    end_year: int | None
    cohort: str | None
    status: DataStatus
    notes: str | None
    source: Source | None
    created_at: datetime
    updated_at: datetime
    faculty: str | None = None
    department: str | None = None


@dataclass(frozen=True, slots=True)
class PersonalBest:
    """A best mark; `mark` is text as printed, `mark_millis` whole milliseconds.

    `organization_id` has no foreign key; `organization_exists` says whether it still points at a row.
    """

    id: str
    discipline: Discipline
    mark: str
    mark_millis: int | None
    achieved_on: date | None
    competition_name: str | None
    venue: str | None
    organization_id: str | None
    organization_exists: bool
    stage: str | None
    is_high_school_pb: bool
    is_college_pb: bool
    status: DataStatus
    notes: str | None
    source: Source | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Race:
    """A race or an ekiden leg with its edition and competition; most legs have no `starts_at`."""

    id: str
    slug: str
    name: str
    discipline: Discipline
    leg: int | None
    round: str | None
    heat: str | None
    distance_meters: int | None
    starts_at: datetime | None
    edition_id: str
    edition_slug: str
    edition_name: str
    edition_year: int
    edition_number: int | None
    edition_starts_on: datetime | None
    competition_id: str
    competition_slug: str
    competition_name: str
    competition_type: CompetitionType | None
    updated_at: datetime
    """The newest change of race, edition or competition."""


@dataclass(frozen=True, slots=True)
class RaceResult:
    """A row of a result list. A status text (DNS, DNF ...) stands in `mark` with `mark_millis` null."""

    id: str
    race: Race
    organization: Organization | None
    is_entry: bool
    is_starter: bool
    mark: str | None
    mark_millis: int | None
    rank: int | None
    grade_at_race: int | None
    status: DataStatus
    notes: str | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime
    is_leftover: bool = False
    """Created before the last import of its race started: the row was in an earlier payload and not in the last."""


@dataclass(frozen=True, slots=True)
class NameVariant:
    """Another name of the athlete."""

    id: str
    value: str
    type: NameVariantType
    language: str | None
    source: Source | None


@dataclass(frozen=True, slots=True)
class SourceReference:
    """What a source printed about the athlete; the names are as the source wrote them."""

    id: str
    source: Source
    entity_type: str
    entity_key: str
    name_ja: str | None
    name_kana: str | None
    name_roman: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class RelationCache:
    """The site's cached relations of an athlete; `payload` is JSON as stored.

    `payload_bytes` is its size as text. `payload` is None and `too_large` set when it exceeds the reading limit.
    """

    id: str
    payload: Any
    payload_bytes: int
    too_large: bool
    generated_at: datetime
    source_hash: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Opponent:
    """Another athlete of the same races, counted over every row whatever its mark, as the site's relation builder does.

    A race is dated by Race.startsAt, else by CompetitionEdition.startsOn, else not at all (never by its year).
    """

    person_id: str
    matchups: int
    """Result rows of the opponent in races in which the athlete has a row; the athlete's own double rows count once."""
    dated_matchups: int
    """Of those rows, the ones whose race is dated."""
    latest_match_at: datetime | None
    """The newest date of those races in UTC, null where none is dated."""
    stages: tuple[str, ...]
    """Distinct Organization.type of the athlete's own rows in those races, schools and corporate teams only."""


@dataclass(frozen=True, slots=True)
class RelationInputs:
    """When the inputs of the relation builder last changed; times in UTC, null where there is no such input."""

    own_results: datetime | None
    """createdAt or updatedAt of the athlete's results."""
    other_results: datetime | None
    """The same of everybody else's results in the athlete's races."""
    races: datetime | None
    """updatedAt of those races, of their editions and competitions."""
    memberships: datetime | None
    """updatedAt of memberships of the athlete and of the people that the cached payload names."""
    profile: datetime | None
    """updatedAt of the athlete's profile; every import bumps it, so it says little."""
    existing_person_ids: frozenset[str]
    """Of the people that the cached payload names (`graphs.rules.relation_cache.payload.related_person_ids`), those
    that still exist."""
    merge_audit_ids: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the named people that are gone, the audit record of their merge, by person id."""


@dataclass(frozen=True, slots=True)
class BirthDayPeers:
    """The athletes with a known birth date that came into the archive together with this one, itself included.

    Together means: a source in common, or the whole archive where the athlete has no source.
    """

    known: int
    same_day: int
    """Of them, those born on the same day of the same month, in any year."""


@dataclass(frozen=True, slots=True)
class TeamMove:
    """How many other athletes left one corporate team and joined another when the diagnosed athlete may have.

    Counted for ordered pairs of different corporate teams at which the athlete has memberships as an athlete, the
    first row with an end, the second with a start (each a date, else 31 March and 1 April of the year). `athletes`
    counts distinct other people with such a pair of rows whose start at the second team is within 40 days of their
    own end at the first and within 40 days of the athlete's end at the first. Pairs that nobody else moved between
    are left out.
    """

    from_organization_id: str
    to_organization_id: str
    athletes: int


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """An audit record of a merge: `merged_slug` was folded into `canonical_person_id`.

    `merged_slug` is oldValue.mergedPersonSlug or oldValue.dropSlug. `canonical_slug` is the slug of the canonical
    person where that person still exists.
    """

    audit_id: str
    merged_slug: str | None
    merged_person_id: str | None
    canonical_person_id: str | None
    created_at: datetime
    canonical_slug: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a maintainer said of two athletes; person ids in ascending order, time in UTC."""

    person_ids: tuple[str, str]
    verdict: Literal["same", "different", "unsure"]
    note: str | None
    decided_by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another athlete whose name makes it a possible double of the diagnosed one, with the facts that weigh.

    `shared_keys` says why it is here, every key that applies:
    strict, variant, loose (equal written-name keys), roman (equal romanised key), foreign (two names without kanji
    share a foreign token), slug (the readable slugs hold the same tokens in another order), lost_character (one name
    fits the other where a lost character stands for any one character). Equal readings alone bring nobody in, and a
    placeholder name or an empty key brings nobody in.
    """

    person: Person
    shared_keys: frozenset[str]
    memberships: Sequence[Membership] = ()
    personal_bests: Sequence[PersonalBest] = ()
    results: Sequence[RaceResult] = ()
    name_variants: Sequence[NameVariant] = ()
    source_references: Sequence[SourceReference] = ()


@dataclass(frozen=True, slots=True)
class PayloadBest:
    """A personal best that an import payload prints under this athlete's written name, namesakes included.

    `edition` and `leg` are numbers of the payload's race where it has them; the newest payload has the highest.
    """

    name_ja: str
    discipline: Discipline
    mark: str
    source_id: str
    file_name: str
    edition: int | None
    leg: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the rules may know of one athlete, read in one transaction."""

    person: Person
    memberships: Sequence[Membership] = ()
    personal_bests: Sequence[PersonalBest] = ()
    results: Sequence[RaceResult] = ()
    name_variants: Sequence[NameVariant] = ()
    source_references: Sequence[SourceReference] = ()
    relation_caches: Sequence[RelationCache] = ()
    """At most one row; a sequence, so that an unreadable table is not mistaken for a missing row."""
    opponents: Sequence[Opponent] = ()
    relation_inputs: Sequence[RelationInputs] = ()
    """At most one entry, for the same reason."""
    candidates: Sequence[Candidate] = ()
    strict_candidate_count: int | None = None
    """How many other people share the strict key, where `candidates` holds only some of them; None where all."""
    merge_records: Sequence[MergeRecord] = ()
    """Merges whose merged slug is this athlete's or whose canonical person is this athlete."""
    judgements: Sequence[Judgement] = field(default=())
    """What maintainers said of this athlete and its candidates, of two of the candidates included."""
    birth_date_sharers: int | None = None
    """How many athletes have this athlete's birth date, itself included; null without a birth date."""
    birth_day_peers: BirthDayPeers | None = None
    """How crowded the day of birth is; null without a birth date or where it was not counted."""
    team_moves: Sequence[TeamMove] = ()
    """Of the athlete's pairs of corporate teams, those between which others moved at the same time."""
    payload_bests: Sequence[PayloadBest] = ()
    """Bests in import payloads under this athlete's name; empty where no payloads are at hand."""
