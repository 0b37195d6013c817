"""Texts with their classes as a table that can be sorted and copied, and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core import wording
from app.core.models import ProblemType
from app.core.results import Classification
from app.core.tables import class_columns, class_values, csv_lines
from app.ui.kit.class_card import headline
from app.ui.kit.score_bars import draw_bar, nice_label
from app.ui.kit.table import ROW_ROLE, SORT_ROLE, Column, Index, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import format_number, localised, tr

# A text and its classification.
Row = tuple[str, Classification]


def _tip(text: str) -> str:
    return text if len(text) < 2000 else text[:2000] + "…"


def _label(row: Row) -> str:
    return "; ".join(score.label for score in row[1].fitting)


def _probability(row: Row) -> float:
    """The label's probability; if no class applies a number that sorts below all others."""
    return round(row[1].probability, 6) if row[1].winner else -1.0


def _score_column(label: str, at: int, write: Callable[[float], str]) -> Column:
    def score(row: Row) -> float:
        return round(row[1].scores[at].probability, 6)

    return Column(nice_label(label), lambda row: localised(write(score(row))), score)


def _value(number: float) -> str:
    return format_number(number, ".4g")


def _columns(item: Classification | None) -> list[Column]:
    """The columns for results like this one: the text, the label, its probability, then that of every label."""
    text = Column(
        tr("Text"), lambda row: row[0][:500], lambda row: row[0].casefold(), lambda row: _tip(row[0])
    )
    if item is None:
        return [text]
    if _regression(item):
        return [text, *(_score_column(one.label, at, _value) for at, one in enumerate(item.scores))]
    return [
        text,
        Column(
            tr("Label"),
            lambda row: localised(headline(row[1])),
            lambda row: _label(row).casefold(),
            lambda row: _tip(_label(row)),
        ),
        Column(
            tr("Probability"),
            lambda row: localised(wording.percent(_probability(row))) if row[1].winner else "",
            _probability,
        ),
        *(_score_column(one.label, at, wording.percent) for at, one in enumerate(item.scores)),
    ]


def _regression(item: Classification | None) -> bool:
    """Whether the numbers of results like this one are values rather than probabilities."""
    return item is not None and item.problem == ProblemType.REGRESSION


def _labels(item: Classification | None) -> tuple[str, ...]:
    return tuple(score.label for score in item.scores) if item is not None else ()


def _header(item: Classification | None) -> list[str]:
    return ["text", *([] if _regression(item) else ["label", "probability"]), *_labels(item)]


class _BarDelegate(QStyledItemDelegate):
    """Paints a probability as a number with a bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        share = index.data(SORT_ROLE)
        if not isinstance(share, float) or share < 0:
            super().paint(painter, option, index)
            return
        theme = self._theme
        painter.save()
        chosen = option.state & QStyle.StateFlag.State_Selected
        painter.fillRect(option.rect, theme.colour("accent_ground" if chosen else "panel"))
        rect = QRectF(option.rect).adjusted(theme.step(2), 0, -theme.step(2), 0)
        below = QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1)
        painter.fillRect(below, theme.colour("line"))
        painter.setPen(theme.colour("ink"))
        painter.setFont(theme.font("ui"))
        number = index.data()
        width = painter.fontMetrics().horizontalAdvance(localised(wording.percent(1.0))) + theme.step(2)
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number)
        bar_width = rect.width() - width
        if bar_width > theme.step(4):
            high = theme.step(1.5)
            from_right = option.direction is Qt.LayoutDirection.RightToLeft
            left = rect.right() - bar_width if from_right else rect.left()
            bar = QRectF(left, rect.center().y() - high / 2, bar_width, high)
            draw_bar(painter, theme, bar, share, faint=share < 0.5, from_right=from_right)
        painter.restore()


class ResultTable(RowTable):
    """The table of classified texts; Ctrl+C copies the chosen rows, or else all, with a header."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Texts and their classes"), _columns(None))
        self._bars, self._numbers = _BarDelegate(theme), QStyledItemDelegate()
        self.setItemDelegate(self._bars)

    def set_results(self, texts: Sequence[str], items: Sequence[Classification]) -> None:
        """Show one model's results for the first texts; those without a result yet are left out."""
        item = items[0] if items else None
        columns = None if _header(item) == _header(self._item) else _columns(item)
        self._model.set_rows(tuple(zip(texts, items, strict=False)), columns)
        if columns is not None:
            self.setItemDelegate(self._numbers if _regression(item) else self._bars)
            self.fit_columns()

    @property
    def _item(self) -> Classification | None:
        """The first text's result, None for none."""
        return self._model.rows[0][1] if self._model.rows else None

    def row_count(self) -> int:
        """The number of shown texts."""
        return len(self._model.rows)

    def csv(self) -> bytes:
        """All rows as CSV, in the order of the texts.

        In UTF-8 with a byte order mark, by which spreadsheets recognise the encoding.
        """
        problem = ProblemType.REGRESSION if _regression(self._item) else ProblemType.SINGLE_LABEL
        rows = [class_columns(("text",), _labels(self._item), problem)]
        rows += [[text, *class_values(item)] for text, item in self._model.rows]
        return csv_lines(rows).encode("utf-8-sig", "replace")

    def text_of(self, rows: Sequence[Row]) -> str:
        """The rows below a header, with tabs between cells, and numbers to six decimals."""
        lines = ["\t".join(_header(self._item))]
        for row in rows:
            values: list[Any] = [row[0]]
            if not _regression(self._item):
                values += [_label(row), _probability(row) if row[1].winner else ""]
            values += [round(score.probability, 6) for score in row[1].scores]
            lines.append("\t".join(str(value).replace("\t", " ") for value in values))
        return "\n".join(lines) + "\n"

    def chosen_text(self) -> str:
        """The text of the current row, empty for none."""
        index = self.currentIndex()
        return str(index.data(ROW_ROLE)[0]) if index.isValid() else ""

    def fit_columns(self) -> None:
        """Make the columns of numbers as wide as their titles, and that of the label as wide as the labels."""
        step = self._theme.step
        self.horizontalHeader().setMinimumSectionSize(step(16))
        for at in range(1, len(self._model.columns)):
            texts = [*map(nice_label, _labels(self._item))] if at == 1 and not _regression(self._item) else []
            self.setColumnWidth(at, min(step(52), max(step(24), self.needed_width(at, texts))))
        self.share_width()

    def share_width(self) -> None:
        """Give the texts the width that is left."""
        others = sum(self.columnWidth(at) for at in range(1, len(self._model.columns)))
        self.setColumnWidth(0, max(self._theme.step(48), self.viewport().width() - others))
