"""The layout of the picture of a model: boxes, arrows, tokens and texts, placed for a width."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF

from app.core.inside import HeadPicture, ModelPicture, Part, Shape, Stage, shape_words
from app.ui.inspect.charts import flow_words as words
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_MOST_CHIP_LINES = 3
_USED_WIDTH = 1.35
_LEFT, CENTRE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter

# The styles of a box.
TRUNK, USED, QUIET, TRAINING, COLUMN_USED, COLUMN_IN_MODEL, COLUMN, RESULT_USED, RESULT = (
    "trunk", "used", "quiet", "training", "column used", "column held", "column", "result used", "result",
)  # fmt: skip
COLUMNS = (COLUMN_USED, COLUMN_IN_MODEL, COLUMN)

Line = tuple[str, str, str]  # a font and a colour of the theme, and the words


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text wrapped in a rectangle and aligned to a side of it, in the theme's font `use` and colour `role`."""

    rect: QRectF
    text: str
    use: str
    role: str
    side: Qt.AlignmentFlag = _LEFT


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the picture: its texts, its description, and how many stages are stacked in it."""

    rect: QRectF
    style: str
    texts: tuple[PlacedText, ...]
    description: str
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line along its points with an arrowhead at the end; `used` if it leads to the head in use."""

    points: tuple[QPointF, ...]
    used: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """A token's piece, or a cell that stands for its state."""

    rect: QRectF
    text: str
    part: Part | None


@dataclass(slots=True)
class Figure:
    """The whole picture; `funnel` is the polygon from all states to the heads that take them all."""

    size: QSizeF = field(default_factory=QSizeF)
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    cells: list[Chip] = field(default_factory=list)
    texts: list[PlacedText] = field(default_factory=list)
    funnel: tuple[QPointF, ...] = ()
    funnel_used: bool = False


def least_width(theme: Theme, picture: ModelPicture | None) -> int:
    """The least width in pixels at which every head's column can still be read."""
    heads = len(picture.heads) if picture is not None else 1
    return theme.step(4) + round((heads - 1 + _USED_WIDTH) * theme.step(33)) + (heads - 1) * theme.step(2)


def _title_lines(stage: Stage) -> list[Line]:
    """A stage's title, and its term with the number of repeats."""
    term = f"{stage.repeats} {localised(stage.term)}" if stage.repeats > 1 else stage.term
    return [("strong", "ink", stage.title), ("small", "ink_quiet", term)]


def _fact_lines(stage: Stage) -> list[Line]:
    """A stage's detail and the number of its weights."""
    return [
        ("small", "ink_quiet", fact) for fact in (words.unnamed_details(stage), words.weights_words(stage))
    ]


def _shape(shape: Shape) -> str:
    return localised(shape_words(shape))


