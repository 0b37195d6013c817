"""Folders and pages shown by the programs that the person has for them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

_LIBRARIES = "LD_LIBRARY_PATH"
# Where PyInstaller's start of a bundle keeps what the variable was before.
_BEFORE = "LD_LIBRARY_PATH_ORIG"


def open_outside(url: QUrl) -> bool:
    """Have the desktop show a folder or a page; False where no program took it."""
    with as_before_the_bundle():
        return QDesktopServices.openUrl(url)


def open_folder(folder: Path) -> tuple[str, str]:
    """Have the desktop show a folder, which is made where it is not there.

    Gives two empty strings, or a sentence and a hint on why it is not shown.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        return "The folder cannot be made.", fault.strerror or ""
    if not open_outside(QUrl.fromLocalFile(str(folder))):
        return "No program opened the folder.", str(folder)
    return "", ""


@contextlib.contextmanager
def as_before_the_bundle() -> Iterator[None]:
    """While this lasts, programs that are started find the system's libraries, not the ones of a bundle (Linux).

    The processes of the bundle itself find theirs by that variable.
    """
    ours = os.environ.get(_LIBRARIES)
    if ours is None or "_PYI_ARCHIVE_FILE" not in os.environ:
        yield
        return
    if before := os.environ.get(_BEFORE):
        os.environ[_LIBRARIES] = before
    else:
        del os.environ[_LIBRARIES]
    try:
        yield
    finally:
        os.environ[_LIBRARIES] = ours
