"""One head's attention weights as a grid: from each token down, to each token across."""

from __future__ import annotations

from app.core.inside import Attention
from app.ui.inspect.charts.attention_levels import levels
from app.ui.inspect.charts.matrix import Matrix
from app.ui.inspect.charts.tokens import labels_of
from app.ui.kit.chart import Cell, Table, number
from app.ui.kit.theme import Theme


class AttentionGrid(Matrix):
    """A head's weights, every row's sum 1; colours by the square root, so that small weights are seen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Attention", "From", "To", "Attention weight")
        self._attention: Attention | None = None
        self._head = 0

    def set_attention(self, attention: Attention, text: str = "", pair: str = "") -> None:
        """Show a layer, keeping the number of the shown head."""
        self._attention = attention
        self._labels = labels_of(attention.window, text, pair)
        self._head = min(self._head, attention.heads - 1)
        self._show()

    def set_head(self, head: int) -> None:
        """Show another head; the current cell stays."""
        if self._attention is not None and 0 <= head < self._attention.heads and head != self._head:
            here = (self.current, self.column)
            self._head = head
            self._show()
            self.set_cell(*here)

    def head(self) -> int:
        """The head that is shown, from 0."""
        return self._head

    def _show(self) -> None:
        if self._attention is not None:
            self.title = f"Attention of layer {self._attention.layer + 1}, head {self._head + 1}"
            self.setAccessibleName(self.title)
            self.set_cells(self._labels, levels(self._attention, self._head), ("0", "1"))

    def weight(self, row: int, column: int) -> float:
        """The attention weight from a token to another."""
        return self._attention.row(self._head, row)[column] if self._attention is not None else 0.0

    def best_column(self, row: int) -> int:
        weights = self._attention.row(self._head, row) if self._attention is not None else (0.0,)
        return weights.index(max(weights))

    def lines(self, row: int, column: int) -> tuple[str, ...]:
        return (
            f"“{self._labels[row]}” looks at “{self._labels[column]}”",
            f"Token {row + 1} to token {column + 1}",
            f"Weight {number(self.weight(row, column))}",
        )

    def table(self) -> Table:
        """The attention weights: a row for each query token, a column for each key token."""
        columns = ("token", "from", *(f"{at + 1} {label}" for at, label in enumerate(self._labels)))
        if self._attention is None:
            return Table(columns)
        rows: list[tuple[Cell, ...]] = []
        for at, label in enumerate(self._labels):
            rows.append((at + 1, label, *self._attention.row(self._head, at)))
        return Table(columns, tuple(rows))
