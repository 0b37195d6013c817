"""The section The loss: the terms of the loss, with the answer, the model's own result or selected words as gold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit

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
from app.ui.kit.parts import Label, NumberBox, plain_label
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
    """An example that can be taken for right, with its title."""

    title: str
    example: Example


def golds(subject: Subject, card: ModelCard, result: object = None) -> tuple[Gold, ...]:
    """The examples to offer as gold without a selection, the likeliest first.

    None before the model's own result is known, if that is needed, and none where a blank has no word.
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


def selected_golds(
    selected: Span, subject: Subject, types: Sequence[str], default: Example
) -> tuple[Gold, ...]:
    """The examples to offer as gold for selected words.

    They are the answer, or a name of each of the model's `types`, beside the names of the `default` example.
    """
    quoted = _quoted(selected, subject)
    if subject.head is Head.QUESTION_ANSWERING:
        return (Gold(quoted, Example(selected)),)
    others = [entity for entity in default.entities if not entity[0].overlaps(selected)]
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
    outside = Example(Span(end, end + 1))  # in no window of the text
    return Gold(tr("The text does not say"), Example()), Gold(tr("An answer beyond what is read"), outside)


def _hidden_word(blank: Span, text: str) -> str:
    """The word of the text that a blank covers; empty for a typed blank, such as ___ or [MASK]."""
    words = blank.of(text)
    return words if any(map(str.isalnum, words)) and words[0] not in "[<" else ""


class GoldText(QPlainTextEdit):
    """The read-only text with the gold highlighted. `selected` carries the Span of words that the user selected."""

    selected = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self._offsets = Offsets("")
        self._highlighted: tuple[Span, ...] = ()
        self._selection_timer = QTimer(self)  # a selection counts once it has not changed for a while
        self._selection_timer.setSingleShot(True)
        self._selection_timer.setInterval(250)
        self._selection_timer.timeout.connect(self._emit_selected)
        self.selectionChanged.connect(self._selection_timer.start)
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
        """Show this text, with nothing highlighted."""
        self._text, self._offsets = text, Offsets(text)
        self.setPlainText(text)
        self._selection_timer.stop()
        self.highlight()
        self.updateGeometry()

    def highlight(self, *spans: Span) -> None:
        """Highlight these spans, and scroll to the first unless words are selected."""
        self._highlighted = tuple(span for span in spans if span.end <= len(self._text))
        cursors = [self.cursor_of(span) for span in self._highlighted]
        style = QTextCharFormat()
        style.setBackground(self._theme.colour("answer_ground"))
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        style.setUnderlineColor(self._theme.colour("answer_line"))
        selections = []
        for cursor in cursors:
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = cursor, style
            selections.append(selection)
        self.setExtraSelections(selections)
        if cursors and not self.textCursor().hasSelection():
            start = self.textCursor()
            start.setPosition(cursors[0].selectionStart())
            self.setTextCursor(start)

    def selection(self) -> Span | None:
        """The span of the selected words, without whitespace at its ends; None for none."""
        cursor = self.textCursor()
        start = self._offsets.to_point(cursor.selectionStart())
        words = self._text[start : self._offsets.to_point(cursor.selectionEnd())]
        start += len(words) - len(words.lstrip())
        return Span(start, start + len(words.strip())) if words.strip() else None

    def sizeHint(self) -> QSize:
        lines = min(9, max(2, len(self._text) // 100 + self._text.count("\n") + 1))
        return QSize(self._theme.step(80), lines * self.fontMetrics().lineSpacing() + self._theme.step(4))

    def cursor_of(self, span: Span) -> QTextCursor:
        """A cursor that selects a span."""
        start, end = self._offsets.span_to_qt(span)
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
        self.highlight(*self._highlighted)


class LossSection(Section):
    """A choice of the gold, the terms of its loss, and their totals."""

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
        self._default_golds: tuple[Gold, ...] = ()
        self._name_types: tuple[str, ...] = ()
        self._choice = choice_box(tr("What is right"), self._query_loss)
        self._choice.setPlaceholderText(tr("Nothing is known to be right"))
        self._value = NumberBox(3)
        self._value.setAccessibleName(tr("The right value"))
        self._value.setRange(-1e6, 1e6)
        self._value.valueChanged.connect(self._query_loss)
        self._hint = plain_label(tr("Select other words of the text to see their loss."), ink="quiet")
        self._text = GoldText(self.theme)
        self._text.selected.connect(self._offer_selection)
        self._chart = self.main = LossTerms(self.theme)
        self._words = plain_label()
        self.body.addLayout(row(self.theme, Label(tr("What is right")), self._choice, self._value, 1, gap=4))
        self.add(self._text, self._hint)
        self.add_results(self._chart, self._words, self.chart_bar(self._chart))

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
        self._default_golds, self._name_types = golds(subject, self.card), ()
        if self._default_golds:
            self._offer_golds(self._default_golds)
        else:
            words = tr("Looking for the model’s own result")
            self.run_flow(compare, subject, (self.visit.model,), status=words, on_result=self._offer_result)

    @Slot(object)
    def _offer_result(self, results: tuple[object, ...]) -> None:
        """Offer the model's own result as gold."""
        result = results[0]
        self._default_golds = golds(self.visit.subject, self.card, result)
        if isinstance(result, TaggedTexts):
            self._name_types = result.labels
        if self._default_golds and self._regression:
            with QSignalBlocker(self._value):
                self._value.setValue(self._default_golds[0].example.value)
        self._offer_golds(self._default_golds)

    @Slot(object)
    def _offer_selection(self, selected: Span) -> None:
        """Offer the selected words as gold, before the default choices."""
        default = self._default_golds[0].example if self._default_golds else Example()
        subject = self.visit.subject
        self._offer_golds(
            (*selected_golds(selected, subject, self._name_types, default), *self._default_golds)
        )

    def _offer_golds(self, offered: tuple[Gold, ...]) -> None:
        self._choice.clear()
        for title, example in offered:
            self._choice.addItem(legible(title, 70), example)
        self._choice.setCurrentIndex(0)
        self._choice.setEnabled(len(offered) > 1)
        if offered:
            self._query_loss()

    @Slot()
    def _query_loss(self) -> None:
        example = Example(value=self._value.value()) if self._regression else self._choice.currentData()
        self._text.highlight(*_gold_spans(example))
        subject = self.visit.subject
        if subject.focus is None and self._default_golds:
            # Look at the window with the model's own answer, whatever is taken for right in it.
            subject = replace(subject, focus=self._default_golds[0].example.answer)
        self.query(LookAtLoss(subject, example), tr("Computing the loss"), self._show)

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
        """Whether transformers takes the model's only label for a value, since its config names no problem type."""
        one = len(self.card.labels) == 1 and self.card.problem is ProblemType.MULTI_LABEL
        return one and not math.isclose(losses.total, losses.by_model, rel_tol=1e-3, abs_tol=1e-5)


def _gold_spans(example: Example) -> list[Span]:
    """The spans of an example's answer or names."""
    answer = [example.answer] if example.answer is not None else []
    return [*answer, *(span for span, _ in example.entities)]
