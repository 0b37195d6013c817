"""The terms of a loss as rows: the target, the model's probability for it, and the loss."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy

from app.core import wording
from app.core.inside import InputWindow, Losses, LossTerm
from app.core.message import Message
from app.ui.inspect.charts.painting import RowsChart
from app.ui.kit.chart import Cell, Table, number
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_RIGHT = Qt.AlignmentFlag.AlignRight
_NOTHING = Losses(InputWindow(()), (), "", 0.0, 0.0, 0.0)


class _Total(NamedTuple):
    """A row below the terms: its name, its formula, and the loss as text."""

    name: str
    formula: str
    value: str


def loss_words(value: float) -> str:
    """A loss as text: "undefined" for NaN."""
    return tr("undefined") if math.isnan(value) else "0" if value == 0 else number(value)


class LossTerms(RowsChart):
    """A row for each term with its target, the target's probability as a bar, and its loss; then the totals."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("The loss and its terms"))
        self._losses = _NOTHING
        self._totals: tuple[_Total, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_losses(self, losses: Losses) -> None:
        """Show the terms and totals of these losses."""
        self._losses = losses
        self._totals = (
            _Total(tr("The loss"), losses.formula, loss_words(losses.total)),
            _Total(tr("What transformers computes"), "", loss_words(losses.by_model)),
            _Total(tr("What training adds up"), "", loss_words(losses.in_training)),
        )
        self.begin()

    def count(self) -> int:
        return len(self._losses.terms) + len(self._totals)

    def describe(self, index: int) -> str:
        if index >= len(self._losses.terms):
            name, formula, value = self._totals[index - len(self._losses.terms)]
            return f"{name}: {value}. {localised(formula)}".strip()
        term = self._losses.terms[index]
        if not term.counted:
            return tr("{term}: {target}, ignored", term=term.name, target=term.target)
        if self._losses.squared:
            return tr(
                "{term}: right is {target}, the model gives {value}, costs {loss}",
                term=term.name,
                target=term.target,
                value=number(term.probability),
                loss=number(term.value),
            )
        return tr(
            "{term}: right is {target}, held for {percent} likely, costs {loss}",
            term=term.name,
            target=term.target,
            percent=wording.percent(term.probability),
            loss=number(term.value),
        )

    def table(self) -> Table:
        losses, yes, no = self._losses, Message("yes"), Message("no")
        if not self._totals:
            return Table()
        given = Message("value") if losses.squared else Message("probability")
        columns = (Message("term"), Message("right"), given, Message("loss"), Message("counted"))
        rows: list[tuple[Cell, ...]] = [
            (term.name, term.target, term.probability, term.value, yes if term.counted else no)
            for term in losses.terms
        ]
        totals = (
            (Message("total"), losses.formula, "", losses.total, ""),
            ("transformers", "", "", losses.by_model, ""),
            (Message("training"), "", "", losses.in_training, ""),
        )
        return Table(columns, (*rows, *totals))

    # Size and drawing

    def sizeHint(self) -> QSize:
        high = self.top() + self.count() * self.row_height() + self.theme.step(2)
        return QSize(self.theme.step(120), round(high))

    def row_height(self) -> float:
        return QFontMetricsF(self.theme.font("strong")).height() + self.theme.step(4)

    def top(self) -> float:
        return QFontMetricsF(self.theme.font("small_strong")).height() + self.theme.step(3)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if not self._losses.terms:
            return
        theme, edge = self.theme, self.theme.step(3)
        wide = size.width() - 2 * edge
        # Where each column begins: name, target, probability, value.
        columns = [edge, edge + wide * 0.19, edge + wide * 0.5, edge + wide * 0.82, edge + wide]
        headings = (tr("Term"), tr("What is right"), tr("Its probability"), tr("Loss: −log p"))
        if self._losses.squared:
            headings = (tr("Term"), tr("What is right"), tr("What the model gives"), tr("Loss: squared"))
        for at, heading in enumerate(headings):
            rect = QRectF(columns[at], 0, columns[at + 1] - columns[at], self.top() - theme.step(1))
            side = _RIGHT if at == 3 else Qt.AlignmentFlag.AlignLeft
            self.write(painter, rect, heading, "small_strong", "ink_quiet", side)
        self._rule(painter, self.top() - 1, size, "line_strong")
        rows: list[LossTerm | _Total] = [*self._losses.terms, *self._totals]
        for at, row in enumerate(rows):
            rect = QRectF(edge, self.top() + at * self.row_height(), wide, self.row_height())
            if at == self._current and not whole:
                painter.fillRect(rect.adjusted(-edge, 0, edge, 0), theme.colour("hover"))
            if isinstance(row, LossTerm):
                self._draw_term(painter, rect, columns, row)
            else:
                self._draw_total(painter, rect, row)
            last = at == len(self._losses.terms) - 1
            self._rule(painter, rect.bottom(), size, "line_strong" if last else "line")

    def _draw_term(self, painter: QPainter, rect: QRectF, columns: list[float], term: LossTerm) -> None:
        theme, gap = self.theme, self.theme.step(3)
        name, target, given, loss = (
            QRectF(left, rect.top(), right - left - (gap if at < 3 else 0), rect.height())
            for at, (left, right) in enumerate(pairwise(columns))
        )
        if not term.counted:  # its target says at length why
            self.write(painter, name, term.name, "strong", "ink_quiet")
            self.write(painter, target.united(given), term.target, "ui", "ink_quiet")
            self.write(painter, loss, tr("ignored"), "ui", "ink_quiet", _RIGHT)
            return
        self.write(painter, name, term.name, "strong")
        self.write(painter, target, term.target, "ui")
        self.write(painter, loss, loss_words(term.value), "strong", side=_RIGHT)
        if self._losses.squared:
            self.write(painter, given, number(term.probability), "ui")
            return
        self.write(painter, given, wording.percent(term.probability), "ui", side=_RIGHT)
        room = painter.fontMetrics().horizontalAdvance(localised(wording.percent(1.0))) + theme.step(2)
        bar = QRectF(given.left(), rect.center().y() - theme.step(1), given.width() - room, theme.step(2))
        draw_bar(painter, theme, bar, term.probability)

    def _draw_total(self, painter: QPainter, rect: QRectF, total: _Total) -> None:
        font = "strong" if total.formula else "ui"
        left = rect.adjusted(0, 0, -rect.width() * 0.2, 0)
        self.write(painter, left, total.name, font)
        left.adjust(painter.fontMetrics().horizontalAdvance(total.name) + self.theme.step(4), 0, 0, 0)
        self.write(painter, rect, total.value, font, side=_RIGHT)
        self.write(painter, left, total.formula, "small", "ink_quiet")

    def _rule(self, painter: QPainter, y: float, size: QSize, role: str) -> None:
        painter.setPen(self.theme.colour(role))
        painter.drawLine(QPointF(0, round(y) + 0.5), QPointF(size.width(), round(y) + 0.5))
