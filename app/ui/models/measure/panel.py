"""The details of one measure, or the comparison of two of the same examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame

from app.core.measures import (
    Comparison,
    Figure,
    Measure,
    examples,
    figure,
    model_names,
    share,
    speed,
    verdict,
)
from app.core.message import Message
from app.core.models import model_title
from app.core.wording import percent
from app.ui.kit.boxes import column, row, turn
from app.ui.kit.parts import ElidedChoice, as_tip, draw_line, plain_label
from app.ui.kit.score_bars import PaintedRows, ScoreBars, ScoreRow, draw_bar
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.words import when

_NO_OTHER = Message("Measure another model on the same examples, and the two can be compared here.")
_ANY_WIDTH = 16_777_215  # Qt's value for no maximum width
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


@dataclass(frozen=True, slots=True)
class PairCell:
    """A model's number as text, its share of the bar (0 to 1, None for no bar), and whether it is the better one."""

    number: str
    fraction: float | None
    better: bool = False


@dataclass(frozen=True, slots=True)
class PairRow:
    """A figure's title, its meaning, and a cell for each model; None if a model has no such figure."""

    title: str
    tip: str
    cells: tuple[PairCell | None, ...]


class MeasurePairs(PaintedRows):
    """A row for each figure, below a heading with the models' names if there are two."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Figures side by side"))
        self._names: tuple[str, ...] = ()
        self._rows: tuple[PairRow, ...] = ()

    def show_rows(self, names: Sequence[str], rows: Sequence[PairRow]) -> None:
        """Show these figures of the models of these names."""
        self._names, self._rows = tuple(names), tuple(rows)
        self.setAccessibleDescription(self.text().strip().replace("\t", " ").replace("\n", ", "))
        self.updateGeometry()
        self.update()

    def rows(self) -> tuple[PairRow, ...]:
        """The shown rows."""
        return self._rows

    def text(self) -> str:
        lines = ["\t".join(("", *self._names))]
        for each in self._rows:
            lines.append("\t".join((each.title, *(cell.number if cell else "" for cell in each.cells))))
        return "\n".join([*lines, ""])

    def sizeHint(self) -> QSize:
        high = (self._headings() + len(self._rows)) * self.row_height() + self._theme.step(2)
        return QSize(self._theme.step(40 + 40 * len(self._names)), high)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(34 + 22 * len(self._names)), self.sizeHint().height())

    def tip(self, at: int) -> str:
        if at < self._headings():
            return ", ".join(self._names)
        at -= self._headings()
        return self._rows[at].tip if at < len(self._rows) else ""

    def draw_rows(self, painter: QPainter, whole: QRectF, shown: QRect) -> None:
        theme, high = self._theme, self.row_height()
        whole.setHeight(high)
        if self._headings():
            for at, name in enumerate(self._names):
                draw_line(painter, theme, self._cell(whole, at), name, "strong", "ink", _MIDDLE)
            whole.translate(0, high)
        for each in self._rows:
            title = QRectF(whole.left(), whole.top(), self._title_width() - theme.step(2), high)
            draw_line(painter, theme, title, each.title, "ui", "ink_quiet", _MIDDLE)
            for at, cell in enumerate(each.cells):
                if cell is not None:
                    self._paint_cell(painter, self._cell(whole, at), cell)
            whole.translate(0, high)

    def _headings(self) -> int:
        return int(len(self._names) > 1)

    def _paint_cell(self, painter: QPainter, rect: QRectF, cell: PairCell) -> None:
        theme = self._theme
        number = QRectF(rect.left(), rect.top(), self._number_width(), rect.height())
        draw_line(painter, theme, number, cell.number, "strong" if cell.better else "ui", "ink", _MIDDLE)
        left = number.right() + theme.step(2)
        if cell.fraction is not None and rect.right() - left > theme.step(6):
            bar = QRectF(left, rect.center().y() - theme.step(0.875), rect.right() - left, theme.step(1.75))
            draw_bar(painter, theme, bar, cell.fraction, faint=not cell.better and len(self._names) > 1)

    def _cell(self, row: QRectF, at: int) -> QRectF:
        left = self._title_width()
        gap = self._theme.step(5)
        wide = (row.width() - left - gap * (len(self._names) - 1)) / max(1, len(self._names))
        return QRectF(row.left() + left + at * (wide + gap), row.top(), wide, row.height())

    def _title_width(self) -> float:
        metrics = QFontMetrics(self._theme.font("ui"))
        return max(
            (metrics.horizontalAdvance(row.title) for row in self._rows), default=0
        ) + self._theme.step(4)

    def _number_width(self) -> float:
        metrics = QFontMetrics(self._theme.font("strong"))
        numbers = [cell.number for row in self._rows for cell in row.cells if cell is not None]
        return max(map(metrics.horizontalAdvance, numbers), default=0) + self._theme.step(1)

    def row_height(self) -> int:
        return QFontMetrics(self._theme.font("strong")).height() + self._theme.step(2.5)


class MeasurePanel(QFrame):
    """The figures of a measure, which can be compared with another one of the same examples.

    `other_chosen` carries the Measure to compare with, or None.
    """

    other_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = plain_label(type="answer", selectable=True)
        self._facts = plain_label(type="small", ink="quiet", selectable=True)
        self._verdict = plain_label(selectable=True)
        self._with = plain_label(tr("Compare with"), wrap=False)
        self.other = ElidedChoice()
        self.other.setAccessibleName(tr("Compare with"))
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.other.activated.connect(self._activated)
        theme.in_steps(self.other.setMaximumWidth, 110)
        self._with.setBuddy(self.other)
        self.pairs = MeasurePairs(theme)
        self.counts = ScoreBars(theme)
        self.counts.setAccessibleName(tr("Which examples were answered rightly"))
        head = row(theme, (self._title, 1), self._with, self.other, gap=2)
        # The figures leave room for their focus ring: their text is aligned with the words above.
        words = column(theme, head, self._facts, self._verdict, gap=2, margins=(1, 0, 0, 0))
        self._sides = row(theme, (self.pairs, 5), (self.counts, 3), 0, gap=6)
        column(theme, words, self._sides, gap=2, margins=(4, 4, 5, 4), parent=self)
        self.setProperty("kind", "card")

    def minimumSizeHint(self) -> QSize:
        """The least size, in pixels: that of the figures, since the counts are below them in a narrow window."""
        least = self.pairs.minimumSizeHint().width() + 2 * self._theme.step(5)
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the counts to the right of the figures, or below them."""
        super().resizeEvent(event)
        turn(self._sides, beside=event.size().width() >= self._theme.step(190))

    def verdict(self) -> str:
        """The sentence on the comparison or, without one, on how to get one."""
        return self._verdict.text()

    def show_one(self, measure: Measure, others: Sequence[Measure]) -> None:
        """Show one measure; `others` are offered for comparison."""
        facts = tr(
            "{examples}, on {device}, {moment}",
            examples=_examples_line(measure), device=measure.device, moment=when(measure.when, within=True),
        )  # fmt: skip
        self._describe(model_title(measure.model), facts, "" if others else _NO_OTHER)
        self._offer(others, None)
        self.pairs.show_rows((model_title(measure.model),), _rows((measure,)))
        self.pairs.setMaximumWidth(self._theme.step(150))
        self.counts.hide()
        self.setAccessibleName(f"{model_title(measure.model)}, {_examples_line(measure)}")

    def show_two(self, found: Comparison, others: Sequence[Measure]) -> None:
        """Show two measures side by side."""
        self._offer(others, found.second)
        sides = [replace(one, model=model_title(one.model)) for one in (found.first, found.second)]
        found = replace(found, first=sides[0], second=sides[1])
        first, second = map(localised, model_names(found))
        test = tr(
            "The exact McNemar test, over the examples that only one of the two got right: p = {chance:.2g}. Below 0.05"
            " a difference is commonly held to be no chance.",
            chance=found.chance,
        )
        title = tr("{first} and {second}", first=first, second=second)
        self._describe(title, _examples_line(found.first), verdict(found), test)
        self.pairs.show_rows((first, second), _rows((found.first, found.second)))
        self.pairs.setMaximumWidth(_ANY_WIDTH)
        whole, most = len(found.first.right) or 1, max(found.only_first, found.only_second, 1)
        counts = (
            (tr("Both right"), found.both, False),
            (tr("Only {model}", model=first), found.only_first, found.only_first == most),
            (tr("Only {model}", model=second), found.only_second, found.only_second == most),
            (tr("Neither"), found.neither, False),
        )
        self.counts.set_rows(
            tuple(
                ScoreRow(name, number / whole, _count_and_share(number, whole), best)
                for name, number, best in counts
            )
        )
        self.counts.show()
        self.setAccessibleName(f"{title}: {self.verdict()}")

    def show_apart(self, first: Measure, second: Measure, sentence: str) -> None:
        """Show why two measures cannot be compared."""
        title = tr("{first} and {second}", first=model_title(first.model), second=model_title(second.model))
        self._describe(title, f"{_examples_line(first)}; {_examples_line(second)}", sentence)
        self._offer((), None)
        self.pairs.show_rows((), ())
        self.counts.hide()

    def _describe(self, title: str, facts: str, verdict: str, test: str = "") -> None:
        """Set the words; `test` explains how the verdict was found."""
        self._title.setText(title)
        self._facts.setText(facts)
        self._verdict.setText(verdict)
        self._verdict.setVisible(bool(verdict))
        self._verdict.setToolTip(as_tip(test))

    def _offer(self, others: Sequence[Measure], chosen: Measure | None) -> None:
        self.other.clear()
        self.other.addItem(tr("Nothing"), None)
        for one in others:
            self.other.addItem(f"{model_title(one.model)}, {when(one.when, within=True)}", one)
        self.other.setCurrentIndex(others.index(chosen) + 1 if chosen in others else 0)
        for widget in (self._with, self.other):
            widget.setVisible(bool(others))

    @Slot(int)
    def _activated(self, index: int) -> None:
        self.other_chosen.emit(self.other.itemData(index))


