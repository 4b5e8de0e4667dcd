"""The index of athletes on real databases."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import Engine, text

from keifu_quality.db import index_refresh
from keifu_quality.db.athlete_index import MOST_CANDIDATES, AthleteIndex
from keifu_quality.db.engine import agent_engine
from keifu_quality.db.index_refresh import IndexRefresh
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres


WAITS_TOO_LONG = """
SELECT 1 FROM pg_stat_activity
WHERE datname = current_database() AND wait_event = 'advisory' AND now() - query_start > %s::interval
"""


def shared(index: AthleteIndex, person: str) -> Mapping[str, frozenset[str]]:
    found = index.candidates_for([person]).get(person)
    return found.shared_keys if found else {}


def written(agent: Engine) -> list[tuple[str, str]]:
    """Ids and row versions: a row that is written again gets another version."""
    with agent.connect() as connection:
        rows = connection.execute(text("SELECT person_id, xmin::text FROM athlete_index ORDER BY person_id"))
        return [(row[0], row[1]) for row in rows]


class TestRefresh:
    def test_it_follows_the_archive(self, archive: Archive, agent: Engine, index: AthleteIndex) -> None:
        for person in ("p1", "p2", "p3", "p4"):
            archive.person(person, f"例山 {person}")
        assert index.refresh() == IndexRefresh(4, added=4)
        before = dict(written(agent))

        archive.execute("""UPDATE "Person" SET "displayNameJa" = '里見 朝日' WHERE id = 'p1'""")
        archive.execute("""DELETE FROM "Person" WHERE id = 'p2'""")
        archive.name_variant("v1", "旧見", personId="p3", type="former")
        archive.person("p5", "例山 五郎")
        assert index.refresh() == IndexRefresh(4, added=1, changed=2, removed=1)

        after = dict(written(agent))
        assert after.keys() == {"p1", "p3", "p4", "p5"}
        assert after["p4"] == before["p4"]
        assert [match.kind for match in index.match_name("里見朝日")] == ["written_name", "glyph_variant", "loose_name"]
        assert index.match_name("例山 p1") == []
        assert index.match_name("例山 p2") == []
        assert index.match_name("旧見")[0].person_ids == ("p3",)

    def test_without_a_change_nothing_is_written(self, archive: Archive, agent: Engine, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        index.refresh()
        before = written(agent)
        assert index.refresh() == IndexRefresh(1, up_to_date=True)
        assert written(agent) == before

    @pytest.mark.parametrize(
        "change",
        [
            """UPDATE "Person" SET slug = 'another'""",
            """UPDATE "Person" SET "displayNameKana" = 'レイヤマ'""",
            """UPDATE "Person" SET "displayNameRoman" = 'Reiyama'""",
            """UPDATE "Person" SET "displayNameEn" = 'Reiyama'""",
            """UPDATE "Person" SET "displayNameZh" = '例山'""",
            """UPDATE "NameVariant" SET value = '例川'""",
            """DELETE FROM "NameVariant\"""",
        ],
    )
    def test_every_name_counts(self, archive: Archive, index: AthleteIndex, change: str) -> None:
        archive.person("p1", "例山 一郎")
        archive.name_variant("v1", "例谷", personId="p1")
        index.refresh()
        archive.execute(change)
        assert index.refresh() == IndexRefresh(1, changed=1)

    def test_what_is_no_name_of_a_person_does_not_count(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        archive.organization("o1", "例示大学")
        index.refresh()
        archive.name_variant("v1", "例大", organizationId="o1", type="short")
        archive.execute("""UPDATE "Person" SET notes = '覚え', "updatedAt" = now()""")
        assert index.refresh().up_to_date

    def test_names_that_swap_are_a_change(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        archive.person("p2", "例山 二郎")
        index.refresh()
        archive.execute(
            """UPDATE "Person" SET "displayNameJa" = CASE id WHEN 'p1' THEN '例山 二郎' ELSE '例山 一郎' END"""
        )
        assert index.refresh().changed == 2

    def test_a_merge_takes_the_merged_away(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        archive.person("p2", "例山 一郎")
        index.refresh()
        assert shared(index, "p1").keys() == {"p2"}
        archive.execute("""DELETE FROM "Person" WHERE id = 'p2'""")
        index.refresh()
        assert shared(index, "p1") == {}
        assert index.slugs() == ["slug-p1"]

    def test_what_others_keep_in_the_index_stays(self, archive: Archive, agent: Engine, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        index.refresh()
        with agent.begin() as connection:
            connection.execute(text("UPDATE athlete_index SET content_digest = 'kept'"))
        archive.execute("""UPDATE "Person" SET "displayNameJa" = '例川 一郎'""")
        index.refresh()
        with agent.connect() as connection:
            assert connection.execute(text("SELECT content_digest FROM athlete_index")).scalar_one() == "kept"

    def test_progress_is_told(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "例山 一郎")
        archive.person("p2", "例山 二郎")
        told: list[tuple[int, int]] = []
        index.refresh(progress=lambda done, total: told.append((done, total)))
        assert told[-1] == (2, 2)

    def test_a_part_at_a_time_is_written_whole(
        self, archive: Archive, index: AthleteIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(index_refresh, "ATHLETES_PER_COPY", 2)
        for number in range(5):
            archive.person(f"p{number}", f"例山 {number}")
        told: list[tuple[int, int]] = []
        assert index.refresh(progress=lambda done, total: told.append((done, total))).added == 5
        assert told[-1] == (5, 5)
        assert len(index.slugs()) == 5
        assert index.match_name("例山 4")[0].person_ids == ("p4",)

    def test_one_waits_for_another_beyond_the_limits_of_locks_and_statements(
        self, archive: Archive, business: Engine, agent_url: str, settings: Settings
    ) -> None:
        archive.person("p1", "例山 一郎")
        impatient = agent_engine(settings.model_copy(update={"lock_timeout_ms": 50, "statement_timeout_ms": 1_000}))
        index = AthleteIndex(impatient, business)
        with (
            psycopg.connect(agent_url.replace("postgresql+psycopg", "postgresql", 1), autocommit=True) as other,
            ThreadPoolExecutor(1) as threads,
        ):
            other.execute("SELECT pg_advisory_lock(%s)", [index_refresh.ADVISORY_LOCK])
            refresh = threads.submit(index.refresh)
            while not other.execute(WAITS_TOO_LONG, ["1.2 seconds"]).fetchone():
                assert not refresh.done(), refresh.result()
            other.execute("SELECT pg_advisory_unlock(%s)", [index_refresh.ADVISORY_LOCK])
            assert refresh.result(60).added == 1


class TestCandidates:
    @pytest.mark.parametrize(
        ("mine", "other", "keys"),
        [
            ("里見 朝日", "里見朝日", {"strict", "variant", "loose"}),
            ("髙橋 見歩", "高橋見歩", {"variant", "loose"}),
            ("渡邊 例", "渡邉例", {"variant", "loose"}),
            ("𠮷田 例", "吉田 例", {"variant", "loose"}),
            ("斉藤例也", "斎藤例也", {"loose"}),
            ("イェゴマ・ヴィクター", "ヴィクター　イェゴマ", {"foreign"}),
            ("Ｓ.ミホンゲイ", "サミュエル・ミホンゲイ", {"foreign"}),
            ("二?見太郎", "二瓶見太郎", {"lost_character"}),
            ("二瓶見太郎", "二〓見太郎", {"lost_character"}),
        ],
    )
    def test_alike_names_bring_each_other_in(
        self, archive: Archive, index: AthleteIndex, mine: str, other: str, keys: set[str]
    ) -> None:
        archive.person("p1", mine)
        archive.person("p2", other)
        archive.person("p3", "全然違 男")
        index.refresh()
        assert shared(index, "p1") == {"p2": keys}
        assert shared(index, "p2") == {"p1": keys}

    @pytest.mark.parametrize(
        ("mine", "other"),
        [
            ("N/A", "N/A"),
            ("不明", "不明"),
            ("・", "・"),
            ("見部陽樹", "見部陽葵"),
            ("渡部例", "渡辺例"),
            ("二宮例", "ニ宮例"),
            ("二?見太郎", "二瓶見次郎"),
        ],
    )
    def test_others_do_not(self, archive: Archive, index: AthleteIndex, mine: str, other: str) -> None:
        archive.person("p1", mine, displayNameKana="ミベ ハルキ")
        archive.person("p2", other, displayNameKana="ミベ ハルキ")
        index.refresh()
        assert index.candidates_for(["p1", "p2"]) == {}

    def test_romanised_names_and_slugs_know_no_order(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "三谷 春人", slug="haruto-mitani", displayNameRoman="Haruto Mitani")
        archive.person("p2", "三谷 陽翔", slug="mitani-haruto", displayNameRoman="MITANI Haruto")
        archive.person("p3", "三谷 遥人", slug="person-abc-mitani", displayNameRoman="Mitani")
        archive.person("p4", "三谷 悠人", slug="mitani-abc-person")
        index.refresh()
        assert shared(index, "p1") == {"p2": {"roman", "slug"}}
        assert shared(index, "p3") == {}

    def test_many_athletes_at_once_give_the_same(self, archive: Archive, index: AthleteIndex) -> None:
        for number, name in enumerate(("里見 朝日", "里見朝日", "髙橋 例", "高橋例", "独 男")):
            archive.person(f"p{number}", name)
        index.refresh()
        people = [f"p{number}" for number in range(5)]
        together = index.candidates_for([*people, "nobody"])
        assert together.keys() == {"p0", "p1", "p2", "p3"}
        assert together == {person: found for one in people for person, found in index.candidates_for([one]).items()}

    def test_a_crowd_is_cut_and_counted(self, archive: Archive, index: AthleteIndex) -> None:
        for number in range(MOST_CANDIDATES + 5):
            archive.person(f"p{number:03}", "例山 一郎")
        archive.person("a-variant", "例山 一郞")
        index.refresh()
        found = index.candidates_for(["p000"])["p000"]
        assert len(found.shared_keys) == MOST_CANDIDATES
        assert found.strict_count == MOST_CANDIDATES + 4
        assert all("strict" in keys for keys in found.shared_keys.values())

    def test_lost_characters_that_come_later_are_seen(self, archive: Archive, index: AthleteIndex) -> None:
        archive.person("p1", "二瓶見太郎")
        index.refresh()
        assert shared(index, "p1") == {}
        archive.person("p2", "二?見太郎")
        index.refresh()
        assert shared(index, "p1") == {"p2": {"lost_character"}}
