"""The elements of the picture of a model: boxes, arrows, tokens and texts with their positions."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSizeF

from app.core.inside import Part

# The looks of a box.
TRUNK, USED, QUIET, TRAINING, COLUMN_USED, COLUMN_IN_MODEL, COLUMN, RESULT_USED, RESULT = (
    "trunk", "used", "quiet", "training", "column used", "column held", "column", "result used", "result",
)  # fmt: skip
COLUMNS = (COLUMN_USED, COLUMN_IN_MODEL, COLUMN)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text wrapped in a rectangle; `use` is the theme's font, `role` its colour."""

    place: QRectF
    text: str
    use: str
    role: str
    right: bool = False
    centred: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the picture, its texts, its description, and how many are stacked behind one another."""

    place: QRectF
    look: str
    texts: tuple[PlacedText, ...]
    description: str
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line along its points with a head at the end, labelled with the shape that flows there."""

    points: tuple[QPointF, ...]
    used: bool
    label: str = ""
    headed: bool = True


@dataclass(frozen=True, slots=True)
class Chip:
    """A token's piece, or (without text) a cell that represents its state."""

    place: QRectF
    text: str
    part: Part | None


@dataclass(slots=True)
class Figure:
    """The complete picture; `funnel` is the polygon through which all states flow to the heads that take them."""

    size: QSizeF = field(default_factory=QSizeF)
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    cells: list[Chip] = field(default_factory=list)
    texts: list[PlacedText] = field(default_factory=list)
    funnel: tuple[QPointF, ...] = ()
    funnel_used: bool = False
