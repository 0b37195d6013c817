"""Files that were dropped or pasted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData


def local_files(source: QMimeData) -> list[Path]:
    """The files on this computer that were dropped or pasted, folders too."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
