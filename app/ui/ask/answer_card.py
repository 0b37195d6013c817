"""The card with the answer in large type, or the nearest words, their probability and place; or that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QWidget

from app.core import wording
from app.core.message import Message
from app.ui.document.marks.places import Place
from app.ui.kit.boxes import column
from app.ui.kit.elided import ElidedLabel
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.flow_text import FlowText
from app.ui.kit.parts import StyledLabel, as_tip, look_button, plain_label, push_button
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.ui.kit.verdict_row import VerdictRow

_VERY_LIKELY = 0.9
_COPY = Message("Copy")
_NBSP = "\N{NO-BREAK SPACE}"


class AnswerCard(QFrame):
    """The result of the question: an answer, the best so far, words with low confidence, or that there is none.

    `chosen` carries the index of its answer, 0, on a click and on Enter, `copy_requested` the same on the button and on
    Ctrl+C; `nearest_requested` carries whether to show the words nearest to an answer, `save_requested` the key of a
    format to save the answers in. The other buttons are `again`, to ask about a text that has changed, `whole`, to
    read all of a document whose best passages only were read, and `look`, to see how the model came to the answer.
    """

    chosen = Signal(int)
    save_requested = Signal(str)
    copy_requested = Signal(int)
    nearest_requested = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        mark(self, kind="card")
        self.setObjectName("answer")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.source = ElidedLabel()
        mark(self.source, type="strong")
        self.over = plain_label(type="small_strong", ink="quiet")
        self.answer = FlowText(theme, "answer", spacing=1.1)
        self.likely = StyledLabel()
        self.note = plain_label(type="small", ink="quiet")
        self._sentence = FlowText(theme, "quote", barred=True, spacing=1.2)
        self.facts = plain_label(type="small", ink="quiet")
        self.copy = push_button(
            theme,
            _COPY,
            name=tr("Copy the answer with its source"),
            tip=tr("Copy the answer with its sentence, file and page  (Ctrl+C)"),
        )
        self._save = push_button(
            theme,
            tr("Save") + _NBSP,  # room before the arrow
            name=tr("Save the answers"),
            tip=tr("Save the answers to a file"),
        )
        self.formats = QMenu(self)
        self.formats.triggered.connect(self._format_chosen)
        self._save.setMenu(self.formats)
        self.look = look_button(theme, bare=True)
        self.nearest = QPushButton()
        self.nearest.setCheckable(True)
        self.again = push_button(theme, tr("Ask again"))
        self.whole = push_button(theme, tr("Read every passage"))
        buttons = FlowRow()
        for button in (self.copy, self._save, self.look, self.nearest, self.again, self.whole):
            mark(button, kind="small", type="small")
            buttons.addWidget(button)
        self._column = column(
            theme, self.source, self.over, self.answer, self.likely, self.note, self._sentence, self.facts,
            buttons, gap=2.5, margins=(4, 4, 4, 4), parent=self,
        )  # fmt: skip
        self._copied_timer = QTimer(self, interval=1600, singleShot=True)
        self._copied_timer.timeout.connect(self._rest_copy)
        self.copy.clicked.connect(self._copy_clicked)
        self.nearest.toggled.connect(self._nearest_toggled)
        theme.in_steps(buttons.setSpacing, 1.5)
        self._name_nearest()
        self.hide()

    @cached_property
    def verdicts(self) -> VerdictRow:
        """The buttons for what the person says of the answer, made when they are first needed."""
        from app.ui.kit.verdict_row import VerdictRow

        row = VerdictRow(self._theme)
        row.instead.setToolTip(
            as_tip(tr("Select the right words in the document first  (Esc there, then E)"))
        )
        self._column.addWidget(row)
        for before, after in pairwise((self.whole, row.right, row.absent, row.instead)):
            QWidget.setTabOrder(before, after)
        return row

    def offer_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        """Set the formats to save the answers in, by key and name; without any the button is hidden."""
        self.formats.clear()
        for key, name in formats:
            self.formats.addAction(localised(name)).setData(key)

    def show_answer(
        self, place: Place, no_answer: float, over: str = "", facts: str = "", *, sure: bool = True
    ) -> None:
        """Show an answer; `over` is the line above it, and an answer that is not `sure` yet has a quieter colour.

        `no_answer` is the probability that the text has no answer; `facts` is how it was read.
        """
        likely = wording.best_of(place.probability, no_answer)
        self._begin(over, facts)
        self.answer.set_text(place.text, role="ink" if sure else "ink_quiet")
        role = "likely" if sure and place.probability >= _VERY_LIKELY else "ink"
        self._show_place(place, no_answer, likely, role, faint=not sure, sure=sure)
        self._finish(tr("Answer: {words}", words=place.text), likely, _named(place))

    def show_low_confidence(
        self, place: Place, no_answer: float, over: str = "", facts: str = "", *, sure: bool = True
    ) -> None:
        """Show the nearest words, which may be the answer; arguments as for `show_answer`."""
        likely = wording.low_confidence(place.probability)
        self._begin(over, facts)
        self.answer.set_text(place.text, (0, len(place.text)), faint=True)
        self._show_place(place, no_answer, likely, "accent", faint=True, sure=sure)
        self.set_note(wording.NEAREST_WORDS)
        self._finish(f"{localised(likely)}: {place.text}", _named(place), wording.NEAREST_WORDS)

    def show_none(
        self,
        title: str,
        no_answer: float,
        place: Place | None,
        nearest: bool,
        over: str = "",
        facts: str = "",
        *,
        whole: bool = True,
    ) -> None:
        """Show that nothing answers, how likely that is, and with `nearest` the words nearest to an answer.

        `title` says so; `over` is which part of the text was read, `facts` how; `whole` is `QuestionRun.judged_whole`.
        """
        self._begin(over, facts, why_not=place is not None)
        _, likely = wording.without_answer(no_answer, whole=whole)
        self.answer.set_text(localised(title).rstrip("."))
        self.likely.set_runs(
            (likely, self._strong("likely" if no_answer >= _VERY_LIKELY and whole else "ink"))
        )
        with QSignalBlocker(self.nearest):
            self.nearest.setChecked(nearest)
        self._name_nearest()
        self._sentence.setVisible(nearest and place is not None)
        if nearest and place is not None:
            self._sentence.set_text(place.sentence, (place.start, place.end), faint=True, unsure=place.unsure)
            self.set_note(
                tr(
                    "The nearest words are not sure enough ({percent}, {place})."
                    " How sure an answer must be is set below.",
                    percent=wording.percent(place.probability),
                    place=_named(place),
                )
            )
            self.copy.show()
        self._finish(title, likely)

    def set_note(self, note: str, *, again: bool = False) -> None:
        """Set the note on the answer shown; `again` shows the button that asks again."""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.again.setVisible(again)
        if again:  # the nearest words have no place in the changed text
            self.nearest.hide()
        self.setAccessibleDescription(self.note.text())

    def copied(self) -> None:
        """Show for a moment that the answer was copied."""
        self.copy.setText(tr("Copied"))
        self._copied_timer.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit(0)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(0)
        elif event.key() == Qt.Key.Key_Escape and self.nearest.hasFocus() and self.nearest.isChecked():
            self.nearest.setChecked(False)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(0)
        super().mouseReleaseEvent(event)

    def _begin(self, over: str, facts: str, *, why_not: bool = False) -> None:
        self.over.setText(over)
        self.over.setVisible(bool(over))
        self.facts.setText(facts)
        self.facts.setVisible(bool(facts))
        for widget in (self.source, self._sentence, self.copy, self._save, self.whole, self.look):
            widget.hide()
        self.nearest.setVisible(why_not)  # never hidden in between: the focus would leave it
        _explain(self.likely, "")
        self.set_note("")
        self._rest_copy()

    def _finish(self, *parts: str) -> None:
        self.setAccessibleName(sentences(self.over.text(), *map(localised, parts)))
        self.show()

    def _show_place(
        self, place: Place, no_answer: float, likely: str, role: str, *, faint: bool, sure: bool
    ) -> None:
        """Show the probability of the words, in a role's colour, their place and their sentence."""
        self.source.set_full_text(place.source, place.document)
        self.source.setVisible(bool(place.document))
        cell = "\n" + localised(place.cell).replace(": ", f":{_NBSP}") if place.cell else ""
        read = f"\n{localised(place.recognised)}" if place.recognised else ""
        where = (" · " if place.where else "") + localised(place.where) + cell + read
        quiet = f"color: {self._theme.colour('ink_quiet').name()}"
        self.likely.set_runs((likely, self._strong(role)), (where, quiet))
        _explain(self.likely, wording.sure_of_both(place.probability, no_answer))
        self._sentence.set_text(place.sentence, (place.start, place.end), faint=faint, unsure=place.unsure)
        self._sentence.show()
        self.copy.setVisible(sure)
        self._save.setVisible(sure and not self.formats.isEmpty())

    def _strong(self, role: str) -> str:
        return f"color: {self._theme.colour(role).name()}; font-weight: 600"

    @Slot()
    def _copy_clicked(self) -> None:
        self.copy_requested.emit(0)

    @Slot(bool)
    def _nearest_toggled(self, on: bool) -> None:
        self._name_nearest()
        self.nearest_requested.emit(on)

    def _name_nearest(self) -> None:
        shown = self.nearest.isChecked()
        self.nearest.setText(tr("Hide") if shown else tr("Why not?"))
        self.nearest.setAccessibleName(
            tr("Hide the nearest words") if shown else tr("Why not? Show the nearest words")
        )

    @Slot()
    def _rest_copy(self) -> None:
        self._copied_timer.stop()
        self.copy.setText(_COPY)

    @Slot(QAction)
    def _format_chosen(self, action: QAction) -> None:
        self.save_requested.emit(str(action.data()))


def _named(place: Place) -> str:
    where = ", ".join(filter(None, (localised(place.where), localised(place.recognised))))
    return ", ".join(filter(None, (place.source, where))) if place.document else where


def _explain(label: QLabel, explained: str) -> None:
    label.setToolTip(as_tip(explained))
    label.setAccessibleDescription(localised(explained))
