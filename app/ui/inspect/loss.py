"""The loss with the lit answer, the model's own result or the selected words as gold, term by term."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDoubleSpinBox, QPlainTextEdit, QSizePolicy, QTextEdit

from app.core.inside import Losses
from app.core.inspection import Example, LookAtLoss, Subject
from app.core.legible import legible
from app.core.message import Message
from app.core.models import Head, ModelCard, ProblemType
from app.core.name_types import plain_type
from app.core.results import Classifications, FilledText, Reading, TaggedTexts
from app.core.text import Offsets, Span
from app.flows.heads.inspect import compare
from app.ui.inspect.charts.loss_terms import LossTerms
from app.ui.inspect.section import Section, choice_box
from app.ui.inspect.visit import window_words
from app.ui.kit.boxes import row
from app.ui.kit.parts import Label, plain_label
from app.ui.kit.score_bars import nice_label
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_CLAMPED = Message(
    "A place outside the window is first moved back to the window’s length, one past its last token, and that place is"
    " then ignored."
)
_UNDEFINED = Message(
    "Nothing is left to take a mean of: the sum is 0 and so is the count, and 0 divided by 0 is not a number. That is"
    " what transformers returns. Spanlight’s training adds nothing for such an example, so that one window without"
    " its answer cannot spoil all weights."
)
_HALF = Message(
    "One of the two means has nothing left to be taken of: 0 divided by 0 is not a number, and neither is its sum with"
    " the other. That is what transformers returns. Spanlight’s training adds only the half that is defined."
)
_ONE_LABEL = Message(
    "This model has one label, and its config does not name the kind of problem. Spanlight takes the label for yes or"
    " no: binary cross-entropy. transformers takes it for a value: squared error. So the two differ here."
)


class Gold(NamedTuple):
    """A result that can be taken for the right one, with its title."""

    title: str
    example: Example


def golds(subject: Subject, card: ModelCard, result: object = None) -> tuple[Gold, ...]:
    """What can be taken for right without a selection, the likeliest first.

    Empty if the model's own result is needed for it, and where a blank has no word.
    """
    match subject.head, result:
        case Head.NEXT_SENTENCE, _:
            return Gold(tr("It follows"), Example(follows=True)), Gold(
                tr("It does not"), Example(follows=False)
            )
        case Head.QUESTION_ANSWERING, _ if subject.focus is not None:
            return Gold(_quoted(subject.focus, subject), Example(subject.focus)), *_without_answer(subject)
        case Head.QUESTION_ANSWERING, Reading(answers=answers):
            best = [answer.span for answer in answers[:1]]
            return *(Gold(_quoted(span, subject), Example(span)) for span in best), *_without_answer(subject)
        case Head.MASKED_WORDS, _:
            found = result.blanks if isinstance(result, FilledText) else ()
            guesses = [blank.guesses[0].word if blank.guesses else "" for blank in found]
            hidden = [_hidden_word(blank, subject.text) for blank in subject.blanks]
            words = tuple(
                word or guess for word, guess in zip(hidden, guesses or [""] * len(hidden), strict=True)
            )
            return (Gold(", ".join(words), Example(words=words)),) if all(words) else ()
        case Head.CLASSIFICATION, Classifications(items=(found, *_)):
            if card.problem is ProblemType.REGRESSION:
                return (Gold("", Example(value=round(found.scores[0].probability, 1))),)
            labels = [score.label for score in sorted(found.scores, key=lambda score: -score.probability)]
            each = tuple(Gold(nice_label(label), Example(labels=(label,))) for label in labels)
            if card.problem is ProblemType.SINGLE_LABEL:
                return each
            fitting = tuple(score.label for score in found.fitting)
            several = Gold(", ".join(map(nice_label, fitting)) or tr("None of them"), Example(labels=fitting))
            return several, *(gold for gold in each if gold.example != several.example)
        case Head.TOKEN_CLASSIFICATION, TaggedTexts(items=(found, *_)):
            names = tuple((name.span, name.label) for name in found.entities)
            listed = ", ".join(
                f"{name.text} ({localised(plain_type(name.label))})" for name in found.entities
            )
            some = (Gold(listed, Example(entities=names)),) if names else ()
            return *some, Gold(tr("No names"), Example())
    return ()


def selected_golds(selected: Span, subject: Subject, card: ModelCard, usual: Example) -> tuple[Gold, ...]:
    """What selected words can be taken for: the answer, or a name of each type beside the `usual` example's names."""
    quoted = _quoted(selected, subject)
    if subject.head is Head.QUESTION_ANSWERING:
        return (Gold(quoted, Example(selected)),)
    others = [entity for entity in usual.entities if not entity[0].overlaps(selected)]
    types = dict.fromkeys(label.partition("-")[2] or label for label in card.labels if label != "O")
    return tuple(
        Gold(
            f"{quoted}: {localised(plain_type(each))}",
            Example(entities=tuple(sorted([*others, (selected, each)]))),
        )
        for each in types
    )


