"""Text with highlighted words: how these are drawn everywhere, and a widget whose text wraps anywhere if it must."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.text import Offsets
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

# Heights that are kept of a text, one for each width and text size.
_MOST_HEIGHTS = 32


class FlowText(QWidget):
    """A text in one of the theme's fonts; right-to-left text is aligned to the right.

    A `barred` text is a quotation: it has a bar in the answer's colour at its side.
    """

    ROLE = QAccessible.Role.StaticText

    def __init__(self, theme: Theme, use: str, *, barred: bool = False, spacing: float = 1.25) -> None:
        super().__init__()
        self._theme = theme
        self._use = use
        self._barred = barred
        self._spacing = spacing
        self._text = ""
        self._stress = (0, 0)
        self._unsure: list[tuple[int, int]] = []
        self._role = "ink"
        self._faint = False
        self._heights: dict[tuple[int, int], int] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_text(
        self,
        text: str,
        stress: tuple[int, int] = (0, 0),
        *,
        role: str = "ink",
        faint: bool = False,
        unsure: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Set the text, in the colour of `role`; spans are given by their start and end in code points.

        The span `stress` is underlined, and in a quotation highlighted, paler and dashed with `faint`. The `unsure`
        spans have a wavy line, and are named in the tool tip.
        """
        self._faint, text = faint, localised(text)
        offsets = Offsets(text)
        self._stress = (offsets.to_qt(stress[0]), offsets.to_qt(stress[1]))
        # Qt drops a byte order mark at the start, which would shift the spans; a word joiner is invisible too.
        self._text = text.replace("\n", " ").replace("\ufeff", "\u2060")
        self._role = role
        self._unsure = [(offsets.to_qt(start), offsets.to_qt(end)) for start, end in unsure]
        words = ", ".join(f"“{text[start:end]}”" for start, end in unsure)
        warning = tr("Not sure of {words}: compare the picture.", words=words) if words else ""
        self.setToolTip(as_tip(warning))
        self.setAccessibleDescription(warning)
        self.setAccessibleName(self._text)
        self._heights.clear()
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The shown text."""
        return self._text

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        # Layouts ask for it many times, most of all while a style sheet is applied.
        key = width, self._theme.step(100)  # which is another one at another text size
        if key not in self._heights:
            if len(self._heights) >= _MOST_HEIGHTS:
                self._heights.clear()
            self._heights[key] = math.ceil(self._layout(width)[1]) + 1
        return self._heights[key]

    def sizeHint(self) -> QSize:
        width = max(self.width(), self._theme.step(40))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(20), self.heightForWidth(max(self.width(), self._theme.step(20))))

    def paintEvent(self, event: QPaintEvent) -> None:
        layout, height = self._layout(self.width())
        painter = QPainter(self)
        leftwards = self._right_to_left()
        inset = 0.0
        if self._barred:
            bar = QRectF(0, 0, self._theme.step(0.75), height)
            bar.moveLeft(self.width() - bar.width() if leftwards else 0)
            inset = 0.0 if leftwards else float(self._theme.step(3))
            painter.fillRect(bar, self._theme.colour("mark"))
        start, end = self._stress
        for number in range(layout.lineCount() if end > start else 0):
            for box in line_boxes(layout.lineAt(number), start, end):
                ground = box.translated(inset, 0).adjusted(-1, 0, 1, 0)
                if self._barred:
                    role = "other_ground" if self._faint else "answer_ground"
                    painter.fillRect(ground, self._theme.colour(role))
                painter.setPen(line_pen(self._theme.colour("answer_line"), True, self._faint))
                below = round(ground.bottom())
                painter.drawLine(QPointF(ground.left(), below), QPointF(ground.right(), below))
        painter.setPen(self._theme.colour(self._role))
        waves = []
        for start, end in self._unsure:
            wave = QTextLayout.FormatRange()
            wave.start, wave.length = start, end - start
            wave.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wave.format.setUnderlineColor(self._theme.colour("fault"))
            waves.append(wave)
        layout.draw(painter, QPointF(inset, 0), waves)

    def _right_to_left(self) -> bool:
        """Whether the first letter with a direction is written from right to left."""
        kinds = (unicodedata.bidirectional(character) for character in self._text)
        return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)

    def _layout(self, width: int) -> tuple[QTextLayout, float]:
        """The text laid out for a width, and its height in pixels."""
        font = self._theme.font(self._use)
        layout = QTextLayout(self._text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        leftwards = self._right_to_left()
        option.setTextDirection(
            Qt.LayoutDirection.RightToLeft if leftwards else Qt.LayoutDirection.LeftToRight
        )
        option.setAlignment(Qt.AlignmentFlag.AlignRight if leftwards else Qt.AlignmentFlag.AlignLeft)
        layout.setTextOption(option)
        room = max(8.0, width - (self._theme.step(3) if self._barred else 0))
        leading = QFontMetricsF(font).height() * (self._spacing - 1)
        top = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(room)
            line.setPosition(QPointF(0, top))
            top += line.height() + leading
        layout.endLayout()
        return layout, max(top - leading, 0.0)


def line_boxes(line: QTextLine, start: int, end: int) -> list[QRectF]:
    """Return the boxes of a block's characters `start` to `end` in a line, left to right, in block coordinates.

    There are several boxes where a line mixes scripts of both directions.
    """
    start = max(start, line.textStart())
    end = min(end, line.textStart() + line.textLength())
    if start >= end:
        return []
    # Cursor positions are ambiguous where the direction changes; the drawn glyphs are not.
    rects = [run.boundingRect() for run in line.glyphRuns(start, end - start)]
    right = line.naturalTextRect().right()
    spans = [(rect.left(), min(rect.right(), right)) for rect in rects]
    merged: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1] + 0.75:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        elif high > low:
            merged.append((low, high))
    return [QRectF(low, line.y(), high - low, line.height()) for low, high in merged]


def own_pen(colour: QColor, ratio: float = 1.0) -> QPen:
    """The pen for the line under words that the person chose: thin and solid; `ratio` is that of `line_pen`."""
    pen = QPen(colour, 1.25 * ratio)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def line_pen(colour: QColor, chosen: bool, faint: bool, ratio: float = 1.0) -> QPen:
    """The pen for the line under highlighted words: dotted; for chosen words thick, and dashed if they are `faint`.

    `ratio` is the number of screen pixels per unit.
    """
    pen = QPen(colour, (2.0 if chosen else 1.25) * ratio)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if not chosen:
        pen.setDashPattern([1.25, 1.75])
    elif faint:
        pen.setDashPattern([2.5, 1.5])
    return pen
