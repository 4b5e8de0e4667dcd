"""A small invented archive for the tests of the reader."""

import pytest

from tests.keifu_quality.db.archive import Archive


@pytest.fixture
def filled(archive: Archive) -> Archive:
    """One athlete with a row in every table, and an opponent."""
    archive.source("s1", reliability=5)
    archive.organization("o1", "例示大学", prefecture="長野県", shortName="例大")
    archive.name_variant("v2", "旧例示大学", organizationId="o1", type="former")
    archive.person(
        "p1",
        "里見 朝日",
        slug="asahi-satomi",
        displayNameKana="サトミ アサヒ",
        displayNameRoman="Asahi Satomi",
        birthDate="2003-06-15 00:00:00",
        heightCm=170,
        notes="覚え",
    )
    archive.membership(
        "m1",
        "p1",
        "o1",
        startDate="2022-04-01 00:00:00",
        endYear=2026,
        cohort="2026",
        faculty="文学部",
        sourceId="s1",
    )
    archive.personal_best("b1", "p1", "m5000", "13:45.60", markMillis=825_600, organizationId="gone", sourceId="s1")
    archive.race("r1", year=2025, starts_on="2025-01-02 00:00:00", distanceMeters=21_300)
    archive.result("x1", "p1", "r1", organizationId="o1", mark="1:01:02", markMillis=3_662_000, rank=3, gradeAtRace=3)
    archive.name_variant("v1", "さとみ", personId="p1", type="short", language="ja")
    archive.reference("f1", "p1", "s1", displayNameJa="里見　朝日", displayNameKana="サトミアサヒ")
    archive.person("p2", "例田 次郎")
    archive.result("x2", "p2", "r1", mark="DNS", updatedAt="2026-07-03 00:00:00")
    archive.relation_cache("k1", "p1", {"personId": "p1", "topRelations": [{"relatedPersonId": "p2"}]})
    return archive
