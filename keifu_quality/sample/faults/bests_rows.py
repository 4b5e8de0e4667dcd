"""Personal bests as rows: doubles, conflicts, provenance, and marks that results contradict.

Belongs here: PB01, PB02, PB03, PB08, PB09, PB10. Stays out: the mark as text (`bests_marks`).
"""

from datetime import datetime
from functools import partial

from keifu_quality.sample.faults.bases import graduate, own_race, student
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


@form("PB01")
def exact_copy(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    for _copy in range(2):
        w.best(athlete, "m5000", 825_670)
    athlete.expect("PB01", "warning")


@form("PB01")
def copy_from_another_source_without_time(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m5000", 825_600)
    w.best(athlete, "m5000", None, mark="13:45.6", source="fan")
    athlete.expect("PB01", "warning")
    athlete.expect("PB04", "warning")
    athlete.tolerated.add("PB13")


@form("PB01")
def one_meet_in_two_spellings(w: Workshop) -> None:
    athlete, entry = graduate(w)
    day = datetime(entry + 2, 6, 7)  # noqa: DTZ001 stored as naive UTC
    for meet in ("第321回架空体育大学長距離競技会", "架体大記録会(321)"):
        w.best(athlete, "m5000", 839_970, achieved_on=day, competition_name=meet)
    athlete.expect("PB01", "warning")


@form("PB01")
def three_copies_already_in_conflict(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    for source in ("broadcast", "archive", "pdf"):
        w.best(athlete, "m10000", 1_748_220, source=source, status="conflicting")
    athlete.expect("PB01", "warning", "info")
    athlete.expect("PB03", "warning")


@form("PB02")
def two_marks_without_stage(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m5000", 825_670)
    w.best(athlete, "m5000", 838_020, source="archive")
    athlete.expect("PB02", "warning")


@form("PB02")
def one_mark_per_stage(w: Workshop) -> None:
    athlete, entry = graduate(w)
    school_day, college_day = datetime(entry - 1, 9, 28), datetime(entry + 2, 5, 11)  # noqa: DTZ001 as above
    w.best(athlete, "m5000", 851_400, is_high_school_pb=True, achieved_on=school_day)
    w.best(athlete, "m5000", 828_110, is_college_pb=True, achieved_on=college_day)
    athlete.expect("PB02", "info")


def _conflict(w: Workshop, notes: str | None, severity: str) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m10000", 1_712_330, status="conflicting", notes=notes)
    athlete.expect("PB03", severity)


CONFLICTS = tuple(
    Form("PB03", label, 1, partial(_conflict, notes=notes, severity=severity))
    for label, notes, severity in (
        ("conflict_without_notes", None, "warning"),
        (
            "faster_rival_of_less_trust",
            (
                "第101回箱根駅伝 エントリー | conflict: ファンのまとめ | incoming_reliability=2 | "
                "existing_reliability=4 | incoming_recency=2026-07-20T00:00:00.000Z | "
                "existing_recency=2026-07-05T00:00:00.000Z"
            ),
            "warning",
        ),
        (
            "slower_rival_of_an_older_list",
            (
                "第102回箱根駅伝 エントリー | conflict: 第98回箱根駅伝 エントリー | incoming_reliability=4 | "
                "existing_reliability=4 | incoming_recency=2026-07-20T00:00:00.000Z | "
                "existing_recency=2026-07-05T00:00:00.000Z"
            ),
            "info",
        ),
    )
)


@form("PB08")
def result_faster_than_best(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 6)
    w.result(athlete, own_race(w, "m5000", w.academic_year - 4), university, 860_450)
    w.best(athlete, "m5000", 870_200)
    athlete.expect("PB08", "warning")


@form("PB08")
def road_result_faster_than_best(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 6)
    w.result(athlete, own_race(w, "half_marathon", w.academic_year - 4), university, 3_842_000)
    w.best(athlete, "half_marathon", 3_871_000)
    athlete.expect("PB08", "warning")


def _noted_as_best(w: Workshop, note: str) -> None:
    athlete, university = student(w, w.academic_year - 6)
    event = own_race(w, "m10000", w.academic_year - 3)
    w.result(athlete, event, university, 1_752_450, notes=note)
    w.best(athlete, "m10000", 1_770_200)
    athlete.expect("PB08", "error")


NOTED_AS_BEST = (
    Form("PB08", "result_noted_pb", 1, partial(_noted_as_best, note="PB")),
    Form("PB08", "result_noted_as_own_record", 1, partial(_noted_as_best, note="自己新")),
)


@form("PB09")
def raced_without_best(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 6)
    w.result(athlete, own_race(w, "m5000", w.academic_year - 4), university, 860_450)
    athlete.expect("PB09", "info")


@form("PB10")
def no_source(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m5000", 833_120, source=None, venue="架空競技場")
    athlete.expect("PB10", "info")


@form("PB10")
def neither_day_nor_meet_nor_place(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m5000", 833_120)
    w.best(athlete, "m10000", 1_733_600)
    athlete.expect("PB10", "info")


@form("PB10")
def organization_that_is_gone(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "m5000", 833_120, organization_id=w.new_id("organization"))
    athlete.expect("PB10", "warning")
