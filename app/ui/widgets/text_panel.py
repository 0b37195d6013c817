"""The right side of a page with a text on paper: buttons, how far it is, faults, a card, and samples to try."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.core.models import ModelCard
from app.ui.theme import Theme
from app.ui.widgets.model_line import ModelLine
from app.ui.widgets.notice import Notice
from app.ui.widgets.paper_term import PaperTerm
from app.ui.widgets.progress_strip import ProgressStrip
from app.ui.widgets.sample_list import SampleList


class TextPanel(QFrame):
    """A second and a first button, progress, faults, what was found as `card`, and samples where there is no text.

    `second` is quiet, `button` the one thing to do next; `about` says in plain words what happens, `term` is the
    paper's. `invite` is the line that stands where there is no card.
    """

    run_asked = Signal()
    second_asked = Signal()
    stop_asked = Signal()
    open_asked = Signal()
    sample_chosen = Signal(int)

    def __init__(
        self, theme: Theme, second: QPushButton, button: QPushButton, card: QWidget, about: PaperTerm
    ) -> None:
        super().__init__()
        self._theme = theme
        self.second = second
        self.button = button
        second.clicked.connect(self.second_asked)
        button.setProperty("kind", "primary")
        button.clicked.connect(self.run_asked)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        self.notice = Notice(theme)
        self._outdated = _quiet("The text was changed since.")
        self.invite = _quiet("")
        self._samples = SampleList(theme, "Try one of these")
        self._samples.chosen.connect(self.sample_chosen)
        self._open = QPushButton("Open a text file…")
        self._open.setProperty("kind", "sample")
        self._open.setAccessibleName("Open a text file")
        self._open.setToolTip("Open a text file  (Ctrl+O)")
        self._open.clicked.connect(self.open_asked)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.invite, card, self._samples, self._open):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        self.model = ModelLine(theme)
        top = QHBoxLayout()
        top.addWidget(second)
        top.addStretch(1)
        top.addWidget(button)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(top)
        for line in (self.strip, self.notice, self._outdated):
            self._layout.addWidget(line)
        self._layout.addWidget(scroll, 1)
        self._layout.addWidget(about)
        self._layout.addWidget(self.model)
        self.setProperty("kind", "panel")
        theme.changed.connect(self._restyle)
        self._restyle()
        self._outdated.hide()

    @property
    def side(self) -> QWidget:
        """The panel itself."""
        return self

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""
        self._samples.set_titles(titles, "paste")

    def set_inviting(self, empty: bool) -> None:
        """Show what to begin with while there is no text."""
        self._samples.setVisible(empty)
        self._open.setVisible(empty)

    def set_outdated(self, outdated: bool) -> None:
        """Say that what is shown belongs to an earlier text."""
        self._outdated.setVisible(outdated)

    def outdated(self) -> bool:
        """Whether what is shown is said to belong to an earlier text."""
        return not self._outdated.isHidden()

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        """Say which model does the work."""
        self.model.show_model(card.name)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        edge = theme.step(4.5)
        self._layout.setContentsMargins(edge, edge, edge, theme.step(3))
        self._layout.setSpacing(theme.step(3.5))
        self._column.setSpacing(theme.step(3.5))
        self._outdated.setFont(theme.font("small"))
        self._open.setIcon(theme.icon("open"))
        self._open.setIconSize(QSize(theme.step(5), theme.step(5)))


def _quiet(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("ink", "quiet")
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
