"""The files of the open documents: read into their sheets, and watched for changes on the disk."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.core.errors import PasswordNeeded
from app.core.message import Message
from app.settings.settings import MOST_RECENT
from app.ui.ask.session import DocumentState
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.core.layout import Opened
    from app.core.text import Document
    from app.flows.ask.read import FileState

_CHECK_AFTER_MS = 700
_AT_ONCE = 8  # files that are opened and read at once
CHANGED = Message("This file has changed on the disk since it was opened.")
GONE = Message("The file is not in its place any more.")


class DocumentFiles(QObject):
    """Reads files into sheets, one after another, in the lane of documents, and has their pages drawn.

    Open files are checked when the system reports a change, and when the window becomes active again. `opened` carries
    a sheet whose file was just read, `unread` a sheet whose file could not be read: it shows why, or the file as it was
    read before. `settled` is sent after either, when reading was stopped, and when a file needs its password; `failed`
    carries the fault when pages cannot be drawn.
    """

    opened = Signal(object)
    unread = Signal(object)
    settled = Signal()
    failed = Signal(object)

    def __init__(self, page: Page, sheets: Sheets) -> None:
        super().__init__(page)
        self._workspace, self._lanes, self._sheets = page.workspace, page.lanes, sheets
        self._reading: dict[Sheet, Job] = {}
        self._checking: set[Sheet] = set()
        self._states: dict[Sheet, FileState] = {}
        self._watcher = QFileSystemWatcher(self)
        self._behind: list[str] = []
        self._behind_timer = QTimer(self, interval=0, singleShot=True)
        self._behind_timer.timeout.connect(self._add_behind)
        self._timer = QTimer(self, interval=_CHECK_AFTER_MS, singleShot=True)
        self._timer.timeout.connect(self.check)
        self._watcher.fileChanged.connect(self._check_soon)
        sheets.shown.connect(self._sheet_shown)
        sheets.closing.connect(self._sheet_closing)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._application_changed)

    def open(self, paths: list[Path]) -> None:
        """Open each file as a document of its own, or show its sheet where it is open already.

        Of very many files the first is shown; the others get their tabs one by one between the window's other events,
        and are read once they are shown.
        """
        # ".." is resolved, so that each file has one path; links are not, as they have names of their own.
        absolute = [os.path.abspath(file.expanduser()) for file in paths]  # noqa: PTH100, resolve() follows links
        if len(absolute) > _AT_ONCE:
            self._behind += absolute[1:]
            self._behind_timer.start()
            del absolute[1:]
        for path in absolute:
            if not self._sheets.bring_file(path):
                sheet = self._sheets.new()
                self._read(sheet, path)
                self._sheets.shown.emit(sheet)

    @Slot()
    def _add_behind(self) -> None:
        """Add the tab of the next file that is opened behind the current one."""
        if self._behind:
            self._sheets.add_behind(self._behind.pop(0))
            self._behind_timer.start()

    def preview(self, path: str) -> Sheet:
        """Show a file's sheet, and return it; a file that is not open takes the place of the last preview."""
        if not self._sheets.bring_file(path):
            before = next((sheet for sheet in self._sheets.all() if sheet.session.is_preview), None)
            sheet = self._sheets.new()
            self._read(sheet, path)
            sheet.set_preview(True)
            self._sheets.shown.emit(sheet)
            if before is not None:
                self._sheets.drop(before)
        return self._sheets.current()

    def wake(self) -> list[Sheet]:
        """Read the files that have not been read since the start; returns the sheets whose files are being read."""
        for sheet in self._sheets.all():
            if sheet.session.state is DocumentState.ASLEEP:
                self._read(sheet, sheet.session.path)
        return [sheet for sheet in self._sheets.all() if sheet.session.state is DocumentState.LOADING]

    def reload(self, sheet: Sheet) -> None:
        """Read a sheet's file again."""
        sheet.session.place = sheet.reading_place()
        self._read(sheet, sheet.session.path)

    @Slot(str)
    def give_password(self, password: str) -> None:
        """Read the file of the current sheet with a password."""
        sheet = self._sheets.current()
        sheet.session.password = password
        self.reload(sheet)

    def stop(self, sheet: Sheet) -> bool:
        """Stop reading a sheet's file, or asking for its password; returns False where there was nothing to stop."""
        job = self._reading.get(sheet)
        if job is None:
            return self._revert(sheet)
        job.stop()
        return True

    @Slot()
    def stop_current(self) -> None:
        """Stop reading the file of the current sheet."""
        self.stop(self._sheets.current())

    @Slot()
    def close_unread(self) -> None:
        """Show the current sheet's file as it was read before, or close the sheet where it was not."""
        sheet = self._sheets.current()
        if not self._revert(sheet):
            self._sheets.close(self._sheets.all().index(sheet))

    def current_file(self) -> Document | None:
        """Return the current sheet's file; None where it is not open, or its text was edited."""
        sheet = self._sheets.current()
        opened = sheet.session.opened
        if opened is None or not sheet.is_open or sheet.current_document() is not opened:
            return None
        return opened.document

    @Slot(object)
    def _sheet_shown(self, sheet: Sheet) -> None:
        session = sheet.session
        if session.state is DocumentState.ASLEEP:
            self._read(sheet, session.path)
        # A sheet that was closed and reopened is not watched.
        if session.opened is not None and session.path not in self._watcher.files():
            self._watch(sheet)
            self._timer.start()

    @Slot(object)
    def _sheet_closing(self, sheet: Sheet) -> None:
        self._drop_job(sheet)
        self._states.pop(sheet, None)
        if sheet.session.path in self._watcher.files():
            self._watcher.removePath(sheet.session.path)

    # Reading

    def _read(self, sheet: Sheet, path: str) -> None:
        """Read a file into a sheet, whose document it replaces."""
        self._drop_job(sheet)
        page = sheet.show_opening(path, Path(path).name or path)
        from app.flows.ask.read import read_document

        password = sheet.session.password
        job = self._lanes.documents.start(
            read_document, self._workspace, Path(path), password=password, recognise=0
        )
        self._reading[sheet] = job.then(
            partial(self._done, sheet),
            partial(self._not_read, sheet),
            partial(self._stopped, sheet),
            progress=page.strip.show_progress,
        )

    def _drop_job(self, sheet: Sheet) -> None:
        if (job := self._reading.pop(sheet, None)) is not None:
            job.drop()

    def _done(self, sheet: Sheet, opened: Opened) -> None:
        del self._reading[sheet]
        sheet.show_opened(opened)
        self._draw_pages(sheet)
        self._states.pop(sheet, None)
        self._watch(sheet)
        path = opened.document.path
        recent = self._workspace.settings.recent_files
        recent[:] = [path, *(one for one in recent if one != path)][:MOST_RECENT]
        self._sheets.save_soon()
        self.opened.emit(sheet)
        self.settled.emit()

    def _not_read(self, sheet: Sheet, error: BaseException) -> None:
        del self._reading[sheet]
        session = sheet.session
        if sheet.opening is None:
            return
        if isinstance(error, PasswordNeeded):
            session.state = DocumentState.LOCKED
            sheet.opening.ask_password(session.name, error.wrong)
            self.settled.emit()
            return
        fault = fault_of(error)
        if session.opened is not None:
            sheet.show_earlier()
            sheet.banner.show_fault(fault.sentence, fault.hint, fault.report, act=tr("Try again"))
        else:
            session.state = DocumentState.FAILED
            sheet.opening.show_fault(session.name, fault.sentence, fault.hint, fault.report)
        self.unread.emit(sheet)
        self.settled.emit()

    def _stopped(self, sheet: Sheet) -> None:
        del self._reading[sheet]
        if not self._revert(sheet) and sheet in self._sheets.all():
            self._sheets.close(self._sheets.all().index(sheet))
        self.settled.emit()

    def _revert(self, sheet: Sheet) -> bool:
        """Show the document as it was read before; returns False where it was not."""
        if sheet.is_open or sheet.session.opened is None:
            return False
        sheet.show_earlier()
        self._states.pop(sheet, None)
        self._watch(sheet)
        self._timer.start()
        self.unread.emit(sheet)
        return True

    def _draw_pages(self, sheet: Sheet) -> None:
        """Have a PDF's pages drawn on demand."""
        opened = sheet.session.opened
        if opened is None or not opened.is_paged:
            return
        from app.ui.document.pdf.page_pane import PagePane
        from app.ui.document.pdf.page_pictures import PagePictures

        if isinstance(sheet.pane, PagePane):
            for before in sheet.pane.findChildren(PagePictures):
                before.close()
                before.deleteLater()
            password = sheet.session.password
            pictures = PagePictures(self._workspace, self._lanes, sheet.pane, opened, password)
            pictures.failed.connect(self.failed)

    # Changes on the disk

    @Slot()
    def _check_soon(self) -> None:
        self._timer.start()

    @Slot()
    def check(self) -> None:
        """Check whether the open files have changed on the disk."""
        from app.flows.ask.read import file_state

        for sheet in self._sheets.all():
            opened = sheet.session.opened
            if opened is not None and sheet.is_open and sheet.session.path and sheet not in self._checking:
                self._checking.add(sheet)
                job = self._lanes.files.start(file_state, opened)
                job.then(partial(self._checked, sheet), partial(self._not_checked, sheet))

    def _checked(self, sheet: Sheet, state: FileState) -> None:
        from app.flows.ask.read import FileState

        self._checking.discard(sheet)
        if sheet not in self._sheets.all() or not sheet.is_open:
            return
        before, self._states[sheet] = self._states.get(sheet, FileState.SAME), state
        if state is not FileState.GONE:
            self._watch(sheet)  # the watcher forgets a file that is replaced
        if state is before:
            return
        if state is FileState.CHANGED:
            mine = "" if sheet.current_document().sha256 else tr("What you changed here is lost then.")
            sheet.banner.show_hint(CHANGED, mine, act=tr("Read it again"))
        elif state is FileState.GONE:
            sheet.banner.show_hint(GONE, tr("What was read of it stays here until the tab is closed."))
        else:
            sheet.banner.hide()

    def _not_checked(self, sheet: Sheet, error: BaseException) -> None:
        self._checking.discard(sheet)
        fault_of(error)  # logged: a file that cannot be read counts as gone, so this is a bug

    def _watch(self, sheet: Sheet) -> None:
        # Beyond the number of files that the system lets one watch, they are checked when the window becomes active.
        if sheet.session.path and sheet.session.path not in self._watcher.files():
            self._watcher.addPath(sheet.session.path)

    @Slot(Qt.ApplicationState)
    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._timer.start()