class FigureLayout:
    """Lays a picture out once, from top to bottom: `_y` is how far it has come. All lengths are in pixels."""

    def __init__(self, theme: Theme, picture: ModelPicture, width: float) -> None:
        self._theme = theme
        self._picture = picture
        self._shared = words.SharedStages.of(picture)
        self._left = float(theme.step(2))
        self._wide = max(width, least_width(theme, picture)) - 2 * self._left
        self._y = float(theme.step(2))
        self.figure = Figure()

    def lay_out(self) -> Figure:
        """Lay the whole picture out."""
        self._add_tokens()
        self._add_trunk()
        self._add_states()
        self._add_heads()
        self.figure.size = QSizeF(self._wide + 2 * self._left, self._y + self._theme.step(2))
        return self.figure

    # Tokens

    def _add_tokens(self) -> None:
        step, window = self._theme.step, self._picture.window
        metrics = self._metrics("small")
        if window.windows > 1:
            title = tr(
                "The text as the model reads it: {n:,} token, window {window} of {windows:,}",
                "The text as the model reads it: {n:,} tokens, window {window} of {windows:,}",
                n=len(window.tokens),
                window=window.number + 1,
                windows=window.windows,
            )
        else:
            title = tr(
                "The text as the model reads it: {n:,} token",
                "The text as the model reads it: {n:,} tokens",
                n=len(window.tokens),
            )
        self._add_caption(title, self._shared.tokens)
        high, gap = metrics.height() + step(1.5), step(1)
        x, lines, end = self._left, 1, self._left + self._wide
        for at, token in enumerate(window.tokens):
            wide = max(float(step(4)), metrics.horizontalAdvance(token.piece) + step(3))
            left = len(window.tokens) - at
            rest = tr("and {number:,} more", number=left)
            more = metrics.horizontalAdvance(rest) + step(4)
            if x + wide + (more if lines == _MOST_CHIP_LINES and left > 1 else 0) > end and x > self._left:
                if lines == _MOST_CHIP_LINES:
                    rect = QRectF(x + step(1), self._y, more, high)
                    self.figure.texts.append(PlacedText(rect, rest, "small", "ink_quiet"))
                    break
                x, lines = self._left, lines + 1
                self._y += high + gap
            self.figure.chips.append(Chip(QRectF(x, self._y, wide, high), token.piece, token.part))
            x += wide + gap
        self._y += high

    # The shared trunk

    def _add_trunk(self) -> None:
        """Add the shared stages, those with the same input side by side; shapes are shown where they change."""
        wide = min(self._wide, float(self._theme.step(170)))
        middle = self._left + self._wide / 2
        flowing = _shape(self._shared.read)
        for row in self._shared.rows:
            if len(row) > 1:
                self._add_stages_side_by_side(row, middle, wide, flowing)
                flowing = _shape(row[0].output)
                continue
            stage = row[0]
            if stage.training_only:
                self._y += self._theme.step(1.5)
            else:
                self._add_arrow(middle, flowing, used=True)
                flowing = ""
            self._add_trunk_box(stage, middle, wide)
            before = _shape(stage.inputs[0]) if stage.inputs else ""
            after = _shape(stage.output)
            flowing = flowing or (after if after != before or stage.repeats > 1 else "")
        self._add_arrow(middle, flowing, used=True)

    def _add_stages_side_by_side(
        self, row: tuple[Stage, ...], middle: float, wide: float, flowing: str
    ) -> None:
        """Add stages side by side: each takes the same input, and their outputs are merged."""
        step = self._theme.step
        gap, edge, start = step(4), step(2.5), self._y
        each = (wide - gap * (len(row) - 1)) / len(row)
        self._add_arrow(middle, flowing, used=True)
        self.figure.arrows.pop()
        bus, top = self._y - step(2), self._y + step(4)
        lefts = [middle - wide / 2 + at * (each + gap) for at in range(len(row))]
        placed = []
        for stage, left in zip(row, lefts, strict=True):
            lines = [*_title_lines(stage), *_fact_lines(stage)]
            placed.append(self._stack(lines, left + edge, each - 2 * edge, top + step(2)))
        bottom = max(low for _, low in placed) + step(2)
        self._y = bottom + step(8)
        for stage, left, (texts, _) in zip(row, lefts, placed, strict=True):
            x, join = left + each / 2, bottom + step(3)
            down = (QPointF(middle, start), QPointF(middle, bus), QPointF(x, bus), QPointF(x, top))
            on = (QPointF(x, bottom), QPointF(x, join), QPointF(middle, join), QPointF(middle, self._y))
            self.figure.arrows += [Arrow(down, True), Arrow(on, True)]
            rect = QRectF(left, top, each, bottom - top)
            self.figure.boxes.append(Box(rect, TRUNK, texts, words.describe_stage(stage)))
        self._y = bottom + step(3)

    def _add_trunk_box(self, stage: Stage, middle: float, wide: float) -> None:
        step = self._theme.step
        edge, many = step(3), stage.repeats > 1
        wide = wide if many else min(wide, float(step(120)))
        if stage.training_only or not (stage.parameters or stage.path):
            wide = min(wide, float(step(80)))
            text = (
                tr("{stage}, at training only", stage=stage.term)
                if stage.training_only
                else f"{localised(stage.title)}: {localised(stage.term)}"
            )
            left = middle - wide / 2 + edge
            texts, low = self._stack(
                [("small", "ink_quiet", text)], left, wide - 2 * edge, self._y + step(1), CENTRE
            )
            rect = QRectF(middle - wide / 2, self._y, wide, low + step(1) - self._y)
            style = TRAINING if stage.training_only else TRUNK
            self.figure.boxes.append(Box(rect, style, texts, words.describe_stage(stage)))
            self._y = rect.bottom()
            return
        self._y += step(2) if many else 0  # room for the boxes behind
        inner, left = wide - 2 * edge, middle - wide / 2
        top, share = self._y + step(2.5), inner * 0.5
        texts, low = self._stack(_title_lines(stage), left + edge, share, top)
        beside, right = left + edge + share + step(3), Qt.AlignmentFlag.AlignRight
        more, lower = self._stack(_fact_lines(stage), beside, inner - share - step(3), top, right)
        rect = QRectF(left, self._y, wide, max(low, lower) + step(2.5) - self._y)
        self.figure.boxes.append(
            Box(rect, TRUNK, (*texts, *more), words.describe_stage(stage), stage.repeats)
        )
        self._y = rect.bottom()

    def _add_states(self) -> None:
        """Add a cell for each token's state, in a strip as wide as the picture."""
        step, tokens = self._theme.step, self._picture.window.tokens
        most = max(8, int(self._wide // step(4.5)))
        shown = min(len(tokens), most)
        wide = self._wide / shown
        metrics = self._metrics("small")
        named = len(tokens) <= most and all(
            metrics.horizontalAdvance(token.piece) < wide - step(2) for token in tokens
        )
        self._add_caption(tr("Every token’s state: a row of numbers for each"), self._shared.states)
        for at in range(shown):
            left_out = len(tokens) > most and at == shown - 2
            token = tokens[at if at < shown - 2 else at - shown]
            rect = QRectF(self._left + at * wide, self._y, wide - step(0.75), step(5))
            self.figure.cells.append(
                Chip(
                    rect, "…" if left_out else token.piece if named else "", None if left_out else token.part
                )
            )
        self._y += step(5)

    # The heads

    def _add_heads(self) -> None:
        step = self._theme.step
        heads = sorted(
            self._picture.heads, key=lambda head: (not words.uses_first_token_only(head), not head.in_use)
        )
        gap = float(step(2) if self._wide < step(240) else step(4))
        unit = (self._wide - gap * (len(heads) - 1)) / (len(heads) - 1 + _USED_WIDTH)
        bus, top = self._y + step(9), self._y + step(16)
        columns: list[tuple[HeadPicture, float, float]] = []
        x = self._left
        for head in heads:
            wide = unit * (_USED_WIDTH if head.in_use else 1.0)
            columns.append((head, x, wide))
            x += wide + gap
        first_only = [column for column in columns if words.uses_first_token_only(column[0])]
        all_tokens = [column for column in columns if not words.uses_first_token_only(column[0])]
        if first_only:
            cell = self.figure.cells[0].rect
            label = tr("only the first token, {token}", token=self._picture.window.tokens[0].piece)
            self._add_bus(QPointF(cell.center().x(), cell.bottom()), first_only, bus, top, label)
        if all_tokens:
            middle = (all_tokens[0][1] + all_tokens[-1][1] + all_tokens[-1][2]) / 2
            strip, low = self.figure.cells, bus - step(3)
            ends = (strip[0].rect.bottomLeft(), strip[-1].rect.bottomRight())
            self.figure.funnel = (
                QPointF(ends[0].x(), ends[0].y() + step(0.75)), QPointF(ends[1].x(), ends[1].y() + step(0.75)),
                QPointF(middle + step(4), low), QPointF(middle - step(4), low),
            )  # fmt: skip
            self.figure.funnel_used = any(head.in_use for head, _, _ in all_tokens)
            self._add_bus(QPointF(middle, low), all_tokens, bus, top, tr("every token’s state"))
        self._y = top
        ends_at = [self._add_column(head, left, wide, top) for head, left, wide in columns]
        self._y = max(ends_at, default=top)

    def _add_bus(
        self,
        start: QPointF,
        columns: list[tuple[HeadPicture, float, float]],
        bus: float,
        top: float,
        label: str,
    ) -> None:
        """Add arrows from a point of the strip to the top of each column, the one to the head in use last, on top."""
        for head, left, wide in sorted(columns, key=lambda column: column[0].in_use):
            x = left + wide / 2
            points = (start, QPointF(start.x(), bus), QPointF(x, bus), QPointF(x, top))
            self.figure.arrows.append(Arrow(points, head.in_use))
        room = columns[-1][1] + columns[-1][2] - columns[0][1]
        metrics = self._metrics("small_strong")
        wide = min(room, metrics.horizontalAdvance(label) + self._theme.step(4))
        rect = QRectF(0, 0, wide, metrics.height() + self._theme.step(1.5))
        ends = sorted((start.x(), *(left + width / 2 for _, left, width in columns)))
        rect.moveCenter(QPointF((ends[0] + ends[-1]) / 2, bus))
        rect.moveLeft(max(self._left, rect.left()))
        used = any(head.in_use for head, _, _ in columns)
        self.figure.texts.append(
            PlacedText(rect, label, "small_strong", "ink" if used else "ink_quiet", CENTRE)
        )

    def _add_column(self, head: HeadPicture, left: float, wide: float, top: float) -> float:
        """Add a head's column with its stages from top to bottom; returns its bottom."""
        step = self._theme.step
        edge, used = step(2), head.in_use
        ink = "ink" if used else "ink_quiet"
        inner = wide - 2 * edge
        at = len(self.figure.boxes)
        lines = [
            ("strong", ink, head.title), ("small", "ink_quiet", words.breakable(head.kind)),
            ("small_strong", "accent" if used else ink, head.status),
        ]  # fmt: skip
        texts, self._y = self._stack(lines, left + edge, inner, top + step(2.5))
        flowing = words.takes_words(head)
        middle = left + wide / 2
        for number, stage in enumerate(head.stages):
            if stage.training_only and number:
                self._y += step(1.5)
            else:
                self._add_arrow(middle, flowing, used=used, wide=inner)
                flowing = ""  # shown once
            self._add_stage_box(stage, head, left + edge, inner)
            before = stage.inputs[0] if stage.inputs else ()
            flowing = flowing or (_shape(stage.output) if stage.output != before else "")
        last = next((stage.output for stage in reversed(head.stages) if stage.output), ())
        self._add_arrow(middle, _shape(last), used=used, wide=inner)
        outcome = [("small_strong", ink, words.OUTCOMES[head.head])]
        result, low = self._stack(outcome, left + edge * 2, inner - 2 * edge, self._y + step(2), CENTRE)
        rect = QRectF(left + edge, self._y, inner, low + step(2) - self._y)
        self.figure.boxes.append(
            Box(
                rect,
                RESULT_USED if used else RESULT,
                result,
                tr("What comes out: {outcome}", outcome=outcome[0][2]),
            )
        )
        bottom = rect.bottom() + edge
        whole = QRectF(left, top, wide, bottom - top)
        style = COLUMN_USED if used else COLUMN_IN_MODEL if head.held else COLUMN
        box = Box(whole, style, texts, words.describe_head(head))
        self.figure.boxes.insert(at, box)
        return bottom

    def _add_stage_box(self, stage: Stage, head: HeadPicture, left: float, wide: float) -> None:
        step = self._theme.step
        ink = "ink" if head.in_use else "ink_quiet"
        top, edge = self._y, step(2)
        if stage.training_only:
            lines = [("small", "ink_quiet", tr("{stage}, at training only", stage=stage.term or stage.title))]
        else:
            facts = _fact_lines(stage) if stage.parameters else []
            lines = [("small_strong", ink, stage.title), ("small", "ink_quiet", stage.term), *facts]
        texts, low = self._stack(lines, left + edge, wide - 2 * edge, top + step(1.75))
        rect = QRectF(left, top, wide, low + step(1.75) - top)
        style = TRAINING if stage.training_only else USED if head.in_use else QUIET
        self.figure.boxes.append(Box(rect, style, texts, words.describe_stage(stage, head), stage.repeats))
        self._y = rect.bottom()

    # Parts that are used throughout

    def _add_arrow(self, x: float, label: str, *, used: bool, wide: float = 0.0) -> None:
        """Add an arrow straight down from `_y`, labelled with what flows."""
        step = self._theme.step
        text = self._bounds(label, "small", wide or self._wide) if label else QRectF()
        high = step(7) + text.height() if label else step(6)
        self.figure.arrows.append(
            Arrow((QPointF(x, self._y + step(0.5)), QPointF(x, self._y + high - step(0.5))), used)
        )
        if not label:
            self._y += high
            return
        rect = QRectF(0, 0, text.width() + step(2), text.height() + step(0.5))
        rect.moveCenter(QPointF(x, self._y + high / 2 - step(0.75)))
        self.figure.texts.append(PlacedText(rect, label, "small", "ink" if used else "ink_quiet", CENTRE))
        self._y += high

    def _add_caption(self, text: str, term: str) -> None:
        metrics = self._metrics("small_strong")
        wide = metrics.horizontalAdvance(text)
        high = metrics.height()
        self.figure.texts.append(
            PlacedText(QRectF(self._left, self._y, wide + 2, high), text, "small_strong", "ink")
        )
        rect = QRectF(self._left + wide + self._theme.step(2), self._y, self._wide / 2, high)
        self.figure.texts.append(PlacedText(rect, term, "small", "ink_quiet"))
        self._y += high + self._theme.step(1.5)

    def _stack(
        self,
        lines: list[Line],
        left: float,
        wide: float,
        top: float,
        side: Qt.AlignmentFlag = _LEFT,
    ) -> tuple[tuple[PlacedText, ...], float]:
        """Wrapped texts, placed one below the other, and their bottom."""
        placed = []
        for use, role, line in lines:
            text = localised(line)
            if text:
                high = self._bounds(text, use, wide).height()
                placed.append(PlacedText(QRectF(left, top, wide, high), text, use, role, side))
                top += high + self._theme.step(0.25)
        return tuple(placed), top

    def _bounds(self, text: str, use: str, wide: float) -> QRectF:
        flags = int(Qt.TextFlag.TextWordWrap)
        return self._metrics(use).boundingRect(QRectF(0, 0, wide, 1e5), flags, text)

    def _metrics(self, use: str) -> QFontMetricsF:
        return QFontMetricsF(self._theme.font(use))
