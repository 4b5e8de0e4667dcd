"""Whom a request means."""

import pytest

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.tools.resolve_person import resolve_person_tool
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.errors import RequestRefused
from tests.keifu_quality.db.archive import Archive
from tests.keifu_quality.db.conftest import Administer

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def people(archive: Archive, index: AthleteIndex) -> None:
    archive.person(
        "p1", "里見 朝日", slug="asahi-satomi", displayNameKana="サトミ アサヒ", displayNameRoman="Satomi Asahi"
    )
    archive.person("p2", "髙橋 見歩", slug="takahashi-2", birthDate="2003-06-15")
    archive.person("p3", "高橋見歩", slug="takahashi-3")
    archive.person("p4", "高橋 見歩", slug="takahashi-4")
    archive.person("p5", "サミュエル・ミホンゲイ", slug="samuel", displayNameEn="Samuel Mihongei")
    archive.person("p6", "斉藤例也", slug="saito")
    archive.person("p7", "・", slug="dot")
    archive.person("p8", "大野 例太", slug="ono", displayNameKana="オオノ レイタ")
    archive.name_variant("v1", "旧見 朝日", personId="p1", type="former")
    archive.organization("o1", "例示大学")
    archive.organization("o2", "例示高校", "high_school")
    archive.race("r1", year=2023)
    archive.race("r2", year=2025)
    archive.result("x1", "p2", "r1", organizationId="o2")
    archive.result("x2", "p2", "r2", organizationId="o1")
    archive.result("x3", "p3", "r2", organizationId="o1")
    index.refresh()


def slugs(reader: DatabaseReader, **request: str) -> tuple[str, ...]:
    found, count = reader.find_people(DiagnosisInput.model_validate(request), limit=20)
    assert count == len(found)
    return tuple(person.person_slug for person in found)


@pytest.mark.parametrize(
    ("name", "expected", "matched_by"),
    [
        ("里見 朝日", "asahi-satomi", "written_name"),
        ("里見朝日", "asahi-satomi", "written_name"),
        ("　里見　朝日　", "asahi-satomi", "written_name"),
        ("ｻﾐｭｴﾙ･ﾐﾎﾝｹﾞｲ", "samuel", "written_name"),
        ("サミュエル ミホンゲイ", "samuel", "written_name"),
        ("旧見朝日", "asahi-satomi", "recorded_name"),
        ("さとみ あさひ", "asahi-satomi", "reading"),
        ("オノ レイタ", "ono", "loose_reading"),
        ("Asahi SATOMI", "asahi-satomi", "romanised_name"),
        ("ＳＡＴＯＭＩ　ＡＳＡＨＩ", "asahi-satomi", "romanised_name"),
        ("ミホンゲイ サミュエル", "samuel", "foreign_form"),
        ("Ｓ.ミホンゲイ", "samuel", "foreign_initials"),
        ("齋藤例也", "saito", "loose_name"),
    ],
)
def test_a_name_is_found_in_every_form(reader: DatabaseReader, name: str, expected: str, matched_by: str) -> None:
    found, count = reader.find_people(DiagnosisInput(person_name=name), limit=20)
    assert [(person.person_slug, person.matched_by) for person in found] == [(expected, matched_by)]
    assert count == 1


@pytest.mark.parametrize("name", ["・", "　", "\u200b", "名も無き者", "%", "'"])
def test_what_is_nobodys_name_matches_nobody(reader: DatabaseReader, name: str) -> None:
    assert reader.find_people(DiagnosisInput.model_construct(person_name=name), limit=20) == ((), 0)


def test_only_the_best_kind_of_match_is_given_the_same_text_first_then_the_most_results(
    archive: Archive, index: AthleteIndex, reader: DatabaseReader
) -> None:
    archive.person("p9", "高橋見歩", slug="takahashi-1")
    index.refresh()
    assert slugs(reader, person_name="高橋 見歩") == ("takahashi-4", "takahashi-3", "takahashi-1")
    assert slugs(reader, person_name="髙橋見歩") == ("takahashi-2",)


