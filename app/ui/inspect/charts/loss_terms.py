"""The terms of a loss: the gold label, the model's probability for it, and the loss."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.core import wording
from app.core.inside import Losses, LossTerm
from app.ui.kit.chart import Cell, Chart, Table, number
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme

_IGNORED = "ignored"


def loss_words(value: float) -> str:
    """A loss as text; NaN is undefined."""
    return "undefined" if math.isnan(value) else "0" if value == 0 else number(value)


class LossTerms(Chart):
    """A row for each term with its target, the target's probability as a bar, and its value; then the totals."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "The loss and its terms")
        self._losses: Losses | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_losses(self, losses: Losses | None) -> None:
        """Show these; None shows nothing."""
        self._losses = losses
        self.begin()

    # Descriptions

    def count(self) -> int:
        return len(self._rows())

    def describe(self, index: int) -> str:
        terms = self._losses.terms if self._losses is not None else ()
        if index < len(terms):
            term = terms[index]
            if not term.counted:
                return f"{term.name}: {term.target}, ignored"
            if self._losses is not None and self._losses.squared:
                given, cost = number(term.probability), number(term.value)
                return f"{term.name}: right is {term.target}, the model gives {given}, costs {cost}"
            likely = wording.percent(term.probability)
            return (
                f"{term.name}: right is {term.target}, held for {likely} likely, costs {number(term.value)}"
            )
        name, formula, value = self._totals()[index - len(terms)]
        return f"{name}: {value}. {formula}".strip()

    def table(self) -> Table:
        if self._losses is None:
            return Table()
        rows: list[tuple[Cell, ...]] = [
            (term.name, term.target, term.probability, term.value, "yes" if term.counted else "no")
            for term in self._losses.terms
        ]
        rows += [
            ("total", self._losses.formula, "", self._losses.total, ""),
            ("transformers", "", "", self._losses.by_model, ""),
            ("training", "", "", self._losses.in_training, ""),
        ]
        given = "value" if self._losses.squared else "probability"
        return Table(("term", "right", given, "loss", "counted"), tuple(rows))

    def place_at(self, point: QPointF) -> int:
        at = int((point.y() - self._top()) // self._high())
        return at if 0 <= at < self.count() and point.y() >= self._top() else -1

    def stepped(self, key: int, leap: bool) -> int | None:
        arrows = {Qt.Key.Key_Up: Qt.Key.Key_Left, Qt.Key.Key_Down: Qt.Key.Key_Right}
        return super().stepped(arrows.get(Qt.Key(key), Qt.Key(key)), leap)

    def _rows(self) -> list[object]:
        if self._losses is None:
            return []
        return [*self._losses.terms, *self._totals()]

    def _totals(self) -> list[tuple[str, str, str]]:
        """The rows below the terms: a name, a formula, a value as text."""
        losses = self._losses
        if losses is None:
            return []
        return [
            ("The loss", losses.formula, loss_words(losses.total)),
            ("What transformers computes", "", loss_words(losses.by_model)),
            ("What training adds up", "", loss_words(losses.in_training)),
        ]

    # Size and drawing

    def sizeHint(self) -> QSize:
        return QSize(
            self.theme.step(120), round(self._top() + self.count() * self._high() + self.theme.step(2))
        )

    def _high(self) -> float:
        return QFontMetricsF(self.theme.font("strong")).height() + self.theme.step(4)

    def _top(self) -> float:
        return QFontMetricsF(self.theme.font("small_strong")).height() + self.theme.step(3)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if self._losses is None:
            return
        theme, edge = self.theme, self.theme.step(3)
        wide = size.width() - 2 * edge
        # Where each column begins: name, target, probability, value.
        columns = [edge, edge + wide * 0.19, edge + wide * 0.5, edge + wide * 0.82, edge + wide]
        painter.setFont(theme.font("small_strong"))
        painter.setPen(theme.colour("ink_quiet"))
        heads = ("Term", "What is right", "Its probability", "Loss: −log p")
        if self._losses.squared:
            heads = ("Term", "What is right", "What the model gives", "Loss: squared")
        for at, head in enumerate(heads):
            place = QRectF(columns[at], 0, columns[at + 1] - columns[at], self._top() - theme.step(1))
            self._text(painter, place, head, right=at == 3)
        self._rule(painter, self._top() - 1, size, "line_strong")
        for at, row in enumerate(self._rows()):
            place = QRectF(edge, self._top() + at * self._high(), wide, self._high())
            if at == self.current and not whole:
                painter.fillRect(place.adjusted(-edge, 0, edge, 0), theme.colour("hover"))
            if isinstance(row, LossTerm):
                self._draw_term(painter, place, columns, row)
            else:
                self._draw_total(painter, place, at == len(self._losses.terms), row)
            strong = at == len(self._losses.terms) - 1
            self._rule(painter, place.bottom(), size, "line_strong" if strong else "line")

    def _draw_term(self, painter: QPainter, place: QRectF, columns: list[float], term: LossTerm) -> None:
        theme, gap = self.theme, self.theme.step(3)
        cells = [
            QRectF(
                columns[at],
                place.top(),
                columns[at + 1] - columns[at] - (gap if at < 3 else 0),
                place.height(),
            )
            for at in range(4)
        ]
        painter.setFont(theme.font("strong"))
        painter.setPen(theme.colour("ink" if term.counted else "ink_quiet"))
        self._text(painter, cells[0], term.name)
        painter.setFont(theme.font("ui"))
        if not term.counted:  # its target explains why, at length
            self._text(painter, cells[1].united(cells[2]), term.target)
            self._text(painter, cells[3], _IGNORED, right=True)
            return
        self._text(painter, cells[1], term.target)
        if self._losses is not None and self._losses.squared:
            self._text(painter, cells[2], number(term.probability))
            painter.setFont(theme.font("strong"))
            self._text(painter, cells[3], loss_words(term.value), right=True)
            return
        room = painter.fontMetrics().horizontalAdvance("> 99%") + theme.step(2)
        bar = QRectF(
            cells[2].left(), place.center().y() - theme.step(1), cells[2].width() - room, theme.step(2)
        )
        painter.setPen(theme.colour("ink"))
        self._text(painter, cells[2], wording.percent(term.probability), right=True)
        painter.setFont(theme.font("strong"))
        self._text(painter, cells[3], loss_words(term.value), right=True)
        draw_bar(painter, bar, term.probability, theme.colour("track"), theme.colour("mark"))

    def _draw_total(self, painter: QPainter, place: QRectF, first: bool, row: object) -> None:
        assert isinstance(row, tuple)
        name, formula, value = row
        theme = self.theme
        painter.setPen(theme.colour("ink"))
        painter.setFont(theme.font("strong" if first else "ui"))
        self._text(painter, place.adjusted(0, 0, -place.width() * 0.2, 0), name)
        wide = painter.fontMetrics().horizontalAdvance(name)
        self._text(painter, place, value, right=True)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink_quiet"))
        self._text(painter, place.adjusted(wide + theme.step(4), 0, -place.width() * 0.2, 0), formula)

    def _text(self, painter: QPainter, place: QRectF, text: str, *, right: bool = False) -> None:
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, int(side | Qt.AlignmentFlag.AlignVCenter), shown)

    def _rule(self, painter: QPainter, y: float, size: QSize, role: str) -> None:
        painter.setPen(QPen(self.theme.colour(role), 1))
        painter.drawLine(QPointF(0, round(y) + 0.5), QPointF(size.width(), round(y) + 0.5))
