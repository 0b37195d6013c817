"""Opening of files as documents: progress, password, faults, and reading again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import PasswordNeeded
from app.core.report import Progress
from app.flows.workspace import Workspace
from app.settings.settings import MOST_RECENT
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

if TYPE_CHECKING:
    from app.core.layout import Opened
    from app.core.text import Document


class Choosing(QObject):
    """Lets the user choose files; `chosen` carries their paths."""

    chosen = Signal(list)

    def __init__(self, workspace: Workspace, tabs: DocumentTabs, sheets: Sheets, parent: QWidget) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._window = parent
        self._tabs = tabs
        self._sheets = sheets
        tabs.open_asked.connect(self.choose)
        tabs.recent_asked.connect(self._recent_chosen)
        sheets.recent_asked.connect(self._recent_chosen)
        self.offer()

    @Slot()
    def choose(self) -> None:
        """Show the system's dialog for files, in the folder of the file opened last."""
        from app.ui.kit.file_dialog import DOCUMENTS, open_names

        names = open_names(self._window, "Open files", self._folder(), DOCUMENTS)
        if names:
            self.chosen.emit([Path(name) for name in names])

    @Slot()
    def offer(self) -> None:
        """Offer the files opened last, the latest first."""
        recent = self._workspace.settings.recent_files
        self._tabs.set_recent(recent)
        self._sheets.offer_recent(recent)

    @Slot(str)
    def _recent_chosen(self, path: str) -> None:
        if path:
            self.chosen.emit([Path(path)])
        else:
            self._workspace.settings.recent_files.clear()
            self.offer()

    def _folder(self) -> str:
        recent = self._workspace.settings.recent_files
        if recent:
            return str(Path(recent[0]).parent)
        return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)


