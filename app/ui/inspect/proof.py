"""The pooled output computed by hand, beside the one that the model gave, in numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel

from app.core.inside import Part as TokenPart
from app.core.inside import Pooling
from app.ui.inspect.part import Part
from app.ui.kit.chart_table import number
from app.ui.kit.theme import Theme

# What float32 gives and takes in a sum of several hundred products.
SAME = 1e-4
# The step from one float32 to the next below 1, where tanh's largest values lie; a few of them are "the last bits".
_BIT = 2.0**-24
_FEW = 16
_SHOWN = 4  # dimensions written out


def formula(found: Pooling) -> str:
    """What is computed by hand: "tanh(W · h + b)"."""
    return f"{found.activation}(W · h + b)" if found.activation else "W · h + b"


def first_token(found: Pooling) -> str:
    """The first token's piece: [CLS], or what stands for it."""
    return found.window.tokens[0].piece


def window_text(found: Pooling, text: str) -> str:
    """The stretch of the text that was read."""
    places = [token.span for token in found.window.tokens if token.span and token.part is TokenPart.TEXT]
    return text[min(p.start for p in places) : max(p.end for p in places)] if places else text


def verdict(found: Pooling) -> str:
    """How well the result by hand agrees with the model's."""
    size = max((abs(value) for value in found.pooled), default=0.0)
    if found.error <= _FEW * _BIT * max(1.0, size):
        return "the same, to the last bits of the numbers"
    return "the same, within what such numbers can hold" if found.error <= SAME else "not the same"


class ProofPart(Part):
    """Two comparisons with their largest differences, and the first few dimensions written out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme, "The proof on this text", "W and b are the layer’s weights, h is the first token’s vector",
            "Both are held against what the model gave. All dimensions are below, under Numbers.",
        )  # fmt: skip
        self._grid = QGridLayout()
        self._cells: list[tuple[QLabel, ...]] = []
        self.content.addLayout(self._grid)
        self._verdicts = QLabel(), QLabel()
        for label in self._verdicts:
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.content.addWidget(label)
        theme.changed.connect(self._restyle_cells)

    def lines(self) -> tuple[tuple[str, ...], ...]:
        """What is shown, row by row; the two verdicts come last."""
        return tuple(tuple(label.text() for label in row) for row in (*self._cells, self._verdicts))

    def show_pooling(self, found: Pooling) -> None:
        """Show the proof for these vectors; nothing where no layer takes the first token."""
        for label in (label for row in self._cells for label in row):
            self._grid.removeWidget(label)
            label.deleteLater()
        self._cells = []
        for at, row in enumerate(rows(found) if found.pooled else ()):
            labels = tuple(QLabel(text) for text in row)
            for column, label in enumerate(labels):
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._grid.addWidget(label, at, column, side | Qt.AlignmentFlag.AlignVCenter)
            self._cells.append(labels)
        self._grid.setColumnStretch(_SHOWN + 1, 1)
        for label, words in zip(self._verdicts, verdicts(found), strict=True):
            label.setText(words)
        self.show_content()
        self._restyle_cells()

    @Slot()
    def _restyle_cells(self) -> None:
        theme = self._theme
        self._grid.setHorizontalSpacing(theme.step(5))
        self._grid.setVerticalSpacing(theme.step(1.5))
        for at, row in enumerate(self._cells):
            for column, label in enumerate(row):
                label.setFont(theme.font("small_strong" if not column or not at else "small"))


def rows(found: Pooling) -> tuple[tuple[str, ...], ...]:
    """A heading, then the model's numbers, those by hand, and the first token's."""
    pooled = "Pooled output" if found.is_pooler else "Head’s own layer"
    vectors = (found.pooled, found.recomputed, found.first)
    names = (pooled, f"{formula(found)}, by hand", f"First token, {first_token(found)}")
    count = min(_SHOWN, len(found.first))
    heading = ("Dimension", *(str(at + 1) for at in range(count)))
    return heading, *(
        (name, *(written(value) for value in vector[:count]))
        for name, vector in zip(names, vectors, strict=True)
    )


def verdicts(found: Pooling) -> tuple[str, str]:
    """What all dimensions together prove, of the result by hand and of the first token's vector."""
    if not found.pooled:
        return "", ""
    count = len(found.pooled)
    return (
        f"{formula(found)} by hand is {verdict(found)}: over all {count:,} dimensions the largest difference is"
        f" {number(found.error)}.",
        f"The first token’s vector is not the same: it differs by up to {number(found.difference)}, and the cosine of"
        f" the two is {number(found.cosine)} (1 would be the same direction).",
    )


def written(value: float) -> str:
    """A number to seven places with a true minus sign, so that what agrees can be seen to."""
    return f"{value:.7f}".replace("-", "−")
