"""Sweeps on real databases: who is due, who is unchanged, and what happens to those that are cut off."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, text

from keifu_quality.app import open_agent
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.db.sweeps import SweepCounts
from keifu_quality.settings import Settings
from keifu_quality.sweep import SweepReport, SweepRequest, sweep_roster
from tests.sample_fixtures import SAMPLE_SIZE

pytestmark = pytest.mark.postgres

CHUNK = 10


@pytest.fixture
def agent(sample_settings: Settings) -> Iterator[Engine]:
    with open_agent(sample_settings) as engine:
        yield engine


def sweep(settings: Settings, **request: Any) -> SweepReport:
    return sweep_roster(settings, SweepRequest(**{"workers": 1, "chunk_size": CHUNK, **request}))


def values(agent: Engine, statement: str, **parameters: Any) -> list[Any]:
    with agent.connect() as connection:
        return [row[0] if len(row) == 1 else tuple(row) for row in connection.execute(text(statement), parameters)]


def due_after(databases: DatabaseUrls, settings: Settings, change: str) -> set[str]:
    """Who is diagnosed by a sweep after a change of the archive."""
    sweep(settings, chunk_size=1_000)
    with psycopg.connect(databases.business_owner.replace("+psycopg", ""), autocommit=True) as owner:
        assert owner.execute(change.encode()).rowcount > 0
    sweep(settings, chunk_size=1_000)
    with open_agent(settings) as agent:
        return set(
            values(
                agent,
                "SELECT person_id FROM agent_runs WHERE status <> 'unchanged' AND started_at > "
                "(SELECT max(started_at) FROM sweeps)",
            )
        )


def assert_each_once(agent: Engine) -> None:
    assert values(agent, "SELECT person_id FROM agent_runs GROUP BY 1 HAVING count(*) > 1") == []
    assert len(values(agent, "SELECT 1 FROM diagnosis_results")) == SAMPLE_SIZE
    assert values(agent, "SELECT count(*) FROM athlete_index WHERE last_run_id IS NULL") == [0]
    assert values(agent, "SELECT count(*) FROM sweeps WHERE ended_at IS NULL") == [0]


def test_a_second_sweep_finds_everybody_unchanged(sample_settings: Settings, agent: Engine) -> None:
    first = sweep(sample_settings)
    assert (first.counts.diagnosed, first.counts.failed, first.sweep.unchanged) == (SAMPLE_SIZE, 0, 0)
    assert_each_once(agent)
    second = sweep(sample_settings, triggered_by="schedule")
    assert (second.counts.diagnosed, second.sweep.unchanged) == (0, SAMPLE_SIZE)
    assert values(agent, "SELECT status, triggered_by, count(*) FROM agent_runs GROUP BY 1, 2 ORDER BY 1") == [
        ("completed", "cli", SAMPLE_SIZE),
        ("unchanged", "schedule", SAMPLE_SIZE),
    ]
    assert sweep(sample_settings, is_full=True).counts.diagnosed == SAMPLE_SIZE


def test_shards_divide_the_roster(sample_settings: Settings, agent: Engine) -> None:
    parts = [sweep(sample_settings, shard=shard, shards=3).counts.diagnosed for shard in range(3)]
    assert sum(parts) == SAMPLE_SIZE
    assert min(parts) > 0
    assert_each_once(agent)


def test_a_limit_takes_namesakes_first_and_one_of_each_name(sample_settings: Settings, agent: Engine) -> None:
    sweep(sample_settings, most_athletes=1)
    (first,) = values(agent, "SELECT person_id FROM agent_runs")
    namesakes = (
        "SELECT count(*) FROM athlete_index WHERE strict_key = "
        "(SELECT strict_key FROM athlete_index WHERE person_id = :id)"
    )
    assert values(agent, namesakes, id=first)[0] > 1
    sweep(sample_settings, most_athletes=SAMPLE_SIZE)
    diagnosed = "SELECT strict_key FROM athlete_index WHERE last_run_id IS NOT NULL AND NOT is_placeholder"
    several = f"SELECT strict_key FROM ({diagnosed}) k GROUP BY 1 HAVING count(*) > 2"
    assert values(agent, several) == []


def test_what_was_diagnosed_is_left_out_before_the_limit(sample_settings: Settings, agent: Engine) -> None:
    for _ in range(3):
        sweep(sample_settings, most_athletes=5)
    assert values(agent, "SELECT count(*), count(DISTINCT person_id) FROM agent_runs") == [(15, 15)]


CHANGES = {
    "profile": "UPDATE \"Person\" SET hometown = '架空町' WHERE id = '{id}'",
    "result": 'UPDATE "RaceResult" SET rank = 99 WHERE "personId" = \'{id}\'',
    "organization": "UPDATE \"Organization\" SET prefecture = '架空県' WHERE id IN"
    ' (SELECT "organizationId" FROM "Membership" WHERE "personId" = \'{id}\')',
    "edition": 'UPDATE "CompetitionEdition" SET "startsOn" = "startsOn" + interval \'1 day\' WHERE id IN'
    ' (SELECT a."competitionEditionId" FROM "Race" a JOIN "RaceResult" r ON r."raceId" = a.id'
    " WHERE r.\"personId\" = '{id}')",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_silent_change_of_anything_that_rules_read_is_noticed(
    change: str, changing: Settings, databases: DatabaseUrls
) -> None:
    with psycopg.connect(databases.business_owner.replace("+psycopg", "")) as owner:
        row = owner.execute(
            'SELECT r."personId" FROM "RaceResult" r JOIN "Membership" m ON m."personId" = r."personId" LIMIT 1'
        ).fetchone()
    assert row is not None
    due = due_after(databases, changing, change.format(id=row[0]))
    assert row[0] in due
    assert len(due) < SAMPLE_SIZE


def test_a_change_of_an_athlete_is_one_of_its_namesakes(changing: Settings, databases: DatabaseUrls) -> None:
    with open_agent(changing) as agent:
        sweep(changing, most_athletes=1)
        pair = values(
            agent,
            "SELECT person_id FROM athlete_index WHERE NOT is_placeholder AND strict_key IN (SELECT strict_key "
            "FROM athlete_index WHERE NOT is_placeholder GROUP BY 1 HAVING count(*) = 2) ORDER BY strict_key LIMIT 2",
        )
    due = due_after(databases, changing, f'UPDATE "Person" SET "heightCm" = 171 WHERE id = \'{pair[0]}\'')
    assert set(pair) <= due


def test_a_row_of_another_in_the_same_race_is_a_change(changing: Settings, databases: DatabaseUrls) -> None:
    with psycopg.connect(databases.business_owner.replace("+psycopg", "")) as owner:
        row = owner.execute(
            'SELECT a.id, b."personId" FROM "RaceResult" a JOIN "RaceResult" b ON a."raceId" = b."raceId" '
            'AND a."personId" <> b."personId" LIMIT 1'
        ).fetchone()
    assert row is not None
    assert row[1] in due_after(databases, changing, f"DELETE FROM \"RaceResult\" WHERE id = '{row[0]}'")


def test_two_sweeps_at_once_share_the_work(sample_settings: Settings, agent: Engine) -> None:
    reports: list[SweepReport] = []
    threads = [threading.Thread(target=lambda: reports.append(sweep(sample_settings, chunk_size=5))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.counts.failed for report in reports] == [0, 0]
    assert len(values(agent, "SELECT 1 FROM diagnosis_results")) == SAMPLE_SIZE
    assert values(agent, "SELECT person_id FROM diagnosis_results GROUP BY 1 HAVING count(*) > 1") == []


def test_a_full_sweep_beside_another_one_stores_the_same_content_once(sample_settings: Settings, agent: Engine) -> None:
    # The full sweep's plan is there and nothing of it done when the other one runs.
    def overtake(*_: object) -> None:
        if not values(agent, "SELECT 1 FROM agent_runs"):
            sweep(sample_settings)

    sweep_roster(sample_settings, SweepRequest(is_full=True, workers=1, chunk_size=CHUNK), progress=overtake)
    assert_each_once(agent)


def test_lost_connections_in_mid_sweep_cost_nothing(sample_settings: Settings, agent: Engine) -> None:
    cut: list[int] = []

    def cut_once(_sweep: object, counts: SweepCounts) -> None:
        if not cut and counts.diagnosed:
            cut.append(counts.diagnosed)
            with agent.connect() as connection:
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                        "AND datname = current_database() AND backend_type = 'client backend'"
                    )
                )
            agent.dispose()

    request = SweepRequest(workers=2, chunk_size=CHUNK)
    sweep_roster(sample_settings, request, progress=cut_once)
    assert cut
    assert_each_once(agent)


def start_sweep(*options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "keifu_quality.cli.main", "sweep", "--chunk", "5", "--workers", "2", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_results(agent: Engine) -> None:
    deadline = time.monotonic() + 90
    while not values(agent, "SELECT 1 FROM diagnosis_results LIMIT 1"):
        assert time.monotonic() < deadline, "the sweep stored nothing"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "spawn_main" in line]


def test_a_sweep_survives_a_killed_worker(sample_settings: Settings, agent: Engine) -> None:
    process = start_sweep()
    wait_for_results(agent)
    for worker in children(process.pid)[:1]:
        os.kill(worker, signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    assert_each_once(agent)


def test_a_killed_sweep_is_gone_on_with(sample_settings: Settings, agent: Engine) -> None:
    process = start_sweep()
    wait_for_results(agent)
    process.kill()
    process.wait()
    report = sweep(sample_settings)
    assert report.sweep.is_joined
    assert report.counts.diagnosed == SAMPLE_SIZE
    assert_each_once(agent)


def test_a_merge_that_was_recorded_later_is_a_change(changing: Settings, databases: DatabaseUrls) -> None:
    with psycopg.connect(databases.business_owner.replace("+psycopg", "")) as owner:
        row = owner.execute('SELECT id, slug FROM "Person" ORDER BY id LIMIT 1').fetchone()
    assert row is not None
    due = due_after(
        databases,
        changing,
        'INSERT INTO "AuditLog" (id, "entityType", "entityId", action, "reasonType", "oldValue") VALUES '
        f"('a-new', 'Person', 'gone', 'update', 'entity_merge', '{{\"dropSlug\": \"{row[1]}\"}}')",
    )
    assert row[0] in due
    assert len(due) < SAMPLE_SIZE
