"""The two sides of a page with a text: the desk with its paper, and the panel with buttons, results and samples."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.core import wording
from app.core.message import Message
from app.core.models import ModelCard, model_title
from app.flows.heads.kept import HeadResult
from app.ui.kit.boxes import column, row
from app.ui.kit.empty_state import SampleList
from app.ui.kit.language_line import LanguageLine
from app.ui.kit.notice import Notice
from app.ui.kit.parts import Scrolling, StyledLabel, plain_label, push_button
from app.ui.kit.password_line import PasswordLine
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr


class PaperTerm(StyledLabel):
    """A quiet text: a sentence or two in plain words, then the technical term in italics."""

    def __init__(self, words: str = "", term: str = "") -> None:
        super().__init__()
        self.show_term(words, term)
        mark(self, type="small", ink="quiet")

    def show_term(self, words: str, term: str) -> None:
        """Show a sentence and its term."""
        words, term = localised(words), localised(term)
        self.set_runs((f"{words} ", ""), (term, "font-style: italic"))
        self.setAccessibleName(f"{words} {term}")


# The height in steps from which there is room for everything.
_ROOMY_HEIGHT = 140


class ModelLine(QFrame):
    """A quiet line about the model, and if there is none, a link to the `settings` below it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.words = plain_label(type="small", ink="quiet")
        self.settings = push_button(theme, tr("Choose a model in the settings"), kind="link")
        self.settings.setCursor(Qt.CursorShape.PointingHandCursor)
        self.settings.hide()
        mark(self.settings, type="small")
        column(theme, self.words, (self.settings, 0, Qt.AlignmentFlag.AlignLeft), gap=1, parent=self)

    def show_model(self, words: str) -> None:
        """Show the model in words."""
        self.words.setText(words)
        self.settings.hide()

    def show_none(self, words: str) -> None:
        """Show why there is no model."""
        self.words.setText(words)
        self.settings.show()


class TextPanel(QFrame):
    """The right side of a page: its action, progress, errors, an invitation, the result, and samples while it is empty.

    `aside` is at the top left, `button`, the page's main action, at the top right; `card` shows the result. ABOUT
    explains what happens, in plain words and in a term; MODEL says what the `model` does; OPEN is the label of `open`,
    the button that opens a file. A subclass adds further widgets with `add`.
    """

    ABOUT: tuple[str, str]
    MODEL: Message
    OPEN: str = Message("Open a text file")

    def __init__(self, theme: Theme, aside: QWidget, button: QPushButton, card: QWidget | None) -> None:
        super().__init__()
        self._theme = theme
        self.button = button
        button.setProperty("kind", "primary")
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme)
        self.lock = PasswordLine(theme, cancellable=True)
        self.is_stale = False  # whether the result is one of another model than the one in use
        self._outdated = plain_label(type="small", ink="quiet")
        self.invite = plain_label(ink="quiet")
        self.samples = SampleList(theme, tr("Try one of these"))
        opens = localised(self.OPEN)
        self.open = push_button(theme, f"{opens}…", kind="sample", name=opens, tip=f"{opens}  (Ctrl+O)")
        self.open.setIcon(theme.icon("open"))
        body = QWidget()
        parts = [part for part in (self.invite, card, self.samples, self.open) if part is not None]
        column(theme, *parts, 1, gap=3.5, parent=body)
        self.middle = Scrolling(body)
        self._about = PaperTerm(*self.ABOUT)
        self._inviting = True
        self.model = ModelLine(theme)
        top = row(theme, aside, 1, button, gap=3.5)
        lines = (self.strip, self.notice, self.lock, self._outdated)
        self._layout = column(
            theme, top, *lines, (self.middle, 1), self._about, self.model,
            gap=3.5, margins=(4.5, 4.5, 4.5, 3), parent=self,
        )  # fmt: skip
        self.setProperty("kind", "panel")
        self._outdated.hide()

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Add a widget below the result, above the explanation."""
        self._layout.insertWidget(self._layout.indexOf(self._about), widget, stretch)

    def add_line(self, line: LanguageLine) -> None:
        """Add a line above the result."""
        self._layout.insertWidget(self._layout.indexOf(self.middle), line)
        QWidget.setTabOrder(self.button, line.button)

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""
        self.samples.set_titles(titles, "paste", self.button)

    def set_inviting(self, empty: bool) -> None:
        """Show how to begin while there is no text."""
        self.samples.setVisible(empty)
        self.open.setVisible(empty)
        self._inviting = empty
        self._make_room()

    def set_outdated(self, outdated: bool) -> None:
        """Say whether the result is outdated: of an earlier text or, if it is stale, of another model."""
        self._outdated.setText(
            tr("The model was changed since.") if self.is_stale else tr("The text was changed since.")
        )
        self._outdated.setVisible(outdated)

    def outdated(self) -> bool:
        """Whether the result is marked as outdated."""
        return not self._outdated.isHidden()

    def spoken(self) -> str:
        """The result in words for a screen reader; empty without a result."""
        raise NotImplementedError

    def show_model(self, card: ModelCard) -> None:
        """Show the name of the model, and what it does."""
        self.model.show_model(self.MODEL.filled(model=card.title))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Hide the explanation in a low window with large text, where the result needs its room."""
        self._about.setVisible(self._inviting or self.height() >= self._theme.step(_ROOMY_HEIGHT))


def source_line(result: HeadResult) -> str:
    """The model that computed a result, its device, and the time it took."""
    parts = (model_title(result.model), result.device, wording.duration(result.seconds))
    return " · ".join(localised(part) for part in parts if part)


def centred(theme: Theme, editor: QWidget) -> QWidget:
    """A desk with one paper in the middle, no wider than can be read well."""
    desk = QWidget()
    row(theme, 1, (editor, 1000), 1, margins=(6, 5, 6, 5), parent=desk)
    theme.in_steps(editor.setMinimumWidth, 50)
    theme.in_steps(editor.setMinimumHeight, 24)  # a few lines stay visible above the panel
    theme.in_steps(editor.setMaximumWidth, 200)
    return desk
