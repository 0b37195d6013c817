"""The picture of a model from text to result, with the heads of its family side by side."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from app.core.inside import ModelPicture, Part
from app.ui.inspect.charts import flow_layout as layout
from app.ui.inspect.charts.flow_words import picture_table
from app.ui.kit.chart import Chart, Table
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# Background, line, and whether the line is dashed, by the style of a box.
_STYLES = {
    layout.TRUNK: ("raised", "line_strong", False),
    layout.USED: ("accent_ground", "accent", False),
    layout.QUIET: ("", "line_strong", False),
    layout.TRAINING: ("", "line_strong", True),
    layout.COLUMN_USED: ("raised", "accent", False),
    layout.COLUMN_IN_MODEL: ("", "line_strong", False),
    layout.COLUMN: ("", "line_strong", True),
    layout.RESULT_USED: ("answer_ground", "answer_line", False),
    layout.RESULT: ("track", "", False),
}


class FlowPicture(Chart):
    """Tokens, the stages that all heads share, a strip of states, and a column for each head.

    The chart's places are the boxes.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("What happens from text to result"))
        self._picture: ModelPicture | None = None
        self._figure = layout.Figure()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_picture(self, picture: ModelPicture) -> None:
        """Show this model."""
        self._picture = picture
        self._lay_out()
        self.begin()

    # Descriptions

    def count(self) -> int:
        return len(self._figure.boxes)

    def describe(self, index: int) -> str:
        return self._figure.boxes[index].description

    def about(self) -> str:
        return tr("Arrow keys walk through the boxes.") if self.count() else tr("Nothing to show yet.")

    def table(self) -> Table:
        return picture_table(self._picture) if self._picture is not None else Table()

    def place_at(self, point: QPointF) -> int:
        # A column comes before the boxes in it.
        hits = [at for at, box in enumerate(self._figure.boxes) if box.rect.contains(point)]
        return hits[-1] if hits else -1

    def stepped(self, key: int, leap: bool) -> int | None:
        last = self.count() - 1
        ways = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if Qt.Key(key) in ways:
            return 0 if self.current < 0 else min(last, max(0, self.current + ways[Qt.Key(key)]))
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            return self._neighbour(-1 if key == Qt.Key.Key_Left else 1)
        return super().stepped(key, leap)

    def _neighbour(self, way: int) -> int:
        """The nearest box in a column on that side (-1 is left), else the current box."""
        boxes = self._figure.boxes
        if self.current < 0:
            return 0
        here = boxes[self.current]
        is_column = here.style in layout.COLUMNS

        def fits(box: layout.Box) -> bool:
            apart = (box.rect.left() - here.rect.right()) if way > 0 else here.rect.left() - box.rect.right()
            return apart >= 0 and (box.style in layout.COLUMNS) == is_column

        def far(at: int) -> float:
            step = boxes[at].rect.center() - here.rect.center()
            return abs(step.x()) + abs(step.y())

        return min((at for at, box in enumerate(boxes) if fits(box)), key=far, default=self.current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll to the box that a key leads to."""
        super().keyPressEvent(event)
        if self.current < 0:
            return
        rect, edge = self._figure.boxes[self.current].rect, self.theme.step(4)
        area: QWidget | None = self.parentWidget()
        while area is not None:
            if isinstance(area, QScrollArea) and (inner := area.widget()) is not None:
                for point in (rect.bottomRight(), rect.topLeft()):
                    where = self.mapTo(inner, point.toPoint())
                    area.ensureVisible(where.x(), where.y(), edge, edge)
            area = area.parentWidget()

    # Size

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), round(self._figure.size.height()))

    def minimumSizeHint(self) -> QSize:
        wide = layout.least_width(self.theme, self._picture) if self._picture is not None else 0
        return QSize(wide, round(self._figure.size.height()))

    def picture_size(self) -> QSize:
        return self._figure.size.toSize()

    def _lay_out(self) -> None:
        if self._picture is None:
            self._figure = layout.Figure()
        else:
            self._figure = layout.FigureLayout(self.theme, self._picture, self.width()).lay_out()
        self.updateGeometry()

    @Slot()
    def restyle(self) -> None:
        self._lay_out()
        self.update()

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        figure, theme = self._figure, self.theme
        self._draw_funnel(painter)
        for chip in (*figure.chips, *figure.cells):
            self._draw_chip(painter, chip)
        for box in figure.boxes:
            if box.style in layout.COLUMNS:
                self._draw_box(painter, box)
        for arrow in sorted(figure.arrows, key=lambda one: one.used):
            self._draw_arrow(painter, arrow)
        for box in figure.boxes:
            if box.style not in layout.COLUMNS:
                self._draw_box(painter, box)
        for text in figure.texts:
            if text.side == layout.CENTRE:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._ground(text.rect))
                painter.drawRoundedRect(text.rect, theme.step(1), theme.step(1))
            self._write(painter, text)
        if not whole and self.current >= 0:
            rect = figure.boxes[self.current].rect.adjusted(-2, -2, 2, 2)
            self.outline(painter, rect, "focus", 2, theme.step(2.5))

    def _ground(self, rect: QRectF) -> QColor:
        """The background colour for a label, which interrupts the line behind it."""
        boxes = self._figure.boxes
        inside = any(box.style == layout.COLUMN_USED and box.rect.contains(rect) for box in boxes)
        return self.theme.colour("raised" if inside else "panel")

    def _draw_funnel(self, painter: QPainter) -> None:
        if self._figure.funnel:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.colour("accent_ground" if self._figure.funnel_used else "hover"))
            painter.drawPolygon(QPolygonF(list(self._figure.funnel)))

    def _draw_chip(self, painter: QPainter, chip: layout.Chip) -> None:
        theme = self.theme
        if chip.part is not None:
            ground, line, ink = {
                Part.SPECIAL: ("raised", "accent", "accent"),
                Part.PAIR: ("selection", "", "selection_ink"),
                Part.TEXT: ("track", "", "ink"),
            }[chip.part]
            painter.setBrush(theme.colour(ground))
            painter.setPen(QPen(theme.colour(line), 1) if line else Qt.PenStyle.NoPen)
            edge = theme.step(1)
            painter.drawRoundedRect(chip.rect.adjusted(0.5, 0.5, -0.5, -0.5), edge, edge)
        else:
            ink = "ink_quiet"
        if chip.text:
            painter.setFont(theme.font("small"))
            painter.setPen(theme.colour(ink))
            painter.drawText(chip.rect, int(Qt.AlignmentFlag.AlignCenter), chip.text)

    def _draw_box(self, painter: QPainter, box: layout.Box) -> None:
        theme = self.theme
        ground, line, dashed = _STYLES[box.style]
        pen = QPen(theme.colour(line), 1) if line else QPen(Qt.PenStyle.NoPen)
        if dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.colour(ground) if ground else theme.colour("panel"))
        edge = theme.step(3 if box.style in layout.COLUMNS else 2)
        for behind in range(min(box.repeats, 3) - 1, 0, -1):
            off = behind * theme.step(1)
            painter.drawRoundedRect(box.rect.translated(off, -off).adjusted(0.5, 0.5, -0.5, -0.5), edge, edge)
        painter.drawRoundedRect(box.rect.adjusted(0.5, 0.5, -0.5, -0.5), edge, edge)
        for text in box.texts:
            self._write(painter, text)

    def _write(self, painter: QPainter, text: layout.PlacedText) -> None:
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter | text.side
        painter.setFont(self.theme.font(text.use))
        painter.setPen(self.theme.colour(text.role))
        painter.drawText(text.rect.adjusted(0, -1, 0, 1), int(flags), text.text)

    def _draw_arrow(self, painter: QPainter, arrow: layout.Arrow) -> None:
        theme = self.theme
        colour = theme.colour("accent" if arrow.used else "line_strong")
        pen = QPen(colour, 2 if arrow.used else 1)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        path = QPainterPath(arrow.points[0])
        for point in arrow.points[1:-1]:
            path.lineTo(point)
        tip, size = arrow.points[-1], theme.step(1.25)
        path.lineTo(tip.x(), tip.y() - size)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        head = (
            tip,
            QPointF(tip.x() - size, tip.y() - size * 1.4),
            QPointF(tip.x() + size, tip.y() - size * 1.4),
        )
        painter.drawPolygon(QPolygonF(list(head)))
