"""The card of a classification: the winning class in large type, all classes below; and the foot of result cards."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.core import wording
from app.core.models import ProblemType
from app.core.results import Classification
from app.ui.kit.boxes import column, flow
from app.ui.kit.parts import look_button, plain_label
from app.ui.kit.score_bars import ScoreBars, ScoreRow, breakable, nice_label
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import format_number, tr

# Of a headline: the most labels or values in it, and the most characters in the largest type.
_MOST_IN_LARGE, _LONGEST_IN_LARGE = 4, 48


def headline(item: Classification) -> str:
    """The headline: the winning class, the labels that apply, or a regression head's values."""
    if item.problem == ProblemType.REGRESSION:
        if len(item.scores) > _MOST_IN_LARGE:
            return tr("{n:,} value", "{n:,} values", n=len(item.scores))
        return ", ".join(format_number(score.probability, ".2f") for score in item.scores)
    if item.problem == ProblemType.MULTI_LABEL and not item.fitting:
        if len(item.scores) == 1:
            return tr("Not {label}", label=nice_label(item.scores[0].label))
        return tr("None of them")
    fitting = [nice_label(s.label) for s in sorted(item.fitting, key=lambda s: -s.probability)]
    if len(fitting) > _MOST_IN_LARGE:
        named = fitting[: _MOST_IN_LARGE - 1]
        fitting = [*named, tr("{number} more", number=len(fitting) - len(named))]
    return ", ".join(fitting)


def confidence_in_words(item: Classification) -> str:
    """The confidence, in words and as a number; empty for a regression head."""
    if item.problem == ProblemType.REGRESSION:
        return ""
    if item.problem == ProblemType.MULTI_LABEL and not item.winner:
        highest = max((score.probability for score in item.scores), default=0.0)
        if len(item.scores) == 1:
            return wording.likely(1 - highest)
        return tr("Every label is below one half, the highest at {percent}", percent=wording.percent(highest))
    if len(item.fitting) > 1:
        least, most = (wording.percent(pick(s.probability for s in item.fitting)) for pick in (min, max))
        number, total = len(item.fitting), len(item.scores)
        if least == most:
            return tr("{number} of {total} apply, each {percent}", number=number, total=total, percent=least)
        return tr(
            "{number} of {total} apply, from {least} to {most}",
            number=number,
            total=total,
            least=least,
            most=most,
        )
    if item.problem == ProblemType.SINGLE_LABEL and item.probability < 0.5:
        return tr(
            "Unsure: the likeliest of {number}, {percent}",
            number=len(item.scores),
            percent=wording.percent(item.probability),
        )
    return wording.likely(item.probability)


def score_rows(item: Classification) -> tuple[ScoreRow, ...]:
    """A row for each class, the likeliest first; a regression head's values in the model's order, without bars."""
    if item.problem == ProblemType.REGRESSION:
        return tuple(
            ScoreRow(nice_label(s.label), None, format_number(s.probability, ".4g")) for s in item.scores
        )
    fitting = {score.label for score in item.fitting}
    return tuple(
        ScoreRow(
            nice_label(score.label),
            score.probability,
            wording.percent(score.probability),
            best=score.label in fitting,
        )
        for score in sorted(item.scores, key=lambda s: -s.probability)
    )


class CardFoot(QWidget):
    """Buttons, the last of them Look inside, above the source line. `look_requested` is sent by Look inside."""

    look_requested = Signal()

    def __init__(self, theme: Theme, *buttons: QPushButton) -> None:
        super().__init__()
        look = look_button(theme)
        look.clicked.connect(self.look_requested)
        self.source = plain_label(type="small", ink="quiet")
        column(theme, flow(theme, *buttons, look), self.source, gap=2, parent=self)
        self.source.hide()

    def show_source(self, source: str) -> None:
        """Show which model computed the result; an empty text hides the line."""
        self.source.setText(source)
        self.source.setVisible(bool(source))


class ClassCard(QFrame):
    """The card of one text's classification."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._headline = ""
        self._winner, self._sure = plain_label(), plain_label(type="strong")
        self._bars = ScoreBars(theme)
        self._length = plain_label(type="small", ink="quiet")
        self.foot = CardFoot(theme)
        parts = (self._winner, self._sure, self._bars, self._length, self.foot)
        column(theme, *parts, gap=2, margins=(3, 4, 3, 4), parent=self)
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("Classification"))
        # The bars leave room for their focus ring: everything else is aligned with their text.
        for widget in (self._winner, self._sure, self._length, self.foot):
            theme.in_steps(widget.setContentsMargins, 1, 0, 1, 0)

    def show_item(self, item: Classification, source: str) -> None:
        """Show a classification; `source` names the model, the device and the time."""
        self._headline = headline(item)
        self._winner.setText(breakable(self._headline))
        large = len(self._headline) <= _LONGEST_IN_LARGE  # a class name may be a full sentence
        mark(self._winner, type="winner" if large else "title")
        self._sure.setText(confidence_in_words(item))
        self._sure.setVisible(bool(self._sure.text()))
        certain = bool(item.fitting) and min(score.probability for score in item.fitting) >= 0.9
        mark(self._sure, ink="likely" if certain else "")
        self._bars.set_rows(score_rows(item))
        self._length.setVisible(item.windows > 1)
        self._length.setText(
            tr(
                "A long text: read whole in {n:,} window, then pooled.",
                "A long text: read whole in {n:,} windows, then pooled.",
                n=item.windows,
            )
        )
        self.foot.show_source(source)
        self.setAccessibleDescription(sentences(self._headline, self._sure.text()))

    def text(self) -> str:
        """The result as a line of text, for copying."""
        return f"{self._headline} ({self._sure.text()})" if self._sure.text() else self._headline