class Opening(QObject):
    """Reads files into sheets, one after another, in the lane of documents, and has their pages drawn.

    `opened` carries a sheet whose file has just been read, `reverted` one that shows its document as before, because
    reading it again was stopped, `unread` one whose file cannot be read; `failed` the fault when pages cannot be drawn.
    """

    opened = Signal(object)
    reverted = Signal(object)
    unread = Signal(object)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, sheets: Sheets, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._sheets = sheets
        self._jobs: dict[Job, Sheet] = {}
        sheets.paged.connect(self._draw_pages)

    def open(self, paths: list[Path]) -> None:
        """Open each file as a document of its own; one that is open already is brought to the front."""
        for path in paths:
            # “..” is resolved, so that one file has one path; links are not, as they have names of their own.
            whole = os.path.abspath(path.expanduser())  # noqa: PTH100, resolve() follows links
            if not self._sheets.bring_up(whole):
                sheet = self._sheets.new()
                self.read(sheet, whole)
                self._sheets.up.emit(sheet)

    def read(self, sheet: Sheet, path: str) -> None:
        """Read a file into a sheet, in place of its document."""
        self.forget(sheet)
        sheet.asleep = False
        page = sheet.begin_opening(path, Path(path).name or path)
        if not page.property("heard"):
            page.setProperty("heard", True)
            page.stop_asked.connect(self._stop_asked)
            page.again_asked.connect(self._again_asked)
            page.close_asked.connect(self._close_asked)
            page.password_given.connect(self._password_given)
        from app.flows.ask.read import read_document

        job = self._lanes.documents.start(read_document, self._workspace, Path(path), password=sheet.password)
        self._jobs[job] = sheet
        job.progress.connect(self._progressed)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)

    def wake(self, sheet: Sheet) -> None:
        """Read the file of a sheet that is shown for the first time."""
        if sheet.asleep:
            self.read(sheet, sheet.path)

    def file_up(self) -> Document | None:
        """The file of the current sheet, where the page shows its unchanged text."""
        sheet = self._sheets.current()
        if sheet.opened is None or not sheet.is_open or sheet.current_document() is not sheet.opened:
            return None
        return sheet.opened.document

    def reads(self, sheet: Sheet) -> bool:
        """Whether a sheet's file is being read."""
        return sheet in self._jobs.values()

    def awaited(self, sheet: Sheet) -> bool:
        """Whether a sheet's file is being read, or waits for its password."""
        page = sheet.opening
        return self.reads(sheet) or (page is not None and page.asks_password())

    def stop(self, sheet: Sheet) -> bool:
        """Stop reading a sheet's file, or cancel its password or fault; returns whether there was anything to stop."""
        job = next((job for job, of in self._jobs.items() if of is sheet), None)
        if job is not None:
            job.stop()
            return True
        return self._leave(sheet)

    def forget(self, sheet: Sheet) -> None:
        """Drop the jobs of a sheet."""
        for job in [job for job, of in self._jobs.items() if of is sheet]:
            del self._jobs[job]
            job.drop()

    @Slot(object)
    def _draw_pages(self, sheet: Sheet) -> None:
        """Have the pages of a PDF drawn on its sheet's pane on demand."""
        from app.ui.document.pdf.page_pane import PagePane
        from app.ui.document.pdf.page_pictures import PagePictures

        pane = sheet.pane
        if not isinstance(pane, PagePane):
            return
        for before in pane.findChildren(PagePictures):
            before.close()
            before.deleteLater()
        if sheet.opened is not None:
            pictures = PagePictures(self._workspace, self._lanes, pane, sheet.opened, sheet.password)
            pictures.failed.connect(self.failed)

    # Signals of jobs

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        sheet = self._sheet_of(self.sender(), over=False)
        if sheet is not None and sheet.opening is not None:
            sheet.opening.show_progress(progress)

    @Slot(object)
    def _done(self, opened: Opened) -> None:
        sheet = self._sheet_of(self.sender())
        if sheet is None:
            return
        sheet.show_opened(opened)
        path = opened.document.path
        recent = self._workspace.settings.recent_files
        recent[:] = [path, *(one for one in recent if one != path)][:MOST_RECENT]
        self._sheets.save_soon()
        self.opened.emit(sheet)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        sheet = self._sheet_of(self.sender())
        if sheet is None or sheet.opening is None:
            return
        if isinstance(error, PasswordNeeded):
            sheet.opening.ask_password(sheet.name, error.wrong)
            return
        fault = fault_of(error)
        if sheet.opened is not None:
            sheet.leave_opening()
            sheet.banner.show_fault(fault.sentence, fault.hint, fault.report, act="Try again")
        else:
            sheet.opening.show_fault(sheet.name, fault.sentence, fault.hint, fault.report)
        self.unread.emit(sheet)

    @Slot()
    def _stopped(self) -> None:
        sheet = self._sheet_of(self.sender())
        if sheet is not None and not self._leave(sheet) and sheet in self._sheets.all():
            self._sheets.close(self._sheets.all().index(sheet))

    def _leave(self, sheet: Sheet) -> bool:
        """Show the document of an earlier reading again; False without one."""
        if sheet.opening is None or sheet.opened is None:
            return False
        sheet.leave_opening()
        self.reverted.emit(sheet)
        return True

    def _sheet_of(self, job: QObject | None, *, over: bool = True) -> Sheet | None:
        if not isinstance(job, Job):
            return None
        return self._jobs.pop(job, None) if over else self._jobs.get(job)

    # The user's actions

    @Slot()
    def _stop_asked(self) -> None:
        if (sheet := self._shown_by(self.sender())) is not None:
            self.stop(sheet)

    @Slot()
    def _again_asked(self) -> None:
        if (sheet := self._shown_by(self.sender())) is not None:
            self.read(sheet, sheet.path)

    @Slot()
    def _close_asked(self) -> None:
        if (sheet := self._shown_by(self.sender())) is not None and not self._leave(sheet):
            self._sheets.close(self._sheets.all().index(sheet))

    @Slot(str)
    def _password_given(self, password: str) -> None:
        if (sheet := self._shown_by(self.sender())) is not None:
            sheet.password = password
            self.read(sheet, sheet.path)

    def _shown_by(self, page: QObject | None) -> Sheet | None:
        return next(
            (sheet for sheet in self._sheets.all() if page is not None and sheet.opening is page), None
        )
