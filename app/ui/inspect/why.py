"""Why this answer: shares of the tokens, the score without each sentence, and attention."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from app.core.inside import Attribution, Removals
from app.core.inspection import LookAtReasons, LookWithout, Method, Target
from app.core.models import Head, ProblemType
from app.flows.workspace import Workspace
from app.ui.inspect.attention import AttentionPart
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.score_change import ScoreChange
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.part import Part
from app.ui.inspect.section import Section
from app.ui.inspect.words import window_words
from app.ui.kit.chart import number, signed
from app.ui.kit.jobs import Lanes
from app.ui.kit.score_bars import nice_label
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme

_METHODS = (
    (Method.INTEGRATED_GRADIENTS, "In many small steps"),
    (Method.GRADIENT_INPUT, "In one step"),
)
_TERMS = {
    Method.INTEGRATED_GRADIENTS: "integrated gradients, Sundararajan et al. 2017",
    Method.GRADIENT_INPUT: "gradient × input, Shrikumar et al. 2016",
}
_NULL = "null"


class WhySection(Section):
    """Three parts: shares of the tokens, the score without each sentence, attention."""

    KEY = "why"
    TITLE = "Why this answer"
    TERM = "attribution, leaving out, attention"
    ABOUT = (
        "Three ways to ask what the result rests on. None of them is the whole truth: the first shares the score out"
        " over the tokens, the second takes a sentence away and sees what becomes of the score, the third shows where"
        " each token looks inside the layers."
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._sharing = self.query(self._show_shares)
        self._leaving = self.query(self._show_removals)
        self._attribution: Attribution | None = None
        self._method = Segments(theme, "How the score is shared out", tuple((str(k), t) for k, t in _METHODS))
        self._method.select(str(Method.INTEGRATED_GRADIENTS))
        self._method.chosen.connect(self._share)
        self._term = QLabel()
        self._term.setProperty("ink", "quiet")
        self._targets = QComboBox()
        self._targets.setAccessibleName("What is explained")
        self._targets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._targets.activated.connect(self._target_chosen)
        self._facts = QLabel()
        self._facts.setWordWrap(True)
        self._text = TokenText(theme, "What speaks for it")
        self._change = ScoreChange(theme)
        self._shares = Part(
            theme, "Which words speak for it", "attribution",
            "Amber ground speaks for the result, blue against it; the stronger, the more. The numbers are in logits,"
            " the score’s own unit.",
        )  # fmt: skip
        self._shares.tools(self._targets, self._method, self._term)
        self._shares.add(self._facts, self._text, bar_of(self, self._text))
        self._without = Part(
            theme, "Without a sentence", "leave one out",
            "Each sentence is taken out in turn and the rest read anew. Where the score falls much, the result rested"
            " on that sentence.",
        )  # fmt: skip
        self._summary = QLabel()
        self._summary.setWordWrap(True)
        self._change_bar = bar_of(self, self._change)
        self._without.add(self._summary, self._change, self._change_bar)
        self._attention = AttentionPart(self)
        for part in (self._shares, self._without, self._attention):
            self.body.addWidget(part)
        self.body.addStretch(1)

    def begin(self) -> None:
        self._attribution = None
        for part in (self._shares, self._without):
            part.hide_content()
        self._offer_targets()
        self._attention.begin()  # the quickest comes first
        self._share()
        self._leave_out()

    def numbers(self) -> str:
        return self._text.csv() if self._attribution is not None else ""

    # The explained score

    def _offer_targets(self) -> None:
        head, labels = self.visit.subject.head, self.card.labels if self.card is not None else ()
        choices: list[tuple[str, str]] = [("The result itself", "")]
        if head is Head.QUESTION_ANSWERING:
            choices = [("For the answer", ""), ("For “the text does not say”", _NULL)]
        elif head is Head.NEXT_SENTENCE:
            choices = [("For “it follows”", "follows"), ("For “it does not follow”", "other")]
        elif head is Head.CLASSIFICATION and self.card and self.card.problem is not ProblemType.REGRESSION:
            choices = [
                ("For the likeliest class", ""),
                *((f"For {nice_label(label)}", label) for label in labels),
            ]
        elif head is Head.MASKED_WORDS:
            choices = [("For the likeliest word", "")]
        self._targets.clear()
        for title, value in choices:
            self._targets.addItem(title, value)
        self._targets.setEnabled(len(choices) > 1)

    def target(self) -> Target:
        """The score to explain."""
        value = self._targets.currentData() or ""
        return Target(null=True) if value == _NULL else Target(label=value)

    @Slot()
    def _target_chosen(self) -> None:
        self._share()
        self._leave_out()

    @Slot()
    def _share(self) -> None:
        method = Method(self._method.selected() or Method.INTEGRATED_GRADIENTS)
        self._term.setText(_TERMS[method])
        request = LookAtReasons(self.visit.subject, self.target(), method)
        self._sharing.start(request, "Following the score back to the words")

    def _leave_out(self) -> None:
        request = LookWithout(self.visit.subject, self.target())
        self._leaving.start(request, "Reading without each sentence")

    # Results

    @Slot(object)
    def _show_shares(self, found: Attribution) -> None:
        self._attribution = found
        subject = self.visit.subject
        self._text.set_window(found.window, subject.text, subject.pair)
        self._text.set_values(found.shares, "logits")
        words = f"{window_words(found.window)}Score of {found.target}: {number(found.score)}."
        if found.method is Method.INTEGRATED_GRADIENTS:
            words += (
                f" With padding in place of all words it would be {number(found.baseline)}, a difference of"
                f" {signed(found.score - found.baseline)}; the shares of the words add up to"
                f" {signed(sum(found.shares))}, off by {number(abs(found.gap))} ({found.steps} steps)."
            )
        else:
            words += " One step tells the slope at this very text; the shares need not add up to the score."
        self._facts.setText(words)
        self._shares.show_content()

    @Slot(object)
    def _show_removals(self, found: Removals) -> None:
        value = self.card is not None and self.card.problem is ProblemType.REGRESSION
        self._change.set_removals(found, values=value)
        for widget in (self._change, self._change_bar):
            widget.setVisible(bool(found.sentences))
        most = max(found.sentences, key=lambda one: found.score - one.score, default=None)
        if most is None:
            words = "The text has no sentence that could be taken out."
        elif most.score < found.score:
            words = (
                f"Score of {found.target}: {number(found.score)}. Without “{_short(most.text)}” it falls to"
                f" {number(most.score)}."
            )
        else:
            words = f"Score of {found.target}: {number(found.score)}. There is no sentence without which it falls."
        self._summary.setText(words)
        self._without.show_content()


def _short(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
