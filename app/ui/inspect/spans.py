"""The section Start and end: the start and end logits of every token, and the spans that they score."""

from __future__ import annotations

from PySide6.QtCore import Slot

from app.core.inside import SpanScores
from app.core.inspection import LookAtSpans
from app.core.message import Message
from app.core.models import Head
from app.core.wording import percent
from app.ui.inspect.charts.export import NumbersTable
from app.ui.inspect.charts.span_matrix import SpanMatrix
from app.ui.inspect.charts.token_bars import LOGITS, PROBABILITIES, RUNNERS_UP, TokenBars
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.section import Section, SectionCard
from app.ui.kit.chart import Table, link, number, summed
from app.ui.kit.parts import plain_label
from app.ui.kit.segments import Segments
from app.ui.kit.translation import tr


class SpansSection(Section):
    """The window's text, bars of start and end logits, the best spans as a list, and all spans as a matrix."""

    KEY = "spans"
    TITLE = Message("Start and end")
    TERM = Message("start and end logits, BERT, Devlin et al. 2019, section 4.2")
    ABOUT = Message(
        "For every token the head gives two numbers: how well an answer would begin there, and how well it would end"
        " there. A span’s score is the sum of its first token’s start and its last token’s end; the span with the"
        " largest sum is the answer. (In a long text it also counts how many of the question’s words stand near.) The"
        " same sum at the special token at the front, the null score, stands for “the text does not say”."
    )
    HEADS = (Head.QUESTION_ANSWERING,)

    def build(self) -> None:
        theme = self.theme
        self._scores: SpanScores | None = None
        self._facts = plain_label()
        self._text = TokenText(theme, tr("The text that was read"))
        self._bars = self.main = TokenBars(theme)
        self._matrix = SpanMatrix(theme)
        self._list = NumbersTable(theme, tr("The best spans"))
        self._list.row_reached.connect(self._mark_listed)
        measure = Segments(
            theme,
            tr("Shown as"),
            ((LOGITS, tr("Scores (logits)")), (PROBABILITIES, tr("Probabilities"))),
        )
        measure.select(LOGITS)
        measure.chosen.connect(self._bars.set_measure)
        tokens = SectionCard(
            theme,
            tr("Each token as first and last"),
            tr("start and end logits"),
            tr(
                "Bars point away from the words: upwards for a beginning, downwards for an end. Pale tokens cannot be"
                " part of an answer or score below zero; the dashed line is the special token at the front."
            ),
            *(self._text, self._bars, self.chart_bar(self._bars)),
            tools=(measure,),
        )
        best = SectionCard(
            theme,
            tr("The best spans"),
            tr("n-best"),
            tr(
                "The chosen one first, then the runners-up that do not overlap a better one. The probability is a"
                " span’s share among all spans of this window and the null score."
            ),
            self._list,
        )
        matrix = SectionCard(
            theme,
            tr("Every span"),
            tr("start × end"),
            tr(
                "One cell for each span: its first token to the left, its last token above. Spans of more than 48"
                " tokens are left out."
            ),
            *(self._matrix, self.chart_bar(self._matrix)),
        )
        self.add_results(self._facts, tokens, best, matrix)
        link(self._text, self._bars, self._matrix)
        for chart in (self._text, self._bars):
            self._matrix.cell_hovered.connect(chart.mark_span)

    def begin(self) -> None:
        self.query(LookAtSpans(self.visit.subject), tr("Reading the start and end scores"), self._show)

    @Slot(object)
    def _show(self, scores: SpanScores) -> None:
        self._scores = scores
        subject = self.visit.subject
        self._text.set_window(scores.window, subject.text, subject.pair)
        spans = [(span.first, span.last) for span in scores.spans]
        self._text.set_spans(spans[0] if spans else None, spans[1 : 1 + RUNNERS_UP])
        self._bars.set_scores(scores, subject.text, subject.pair)
        self._matrix.set_scores(scores, subject.text, subject.pair)
        self._list.set_table(span_table(scores))
        self._facts.setText(describe_best_span(scores))
        self.show_results()

    @Slot(int)
    def _mark_listed(self, row: int) -> None:
        """Mark a span of the list in the text, the bars and the matrix, and for the null score its token."""
        scores = self._scores
        if scores is None:
            return
        span = scores.spans[row] if row < len(scores.spans) else None
        first, last = (span.first, span.last) if span is not None else (0, 0)
        self._text.mark_span(first, last)
        self._bars.mark_span(first, last)
        for chart in (self._text, self._bars):
            chart.set_current(first)
        if span is not None:
            self._matrix.set_cell(first, last)


