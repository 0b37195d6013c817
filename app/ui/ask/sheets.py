"""The open documents: their tabs and pages, closing and reopening them, and saving them for the next start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QStackedWidget

from app.core.report import Silent
from app.flows.ask.drafts import SavedAcross, SavedSheet, SavedSheets, save_sheets
from app.settings.drafts import SAVE_EVERY_MS, Drafts
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.ask.session import AskSession, DocumentState
from app.ui.ask.sheet import Sheet
from app.ui.document.pane import Pane
from app.ui.kit.jobs import Job
from app.ui.kit.page import Page

_HISTORY = 50  # questions saved for each sheet
# The number of closed sheets that can be restored: each keeps its document in memory.
_MOST_CLOSED = 10


class Sheets(QObject):
    """All sheets in the order of their tabs; there is always at least one.

    `created` carries a new sheet, `shown` the sheet that becomes the current one, `closing` a sheet that is closed.
    `added` is sent when a sheet was added behind the current one, `reopened` after a closed one was restored; `failed`
    carries the fault when drafts could not be saved.
    """

    created = Signal(object)
    added = Signal()
    shown = Signal(object)
    closing = Signal(object)
    reopened = Signal()
    failed = Signal(object)

    def __init__(self, page: Page, drafts: Drafts, tabs: DocumentTabs, stack: QStackedWidget) -> None:
        super().__init__(page)
        self.drafts = drafts
        self._theme, self._lanes = page.theme, page.lanes
        self._tabs, self._stack = tabs, stack
        self._sheets: list[Sheet] = []
        self._closed: list[tuple[int, Sheet]] = []
        self._gone: set[str] = set()  # keys of closed sheets whose drafts are to be deleted
        self._deleting: frozenset[str] = frozenset()  # those that the running save deletes
        self._save_job: Job | None = None
        self.across: Callable[[], SavedAcross] = SavedAcross  # what is saved of several documents' question
        self._timer = QTimer(self, interval=SAVE_EVERY_MS, singleShot=True)
        self._timer.timeout.connect(self._save)
        tabs.strip.currentChanged.connect(self.bring)
        tabs.close_requested.connect(self.close)
        tabs.strip.tabBarDoubleClicked.connect(self._keep_open)
        tabs.new.clicked.connect(self.show_new)
        tabs.undo.clicked.connect(self.undo_close)

    def current(self) -> Sheet:
        """Return the current sheet."""
        return self._sheets[self._stack.currentIndex()]

    def searched(self) -> Pane | None:
        """Return the current pane; None while its file is not open."""
        sheet = self.current()
        return sheet.pane if sheet.is_open else None

    def all(self) -> Sequence[Sheet]:
        """Return every sheet, in the order of the tabs."""
        return self._sheets

    def have_focus(self) -> bool:
        """Whether the focus is on the current page."""
        focused = QApplication.focusWidget()
        return focused is not None and self._stack.isAncestorOf(focused)

    def new(self) -> Sheet:
        """Show an empty sheet and return it: the current one if it has no text, else a new one."""
        current = self.current() if self._sheets else None
        if current is not None and current.is_open and not current.session.path and current.pane.is_empty():
            return current
        sheet = self._create()
        self._insert(len(self._sheets), sheet)
        self.bring(len(self._sheets) - 1)
        return sheet

    def add_behind(self, path: str) -> None:
        """Add a sheet for a file that is read once it is shown, unless the file is open."""
        if any(sheet.session.path == path for sheet in self._sheets):
            return
        sheet = self._create(AskSession(path=path))
        sheet.show_opening(path, Path(path).name or path, DocumentState.ASLEEP)
        self._insert(len(self._sheets), sheet)
        self.added.emit()
        self.save_soon()

    def bring_file(self, path: str) -> bool:
        """Show the sheet of an open file; returns False where there is none."""
        for index, sheet in enumerate(self._sheets):
            if sheet.session.path and sheet.session.path == path:
                self.bring(index)
                return True
        return False

    def with_key(self, key: str) -> Sheet | None:
        """Return the sheet whose session has this key; None where it was closed."""
        return next((sheet for sheet in self._sheets if sheet.session.key == key), None)

    def bring_text(self, text: str) -> Sheet | None:
        """Show a sheet without a file that has exactly this text, and return it; None where there is none."""
        for index, sheet in enumerate(self._sheets):
            if sheet.is_open and not sheet.session.path and sheet.pane.text() == text:
                self.bring(index)
                return sheet
        return None

    def restore(self, saved: SavedSheets) -> None:
        """Restore the sheets of the last start, before those that are open already."""
        fresh = [sheet for sheet in self._sheets if not sheet.is_untouched()]
        here = {sheet.session.path for sheet in fresh if sheet.session.path}
        rows = [one for one in saved.sheets if not (one.file and one.path in here)]
        for at, one in enumerate(rows):
            if at or fresh:
                sheet = self._create(AskSession(one.key))
                self._insert(at, sheet)
            else:
                sheet = self._sheets[0]  # used again: that saves a tenth of the start
                sheet.session.key = one.key
            session = sheet.session
            session.question, session.history, session.entry = one.question, list(one.history), one.entry
            if one.file:
                session.place = one.place
                sheet.show_opening(one.path, one.name, DocumentState.ASLEEP)
            else:
                sheet.show_text(one.text or "", name=one.name, path=one.path, is_unsaved=False)
                sheet.pane.go_to(one.place)
            self._tabs.rename(at, sheet.title, session.path)
        for sheet in [sheet for sheet in self._sheets[len(rows) :] if rows and sheet not in fresh]:
            self._take_out(self._sheets.index(sheet)).deleteLater()
        if not fresh:
            self.bring(min(max(0, saved.current), len(self._sheets) - 1))
        else:
            self.bring(self._sheets.index(fresh[-1]))

    @Slot(int)
    def bring(self, index: int) -> None:
        """Make a sheet the current one."""
        if 0 <= index < len(self._sheets):
            on_page = self.have_focus()
            self._stack.setCurrentIndex(index)
            if on_page:
                self._sheets[index].setFocus(Qt.FocusReason.OtherFocusReason)
            self._tabs.select(index)
            self.shown.emit(self._sheets[index])
            self.save_soon()

    @Slot()
    def show_new(self) -> None:
        """Show an empty page to paste on."""
        self.new().pane.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def next(self) -> None:
        """Show the next sheet, cyclically."""
        self.bring((self._stack.currentIndex() + 1) % len(self._sheets))

    @Slot()
    def previous(self) -> None:
        """Show the previous sheet, cyclically."""
        self.bring((self._stack.currentIndex() - 1) % len(self._sheets))

    @Slot()
    def close_current(self) -> None:
        """Close the current sheet."""
        self.close(self._stack.currentIndex())

    @Slot(int)
    def close(self, index: int) -> None:
        """Close a sheet; the ones closed last can be reopened until the window closes."""
        sheet = self._sheets[index]
        if len(self._sheets) == 1 and sheet.is_untouched():
            return
        sheet.session.place = sheet.reading_place()
        self.closing.emit(sheet)
        was_current = index == self._stack.currentIndex()
        on_page = self.have_focus()
        self._take_out(index)
        if sheet.is_untouched():
            sheet.deleteLater()
        else:
            self._closed.append((index, sheet))
            self._tabs.show_closed(sheet.title)
            for _, oldest in self._closed[:-_MOST_CLOSED]:
                oldest.deleteLater()
            del self._closed[:-_MOST_CLOSED]
        self._gone.add(sheet.session.key)
        if not self._sheets:
            self.new()
        elif was_current:
            self.bring(min(index, len(self._sheets) - 1))
        if on_page:
            self.current().setFocus(Qt.FocusReason.OtherFocusReason)
        self.save_soon()

    def close_others(self, index: int) -> None:
        """Close all sheets but one."""
        kept = self._sheets[index]
        self.bring(index)
        for sheet in [sheet for sheet in self._sheets if sheet is not kept]:
            self.close(self._sheets.index(sheet))

    def close_all(self) -> None:
        """Close all sheets; an empty one is left."""
        self.close_others(self._stack.currentIndex())
        self.close_current()

    def drop(self, sheet: Sheet) -> None:
        """Remove a sheet for good, unless it is the current one."""
        if sheet in self._sheets and sheet is not self.current():
            self.closing.emit(sheet)
            self._take_out(self._sheets.index(sheet)).deleteLater()
            self._gone.add(sheet.session.key)
            self.save_soon()

    @Slot()
    def undo_close(self) -> None:
        """Reopen the sheet that was closed last, in its place."""
        self._tabs.forget_closed()
        if self._closed:
            index, sheet = self._closed.pop()
            self._gone.discard(sheet.session.key)
            sheet.session.is_unsaved = True
            if not sheet.is_open:
                sheet.session.state = DocumentState.ASLEEP
            if len(self._sheets) == 1 and self._sheets[0].is_untouched():
                self._gone.add(self._sheets[0].session.key)
                self._take_out(0).deleteLater()
            at = min(index, len(self._sheets))
            self._insert(at, sheet)
            self.bring(at)
            self.reopened.emit()

    @Slot()
    def save_soon(self) -> None:
        """Save the drafts within a second, also while typing goes on."""
        if not self._timer.isActive():
            self._timer.start()

    def save_now(self) -> None:
        """Save the drafts before returning; raises SpanlightError where they cannot be written."""
        self._timer.stop()
        if self._save_job is not None and self._save_job.running:
            # The job may never run: what it was to write is written here.
            self._save_job.drop()
            self._mark_unsaved()
        save_sheets(self.drafts, self._to_save(), self._gone, Silent())
        self._gone.clear()

    @Slot()
    def _save(self) -> None:
        if self._save_job is not None and self._save_job.running:
            self._timer.start()
            return
        self._deleting = frozenset(self._gone)
        job = self._lanes.files.start(save_sheets, self.drafts, self._to_save(), self._deleting)
        self._save_job = job.then(self._saved, self._not_saved)

    def _to_save(self) -> SavedSheets:
        sheets = sheets_to_save(self._sheets, self._stack.currentIndex())
        return replace(sheets, across=self.across())

    @Slot()
    def _saved(self) -> None:
        self._gone -= self._deleting

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        self._mark_unsaved()
        self.failed.emit(error)

    def _mark_unsaved(self) -> None:
        """Have the next save write every text."""
        for sheet in self._sheets:
            sheet.session.is_unsaved = True

    def _create(self, session: AskSession | None = None) -> Sheet:
        sheet = Sheet(self._theme, session)
        sheet.edited.connect(self.save_soon)
        sheet.renamed.connect(self._sheet_renamed)
        self.created.emit(sheet)
        return sheet

    def _insert(self, at: int, sheet: Sheet) -> None:
        self._sheets.insert(at, sheet)
        self._stack.insertWidget(at, sheet)
        self._tabs.add(sheet.title, sheet.session.path, at)

    def _take_out(self, index: int) -> Sheet:
        sheet = self._sheets.pop(index)
        self._stack.removeWidget(sheet)
        self._tabs.remove(index)
        return sheet

    @Slot()
    def _sheet_renamed(self) -> None:
        sheet = self.sender()
        if isinstance(sheet, Sheet) and sheet in self._sheets:
            at = self._sheets.index(sheet)
            self._tabs.rename(at, sheet.title, sheet.session.path)
            self._tabs.strip.set_preview(at, sheet.session.is_preview)

    @Slot()
    def keep_current(self) -> None:
        """Keep the current sheet when another file is opened from a list of answers."""
        self.current().set_preview(False)

    @Slot(int)
    def _keep_open(self, index: int) -> None:
        if 0 <= index < len(self._sheets):
            self._sheets[index].set_preview(False)


def sheets_to_save(sheets: Sequence[Sheet], current: int) -> SavedSheets:
    """Return what to save of the sheets, and mark their texts as saved; `current` is the index of the one shown.

    Demonstrations are left out.
    """
    saved: list[SavedSheet] = []
    shown = 0
    for at, sheet in enumerate(sheets):
        session = sheet.session
        if session.is_demo:
            continue
        if at <= current:
            shown = len(saved)
        file = sheet.is_file()
        text = sheet.editor.text() if session.is_unsaved and not file else None
        session.is_unsaved = False
        saved.append(
            SavedSheet(
                key=session.key,
                name=session.name,
                path=session.path,
                question=session.question,
                history=tuple(session.history[-_HISTORY:]),
                text=text,
                file=file,
                place=sheet.reading_place(),
                entry=session.entry,
            )
        )
    return SavedSheets(tuple(saved), shown)
