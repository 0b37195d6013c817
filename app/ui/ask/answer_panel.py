"""The side panel of the window with the question and its answers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.wording import first_words
from app.ui.ask.answer_card import AnswerCard
from app.ui.ask.answer_list import AnswerList
from app.ui.ask.question_box import QuestionBox
from app.ui.ask.threshold_line import ThresholdLine
from app.ui.document.marks.places import Place
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark

_LONGEST_NAMED = 200
IDLE = "Ask something that the text may answer. The answer's exact words light up in it."


class ScrolledHeads(QObject):
    """Shows each heading of a scroll area only while a line of the content below is visible; its space is kept."""

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


class TryButton(QPushButton):
    """A question to try, cut where there is no room for all of it; the whole is its tool tip."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        mark(self, kind="link")
        self.setAccessibleName(f"Ask: {question}")
        self.setToolTip(question)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - 2 * self.fontMetrics().averageCharWidth()
        self.setText(self.fontMetrics().elidedText(self.toolTip(), Qt.TextElideMode.ElideRight, room))


class AnswerPanel(QFrame):
    """Question box, progress, notice, the answer's card, the other places, and the threshold.

    `question_tried` carries a question that was offered and clicked; `readers_asked` is sent to show the stronger
    readers.
    """

    question_tried = Signal(str)
    readers_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "panel")
        self.setAccessibleName("Question and answers")
        self.box = QuestionBox(theme)
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme)
        self._question = QLabel()
        self._question.setWordWrap(True)
        self._question.setTextFormat(Qt.TextFormat.PlainText)
        self.idle = QLabel(IDLE)
        self.idle.setWordWrap(True)
        self.idle.setProperty("ink", "quiet")
        self.card = AnswerCard(theme)
        self.list = AnswerList(theme)
        self.threshold = ThresholdLine(theme)
        self._stronger = QLabel()
        self._stronger.setWordWrap(True)
        self._stronger.setTextFormat(Qt.TextFormat.PlainText)
        self._readers = QPushButton("See stronger readers")
        self._readers.setAccessibleName(self._readers.text())
        mark(self._readers, kind="link")
        self._readers.clicked.connect(self.readers_asked)
        self._others = QLabel("Other places")
        self._keys = QLabel("F3 next")
        self._tries_title = QLabel("Also try")
        for label in (self._question, self._stronger, self._others, self._keys, self._tries_title):
            label.setProperty("ink", "quiet")
        heads = QHBoxLayout()
        heads.addWidget(self._others, 1)
        heads.addWidget(self._keys)
        self._tries = QVBoxLayout()
        self._tries.setSpacing(0)
        inner = QWidget()
        self._results = QVBoxLayout(inner)
        self._results.addWidget(self._question)
        self._results.addWidget(self.idle)
        self._results.addWidget(self.card)
        self._results.addLayout(heads)
        self._results.addWidget(self.list)
        self._results.addWidget(self._stronger)
        self._results.addWidget(self._readers, 0, Qt.AlignmentFlag.AlignLeft)
        self._results.addWidget(self._tries_title)
        self._results.addLayout(self._tries)
        self._results.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(inner)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._heads = ScrolledHeads(self._scroll)
        self._column = QVBoxLayout(self)
        for part in (self.box, self.strip, self.notice):
            self._column.addWidget(part)
        self._column.addWidget(self._scroll, 1)
        self._column.addWidget(self.threshold)
        QWidget.setTabOrder(self.list, self._readers)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.name_question("")
        self.show_others(())
        self.offer(())
        self.offer_readers("")

    def name_question(self, question: str) -> None:
        """Show which question is answered, where another one is in the box; empty for the same one."""
        self._question.setText(f"Asked: “{first_words(question, _LONGEST_NAMED)}”" if question else "")
        self._question.setVisible(bool(question))

    def named_question(self) -> str:
        """The line with the answered question; empty where that is in the box."""
        return self._question.text()

    def show_others(self, places: Sequence[Place], title: str = "Other places") -> None:
        """List the places other than the answer's; the list is hidden where there are none."""
        self.list.set_places(places)
        self._others.setText(title)
        for head in (self._others, self._keys):
            self._heads.set_first(head, self.list if places else None)

    def offer(self, questions: Sequence[str]) -> None:
        """Offer questions to try."""
        while (item := self._tries.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        buttons = [TryButton(question) for question in questions]
        before: QWidget = self._readers
        for button in buttons:
            button.clicked.connect(self._tried)
            self._tries.addWidget(button)
            QWidget.setTabOrder(before, button)
            before = button
        self._heads.set_first(self._tries_title, buttons[0] if buttons else None)

    def offer_readers(self, words: str, others: str = "") -> None:
        """Show a text on stronger readers, with the `others` as the button's tool tip."""
        self._stronger.setText(words)
        self._readers.setToolTip(others)
        for widget in (self._stronger, self._readers):
            widget.setVisible(bool(words))

    def offered_reader(self) -> str:
        """The text on stronger readers, empty without one."""
        return self._stronger.text()

    def clear_answer(self) -> None:
        """Hide the answer and the places, and show the hint."""
        self.card.hide()
        self.idle.show()
        self.show_others(())
        self.offer_readers("")

    def show_card(self) -> None:
        """Show the card in place of the hint."""
        self.idle.hide()
        self.card.show()

    def select(self, index: int, *, scroll: bool = True) -> None:
        """Mark one of all places as the chosen one: 0 is the card's, the others are in the list.

        It is scrolled into view unless `scroll` is false.
        """
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

    @Slot()
    def _tried(self) -> None:
        button = self.sender()
        if isinstance(button, TryButton):
            self.question_tried.emit(button.toolTip())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        edge = theme.step(4.5)
        self._column.setContentsMargins(edge, edge, edge, theme.step(3))
        self._column.setSpacing(theme.step(3))
        self._results.setContentsMargins(0, 0, 0, 0)
        self._results.setSpacing(theme.step(3))
        for label in (self._question, self._others, self._keys, self._tries_title):
            label.setFont(theme.font("small_strong"))
        for widget in (self._stronger, self._readers):
            widget.setFont(theme.font("small"))
        self.setMinimumWidth(theme.step(60))
