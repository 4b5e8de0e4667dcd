"""Athletes diagnosed in chunks as Dagster shows them: one materialization each, and who failed.

Belongs here: what an op says of a chunk, whoever made it. Stays out: making chunks, and the checks of the families
(`defs.roster_checks`).
"""

import json
from collections.abc import Collection, Mapping, Sequence

import dagster as dg
from sqlalchemy import Engine

from graphs.contracts import Severity
from keifu_quality.db.agent import RunOutcome
from keifu_quality.db.chunk_results import ChunkHeader, ChunkRun
from keifu_quality.db.dagster_run_results import ResultGist, results_of_dagster_runs
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.event_batch import log_materializations

NAMED_FAILURES = 100
"""Failed athletes that the message of a failed run names; the agent database has all of them."""

EVENTS_PER_WRITE = 1_000
"""Materializations of one statement, some 2 KB each."""

ROOT_RUN_TAG = "dagster/root_run_id"
GONE = "no longer in the archive; materialize athlete_roster to bring the partitions up to date"


class ChunkEvents:
    """Logs one materialization of `person_diagnosis` for each diagnosed athlete, and remembers who failed.

    Athletes whose slug is not among `keys` are diagnosed all the same and counted as `without_key`; those that are no
    longer in the archive are `gone`.
    """

    def __init__(self, context: dg.OpExecutionContext | dg.AssetExecutionContext, keys: Collection[str]) -> None:
        self._context = context
        self._keys = keys
        self.diagnosed = 0
        self.without_key = 0
        self.failed: dict[str, str] = {}
        self.gone: list[str] = []
        self._seen: set[str] = set()

    def chunk_done(self, header: ChunkHeader, runs: Sequence[ChunkRun]) -> None:
        """Takes the stored runs of a chunk."""
        del header
        self._mark([gist for run in runs if (gist := self._take(run)) is not None])
        self._context.log.info(f"{self.diagnosed} athletes diagnosed, {len(self.failed)} failed")

    def require_all_diagnosed(self, *, also_gone: bool = False) -> None:
        """Raises dagster.Failure, which names them, when athletes failed, or are gone and were asked for by name."""
        failed = self.failed | (dict.fromkeys(self.gone, GONE) if also_gone else {})
        if not failed:
            return
        named = [f"{slug}: {reason}" for slug, reason in list(failed.items())[:NAMED_FAILURES]]
        more = len(failed) - len(named)
        raise dg.Failure(
            f"{len(failed)} athletes could not be diagnosed; all others are done. When the causes are gone, "
            "materialize their partitions, or wait for the next sweep, which takes them again. "
            f"{'; '.join(named)}{f'; and {more} more' if more else ''}",
            metadata={"failed": dg.MetadataValue.json(list(failed)[:NAMED_FAILURES])},
            allow_retries=False,
        )

    def metadata(self) -> Mapping[str, dg.MetadataValue]:
        """Counts of what was taken, in athletes."""
        return {
            "diagnosed": dg.MetadataValue.int(self.diagnosed),
            "failed": dg.MetadataValue.int(len(self.failed)),
            "gone": dg.MetadataValue.int(len(self.gone)),
            "without_partition": dg.MetadataValue.int(self.without_key),
        }

    def catch_up(self, agent: Engine, ended_runs: Collection[str] = ()) -> None:
        """Marks athletes whose results this run, an earlier attempt of it or one of these stored without marking them.

        A worker may be killed between the two, and Dagster's storage may be away for a moment.
        """
        run = self._context.run
        root = run.tags.get(ROOT_RUN_TAG)
        instance = self._context.instance
        earlier = set(ended_runs)
        if root is not None:
            earlier |= {root, *(again.run_id for again in instance.get_runs(dg.RunsFilter(tags={ROOT_RUN_TAG: root})))}
        for attempt in earlier:
            for entry in instance.all_logs(attempt, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION):
                if entry.dagster_event is not None and entry.asset_materialization is not None:
                    self._seen.add(str(entry.asset_materialization.metadata["run_id"].value))
        stored = results_of_dagster_runs(agent, [*earlier, run.run_id])
        self._mark([result for result in stored if result.run_id not in self._seen])

    def _take(self, run: ChunkRun) -> ResultGist | None:
        named = run.person_slug or run.asked_id or ""
        if run.outcome is RunOutcome.NOT_FOUND:
            self.gone.append(named)
        elif run.result is None or run.person_slug is None:
            self.failed[named] = run.error.message if run.error is not None else str(run.outcome)
        else:
            self.diagnosed += 1
            headline = json.loads(run.result.summary)["headline"]
            return ResultGist(run.person_slug, run.run_id, run.outcome.value, headline, run.result.counts)
        return None

    def _mark(self, results: Sequence[ResultGist]) -> None:
        marked = [result for result in results if result.person_slug in self._keys]
        for start in range(0, len(marked), EVENTS_PER_WRITE):
            batch = marked[start : start + EVENTS_PER_WRITE]
            log_materializations(self._context, [_materialization(result) for result in batch])
            self._seen.update(result.run_id for result in batch)
        self.without_key += len(results) - len(marked)
        self._seen.update(result.run_id for result in results)


def _materialization(result: ResultGist) -> dg.AssetMaterialization:
    counts = {f"{severity.value}_count": count for severity, count in zip(Severity, result.counts, strict=True)}
    return dg.AssetMaterialization(
        asset_key=ASSET,
        partition=result.person_slug,
        metadata={"headline": result.headline, "run_id": result.run_id, "outcome": result.outcome, **counts},
    )
