"""Equal facts give equal findings, byte for byte, in any order of rows and in every process."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from graphs.rules.configuration import RuleConfiguration
from graphs.rules.rule import RuleContext
from keifu_quality.app import open_agent, open_business, open_index, open_reader
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.evaluation import evaluate_roster
from keifu_quality.sample.faults import registry
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import DEFAULT_AS_OF, generate
from keifu_quality.settings import Settings
from tests.conftest import NewDatabases, settings_for

pytestmark = pytest.mark.postgres

SIZE = 1490
"""The smallest roster, to the next ten, that holds every planted form and every clean trap."""


def findings(settings: Settings) -> Iterator[str]:
    """The findings of every athlete as JSON text, athletes in the order of their ids."""
    now = datetime.combine(DEFAULT_AS_OF, time(3), UTC)
    context = RuleContext(today=DEFAULT_AS_OF, now=now, configuration=RuleConfiguration())
    with open_agent(settings) as agent, open_business(settings) as business:
        index = open_index(business, agent)
        index.refresh()
        reader = open_reader(settings, business, agent, index)
        for evaluated in evaluate_roster(reader, sorted(person_id for person_id, _ in index.people()), context):
            assert evaluated.not_evaluated == ()
            shown = [finding.to_json() for finding in evaluated.findings]
            yield json.dumps([evaluated.slug, shown], ensure_ascii=False)


def evaluation(urls: DatabaseUrls, home: Path, *, hash_seed: int) -> "subprocess.Popen[bytes]":
    """A process of its own, in which sets have an order of their own."""
    return subprocess.Popen(
        [sys.executable, __file__, urls.business, urls.agent, urls.dagster, str(home)],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
    )


def test_neither_the_order_of_rows_nor_the_process_changes_a_finding(
    new_databases: NewDatabases, tmp_path: Path
) -> None:
    roster = generate(SIZE)
    shuffled = {kind: random.Random(7).sample(rows, len(rows)) for kind, rows in roster.tables.items()}
    assert shuffled != roster.tables
    processes: list[subprocess.Popen[bytes]] = []
    for hash_seed, tables in enumerate((roster.tables, shuffled), start=1):
        urls = new_databases()
        load_roster(replace(roster, tables=tables), urls.business_owner)
        processes.append(evaluation(urls, tmp_path, hash_seed=hash_seed))

    first, second = (process.communicate()[0].decode().splitlines() for process in processes)

    assert [process.returncode for process in processes] == [0, 0]
    assert len(first) == SIZE
    planted = {f"{form.code}/{form.name}" for form in (*registry.fault_forms(), *registry.clean_forms())}
    assert planted <= {label.form for label in roster.labels}
    assert [one for one, two in zip(first, second, strict=True) if one != two] == []


if __name__ == "__main__":
    business, agent, dagster, home = sys.argv[1:]
    for text in findings(settings_for(DatabaseUrls("", business, agent, dagster), Path(home))):
        sys.stdout.write(f"{text}\n")
