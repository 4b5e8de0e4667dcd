import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.text.disciplines import discipline_from_text
from graphs.text.organizations import is_temporary_organization, organization_key

TYPES = ("high_school", "junior_high_school", "university", "corporate_team", "club")


@pytest.mark.parametrize(
    ("org_type", "spellings"),
    [
        ("high_school", ["例高等学校", "例高校", "例高", "例 高", "例学校高等部", "例高(2)"]),
        ("high_school", ["例大附属例ヶ丘高", "例大付属例ケ丘高校", "例大附屬例ケ丘".replace("屬", "属")]),
        ("high_school", ["例澤翔陵高(東京)", "例沢翔陵(東京)", "例沢翔陵高校（東京）"]),
        ("high_school", ["例辯学園", "例弁学園高校"]),
        ("junior_high_school", ["例中学校", "例中学", "例中"]),
        ("university", ["例大学", "例大學", "例大", "例大学大学院", "例大大学院", "例大(M2)", "例大(D3)"]),
        ("corporate_team", ["㈱例電", "例電", "株式会社例電", "例電株式会社"]),
        ("club", ["例/見本AC", "例／見本ＡＣ", "例・見本ac"]),
    ],
)
def test_spellings_of_one_organization(org_type: str, spellings: list[str]) -> None:
    assert len({organization_key(spelling, org_type) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("a", "b", "org_type"),
    [
        ("例日本体育大学", "例日本大学", "university"),
        ("例高", "例東高", "high_school"),
        ("例高(東京)", "例高(京都)", "high_school"),
        ("高", "大", "high_school"),
    ],
)
def test_different_organizations(a: str, b: str, org_type: str) -> None:
    assert organization_key(a, org_type) != organization_key(b, org_type)


def test_the_type_is_part_of_the_key() -> None:
    assert organization_key("例高", "high_school") != organization_key("例", "university")


@given(st.text(st.characters()), st.sampled_from(TYPES))
def test_no_name_raises_and_letters_are_not_lost_entirely(text: str, org_type: str) -> None:
    assert organization_key(f"例{text}", org_type).startswith(f"{org_type}:例")
    is_temporary_organization("", text, org_type)


@pytest.mark.parametrize(
    ("slug", "name", "org_type"),
    [
        ("x", "例県", "prefecture_representative"),
        ("x", "例", "student_union_select"),
        ("kanto-student-union", "例", "club"),
        ("x", "例学連選抜", "university"),
        ("x", "例学生連合", "club"),
        ("x", "例選抜", "club"),
        ("x", "長野県", "club"),
        ("x", "長野県代表", "club"),
    ],
)
def test_temporary(slug: str, name: str, org_type: str) -> None:
    assert is_temporary_organization(slug, name, org_type)


@pytest.mark.parametrize(
    ("name", "org_type"),
    [("例大学", "university"), ("長野県庁", "company"), ("長野陸協", "club"), ("青森", "high_school")],
)
def test_not_temporary(name: str, org_type: str) -> None:
    assert not is_temporary_organization("x", name, org_type)


@pytest.mark.parametrize(
    ("text", "discipline"),
    [
        ("ハーフ", "half_marathon"),
        ("Half Marathon", "half_marathon"),
        ("ﾊｰﾌﾏﾗｿﾝ", "half_marathon"),
        ("half_marathon", "half_marathon"),
        ("10000m", "m10000"),
        ("１００００ｍ", "m10000"),
        ("10,000m", "m10000"),
        ("男子5000メートル", "m5000"),
        ("3000mSC", "m3000sc"),
        ("3000m障害", "m3000sc"),
        ("フルマラソン", "marathon"),
        ("10マイル", "ten_mile"),
        ("10km", None),
        ("10kmロード", None),
        ("", None),
    ],
)
def test_discipline(text: str, discipline: str | None) -> None:
    assert discipline_from_text(text) == discipline
