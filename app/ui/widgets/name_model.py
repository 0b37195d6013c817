"""Names as rows: a heading for each type, below it every name of it with all its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.core import wording
from app.core.results import Entity
from app.ui.widgets.name_styles import NameStyle

ROW = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class NameRow:
    """A type's heading (no `places`), or a name: the indices of its places in the text, and their mean probability.

    `count` is how many names a heading has below it, or how many places a name has.
    """

    style: NameStyle
    text: str
    count: int
    places: tuple[int, ...] = ()
    probability: float = 0.0

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        if not self.places:
            return f"{self.text}, {wording.count(self.count, 'name')}"
        places = wording.count(self.count, "place")
        return f"{self.text}. {self.style.plain}. {places}. {wording.likely(self.probability)}."


def name_rows(entities: Sequence[Entity], styles: Sequence[NameStyle]) -> tuple[NameRow, ...]:
    """The rows of names that were found, types in the order of `styles`, in each the most frequent names first.

    A name is told from others by its words as they are written, blanks and line ends apart.
    """
    kinds = {style.label: style for style in styles}
    found: dict[tuple[int, str], list[int]] = {}
    for index, entity in enumerate(entities):
        words = " ".join(entity.text.split())
        found.setdefault((kinds[entity.label].number, words), []).append(index)
    rows: list[NameRow] = []
    for style in styles:
        own = [(words, places) for (number, words), places in found.items() if number == style.number]
        if not own:
            continue
        rows.append(NameRow(style, style.plain, len(own)))
        for words, places in sorted(own, key=lambda name: -len(name[1])):
            mean = sum(entities[index].probability for index in places) / len(places)
            rows.append(NameRow(style, words, len(places), tuple(places), mean))
    return tuple(rows)


class NameModel(QAbstractListModel):
    """The rows of the types that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[NameRow, ...] = ()

    def take(self, rows: Sequence[NameRow]) -> None:
        """Show these rows in their order."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None
        if row is None or not row.places:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        if role == Qt.ItemDataRole.ToolTipRole:
            return wording.likely(row.probability) if row.places else row.style.label
        return row if role == ROW else None
