"""What the Look inside page says while there is nothing to look into."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.ui.kit.notice import Notice
from app.ui.kit.sample_list import SampleList
from app.ui.kit.theme import Theme

_ABOUT = (
    "See how the model came to its result: the words cut into tokens, the numbers that flow through its layers, and"
    " what each of its heads makes of them. Every number is computed on this computer while you look, from the model"
    " that is installed."
)
_HINT = "Or press Look inside beside any answer, class or word that Spanlight gave you."
_NOTHING = "There is no model here yet. As soon as one is installed, examples stand here."


class InspectEmpty(QScrollArea):
    """A heading, two sentences, samples to look into with one click. `chosen` carries a sample's index."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.notice = Notice(theme)
        self._heading, self._about, self._hint = (
            QLabel("Look inside the model"),
            QLabel(_ABOUT),
            QLabel(_HINT),
        )
        self._hint.setProperty("ink", "quiet")
        for label in (self._heading, self._about, self._hint):
            label.setWordWrap(True)
        self._samples = SampleList(theme, "Try one of these")
        self._samples.chosen.connect(self.chosen)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        middle = QWidget()
        middle.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Minimum)
        self._middle = middle
        column = QVBoxLayout(middle)
        for widget in (self._heading, self._about, self.notice, self._samples, self._hint):
            column.addWidget(widget)
        self._inner = column
        self._column.addStretch(1)
        row = QHBoxLayout()  # no alignment: it would not ask the wrapped words how high they are
        row.addStretch(1)
        row.addWidget(middle)
        row.addStretch(1)
        self._column.addLayout(row)
        self._column.addStretch(2)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_titles(self, titles: tuple[str, ...]) -> None:
        """Offer these samples."""
        self._samples.set_titles(titles)
        self._hint.setText(_HINT if titles else _NOTHING)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._heading.setFont(theme.font("winner"))
        self._about.setFont(theme.font("quote"))
        self._hint.setFont(theme.font("small"))
        self._inner.setSpacing(theme.step(4))
        self._middle.setFixedWidth(theme.step(160))
