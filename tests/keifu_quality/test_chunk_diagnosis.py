"""Athletes that somebody named, many at once, on real databases: what is stored, and what later sweeps make of it."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast

import psycopg
import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from graphs.contracts import Category, DiagnosisInput
from keifu_quality import chunk_diagnosis
from keifu_quality.app import Business, open_agent, open_business, open_diagnostician, open_index
from keifu_quality.chunk_diagnosis import Settle, diagnose_athletes
from keifu_quality.db.athlete_digests import digests_of
from keifu_quality.db.chunk_results import ChunkRun
from keifu_quality.db.content_digests import open_digests
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.db.roster_state import roster_state
from keifu_quality.digest_scope import digest_scope
from keifu_quality.roster import RosterDiagnostician
from keifu_quality.settings import Settings
from keifu_quality.sweep import SweepReport, SweepRequest, sweep_roster
from tests.sample_fixtures import SAMPLE_SIZE

pytestmark = pytest.mark.postgres


@pytest.fixture
def agent(changing: Settings) -> Iterator[Engine]:
    with open_agent(changing) as engine:
        yield engine


@pytest.fixture
def business(changing: Settings, agent: Engine) -> Iterator[Business]:
    """The archive, with the index of names up to date."""
    with open_business(changing) as opened:
        open_index(opened, agent).refresh()
        yield opened


def change(databases: DatabaseUrls, statement: str) -> None:
    with psycopg.connect(databases.business_owner.replace("+psycopg", ""), autocommit=True) as owner:
        assert owner.execute(statement.encode()).rowcount > 0


def rows(agent: Engine, statement: str, **parameters: Any) -> list[Any]:
    with agent.connect() as connection:
        return [row[0] if len(row) == 1 else tuple(row) for row in connection.execute(text(statement), parameters)]


def everybody(agent: Engine) -> list[str]:
    return rows(agent, "SELECT person_id FROM athlete_index ORDER BY 1")


def sweep(settings: Settings, **request: Any) -> SweepReport:
    return sweep_roster(settings, SweepRequest(**{"workers": 1, **request}))


def diagnose(
    settings: Settings,
    business: Business,
    agent: Engine,
    people: Sequence[str],
    *,
    relations_only: Sequence[str] = (),
    settle: Settle | None = None,
) -> None:
    diagnose_athletes(
        settings,
        business,
        agent,
        people,
        relations_only=relations_only,
        triggered_by="import_sensor",
        dagster_run_id=None,
        chunk_done=lambda _header, _runs: None,
        settle=settle,
    )


def test_the_digests_of_some_are_those_that_a_sweep_keeps(
    changing: Settings, business: Business, agent: Engine
) -> None:
    sweep(changing)
    kept = dict(rows(agent, "SELECT person_id, content_digest FROM athlete_index"))
    scope = digest_scope(changing, business)

    def digests(some: Sequence[str]) -> Any:
        return digests_of(
            agent,
            some,
            lambda ids: open_digests(business.engine, scope.archive, person_ids=ids),
            scope=scope.identity,
        )

    people = everybody(agent)
    assert len(set(kept.values())) == SAMPLE_SIZE
    assert digests(people) == kept
    for start in range(0, SAMPLE_SIZE, 3):
        alone = people[start : start + 1 + start % 2]
        assert digests(alone) == {person_id: kept[person_id] for person_id in alone}
    assert digests(["nobody"]) == {}
    assert digests([]) == {}


def test_a_sweep_after_it_finds_those_athletes_unchanged(changing: Settings, business: Business, agent: Engine) -> None:
    people = everybody(agent)[::3]
    diagnose(changing, business, agent, people)
    report = sweep(changing)
    assert (report.sweep.unchanged, report.counts.diagnosed) == (len(people), SAMPLE_SIZE - len(people))
    unchanged = rows(agent, "SELECT person_id FROM agent_runs WHERE status = 'unchanged' ORDER BY 1")
    assert unchanged == people


@pytest.mark.parametrize("before", [True, False], ids=["before the facts are read", "after they are read"])
def test_what_changes_meanwhile_is_looked_at_again(
    changing: Settings,
    business: Business,
    agent: Engine,
    databases: DatabaseUrls,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: bool,
) -> None:
    people = everybody(agent)[:5]
    statement = f"UPDATE \"Person\" SET hometown = '架空町' WHERE id = '{people[2]}'"
    diagnosing = RosterDiagnostician.diagnose

    def disturbed(self: RosterDiagnostician, *arguments: Any, **options: Any) -> Any:
        if before:
            change(databases, statement)
        made = diagnosing(self, *arguments, **options)
        if not before:
            change(databases, statement)
        return made

    with monkeypatch.context() as patch:
        patch.setattr(RosterDiagnostician, "diagnose", disturbed)
        diagnose(changing, business, agent, people)
    sweep(changing)
    unchanged = rows(agent, "SELECT person_id FROM agent_runs WHERE status = 'unchanged'")
    assert people[2] not in unchanged
    assert unchanged


def newest(agent: Engine, person_id: str) -> Any:
    """The newest result of an athlete, which the index names too."""
    (found,) = rows(
        agent,
        "SELECT d.run_id, d.findings_json, d.summary_json, r.outcome, r.input_json, d.id ="
        " (SELECT max(id) FROM diagnosis_results WHERE person_id = :id)"
        " FROM athlete_index i JOIN diagnosis_results d ON d.run_id = i.last_run_id"
        " JOIN agent_runs r ON r.run_id = d.run_id WHERE i.person_id = :id",
        id=person_id,
    )
    assert found[-1], "the index names an older run"
    return found


def found_by(result: Any) -> dict[str, set[str]]:
    """Fingerprints by family."""
    families: dict[str, set[str]] = {category: set() for category in Category}
    for finding in result[1]:
        families[finding["category"]].add(finding["fingerprint"])
    return families


def somebody_with_a_cache(agent: Engine) -> str:
    """An athlete with a relation finding and others."""
    person_id: str = rows(
        agent,
        'SELECT person_id FROM diagnosis_results WHERE findings_json @> \'[{"category": "relation_cache"}]\''
        ' AND findings_json @> \'[{"category": "profile_coverage"}]\''
        ' AND findings_json @> \'[{"code": "RC03"}]\' ORDER BY 1 LIMIT 1',
    )[0]
    return person_id


def test_a_check_of_relations_leaves_all_other_findings_as_they_were(
    changing: Settings, business: Business, agent: Engine, databases: DatabaseUrls
) -> None:
    sweep(changing)
    person_id = somebody_with_a_cache(agent)
    before = newest(agent, person_id)
    change(databases, f'DELETE FROM "PlayerRelationCache" WHERE "personId" = \'{person_id}\'')
    change(databases, f"UPDATE \"Person\" SET \"birthDate\" = '1850-01-01' WHERE id = '{person_id}'")
    diagnose(changing, business, agent, [person_id], relations_only=[person_id])
    after = newest(agent, person_id)
    assert (after[4]["families"], after[3]) == (["relation_cache"], before[3])
    relations = Category.RELATION_CACHE
    assert found_by(after) == found_by(before) | {relations: found_by(after)[relations]}
    assert "RC03" not in {finding["code"] for finding in after[1]}
    carried = {family["category"]: family.get("carriedFrom") for family in after[2]["families"]}
    assert carried == dict.fromkeys(Category, before[0]) | {relations: None}
    sweep(changing)
    assert "PC05" in {finding["code"] for finding in newest(agent, person_id)[1]}, "the sweep looks at the rest"


def test_of_somebody_never_diagnosed_a_check_of_relations_says_what_is_not_known(
    changing: Settings, business: Business, agent: Engine
) -> None:
    touched, opponent = everybody(agent)[:2]
    diagnose(changing, business, agent, [touched, opponent], relations_only=[opponent])
    result = newest(agent, opponent)
    assert result[3] == "incomplete"
    statuses = {family["category"]: family["status"] for family in result[2]["families"]}
    assert statuses == dict.fromkeys(Category, "not_evaluated") | {Category.RELATION_CACHE: "evaluated"}
    state = roster_state(agent)
    counted = {category: (family.evaluated, family.not_evaluated) for category, family in state.families.items()}
    assert counted == dict.fromkeys(Category, (1, 0)) | {Category.RELATION_CACHE: (2, 0)}
    assert sweep(changing).sweep.unchanged == 1
    assert newest(agent, opponent)[3] == "completed"


def test_a_check_of_relations_is_no_diagnosis_that_a_full_sweep_could_leave_to_it(
    changing: Settings, business: Business, agent: Engine
) -> None:
    people = everybody(agent)[:4]
    sweep(changing)

    def overtake(*_: object) -> None:
        if not rows(agent, "SELECT 1 FROM agent_runs WHERE triggered_by = 'import_sensor'"):
            diagnose(changing, business, agent, people, relations_only=people)

    sweep_roster(changing, SweepRequest(is_full=True, workers=1), progress=overtake)
    assert rows(agent, "SELECT count(*) FROM diagnosis_results") == [2 * SAMPLE_SIZE + len(people)]


def test_a_single_diagnosis_is_what_a_check_of_relations_builds_on(
    changing: Settings, business: Business, agent: Engine
) -> None:
    sweep(changing)
    person_id = everybody(agent)[0]
    with open_diagnostician(changing, business, agent) as service:
        alone = service.diagnose(DiagnosisInput(person_id=person_id))
    assert newest(agent, person_id)[0] == alone.run_id
    diagnose(changing, business, agent, [person_id], relations_only=[person_id])
    carried = {family.get("carriedFrom") for family in newest(agent, person_id)[2]["families"]}
    assert carried == {alone.run_id, None}


class Forgetful:
    """The agent database; of commits that store a chunk, the answer is lost where `losses` says so."""

    def __init__(self, engine: Engine, losses: Sequence[bool]) -> None:
        self._engine = engine
        self._losses = iter(losses)
        self.is_storing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        self.is_storing = False
        with self._engine.begin() as connection:
            yield connection
        if self.is_storing and next(self._losses):
            raise OperationalError("COMMIT", {}, OSError("server closed the connection unexpectedly"))


@pytest.mark.parametrize("kind", ["import", "opponents", "range"])
def test_a_commit_whose_answer_is_lost_costs_no_athlete_and_doubles_none(
    changing: Settings, business: Business, agent: Engine, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(chunk_diagnosis, "CHUNK_SIZE", 50)
    monkeypatch.setattr(chunk_diagnosis, "RETRY_SECONDS", (0, 0))
    people = everybody(agent)
    forgetful = Forgetful(agent, [True, False, True])
    write, told, settled = chunk_diagnosis.write_chunk, list[str](), list[str]()

    def note_write(*arguments: Any) -> None:
        write(*arguments)
        forgetful.is_storing = True

    def settle(_connection: Connection, runs: Sequence[ChunkRun]) -> None:
        settled.extend(run.asked_id or "" for run in runs)

    monkeypatch.setattr(chunk_diagnosis, "write_chunk", note_write)
    diagnose_athletes(
        changing,
        business,
        cast("Engine", forgetful),
        people,
        relations_only=people if kind == "opponents" else (),
        triggered_by="import_sensor",
        dagster_run_id=None,
        chunk_done=lambda _header, runs: told.extend(run.asked_id or "" for run in runs),
        settle=None if kind == "range" else settle,
    )
    assert rows(agent, "SELECT person_id FROM agent_runs ORDER BY 1") == people
    assert told == people
    assert settled == ([] if kind == "range" else people)


def test_a_connection_that_is_lost_for_good_stores_nothing(
    changing: Settings, business: Business, agent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_diagnosis, "RETRY_SECONDS", (0, 0))
    attempts: list[int] = []

    def settle(connection: Connection, runs: Sequence[ChunkRun]) -> None:
        attempts.append(len(runs))
        if len(attempts) < 6:
            connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    people = everybody(agent)
    with pytest.raises(OperationalError):
        diagnose(changing, business, agent, people, settle=settle)
    assert len(attempts) == 3
    assert rows(agent, "SELECT count(*) FROM agent_runs") == [0]
    attempts.extend([0])
    diagnose(changing, business, agent, people, settle=settle)
    assert attempts == [*[SAMPLE_SIZE] * 3, 0, *[SAMPLE_SIZE] * 2]
    assert rows(agent, "SELECT person_id FROM agent_runs ORDER BY 1") == people


def test_two_sweeps_and_an_import_at_once_neither_deadlock_nor_store_anything_twice(
    changing: Settings, business: Business, agent: Engine, databases: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_diagnosis, "CHUNK_SIZE", 8)
    people = everybody(agent)
    opponents = people[::2]
    settled: list[str] = []

    def settle(connection: Connection, runs: Sequence[ChunkRun]) -> None:
        settled.extend(run.asked_id or "" for run in runs)
        connection.execute(text("SELECT pg_sleep(0.02)"))

    def import_them() -> None:
        diagnose(changing, business, agent, people, relations_only=opponents, settle=settle)

    def rename_them() -> None:
        for number in range(6):
            change(databases, f"UPDATE \"Person\" SET \"displayNameEn\" = 'No. {number}' WHERE id >= '{people[0]}'")
            open_index(business, agent).refresh()

    tasks = [
        lambda: sweep(changing, chunk_size=5),
        lambda: sweep(changing, chunk_size=7, is_full=True),
        import_them,
        rename_them,
    ]
    with ThreadPoolExecutor(len(tasks)) as pool:
        for task in [pool.submit(task) for task in tasks]:
            task.result()
    assert sorted(settled) == people
    assert rows(agent, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [0]
    kinds = "CASE triggered_by WHEN 'import_sensor' THEN 1 ELSE 2 END"
    assert (
        rows(agent, f"SELECT person_id FROM agent_runs GROUP BY person_id, {kinds} HAVING count(*) > max({kinds})")
        == []
    )
    before = {person_id: newest(agent, person_id) for person_id in people}
    assert {result[3] for result in before.values()} == {"completed"}
    for result in before.values():
        marks = [finding["fingerprint"] for finding in result[1]]
        assert len(marks) == len(set(marks))
    open_index(business, agent).refresh()
    sweep(changing, is_full=True)
    for person_id in opponents:
        assert found_by(before[person_id]) == found_by(newest(agent, person_id))
