"""Names as real lists print them, from rows in PostgreSQL to the findings of the identity rules."""

from collections.abc import Iterator, Mapping

import pytest

from graphs.rules.configuration import RuleConfiguration
from graphs.rules.rule import RuleContext
from graphs.text.school_year import jst_date
from keifu_quality.app import open_agent, open_business, open_index, open_reader
from keifu_quality.diagnosis import SystemClock
from keifu_quality.evaluation import evaluate_roster
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres


@pytest.fixture
def archive(business_owner_url: str) -> Iterator[Archive]:
    made = Archive(business_owner_url)
    yield made
    made.close()


def identity_codes(settings: Settings) -> Mapping[str, set[str]]:
    """The codes of the family person_normalization by slug."""
    now = SystemClock().now()
    context = RuleContext(today=jst_date(now), now=now, configuration=RuleConfiguration())
    with open_agent(settings) as agent, open_business(settings) as business:
        index = open_index(business, agent)
        index.refresh()
        reader = open_reader(settings, business, agent, index)
        return {
            evaluated.slug: {finding.code for finding in evaluated.findings if finding.code.startswith("PN")}
            for evaluated in evaluate_roster(reader, [person_id for person_id, _ in index.people()], context)
        }


def test_fifteen_people_without_a_name_are_not_fifteen_doubles(settings: Settings, archive: Archive) -> None:
    for number in range(15):
        archive.person(f"n{number}", "N/A", slug=f"nobody-{number}", birthDate="2004-05-06")

    assert identity_codes(settings) == {f"nobody-{number}": {"PN16"} for number in range(15)}


@pytest.mark.parametrize(
    ("printed", "codes"),
    [
        pytest.param("見例颯太(17)", {"PN02", "PN13"}, id="age"),
        pytest.param("見例颯太(M1)", {"PN02", "PN13"}, id="grade of a master's student"),
        pytest.param("見例颯太(D3)", {"PN02", "PN13"}, id="grade of a doctoral student"),
        pytest.param("見例颯太（例示大）", {"PN02", "PN13"}, id="home university"),
        pytest.param("見例 颯太", {"PN02", "PN12"}, id="blank"),
    ],
)
def test_what_a_list_adds_to_a_name_hides_nobody(
    settings: Settings, archive: Archive, printed: str, codes: set[str]
) -> None:
    archive.person("a", "見例颯太", slug="plain")
    archive.person("b", printed, slug="printed")

    assert identity_codes(settings) == {"plain": {"PN02"}, "printed": codes}


def test_half_width_katakana_is_the_same_name(settings: Settings, archive: Archive) -> None:
    archive.organization("o", "例示大学")
    for number, name in enumerate(("サミュエル・ミホンゲイ", "ｻﾐｭｴﾙ･ﾐﾎﾝｹﾞｲ")):
        person = archive.person(str(number), name, slug=f"mihongei-{number}")
        archive.membership(f"m{number}", person, "o", startDate="2022-04-01", endDate="2026-03-31")

    assert identity_codes(settings) == {"mihongei-0": {"PN01", "PN05"}, "mihongei-1": {"PN01", "PN05", "PN13"}}


def test_namesakes_of_one_prefecture_stay_two(settings: Settings, archive: Archive) -> None:
    archive.race("r1", starts_on="2023-12-24")
    archive.insert("Race", "r2", competitionEditionId="r1-e", slug="r2", name="2区", discipline="ekiden_leg", leg=2)
    for number, race in enumerate(("r1", "r2")):
        archive.organization(f"o{number}", f"架空{number}高校", "high_school", prefecture="長野県")
        archive.person(f"p{number}", "例見太郎", slug=f"reimi-{number}")
        archive.result(f"s{number}", f"p{number}", race, organizationId=f"o{number}", mark="29:30", markMillis=1770000)

    assert identity_codes(settings) == {"reimi-0": {"PN03"}, "reimi-1": {"PN03"}}
