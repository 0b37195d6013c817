"""Forms to mark the right result in a text: the answer of a question, or names."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTextEdit,
)

from app.core.inspection import Example, Subject
from app.core.models import Head, ModelCard
from app.core.name_types import plain_type
from app.core.positions import Offsets
from app.core.text import Span
from app.ui.inspect.example_forms import ExampleForm
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme

IN_TEXT, SILENT, OUTSIDE = "given", "silent", "outside"


class MarkedText(QPlainTextEdit):
    """A read-only text with highlighted places. `picked` is sent when other words are selected."""

    picked = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self._offsets = Offsets("")
        self._marks: tuple[Span, ...] = ()
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.selectionChanged.connect(self.picked)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str) -> None:
        """Show this text without highlights."""
        self._text, self._offsets, self._marks = text, Offsets(text), ()
        self.setPlainText(text)
        self._light()
        self.updateGeometry()

    def mark(self, *places: Span) -> None:
        """Highlight these places, and bring the first into view."""
        self._marks = tuple(place for place in places if place.end <= len(self._text))
        self._light()
        if self._marks:
            cursor = self.textCursor()
            cursor.setPosition(self._offsets.to_qt(self._marks[0].start))
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def chosen(self) -> Span | None:
        """The selected words, without spaces at their ends; None for none."""
        cursor = self.textCursor()
        start = self._offsets.to_point(cursor.selectionStart())
        end = self._offsets.to_point(cursor.selectionEnd())
        words = self._text[start:end]
        start += len(words) - len(words.lstrip())
        end = start + len(words.strip())
        return Span(start, end) if end > start else None

    def choose(self, place: Span) -> None:
        """Select these words, as with the mouse."""
        start, end = self._offsets.span_to_qt(place)
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def sizeHint(self) -> QSize:
        lines = min(9, max(2, len(self._text) // 100 + self._text.count("\n") + 1))
        return QSize(self._theme.step(80), lines * self.fontMetrics().lineSpacing() + self._theme.step(4))

    def _light(self) -> None:
        lit = []
        for place in self._marks:
            start, end = self._offsets.span_to_qt(place)
            light = QTextEdit.ExtraSelection()
            light.cursor = QTextCursor(self.document())
            light.cursor.setPosition(start)
            light.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            shape = QTextCharFormat()
            shape.setBackground(self._theme.colour("answer_ground"))
            shape.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            shape.setUnderlineColor(self._theme.colour("answer_line"))
            light.format = shape
            lit.append(light)
        self.setExtraSelections(lit)

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font("quote"))
        self._light()
        self.updateGeometry()


class AnswerForm(ExampleForm):
    """The gold answer of a question: words of the text, none, or one outside the window."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "What is the right answer?")
        self._subject = Subject(Head.QUESTION_ANSWERING, "")
        self._answer: Span | None = None
        choices = (
            (IN_TEXT, "Words of the text"), (SILENT, "The text does not say"), (OUTSIDE, "Beyond what is read"),
        )  # fmt: skip
        self.ways = Segments(theme, "The right answer", choices)
        self.ways.chosen.connect(self._chosen)
        self.text = MarkedText(theme, "Text with the right answer")
        self.text.picked.connect(self._picked)
        self.button = QPushButton("The chosen words are the answer")
        self.button.clicked.connect(self._take)
        self._hint = QLabel(
            "Choose other words in the text with the mouse, or with Shift and the arrow keys."
        )
        self._hint.setProperty("ink", "quiet")
        row = FlowRow()
        row.add(self.button)
        row.add(self._hint)
        self._flow = row
        for widget in (self.ways, self.text):
            self.column.addWidget(widget)
        self.column.addLayout(row)
        self.restyle()

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        self._subject = subject
        self._answer = subject.focus
        self.text.show_text(subject.text)
        self.ways.select(IN_TEXT if self._answer is not None else SILENT)
        self._arrange()

    def example(self) -> Example | None:
        way = self.ways.selected()
        if way == IN_TEXT:
            return Example(answer=self._answer) if self._answer is not None else None
        if way == SILENT:
            return Example()
        # A place that lies in no window of the text.
        end = len(self._subject.text)
        return Example(answer=Span(end, end + 1))

    def missing(self) -> str:
        return "Choose the words of the text that answer the question." if self.example() is None else ""

    def suggest(self, answer: Span) -> None:
        """Preset this answer where none was marked."""
        if self._answer is None:
            self._answer = answer
            self.ways.select(IN_TEXT)
            self._arrange()

    @Slot(str)
    def _chosen(self, way: str) -> None:
        self._arrange()
        self.changed.emit()

    @Slot()
    def _picked(self) -> None:
        self.button.setEnabled(self.text.chosen() is not None)

    @Slot()
    def _take(self) -> None:
        chosen = self.text.chosen()
        if chosen is not None:
            self._answer = chosen
            self.ways.select(IN_TEXT)
            self._arrange()
            self.changed.emit()

    def _arrange(self) -> None:
        in_text = self.ways.selected() == IN_TEXT and self._answer is not None
        self.text.mark(*([self._answer] if in_text and self._answer is not None else []))
        self._picked()

    @Slot()
    def restyle(self) -> None:
        """Apply the theme's sizes."""
        super().restyle()
        if hasattr(self, "_flow"):
            self._flow.setSpacing(self.theme.step(3))
            self._hint.setMinimumHeight(self.theme.step(7.5))  # as high as the button next to it
            self._hint.setFont(self.theme.font("small"))


