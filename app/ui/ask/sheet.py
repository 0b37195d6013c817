"""The page of one open document, with its session's answers highlighted."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.legible import legible
from app.core.text import utf16_units
from app.ui.ask.empty_page import EmptyPage
from app.ui.ask.run import AskRun, RunState, TextState
from app.ui.ask.session import AskSession, DocumentState
from app.ui.document.text.document_pane import DocumentPane
from app.ui.document.text.long_lines import as_shown
from app.ui.kit.boxes import column
from app.ui.kit.notice import Notice
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.layout import Kind, Opened
    from app.ui.document.file_pane import AnyPane
    from app.ui.document.opening_page import OpeningPage

_TITLE_LENGTH = 26


class Sheet(QWidget):
    """The page of a session: its document, or its file's progress, password or fault.

    `title` is the title of its tab; `pane` is the widget that shows the document, `editor` for a plain text.
    `page_shown` carries the sheet when another document, more of its text, or none is on the page. `edited` is sent
    after every change of the text; `text_changed` carries the sheet after the first change since a question, when the
    text is emptied, and when it is back. `renamed` is sent when the title has changed. The requests come from the
    page's buttons; the other signals pass on those of the pane.
    """

    page_shown = Signal(object)
    edited = Signal()
    text_changed = Signal(object)
    renamed = Signal()
    read_requested = Signal()
    stop_requested = Signal()
    close_requested = Signal()
    password_given = Signal(str)
    answer_clicked = Signal(int)
    files_dropped = Signal(list)
    copy_requested = Signal()

    def __init__(self, theme: Theme, session: AskSession | None = None) -> None:
        super().__init__()
        self.session = session if session is not None else AskSession()
        self._theme = theme
        self.title = tr("New text")
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.banner = Notice(theme)
        self.editor = DocumentPane(theme)
        self.pane: AnyPane = self.editor
        # The question whose words chosen by the person are scrolled to once they are known.
        self.to_own: AskRun | None = None
        self.empty = EmptyPage(theme, self.editor.viewport())
        self.opening: OpeningPage | None = None
        self._stack = QStackedWidget()
        self._stack.addWidget(self.editor)
        self._column = column(theme, self.banner, (self._stack, 1), parent=self)
        self.setFocusProxy(self.editor)
        self._connect(self.editor)
        self.banner.acted.connect(self.read_requested)
        self.editor.resized.connect(self._place_empty)
        self.editor.edited.connect(self._edited)
        self.empty.clicked.connect(self.editor.setFocus)
        self.empty.paste.clicked.connect(self.editor.paste)
        theme.changed.connect(self._place_empty)
        # A viewport that scrolls, as when its text is deleted, moves the widgets on it.
        self.editor.updateRequest.connect(self._viewport_moved)

    @property
    def is_open(self) -> bool:
        """Whether the document is shown, as opposed to a file that is not read yet or cannot be read."""
        return self.session.is_open

    def show_text(self, text: str, *, name: str = "", path: str = "", is_unsaved: bool = True) -> None:
        """Show a text, such as a sample or a saved one, without a question."""
        session = self.session
        self._show(self.editor)
        session.state, session.opened = DocumentState.OPEN, None
        self.editor.set_text(text, name)
        session.name, session.path = name, path
        session.run = None
        session.is_unsaved = is_unsaved
        self._update_title()
        self.page_shown.emit(self)

    def show_opening(self, path: str, name: str, state: DocumentState = DocumentState.LOADING) -> OpeningPage:
        """Show that a file is being read, or is to be read once its tab is shown."""
        self.session.name, self.session.path, self.session.state = name, path, state
        if self.opening is None:
            from app.ui.document.opening_page import OpeningPage

            self.opening = page = OpeningPage(self._theme)
            page.strip.stop_asked.connect(self.stop_requested)
            page.again.clicked.connect(self.read_requested)
            page.close_button.clicked.connect(self.close_requested)
            page.lock.entered.connect(self.password_given)
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(self.opening)
        self.setFocusProxy(self.opening)
        self.banner.hide()
        self.opening.reading(name)
        self._update_title()
        self.page_shown.emit(self)
        return self.opening

    def show_earlier(self) -> None:
        """Show the document as it was read before, although reading it again has not succeeded."""
        self.session.state = DocumentState.OPEN
        self._show(self.pane)
        self.page_shown.emit(self)

    def show_opened(self, opened: Opened) -> None:
        """Show a file that was read."""
        # Setting the text must not count as editing what was asked.
        run, self.session.run = self.session.run, None
        pane = self._pane_for(opened.kind)
        if isinstance(pane, DocumentPane):
            self.show_text(opened.document.text, name=opened.document.name, path=opened.document.path)
            opened = as_shown(opened, pane.text())
            pane.number_lines(opened.lines)
        else:
            pane.show_document(opened)
            self._show(pane)
        self.session.run = run
        self.session.file_read(opened)
        if opened.notes:
            self.banner.show_hint(" ".join(map(localised, opened.notes)))
        else:
            self.banner.hide()
        if self.session.place:
            pane.go_to(self.session.place)
        self._update_title()
        self.page_shown.emit(self)

    def add_bar(self, bar: QWidget) -> None:
        """Add a bar above the document, below the banner; deleting it removes it."""
        self._column.insertWidget(1, bar)
        self._theme.refresh()  # with a style sheet Qt resets the fonts of a widget that gets a parent

    def show_recognised(self, opened: Opened) -> None:
        """Show the same file with the text of more of its pages, at the same scroll position."""
        from app.ui.document.pdf.page_pane import PagePane

        if not isinstance(self.pane, PagePane):
            return
        self.pane.take_text(opened)
        run = self.session.run
        was_same = run is not None and run.text is TextState.SAME
        self.session.file_read(opened)
        if not opened.pictures:  # until then the bar shows the progress
            self.banner.show_hint(" ".join(map(localised, opened.notes)))
        if run is not None and was_same and run.text is not TextState.SAME:
            self.text_changed.emit(self)
        self.page_shown.emit(self)

    def set_preview(self, on: bool) -> None:
        """Set whether the next file opened from a list of answers takes its place."""
        if self.session.is_preview != on:
            self.session.is_preview = on
            self.renamed.emit()

    def current_document(self) -> Opened:
        """Return the document with its present text, for a question."""
        text = self.pane.text()
        opened = self.session.opened
        if opened is not None and opened.document.text == text:
            return opened
        from app.core.layout import Opened
        from app.core.text import Document

        # A text that was typed or edited here has no file.
        document = Document(text, self.title if self.session.name else "")
        return (
            Opened(document)
            if opened is None
            else replace(opened, document=document, headings=(), lines=array("i"), sha256="")
        )

    def is_file(self) -> bool:
        """Whether the file at the sheet's path has all that is shown, or will be."""
        session = self.session
        return bool(session.path) and (not self.is_open or self.current_document() is session.opened)

    def is_untouched(self) -> bool:
        """Whether the sheet has nothing that the user could lose."""
        session = self.session
        return not (session.path or session.question or session.history) and self.pane.is_empty()

    def reading_place(self) -> int:
        """Return the code point at the top of the page."""
        return self.pane.top() if self.is_open else self.session.place

    def highlight(self) -> None:
        """Highlight the answers of the session's question, and scroll to the person's own words if `to_own` is set."""
        run = self.session.run
        if not self.is_open:
            return
        if run is None or run.text is not TextState.SAME:
            self.pane.clear_highlights()
            self.pane.set_heat(())
            return
        answers = run.highlighted()
        self.pane.set_heat(run.heat if answers else ())
        run.chosen = min(run.chosen, max(0, len(answers) - 1))
        faint = not run.is_answered or (run.state is not RunState.DONE and run.pinned is None)
        places = [(answer.span, answer.text) for answer in answers]
        correction, own = run.corrections.get(""), -1
        if correction is not None and correction.span is not None:
            words = correction.span, correction.words
            if places[:1] != [words]:
                if words not in places:
                    places.append(words)
                own = places.index(words)
        lit = self.pane.light(places, run.chosen if answers else -1, faint=faint, own=own)
        run.lit = tuple(lit[: len(answers)])
        if run is self.to_own and own >= 0:
            self.to_own = None
            self.pane.reveal(own)

    def _pane_for(self, kind: Kind) -> AnyPane:
        """Return the pane for a kind of document: the present one where it fits."""
        from app.core.layout import Kind

        if kind is Kind.TEXT:
            return self.editor
        from app.ui.document.file_pane import pane_for

        pane = pane_for(kind, self._theme, self.pane)
        if pane is not self.pane:
            self._connect(pane)
        return pane

    def _show(self, pane: AnyPane) -> None:
        before, self.pane = self.pane, pane
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
        pane.light_chosen.connect(self.answer_clicked)
        pane.files_dropped.connect(self.files_dropped)
        pane.copy_asked.connect(self.copy_requested)

    @Slot()
    def _edited(self) -> None:
        session = self.session
        session.is_unsaved, session.is_demo = True, False
        is_read = session.is_preview and session.opened is not None
        if is_read and self.current_document() is not session.opened:
            self.set_preview(False)
        is_blank = self.editor.is_empty()
        self.empty.setVisible(is_blank)
        if is_blank:
            self._place_empty()
        if is_blank and not session.path:
            session.name, session.suggestions = "", ()
        if session.text_changed(is_blank=is_blank, is_same=self._has_text_again()):
            self.text_changed.emit(self)
        self._update_title()
        self.edited.emit()

    def _has_text_again(self) -> bool:
        """Whether the page has the text that was asked about again."""
        run = self.session.run
        if run is None or run.text is TextState.SAME:
            return False
        # A long text is compared only where the lengths agree, as after undoing an edit.
        text = run.opened.document.text
        return utf16_units(text) == self.editor.units() and self.editor.text() == text

    def _update_title(self) -> None:
        title = legible(self.session.name) or self._beginning() or tr("New text")
        if title != self.title:
            self.title = title
            self.renamed.emit()

    def _beginning(self) -> str:
        """Return the first words of the text, as a title."""
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
    def _viewport_moved(self, area: QRect, by: int) -> None:
        if by and not self.empty.isHidden():
            self._place_empty()

    @Slot()
    def _place_empty(self) -> None:
        if self.empty.isHidden():
            return
        view = self.editor.viewport()
        margin = round(self.editor.document().documentMargin())
        top = margin + round(self.editor.fontMetrics().height() * 2.2)
        self.empty.move(margin, top)
        self.empty.fit(max(0, view.width() - 2 * margin), max(0, view.height() - top))
