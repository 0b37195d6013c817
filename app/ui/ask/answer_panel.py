"""The panel at the right of the Ask page, with the question and its answers, and the splitter that it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QSlider, QSplitter, QWidget

from app.core import wording
from app.core.message import Message
from app.settings.settings import Settings
from app.ui.ask.answer_card import AnswerCard
from app.ui.ask.answer_list import AnswerList
from app.ui.ask.question_box import QuestionBox, ScopeChoice
from app.ui.ask.run import AskRun, RunState, ScopeKind, TextState
from app.ui.ask.session import AskSession
from app.ui.ask.sheet import Sheet
from app.ui.document.marks.places import Place
from app.ui.kit.boxes import column, row
from app.ui.kit.notice import Notice
from app.ui.kit.parts import Button, Scrolling, as_tip, plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.ui.kit.language_line import LanguageLine

_LONGEST_NAMED = 200
_SPLITTER = "ask"
# In steps: the side panel's usual and preferred least widths, the page's preferred least width, which takes precedence
# where there is no room for both, and the page's least width.
_SIDE, _SIDE_WELL, _PAGE_WELL, _PAGE_LEAST = 98, 76, 62, 50
_IDLE = Message("Ask something that the text may answer. The answer's exact words light up in it.")
_IDLE_OPEN = Message(
    "Ask something that the open documents may answer. The best places are listed here, by document."
)
_IDLE_LIBRARY = Message(
    "Ask something that the files may answer. The best places are listed here, by document."
)
# The effects of moving the slider to the left and to the right.
_LEFT = Message("Fewer left unanswered, more wrong answers")
_RIGHT = Message("Fewer wrong answers, more left unanswered")


class ScrolledHeadings(QObject):
    """Shows each heading of a scroll area only while a line of the content below it is visible, and keeps its space."""

    def __init__(self, scroll: QScrollArea) -> None:
        super().__init__(scroll)
        self._scroll = scroll
        self._first: dict[QWidget, QWidget | None] = {}
        scroll.verticalScrollBar().valueChanged.connect(self._settle)
        scroll.viewport().installEventFilter(self)
        if (inner := scroll.widget()) is not None:
            inner.installEventFilter(self)

    def set_first(self, head: QWidget, first: QWidget | None) -> None:
        """Set the first widget below a heading; without one, the heading is hidden and takes no space."""
        self._first[head] = first
        policy = head.sizePolicy()
        policy.setRetainSizeWhenHidden(first is not None)
        head.setSizePolicy(policy)
        self._settle()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Settle again after the layout has changed."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._settle()
        return False

    @Slot()
    def _settle(self) -> None:
        bottom = self._scroll.verticalScrollBar().value() + self._scroll.viewport().height()
        for head, first in self._first.items():
            line = first.y() + min(first.height(), first.fontMetrics().height()) if first is not None else 0
            head.setVisible(first is not None and line <= bottom)


class SuggestionButton(Button):
    """A suggested question, elided where there is no room for all of it."""

    elides = Qt.TextElideMode.ElideRight

    def __init__(self, question: str) -> None:
        super().__init__(question)
        mark(self, kind="link")
        self.setAccessibleName(tr("Ask: {question}", question=question))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)


class ThresholdLine(QWidget):
    """The line "Answers if sure enough", with a slider that Change shows and Esc hides.

    Its percentage would be a second one beside the answer's, and the reader's own differs by the kind of text: it is in
    the line where the person has set it, or the slider is shown, and in the tool tip.

    `changed` carries the threshold, 0 to 1, when the slider is moved, or None to return to the reader's own.
    """

    changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._opener: QWidget | None = None
        self._limit = ""
        self.words = plain_label(type="small", ink="quiet")
        self.change = push_button(
            theme, tr("Change"), kind="link", name=tr("Change the confidence threshold")
        )
        self.change.setCheckable(True)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(1, 99)
        self.slider.setPageStep(5)
        self.slider.setAccessibleName(tr("Confidence threshold, in percent"))
        self.slider.setAccessibleDescription(
            tr(
                "Less: fewer left unanswered, more wrong answers. More: fewer wrong answers, more left unanswered."
            )
        )
        self._own = push_button(
            theme,
            tr("Usual"),
            kind="link",
            name=tr("Usual confidence threshold"),
            tip=tr("What was found to be best for this reader"),
        )
        mark(self.change, self._own, type="small")
        fewer, more = (plain_label(words, type="small", ink="quiet") for words in (_LEFT, _RIGHT))
        fewer.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        more.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self._tools = QWidget()
        column(theme, self.slider, row(theme, (fewer, 1), (more, 1)), parent=self._tools)
        column(theme, self._tools, row(theme, (self.words, 1), self._own, self.change, gap=1.5), parent=self)
        self._tools.hide()
        self._own.hide()
        self.change.toggled.connect(self._opened)
        self.change.clicked.connect(self._changed_here)
        self.slider.valueChanged.connect(self._moved)
        self._own.clicked.connect(partial(self.changed.emit, None))

    def set_threshold(self, threshold: float, own: bool) -> None:
        """Show a threshold; `own`: it is the reader's own, not one that the user set."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(threshold * 100))
        self._limit = tr(
            "Answers if it is at least {percent} likely that the text answers",
            percent=wording.percent(threshold),
        )
        less = tr("The percentage beside an answer is less: it is that of these very words")
        self.words.setToolTip(as_tip(f"{self._limit}\n{less}"))
        self._own.setEnabled(not own)
        self._show_words()

    def open(self, on: bool, opener: QWidget | None = None) -> None:
        """Show or hide the slider; Esc returns the focus to the `opener`, which must outlive this widget."""
        self._opener = opener
        self.change.setChecked(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.change.isChecked():
            back = self._opener if self._opener is not None and self._opener.isVisible() else self.change
            back.setFocus(Qt.FocusReason.OtherFocusReason)
            self.change.setChecked(False)
        else:
            super().keyPressEvent(event)

    @Slot(bool)
    def _opened(self, on: bool) -> None:
        self._tools.setVisible(on)
        self._own.setVisible(on)
        self.change.setText(tr("Done") if on else tr("Change"))
        self._show_words()
        if on and self.change.hasFocus():
            self.slider.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_words(self) -> None:
        is_number_wanted = self._own.isEnabled() or self.change.isChecked()
        self.words.setText(self._limit if is_number_wanted else tr("Answers if sure enough"))

    @Slot()
    def _changed_here(self) -> None:
        self._opener = None

    @Slot(int)
    def _moved(self, value: int) -> None:
        self.changed.emit(value / 100)


class AnswerPanel(QFrame):
    """The question box, what is asked, the progress, the notice, the answer card, the other places, and the threshold.

    They belong to one sheet, or to the session of several documents.

    `suggestion_clicked` carries a question. `question` names the answered question where the box has another one;
    `stronger` recommends stronger readers: the button `use` is for one that is installed, `readers` leads to others.
    """

    suggestion_clicked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sheet: Sheet | None = None
        self._session: AskSession | None = None
        self._awaited: AskRun | None = None  # the question whose answer is to be announced to a screen reader
        self._is_noted = False  # whether the card's note was set here
        self.setProperty("kind", "panel")
        self.setAccessibleName(tr("Question and answers"))
        self.box = QuestionBox(theme)
        self.scope = ScopeChoice(theme)
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme)
        self.question = plain_label(type="small_strong", ink="quiet")
        self.idle = plain_label(_IDLE, ink="quiet")
        self.card = AnswerCard(theme)
        self.list = AnswerList(theme)
        self.threshold = ThresholdLine(theme)
        self.stronger = plain_label(type="small", ink="quiet")
        self.readers = push_button(theme, tr("See stronger readers"), kind="link")
        self.use = push_button(theme, "", kind="link")
        for link in (self.use, self.readers):
            mark(link, type="small")
        self._others = plain_label(type="small_strong", ink="quiet", wrap=False)
        self._keys = plain_label(tr("F3 next"), type="small_strong", ink="quiet", wrap=False)
        self._suggestions_title = plain_label(tr("Also try"), type="small_strong", ink="quiet", wrap=False)
        heads = row(theme, (self._others, 1), self._keys, gap=3)
        self._suggestions = column(theme)
        inner, left = QWidget(), Qt.AlignmentFlag.AlignLeft
        column(
            theme, self.question, self.idle, self.card, heads, self.list, self.stronger, (self.use, 0, left),
            (self.readers, 0, left), self._suggestions_title, self._suggestions, 1, gap=3, parent=inner,
        )  # fmt: skip
        self._scroll = Scrolling(inner)
        self._heads = ScrolledHeadings(self._scroll)
        self._column = column(
            theme, self.box, self.scope, self.strip, self.notice, (self._scroll, 1), self.threshold,
            gap=3, margins=(4.5, 4.5, 4.5, 3), parent=self,
        )  # fmt: skip
        QWidget.setTabOrder(self.list, self.use)
        QWidget.setTabOrder(self.use, self.readers)
        self.box.edited.connect(self._name_question)
        theme.in_steps(inner.setMinimumWidth, 45)
        self._name_question()
        self._clear_answer()
        self.suggest(())

    def show_session(self, session: AskSession, sheet: Sheet | None) -> None:
        """Show a session: its question's progress, answers and suggestions; `sheet` is None for several documents."""
        self._session, self._sheet, run = session, sheet, session.shown_run
        is_running = run is not None and run.is_running
        self._name_question()
        self.suggest(
            [one for one in session.suggestions if not is_running and (run is None or one != run.question)]
        )
        self._show_progress(session, run)
        idle = {ScopeKind.OPEN: _IDLE_OPEN, ScopeKind.LIBRARY: _IDLE_LIBRARY}
        self.idle.setText(idle.get(self.scope.scope.kind, _IDLE) if self._sheet is None else _IDLE)
        if run is None or run.reading is None:
            self._clear_answer()
            self.idle.setVisible(session.waiting is None and not is_running)
            if run is not None and run.state is RunState.STOPPED:
                self.idle.setText(tr("{note}, before anything was found.", note=run.note))
        elif is_running and run.judged().shown is None:
            self._clear_answer()
            self.idle.setText(tr("Nothing sure so far."))
        else:
            self._show_answers(run)
            # Answers that arrive while reading do not scroll the list away from where the user is.
            self._select(run.chosen, scroll=not is_running)
            self._show_note(run)
        self._announce(run)

    def _announce(self, run: AskRun | None) -> None:
        """Announce the answer to a screen reader when the reading of a question that was shown running ends."""
        if run is not None and run.is_running:
            self._awaited = run
        elif run is not None and run is self._awaited:
            self._awaited = None
            announce(self.card, self.card.accessibleName() if self.card.isVisible() else self.idle.text())

    def add_line(self, line: LanguageLine) -> None:
        """Add a line below the choice of what is asked."""
        self._column.insertWidget(self._column.indexOf(self.strip), line)
        QWidget.setTabOrder(self.scope.read, line.button)

    @Slot()
    def refresh(self) -> None:
        """Show the session again in the theme's present colours."""
        if self._session is not None:
            self.show_session(self._session, self._sheet)

    def show_chosen(self) -> None:
        """Select the chosen answer, and scroll to it."""
        if self._session is not None and (run := self._session.shown_run) is not None:
            self._select(run.chosen)
            self._show_note(run)
            if not self.list.hasFocus():  # a focused list has its row read out by itself
                announce(self.list, self.list.spoken() if run.chosen else self.card.accessibleName())

    def _show_progress(self, session: AskSession, run: AskRun | None) -> None:
        if session.waiting is not None:
            if not session.is_open:
                self.strip.show_busy(tr("Asked as soon as the file is open"))
            elif session.awaited_pages:
                words = tr(
                    "Waiting for the text of {n:,} page",
                    "Waiting for the text of {n:,} pages",
                    n=session.awaited_pages,
                )
                self.strip.show_busy(words)
            elif self._sheet is None:
                self.strip.show_busy(tr("Asked as soon as the files are open"))
            else:
                self.strip.show_busy(tr("Asked after the question in another tab"))
        elif run is None or not run.is_running:
            self.strip.clear()
        elif run.state is RunState.PAUSED:
            self.strip.show_paused(
                tr("{note}: begins again after the question in another tab", note=run.note), run.reached
            )
        elif run.progress is not None:
            self.strip.show_progress(run.progress)
        else:
            self.strip.show_busy(localised(run.queue_note if run.state is RunState.QUEUED else run.activity))

    def _show_answers(self, run: AskRun) -> None:
        """Show the answer's card, and the other places."""
        self.idle.hide()
        self._is_noted = False
        self.card.show_run(run)
        reading, is_final = run.judged(), not run.is_running
        is_asked_now = not run.is_across or run.scope == self.scope.scope
        can_read_more = reading.quick and is_final and run.text is TextState.SAME and run.library is None
        self.card.whole.setVisible(can_read_more and is_asked_now)
        others = range(1, len(run.answers())) if reading.shown is not None else ()
        self._show_others(
            [run.place(index) for index in others],
            tr("Other places") if is_final else tr("Other places so far"),
        )

    def _show_note(self, run: AskRun) -> None:
        """Note on the card that the text has changed, or why the chosen answer is not highlighted."""
        note, is_changed = "", run.text is TextState.CHANGED
        if is_changed:
            note = tr("The text was changed after this was asked.")
        elif self._sheet is not None and run.lit and not run.lit[run.chosen]:
            why = localised(self._sheet.pane.why_not(run.chosen))
            note = " ".join((tr("Not marked on the page."), why))
        if note or self._is_noted:
            self.card.set_note(note, again=is_changed and not run.is_running)
        self._is_noted = bool(note)

    @Slot()
    def _name_question(self) -> None:
        """Name the answered question where the box has another one, or something else is asked now."""
        question, elsewhere = "", False
        library = None
        if self._session is not None:
            session = self._session
            waiting = session.waiting.question if session.waiting is not None else ""
            run = session.shown_run
            question = run.question if run is not None else waiting
            if run is not None and run.is_across and run.scope != self.scope.scope:
                elsewhere, library = True, run.library
        words, named = wording.first_words(question, _LONGEST_NAMED), ""
        if elsewhere and library is not None:
            named = tr("Asked in {library}: “{question}”", library=library.name, question=words)
        elif elsewhere:
            named = tr("Asked in the open documents: “{question}”", question=words)
        elif question not in ("", self.box.question()):
            named = tr("Asked: “{question}”", question=words)
        self.question.setText(named)
        self.question.setVisible(bool(named))

    def _show_others(self, places: Sequence[Place], title: str = "") -> None:
        """List the places other than the best answer's; without any the list is hidden."""
        self.list.set_places(places)
        self._others.setText(title)
        for head in (self._others, self._keys):
            self._heads.set_first(head, self.list if places else None)

    def suggest(self, questions: Sequence[str]) -> None:
        """Offer suggested questions."""
        while (item := self._suggestions.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        buttons = [SuggestionButton(question) for question in questions]
        for question, (before, button) in zip(questions, pairwise((self.readers, *buttons)), strict=True):
            button.clicked.connect(partial(self.suggestion_clicked.emit, question))
            self._suggestions.addWidget(button)
            QWidget.setTabOrder(before, button)
        self._heads.set_first(self._suggestions_title, buttons[0] if buttons else None)

    def offer_readers(self, words: str, others: str = "", *, installed: str = "") -> None:
        """Recommend stronger readers: with a button to use the one `installed`, else one that leads to the readers.

        `others` is the tool tip of that button. An empty text hides the recommendation.
        """
        self.stronger.setText(words)
        self.stronger.setVisible(bool(words))
        self.readers.setToolTip(as_tip(others))
        self.readers.setVisible(bool(words) and not installed)
        self.use.setText(tr("Use {model}", model=installed))
        self.use.setVisible(bool(installed))

    def _clear_answer(self) -> None:
        """Hide the answer and the places, and show the invitation to ask."""
        self.card.hide()
        self.idle.show()
        self._show_others(())
        self.offer_readers("")

    def _select(self, index: int, *, scroll: bool = True) -> None:
        """Select an answer: 0 is the card's, the others are in the list; scroll to it unless `scroll` is false."""
        self.list.select(index - 1)
        if not scroll:
            return
        self._scroll_to_chosen()
        QTimer.singleShot(0, self._scroll_to_chosen)  # after the layout of what was just shown

    @Slot()
    def _scroll_to_chosen(self) -> None:
        inner = self._scroll.widget()
        if self.list.row() >= 0 and inner is not None:
            row = self.list.visualRect(self.list.currentIndex())
            middle = self.list.mapTo(inner, row.center())
            self._scroll.ensureVisible(middle.x(), middle.y(), 0, row.height())
        else:
            self._scroll.verticalScrollBar().setValue(0)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(96), self._theme.step(150))

    def minimumSizeHint(self) -> QSize:
        """Allow for wrapped lines: a splitter does not ask for the height for a width."""
        least = super().minimumSizeHint()
        return QSize(least.width(), max(least.height(), self._column.minimumHeightForWidth(self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != self.width():
            self.updateGeometry()


class AskPanes(QSplitter):
    """`page` in the middle with `above` over it, and `side` at the right, as wide as saved or as fits the window.

    `row` holds the page, `column` holds that row: further widgets can be added beside the page and below it.
    """

    def __init__(
        self, theme: Theme, settings: Settings, above: QWidget, page: QWidget, side: QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self._settings = settings
        middle = QWidget()
        self.row = row(theme, (page, 1))
        self.column = column(theme, above, (self.row, 1), parent=middle)
        theme.in_steps(middle.setMinimumWidth, _PAGE_LEAST)
        self.addWidget(middle)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.splitterMoved.connect(self._moved)
        saved = settings.splitters.get(_SPLITTER)
        self._placed = saved is not None
        if saved is not None:
            self.setSizes(saved)

    def keep(self) -> None:
        """Save the splitter's position in the settings, where the user has moved it."""
        if self._placed:
            self._settings.splitters[_SPLITTER] = self.sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the side panel's width as long as the user has not moved the splitter."""
        super().resizeEvent(event)
        if not self._placed:
            step = self._theme.step
            wide = max(step(_SIDE_WELL), min(step(_SIDE), self.width() * 3 // 8))
            wide = min(wide, self.width() - step(_PAGE_WELL))
            self.setSizes([self.width() - wide, wide])

    @Slot()
    def _moved(self) -> None:
        self._placed = True
