"""The section Reader: the corrections of its answers, and teaching it from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from app.core.corrections import Correction
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress, Report
from app.core.wording import first_words
from app.flows.teach.corrections import bring_back, delete_corrections, judged_entry
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.empty_state import EmptyState
from app.ui.kit.file_dialog import folder_name, save_name
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.search_line import SearchLine
from app.ui.kit.sectioned import Section
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.kit.two_panes import TwoPanes
from app.ui.kit.undo_line import UndoLine
from app.ui.teach.cards import GateCard, TeachCard, VersionsCard
from app.ui.teach.corrections import ABSENT, CorrectionList
from app.ui.teach.teaching import ReaderTeaching

if TYPE_CHECKING:
    from app.flows.teach.reader import ReaderVersion

_WHAT = Message(
    "Below an answer, or beside a table’s cell, press A if it is right, E to take the words that you selected instead,"
    " or X if the text does not answer. That is kept on this computer only, and the reader can learn from it."
)
_SPLITTER = "reader"


@dataclass(frozen=True, slots=True)
class _Found:
    """The corrections that have the words searched for, and the number of all corrections."""

    words: str
    corrections: tuple[Correction, ...]
    total: int


def _search(workspace: Workspace, words: str, report: Report) -> _Found:
    found = tuple(workspace.corrections.all(words))
    return _Found(words, found, workspace.corrections.count() if words.strip() else len(found))


class ReaderSection(Section):
    """The corrections at the right; at the left teaching the reader from them, and the taught versions."""

    KEY = "reader"
    TITLE = Message("Reader")
    SHORTCUTS = (
        ("Ctrl+F", Message("Search the corrections")),
        ("Enter", Message("Open its document there")),
        ("Del", Message("Delete the correction, or the version after asking")),
        ("Ctrl+Z", Message("Bring back what was deleted")),
        ("Ctrl+C", Message("Copy the question with the right words")),
        ("Esc", Message("Pause teaching")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.teaching = ReaderTeaching(workspace, lanes, self)
        self._total = -1  # the number of all corrections; not known yet
        self._searching: Job | None = None
        self._deleted: list[Correction] = []  # that can be restored
        self._restoring: deque[Correction] = deque()  # being restored, in order
        self._restored = 0  # the number of a restored correction, to choose once it is listed
        self._takes_focus = False  # the next list of corrections takes the keyboard focus
        self.teach_card, self.gate, self.versions = TeachCard(theme), GateCard(theme), VersionsCard(theme)
        self.list = CorrectionList(theme)
        self.search_line = SearchLine(theme, tr("Search the corrections"), self.teach_card.strip)
        self.counted = plain_label(type="small", ink="quiet", wrap=False)
        self.undo = UndoLine(theme)
        self.open = push_button(
            theme, tr("Open the document"), icon="open", tip=tr("Enter, or a double click")
        )
        self.delete = push_button(theme, tr("Delete"), icon="delete", tip=tr("Delete it  (Del)"))
        self.export = push_button(
            theme, tr("Export…"), icon="save", tip=tr("Write those listed as SQuAD 2.0")
        )
        self.empty = EmptyState(theme, "teach")
        self.panes = TwoPanes(theme)
        self._lay_out()
        self._connect()

    # The section's interface to the page

    def shown(self) -> None:
        """Look up the corrections and versions, and put the keyboard focus into the list."""
        self._takes_focus = True
        self._search()
        self.teaching.look()

    def search(self) -> None:
        if self.search_line.isVisibleTo(self):
            self.search_line.go_in()

    def settings_changed(self) -> None:
        self.teaching.look()

    def stop(self) -> bool:
        """Cancel the question that is asked, or pause teaching."""
        for question in (self.versions.removal, self.teach_card.losing):
            if question.asking:
                question.withdraw()
                return True
        return self.teaching.pause()

    def keep(self) -> None:
        """Save the splitter's position, unless the left pane is hidden."""
        widths = self.panes.widths()
        if all(widths):
            self.workspace.settings.splitters[_SPLITTER] = widths

    # Corrections

    @Slot()
    def _search(self) -> None:
        """List the corrections that have the words of the search."""
        self.search_line.cancel_pending()
        job = self.lanes.files.start(_search, self.workspace, self.search_line.text())
        self._searching = job.replacing(self._searching).then(self._found, self.show_fault)

    @Slot(object)
    def _found(self, found: _Found) -> None:
        self._total = found.total
        self.list.show_corrections(found.corrections)
        if self._restored and self.list.choose(self._restored):
            self._restored = 0
        self._show_found(found.words)

    def _show_found(self, words: str) -> None:
        """Show the listed corrections, or why there are none."""
        shown, searched = len(self.list.corrections()), bool(words.strip())
        self.counted.setText(
            tr("{shown:,} of {whole:,}", shown=shown, whole=self._total)
            if searched
            else tr("{n:,} correction", "{n:,} corrections", n=self._total)
        )
        self.export.setEnabled(shown > 0)
        had_focus = self.search_line.hasFocus()
        for part in (self._above, self._below):
            part.setVisible(bool(self._total) or searched)
        if shown:
            self._stack.setCurrentWidget(self.list)
        else:
            if searched:
                self.empty.show_message(
                    tr("Nothing found"),
                    tr("No correction has “{words}”.", words=first_words(words)),
                    tr("Show everything"),
                    primary=False,
                )
            else:
                self.empty.show_message(
                    tr("No corrections yet"), _WHAT, tr("Ask a question"), tip=tr("To the page Ask  (Ctrl+1)")
                )
            self._stack.setCurrentWidget(self.empty)
        self._show_side()
        if had_focus:
            self.search_line.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._takes_focus or self.window().focusWidget() is None:
            self._focus()  # without a focus widget: it was on a button that is disabled now
        self._takes_focus = False

    @Slot()
    def _act(self) -> None:
        """Clear the search, or without one go to the page Ask."""
        if self.search_line.text().strip():
            self.search_line.clear()
            self._search()
        else:
            self.go.emit("ask", None)

    @Slot()
    def _open(self) -> None:
        if (one := self.list.correction()) is not None:
            self.go.emit("ask", judged_entry(one))

    @Slot()
    def _delete(self) -> None:
        if (one := self.list.correction()) is not None:
            self.notice.hide()
            self._deleted.append(one)
            self._change(delete_corrections, one)
            self._offer_undo()

    @Slot()
    def _restore(self) -> None:
        """Restore the correction that was deleted last."""
        if self._deleted:
            last = self._deleted.pop()
            self._restoring.append(last)
            job = self._change(bring_back, last)
            job.done.connect(self._correction_restored)
            job.failed.connect(self._not_restored)
            self._takes_focus = True  # the link that was pressed may be hidden
            self.undo.clear()
            self._offer_undo()

    @Slot()
    def _correction_restored(self) -> None:
        self._restored = self._restoring.popleft().number

    @Slot()
    def _not_restored(self) -> None:
        self._deleted.append(self._restoring.popleft())
        self._offer_undo()

    def _offer_undo(self) -> None:
        if self._deleted:
            self.undo.offer(tr("“{question}” deleted", question=first_words(self._deleted[-1].question)))

    @Slot()
    def _undo_expired(self) -> None:
        self._deleted.clear()

    def _change(self, flow: Callable[..., None], correction: Correction) -> Job:
        """Start a flow that deletes or restores a correction, and list the corrections again."""
        job = self.lanes.files.start_write(flow, self.workspace, [correction])
        job.then(self._search, self.show_fault)
        job.failed.connect(self._search)
        return job

    @Slot()
    def _copy(self) -> None:
        if (one := self.list.correction()) is not None:
            words = one.words or localised(ABSENT)
            QGuiApplication.clipboard().setText(f"{one.question}\n{words}\n({one.name})")
            self.note.emit(tr("Copied"))

    @Slot()
    def _chosen(self) -> None:
        chosen = self.list.correction() is not None
        for button in (self.open, self.delete):
            button.setEnabled(chosen)

    @Slot()
    def _ask_export(self) -> None:
        if name := save_name(self, tr("Export the corrections"), "corrections.json", "SQuAD 2.0 (*.json)"):
            self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        """Export the listed corrections as SQuAD 2.0."""
        from app.flows.teach.corrections import export_corrections

        self.lanes.documents.start(export_corrections, self.workspace, self.list.corrections(), path).then(
            self._exported, self.show_fault
        )

    @Slot(object)
    def _exported(self, number: int) -> None:
        self.note.emit(tr("{n:,} correction exported", "{n:,} corrections exported", n=number))

    # Teaching

    @Slot()
    def _show_side(self) -> None:
        """Show the cards for teaching and the versions, once there is anything to teach or to use."""
        state, busy = self.teaching.state, self.teaching.is_busy
        known = state is not None and self._total >= 0
        self.panes.side.setVisible(
            known and bool(self._total or busy or (state and (state.versions or state.unfinished)))
        )
        if state is None or not known:
            return
        from app.flows.teach.reader import FEWEST  # already imported, as the state was looked up

        self.teach_card.show_state(state, self._total, FEWEST, busy=busy)
        self.versions.show_state(state)
        shown = self.gate.version
        if shown is not None:
            present = next((one for one in state.versions if one.name == shown.name), None)
            self._show_version(present)
            self.versions.choose(shown.name)

    @Slot()
    def _teach(self) -> None:
        self.notice.hide()
        self.gate.show_version(None)
        if self.teaching.state is None or self.teaching.state.unfinished is None:
            self.teach_card.curves.clear()
        self.teaching.teach()

    @Slot(object)
    def _progressed(self, progress: Progress | None) -> None:
        if progress is not None:
            self.teach_card.strip.show_progress(progress)
        self._show_side()
        if progress is None:
            self.teach_card.strip.clear()

    @Slot(object)
    def _taught(self, version: ReaderVersion) -> None:
        number = version.corrections
        self.note.emit(
            tr(
                "The reader was taught from {n:,} correction: it is better",
                "The reader was taught from {n:,} corrections: it is better",
                n=number,
            )
            if version.is_better
            else tr(
                "The reader was taught from {n:,} correction: it is not better",
                "The reader was taught from {n:,} corrections: it is not better",
                n=number,
            )
        )
        self.gate.show_version(version)
        self.changed.emit("models")

    @Slot(object)
    def _show_version(self, version: ReaderVersion | None) -> None:
        state = self.teaching.state
        in_use = state.in_use if state is not None else None
        is_used = version is not None and in_use is not None and in_use.name == version.name
        self.gate.show_version(version, in_use=is_used)

    @Slot()
    def _used(self) -> None:
        self.changed.emit(Head.QUESTION_ANSWERING.value)
        self.note.emit(tr("Another reader answers questions from now on"))

    @Slot()
    def _removed(self) -> None:
        self.changed.emit("models")

    @Slot(str)
    def _ask_version_export(self, name: str) -> None:
        if folder := folder_name(self, tr("Export into a new folder there")):
            self.teaching.export(name, Path(folder) / name)

    @Slot()
    def _version_exported(self) -> None:
        self.note.emit(tr("Exported"))

    # Layout

    @Slot()
    def _focus(self) -> None:
        if self._stack.currentWidget() is self.list:
            self.list.go_in()
        elif self.empty.button.isVisibleTo(self):
            self.empty.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        theme, panes = self.theme, self.panes
        for card in (self.teach_card, self.gate, self.versions):
            panes.left.addWidget(card)
        panes.left.addStretch(1)
        panes.side.hide()
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())  # until the corrections are known
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        self._above, self._below = QWidget(), QWidget()
        row(theme, (self.search_line, 1), self.counted, gap=3, margins=(4, 4, 4, 2), parent=self._above)
        buttons = (self.open, self.delete, 1, self.export)
        row(theme, *buttons, gap=2, margins=(4, 2, 4, 3), parent=self._below)
        page = QFrame()
        page.setProperty("kind", "panel")
        undo = column(theme, self.undo, margins=(4, 1, 4, 0))
        column(theme, self._above, (self._stack, 1), undo, self._below, parent=page)
        for part in (self._above, self._below):
            part.hide()
        panes.show_right(page)
        panes.restore(self.workspace.settings.splitters.get(_SPLITTER, []))
        messages = column(theme, self.notice, margins=(5, 0, 5, 0))
        column(theme, messages, (panes, 1), parent=self)

    def _connect(self) -> None:
        teaching, card, versions = self.teaching, self.teach_card, self.versions
        self.search_line.searched.connect(self._search)
        self.search_line.down_requested.connect(self.list.go_in)
        self.list.up_requested.connect(self.search)
        self.list.opened.connect(self._open)
        self.list.deleted.connect(self._delete)
        self.list.copied.connect(self._copy)
        self.list.chosen.connect(self._chosen)
        self.open.clicked.connect(self._open)
        self.delete.clicked.connect(self._delete)
        self.export.clicked.connect(self._ask_export)
        self.empty.button.clicked.connect(self._act)
        self.undo.undo_asked.connect(self._restore)
        self.undo.over.connect(self._undo_expired)
        teaching.looked.connect(self._show_side)
        teaching.teaching.connect(self._progressed)
        teaching.stepped.connect(card.curves.add)
        teaching.taught.connect(self._taught)
        teaching.used.connect(self._used)
        teaching.removed.connect(self._removed)
        teaching.exported.connect(self._version_exported)
        teaching.failed.connect(self.show_fault)
        card.teach.clicked.connect(self._teach)
        card.strip.stop_asked.connect(teaching.pause)
        card.losing.confirmed.connect(teaching.discard)
        self.gate.use_asked.connect(teaching.use)
        versions.chosen.connect(self._show_version)
        versions.use_asked.connect(teaching.use)
        versions.export_asked.connect(self._ask_version_export)
        versions.remove_asked.connect(teaching.remove)
        self.add_shortcuts(("Ctrl+Z", self._restore))
