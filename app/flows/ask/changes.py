"""Whether a file has changed since it was opened."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from app.core.layout import Opened
from app.core.report import Report
from app.documents.same_bytes import holds_same_bytes


class FileState(StrEnum):
    """A file's state compared with when it was opened."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


def file_state(opened: Opened, report: Report) -> FileState:
    """The state of the opened file, by `holds_same_bytes`.

    A file that cannot be read any more, or is no longer a file, counts as gone. Raises Stopped when the report says
    so.
    """
    path = Path(opened.document.path)
    try:
        same = holds_same_bytes(path, opened.modified, opened.size, opened.sha256, report.check)
    except (OSError, ValueError):
        return FileState.GONE
    return FileState.SAME if same else FileState.CHANGED