class NamesForm(ExampleForm):
    """The gold names of a text and their types: words are selected, then marked with a type."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Which words are names, and of what?")
        self._names: list[tuple[Span, str]] = []
        self._text = ""
        self.text = MarkedText(theme, "Text with its names")
        self.text.picked.connect(self._picked)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("What the chosen words name")
        self.button = QPushButton("Mark the chosen words")
        self.button.clicked.connect(self._take)
        self.clear = QPushButton("No names")
        self.clear.setAccessibleName("Take all marks away")
        self.clear.clicked.connect(self._forget)
        self._summary = QLabel()
        self._summary.setWordWrap(True)
        self._summary.setProperty("ink", "quiet")
        row = QHBoxLayout()
        for widget in (self.kinds, self.button, self.clear):
            row.addWidget(widget)
        row.addStretch(1)
        self.column.addWidget(self.text)
        self.column.addLayout(row)
        self.column.addWidget(self._summary)

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        self._names = []
        self._text = subject.text
        self.text.show_text(subject.text)
        self.kinds.clear()
        labels = card.labels if card is not None else ()
        for kind in dict.fromkeys(label.partition("-")[2] or label for label in labels if label != "O"):
            self.kinds.addItem(plain_type(kind), kind)
        self._arrange()

    def example(self) -> Example | None:
        return Example(entities=tuple(sorted(self._names)))

    def suggest(self, names: tuple[tuple[Span, str], ...]) -> None:
        """Preset these where nothing was marked."""
        if not self._names:
            self._names = list(names)
            self._arrange()

    @Slot()
    def _picked(self) -> None:
        self.button.setEnabled(self.text.chosen() is not None and self.kinds.count() > 0)

    @Slot()
    def _take(self) -> None:
        chosen = self.text.chosen()
        if chosen is not None:
            others = [(place, kind) for place, kind in self._names if not place.overlaps(chosen)]
            self._names = [*others, (chosen, self.kinds.currentData())]
            self._arrange()
            self.changed.emit()

    @Slot()
    def _forget(self) -> None:
        self._names = []
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        self.text.mark(*(place for place, _ in self._names))
        summary = ", ".join(
            f"{place.of(self._text)} ({plain_type(kind)})" for place, kind in sorted(self._names)
        )
        self._summary.setText(summary or "No word is marked: every word is held to be no name.")
        self._picked()