def _examples_line(measure: Measure) -> str:
    return f"{localised(measure.data)}, {localised(examples(measure.examples, measure.head))}"


def _count_and_share(number: int, whole: int) -> str:
    share = percent(number / whole) if number else tr("{number}%", number=0)
    return tr("{number:,}, {share}", number=number, share=share)


def meaning(info: Figure) -> str:
    """A figure's meaning in plain words, then its term."""
    return f"{localised(info.words)} {localised(info.term)}".strip()


def _rows(sides: Sequence[Measure]) -> list[PairRow]:
    """A row for each figure of one or two measures, the better one of two marked; a longer bar reads as better."""
    rows = []
    for name in dict.fromkeys(name for side in sides for name in side.figures):
        info = figure(name, sides[0].head)
        values = [side.figures.get(name) for side in sides]
        there = {value for value in values if value is not None}
        best = (min if info.lower_is_better else max)(there) if len(there) == 2 else None
        cells = tuple(
            None
            if value is None
            else PairCell(
                localised(share(value)), None if info.lower_is_better else value / 100, value == best
            )
            for value in values
        )
        rows.append(PairRow(localised(info.title), meaning(info), cells))
    if len(sides) == 1:
        tip = tr("Examples a second, the model loaded before")
        speeds = [PairCell(localised(speed(sides[0])), None)]
    else:
        tip = tr("Examples a second, the model loaded before; the bar of the faster one is full")
        fastest = max(side.speed for side in sides) or 1.0
        speeds = [
            PairCell(localised(speed(side)), side.speed / fastest, side.speed == fastest) for side in sides
        ]
    return [*rows, PairRow(tr("Speed"), tip, tuple(speeds))]
