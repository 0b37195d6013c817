"""The card with the answer in large type, its probability and place, or with the statement that nothing answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QWidget

from app.core import wording
from app.core.message import Message
from app.ui.ask.run import AskRun, RunState, TextState
from app.ui.document.marks.places import Place
from app.ui.kit.boxes import column, flow
from app.ui.kit.flow_text import FlowText
from app.ui.kit.parts import ElidedLabel, StyledLabel, as_tip, look_button, plain_label, push_button
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.ui.kit.verdict_row import VerdictRow

_VERY_LIKELY = 0.9
_COPY = Message("Copy")
_NBSP = "\N{NO-BREAK SPACE}"


class AnswerCard(QFrame):
    """The result of the question: an answer, the best so far, words with low confidence, or that nothing answers.

    `chosen` carries the index of its answer, 0, on a click and on Enter, and so does `copy_requested` on the button and
    on Ctrl+C. `formats` is the menu of the formats to save the answers in, each action with the format's key. The other
    buttons are `nearest`, to show the words nearest to an answer, `again`, to ask about a text that has changed,
    `whole`, to read every passage where only the best were read, and `look`, to see how the model came to the answer.
    """

    chosen = Signal(int)
    copy_requested = Signal(int)

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
        self._save.setMenu(self.formats)
        self.look = look_button(theme, bare=True)
        self.nearest = QPushButton()
        self.nearest.setCheckable(True)
        self.again = push_button(theme, tr("Ask again"))
        self.whole = push_button(theme, tr("Read every passage"))
        buttons = (self.copy, self._save, self.look, self.nearest, self.again, self.whole)
        mark(*buttons, kind="small", type="small")
        self._column = column(
            theme, self.source, self.over, self.answer, self.likely, self.note, self._sentence, self.facts,
            flow(theme, *buttons, gap=1.5), gap=2.5, margins=(4, 4, 4, 4), parent=self,
        )  # fmt: skip
        self._copied_timer = QTimer(self, interval=1600, singleShot=True)
        self._copied_timer.timeout.connect(self._rest_copy)
        self.copy.clicked.connect(partial(self.copy_requested.emit, 0))
        self.nearest.toggled.connect(self._name_nearest)
        self._name_nearest()
        self.hide()

    @cached_property
    def verdicts(self) -> VerdictRow:
        """The buttons for verdicts on the answer, created when they are first needed."""
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
        """Set the formats to save the answers in, as keys and names; without any the button is hidden."""
        self.formats.clear()
        for key, name in formats:
            self.formats.addAction(localised(name)).setData(key)

    def show_run(self, run: AskRun) -> None:
        """Show what was found so far: an answer, words with low confidence, or that nothing answers."""
        place = run.place(0) if run.answers() else None
        is_shown = run.judged().shown is not None
        respelt = localised(wording.read_as(run.reading.read_as)) if run.reading is not None else ""
        over = "\n".join(filter(None, (respelt, localised(_over(run)))))
        for label, words in ((self.over, over), (self.facts, run.facts())):
            label.setText(words)
            label.setVisible(bool(words))
        tip = tr("Put a word in quotation marks to have it read as it is typed") if respelt else ""
        self.over.setToolTip(as_tip(tip))
        for widget in (self.source, self._sentence, self.copy, self._save, self.whole, self.look):
            widget.hide()
        # Not hidden first, as the others are: it may have the focus.
        self.nearest.setVisible(place is not None and not is_shown)
        _explain(self.likely, "")
        self.set_note("")
        self._rest_copy()
        spoken = (
            self._show_words(run, place) if place is not None and is_shown else self._show_none(run, place)
        )
        self.look.setVisible(not run.is_running and run.text is TextState.SAME and not run.is_across)
        self.setAccessibleName(sentences(self.over.text(), *map(localised, spoken)))
        self.show()

    def _show_words(self, run: AskRun, place: Place) -> tuple[str, ...]:
        """Show an answer, or words with low confidence, paler while reading goes on; returns the texts to speak."""
        reading, sure = run.judged(), not run.is_running
        no_answer = reading.no_answer_probability
        if reading.best is not None:
            likely = wording.best_of(place.probability, no_answer)
            role = "likely" if sure and place.probability >= _VERY_LIKELY else "ink"
            self.answer.set_text(place.text, role="ink" if sure else "ink_quiet")
            spoken: tuple[str, ...] = (tr("Answer: {words}", words=place.text), likely, _place_name(place))
        else:
            likely, role = wording.low_confidence(place.probability), "accent"
            self.answer.set_text(place.text, (0, len(place.text)), faint=True)
            self.set_note(wording.NEAREST_WORDS)
            spoken = (f"{localised(likely)}: {place.text}", _place_name(place), wording.NEAREST_WORDS)
        self.source.set_full_text(place.source, place.document)
        self.source.setVisible(bool(place.document))
        cell = "\n" + localised(place.cell).replace(": ", f":{_NBSP}") if place.cell else ""
        read = f"\n{localised(place.recognised)}" if place.recognised else ""
        where = (" · " if place.where else "") + localised(place.where) + cell + read
        quiet = f"color: {self._theme.colour('ink_quiet').name()}"
        self.likely.set_runs((likely, self._strong(role)), (where, quiet))
        _explain(self.likely, wording.sure_of_both(place.probability, no_answer))
        faint = reading.best is None or run.state is not RunState.DONE
        self._sentence.set_text(place.sentence, (place.start, place.end), faint=faint, unsure=place.unsure)
        self._sentence.show()
        self.copy.setVisible(sure)
        self._save.setVisible(sure and not self.formats.isEmpty())
        return spoken

    def _show_none(self, run: AskRun, place: Place | None) -> tuple[str, ...]:
        """Show that nothing answers, and the nearest words where they are wanted; returns the texts to speak."""
        no_answer, whole = run.judged().no_answer_probability, run.judged_whole
        _, likely = wording.without_answer(no_answer, whole=whole)
        self.answer.set_text(localised(run.no_answer).rstrip("."))
        self.likely.set_runs(
            (likely, self._strong("likely" if no_answer >= _VERY_LIKELY and whole else "ink"))
        )
        with QSignalBlocker(self.nearest):
            self.nearest.setChecked(run.shows_nearest)
        self._name_nearest()
        if run.shows_nearest and place is not None:
            self._sentence.set_text(place.sentence, (place.start, place.end), faint=True, unsure=place.unsure)
            self._sentence.show()
            self.set_note(
                tr(
                    "The nearest words are not sure enough ({percent}, {place})."
                    " How sure an answer must be is set below.",
                    percent=wording.percent(place.probability),
                    place=_place_name(place),
                )
            )
            self.copy.show()
        return run.no_answer, likely

    def set_note(self, note: str, *, again: bool = False) -> None:
        """Set the note on the answer shown; `again` shows the button that asks again."""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.again.setVisible(again)
        if again:  # the changed text may not have the nearest words
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

    def _strong(self, role: str) -> str:
        return f"color: {self._theme.colour(role).name()}; font-weight: 600"

    @Slot()
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


def _over(run: AskRun) -> str:
    """Return the line above the result: how far the reading is, or, where nothing answers, what was not read."""
    reading = run.judged()
    if reading.shown is not None:
        if run.state in (RunState.PAUSED, RunState.STOPPED):
            return tr("{note}: the best so far", note=run.note)
        return tr("Provisional: still reading") if run.is_running else ""
    if run.state is RunState.STOPPED:
        return run.note
    if run.unrecognised:
        return tr(
            "{n:,} page was not read: the text in its picture is not recognised.",
            "{n:,} pages were not read: the text in their pictures is not recognised.",
            n=run.unrecognised,
        )
    return wording.best_passages(reading.share_of_text) if reading.quick and run.library is None else ""


def _place_name(place: Place) -> str:
    where = ", ".join(filter(None, (localised(place.where), localised(place.recognised))))
    return ", ".join(filter(None, (place.source, where))) if place.document else where


def _explain(label: QLabel, explained: str) -> None:
    label.setToolTip(as_tip(explained))
    label.setAccessibleDescription(localised(explained))
