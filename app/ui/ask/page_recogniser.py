"""Recognises the text of pages that are pictures in the background, and shows it page after page."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame

from app.core.layout import Opened
from app.core.report import Progress
from app.flows.ask.recognise import MOST_UNASKED, RECOGNISING, recognise_pages, recognition_time
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Job
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

# Between two readings of a document for its new pages: each takes long where the document has many pages.
_LEAST_SECONDS = 2.0
_LOOK_MS = 500


class RecognitionBar(QFrame):
    """A bar above a document: an offer to recognise the text of its pictures, or the progress with Stop.

    `wanted` is sent by the button of the offer, `stop_asked` by Stop. `was_stopped` is whether the offer is to continue
    a recognition that was stopped.
    """

    wanted = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        mark(self, kind="hint")
        self.was_stopped = False
        self.words = plain_label(ink="quiet")
        self.begin = push_button(theme, tr("Recognise the text"))
        self.begin.clicked.connect(self.wanted)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        top = row(theme, (self.words, 1), self.begin, gap=3)
        column(theme, top, self.strip, margins=(3, 2, 3, 2), parent=self)
        self.hide()

    def offer(self, pages: int, *, was_stopped: bool = False) -> None:
        """Offer to recognise the text of this number of pages."""
        self.was_stopped = was_stopped
        if was_stopped:
            sentence = tr(
                "Stopped: {n:,} page is a picture whose text is not recognised yet. It takes about {time}.",
                "Stopped: {n:,} pages are pictures whose text is not recognised yet. It takes about {time}.",
                n=pages,
                time=recognition_time(pages),
            )
        else:
            sentence = tr(
                "{n:,} page is a picture. To recognise its text takes about {time}.",
                "{n:,} pages are pictures. To recognise their text takes about {time}.",
                n=pages,
                time=recognition_time(pages),
            )
        self._show(sentence, tr("Go on") if was_stopped else tr("Recognise the text"))

    def show_fault(self, sentence: str) -> None:
        """Show why recognition failed, with a button to try again."""
        self._show(sentence, tr("Try again"))

    def show_progress(self, progress: Progress) -> None:
        """Show the progress in place of the offer."""
        self.was_stopped = False
        self.words.hide()
        self.begin.hide()
        self.strip.show_progress(progress)
        self.show()

    def clear(self) -> None:
        """Hide the bar: nothing is left to recognise."""
        self.strip.clear()
        self.hide()

    def _show(self, sentence: str, button: str) -> None:
        self.strip.clear()
        self.words.setText(sentence)
        self.words.show()
        self.begin.setText(button)
        self.begin.setAccessibleName(button)
        self.begin.show()
        self.show()


class PageRecogniser(QObject):
    """Recognises the pictures of open documents: a few pages by itself, more when the bar's button is pressed.

    A question about a document waits until all of the pages being recognised have their text. `bars` are those above
    the documents with pictures. `grown` carries a sheet that shows more text, or that will get no more.
    """

    grown = Signal(object)

    def __init__(self, page: Page, sheets: Sheets) -> None:
        super().__init__(page)
        self._workspace, self._theme, self._lanes = page.workspace, page.theme, page.lanes
        self.bars: dict[Sheet, RecognitionBar] = {}
        self._jobs: dict[Sheet, Job] = {}
        # Sheets with new pages, the jobs that read their files again, and the monotonic time of the last reading.
        self._due: set[Sheet] = set()
        self._reading: dict[Sheet, Job] = {}
        self._last: dict[Sheet, float] = {}
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._read_due)
        sheets.closing.connect(self._drop)

    @Slot(object)
    def look_at(self, sheet: Sheet) -> None:
        """Recognise the pictures of a file that was just read, or offer to where there are many."""
        self._drop(sheet)
        opened = sheet.session.opened
        if opened is None or not opened.pictures:
            return
        bar = self.bars[sheet] = RecognitionBar(self._theme)
        bar.wanted.connect(partial(self.begin, sheet))
        bar.stop_asked.connect(partial(self.stop, sheet))
        sheet.add_bar(bar)
        if len(opened.pictures) <= MOST_UNASKED:
            self.begin(sheet)
        else:
            bar.offer(len(opened.pictures))

    def begin(self, sheet: Sheet) -> None:
        """Recognise the pages of a sheet's file that have no text yet."""
        opened = sheet.session.opened
        if opened is None or not opened.pictures or sheet in self._jobs:
            return
        job = self._lanes.recognition.start(
            recognise_pages, self._workspace, opened, opened.pictures, password=sheet.session.password
        )
        self._jobs[sheet] = job
        sheet.session.awaited_pages = len(opened.pictures)
        if len(opened.notes) == 1:  # the bar says the same
            sheet.banner.hide()
        bar = self.bars[sheet]
        bar.show_progress(Progress(0, len(opened.pictures), RECOGNISING))
        job.partial.connect(partial(self._page_done, sheet))
        job.then(
            partial(self._ended, sheet),
            partial(self._failed, sheet),
            partial(self._stopped, sheet),
            progress=bar.show_progress,
        )

    def stop(self, sheet: Sheet) -> None:
        """Stop recognising a sheet's file."""
        if (job := self._jobs.get(sheet)) is not None:
            job.stop()

    def _page_done(self, sheet: Sheet, page: int) -> None:
        self._due.add(sheet)
        self._timer.start()

    def _ended(self, sheet: Sheet, result: object) -> None:
        del self._jobs[sheet]
        self._due.add(sheet)
        self.bars[sheet].clear()
        self._timer.start()
        self._read_due()

    def _failed(self, sheet: Sheet, error: BaseException) -> None:
        del self._jobs[sheet]
        self.bars[sheet].show_fault(fault_of(error).sentence)
        self._read_rest(sheet)

    def _stopped(self, sheet: Sheet) -> None:
        del self._jobs[sheet]
        opened = sheet.session.opened
        if opened is not None:
            self.bars[sheet].offer(len(opened.pictures), was_stopped=True)
        self._read_rest(sheet)

    def _read_rest(self, sheet: Sheet) -> None:
        """Read the pages that were recognised before the recognition broke off."""
        self._read_due()
        self._count_awaited(sheet)

    def _count_awaited(self, sheet: Sheet) -> None:
        """Set the number of pages that a question waits for: 0 where no more text is to come."""
        opened = sheet.session.opened
        is_growing = any(sheet in sheets for sheets in (self._jobs, self._due, self._reading))
        sheet.session.awaited_pages = len(opened.pictures) if is_growing and opened is not None else 0
        self.grown.emit(sheet)

    @Slot()
    def _read_due(self) -> None:
        """Read the files with new pages again, except those that are being asked about."""
        from app.flows.ask.read import read_document

        for sheet in list(self._due):
            now, session = time.monotonic(), sheet.session
            is_asked = session.running() is not None or (
                session.waiting is not None and not session.is_awaited
            )
            is_soon = sheet in self._jobs and now - self._last.get(sheet, 0.0) < _LEAST_SECONDS
            if sheet in self._reading or is_asked or is_soon:
                continue
            self._due.discard(sheet)
            job = self._lanes.documents.start(
                read_document, self._workspace, session.path, password=session.password, recognise=0
            )
            self._reading[sheet] = job.then(partial(self._read, sheet), partial(self._not_read, sheet))
        if not self._due:
            self._timer.stop()

    def _read(self, sheet: Sheet, opened: Opened) -> None:
        del self._reading[sheet]
        self._last[sheet] = time.monotonic()
        before, bar = sheet.session.opened, self.bars[sheet]
        # A file that has changed since is left to the sheet, which says so.
        if before is not None and before.sha256 == opened.sha256 and sheet.is_open:
            sheet.show_recognised(opened)
            if sheet not in self._jobs and not opened.pictures:
                bar.clear()
            elif bar.was_stopped:
                bar.offer(len(opened.pictures), was_stopped=True)
        self._count_awaited(sheet)

    def _not_read(self, sheet: Sheet, error: BaseException) -> None:
        del self._reading[sheet]
        self._count_awaited(sheet)
        fault_of(error)  # the text so far stays on the page; a bug goes to the log

    @Slot(object)
    def _drop(self, sheet: Sheet) -> None:
        """Drop a sheet's jobs and remove its bar."""
        for jobs in (self._jobs, self._reading):
            if (job := jobs.pop(sheet, None)) is not None:
                job.drop()
        self._due.discard(sheet)
        self._last.pop(sheet, None)
        sheet.session.awaited_pages = 0
        if (bar := self.bars.pop(sheet, None)) is not None:
            bar.hide()
            bar.deleteLater()