def test_glyph_variants_are_found_where_nobody_is_written_so(reader: DatabaseReader) -> None:
    found, _ = reader.find_people(DiagnosisInput(person_name="髙槗見歩"), limit=20)
    assert [person.person_slug for person in found] == ["takahashi-2", "takahashi-3", "takahashi-4"]
    assert {person.matched_by for person in found} == {"glyph_variant"}


def test_namesakes_are_told_apart(reader: DatabaseReader) -> None:
    found, _ = reader.find_people(DiagnosisInput(person_name="髙橋 見歩"), limit=20)
    assert found == [
        PersonRef(
            person_id="p2",
            person_slug="takahashi-2",
            display_name_ja="髙橋 見歩",
            matched_by="written_name",
            organizations=("例示大学", "例示高校"),
            active_years="2023-2025",
            birth_date="2003-06-15",
            result_count=2,
        )
    ]


def test_an_open_stay_is_later_than_any_race(archive: Archive, reader: DatabaseReader) -> None:
    archive.organization("o3", "例示重工", "corporate_team")
    archive.organization("o4", "例示中学", "junior_high_school")
    archive.membership("m1", "p2", "o3", startYear=2026)
    archive.membership("m2", "p2", "o4", endDate="2018-03-31")
    [person] = reader.find_people(DiagnosisInput(person_id="p2"), limit=1)[0]
    assert person.organizations == ("例示重工", "例示大学", "例示高校")


def test_the_limit_cuts_the_list_and_not_the_count(reader: DatabaseReader) -> None:
    found, count = reader.find_people(DiagnosisInput(person_name="高橋見歩"), limit=1)
    assert [person.person_slug for person in found] == ["takahashi-3"]
    assert count == 2


def test_slug_and_id_mean_one(reader: DatabaseReader) -> None:
    assert slugs(reader, person_slug="saito") == ("saito",)
    assert slugs(reader, person_id="p6") == ("saito",)
    assert slugs(reader, person_id=" p6 ", person_slug="saito", person_name="斉藤 例也") == ("saito",)
    assert slugs(reader, person_slug="nobody") == ()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"person_id": "p1", "person_slug": "saito"}, "slug saito is that of 斉藤例也"),
        ({"person_id": "p1", "person_slug": "nobody"}, "not of the slug nobody"),
        ({"person_slug": "saito", "person_name": "里見朝日"}, "not the name 里見朝日.* name of "),
        ({"person_slug": "saito", "person_name": "無名無名"}, "not the name 無名無名; nobody has that name"),
        ({"person_name": "例" * 201}, "at most 200"),
        ({"person_name": "里\x00見"}, "The name holds what is no text"),
        ({"person_slug": "\ud800"}, "The slug holds what is no text"),
        ({"person_id": "p6\x00"}, "The id holds what is no text"),
    ],
)
def test_a_request_that_cannot_be_is_refused(reader: DatabaseReader, request_: dict[str, str], message: str) -> None:
    with pytest.raises(RequestRefused, match=message):
        slugs(reader, **request_)
    result = resolve_person_tool(DiagnosisInput.model_validate(request_), reader)
    assert result.error is not None
    assert result.error.code == "invalid_request"


def test_a_weaker_match_of_the_name_agrees_with_a_slug(reader: DatabaseReader) -> None:
    assert slugs(reader, person_slug="takahashi-2", person_name="高橋見歩") == ("takahashi-2",)


def test_without_results_people_are_still_found(reader: DatabaseReader, administer: Administer) -> None:
    administer('REVOKE SELECT ON "RaceResult" FROM keifu_reader')
    [person] = reader.find_people(DiagnosisInput(person_slug="takahashi-2"), limit=1)[0]
    assert (person.result_count, person.active_years, person.organizations) == (None, None, ())
