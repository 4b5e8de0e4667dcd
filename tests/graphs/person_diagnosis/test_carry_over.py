"""Some families asked for, the others as they were found before."""

from collections.abc import Sequence
from dataclasses import replace

from graphs.contracts import Category, DiagnosisInput, DiagnosisIssue, Severity
from graphs.facts import Unavailable
from graphs.person_diagnosis.carry_over import Result, WholeResult, carry_over
from graphs.person_diagnosis.nodes import NOT_REQUESTED
from graphs.person_diagnosis.roster import ChunkContext, RosterDiagnosis, build_roster_graph, diagnose_chunk
from graphs.rules.evaluate import SOURCE_TOOLS
from graphs.rules.registry import rule_by_code
from tests.graphs.person_diagnosis.fakes import FixedClock, MemoryJournal, MemoryReader
from tests.graphs.rules.facts_builder import build_snapshot

RELATIONS = (Category.RELATION_CACHE,)
FAULTY = build_snapshot(
    {
        "person": {"id": "p1", "slug": "reimi-taro", "name_ja": "例見 太郎"},
        "memberships": [{"organization": "university:例示大学", "start_date": None}],
    }
)


def diagnose(families: tuple[Category, ...] | None) -> RosterDiagnosis:
    context = ChunkContext(reader=MemoryReader([FAULTY]), journal=MemoryJournal(), clock=FixedClock(), chunk_id="c")
    request = DiagnosisInput(person_id="p1", triggered_by="import_sensor", families=families)
    [athlete] = diagnose_chunk(build_roster_graph(), [request], context)
    return athlete


def result_of(athlete: RosterDiagnosis, run_id: str, more: Sequence[DiagnosisIssue] = ()) -> Result:
    diagnosis = athlete.diagnosis
    return Result(run_id=run_id, families=diagnosis.families, findings=(*diagnosis.findings, *more))


def joined(earlier: Result, athlete: RosterDiagnosis) -> WholeResult:
    assert athlete.summary is not None
    return carry_over(
        earlier,
        athlete.summary,
        athlete.diagnosis.findings,
        evaluated=RELATIONS,
        person_id="p1",
        slug="reimi-taro",
    )


def issue(code: str, severity: Severity) -> DiagnosisIssue:
    rule = rule_by_code(code)
    return DiagnosisIssue(
        category=rule.category,
        severity=severity,
        title=rule.title(),
        detail="",
        source_tool=SOURCE_TOOLS[rule.category],
        code=code,
        rule=rule.name,
        fingerprint=code,
        evidence_hash="",
    )


def test_families_that_were_not_asked_for_say_so_and_find_nothing() -> None:
    found = diagnose(RELATIONS).diagnosis
    by_category = {report.category: report for report in found.families}
    assert by_category[Category.RELATION_CACHE].status == "evaluated"
    for category in set(Category) - set(RELATIONS):
        report = by_category[category]
        assert report.status == "not_evaluated"
        assert [cause.code for cause in report.not_evaluated] == [NOT_REQUESTED]
    assert {finding.category for finding in found.findings} <= set(RELATIONS)
    assert Category.MEMBERSHIP_TIMELINE in {finding.category for finding in diagnose(None).diagnosis.findings}


def test_with_an_unchanged_record_the_whole_is_what_a_full_diagnosis_finds() -> None:
    full = diagnose(None)
    whole = joined(result_of(full, "r1"), diagnose(RELATIONS))
    assert whole.findings == full.diagnosis.findings
    assert whole.actions == full.actions
    assert full.summary is not None
    assert whole.summary.headline == full.summary.headline
    assert whole.summary.severity_counts == full.summary.severity_counts
    carried = {report.category: report.carried_from for report in whole.summary.families}
    assert carried == dict.fromkeys(Category, "r1") | {Category.RELATION_CACHE: None}
    assert any("as of run r1" in line for line in whole.summary.lines)


def test_relations_are_those_of_now_and_the_others_those_of_then() -> None:
    then = (issue("RC02", Severity.WARNING), issue("PB01", Severity.WARNING))
    earlier = result_of(diagnose(None), "r1", then)
    codes = [finding.code for finding in joined(earlier, diagnose(RELATIONS)).findings]
    assert "PB01" in codes
    assert "RC02" not in codes


def test_an_identity_in_doubt_still_holds_the_relations() -> None:
    earlier = result_of(diagnose(None), "r1", [issue("PN01", Severity.ERROR)])
    partial = diagnose(RELATIONS)
    partial.diagnosis.findings = (issue("RC04", Severity.WARNING),)
    actions = {action.name: action for action in joined(earlier, partial).actions}
    template = rule_by_code("RC04").action
    assert template is not None
    assert "PN01" in (actions[template.name].held_because or "")


def test_a_family_that_was_carried_already_names_the_run_that_evaluated_it() -> None:
    first = joined(result_of(diagnose(None), "r1"), diagnose(RELATIONS))
    second = joined(Result(run_id="r2", families=first.summary.families, findings=first.findings), diagnose(RELATIONS))
    assert {r.carried_from for r in second.summary.families if r.category not in RELATIONS} == {"r1"}


def test_findings_of_a_rule_that_is_no_more_are_left_behind() -> None:
    retired = issue("PB01", Severity.WARNING).model_copy(update={"code": "PB99"})
    whole = joined(result_of(diagnose(None), "r1", [retired]), diagnose(RELATIONS))
    assert "PB99" not in {finding.code for finding in whole.findings}


def test_what_could_not_be_evaluated_then_is_still_not() -> None:
    broken = replace(FAULTY, personal_bests=Unavailable(table="PersonalBest", code="42501", message="no SELECT"))
    context = ChunkContext(reader=MemoryReader([broken]), journal=MemoryJournal(), clock=FixedClock(), chunk_id="c")
    [full] = diagnose_chunk(build_roster_graph(), [DiagnosisInput(person_id="p1")], context)
    whole = joined(result_of(full, "r1"), diagnose(RELATIONS))
    report = next(r for r in whole.summary.families if r.category is Category.PERSONAL_BEST_CONSISTENCY)
    assert (report.status, report.not_evaluated[0].code) == ("not_evaluated", "42501")
