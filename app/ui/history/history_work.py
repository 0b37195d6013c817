"""Lane functions of the history page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.core.history import Entry
from app.core.report import Report
from app.flows.history.export import Exported, export
from app.flows.history.export_formats import FORMATS
from app.flows.history.history import everything, past
from app.flows.workspace import Workspace

PAGE = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of entries, the number that match `words`, and the number of all."""

    words: str
    entries: tuple[Entry, ...]
    total: int
    whole: int


def look(workspace: Workspace, words: str, report: Report, *, limit: int = PAGE) -> Listed:
    """The newest entries with these words."""
    found = past(workspace, words, report, limit=limit)
    whole = past(workspace, "", report, limit=0).total if words.strip() else found.total
    return Listed(words, found.entries, found.total, whole)


def look_on(workspace: Workspace, words: str, before: Entry, report: Report) -> Listed:
    """The entries with these words that are older than one of them."""
    found = past(workspace, words, report, limit=PAGE, before=before)
    return Listed(words, found.entries, found.total, -1)


def export_listed(workspace: Workspace, words: str, kind: str, output: Path, report: Report) -> Exported:
    """Export all entries with these words."""
    return export(workspace, everything(workspace, words, report), kind, output, report)


def suffix_of(kind: str) -> tuple[str, str]:
    """A format's title and the suffix of its files."""
    return next((one.title, one.suffix) for one in FORMATS if one.key == kind)
