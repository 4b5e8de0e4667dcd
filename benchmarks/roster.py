"""How fast a roster is diagnosed, beside what the same work costs at least: `make bench`.

Belongs here: an embedded server of its own with a roster in it, the measured ways one after the other in one run, and
the ratios between them. Every figure is the median over rounds that take turns, so that a machine that is busy with
something else for a while slows all of them. Ratios are what to compare; seconds are this machine's.

(a) the roster regime: a full sweep, from the command's start to its end
(b) the interactive regime: one athlete at a time, checkpoints included
(c) a plain loop over the node functions, without LangGraph, on snapshots that are loaded
(d) COPY of the rows that a sweep reads out of the archive, and of its results into an empty copy of their tables
(e) a full sweep through Dagster: shards as runs of `keifu ui`, from the request to the end of the last
(f) an unchanged sweep
(g) an import, from the batch's completion to the stored results: the sensor of `keifu ui` sees it and starts a run
"""

import argparse
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from benchmarks.dagster_ways import running_dagster
from benchmarks.own_home import own_home
from graphs.contracts import DiagnosisInput, Target
from graphs.person_diagnosis import nodes
from graphs.person_diagnosis.context import DiagnosisContext
from graphs.person_diagnosis.state import Diagnosis
from keifu_quality.app import open_agent, open_business, open_diagnostician, open_index, open_reader, rule_configuration
from keifu_quality.db import migrate
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.diagnosis import SystemClock
from keifu_quality.dsn import parse_dsn
from keifu_quality.logs import configure_logs
from keifu_quality.roster import ChunkJournal
from keifu_quality.sample.load import load_directory, load_roster
from keifu_quality.sample.roster import generate
from keifu_quality.settings import Settings, load_settings
from keifu_quality.sweep import SweepRequest, sweep_roster

READ_TABLES = ("Person", "Membership", "PersonalBest", "RaceResult", "SourceReference", "NameVariant")
WRITTEN_TABLES = ("agent_runs", "diagnosis_results")
CHUNK = 1_000
LOOPED = 2_000
"""Athletes of the plain loop, which is the same for every chunk."""


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--roster", type=Path, help="directory or tar file of tables; default an invented roster")
    parser.add_argument("--size", type=int, default=2_400, help="athletes of the invented roster")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--interactive", type=int, default=20, help="athletes diagnosed one at a time in each round")
    parser.add_argument("--shards", type=int, default=4, help="runs of the sweep through Dagster")
    parser.add_argument("--imported", type=int, default=800, help="athletes of an import, another set in each round")
    options = parser.parse_args()
    with own_home() as (home, urls):
        _run(urls, home, options)


