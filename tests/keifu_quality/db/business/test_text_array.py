"""Array literals mean to PostgreSQL what they mean to Python."""

import pytest
from sqlalchemy import Engine

from keifu_quality.db.business.access import run_single, text_array


@pytest.mark.parametrize(
    "values",
    [
        [],
        [""],
        ["p-0001", "p-0002"],
        ['a"b', "c"],
        ["back\\slash"],
        ['"'],
        ['","'],
        ["a", '","', "b\\"],
        ["NULL", "{}", "a,b", " spaced ", "佐々木"],
    ],
)
def test_a_literal_is_read_as_the_same_texts(business: Engine, values: list[str]) -> None:
    """Quotes, separators and backslashes included."""
    [(read,)] = run_single(business, "SELECT %(texts)s::text[]", {"texts": text_array(values)})
    assert read == values
