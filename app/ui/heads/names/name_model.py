"""Names as rows: a heading for each type, below it every name of it with all its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt

from app.core import wording
from app.core.results import Entity
from app.ui.heads.names.name_styles import NameStyle
from app.ui.kit.row_list import Index, RowModel


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


def _words(row: NameRow) -> tuple[str, str, str]:
    return row.text, row.spoken, wording.likely(row.probability) if row.places else row.style.label


class NameModel(RowModel):
    """The rows of the types that are shown; a heading cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(_words)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None
        if row is None or not row.places:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
