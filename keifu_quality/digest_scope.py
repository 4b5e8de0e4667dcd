"""What two digests of an athlete must have in common besides its record, to be worth comparing.

Belongs here: the parts of a digest that are the same for every athlete. Stays out: the record
(`keifu_quality.db.content_digests`) and the rules, whose version is compared apart.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from graphs.person_diagnosis.graph import GRAPH_VERSION
from graphs.text.school_year import jst_date
from keifu_quality.app import Business
from keifu_quality.db.content_digests import DigestScope
from keifu_quality.diagnosis import SystemClock
from keifu_quality.settings import Settings


@dataclass(frozen=True, slots=True)
class Scope:
    """What digests of now are taken of: for the archive's own part, and in all as text."""

    archive: DigestScope
    identity: str


def digest_scope(settings: Settings, business: Business) -> Scope:
    """The scope of digests that are taken today, in Japan."""
    archive = DigestScope(day=jst_date(SystemClock().now()), faults=business.faults)
    payloads = _payload_identity(settings.payload_directory)
    return Scope(archive, f"{archive.identity()}:{payloads}:{GRAPH_VERSION}")


def _payload_identity(directory: Path | None) -> str:
    """Changes when a file in the directory of import payloads does."""
    if directory is None:
        return ""
    files = sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in directory.glob("*.json"))
    return hashlib.sha256(repr(files).encode()).hexdigest()[:16]
