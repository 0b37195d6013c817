"""Names as rows: a heading for each type, followed by its names with all their occurrences."""

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
    """A type's heading (no `places`), or a name: the indices of its occurrences, and their mean probability.

    `count` is the number of names below a heading, or of a name's occurrences.
    """

    style: NameStyle
    text: str
    count: int
    places: tuple[int, ...] = ()
    probability: float = 0.0

    @property
    def accessible_text(self) -> str:
        """The row's text for a screen reader."""
        if not self.places:
            return f"{self.text}, {wording.count(self.count, 'name')}"
        places = wording.count(self.count, "place")
        return f"{self.text}. {self.style.plain}. {places}. {wording.likely(self.probability)}."


def name_rows(entities: Sequence[Entity], styles: Sequence[NameStyle]) -> tuple[NameRow, ...]:
    """The rows of the names found, types in the order of `styles`, the most frequent names first.

    Two occurrences are the same name if their words are equal, ignoring whitespace.
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
    return row.text, row.accessible_text, wording.likely(row.probability) if row.places else row.style.label


class NameModel(RowModel):
    """The rows of the types that are shown; a heading cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(_words)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None
        if row is None or not row.places:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
