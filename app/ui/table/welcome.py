"""The page Table before there is a table: what a table is, and the libraries to make one over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame

from app.core.answer_table import Column
from app.core.library import Library, LibraryStatus
from app.core.message import Message
from app.core.wording import first_words
from app.ui.kit.boxes import row
from app.ui.kit.empty_state import SampleGrid
from app.ui.kit.named_tables import invite
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

SAMPLES = (
    "What is this document about?",
    "Who wrote it?",
    "When was it published?",
    "Who is it for?",
)
_LONGEST = 100  # characters of the open documents' names
_WHAT = Message(
    "A row for each document of a folder, a column for each question, and in every cell the exact words that answer,"
    " with their page. It fills by itself, and only what is new or changed is read again."
)


class Welcome(QFrame):
    """A title, what a table is, a button for each library and for the open documents, and one to add a folder.

    `library_chosen` carries a Library, `documents_chosen` the paths of the open documents; `results_asked` is sent to
    open results, `cancelled` to go back to the current table.
    """

    library_chosen = Signal(object)
    documents_chosen = Signal(object)
    folder_asked = Signal()
    results_asked = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._libraries: tuple[Library, ...] = ()
        self._documents: tuple[Path, ...] = ()
        self._questions: tuple[str, ...] = ()
        self._over = plain_label(tr("Over which documents?"), type="small_strong", ink="quiet")
        self._list = SampleGrid(theme)
        self.begin = QCheckBox()
        self.offer_questions(())
        self.begin.setChecked(True)
        self.add = push_button(
            theme, tr("Add a folder…"), icon="plus", tip=tr("A folder with its subfolders; nothing is copied")
        )
        self.results = push_button(
            theme,
            tr("Open results…"),
            tip=tr("A table that was exported as JSON Lines, or what a cluster has read"),
        )
        self.cancel = push_button(theme, tr("Cancel"))
        hint = plain_label(
            tr(
                "Or drop a folder here. Spanlight reads PDF, Word, spreadsheets, slides, books, mails, web pages and"
                " text."
            ),
            type="small",
            ink="quiet",
        )
        actions = row(theme, self.add, self.results, self.cancel, 1, gap=2)
        parts = (self._over, self._list, self.begin, actions, hint)
        invite(self, theme, "table", tr("A table of answers"), _WHAT, *parts)
        self._list.chosen.connect(self._chosen)
        self.add.clicked.connect(self.folder_asked)
        self.results.clicked.connect(self.results_asked)
        self.cancel.clicked.connect(self.cancelled)
        self.show_libraries((), (), may_cancel=False)

    def offer_questions(self, questions: tuple[str, ...]) -> None:
        """Offer to begin with questions that wait, else with those to try."""
        if questions != self._questions:
            self.begin.setChecked(bool(questions))
        self._questions = questions
        waiting = tr("Begin with your {n:,} question", "Begin with your {n:,} questions", n=len(questions))
        self.begin.setText(waiting if questions else tr("Begin with four questions to try"))
        self.begin.setAccessibleName(self.begin.text())
        self.begin.setToolTip(as_tip("\n".join(questions or SAMPLES)))

    def columns(self) -> tuple[Column, ...]:
        """The questions to begin with; none where the person does not want them."""
        if not self.begin.isChecked():
            return ()
        from app.flows.answer_table.questions import columns_of

        return columns_of(self._questions or SAMPLES)

    def show_libraries(
        self,
        libraries: Sequence[tuple[Library, LibraryStatus]],
        documents: tuple[Path, ...],
        *,
        may_cancel: bool,
    ) -> None:
        """Offer these libraries, the open documents if any, and Cancel if there is a table to go back to."""
        self.cancel.setVisible(may_cancel)
        focused = any(button.hasFocus() for button in self._list.buttons or (self.add,))
        self._libraries = tuple(library for library, _ in libraries)
        self._documents = documents
        rows = [(library.name, localised(status.in_words)) for library, status in libraries]
        if documents:
            names = first_words(", ".join(path.name for path in documents), _LONGEST)
            rows.append((tr("The open documents"), names))
        self._list.offer(rows)
        for button, (name, read) in zip(self._list.buttons, rows, strict=True):
            button.setAccessibleName(tr("A table over {library}, {read}", library=name, read=read))
        self._over.setVisible(bool(rows))
        if focused:
            self.focus_first()

    @Slot()
    def focus_first(self) -> None:
        """Put the keyboard focus on the first library, or on the button that adds a folder."""
        first = self._list.buttons[0] if self._list.buttons else self.add
        first.show()  # a layout shows what is new in it later, and until then it takes no focus
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(int)
    def _chosen(self, at: int) -> None:
        if at < len(self._libraries):
            self.library_chosen.emit(self._libraries[at])
        else:
            self.documents_chosen.emit(self._documents)
