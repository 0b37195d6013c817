"""All spans of a window by their first and last token, as a heat map of start + end logits."""

from __future__ import annotations

import math

from app.core.inside import SpanScores
from app.core.message import Message
from app.core.wording import percent
from app.ui.inspect.charts.matrix import Matrix
from app.ui.inspect.charts.token_bars import NO_SCORES, RUNNERS_UP
from app.ui.inspect.charts.tokens import labels_of, words_between
from app.ui.kit.chart import Table, number, summed
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# Longer spans are not shown: answers are shorter, and the matrix stays a band.
BAND = 48


class SpanMatrix(Matrix):
    """Start tokens down, end tokens across; only spans that may be an answer, at most 48 tokens long.

    The chosen span's cell is outlined, runners-up are dotted.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme, tr("Spans by start and end"), tr("Start"), tr("End"), tr("Start + end logits")
        )
        self._scores = NO_SCORES
        self._text, self._pair = "", ""

    def set_scores(self, scores: SpanScores, text: str = "", pair: str = "") -> None:
        """Show a window's spans, with their words from the text."""
        self._scores, self._text, self._pair = scores, text, pair
        labels = labels_of(scores.window, text, pair)
        cells, low, high = _levels(scores)
        marks = [(span.first, span.last) for span in scores.spans[: 1 + RUNNERS_UP]]
        self.set_cells(labels, cells, (number(low), number(high)), marks)

    def score(self, row: int, column: int) -> float:
        """A span's start + end logits."""
        return self._scores.start_logits[row] + self._scores.end_logits[column]

    def probability(self, row: int, column: int) -> float:
        """A span's share of the softmax over the window's spans and its null score."""
        scores, score = self._scores, self.score(row, column)
        # Relative to the likelier of the best span and the null score: the other may have underflowed to 0.
        if scores.spans and scores.spans[0].probability > scores.null_probability:
            return min(1.0, scores.spans[0].probability * math.exp(score - scores.spans[0].score))
        return min(1.0, scores.null_probability * math.exp(score - scores.null_score))

    def lines(self, row: int, column: int) -> tuple[str, ...]:
        scores = self._scores
        if not self.level(row, column):
            return (tr("No span that may be an answer begins here"),)
        start, end = scores.start_logits[row], scores.end_logits[column]
        return (
            tr("“{words}”", words=words_between(scores.window, row, column, self._text, self._pair)),
            tr("Tokens {first} to {last}", first=row + 1, last=column + 1),
            tr("Score {sum}", sum=summed(start, end)),
            tr("Probability {percent}", percent=percent(self.probability(row, column))),
        )

    def table(self) -> Table:
        """Every cell's span, the best first."""
        columns = (
            Message("first token"), Message("last token"), Message("words"), Message("start logit"),
            Message("end logit"), Message("score"), Message("probability"),
        )  # fmt: skip
        scores = self._scores
        cells = sorted(
            (
                (self.score(row, column), row, column)
                for row in range(self.count())
                for column in range(row, min(self.count(), row + BAND))
                if self.level(row, column)
            ),
            key=lambda cell: (-cell[0], cell[1], cell[2]),
        )
        return Table(
            columns,
            tuple(
                (
                    row + 1,
                    column + 1,
                    words_between(scores.window, row, column, self._text, self._pair),
                    scores.start_logits[row],
                    scores.end_logits[column],
                    score,
                    self.probability(row, column),
                )
                for score, row, column in cells
            ),
        )


def _levels(scores: SpanScores) -> tuple[bytes, float, float]:
    """A level for each cell (0 for no candidate), row by row, and the lowest and highest score."""
    side = len(scores.window.tokens)
    rows: dict[int, list[float | None]] = {}
    for row, (start, may) in enumerate(zip(scores.start_logits, scores.candidates, strict=True)):
        if may:
            ends = zip(scores.end_logits[row : row + BAND], scores.candidates[row : row + BAND], strict=True)
            rows[row] = [start + end if fits else None for end, fits in ends]
    known = [value for values in rows.values() for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    reach = max(high - low, 1e-9)
    cells = bytearray(side * side)
    for row, values in rows.items():
        # Squared: most spans have low scores, and colour is reserved for those that do not.
        line = bytes(0 if value is None else 1 + int(254 * ((value - low) / reach) ** 2) for value in values)
        cells[row * side + row : row * side + row + len(line)] = line
    return bytes(cells), low, high
