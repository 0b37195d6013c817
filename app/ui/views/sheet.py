"""One open text: its page, its question, and what the last question brought."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.report import Progress
from app.core.results import Answer, Reading
from app.ui.theme import Theme
from app.ui.widgets.document_pane import DocumentPane
from app.ui.widgets.empty_page import EmptyPage
from app.ui.widgets.places import Place, place_of

UNTITLED = "New text"
_TITLE_LENGTH = 26
SURELY_LISTED, LEAST_LISTED = 3, 0.02


@dataclass(slots=True)
class Outcome:
    """What has come of a question; positions count in `text`, the text as it was asked.

    `waiting` says what is waited for while nothing was read yet; `ended` how it ended where it was not read to the
    end ("Stopped at 34 %"); `chosen` is the index of the answer that is lit up strongly, `lit` tells for each whether
    the page shows it; `stale` that the page says something else by now.
    """

    question: str
    text: str
    source: str
    reading: Reading | None = None
    running: bool = True
    waiting: str = ""
    progress: Progress | None = None
    ended: str = ""
    stale: bool = False
    chosen: int = 0
    nearest: bool = False
    lit: tuple[bool, ...] = ()

    @property
    def fraction(self) -> float:
        """How much of the text was read, 0 to 1."""
        return self.progress.fraction if self.progress is not None else 0.0

    def answered(self, threshold: float | None) -> bool:
        """Whether the text is held to answer, by this threshold or, with None, the one it was read with."""
        if self.reading is None or not self.reading.answers:
            return False
        least = self.reading.threshold if threshold is None else threshold
        return 1.0 - self.reading.no_answer_probability >= least

    def answers(self) -> tuple[Answer, ...]:
        """The best places found so far: three, and of the further ones those that are not next to impossible."""
        found = self.reading.answers if self.reading is not None else ()
        return tuple(
            a for number, a in enumerate(found) if number < SURELY_LISTED or a.probability >= LEAST_LISTED
        )

    def place(self, index: int) -> Place:
        """What is said of one of them."""
        return place_of(self.text, self.answers()[index], self.source)


class Sheet(QWidget):
    """A document's page with what belongs to it.

    `key` names its draft; `name` is empty for a text that was typed or pasted: its title is then its beginning.
    `edited` is sent after every change of the text, `outdated` after the first one since a question, `renamed` when
    the title has become another one.
    """

    edited = Signal()
    outdated = Signal()
    renamed = Signal()

    def __init__(self, theme: Theme, *, key: str = "", name: str = "", path: str = "") -> None:
        super().__init__()
        self.key = key or secrets.token_hex(4)
        self.name = name
        self.path = path
        self.question = ""
        self.history: list[str] = []
        self.offers: tuple[str, ...] = ()
        self.outcome: Outcome | None = None
        self.unsaved = False
        self._theme = theme
        self._title = UNTITLED
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.pane = DocumentPane(theme)
        self.empty = EmptyPage(theme, self.pane.viewport())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane)
        self.setFocusProxy(self.pane)
        self.pane.resized.connect(self._place_empty)
        self.pane.edited.connect(self._edited)
        self.empty.clicked.connect(self.pane.setFocus)
        self.empty.paste_asked.connect(self.pane.paste)
        theme.changed.connect(self._place_empty)

    @property
    def title(self) -> str:
        """What the tab says."""
        return self._title

    def begin(self, text: str, *, name: str = "", path: str = "", unsaved: bool = True) -> None:
        """Take a text that was opened, offered or kept."""
        self.pane.set_text(text)
        self.name, self.path = name, path
        self.outcome = None
        self.unsaved = unsaved
        self._name()

    def is_untouched(self) -> bool:
        """Whether nothing stands here that somebody could miss."""
        return self.pane.document().isEmpty() and not self.question and not self.history

    @Slot()
    def _edited(self) -> None:
        self.unsaved = True
        blank = self.pane.document().isEmpty()
        self.empty.setVisible(blank)
        if blank and not self.path:
            self.name, self.offers = "", ()
        if self.outcome is not None and not self.outcome.stale:
            self.outcome.stale = True
            self.outdated.emit()
        self._name()
        self.edited.emit()

    def _name(self) -> None:
        title = self.name or self._beginning() or UNTITLED
        if title != self._title:
            self._title = title
            self.renamed.emit()

    def _beginning(self) -> str:
        """The first words of the text."""
        block = self.pane.document().firstBlock()
        for _ in range(20):
            words = " ".join(block.text()[:200].split()).lstrip("#*-–—•> ")
            if words or not block.isValid():
                break
            block = block.next()
        if len(words) <= _TITLE_LENGTH:
            return words
        return words[:_TITLE_LENGTH].rsplit(" ", 1)[0] + "…"

    @Slot()
    def _place_empty(self) -> None:
        view = self.pane.viewport()
        margin = round(self.pane.document().documentMargin())
        top = margin + round(self.pane.fontMetrics().height() * 2.2)
        self.empty.move(margin, top)
        self.empty.fit(max(0, view.width() - 2 * margin), max(0, view.height() - top))
