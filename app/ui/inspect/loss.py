"""The loss of a labelled example, term by term."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel, QWidget

from app.core.inside import Losses, SpanScores
from app.core.inspection import LookAtLoss, LookAtSpans
from app.core.models import Head, ProblemType
from app.core.report import Report
from app.core.requests import TextsToClassify, TextsToTag, TextToFill
from app.core.results import Classifications, FilledText, TaggedTexts
from app.flows.heads.classify import classify
from app.flows.heads.fill import fill
from app.flows.heads.names import find_names
from app.flows.workspace import Workspace
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.loss_terms import LossTerms
from app.ui.inspect.example_forms import ClassForm, ExampleForm, FollowForm, WordsForm
from app.ui.inspect.example_marking import AnswerForm, NamesForm
from app.ui.inspect.section import Section
from app.ui.inspect.words import window_words
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme

_FORMS: dict[Head, Callable[[Theme], ExampleForm]] = {
    Head.QUESTION_ANSWERING: AnswerForm,
    Head.CLASSIFICATION: ClassForm,
    Head.MASKED_WORDS: WordsForm,
    Head.NEXT_SENTENCE: FollowForm,
    Head.TOKEN_CLASSIFICATION: NamesForm,
}
_NO_FOCUS = Qt.FocusPolicy.NoFocus
_CLAMPED = (
    "A place outside the window is first moved back to the window’s length, one past its last token, and that place is"
    " then ignored."
)
_UNDEFINED = (
    "Nothing is left to take a mean of: the sum is 0 and so is the count, and 0 divided by 0 is not a number. That is"
    " what transformers returns. Spanlight’s training adds nothing for such an example, so that one window without"
    " its answer cannot spoil all weights."
)
_HALF = (
    "One of the two means has nothing left to be taken of: 0 divided by 0 is not a number, and neither is its sum with"
    " the other. That is what transformers returns. Spanlight’s training adds only the half that is defined."
)
_ONE_LABEL = (
    "This model has one label, and its config does not name the kind of problem. Spanlight takes the label for yes or"
    " no: binary cross-entropy. transformers takes it for a value: squared error. So the two differ here."
)
_DEFINED = (
    "The smaller, the better: 0 would mean that the model was certain of what is right; {0} is the cost here."
)
_REGRESSION_LOSS = (
    "The smaller, the better: 0 would mean that the model’s value is the right one; {0} is the cost here."
)


class LossSection(Section):
    """The example's gold label, the terms of its loss, and their total."""

    KEY = "loss"
    TITLE = "The loss"
    TERM = "cross-entropy"
    ABOUT = (
        "The loss says how far the model is from what is right. Training makes it smaller, and nothing else: each term"
        " takes the probability that the model gives to what is right, and its logarithm with the sign turned is the"
        " cost. Say here what would be right, and see the cost of it."
    )
    ABOUT_VALUE = (
        "The loss says how far the model is from what is right. Training makes it smaller, and nothing else. This"
        " model gives a value: the difference between it and the right one, squared, is the cost. Say here what would"
        " be right, and see the cost of it."
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._forms: dict[Head, ExampleForm] = {}
        self._suggesting = self.query(self._suggested)
        self._losing = self.query(self._show)
        self._chart = LossTerms(theme)
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._wanting = QLabel()
        self._wanting.setProperty("ink", "quiet")
        self._tools = bar_of(self, self._chart)
        for widget in (self._wanting, self._chart, self._words, self._tools):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def begin(self) -> None:
        head = self.visit.subject.head
        self._show_nothing()
        value = head is Head.CLASSIFICATION and self._problem is ProblemType.REGRESSION
        self.about.setText(self.ABOUT_VALUE if value else self.ABOUT)
        if head not in self._forms:
            form = self._forms[head] = _FORMS[head](self.theme)
            form.changed.connect(self._request)
            self.body.insertWidget(0, form)
        for each, form in self._forms.items():
            form.setVisible(each is head)
        self._form.begin(self.visit.subject, self.card)
        self._order_keys()
        if head is Head.QUESTION_ANSWERING and self.visit.subject.focus is None:
            self._suggesting.start(LookAtSpans(self.visit.subject), "Looking for the answer")
        elif head is Head.CLASSIFICATION and self.card is not None:
            read = TextsToClassify((self.visit.subject.text,))
            self._suggesting.start_flow(
                _classes, read, self.visit.model, words="Looking for the likeliest class"
            )
        elif head is Head.MASKED_WORDS and self._form.example() is None:
            blanks = TextToFill(self.visit.subject.text, self.visit.subject.blanks, top_k=1)
            self._suggesting.start_flow(
                _words, blanks, self.visit.model, words="Looking for the likeliest words"
            )
        elif head is Head.TOKEN_CLASSIFICATION:
            texts = TextsToTag((self.visit.subject.text,))
            self._suggesting.start_flow(_names, texts, self.visit.model, words="Looking for names")
        else:
            self._request()

    def numbers(self) -> str:
        return self._chart.csv() if self._chart.count() else ""

    def _order_keys(self) -> None:
        """Have Tab reach the form before the chart below it, whenever its fields were created."""
        below = [self._chart, *self._tools.findChildren(QWidget)]
        order = [
            one
            for one in (*self._form.findChildren(QWidget), *below)
            if one.focusPolicy() != _NO_FOCUS
            and one.window() is self.window()  # a drop-down list is a window of its own
        ]
        for one, after in pairwise(order):
            QWidget.setTabOrder(one, after)

    @property
    def _problem(self) -> ProblemType:
        return self.card.problem if self.card is not None else ProblemType.SINGLE_LABEL

    @property
    def _form(self) -> ExampleForm:
        return self._forms[self.visit.subject.head]

    @Slot(object)
    def _suggested(self, found: object) -> None:
        """Preset the form with the model's own prediction."""
        form = self._form
        if isinstance(found, SpanScores) and isinstance(form, AnswerForm) and found.spans:
            form.suggest(found.spans[0].span)
        if isinstance(found, Classifications) and isinstance(form, ClassForm):
            form.suggest(found.items[0])
        if isinstance(found, TaggedTexts) and isinstance(form, NamesForm):
            form.suggest(tuple((name.span, name.label) for name in found.items[0].entities))
        if isinstance(found, FilledText) and isinstance(form, WordsForm):
            form.suggest(tuple(blank.guesses[0].word if blank.guesses else "" for blank in found.blanks))
        self._request()

    @Slot()
    def _request(self) -> None:
        example = self._form.example()
        self._wanting.setText(self._form.missing())
        self._wanting.setVisible(example is None)
        if example is None:
            self._losing.drop()
            self.clear_progress()
            self._show_nothing()
        else:
            self._losing.start(LookAtLoss(self.visit.subject, example), "Computing the loss")

    @Slot(object)
    def _show(self, losses: Losses) -> None:
        self._chart.set_losses(losses)
        if not math.isnan(losses.by_model):
            value = self._problem is ProblemType.REGRESSION
            words = (_REGRESSION_LOSS if value else _DEFINED).format(f"{losses.total:.3g}")
        elif any(term.counted for term in losses.terms):
            words = f"{_CLAMPED} {_HALF}"
        else:
            words = f"{_CLAMPED} {_UNDEFINED}"
        if self._treated_as_regression(losses):
            words += f" {_ONE_LABEL}"
        self._words.setText(window_words(losses.window) + words)
        self._show_result(True)

    def _treated_as_regression(self, losses: Losses) -> bool:
        """Whether transformers treats the model's only label as a value, because no problem type is configured."""
        one = (
            self.card is not None and len(self.card.labels) == 1 and self._problem is ProblemType.MULTI_LABEL
        )
        return one and not math.isclose(losses.total, losses.by_model, rel_tol=1e-3, abs_tol=1e-5)

    def _show_nothing(self) -> None:
        self._chart.set_losses(None)
        self._show_result(False)

    def _show_result(self, shown: bool) -> None:
        for widget in (self._chart, self._words, self._tools):
            widget.setVisible(shown)


def _classes(workspace: Workspace, texts: TextsToClassify, model: str, report: Report) -> Classifications:
    return classify(workspace, texts, report, model=model)


def _words(workspace: Workspace, blanks: TextToFill, model: str, report: Report) -> FilledText:
    return fill(workspace, blanks, report, model=model)


def _names(workspace: Workspace, texts: TextsToTag, model: str, report: Report) -> TaggedTexts:
    return find_names(workspace, texts, report, model=model)
