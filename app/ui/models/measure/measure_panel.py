"""The measure that is chosen, alone or beside another one of the same examples."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QFrame, QHBoxLayout, QLabel, QVBoxLayout

from app.core.measure_words import examples, figure, named, share, speed, verdict
from app.core.measures import Comparison, Measure
from app.core.wording import percent
from app.ui.kit.elided_choice import ElidedChoice
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.theme import Theme, mark
from app.ui.models.measure.measure_pairs import MeasurePairs, PairCell, PairRow
from app.ui.models.measure.measure_table import when

_ALONE = "Measure another model on the same examples, and the two can be compared here."
_ANY_WIDTH = 16_777_215  # what Qt takes for no greatest width
_TEST = (
    "The exact McNemar test, over the examples that only one of the two got right: p = {0:.2g}. Below 0.05 a difference"
    " is commonly held to be no chance."
)


class MeasurePanel(QFrame):
    """Figures of a measure; where others are of the very same examples, one of them can be put beside it.

    `other_chosen` carries the Measure to compare with, or None.
    """

    other_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title, self._facts, self._verdict, self._with = (
            QLabel(),
            QLabel(),
            QLabel(),
            QLabel("Compare with"),
        )
        for label in (self._title, self._facts, self._verdict):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setWordWrap(True)
        self._facts.setProperty("ink", "quiet")
        self.other = ElidedChoice()
        self.other.setAccessibleName("Compare with")
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.other.activated.connect(self._activated)
        self._with.setBuddy(self.other)
        self.pairs = MeasurePairs(theme)
        self.counts = ScoreBars(theme)
        self.counts.setAccessibleName("Which examples were answered rightly")
        self._head = QHBoxLayout()
        self._head.addWidget(self._title, 1)
        self._head.addWidget(self._with)
        self._head.addWidget(self.other)
        self._sides = QHBoxLayout()
        self._sides.addWidget(self.pairs, 5)
        self._sides.addWidget(self.counts, 3)
        self._sides.addStretch(0)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._head)
        self._column.addWidget(self._facts)
        self._column.addWidget(self._verdict)
        self._column.addLayout(self._sides)
        mark(self, kind="card")
        theme.changed.connect(self._restyle)
        self._restyle()

    def minimumSizeHint(self) -> QSize:
        """The least size, in pixels: that of the figures alone, since the counts go below them where it is narrow."""
        least = self.pairs.minimumSizeHint().width() + 2 * self._theme.step(5)
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the counts beside the figures, or below them."""
        super().resizeEvent(event)
        narrow = event.size().width() < self._theme.step(190)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._sides.direction() != way:
            self._sides.setDirection(way)

    def verdict(self) -> str:
        """What is said of the comparison, or where there is none, of how to have one."""
        return self._verdict.text()

    def show_one(self, measure: Measure, others: Sequence[Measure]) -> None:
        """Show a measure alone; `others` can be put beside it."""
        self._title.setText(measure.model)
        self._facts.setText(f"{_data(measure)}, on {measure.device}, {when(measure.when, within=True)}")
        self._verdict.setText("" if others else _ALONE)
        self._verdict.setVisible(not others)
        self._verdict.setToolTip("")
        self._offer(others, None)
        rows = [PairRow(title, tip, (cell,)) for title, tip, cell in _rows(measure)]
        self.pairs.show_rows((measure.model,), rows)
        self.pairs.setMaximumWidth(self._theme.step(150))
        self.counts.hide()
        self.setAccessibleName(f"{measure.model}, {_data(measure)}")

    def show_two(self, found: Comparison, others: Sequence[Measure]) -> None:
        """Show two measures side by side."""
        names = named(found)
        self._title.setText(f"{names[0]} and {names[1]}")
        self._facts.setText(_data(found.first))
        self._verdict.setText(verdict(found))
        self._verdict.setToolTip(_TEST.format(found.chance))
        self._verdict.show()
        self._offer(others, found.second)
        self.pairs.show_rows(names, _compared(found))
        self.pairs.setMaximumWidth(_ANY_WIDTH)
        whole = len(found.first.right) or 1
        counts = (
            ("Both right", found.both), (f"Only {names[0]}", found.only_first),
            (f"Only {names[1]}", found.only_second), ("Neither", found.neither),
        )  # fmt: skip
        self.counts.set_rows(
            tuple(
                ScoreRow(name, number / whole, f"{number:,}, {percent(number / whole) if number else '0 %'}",
                         name.startswith("Only") and number == max(found.only_first, found.only_second) > 0)
                for name, number in counts
            )
        )  # fmt: skip
        self.counts.show()
        self.setAccessibleName(f"{names[0]} and {names[1]}: {self.verdict()}")

    def show_apart(self, first: Measure, second: Measure, sentence: str) -> None:
        """Say why two measures cannot be compared."""
        self._title.setText(f"{first.model} and {second.model}")
        self._facts.setText(f"{_data(first)}; {_data(second)}")
        self._verdict.setText(sentence)
        self._verdict.setToolTip("")
        self._verdict.show()
        self._offer((), None)
        self.pairs.show_rows((), ())
        self.counts.hide()

    def _offer(self, others: Sequence[Measure], chosen: Measure | None) -> None:
        self.other.clear()
        self.other.addItem("Nothing", None)
        for one in others:
            self.other.addItem(f"{one.model}, {when(one.when, within=True)}", one)
        at = others.index(chosen) + 1 if chosen in others else 0
        self.other.setCurrentIndex(at)
        for widget in (self._with, self.other):
            widget.setVisible(bool(others))

    @Slot(int)
    def _activated(self, index: int) -> None:
        self.other_chosen.emit(self.other.itemData(index))

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("answer"))
        self._facts.setFont(theme.font("small"))
        self._verdict.setFont(theme.font("ui"))
        edge = theme.step(5)
        # The figures keep room for the focus ring around them: their letters stand below the words above all the same.
        ring = theme.step(1)
        self._column.setContentsMargins(edge - ring, theme.step(4), edge, theme.step(4))
        self._head.setContentsMargins(ring, 0, 0, 0)
        for label in (self._facts, self._verdict):
            label.setContentsMargins(ring, 0, 0, 0)
        self._column.setSpacing(theme.step(2))
        self._head.setSpacing(theme.step(2))
        self._sides.setSpacing(theme.step(6))


