"""Whether a file still says what it said when it was opened."""

from __future__ import annotations

import hashlib
import stat
from enum import StrEnum
from pathlib import Path

from app.core.layout import Opened
from app.core.report import Report

_PIECE = 1 << 22


class FileState(StrEnum):
    """What has become of a file since it was opened."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


def file_state(opened: Opened, report: Report) -> FileState:
    """What has become of the file: by its time and length, and by its SHA-256 where only its time is another.

    A file that may not be read any more, or is a file no longer, counts as gone. Raises Stopped when the report says
    so.
    """
    path = Path(opened.document.path)
    try:
        now = path.stat()
        if not stat.S_ISREG(now.st_mode):  # opening a pipe would wait for somebody to write
            return FileState.GONE
        if now.st_size != opened.size:
            return FileState.CHANGED
        if now.st_mtime_ns == opened.modified:
            return FileState.SAME
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                report.check()
                digest.update(piece)
    except (OSError, ValueError):
        return FileState.GONE
    return FileState.SAME if digest.hexdigest() == opened.sha256 else FileState.CHANGED
