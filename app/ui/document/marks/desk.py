"""A page on the desk: how wide it is, and its edge."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from app.ui.kit.theme import Theme

# A comfortable line, in the sample's letters: some 70 of most texts.
_MEASURE = 75
_SAMPLE = "The reader lights up the exact words of the answer in its place, and nothing else. "
# Lines that a text was broken into by hand are kept whole up to this many times the comfortable measure.
_WIDEST = 1.35
_LOOKED_AT = 100_000


def comfortable(font: QFont) -> float:
    """The width in pixels of a comfortable line of text in a font."""
    return QFontMetricsF(font).horizontalAdvance(_SAMPLE) / len(_SAMPLE) * _MEASURE


def page_fit(theme: Theme, measure: float, room: float) -> tuple[int, int]:
    """The margin inside a page and the desk on either side of it, for lines of `measure` in `room` pixels."""
    room -= theme.step(6)
    margin = min(max(theme.step(6), (room - measure) / 2), theme.step(16))
    aside = max(0, int(room - measure - 2 * margin) // 2) + theme.step(3)
    return round(margin), aside


def draw_edge(painter: QPainter, theme: Theme, page: QRectF, focused: bool) -> None:
    """Draw the page's border, which runs on below, and a line at its head while it has the focus."""
    painter.setPen(theme.colour("line"))
    painter.drawRect(page.adjusted(0.5, 0.5, -0.5, 1.5))
    if focused:
        painter.fillRect(QRectF(0, 0, page.width(), 2), theme.colour("focus"))


def broken_by_hand(text: str) -> list[str]:
    """The longest lines of a text whose paragraphs were broken into lines of about one length; empty for another one.

    Such a text has hardly a line longer than any that people type, and most of its lines that another one
    follows are nearly as long as the longest.
    """
    lines = text[:_LOOKED_AT].split("\n")[:-1]
    followed = [len(line) for line, after in pairwise(lines) if line.strip() and after.strip()]
    if len(followed) < 20:
        return []
    usual = sorted(followed)[len(followed) * 95 // 100]
    full = sum(length > usual * 0.75 for length in followed)
    if not 50 <= usual <= 100 or full < 0.6 * len(followed):
        return []
    whole = [line for line in lines if len(line) <= usual + 5 and "\t" not in line]
    return sorted(whole, key=len)[-200:]


def measure_of(text: str, font: QFont) -> float:
    """The width in pixels of the lines of a text: comfortable, or as wide as those that it was broken into."""
    usual = comfortable(font)
    metrics = QFontMetricsF(font)
    widest = max(map(metrics.horizontalAdvance, broken_by_hand(text)), default=0.0)
    return min(max(usual, widest + 1), usual * _WIDEST)
