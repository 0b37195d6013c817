"""Whether a file still says what it said when it was opened."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from app.core.layout import Opened
from app.core.report import Report
from app.documents.same_bytes import holds_same_bytes


class FileState(StrEnum):
    """What has become of a file since it was opened."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


def file_state(opened: Opened, report: Report) -> FileState:
    """What has become of the file, as `holds_same_bytes` tells.

    A file that may not be read any more, or is a file no longer, counts as gone. Raises Stopped when the report says
    so.
    """
    path = Path(opened.document.path)
    try:
        same = holds_same_bytes(path, opened.modified, opened.size, opened.sha256, report.check)
    except (OSError, ValueError):
        return FileState.GONE
    return FileState.SAME if same else FileState.CHANGED
