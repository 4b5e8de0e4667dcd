"""Careers against age, and moves between corporate teams.

Belongs here: MT14, MT18. Stays out: two open corporate rows as such (`membership_current`).
"""

from datetime import date
from functools import partial

from keifu_quality.sample.faults.bases import pick, place, student
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop


def _age_gap(w: Workshop, kind: str, gap: int, severity: str) -> None:
    athlete, entry = w.athlete(), w.academic_year - 8
    w.school(athlete, pick(w, kind), entry)
    usual = 16 if kind == "high_school" else 19
    athlete.person.birth_date = born_in_cohort(w, entry - usual - gap)
    athlete.expect("MT14", severity)


AGE_GAPS = tuple(
    Form("MT14", f"{kind}_gap_{gap}", 1, partial(_age_gap, kind=kind, gap=gap, severity=severity))
    for kind, gap, severity in (
        ("high_school", -1, "error"),
        ("university", -2, "error"),
        ("high_school", 2, "warning"),
        ("university", 3, "warning"),
    )
)


@form("MT18")
def corporate_start_before_graduation(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, _university = student(w, entry)
    w.membership(athlete, pick(w, "corporate_team"), date(entry + 3, 10, 1), None)
    athlete.expect("MT18", "warning")


@form("MT18")
def renamed_team(w: Workshop) -> None:
    athlete, name, year = w.athlete(), place(w), w.academic_year - 3
    old = w.organization(f"{name}紡績", "corporate_team", "大阪府")
    new = w.organization(f"{name}ホールディングス", "corporate_team", "大阪府")
    w.variant(old.name_ja, "former", organization=new)
    w.membership(athlete, old, date(year - 3, 4, 1), date(year, 9, 30))
    w.membership(athlete, new, date(year, 10, 1), None)
    athlete.expect("MT18", "info")


@form("MT18")
def renamed_team_with_both_rows_open(w: Workshop) -> None:
    athlete, name, year = w.athlete(), place(w), w.academic_year - 3
    old = w.organization(f"{name}重工南", "corporate_team", "長崎県")
    new = w.organization(f"{name}重工", "corporate_team", "長崎県")
    w.variant(old.name_ja, "former", organization=new)
    w.membership(athlete, old, date(year - 3, 4, 1), None)
    w.membership(athlete, new, date(year, 9, 1), None)
    athlete.expect("MT18", "info")
    athlete.tolerated |= {"MT01", "MT04"}


@form("MT18")
def same_inferred_start_and_no_end(w: Workshop) -> None:
    entry = w.academic_year - 8
    athlete, _university = student(w, entry)
    first = pick(w, "corporate_team")
    w.membership(athlete, first, date(entry + 4, 4, 1), None)
    w.membership(athlete, pick(w, "corporate_team", first), date(entry + 4, 4, 1), None)
    athlete.expect("MT18", "warning")
    # Whether the suppression for linked pairs covers an unlinked pair is left open.
    athlete.undecided |= {"MT01", "MT04"}


@form("MT18", people=4)
def moved_together_with_team_mates(w: Workshop) -> None:
    name, year = place(w), w.academic_year - 3
    old = w.organization(f"{name}製鋼", "corporate_team", "兵庫県")
    new = w.organization(f"{name}マテリアル", "corporate_team", "兵庫県")
    for joined in (5, 4, 3, 3):
        athlete = w.athlete()
        w.membership(athlete, old, date(year - joined, 4, 1), date(year, 9, 30))
        w.membership(athlete, new, date(year, 10, 1), None)
        athlete.expect("MT18", "info", "warning")
