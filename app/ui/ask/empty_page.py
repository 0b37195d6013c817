"""What covers an empty page: ways to open a document, and samples to try."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.core.legible import legible
from app.core.message import Message
from app.ui.kit.boxes import column, flow
from app.ui.kit.empty_state import SampleGrid
from app.ui.kit.parts import Scrolling, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_MOST_RECENT = 4
_NBSP = "\N{NO-BREAK SPACE}"
_KEYS = (
    Message("Ctrl+V paste"),
    Message("Ctrl+O open"),
    Message("Ctrl+L question"),
    Message("Enter ask"),
    Message("F3 next"),
    Message("F1 all keys"),
)


class EmptyPage(Scrolling):
    """Covers a page without a text, which still takes what is typed; scrolls where large text has no room.

    Its buttons are `open`, `folder`, `paste`, and those of `recent` files and of `samples`. `recent_chosen` carries the
    path of a recent file; `clicked` is sent on a click beside all buttons.
    """

    recent_chosen = Signal(str)
    clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        inner = QWidget()
        super().__init__(inner, sideways=True)
        self.setParent(parent)
        self._theme = theme
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.paste = push_button(theme, tr("Paste"), icon="paste", tip=tr("Paste  (Ctrl+V)"))
        self.open = push_button(theme, tr("Open a file…"), icon="open", tip=tr("Open files  (Ctrl+O)"))
        self.folder = push_button(
            theme, tr("Add a folder…"), icon="folder", tip=tr("All its documents can be asked at once")
        )
        for button in (self.paste, self.open, self.folder):
            button.setCursor(Qt.CursorShape.ArrowCursor)
        self._again = plain_label(tr("Open again"), type="small_strong", ink="quiet")
        self.recent: list[QPushButton] = []
        self._recents = column(theme)
        self._or = plain_label(tr("Or try one of these"), type="small_strong", ink="quiet")
        keys = (localised(one).replace(" ", _NBSP) for one in _KEYS)
        ways = flow(theme, self.open, self.folder, self.paste)
        self.samples = SampleGrid(theme)
        title = plain_label(tr("Drop files or a folder here, or paste a text"), type="answer")
        takes = tr("PDF, Word, spreadsheets, slides, books, mails, web pages, Markdown, plain text")
        parts = (title, plain_label(takes, type="small", ink="quiet"), ways)
        parts_to_try = (self._again, self._recents, self._or, self.samples)
        shortcuts = plain_label(f"{_NBSP}· ".join(keys), type="small", ink="quiet")
        self._column = column(
            theme, *parts, *parts_to_try, shortcuts, 1, gap=2, margins=(0, 2, 0, 4), parent=inner
        )
        for at in (len(parts), len(parts) + 1 + len(parts_to_try)):
            self._column.insertSpacing(at, theme.step(3))
        for button in (self.open, self.folder):
            button.elides = Qt.TextElideMode.ElideRight
            theme.in_steps(button.setMinimumWidth, 20)

    def set_samples(self, samples: Sequence[tuple[str, str]]) -> None:
        """Offer samples, given as titles and their first questions."""
        self.samples.offer(samples)
        self._or.setVisible(bool(samples))
        self._lay_out()

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer recent files, the latest first."""
        for button in self.recent:
            self._recents.removeWidget(button)
            button.deleteLater()
        self.recent = []
        for path in paths[:_MOST_RECENT]:
            name = legible(Path(path).name)
            button = push_button(
                self._theme, name or path, kind="link", name=tr("Open {file} again", file=name), tip=path
            )
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            button.clicked.connect(partial(self.recent_chosen.emit, path))
            self._recents.addWidget(button)
            self.recent.append(button)
        self._again.setVisible(bool(self.recent))
        self._lay_out()

    def fit(self, width: int, height: int) -> None:
        """Take the page's size, and offer as many samples as fit."""
        self.resize(width, height)
        self._lay_out()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
        super().mouseReleaseEvent(event)

    def _lay_out(self) -> None:
        columns = 2 if self.width() >= self._theme.step(110) else 1
        self.samples.set_columns(columns)
        buttons = self.samples.buttons
        for button in buttons:
            button.show()
        for last in reversed(range(columns, len(buttons), columns)):
            self.samples.invalidate()
            if self._column.heightForWidth(self.width()) <= self.height():
                break
            for button in buttons[last : last + columns]:
                button.hide()
