"""The worked examples of the text layer, kept as JSON beside the tests."""

import json
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data"


def load(name: str) -> Any:
    """Return the parsed examples of one file."""
    return json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
