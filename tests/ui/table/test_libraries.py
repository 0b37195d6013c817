"""A table's files are listed again a moment after some were read, the less often the more there are."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.ui.table import libraries
from app.ui.table.libraries import TableLibraries

FILE = LibraryFile(1, "/docs/a.txt", FileState.READ)


class Many(QObject):
    """What a page hears of a library of 1,000 files."""

    changed = Signal()
    progressed = Signal()
    read = Signal(object)
    added = Signal(object)
    all = ((Library(1, "Many"), LibraryStatus({FileState.READ: 1000})),)


def test_many_files_are_not_listed_for_each_that_is_read(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "_FILES_AFTER_MS", 10)
    many = Many()
    files = TableLibraries(many, many)  # type: ignore[arg-type]
    told: list[float] = []
    files.files_changed.connect(lambda: told.append(time.perf_counter()))
    while len(told) < 3:
        many.read.emit(FILE)
        many.changed.emit()
        qtbot.wait(2)
    assert min(told[1] - told[0], told[2] - told[1]) > 0.15  # coarse timers are off by a twentieth
    many.read.emit(FILE)
    qtbot.waitUntil(lambda: len(told) == 4)
