"""Forms to label a text with the right result, for computing the loss: one form for each head."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.inspection import Example, Subject
from app.core.models import ModelCard, ProblemType
from app.core.results import Classification
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.score_bars import nice_label
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme

YES, NO = "yes", "no"


class ExampleForm(QFrame):
    """A form for the gold label. `changed` is sent when it changed."""

    changed = Signal()

    def __init__(self, theme: Theme, question: str) -> None:
        super().__init__()
        self.theme = theme
        self.question = QLabel(question)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.addWidget(self.question)
        theme.changed.connect(self.restyle)
        self.restyle()

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        """Set another subject, with its likeliest gold label."""
        raise NotImplementedError

    def example(self) -> Example | None:
        """The gold label; None while it is incomplete."""
        raise NotImplementedError

    def missing(self) -> str:
        """What is still missing, as one sentence."""
        return ""

    @Slot()
    def restyle(self) -> None:
        """Apply the theme's sizes."""
        self.question.setFont(self.theme.font("strong"))
        self.column.setSpacing(self.theme.step(2))


class ClassForm(ExampleForm):
    """The right class: one of several, any number of them, or a value."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Which class is right?")
        self._problem = ProblemType.SINGLE_LABEL
        self.one = QComboBox()
        self.one.setAccessibleName("The right class")
        self.one.activated.connect(self._emit_changed)
        self.value = QDoubleSpinBox()
        self.value.setAccessibleName("The right value")
        self.value.setRange(-1e6, 1e6)
        self.value.setDecimals(3)
        self.value.valueChanged.connect(self._emit_changed)
        self._many = QWidget()
        self._row = FlowRow()
        self._many.setLayout(self._row)
        self.boxes: list[QCheckBox] = []
        line = QHBoxLayout()
        line.addWidget(self.one)
        line.addWidget(self.value)
        line.addStretch(1)
        self.column.addLayout(line)
        self.column.addWidget(self._many)

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        labels = card.labels if card is not None else ()
        self._problem = card.problem if card is not None else ProblemType.SINGLE_LABEL
        self.question.setText("Which value is right?" if self._regression else "Which class is right?")
        self.one.clear()
        for box in self.boxes:
            self._row.removeWidget(box)
            box.deleteLater()
        self.boxes = []
        for label in labels:
            self.one.addItem(nice_label(label), label)
            if self._problem is ProblemType.MULTI_LABEL:
                box = QCheckBox(nice_label(label))
                box.setProperty("label", label)
                box.toggled.connect(self._emit_changed)
                self._row.add(box)
                self.boxes.append(box)
        self.one.setVisible(self._problem is ProblemType.SINGLE_LABEL)
        self.value.setVisible(self._regression)
        self._many.setVisible(self._problem is ProblemType.MULTI_LABEL)

    def suggest(self, found: Classification) -> None:
        """Preset the model's own prediction: its class, all labels that apply, or its value to one decimal."""
        labels = {score.label for score in found.fitting}
        at = self.one.findData(found.winner)
        with QSignalBlocker(self.value):
            self.value.setValue(round(found.scores[0].probability, 1) if found.scores else 0.0)
        if at >= 0:
            self.one.setCurrentIndex(at)
        for box in self.boxes:
            with QSignalBlocker(box):
                box.setChecked(box.property("label") in labels)

    @property
    def _regression(self) -> bool:
        return self._problem is ProblemType.REGRESSION

    def example(self) -> Example | None:
        if self._regression:
            return Example(value=self.value.value())
        if self._problem is ProblemType.MULTI_LABEL:
            return Example(labels=tuple(box.property("label") for box in self.boxes if box.isChecked()))
        return Example(labels=(self.one.currentData(),)) if self.one.count() else None

    @Slot()
    def _emit_changed(self) -> None:
        self.changed.emit()


class WordsForm(ExampleForm):
    """The right word of each blank."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Which words are right?")
        self._fields = QVBoxLayout()
        self.fields: list[QLineEdit] = []
        self.column.addLayout(self._fields)

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        for field in self.fields:
            self._fields.removeWidget(field)
            field.deleteLater()
        self.fields = []
        for number, blank in enumerate(subject.blanks, start=1):
            field = QLineEdit()
            words = blank.of(subject.text)
            # A blank that hides a word of the text has that word as its gold label.
            field.setText(
                words if any(character.isalnum() for character in words) and words[0] not in "[<" else ""
            )
            field.setPlaceholderText("The word that stands there" if number == 1 else "And there")
            field.setAccessibleName(f"The right word of blank {number}")
            field.setMaximumWidth(self.theme.step(70))
            field.editingFinished.connect(self._emit_changed)
            self._fields.addWidget(field)
            self.fields.append(field)

    def example(self) -> Example | None:
        words = tuple(field.text().strip() for field in self.fields)
        return Example(words=words) if words and all(words) else None

    def suggest(self, words: tuple[str, ...]) -> None:
        """Preset these where no word is known."""
        for field, word in zip(self.fields, words, strict=False):
            if not field.text():
                field.setText(word)

    def missing(self) -> str:
        return "Type the word that is right, then press Enter." if self.example() is None else ""

    @Slot()
    def _emit_changed(self) -> None:
        self.changed.emit()


class FollowForm(ExampleForm):
    """Whether the second passage really continues the first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Does the second text really follow the first?")
        self.ways = Segments(theme, "Does it follow", ((YES, "It follows"), (NO, "It does not")))
        self.ways.select(YES)
        self.ways.chosen.connect(self._emit_changed)
        self.column.addWidget(self.ways)

    def begin(self, subject: Subject, card: ModelCard | None) -> None:
        self.ways.select(YES)

    def example(self) -> Example | None:
        return Example(follows=self.ways.selected() == YES)

    @Slot(str)
    def _emit_changed(self, way: str) -> None:
        self.changed.emit()
