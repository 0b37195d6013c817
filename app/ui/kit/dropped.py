"""Files that were dropped or pasted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QGuiApplication


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