def span_table(scores: SpanScores) -> Table:
    """The best spans, then the null score."""
    rows: list[tuple[str | int | float, ...]] = []
    for at, span in enumerate(scores.spans):
        start, end = scores.start_logits[span.first], scores.end_logits[span.last]
        place = f"{span.first + 1}" if span.first == span.last else f"{span.first + 1}–{span.last + 1}"
        words = " ".join(span.text.split())
        rows.append((at + 1, words, place, start, end, span.score, span.probability))
    null = Message("{token}: the text does not say", token=scores.window.tokens[0].piece)
    rows.append(
        (len(rows) + 1, null, "1", scores.start_logits[0], scores.end_logits[0], scores.null_score,
         scores.null_probability)
    )  # fmt: skip
    columns = (
        Message("rank"), Message("words"), Message("tokens"), Message("start logit"), Message("end logit"),
        Message("score"), Message("probability"),
    )  # fmt: skip
    return Table(columns, tuple(rows))


def describe_best_span(scores: SpanScores) -> str:
    """Sentences on the chosen span: its score as a sum, and how that compares with the null score."""
    # No line break between a number and its per cent sign.
    return _best_span_sentences(scores).replace("< 1", "<\u00a01").replace("> 99", ">\u00a099")


def _best_span_sentences(scores: SpanScores) -> str:
    window = scores.window
    values: dict[str, object] = {
        "number": window.number + 1, "count": window.windows, "token": window.tokens[0].piece,
        "null": summed(scores.start_logits[0], scores.end_logits[0]),
    }  # fmt: skip
    several = window.windows > 1
    if not scores.spans:
        none = (
            tr("No span in window {number} of {count} can be an answer.", **values)
            if several
            else tr("No span can be an answer.")
        )
        null = tr("The null score, at {token}, is {null}.", **values)
        return f"{none} {null}"
    best = scores.spans[0]
    lead = best.score - scores.null_score
    values |= {
        "words": " ".join(best.text.split()), "percent": percent(best.probability),
        "sum": summed(scores.start_logits[best.first], scores.end_logits[best.last]),
        "null_percent": percent(scores.null_probability), "lead": number(abs(lead)),
    }  # fmt: skip
    # The inspected span may be a runner-up that the user came from.
    if best.score >= max(span.score for span in scores.spans):
        found = (
            tr(
                "The best span in window {number} of {count} is “{words}”: start and end are {sum}, {percent} among"
                " all spans of this window.",
                **values,
            )
            if several
            else tr(
                "The best span is “{words}”: start and end are {sum}, {percent} among all spans of this window.",
                **values,
            )
        )
    else:
        found = (
            tr(
                "The span looked at in window {number} of {count} is “{words}”: start and end are {sum}, {percent}"
                " among all spans of this window.",
                **values,
            )
            if several
            else tr(
                "The span looked at is “{words}”: start and end are {sum}, {percent} among all spans of this window.",
                **values,
            )
        )
    verdict = (
        tr(
            "The null score, at {token}, is {null} ({null_percent}): the answer lies {lead} above it.",
            **values,
        )
        if lead > 0
        else tr(
            "The null score, at {token}, is {null} ({null_percent}): the span lies {lead} below it.", **values
        )
    )
    return f"{found} {verdict}"