def _run(urls: DatabaseUrls, home: Path, options: argparse.Namespace) -> None:
    console = Console()
    settings = load_settings()
    configure_logs(settings)
    migrate.upgrade(settings)
    if options.roster:
        load_directory(options.roster, urls.business_owner)
    else:
        load_roster(generate(options.size, seed=1), urls.business_owner)
    with open_business(settings) as business, open_agent(settings) as agent:
        open_index(business, agent).refresh()
        with agent.connect() as connection:
            ids = list(
                connection.execute(text("SELECT person_id FROM athlete_index ORDER BY md5(person_id)")).scalars()
            )
    ways: Mapping[str, Callable[[], tuple[float, int]]] = {
        "(a) roster regime": lambda: _sweep(settings, options.workers, is_full=True),
        "(b) interactive regime": lambda: _interactive(settings, ids[: options.interactive]),
        "(c) plain loop over the nodes": lambda: _loop(settings, ids[:LOOPED]),
        "(d) COPY out and in": lambda: _copy(urls, len(ids)),
        "(f) unchanged sweep": lambda: _sweep(settings, options.workers, is_full=False),
    }
    imported = min(options.imported, len(ids) // options.rounds)
    rounds = [
        {name: _measured(way) for name, way in ways.items()}
        | _through_dagster(urls, home, options.shards, ids[number * imported : (number + 1) * imported], len(ids))
        for number in range(options.rounds)
    ]
    _print(console, rounds, len(ids), options.workers)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way cost in one round: seconds of the clock and of Python's processors, and for how many athletes."""

    seconds: float
    cpu_seconds: float
    athletes: int


def _measured(way: Callable[[], tuple[float, int]]) -> Cost:
    before = os.times()
    seconds, athletes = way()
    after = os.times()
    used = (now - then for now, then in zip(after[:4], before[:4], strict=True))
    return Cost(seconds, sum(used), athletes)


def _through_dagster(
    urls: DatabaseUrls, home: Path, shards: int, imported: Sequence[str], athletes: int
) -> dict[str, Cost]:
    with running_dagster(urls, home) as dagster:
        used = [dagster.cpu_seconds()]
        swept = dagster.sweep(shards)
        used.append(dagster.cpu_seconds())
        since_completion, since_tick = dagster.import_athletes(imported)
        used.append(dagster.cpu_seconds())
    sweep_cpu, import_cpu = (after - before for before, after in itertools.pairwise(used))
    return {
        f"(e) sweep through Dagster, {shards} runs": Cost(swept, sweep_cpu, athletes),
        "(g) import, from its completion": Cost(since_completion, import_cpu, len(imported)),
        "(g) import, from the sensor's tick": Cost(since_tick, import_cpu, len(imported)),
    }


def _sweep(settings: Settings, workers: int, *, is_full: bool) -> tuple[float, int]:
    started = time.perf_counter()
    report = sweep_roster(settings, SweepRequest(is_full=is_full, workers=workers, chunk_size=CHUNK))
    return time.perf_counter() - started, report.counts.diagnosed + report.counts.failed + report.sweep.unchanged


def _interactive(settings: Settings, ids: Sequence[str]) -> tuple[float, int]:
    with (
        open_agent(settings) as agent,
        open_business(settings) as business,
        open_diagnostician(settings, business, agent) as service,
    ):
        started = time.perf_counter()
        for person_id in ids:
            service.diagnose(DiagnosisInput(person_id=person_id))
        return time.perf_counter() - started, len(ids)


def _loop(settings: Settings, ids: Sequence[str]) -> tuple[float, int]:
    with open_agent(settings) as agent, open_business(settings) as business:
        reader = open_reader(settings, business, agent, open_index(business, agent))
        snapshots = reader.load_snapshots(ids)
        context = DiagnosisContext(
            reader=reader, journal=ChunkJournal(), clock=SystemClock(), configuration=rule_configuration(settings)
        )
        started = time.perf_counter()
        for person_id, snapshot in snapshots.items():
            target = Target(person_id=person_id, person_slug=snapshot.person.slug, resolved=True)
            diagnosis = Diagnosis(input=DiagnosisInput(person_id=person_id), target=target)
            diagnosis.absorb({"snapshot": snapshot})
            for node in nodes.PIPELINE[1:]:
                diagnosis.absorb(node(diagnosis, context))
        return time.perf_counter() - started, len(snapshots)


def _copy(urls: DatabaseUrls, athletes: int) -> tuple[float, int]:
    """The rows as PostgreSQL hands them out and takes them in, with no Python between."""
    with (
        psycopg.connect(parse_dsn(urls.business).libpq()) as business,
        psycopg.connect(parse_dsn(urls.agent).libpq()) as agent,
    ):
        results = {
            table: _copied(
                agent,
                sql.SQL("COPY (SELECT * FROM {} ORDER BY id DESC LIMIT {}) TO STDOUT").format(
                    sql.Identifier(table), sql.Literal(athletes)
                ),
            )
            for table in WRITTEN_TABLES
        }
        for table in WRITTEN_TABLES:
            agent.execute(
                sql.SQL("CREATE TEMP TABLE {} (LIKE {} INCLUDING INDEXES)").format(
                    sql.Identifier(f"copy_of_{table}"), sql.Identifier(table)
                )
            )
        started = time.perf_counter()
        for table in READ_TABLES:
            _copied(business, sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table)))
        for table, blocks in results.items():
            statement = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(f"copy_of_{table}"))
            with agent.cursor() as cursor, cursor.copy(statement) as copy:
                for block in blocks:
                    copy.write(block)
        seconds = time.perf_counter() - started
        agent.rollback()
    return seconds, athletes


def _copied(connection: psycopg.Connection, statement: sql.Composed) -> list[bytes]:
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        return [bytes(block) for block in copy]


def _print(console: Console, rounds: Sequence[Mapping[str, Cost]], athletes: int, workers: int) -> None:
    table = Table(title=f"{athletes:,} athletes, {workers} workers, medians of {len(rounds)} rounds")
    for heading in ("way", "seconds", "athletes", "athletes/s", "ms per athlete", "of it Python CPU ms"):
        table.add_column(heading, justify="left" if heading == "way" else "right", no_wrap=heading == "way")
    per_athlete: dict[str, float] = {}
    for name in sorted(rounds[0]):
        costs = [done[name] for done in rounds]
        median = statistics.median(cost.seconds / cost.athletes for cost in costs)
        cpu = statistics.median(cost.cpu_seconds / cost.athletes for cost in costs)
        per_athlete.setdefault(name[:3], median)
        table.add_row(
            name,
            f"{statistics.median(cost.seconds for cost in costs):.2f}",
            f"{costs[0].athletes:,}",
            f"{1 / median:,.0f}",
            f"{median * 1000:.3f}",
            f"{cpu * 1000:.3f}",
        )
    console.print(table)
    floor = per_athlete["(d)"] + per_athlete["(c)"] / workers
    for told, ratio in (
        ("roster regime / (COPY + plain loop on all workers)", per_athlete["(a)"] / floor),
        ("roster regime / (COPY + plain loop)", per_athlete["(a)"] / (per_athlete["(d)"] + per_athlete["(c)"])),
        ("interactive regime / roster regime", per_athlete["(b)"] / per_athlete["(a)"]),
        ("roster regime / unchanged sweep", per_athlete["(a)"] / per_athlete["(f)"]),
        ("sweep through Dagster / roster regime", per_athlete["(e)"] / per_athlete["(a)"]),
        ("import / roster regime", per_athlete["(g)"] / per_athlete["(a)"]),
    ):
        console.print(f"{told}: {ratio:.1f}", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
