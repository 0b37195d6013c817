"""The page of the history of questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication

from app.core.corrections import Correction
from app.core.errors import EngineLost, PasswordNeeded, SpanlightError
from app.core.history import DeletedEntry, Entry
from app.core.message import Message
from app.core.report import Report
from app.core.wording import first_words
from app.flows.history.export import Exported, export
from app.flows.history.export_formats import FORMATS, require_format
from app.flows.history.export_text import citation
from app.flows.history.history import (
    Comparison,
    all_entries,
    bring_back,
    check_again,
    forget,
    forget_all,
    past,
)
from app.flows.teach.corrections import corrections_of
from app.flows.workspace import Workspace
from app.ui.history.history_panel import HistoryPanel
from app.ui.kit.boxes import column
from app.ui.kit.file_dialog import save_name
from app.ui.kit.jobs import Flow, Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.progress_strip import QueueStatus
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

PAGE = 100
_NOTES_SHOWN = 3
_LOCKED = Message("Open it with Enter, type the password there, and ask again there.")


@dataclass(frozen=True, slots=True)
class _Found:
    """Some entries with `words`, the number of all with the words, and of all, and the corrections of these."""

    words: str
    entries: tuple[Entry, ...]
    total: int
    whole: int
    said: dict[tuple[str, str], Correction]


def _look(
    workspace: Workspace, words: str, report: Report, *, limit: int = PAGE, before: Entry | None = None
) -> _Found:
    """Return the newest entries with these words that are older than `before`, if that is given."""
    found = past(workspace, words, report, limit=limit, before=before)
    whole = past(workspace, "", report, limit=0).total if words.strip() else found.total
    return _Found(words, found.entries, found.total, whole, corrections_of(workspace, found.entries))


def _export(workspace: Workspace, words: str, kind: str, output: Path, report: Report) -> Exported:
    """Export all entries with these words."""
    return export(workspace, all_entries(workspace, words, report), kind, output, report)


class HistoryView(Page):
    """All questions asked, newest first, with a search above and export below."""

    KEY = "history"
    TITLE = Message("History")
    ICON = "history"
    SHORTCUTS = (
        ("Ctrl+F", Message("Search")),
        ("Enter", Message("Open the document there")),
        ("F5", Message("Ask again, and see what changed")),
        ("Del", Message("Delete")),
        ("Ctrl+Z", Message("Bring back what was deleted")),
        ("Ctrl+C", Message("Copy the answer with where it stands")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._words = ""
        self._whole = -1  # not known yet
        self._look_job: Job | None = None
        self._more_job: Job | None = None
        self._job: Job | None = None  # a check or an export, one at a time
        self._checked: Entry | None = None
        self._deleting: set[int] = set()
        self._forgotten: list[DeletedEntry] = []
        self._brought = 0  # the number of the entry that was brought back and is to be selected
        self.panel = HistoryPanel(theme)
        self._list = self.panel.list
        column(theme, self.panel, parent=self)
        self._connect()
        self.settings_changed()

    # The page's interface to the window

    @Slot()
    def stop(self) -> bool:
        """Stop a check or an export; returns False where none was running."""
        if self._job is None or not self._job.running:
            return False
        self._job.stop()
        return True

    def shown(self) -> None:
        """Refresh the entries, and focus the search, or an alternative if there are none."""
        self.panel.go_to_search()
        self._look()

    def settings_changed(self) -> None:
        """Show whether a history is kept."""
        self.panel.bar.keep.setChecked(self.workspace.settings.keep_history)
        self._show_found()

    # Looking

    @Slot()
    def _look(self) -> None:
        """Fill the list with the entries that have the words, in place of a running search."""
        for job in (self._look_job, self._more_job):
            if job is not None:
                job.drop()
        self.panel.search.cancel_pending()
        words = self.panel.search.text()
        shown = len(self._list.history.entries) + bool(self._brought) if words == self._words else 0
        job = self.lanes.files.start(_look, self.workspace, words, limit=max(PAGE, shown))
        self._look_job = job.then(self._entries_found, self._show_fault)

    @Slot(object)
    def _entries_found(self, found: _Found) -> None:
        again = found.words == self._words
        before = max((entry.number for entry in self._list.history.entries), default=0)
        chosen = self._list.entry() if again else None
        self._words, self._whole = found.words, found.whole - len(self._deleting)
        staying = [entry for entry in found.entries if entry.number not in self._deleting]
        total = found.total - len(found.entries) + len(staying)
        self._list.history.set_entries(staying, total, found.said)
        if chosen is not None:
            self._list.choose(chosen.number)
        # New entries are scrolled into view.
        if not again or any(entry.number > before for entry in staying):
            self._list.scrollToTop()
        self._list.choose(self._brought)
        self._brought = 0
        self._show_found()

    @Slot()
    def _load_more(self) -> None:
        last = self._list.history.entries[-1]
        job = self.lanes.files.start(_look, self.workspace, self._words, before=last)
        self._more_job = job.then(self._more_found, self._more_failed)

    @Slot(object)
    def _more_found(self, found: _Found) -> None:
        self._list.history.append(found.entries, found.total, found.said)

    @Slot(object)
    def _more_failed(self, error: BaseException) -> None:
        self._list.history.more_failed()
        self._show_fault(error)

    def _show_found(self) -> None:
        if self._whole >= 0:
            self.panel.show_found(self._words, self._whole, self.workspace.settings.keep_history)

    # Deleting

    def _delete(self, entry: Entry) -> None:
        self.panel.notice.hide()
        row = self._list.history.row_of(entry.number)
        self._deleting.add(entry.number)
        self._whole -= 1
        self._list.history.remove(entry.number)
        self._list.choose_near(row)
        self._show_found()
        self._change(self._deleted, forget, (entry.number,))

    @Slot(object)
    def _deleted(self, forgotten: tuple[DeletedEntry, ...]) -> None:
        self._forgotten += forgotten
        self._deleting -= {one.entry.number for one in forgotten}
        self._offer_undo()

    def _offer_undo(self) -> None:
        if self._forgotten:
            question = first_words(self._forgotten[-1].entry.question)
            self.panel.undo.offer(tr("“{question}” deleted", question=question))

    @Slot()
    def _bring_back(self) -> None:
        if self._forgotten:
            last = self._forgotten.pop()
            if self.panel.undo.button.hasFocus():  # which goes
                self._list.setFocus(Qt.FocusReason.OtherFocusReason)
            self.panel.undo.clear()
            self._offer_undo()
            self._change(self._there_again, bring_back, (last,))

    @Slot(object)
    def _there_again(self, numbers: tuple[int, ...]) -> None:
        self._brought = numbers[-1]
        self._look()

    @Slot()
    def _undo_over(self) -> None:
        self._forgotten.clear()

    @Slot()
    def _delete_all(self) -> None:
        self._forgotten.clear()
        self.panel.undo.clear()
        self._change(self._all_deleted, forget_all)

    @Slot(object)
    def _all_deleted(self, number: int) -> None:
        self.note.emit(tr("{n:,} question deleted", "{n:,} questions deleted", n=number))
        self._show_all()

    def _change(self, done: Callable[..., object], flow: Flow, *arguments: object) -> None:
        """Change the history in a lane; if that fails, the list is refreshed."""
        job = self.lanes.files.start_write(flow, self.workspace, *arguments)
        job.then(done, self._change_failed)

    @Slot(object)
    def _change_failed(self, error: BaseException) -> None:
        self._deleting.clear()
        self._show_fault(error)
        self._look()

    # Checking and exporting

    def check(self, entry: Entry) -> None:
        """Ask an entry's question again, and show what changed below the entry."""
        words = tr("Asking again: {question}", question=" ".join(entry.question.split()))
        self._begin(words)
        self._checked = entry
        self._list.history.set_news(entry.number, tr("Asking again…"))
        job = self.lanes.work.start(check_again, self.workspace, entry)
        job.name = Message("the work on History")
        QueueStatus(self.lanes.work, job, self.panel.strip, words)
        self._run(job, self._check_done)

    def export_to(self, kind: str, path: Path) -> None:
        """Export the listed entries, with those not loaded yet."""
        self._begin(tr("Exporting"))
        job = self.lanes.documents.start(_export, self.workspace, self._words, kind, path)
        self._run(job, self._exported)

    def _begin(self, words: str) -> None:
        self.stop()
        self.panel.notice.hide()
        self.panel.strip.show_busy(words)
        self.note.emit("")

    def _run(self, job: Job, done: Callable[..., object]) -> None:
        progress = self.panel.strip.show_progress
        self._job = job.then(done, self._failed, self._stopped, progress=progress)

    @Slot(object)
    def _check_done(self, comparison: Comparison) -> None:
        self._checked = None
        self.panel.strip.clear()
        number, changes = comparison.entry.number, [*map(localised, comparison.sentences)]
        self._list.history.set_news(number, " ".join(changes), not comparison.same)
        self.note.emit(changes[0])

    @Slot(object)
    def _exported(self, exported: Exported) -> None:
        self.panel.strip.clear()
        if exported.files:
            summary = tr(
                "{n:,} answer exported to {files}",
                "{n:,} answers exported to {files}",
                n=exported.count,
                files=", ".join(file.name for file in exported.files),
            )
        else:
            summary = tr(
                "{n:,} answer exported to no file", "{n:,} answers exported to no file", n=exported.count
            )
        self.note.emit(summary)
        if exported.notes:
            notes = [*map(localised, exported.notes[:_NOTES_SHOWN])]
            more = len(exported.notes) - len(notes)
            if more:
                notes.append(tr("And {n:,} more of this kind.", "And {n:,} more of this kind.", n=more))
            self.panel.notice.show_hint(sentences(summary), " ".join(notes))

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._rest()
        self._show_fault(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _stopped(self) -> None:
        self._rest()
        self.note.emit(tr("Stopped"))

    def _rest(self) -> None:
        self.panel.strip.clear()
        if self._checked is not None:
            self._list.history.set_news(self._checked.number, "")
            self._checked = None

    @Slot(QAction)
    def _export(self, chosen: QAction) -> None:
        form = require_format(FORMATS, chosen.data())
        kinds = f"{localised(form.title)} (*{form.suffix})"
        name = tr("answers{suffix}", suffix=form.suffix)
        if name := save_name(self, tr("Export: {format}", format=form.title), name, kinds):
            self.export_to(form.key, Path(name))

    # Small actions

    @Slot()
    def _show_all(self) -> None:
        """Clear the search."""
        self.panel.search.clear()
        self.panel.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self._look()

    @Slot()
    def _empty_pressed(self) -> None:
        """Ask a question, or after a search show everything again."""
        if self.panel.search.text().strip():
            self._show_all()
        else:
            self.go.emit("ask", None)

    @Slot(bool)
    def _history_toggled(self, on: bool) -> None:
        self.panel.notice.hide()
        self.workspace.settings.keep_history = on
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self._show_fault(error)
        if not on and self._whole > 0:
            self.panel.notice.show_hint(
                tr("From now on nothing is kept."), tr("What stands here stays until you delete it.")
            )
        self._show_found()
        self.changed.emit("keep_history")

    @Slot(str, object)
    def _act(self, action: str, entry: Entry) -> None:
        if action == "open":
            self.go.emit("ask", entry)
        else:
            {"check": self.check, "delete": self._delete, "copy": self._copy}[action](entry)

    def _copy(self, entry: Entry) -> None:
        QGuiApplication.clipboard().setText(
            f"{entry.question}\n{localised(entry.words)}\n({localised(citation(entry))})"
        )
        self.note.emit(tr("Copied with where it stands"))

    @Slot(object)
    def _show_fault(self, error: BaseException) -> None:
        fault = fault_of(error)
        hint = _LOCKED if isinstance(error, PasswordNeeded) else fault.hint
        self.panel.notice.show_fault(fault.sentence, hint, fault.report)

    def _connect(self) -> None:
        panel = self.panel
        panel.search.searched.connect(self._look)
        panel.empty.button.clicked.connect(self._empty_pressed)
        panel.strip.stop_asked.connect(self.stop)
        panel.undo.undo_asked.connect(self._bring_back)
        panel.undo.over.connect(self._undo_over)
        panel.bar.keep.clicked.connect(self._history_toggled)
        panel.bar.menu.triggered.connect(self._export)
        panel.bar.question.confirmed.connect(self._delete_all)
        self._list.history.more_wanted.connect(self._load_more)
        self._list.asked.connect(self._act)
        self.add_shortcuts(
            ("Ctrl+F", panel.go_to_search), ("Ctrl+L", panel.go_to_search), ("Ctrl+Z", self._bring_back)
        )
