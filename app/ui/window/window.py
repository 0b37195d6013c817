"""The main window: the rail, the pages, the status line, and the keys that work everywhere."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from app.core.about import NAME
from app.core.errors import SpanlightError
from app.core.report import Report
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.dropped import accept_files_only, dropped_files
from app.ui.kit.jobs import Lanes
from app.ui.kit.libraries import Libraries
from app.ui.kit.messages import Fault, fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.page import FirstPaint, Page
from app.ui.kit.parts import Scrolling
from app.ui.kit.spoken import install_roles
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr
from app.ui.window.drops import Drops
from app.ui.window.idle import IdleEmbedding, IdleFilling, IdleImports, IdlePreparation, IdleUnloading
from app.ui.window.network import NetworkSwitch
from app.ui.window.pages import APART, FOOT, KEYS, PAGES, keys_of, make_page
from app.ui.window.rail import Rail
from app.ui.window.reader import Reader
from app.ui.window.shortcuts_help import ShortcutsHelp, key_groups
from app.ui.window.status_line import StatusLine
from app.ui.window.upkeep import LargeFolder, Upkeep

_log = logging.getLogger(__name__)
# Pages that take no documents: files dropped on them are opened on the Ask page.
_WITHOUT_FILES = ("follow", "inspect", "history", "settings", "about")


class JobNotices(QObject):
    """Shows the notices of jobs, such as that memory ran out, until the next job begins or they are closed."""

    def __init__(self, lanes: Lanes, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self._notice, self._lane = notice, lanes.work
        self._sentences: list[str] = []
        for lane in (lanes.work, lanes.files, lanes.network):
            lane.noticed.connect(self._show)
        notice.closed.connect(self._closed)

    @Slot(str)
    def _show(self, sentence: str) -> None:
        if not self._sentences:
            self._lane.begun.connect(self._work_begun, Qt.ConnectionType.SingleShotConnection)
        if sentence not in self._sentences:
            self._sentences.append(sentence)
        self._notice.show_hint(joined_sentences(self._sentences))

    @Slot()
    def _work_begun(self) -> None:
        if self._sentences and self._notice.sentence() == joined_sentences(self._sentences):
            self._notice.hide()
        self._sentences.clear()

    @Slot()
    def _closed(self) -> None:
        self._sentences.clear()


def joined_sentences(sentences: Sequence[str]) -> str:
    """Join sentences: a common beginning is kept once, and of those that differ only in a number the last one."""
    ends: dict[str, dict[str, str]] = {}
    for sentence in sentences:
        begin, colon, end = sentence.partition(": ")
        kind = re.sub(r"\d+", "0", end)
        of_these = ends.setdefault(begin + colon, {})
        of_these.pop(kind, None)
        of_these[kind] = end
    rows = ((begin, list(kinds.values())) for begin, kinds in ends.items())
    return " ".join(
        begin + "; ".join([*(end.removesuffix(".") for end in row[:-1]), row[-1]]) for begin, row in rows
    )


class MainWindow(QMainWindow):
    """The window, which opens at once; `start_soon` has the reader loaded behind it.

    `start_again` is sent when another window is to open in place of this one, in another language.
    """

    start_again = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        install_roles()
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.pages: dict[str, Page] = {}
        self._areas: dict[str, Scrolling] = {}
        self._current = self._before = ""
        self._filling = self._filling_other = ""  # how far the current table is filled, and another one
        self._closed = False
        self.setWindowTitle(NAME)
        self.setAcceptDrops(True)
        self.rail = Rail(theme, PAGES)
        self.rail.chosen.connect(self.show_page)
        self.status = StatusLine(theme)
        self.libraries = Libraries(workspace, lanes, self)
        self.notice = Notice(theme)
        self._stack = QStackedWidget()
        self.large_folder = LargeFolder(theme, self.libraries)
        self.reader = Reader(workspace, lanes, self.status, self)
        self.idle_unloading = IdleUnloading(workspace, lanes, self.reader, self)
        self.idle_preparation = IdlePreparation(workspace, lanes, self.reader, self)
        self.network = NetworkSwitch(workspace, lanes, self.status.network, self)
        self.job_notices = JobNotices(lanes, self.notice, self)
        self.idle_embedding = IdleEmbedding(workspace, lanes, self.libraries, self)
        self.idle_filling = IdleFilling(workspace, lanes, self.libraries, self.reader, self)
        self.upkeep = Upkeep(self.libraries, self)
        self.drops = Drops(lanes, self)
        self.painted = FirstPaint(self)
        self.idle_imports = IdleImports(self)
        if sys.platform == "darwin":
            self._add_about_action()
        self.reader.failed.connect(self.show_fault)
        self.reader.loaded.connect(self._look_at_table)
        self.libraries.updated.connect(self._look_at_table)
        self.idle_filling.progressed.connect(self._show_other_filling)
        self.status.pause.clicked.connect(self.idle_filling.pause)
        self.network.failed.connect(self.show_fault)
        self.network.changed.connect(self._settings_changed)
        self.drops.models.connect(self._models_dropped)
        self.drops.folders.connect(self._folders_dropped)
        self.libraries.failed.connect(self.notice.show_error)
        self.upkeep.note.connect(self.status.set_upkeep)
        self._lay_out()
        self._make_shortcuts()
        theme.changed.connect(self._bound_size)
        self._bound_size()
        self._restore()

    # Pages

    @Slot(str)
    def show_page(self, key: str) -> None:
        """Show a page, which is created when it is first shown."""
        if key not in KEYS:
            return
        self._make_page(key)
        if self._current and key not in APART:
            self.workspace.settings.last_view = key
        if key != self._current:
            self._before, self._current = self._current, key
        self.drops.enabled = key != "models"  # that page takes files of every kind itself
        self.rail.select(APART.get(key, key))
        self._stack.setCurrentWidget(self._areas[key])
        self.status.show_page(key)
        self._show_filling(self._filling)
        self.pages[key].shown()

    def _make_page(self, key: str) -> None:
        """Create a page, unless it is there."""
        if key in self.pages:
            return
        page = make_page(key, self.workspace, self.theme, self.lanes, self.libraries)
        page.note.connect(partial(self.status.set_note, key))
        page.lost.connect(self.reader.start)
        page.go.connect(self.go)
        page.changed.connect(self._settings_changed)
        if key == "ask":
            self.idle_preparation.current_file = page.files.current_file  # type: ignore[attr-defined]
            for signal in (page.sheets.shown, page.files.opened):  # type: ignore[attr-defined]
                signal.connect(self.idle_preparation.look)
        if key == "table":
            page.filling.progressed.connect(self._show_filling)  # type: ignore[attr-defined]
            page.filling.changed.connect(self.idle_filling.look)  # type: ignore[attr-defined]
            self.status.pause.clicked.connect(page.filling.stop)  # type: ignore[attr-defined]
        if key == "settings":
            page.start_again.connect(self.start_again)  # type: ignore[attr-defined]
        if key == "about":
            page.closed.connect(self._go_back)  # type: ignore[attr-defined]
        self.pages[key] = page
        # A page never gets smaller than its parts can be: in a small window with large text it is scrolled.
        self._areas[key] = Scrolling(page, sideways=True)
        self._areas[key].setFocusProxy(page)
        self._stack.addWidget(self._areas[key])
        self.theme.refresh()

    @Slot()
    def _look_at_table(self) -> None:
        """Have the current table filled further where the page that does so was not shown yet."""
        settings = self.workspace.settings
        is_wanted = bool(settings.last_table) and not settings.table_paused
        if is_wanted and self.reader.is_loaded and "table" not in self.pages:
            job = self.lanes.files.start_aside(_is_incomplete, self.workspace, settings.last_table)
            job.then(self._fill_table)

    @Slot(object)
    def _fill_table(self, is_incomplete: bool) -> None:
        if is_incomplete:
            self._make_page("table")

    @Slot(str)
    def _show_filling(self, words: str) -> None:
        """Show how far the table is filled, except on its own page, which shows that itself, or else another table."""
        self._filling = words
        self.status.set_filling((words if self._current != "table" else "") or self._filling_other)

    @Slot(str)
    def _show_other_filling(self, words: str) -> None:
        self._filling_other = words
        self._show_filling(self._filling)

    @Slot(str, object)
    def go(self, key: str, argument: object) -> None:
        """Show a page, and hand it what another page has sent."""
        self.show_page(key)
        if argument is not None:
            self.page.receive(argument)

    @Slot()
    def show_about(self) -> None:
        """Show the About page, which returns to the page before."""
        self.show_page("about")

    @Slot()
    def _go_back(self) -> None:
        self.show_page(self._before)

    def _add_about_action(self) -> None:
        """Add the action that macOS shows in the application's own menu."""
        action = QAction(tr("About Spanlight"), self)
        action.setMenuRole(QAction.MenuRole.AboutRole)
        action.triggered.connect(self.show_about)
        self.menuBar().addMenu(NAME).addAction(action)

    @Slot(list)
    def _models_dropped(self, paths: list[Path]) -> None:
        self.go("models", paths)

    @Slot(list)
    def _folders_dropped(self, paths: list[Path]) -> None:
        """Make a library of folders, on the Ask page where the current page does not take any."""
        if self._current not in ("ask", "table"):
            self.show_page("ask")
        self.page.open_files(paths)

    @property
    def page(self) -> Page:
        """The current page."""
        return self.pages[self._current]

    def open_files(self, paths: list[Path]) -> None:
        """Open files on the Ask page."""
        self.show_page("ask")
        self.page.open_files(paths)

    @Slot(list, str)
    def come_up(self, paths: list[Path], token: str = "") -> None:
        """Come to the front with the desktop's activation token, and open files on the Ask page."""
        from app.ui.window.front import bring_up

        bring_up(self, token)
        if paths:
            self.open_files(paths)

    # Settings and faults

    @Slot(str)
    def _settings_changed(self, what: str) -> None:
        for page in self.pages.values():
            if page is not self.sender():
                page.settings_changed()
        self.network.settings_changed()
        self.reader.settings_changed(what)
        self.idle_embedding.settings_changed(what)
        if what == "unload_minutes":
            self.idle_unloading.look()

    @Slot(object)
    def show_fault(self, fault: Fault) -> None:
        """Show a fault that belongs to no page above the pages."""
        self.notice.show_fault(fault.sentence, fault.hint, fault.report)

    # Keys, files dropped, the end

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.fit_window()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """On Esc stop the page's work, or close the notice; keys that the page did not take arrive here."""
        if event.key() == Qt.Key.Key_Escape:
            if not self.page.stop() and self.notice.isVisible():
                self.notice.hide()
            event.accept()
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        accept_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files on the current page, or on the Ask page where that takes none."""
        if files := dropped_files(event):
            if self._current in _WITHOUT_FILES:
                self.open_files(files)
            else:
                self.page.open_files(files)

    @Slot()
    def show_help(self) -> None:
        """Show the shortcuts."""
        pages = tuple((place.key, place.title) for place in PAGES)
        sheet = ShortcutsHelp(self.theme, key_groups(pages, self.page.TITLE, self.page.SHORTCUTS), self)
        sheet.about_requested.connect(self.show_about)
        sheet.open()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work, save what was typed, and end the model process."""
        if not self._closed:
            self._closed = True
            self.keep()
            self.hide()
            self.lanes.close()
            self.workspace.close()
        event.accept()

    @Slot()
    def keep(self) -> None:
        """Save what was typed and answered, and the settings; faults are logged."""
        geometry = self.saveGeometry().toBase64().data()
        self.workspace.settings.geometry = bytes(geometry).decode("ascii")
        self.lanes.files.finish_writes()
        for page in self.pages.values():
            try:
                page.keep()
            except SpanlightError as error:
                _log.error("not kept: %s", error)
            except Exception as error:  # a bug in one page must not cost the data of the others
                fault_of(error)
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            _log.error("settings not kept: %s", error)

    def _restore(self) -> None:
        settings = self.workspace.settings
        if not settings.geometry or not self.restoreGeometry(
            QByteArray.fromBase64(QByteArray(settings.geometry.encode("ascii", "ignore")))
        ):
            available = self.screen().availableGeometry().size()
            self.resize(QSize(1320, 860).boundedTo(available * 0.92))
        known = [place.key for place in PAGES if place.group != FOOT]
        self.show_page(settings.last_view if settings.last_view in known else known[0])

    def _lay_out(self) -> None:
        theme = self.theme
        right = column(theme, self.notice, self.large_folder, (self._stack, 1))
        whole = QWidget()
        # The status line is added first: Tab goes round, and reaches it after the pages, which are added later.
        outer = column(theme, self.status, parent=whole)
        outer.insertLayout(0, row(theme, self.rail, (right, 1)), 1)
        self.setCentralWidget(whole)

    def _make_shortcuts(self) -> None:
        for at, place in enumerate(PAGES, 1):
            if keys := keys_of(at, place.key):
                shortcut = QShortcut(QKeySequence(keys), self)
                shortcut.setProperty("page", place.key)
                shortcut.activated.connect(self._go)
        for keys, slot in (("F1", self.show_help), ("?", self.show_help), ("Ctrl+Q", self.close)):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)

    @Slot()
    def _go(self) -> None:
        self.show_page(self.sender().property("page"))

    @Slot()
    def _bound_size(self) -> None:
        least = QSize(self.theme.step(190), self.theme.step(120))
        self.setMinimumSize(least.boundedTo(self.screen().availableGeometry().size()))

    def start_soon(self) -> None:
        """Load the reader, and what the other pages need, once the window has been painted."""
        self.drops.watch()
        self.painted.first.connect(self._first_painted)

    @Slot()
    def _first_painted(self) -> None:
        if (fault := self.workspace.storage_fault()) is not None:
            self.notice.show_fault(fault.message, fault.hint)
        self.reader.start()
        self.idle_imports.start()
        self.libraries.refresh()
        self.page.painted()


def _is_incomplete(workspace: Workspace, table: int, report: Report) -> bool:
    # Imported in the lane: in the window's thread that would delay the start.
    from app.flows.answer_table.fill import is_incomplete

    return is_incomplete(workspace, table, report)