def _quoted(span: Span, subject: Subject) -> str:
    return tr("“{words}”", words=legible(span.of(subject.text), 60))


def _without_answer(subject: Subject) -> tuple[Gold, Gold]:
    end = len(subject.text)
    outside = Example(Span(end, end + 1))  # a place that lies in no window of the text
    return Gold(tr("The text does not say"), Example()), Gold(tr("An answer beyond what is read"), outside)


def _hidden_word(blank: Span, text: str) -> str:
    """The word of the text that a blank hides; empty for a typed blank, such as ___ or [MASK]."""
    words = blank.of(text)
    return words if any(map(str.isalnum, words)) and words[0] not in "[<" else ""


class GoldText(QPlainTextEdit):
    """The read-only text with the gold in it lit. `selected` carries the Span of the words that the user selected."""

    selected = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self._offsets = Offsets("")
        self._lit: tuple[Span, ...] = ()
        self._pause = QTimer(self)  # until a selection by mouse or keys has come to rest
        self._pause.setSingleShot(True)
        self._pause.setInterval(250)
        self._pause.timeout.connect(self._emit_selected)
        self.selectionChanged.connect(self._pause.start)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("Text with what is right"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        mark(self, type="quote")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str) -> None:
        """Show this text with nothing lit."""
        self._text, self._offsets = text, Offsets(text)
        self.setPlainText(text)
        self._pause.stop()
        self.light()
        self.updateGeometry()

    def light(self, *places: Span) -> None:
        """Light these places, and bring the first into view unless words are selected."""
        self._lit = tuple(place for place in places if place.end <= len(self._text))
        cursors = [self._cursor(place) for place in self._lit]
        lit = []
        for cursor in cursors:
            light = QTextEdit.ExtraSelection()
            light.cursor = cursor
            look = QTextCharFormat()
            look.setBackground(self._theme.colour("answer_ground"))
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            look.setUnderlineColor(self._theme.colour("answer_line"))
            light.format = look
            lit.append(light)
        self.setExtraSelections(lit)
        if cursors and not self.textCursor().hasSelection():
            start = self.textCursor()
            start.setPosition(cursors[0].selectionStart())
            self.setTextCursor(start)

    def selection(self) -> Span | None:
        """The selected words, without spaces at their ends; None for none."""
        cursor = self.textCursor()
        start = self._offsets.to_point(cursor.selectionStart())
        words = self._text[start : self._offsets.to_point(cursor.selectionEnd())]
        start += len(words) - len(words.lstrip())
        return Span(start, start + len(words.strip())) if words.strip() else None

    def select(self, place: Span) -> None:
        """Select these words, as with the mouse."""
        self.setTextCursor(self._cursor(place))

    def sizeHint(self) -> QSize:
        lines = min(9, max(2, len(self._text) // 100 + self._text.count("\n") + 1))
        return QSize(self._theme.step(80), lines * self.fontMetrics().lineSpacing() + self._theme.step(4))

    def _cursor(self, place: Span) -> QTextCursor:
        start, end = self._offsets.span_to_qt(place)
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    @Slot()
    def _emit_selected(self) -> None:
        selection = self.selection()
        if selection is not None:
            self.selected.emit(selection)

    @Slot()
    def _restyle(self) -> None:
        self.light(*self._lit)


class LossSection(Section):
    """A choice of the gold result, the terms of its loss, and their total."""

    KEY = "loss"
    TITLE = Message("The loss")
    TERM = Message("cross-entropy")
    ABOUT = Message(
        "The loss says how far the model is from what is right. Training makes it smaller, and nothing else: each term"
        " takes the probability that the model gives to what is right, and its logarithm with the sign turned is the"
        " cost."
    )
    ABOUT_VALUE = Message(
        "The loss says how far the model is from what is right. Training makes it smaller, and nothing else. This"
        " model gives a value: the difference between it and the right one, squared, is the cost."
    )

    def build(self) -> None:
        self._usual: tuple[Gold, ...] = ()
        self._choice = choice_box(tr("What is right"), self._request)
        self._choice.setPlaceholderText(tr("Nothing is known to be right"))
        self._value = QDoubleSpinBox()
        self._value.setAccessibleName(tr("The right value"))
        self._value.setRange(-1e6, 1e6)
        self._value.setDecimals(3)
        self._value.valueChanged.connect(self._request)
        self._hint = plain_label(tr("Select other words of the text to see their loss."), ink="quiet")
        self._text = GoldText(self.theme)
        self._text.selected.connect(self._take_selection)
        self._chart = self.main = LossTerms(self.theme)
        self._words = plain_label()
        self.body.addLayout(row(self.theme, Label(tr("What is right")), self._choice, self._value, 1, gap=4))
        self.add(self._text, self._hint)
        self.add_results(self._chart, self._words, self.bar(self._chart))

    def begin(self) -> None:
        subject = self.visit.subject
        marked = subject.head in (Head.QUESTION_ANSWERING, Head.TOKEN_CLASSIFICATION)
        self.about.setText(self.ABOUT_VALUE if self._regression else self.ABOUT)
        self._choice.setVisible(not self._regression)
        self._value.setVisible(self._regression)
        self._hint.setVisible(marked)
        self._text.setVisible(marked)
        self._text.show_text(subject.text)
        self._choice.clear()
        self._usual = golds(subject, self.card)
        if self._usual:
            self._offer_golds(self._usual)
        else:
            words = tr("Looking for the model’s own result")
            self.run(compare, subject, (self.visit.model,), words=words, shown=self._offer)

    @Slot(object)
    def _offer(self, results: tuple[object, ...]) -> None:
        """Offer what the model itself finds to be right."""
        self._usual = golds(self.visit.subject, self.card, results[0])
        if self._usual and self._regression:
            with QSignalBlocker(self._value):
                self._value.setValue(self._usual[0].example.value)
        self._offer_golds(self._usual)

    @Slot(object)
    def _take_selection(self, selected: Span) -> None:
        """Take the selected words for right."""
        usual = self._usual[0].example if self._usual else Example()
        self._offer_golds((*selected_golds(selected, self.visit.subject, self.card, usual), *self._usual))

    def _offer_golds(self, offered: tuple[Gold, ...]) -> None:
        self._choice.clear()
        for title, example in offered:
            self._choice.addItem(legible(title, 70), example)
        self._choice.setCurrentIndex(0)
        self._choice.setEnabled(len(offered) > 1)
        if offered:
            self._request()

    @Slot()
    def _request(self) -> None:
        example = Example(value=self._value.value()) if self._regression else self._choice.currentData()
        self._text.light(*_places(example))
        subject = self.visit.subject
        if subject.focus is None and self._usual:
            # The window that holds the model's own answer, whatever is taken for right in it.
            subject = replace(subject, focus=self._usual[0].example.answer)
        self.ask(LookAtLoss(subject, example), tr("Computing the loss"), self._show)

    @Slot(object)
    def _show(self, losses: Losses) -> None:
        self._chart.set_losses(losses)
        if math.isnan(losses.by_model):
            words: list[str] = [_CLAMPED, _HALF if any(term.counted for term in losses.terms) else _UNDEFINED]
        elif self._regression:
            words = [
                tr(
                    "The smaller, the better: 0 would mean that the model’s value is the right one; {loss:.3g} is the"
                    " cost here.",
                    loss=losses.total,
                )
            ]
        else:
            words = [
                tr(
                    "The smaller, the better: 0 would mean that the model was certain of what is right; {loss:.3g} is"
                    " the cost here.",
                    loss=losses.total,
                )
            ]
        if self._treated_as_regression(losses):
            words.append(_ONE_LABEL)
        self._words.setText(sentences(window_words(losses.window), *map(localised, words)))
        self.show_results()

    @property
    def _regression(self) -> bool:
        return self.visit.subject.head is Head.CLASSIFICATION and self.card.problem is ProblemType.REGRESSION

    def _treated_as_regression(self, losses: Losses) -> bool:
        """Whether transformers treats the model's only label as a value, because no problem type is configured."""
        one = len(self.card.labels) == 1 and self.card.problem is ProblemType.MULTI_LABEL
        return one and not math.isclose(losses.total, losses.by_model, rel_tol=1e-3, abs_tol=1e-5)


def _places(example: Example) -> list[Span]:
    """Where an example's answer or names stand in the text."""
    answer = [example.answer] if example.answer is not None else []
    return [*answer, *(place for place, _ in example.entities)]
