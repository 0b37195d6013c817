"""Files and folders that were dropped, pasted, or named on the command line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QByteArray, QMimeData, QUrl
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QGuiApplication

from app.core.report import Report

# Endings of files with rows of examples.
_ROWS = frozenset(("jsonl", "json", "xz"))


@dataclass(slots=True)
class SortedPaths:
    """Paths by what they are: models (folders or zips), other folders, and all other files."""

    models: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


def look_like_documents(paths: list[Path]) -> bool:
    """Whether all paths end like documents or rows, not like folders or zips; the disk is not read."""
    from app.core.kinds import DISTINCTIVE_ENDINGS, ending  # not needed until the window is painted

    return all(ending(path.name) in DISTINCTIVE_ENDINGS | _ROWS for path in paths)


def sort_paths(paths: list[Path], report: Report) -> SortedPaths:
    """Sort paths by what they are, which reads the disk."""
    from app.flows.models.import_model import looks_like_model

    found = SortedPaths()
    for path in paths:
        kind = found.models if looks_like_model(path) else found.folders if path.is_dir() else found.files
        kind.append(path)
    return found


def local_files(source: QMimeData) -> list[Path]:
    """The files and folders on this computer that were dropped or copied."""
    return [_path_of(url) for url in source.urls() if url.isLocalFile()]


def _path_of(url: QUrl) -> Path:
    path = url.toLocalFile()
    if "\ufffd" in path and os.name == "posix":  # what Qt has for bytes of a name that are no UTF-8
        encoded = url.path(QUrl.ComponentFormattingOption.FullyEncoded).encode()
        path = os.fsdecode(bytes(QByteArray.fromPercentEncoding(encoded).data()))
    return Path(path)


def copied_files() -> list[Path]:
    """The files on the clipboard."""
    return local_files(QGuiApplication.clipboard().mimeData())


def accept_files_only(event: QDragMoveEvent) -> None:
    """Accept a drag if it carries files, and nothing else."""
    if local_files(event.mimeData()):
        event.acceptProposedAction()
    else:
        event.ignore()


def dropped_files(event: QDropEvent) -> list[Path]:
    """Return the files of a drop, which is accepted if there are any."""
    files = local_files(event.mimeData())
    if files:
        event.acceptProposedAction()
    return files