def _data(measure: Measure) -> str:
    return f"{measure.data}, {examples(measure.examples, measure.head)}"


def _rows(measure: Measure) -> list[tuple[str, str, PairCell]]:
    found = []
    for name, value in measure.figures.items():
        told = figure(name, measure.head)
        # A longer bar reads as better.
        bar = None if told.less else value / 100
        found.append((told.title, f"{told.words} {told.term}".strip(), PairCell(share(value), bar)))
    return [*found, ("Speed", "Examples a second, the model loaded before", PairCell(speed(measure), None))]


def _compared(found: Comparison) -> list[PairRow]:
    sides = (found.first, found.second)
    rows = []
    for name in dict.fromkeys((*found.first.figures, *found.second.figures)):
        told = figure(name, found.first.head)
        values = [side.figures.get(name) for side in sides]
        there = [value for value in values if value is not None]
        best = (min if told.less else max)(there) if len(set(there)) == 2 else None
        cells = tuple(
            None
            if value is None
            else PairCell(share(value), None if told.less else value / 100, value == best)
            for value in values
        )
        rows.append(PairRow(told.title, f"{told.words} {told.term}".strip(), cells))
    fastest = max(side.speed for side in sides) or 1.0
    speeds = tuple(PairCell(speed(side), side.speed / fastest, side.speed == fastest) for side in sides)
    return [
        *rows,
        PairRow(
            "Speed", "Examples a second, the model loaded before; the bar of the faster one is full", speeds
        ),
    ]
