import json
import tarfile
from pathlib import Path

import pytest

from keifu_quality.sample.archive import (
    LABELS,
    MANIFEST,
    UNLABELLED_LAYOUT,
    MalformedArchive,
    opened,
    write_directory,
    write_labels,
)
from keifu_quality.sample.roster import Roster, generate
from keifu_quality.sample.rows import LOAD_ORDER, columns


@pytest.fixture(scope="module")
def roster() -> Roster:
    return generate(60, seed=9)


def test_a_written_roster_is_opened_with_all_its_tables(roster: Roster, tmp_path: Path) -> None:
    write_directory(roster, tmp_path / "out")

    with opened(tmp_path / "out") as files:
        assert [(file.table, file.columns) for file in files] == [
            (row_type.table, columns(row_type)) for row_type in LOAD_ORDER
        ]
        for file, row_type in zip(files, LOAD_ORDER, strict=True):
            assert len(file.path.read_bytes().splitlines()) == len(roster.tables[row_type])


def test_equal_rosters_give_equal_files(roster: Roster, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_directory(generate(60, seed=9), tmp_path / name)

    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()
    }


def test_the_labels_are_json_by_slug(roster: Roster, tmp_path: Path) -> None:
    write_labels(roster, tmp_path / LABELS)

    content = json.loads((tmp_path / LABELS).read_text(encoding="utf-8"))
    assert (content["size"], content["seed"], content["asOf"]) == (60, 9, "2026-11-01")
    assert [person["slug"] for person in content["people"]] == [label.slug for label in roster.labels]
    faulty = [person for person in content["people"] if person["expected"]]
    assert all({"code", "severities"} == set(item) for person in faulty for item in person["expected"])


def test_a_directory_that_holds_something_is_not_written_to(roster: Roster, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")

    with pytest.raises(FileExistsError, match="not empty"):
        write_directory(roster, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_tar_file_is_unpacked_and_cleared_away(roster: Roster, tmp_path: Path) -> None:
    write_directory(roster, tmp_path / "out")
    with tarfile.open(tmp_path / "roster.tar.xz", "w:xz") as tar:
        tar.add(tmp_path / "out", arcname="somewhere")

    with opened(tmp_path / "roster.tar.xz") as files:
        unpacked = files[0].path
        assert unpacked.exists()
        assert len(files) == len(LOAD_ORDER)

    assert not unpacked.exists()


def test_without_a_manifest_the_fixed_layout_holds(tmp_path: Path) -> None:
    (tmp_path / "Person.tsv").write_text("")
    (tmp_path / "Membership.tsv").write_text("")

    with opened(tmp_path) as files:
        assert [(file.table, file.columns) for file in files] == [
            ("Person", UNLABELLED_LAYOUT["Person"]),
            ("Membership", UNLABELLED_LAYOUT["Membership"]),
        ]


def test_what_is_no_roster_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "text.tar").write_text("no tar")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "Person.tsv").write_text("")
    (tmp_path / "bad" / MANIFEST).write_text('{"tables": [{"table": "Person", "columns": ["id", "shoeSize"]}]}')

    for path, reason in (
        (tmp_path / "missing", "does not exist"),
        (tmp_path, "no Person.tsv"),
        (tmp_path / "text.tar", "no tar file"),
        (tmp_path / "bad", "does not have: Person"),
    ):
        with pytest.raises(MalformedArchive, match=reason), opened(path):
            pytest.fail("it was opened")
