"""The right side of a page with a text on paper: buttons, how far it is, faults, what came out, and samples to try."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.core.models import ModelCard
from app.ui.heads.paper_term import PaperTerm
from app.ui.kit.notice import Notice
from app.ui.kit.password_line import PasswordLine
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.sample_list import SampleList
from app.ui.kit.theme import Theme

# So many steps of the rhythm high there is room for everything.
_LOW = 140


class ModelLine(QFrame):
    """A quiet line; where there is no model, a link to the settings stands below. `settings_asked` is sent by it."""

    settings_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._words = QLabel()
        self._words.setProperty("ink", "quiet")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._settings = QPushButton("Choose a model in the settings")
        self._settings.setProperty("kind", "link")
        self._settings.setAccessibleName("Choose a model in the settings")
        self._settings.setCursor(Qt.CursorShape.PointingHandCursor)
        self._settings.clicked.connect(self.settings_asked)
        self._settings.hide()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._words)
        self._layout.addWidget(self._settings, 0, Qt.AlignmentFlag.AlignLeft)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(self, words: str) -> None:
        """Say which model it is."""
        self._words.setText(words)
        self._settings.hide()

    def show_none(self, words: str) -> None:
        """Say why there is none."""
        self._words.setText(words)
        self._settings.show()

    def words(self) -> str:
        """What is said."""
        return self._words.text()

    @Slot()
    def _restyle(self) -> None:
        self._words.setFont(self._theme.font("small"))
        self._settings.setFont(self._theme.font("small"))
        self._layout.setSpacing(self._theme.step(1))


class TextPanel(QFrame):
    """The top row, progress, faults, the line `invite` with what was found as `card`, and samples on an empty page.

    `aside` stands at the top's left, `button` at its right is the one thing to do next; `about` says in plain words
    what happens, with the paper's term. What a page has besides is put in with `add`.
    """

    run_asked = Signal()
    stop_asked = Signal()
    open_asked = Signal()
    sample_chosen = Signal(int)

    OPEN = "Open a text file"

    def __init__(
        self, theme: Theme, aside: QWidget, button: QPushButton, card: QWidget | None, about: PaperTerm
    ) -> None:
        super().__init__()
        self._theme = theme
        self.button = button
        button.setProperty("kind", "primary")
        button.clicked.connect(self.run_asked)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        self.notice = Notice(theme)
        self.lock = PasswordLine(theme, leavable=True)
        self._outdated = quiet_line("The text was changed since.")
        self.invite = quiet_line("")
        self.samples = SampleList(theme, "Try one of these")
        self.samples.chosen.connect(self.sample_chosen)
        self._open = QPushButton(f"{self.OPEN}…")
        self._open.setProperty("kind", "sample")
        self._open.setAccessibleName(self.OPEN)
        self._open.setToolTip(f"{self.OPEN}  (Ctrl+O)")
        self._open.clicked.connect(self.open_asked)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.invite, card, self.samples, self._open):
            if widget is not None:
                self._column.addWidget(widget)
        self._column.addStretch(1)
        self.middle = QScrollArea()
        self.middle.setWidgetResizable(True)
        self.middle.setFrameShape(QFrame.Shape.NoFrame)
        self.middle.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.middle.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.middle.setWidget(body)
        self._about = about
        self._inviting = True
        self.model = ModelLine(theme)
        top = QHBoxLayout()
        top.addWidget(aside)
        top.addStretch(1)
        top.addWidget(button)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(top)
        for line in (self.strip, self.notice, self.lock, self._outdated):
            self._layout.addWidget(line)
        self._layout.addWidget(self.middle, 1)
        self._layout.addWidget(about)
        self._layout.addWidget(self.model)
        self.setProperty("kind", "panel")
        theme.changed.connect(self._restyle)
        self._restyle()
        self._outdated.hide()

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Put a widget below what was found, above the words on what happens."""
        self._layout.insertWidget(self._layout.indexOf(self._about), widget, stretch)

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""
        self.samples.set_titles(titles, "paste", self.button)

    def set_inviting(self, empty: bool) -> None:
        """Show what to begin with while there is no text."""
        self.samples.setVisible(empty)
        self._open.setVisible(empty)
        self._inviting = empty
        self._make_room()

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """In a low window with large letters, what was found needs the room that the words on it take."""
        self._about.setVisible(self._inviting or self.height() >= self._theme.step(_LOW))

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


def quiet_line(text: str) -> QLabel:
    """A line of plain text in the quiet ink, wrapped where it is long."""
    label = QLabel(text)
    label.setProperty("ink", "quiet")
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
