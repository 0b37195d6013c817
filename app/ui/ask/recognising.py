"""Recognises the text of open documents' pictures in the background, and shows it page after page."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.layout import Opened
from app.core.report import Progress
from app.flows.ask.recognise import MOST_UNASKED, RECOGNISING, recognise_pages
from app.flows.workspace import Workspace
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

# A document is read again for its new pages, which takes long where it has many.
_LEAST_SECONDS = 2.0
_LOOK_MS = 500


class Recognising(QObject):
    """Begins by itself for a few pages, and else when the bar of their sheet is asked to.

    A question waits until all these pages have their text. `grown` carries a sheet that shows more text now, or gets
    none.
    """

    grown = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, sheets: Sheets, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lanes, self._sheets = workspace, lanes, sheets
        self._jobs: dict[Sheet, Job] = {}
        self._reading: dict[Sheet, Job] = {}
        self._due: set[Sheet] = set()
        self._last: dict[Sheet, float] = {}
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._read_due)
        sheets.closing.connect(self._closing)

    @Slot(object)
    def look_at(self, sheet: Sheet) -> None:
        """Recognise the pictures of a file that was read just now, or offer it."""
        self._drop(sheet)
        opened = sheet.session.opened
        if opened is None or not opened.pictures:
            return
        bar = sheet.recognition_bar()
        bar.wanted.connect(partial(self.begin, sheet))
        bar.stop_asked.connect(partial(self.stop, sheet))
        if len(opened.pictures) <= MOST_UNASKED:
            self.begin(sheet)
        else:
            bar.offer(len(opened.pictures))

    def begin(self, sheet: Sheet) -> None:
        """Recognise what is left of a sheet's file."""
        opened = sheet.session.opened
        if opened is None or not opened.pictures or sheet in self._jobs:
            return
        job = self._lanes.recognition.start(
            recognise_pages, self._workspace, opened, opened.pictures, password=sheet.session.password
        )
        self._jobs[sheet] = job
        sheet.session.awaited_pages = len(opened.pictures)
        if len(opened.notes) == 1:  # the bar says it
            sheet.banner.clear()
        bar = sheet.recognition_bar()
        bar.show_progress(Progress(0, len(opened.pictures), RECOGNISING))
        job.partial.connect(partial(self._page_done, sheet))
        job.then(
            partial(self._ended, sheet),
            partial(self._failed, sheet),
            partial(self._stopped, sheet),
            progress=bar.show_progress,
        )

    def stop(self, sheet: Sheet) -> bool:
        """Stop recognising a sheet's file; False where there was nothing to stop."""
        job = self._jobs.get(sheet)
        if job is not None:
            job.stop()
        return job is not None

    def _page_done(self, sheet: Sheet, page: int) -> None:
        self._due.add(sheet)
        self._timer.start()

    def _ended(self, sheet: Sheet, result: object) -> None:
        self._jobs.pop(sheet, None)
        self._due.add(sheet)
        sheet.recognition_bar().clear()
        self._timer.start()
        self._read_due()

    def _failed(self, sheet: Sheet, error: BaseException) -> None:
        self._jobs.pop(sheet, None)
        sheet.recognition_bar().show_fault(fault_of(error).sentence)
        self._broken_off(sheet)

    def _stopped(self, sheet: Sheet) -> None:
        self._jobs.pop(sheet, None)
        opened = sheet.session.opened
        if opened is not None:
            sheet.recognition_bar().offer(len(opened.pictures), was_stopped=True)
        self._broken_off(sheet)

    def _broken_off(self, sheet: Sheet) -> None:
        """Read the pages that were recognised until then."""
        self._read_due()
        self._count_awaited(sheet)

    def _count_awaited(self, sheet: Sheet) -> None:
        """Count the pages that a question waits for: none where no more text is to come."""
        opened = sheet.session.opened
        is_growing = any(sheet in places for places in (self._jobs, self._due, self._reading))
        sheet.session.awaited_pages = len(opened.pictures) if is_growing and opened is not None else 0
        self.grown.emit(sheet)

    @Slot()
    def _read_due(self) -> None:
        """Read the files again that have new pages, unless they are being asked just now."""
        from app.flows.ask.read import read_document

        for sheet in list(self._due):
            now = time.monotonic()
            session = sheet.session
            is_asked = session.running() is not None or (
                session.waiting is not None and not session.is_awaited
            )
            is_soon = sheet in self._jobs and now - self._last.get(sheet, 0.0) < _LEAST_SECONDS
            if sheet in self._reading or is_asked or is_soon:
                continue
            self._due.discard(sheet)
            job = self._lanes.documents.start(
                read_document,
                self._workspace,
                sheet.session.path,
                password=sheet.session.password,
                recognise=0,
            )
            self._reading[sheet] = job.then(partial(self._read, sheet), partial(self._not_read, sheet))
        if not self._due:
            self._timer.stop()

    def _read(self, sheet: Sheet, opened: Opened) -> None:
        self._reading.pop(sheet, None)
        self._last[sheet] = time.monotonic()
        before, bar = sheet.session.opened, sheet.recognition_bar()
        # Else it has changed, and the sheet says so.
        if before is not None and before.sha256 == opened.sha256 and sheet.is_open:
            sheet.show_recognised(opened)
            if sheet not in self._jobs and not opened.pictures:
                bar.clear()
            elif bar.was_stopped:
                bar.offer(len(opened.pictures), was_stopped=True)
        self._count_awaited(sheet)

    def _not_read(self, sheet: Sheet, error: BaseException) -> None:
        self._reading.pop(sheet, None)
        self._count_awaited(sheet)
        fault_of(error)  # the sheet shows what it has; a bug goes to the log

    @Slot(object)
    def _closing(self, sheet: Sheet) -> None:
        self._drop(sheet)

    def _drop(self, sheet: Sheet) -> None:
        for jobs in (self._jobs, self._reading):
            if (job := jobs.pop(sheet, None)) is not None:
                job.drop()
        self._due.discard(sheet)
        self._last.pop(sheet, None)
        sheet.session.awaited_pages = 0
        if sheet.has_recognition_bar:
            sheet.drop_recognition_bar()
