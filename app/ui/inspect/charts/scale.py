"""Colour scales for numbers: from blue over the background to amber, and from the background to amber."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.ui.kit.theme import Theme

STEPS = 256
_READABLE = 4.5


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """The colour `share` of the way (0 to 1) from one to the other, in sRGB."""
    share = min(1.0, max(0.0, share))
    rest = 1 - share
    return QColor.fromRgbF(
        one.redF() * rest + other.redF() * share,
        one.greenF() * rest + other.greenF() * share,
        one.blueF() * rest + other.blueF() * share,
        one.alphaF() * rest + other.alphaF() * share,
    )


def diverging(theme: Theme, share: float) -> QColor:
    """The colour of a share from -1 (blue) over 0 (background) to 1 (amber); safe for colour blindness."""
    end = theme.colour("scale_high" if share > 0 else "scale_low")
    return mixed(theme.colour("scale_mid"), end, abs(share))


def rising(theme: Theme, share: float) -> QColor:
    """The colour of a share from 0 (background) to 1 (amber)."""
    return mixed(theme.colour("scale_mid"), theme.colour("scale_high"), share)


def rising_table(theme: Theme, ground: str = "panel") -> list[int]:
    """256 colours for an image of one byte a cell: 0 is the ground (no cell), 1 to 255 go from paper to amber."""
    steps = [rising(theme, step / (STEPS - 2)).rgba() for step in range(STEPS - 1)]
    return [theme.colour(ground).rgba(), *steps]


def ink_on(theme: Theme, ground: QColor) -> QColor:
    """The theme's ink if it is readable on a background (4.5 to 1, WCAG 2.1), else black or white.

    One of those two always reaches 4.5.
    """
    ink = theme.colour("ink")
    if contrast(ink, ground) >= _READABLE:
        return ink
    inks = (QColor(Qt.GlobalColor.black), QColor(Qt.GlobalColor.white))
    return max(inks, key=lambda each: contrast(each, ground))


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.1)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def pooled(cells: bytes, side: int, most: int) -> tuple[bytes, int]:
    """A square of cells max-pooled to at most `most` a side, and its new side.

    A thin line stays visible, which a mean would wash out.
    """
    few = -(-side // max(1, most))
    if few <= 1:
        return cells, side
    small = bytearray()
    for top in range(0, side, few):
        rows = [cells[row * side : (row + 1) * side] for row in range(top, min(side, top + few))]
        line = bytes(map(max, *rows)) if len(rows) > 1 else rows[0]
        columns = [line[at::few] for at in range(few)]
        longest = len(columns[0])
        small += bytes(map(max, *(column.ljust(longest, b"\0") for column in columns)))
    return bytes(small), -(-side // few)
