"""The results of two models for the same text, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.kit.chart import Cell, Table
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class Side:
    """One model's result: its name and facts, the result in words, its numbers, and the time it took.

    Two results are the same if their `outcome` is equal.
    """

    name: str
    facts: str
    headline: str
    rows: tuple[tuple[str, float, str], ...]
    seconds: float
    took: str
    outcome: tuple[str, ...]
    probabilities: bool = True


class _Card(QFrame):
    """The card of one side."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._name, self._facts, self._headline, self._took = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self._name, self._facts, self._headline, self._took):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._facts, self._took):
            label.setProperty("ink", "quiet")
        self._headline.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._bars = ScoreBars(theme)
        self._column = QVBoxLayout(self)
        for widget in (self._name, self._facts, self._headline, self._bars, self._took):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        self.setProperty("kind", "card")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_side(self, side: Side | None, waiting: str = "") -> None:
        """Show a result; None while it is still being computed by the model called `waiting`."""
        self._name.setText(side.name if side is not None else waiting)
        self._facts.setText(side.facts if side is not None else "Still reading…")
        self._headline.setText(side.headline if side is not None else "")
        self._took.setText(f"in {side.took}" if side is not None else "")
        rows = side.rows if side is not None else ()
        best = max((value for _, value, _ in rows), default=0.0)
        shares = side is not None and side.probabilities
        self._bars.set_rows(
            tuple(
                ScoreRow(name, value if shares else None, text, value == best) for name, value, text in rows
            )
        )
        for widget in (self._headline, self._bars, self._took):
            widget.setVisible(side is not None)
        self._bars.setVisible(bool(rows))
        self._bars.setAccessibleName(f"Results of {self._name.text()}")
        self.setAccessibleName(f"{self._name.text()}: {self._headline.text()}")

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._name.setFont(theme.font("strong"))
        self._headline.setFont(theme.font("answer"))
        for label in (self._facts, self._took):
            label.setFont(theme.font("small"))
        edge = theme.step(4)
        self._column.setContentsMargins(edge, edge, edge, edge)
        self._column.setSpacing(theme.step(2))


class Compared(QWidget):
    """Two cards of the same width; their numbers as CSV. `renewed` is sent when they changed."""

    title = "Two models compared"

    renewed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sides: tuple[Side, ...] = ()
        self._cards = (_Card(theme), _Card(theme))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for card in self._cards:
            self._row.addWidget(card, 1)
        self.setAccessibleName(self.title)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_sides(self, sides: tuple[Side, ...], names: tuple[str, str]) -> None:
        """Show the available sides; `names` are the models'."""
        self._sides = sides
        for at, card in enumerate(self._cards):
            card.show_side(sides[at] if at < len(sides) else None, names[at])
        self.renewed.emit()

    def sides(self) -> tuple[Side, ...]:
        """The shown sides."""
        return self._sides

    def table(self) -> Table:
        """A row for every result of each model."""
        rows: list[tuple[Cell, ...]] = [
            (side.name, name, value, side.seconds) for side in self._sides for name, value, _ in side.rows
        ]
        return Table(("model", "result", "probability", "seconds"), tuple(rows))

    def csv(self) -> str:
        """A row for every result of each model, as CSV with a heading."""
        return self.table().csv()

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.step(4))
