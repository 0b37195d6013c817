"""The section Why this answer: attribution to tokens, the score without each sentence, and attention."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox

from app.core.inside import Attention, Attribution, InputWindow, Part, Removals
from app.core.inspection import LookAtAttention, LookAtReasons, LookWithout, Method, Target
from app.core.legible import legible
from app.core.message import Message
from app.core.models import Head, ModelCard, ProblemType
from app.core.text import Span
from app.ui.inspect.charts.attention import AttentionGrid, AttentionHeads, AttentionLines
from app.ui.inspect.charts.score_change import ScoreChange
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.charts.tokens import labels_of
from app.ui.inspect.section import Section, SectionCard, choice_box
from app.ui.inspect.visit import window_words
from app.ui.kit.chart import link, number, signed
from app.ui.kit.parts import ElidedChoice, Label, plain_label
from app.ui.kit.score_bars import nice_label
from app.ui.kit.segments import Segments
from app.ui.kit.spoken import name_choice, sentences
from app.ui.kit.translation import tr

_METHODS = (
    (Method.INTEGRATED_GRADIENTS, Message("In many small steps")),
    (Method.GRADIENT_INPUT, Message("In one step")),
)
_TERMS = {
    Method.INTEGRATED_GRADIENTS: Message("integrated gradients, Sundararajan et al. 2017"),
    Method.GRADIENT_INPUT: Message("gradient × input, Shrikumar et al. 2016"),
}
_LINES, _GRID = "lines", "grid"


class WhySection(Section):
    """A card each for the attribution to tokens, the score without each sentence, and attention."""

    KEY = "why"
    TITLE = Message("Why this answer")
    TERM = Message("attribution, leaving out, attention")
    ABOUT = Message(
        "Three ways to ask what the result rests on. None of them is the whole truth: the first shares the score out"
        " over the tokens, the second takes a sentence away and sees what becomes of the score, the third shows where"
        " each token looks inside the layers."
    )

    def build(self) -> None:
        theme = self.theme
        self._method = Segments(
            theme, tr("How the score is shared out"), tuple((str(k), t) for k, t in _METHODS)
        )
        self._method.select(str(Method.INTEGRATED_GRADIENTS))
        self._method.chosen.connect(self._query_shares)
        self._method_term = plain_label(ink="quiet", wrap=False)
        self._targets = choice_box(tr("What is explained"), self._target_chosen)
        self._facts, self._summary = plain_label(), plain_label()
        self._text = self.main = TokenText(theme, tr("What speaks for it"))
        self._change = ScoreChange(theme)
        self._change_bar = self.chart_bar(self._change)
        self._shares_card = SectionCard(
            theme,
            tr("Which words speak for it"),
            tr("attribution"),
            tr(
                "Amber ground speaks for the result, blue against it; the stronger, the more. The numbers are in"
                " logits, the score’s own unit."
            ),
            *(self._facts, self._text, self.chart_bar(self._text)),
            tools=(self._targets, self._method, self._method_term),
        )
        self._removals_card = SectionCard(
            theme,
            tr("Without a sentence"),
            tr("leave one out"),
            tr(
                "Each sentence is taken out in turn and the rest read anew. Where the score falls much, the result"
                " rested on that sentence."
            ),
            *(self._summary, self._change, self._change_bar),
        )
        self._attention = AttentionCard(self)
        self.add(self._shares_card, self._removals_card, self._attention)

    def begin(self) -> None:
        self._targets.clear()
        for title, target in targets(self.visit.subject.head, self.card):
            self._targets.addItem(title, target)
        self._targets.setEnabled(self._targets.count() > 1)
        self._attention.begin()  # first, since its query is the quickest
        for part in (self._shares_card, self._removals_card):
            part.content.hide()
        self._target_chosen()

    @Slot()
    def _target_chosen(self) -> None:
        self._query_shares()
        request = LookWithout(self.visit.subject, self._targets.currentData())
        self.query(request, tr("Reading without each sentence"), self._show_removals)

    @Slot()
    def _query_shares(self) -> None:
        method = Method(self._method.selected())
        self._method_term.setText(_TERMS[method])
        request = LookAtReasons(self.visit.subject, self._targets.currentData(), method)
        self.query(request, tr("Following the score back to the words"), self._show_shares)

    @Slot(object)
    def _show_shares(self, found: Attribution) -> None:
        subject = self.visit.subject
        self._text.set_window(found.window, subject.text, subject.pair)
        self._text.set_values(found.shares, Message("logits"))
        if found.method is Method.INTEGRATED_GRADIENTS:
            meaning = tr(
                "With padding in place of all words it would be {baseline}, a difference of {difference}; the shares"
                " of the words add up to {sum}, off by {gap} ({steps} steps).",
                baseline=number(found.baseline),
                difference=signed(found.score - found.baseline),
                sum=signed(sum(found.shares)),
                gap=number(abs(found.gap)),
                steps=found.steps,
            )
        else:
            meaning = tr(
                "One step tells the slope at this very text; the shares need not add up to the score."
            )
        self._facts.setText(sentences(window_words(found.window), _score_words(found), meaning))
        self._shares_card.content.show()

    @Slot(object)
    def _show_removals(self, found: Removals) -> None:
        values = self.card.problem is ProblemType.REGRESSION
        self._change.set_removals(found, values=values)
        for widget in (self._change, self._change_bar):
            widget.setVisible(bool(found.sentences))
        most = max(found.sentences, key=lambda one: found.score - one.score, default=None)
        if most is None:
            words = tr("The text has no sentence that could be taken out.")
        elif most.score < found.score:
            falls = tr(
                "Without “{sentence}” it falls to {score}.",
                sentence=legible(most.text, 80),
                score=number(most.score),
            )
            words = sentences(_score_words(found), falls)
        else:
            words = sentences(_score_words(found), tr("There is no sentence without which it falls."))
        self._summary.setText(words)
        self._removals_card.content.show()


def _score_words(found: Attribution | Removals) -> str:
    return tr("Score of {target}: {score}.", target=found.target, score=number(found.score))


def targets(head: Head, card: ModelCard) -> list[tuple[str, Target]]:
    """The scores that can be explained, each with its title; the default comes first."""
    match head:
        case Head.QUESTION_ANSWERING:
            return [(tr("For the answer"), Target()), (tr("For “the text does not say”"), Target(null=True))]
        case Head.NEXT_SENTENCE:
            follows, other = Target("follows"), Target("other")
            return [(tr("For “it follows”"), follows), (tr("For “it does not follow”"), other)]
        case Head.CLASSIFICATION if card.problem is not ProblemType.REGRESSION:
            classes = [(tr("For {label}", label=nice_label(label)), Target(label)) for label in card.labels]
            return [(tr("For the likeliest class"), Target()), *classes]
        case Head.MASKED_WORDS:
            return [(tr("For the likeliest word"), Target())]
    return [(tr("The result itself"), Target())]


class AttentionCard(SectionCard):
    """The card of attention: a choice of layer and head, with its weights as lines from one token, or all as a grid."""

    def __init__(self, section: Section) -> None:
        theme = section.theme
        self._layer, self._head = ElidedChoice(), ElidedChoice()
        name_choice(self._layer, tr("Layer"))
        name_choice(self._head, tr("Attention head"))
        self._drawing = Segments(theme, tr("How it is drawn"), ((_LINES, tr("Lines")), (_GRID, tr("Grid"))))
        self._drawing.select(_LINES)
        self._heads, self._lines, self._grid = (
            AttentionHeads(theme),
            AttentionLines(theme),
            AttentionGrid(theme),
        )
        link(self._lines, self._grid)
        self._bars = {_LINES: section.chart_bar(self._lines), _GRID: section.chart_bar(self._grid)}
        super().__init__(
            theme,
            tr("Where each token looks"),
            tr("attention, softmax(QKᵀ / √d)"),
            tr(
                "In every layer each head shares one whole out over all tokens: what a token takes up comes from where"
                " it looks. Looking somewhere is not yet a reason: much of it goes to special tokens such as [SEP],"
                " which means nowhere in particular."
            ),
            *(self._heads, self._lines, self._grid, *self._bars.values()),
            tools=(Label(tr("Layer")), self._layer, Label(tr("Head")), self._head, self._drawing),
        )
        self._section = section
        self._layer.activated.connect(self._request)
        self._head.activated.connect(self._choose_head)
        self._drawing.chosen.connect(self._draw_as)
        self._heads.chosen.connect(self._choose_head)
        self._draw_as(_LINES)

    def begin(self) -> None:
        """Hide the content, and query the chosen layer, which is the first one at the start."""
        self.content.hide()
        self._request()

    @Slot()
    def _request(self) -> None:
        request = LookAtAttention(self._section.visit.subject, max(0, self._layer.currentIndex()))
        self._section.query(request, tr("Looking at the attention"), self._show)

    @Slot(object)
    def _show(self, found: Attention) -> None:
        subject = self._section.visit.subject
        _offer_numbers(self._layer, found.layers, found.layer)
        head = min(max(0, self._head.currentIndex()), found.heads - 1)
        _offer_numbers(self._head, found.heads, head)
        labels = labels_of(found.window, subject.text, subject.pair)
        for chart in (self._heads, self._lines, self._grid):
            chart.set_attention(found, labels)
        self._choose_head(head)
        start = _first_token(found.window, subject.focus)
        for chart in (self._lines, self._grid):
            chart.set_current(start)
        self.content.show()

    @Slot(int)
    def _choose_head(self, head: int) -> None:
        self._head.setCurrentIndex(head)
        for chart in (self._heads, self._lines, self._grid):
            chart.set_head(head)

    @Slot(str)
    def _draw_as(self, way: str) -> None:
        self._lines.setVisible(way == _LINES)
        self._grid.setVisible(way == _GRID)
        for key, bar in self._bars.items():
            bar.setVisible(key == way)


def _offer_numbers(box: QComboBox, count: int, current: int) -> None:
    """Offer the numbers from 1 to `count`, and choose the one at index `current`."""
    if box.count() != count:
        box.clear()
        box.addItems([tr("{number} of {count}", number=at, count=count) for at in range(1, count + 1)])
    box.setCurrentIndex(current)


def _first_token(window: InputWindow, focus: Span | None) -> int:
    """The index of the first token of the focus (the answer, blank or name), else of the text."""
    spans = [(at, token.span) for at, token in enumerate(window.tokens) if token.part is Part.TEXT]
    return next(
        (at for at, span in spans if focus and span and span.overlaps(focus)), spans[0][0] if spans else 0
    )
