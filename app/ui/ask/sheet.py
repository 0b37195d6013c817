"""One open document: its page, its question, and the outcome of the last question."""

from __future__ import annotations

import secrets
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.core.positions import utf16_units
from app.ui.ask.outcome import Outcome
from app.ui.document.text.document_pane import DocumentPane
from app.ui.document.text.long_lines import as_shown
from app.ui.kit.empty_page import EmptyPage
from app.ui.kit.notice import Notice
from app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from app.core.layout import Kind, Opened
    from app.ui.ask.opening_page import OpeningPage
    from app.ui.document.flowing.rich_pane import RichPane
    from app.ui.document.pdf.page_pane import PagePane

    AnyPane = DocumentPane | RichPane | PagePane

UNTITLED = "New text"
_TITLE_LENGTH = 26


class Sheet(QWidget):
    """A document's page with its state.

    `key` names its draft; `name` is empty for a text that was typed or pasted: its title is then its beginning.
    `opened` is the file shown here, None for a text without a file and while a file is being read; `password` opens
    it where it is encrypted; `asleep`: it is read only when the sheet is shown. `place` is the code point to scroll
    to once it is read, `entry` the number of its last answer in the history; `passing`: nothing here is the user's
    own, so that it is not saved for the next start. `awaits` is the question to ask once the file is open and no
    other question is being read for. `edited` is sent after every change of the text, `outdated` after the first one
    since a question, when the text is emptied and when it is back, `renamed` when the title has changed; `paged`
    carries this sheet when pages of a PDF are to be drawn, `again_asked` when its file is to be read again. The
    others pass on signals of the page.
    """

    edited = Signal()
    outdated = Signal()
    renamed = Signal()
    paged = Signal(object)
    again_asked = Signal(object)
    light_chosen = Signal(int)
    files_dropped = Signal(list)
    copy_asked = Signal()
    lines_broken = Signal(bool)

    def __init__(self, theme: Theme, *, key: str = "", name: str = "", path: str = "") -> None:
        super().__init__()
        self.key = key or secrets.token_hex(4)
        self.name = name
        self.path = path
        self.password = ""
        self.opened: Opened | None = None
        self.question = ""
        self.history: list[str] = []
        self.offers: tuple[str, ...] = ()
        self.outcome: Outcome | None = None
        self.unsaved = False
        self._blank = False  # whether the page was empty at the last change since a question
        self.place = 0
        self.entry = 0
        self.asleep = False
        self.passing = False
        self.awaits = ""
        self._theme = theme
        self._title = UNTITLED
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.banner = Notice(theme)
        self.editor = DocumentPane(theme)
        self._pane: AnyPane = self.editor
        self.empty = EmptyPage(theme, self.editor.viewport())
        self.opening: OpeningPage | None = None
        self._stack = QStackedWidget()
        self._stack.addWidget(self.editor)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.editor)
        self._connect(self.editor)
        self.banner.acted.connect(self._read_again)
        self.editor.resized.connect(self._place_empty)
        self.editor.edited.connect(self._edited)
        self.editor.lines_broken.connect(self.lines_broken)
        self.empty.clicked.connect(self.editor.setFocus)
        self.empty.paste_asked.connect(self.editor.paste)
        theme.changed.connect(self._place_empty)
        # A page that scrolls, as when it is emptied, moves the widgets on it.
        self.editor.updateRequest.connect(self._page_moved)

    @property
    def title(self) -> str:
        """The tab's title."""
        return self._title

    @property
    def pane(self) -> AnyPane:
        """The widget that shows the document."""
        return self._pane

    @property
    def shown_outcome(self) -> Outcome | None:
        """The outcome of the last question; None while its text is not on the page."""
        return self.outcome if self.outcome is not None and not self.outcome.hidden else None

    @property
    def is_open(self) -> bool:
        """Whether a document is shown here, as opposed to a file that is still being read or cannot be read."""
        return self.opening is None

    def begin(self, text: str, *, name: str = "", path: str = "", unsaved: bool = True) -> None:
        """Show a text that was offered or saved."""
        self._show(self.editor)
        self.opened = None
        self.editor.set_text(text)
        self.name, self.path = name, path
        self.outcome = None
        self.unsaved = unsaved
        self._name()

    def begin_opening(self, path: str, name: str) -> OpeningPage:
        """Show that a file is being read here."""
        self.name, self.path = name, path
        if self.opening is None:
            from app.ui.ask.opening_page import OpeningPage

            self.opening = OpeningPage(self._theme)
            self._stack.addWidget(self.opening)
        self._stack.setCurrentWidget(self.opening)
        self.setFocusProxy(self.opening)
        self.banner.clear()
        self.opening.reading(name)
        self._name()
        return self.opening

    def leave_opening(self) -> None:
        """Show the previous document again."""
        self._show(self._pane)

    def sleep(self, path: str, name: str, place: int) -> None:
        """Show the name of a file that is read only when the sheet is shown."""
        self.begin_opening(path, name)
        self.asleep, self.place = True, place

    def show_opened(self, opened: Opened) -> None:
        """Show a file that was read; an earlier outcome is stale where the text has changed."""
        outcome, self.outcome = self.outcome, None
        self.name, self.path = opened.document.name, opened.document.path
        pane = self._pane_for(opened.kind)
        if isinstance(pane, DocumentPane):
            self.begin(opened.document.text, name=self.name, path=self.path)
            opened = as_shown(opened, pane.text())
        else:
            pane.show_document(opened)
            self._show(pane)
        self.opened = opened
        if outcome is not None:
            outcome.stale = outcome.opened.document.text != opened.document.text
            outcome.hidden = False
            self.outcome = outcome
        if opened.is_pdf:
            self.paged.emit(self)
        if opened.notes:
            self.banner.show_hint(" ".join(opened.notes))
        else:
            self.banner.clear()
        if self.place:
            pane.go_to(self.place)
        self._name()

    def current_document(self) -> Opened:
        """The document as it is now, for a question."""
        text = self.pane.text()
        opened = self.opened
        if opened is not None and opened.document.text == text:
            return opened
        from app.core.layout import Opened
        from app.core.text import Document

        # A text that was typed or edited here has no file.
        document = Document(text, self.title if self.name else "")
        return (
            Opened(document)
            if opened is None
            else replace(opened, document=document, headings=(), lines=array("i"), sha256="")
        )

    def is_file(self) -> bool:
        """Whether all that is shown here, or will be, is in the file at `path`."""
        return bool(self.path) and (not self.is_open or self.current_document() is self.opened)

    def is_untouched(self) -> bool:
        """Whether there is nothing here that the user could miss."""
        return not self.path and self.pane.is_empty() and not self.question and not self.history

    def reading_place(self) -> int:
        """The code point at the top of the page."""
        return self.pane.top() if self.is_open else self.place

    def _pane_for(self, kind: Kind) -> AnyPane:
        """The pane for a kind of document: the present one where it fits."""
        from app.core.layout import Kind

        if kind is Kind.TEXT:
            return self.editor
        from app.ui.document.flowing.rich_pane import RichPane
        from app.ui.document.pdf.page_pane import PagePane

        wanted = PagePane if kind is Kind.PDF else RichPane
        if isinstance(self._pane, wanted):
            return self._pane
        pane = wanted(self._theme)
        self._connect(pane)
        return pane

    def _show(self, pane: AnyPane) -> None:
        before, self._pane = self._pane, pane
        if self._stack.indexOf(pane) < 0:
            self._stack.addWidget(pane)
        self._stack.setCurrentWidget(pane)
        self.setFocusProxy(pane)
        gone: list[QWidget] = [before] if before not in (pane, self.editor) else []
        if self.opening is not None:
            gone.append(self.opening)
            self.opening = None
        for widget in gone:
            self._stack.removeWidget(widget)
            widget.deleteLater()

    def _connect(self, pane: AnyPane) -> None:
        pane.light_chosen.connect(self.light_chosen)
        pane.files_dropped.connect(self.files_dropped)
        pane.copy_asked.connect(self.copy_asked)

    @Slot()
    def _read_again(self) -> None:
        self.again_asked.emit(self)

    @Slot()
    def _edited(self) -> None:
        self.unsaved, self.passing = True, False
        blank = self.editor.is_empty()
        self.empty.setVisible(blank)
        if blank:
            self._place_empty()
        if blank and not self.path:
            self.name, self.offers = "", ()
        if self.outcome is not None:
            self._follow_text(self.outcome, blank)
        self._name()
        self.edited.emit()

    def _follow_text(self, outcome: Outcome, blank: bool) -> None:
        """Update the outcome's `stale` and `hidden` after a change of the text; an emptied text hides it."""
        before = (outcome.stale, outcome.hidden, self._blank)
        self._blank = blank
        if (outcome.hidden or outcome.stale) and self._has_text(outcome.opened.document.text):
            outcome.stale = outcome.hidden = False
        else:
            outcome.stale, outcome.hidden = True, outcome.hidden or blank
        if before != (outcome.stale, outcome.hidden, blank):
            self.outdated.emit()

    def _has_text(self, text: str) -> bool:
        # All of a long text is compared only where it may be the same, as after undoing an edit.
        return utf16_units(text) == self.editor.units() and self.editor.text() == text

    def _name(self) -> None:
        title = self.name or self._beginning() or UNTITLED
        if title != self._title:
            self._title = title
            self.renamed.emit()

    def _beginning(self) -> str:
        """The first words of the text."""
        block = self.editor.document().firstBlock()
        for _ in range(20):
            words = " ".join(block.text()[:200].split()).lstrip("#*-–—•> ")
            if words or not block.isValid():
                break
            block = block.next()
        if len(words) <= _TITLE_LENGTH:
            return words
        return words[:_TITLE_LENGTH].rsplit(" ", 1)[0] + "…"

    @Slot(QRect, int)
    def _page_moved(self, area: QRect, by: int) -> None:
        if by and not self.empty.isHidden():
            self._place_empty()

    @Slot()
    def _place_empty(self) -> None:
        view = self.editor.viewport()
        margin = round(self.editor.document().documentMargin())
        top = margin + round(self.editor.fontMetrics().height() * 2.2)
        self.empty.move(margin, top)
        self.empty.fit(max(0, view.width() - 2 * margin), max(0, view.height() - top))
