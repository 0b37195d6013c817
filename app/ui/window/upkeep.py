"""Keeps the libraries up to date while the window is open, and shows the progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core.wording import INDEXED_ANEW, size
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.libraries import Libraries
from app.ui.kit.progress_strip import in_words
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.flows.library.libraries import Plan

# The least seconds between two looks at the files of all libraries.
_LEAST_BETWEEN = 60.0
_RESULT_SHOWN_MS = 30_000


class LargeFolder(Confirmation):
    """Asks whether a folder with very many files is to be read, one such folder after another."""

    def __init__(self, theme: Theme, libraries: Libraries) -> None:
        super().__init__(theme, tr("Read them"), tr("Not now"), kind="primary", is_band=True)
        self._libraries = libraries
        self._waiting: list[Plan] = []
        libraries.large.connect(self._add)
        self.confirmed.connect(self._read)
        self.cancelled.connect(self._next)

    @Slot(object)
    def _add(self, plan: Plan) -> None:
        self._waiting.append(plan)
        self._show()

    @Slot()
    def _read(self) -> None:
        self._libraries.carry_out(self._waiting[0])
        self._next()

    @Slot()
    def _next(self) -> None:
        del self._waiting[:1]
        self._show()

    def _show(self) -> None:
        if self._waiting:
            library, walk = self._waiting[0].library, self._waiting[0].walk
            of_folder = {"library": library.name, "n": len(walk.files), "size": size(walk.size)}
            self.ask(
                tr(
                    "“{library}” has {n:,} new document, {size}. Read all of them?",
                    "“{library}” has {n:,} new documents, {size}. Read all of them?",
                    **of_folder,
                )
                if library.number
                else tr(
                    "“{library}” has {n:,} document, {size}. Read all of them?",
                    "“{library}” has {n:,} documents, {size}. Read all of them?",
                    **of_folder,
                )
            )


class Upkeep(QObject):
    """Updates all libraries once they are listed, and when the application becomes active, at most once a minute.

    `note` carries a note for the status line: the progress of an update, then for a while its result; empty for none.
    """

    note = Signal(str)

    def __init__(self, libraries: Libraries, parent: QObject) -> None:
        super().__init__(parent)
        self._libraries = libraries
        self._updated_at = 0.0
        self._result = ""
        self._timer = QTimer(self, interval=_RESULT_SHOWN_MS, singleShot=True)
        self._timer.timeout.connect(self._clear_result)
        libraries.listed.connect(self._first_listed)
        libraries.progressed.connect(self._show)
        libraries.reported.connect(self._show_result)

    @Slot()
    def _first_listed(self) -> None:
        self._libraries.listed.disconnect(self._first_listed)
        self._update()
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._application_changed)

    @Slot(Qt.ApplicationState)
    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._libraries.refresh()  # a command may have added one
            if time.monotonic() - self._updated_at >= _LEAST_BETWEEN:
                self._update()

    def _update(self) -> None:
        self._updated_at = time.monotonic()
        self._libraries.update_all()

    @Slot(str)
    def _show_result(self, words: str) -> None:
        self._result = words
        self._timer.start()
        self._show()

    @Slot()
    def _clear_result(self) -> None:
        self._result = ""
        self._show()

    @Slot()
    def _show(self) -> None:
        for library, _ in self._libraries.all:
            progress = self._libraries.progress_of(library)
            if progress is not None and progress.total:
                if progress.what == INDEXED_ANEW:
                    what = tr("Indexing {library} anew", library=library.name)
                else:
                    what = tr("Reading {library}", library=library.name)
                self.note.emit(in_words(what, progress))
                return
        self.note.emit(self._result)
