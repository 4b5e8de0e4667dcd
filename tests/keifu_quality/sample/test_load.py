from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from keifu_quality.dsn import parse_dsn
from keifu_quality.sample.archive import write_directory
from keifu_quality.sample.load import SampleLoadRefused, load_directory, load_roster
from keifu_quality.sample.roster import Roster, generate
from keifu_quality.sample.rows import LOAD_ORDER, ImportBatch, Person

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def roster() -> Roster:
    return generate(900, seed=3)


def contents(url: str) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(parse_dsn(url).libpq()) as connection:
        return {
            row_type.table: connection.execute(
                sql.SQL("SELECT * FROM {} ORDER BY id").format(sql.Identifier(row_type.table))
            ).fetchall()
            for row_type in LOAD_ORDER
        }


def test_every_row_arrives_and_every_reference_holds(roster: Roster, business_owner_url: str) -> None:
    told: list[tuple[str, int, int]] = []

    loaded = load_roster(roster, business_owner_url, progress=lambda *step: told.append(step))

    assert {item.table: item.rows for item in loaded} == {
        row_type.table: len(rows) for row_type, rows in roster.tables.items()
    }
    assert told[-1][1] == told[-1][2] == sum(len(rows) for rows in roster.tables.values())


def test_files_give_the_same_database_as_the_generator(roster: Roster, business_owner_url: str, tmp_path: Path) -> None:
    load_roster(roster, business_owner_url)
    straight = contents(business_owner_url)
    write_directory(roster, tmp_path / "roster")

    load_directory(tmp_path / "roster", business_owner_url, replace=True)

    assert contents(business_owner_url) == straight


def test_a_loaded_sample_is_replaced_only_when_asked(business_owner_url: str) -> None:
    load_roster(generate(20), business_owner_url)

    with pytest.raises(SampleLoadRefused, match="holds a sample already"):
        load_roster(generate(30), business_owner_url)
    load_roster(generate(30), business_owner_url, replace=True)

    assert len(contents(business_owner_url)["Person"]) == 30


def test_an_archive_of_somebody_else_is_never_emptied(business_owner_url: str) -> None:
    load_roster(generate(20), business_owner_url)
    with psycopg.connect(parse_dsn(business_owner_url).libpq()) as connection:
        connection.execute('COMMENT ON TABLE "Person" IS NULL')

    with pytest.raises(SampleLoadRefused, match="did not load"):
        load_roster(generate(30), business_owner_url, replace=True)

    assert len(contents(business_owner_url)["Person"]) == 20


def test_a_row_that_does_not_fit_changes_nothing(business_owner_url: str, tmp_path: Path) -> None:
    write_directory(generate(20), tmp_path / "roster")
    with (tmp_path / "roster" / "RaceResult.tsv").open("ab") as file:
        file.write(b"only\tthree\tcolumns\n")

    with pytest.raises(SampleLoadRefused, match="RaceResult"):
        load_directory(tmp_path / "roster", business_owner_url)

    assert contents(business_owner_url)["Person"] == []


@pytest.mark.parametrize(
    "text", ["tab\tin it", "line\nbreak", "return\r", "back\\slash", "\\N", '"quoted"', "髙\U00020bb7"]
)
def test_any_text_arrives_as_it_was(business_owner_url: str, text: str) -> None:
    made = generate(2)
    person, batch = made.tables[Person][0], made.tables[ImportBatch][0]
    assert isinstance(person, Person)
    assert isinstance(batch, ImportBatch)
    person.display_name_ja, batch.payload = text, {"entries": [text]}

    load_roster(made, business_owner_url)

    with psycopg.connect(parse_dsn(business_owner_url).libpq()) as connection:
        assert (text,) in connection.execute('SELECT "displayNameJa" FROM "Person"').fetchall()
        assert ({"entries": [text]},) in connection.execute('SELECT "payload" FROM "ImportBatch"').fetchall()
