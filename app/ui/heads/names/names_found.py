"""The names found in a text, and stepping from one to the next."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from app.core.positions import utf16_units
from app.core.requests import PieceAggregation
from app.core.results import Entity, Tagged, TaggedTexts
from app.flows.heads.export_names import TaggedDocument
from app.ui.heads.names.name_lights import HighlightedName
from app.ui.heads.names.name_styles import NameStyle


@dataclass(slots=True)
class NamesFound:
    """One text in which names are searched, and the result so far.

    `chosen` is a name's index, -1 for none; `units` is the text's length in UTF-16 units, as Qt counts.
    """

    text: str = ""
    aggregation: PieceAggregation = PieceAggregation.FIRST
    result: TaggedTexts | None = None
    chosen: int = -1
    units: int = 0
    _places: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.units = utf16_units(self.text)
        for at, entity in enumerate(self.entities):
            self._places.setdefault(_same(entity), []).append(at)

    @property
    def tagged(self) -> Tagged | None:
        """The names of the text, None before a result."""
        return self.result.items[0] if self.result is not None and self.result.items else None

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The names in the order of the text."""
        return self.tagged.entities if self.tagged is not None else ()

    @property
    def name(self) -> Entity | None:
        """The chosen name."""
        return self.entities[self.chosen] if 0 <= self.chosen < len(self.entities) else None

    def document(self, name: str = "") -> TaggedDocument | None:
        """The document to save or copy; None without a result."""
        return TaggedDocument(self.text, self.tagged, name) if self.tagged is not None else None

    def highlighted(self, styles: tuple[NameStyle, ...]) -> Iterator[HighlightedName]:
        """The names as highlights."""
        kinds = {style.label: style.number for style in styles}
        return (HighlightedName(each.span, each.text, kinds[each.label]) for each in self.entities)

    def mates(self, index: int) -> list[int]:
        """The occurrences of the same name and type, in text order."""
        return self._places[_same(self.entities[index])] if 0 <= index < len(self.entities) else []

    def step(self, by: int, hidden: Collection[str]) -> int:
        """The next name of a shown type (the previous one for -1), wrapping around at the ends; -1 without any."""
        count = len(self.entities)
        first = self.chosen if self.chosen >= 0 else (-1 if by > 0 else count)
        for way in range(1, count + 1):
            at = (first + by * way) % count
            if self.entities[at].label not in hidden:
                return at
        return -1


def _same(entity: Entity) -> tuple[str, str]:
    return entity.label, " ".join(entity.text.split())
