"""Files and folders that were dropped, pasted, or named at the start."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QGuiApplication

from app.core.report import Report

# Endings of rows, beside those of documents; anything else may be a folder or a model's zip.
_ROWS = frozenset(("jsonl", "json", "xz"))


@dataclass(slots=True)
class Given:
    """Paths by what they are: models as folders or zips, other folders, and all other files."""

    models: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


def look_like_documents(paths: list[Path]) -> bool:
    """Whether all paths have the endings of documents; the disk is not asked."""
    from app.core.kinds import TELLING, ending  # the window is painted before

    return all(ending(path.name) in TELLING | _ROWS for path in paths)


def sort_paths(paths: list[Path], report: Report) -> Given:
    """What each path is."""
    from app.flows.models.import_model import looks_like_model

    given = Given()
    for path in paths:
        kind = given.models if looks_like_model(path) else given.folders if path.is_dir() else given.files
        kind.append(path)
    return given


def local_files(source: QMimeData) -> list[Path]:
    """The files on this computer that were dropped or pasted, folders too."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]


def copied_files() -> list[Path]:
    """The files on the clipboard."""
    return local_files(QGuiApplication.clipboard().mimeData())


def take_files_only(event: QDragMoveEvent) -> None:
    """Let files be dropped here, and nothing else."""
    if local_files(event.mimeData()):
        event.acceptProposedAction()
    else:
        event.ignore()


def dropped_files(event: QDropEvent) -> list[Path]:
    """The files of a drop, which is accepted if there are any."""
    files = local_files(event.mimeData())
    if files:
        event.acceptProposedAction()
    return files
