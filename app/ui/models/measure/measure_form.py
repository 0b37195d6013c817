"""The form of a measure: a model, a set of examples, and a mapping of their labels if they differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QPushButton, QVBoxLayout

from app.core.measure_words import examples
from app.core.measures import ExampleSet
from app.core.models import Head, ModelCard
from app.ui.kit.dropped import dropped_files, take_files_only
from app.ui.kit.elided_choice import ElidedChoice
from app.ui.kit.theme import Theme, mark
from app.ui.models.measure.label_choices import LabelChoices

MEASURABLE = (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.TOKEN_CLASSIFICATION)
_FILE = "A file of yours…"
# In steps; below this width the examples are placed below the model.
_NARROW = 165


class MeasureForm(QFrame):
    """Two choices and a button.

    `measure_asked` is sent by the button, `file_asked` to choose the user's own file, `dropped` carries files.
    """

    measure_asked = Signal()
    file_asked = Signal()
    dropped = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cards: tuple[ModelCard, ...] = ()
        self._sets: tuple[ExampleSet, ...] = ()
        self._before = ""
        self.model, self.data = ElidedChoice(), ElidedChoice()
        self._labels = (QLabel("Model"), QLabel("Examples"))
        for choice, label in zip((self.model, self.data), self._labels, strict=True):
            choice.setAccessibleName(label.text())
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(12)
            label.setBuddy(choice)
        self.button = QPushButton("Measure")
        self.button.setToolTip("Have the model read the examples  (Ctrl+Enter)")
        self.button.clicked.connect(self.measure_asked)
        mark(self.button, kind="primary")
        self._line = QLabel()
        self._line.setTextFormat(Qt.TextFormat.PlainText)
        self._line.setProperty("ink", "quiet")
        self._line.setWordWrap(True)
        self.matching = LabelChoices(theme)
        self._grid = QGridLayout()
        self._narrow: bool | None = None
        self._place(narrow=False)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._grid)
        self._column.addWidget(self._line)
        self._column.addWidget(self.matching)
        self.model.activated.connect(self._model_chosen)
        self.data.activated.connect(self._data_chosen)
        self.setAcceptDrops(True)
        mark(self, kind="card")
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_models(self, cards: Sequence[ModelCard], chosen: str = "", first: str = "") -> None:
        """Offer those of these models that can be measured.

        `chosen` is the folder of the one to choose; `first` of the one to choose if none was chosen before.
        """
        before = chosen or self.model.currentData() or ""
        self._cards = tuple(card for card in cards if set(MEASURABLE) & set(card.heads))
        self.model.clear()
        for card in self._cards:
            self.model.addItem(card.name, card.folder)
            self.model.setItemData(self.model.count() - 1, card.folder, Qt.ItemDataRole.ToolTipRole)
        if not self._cards:
            self.model.addItem("None that can be measured is installed", "")
        self.model.setEnabled(bool(self._cards))
        readers = (at for at, card in enumerate(self._cards) if MEASURABLE[0] in card.heads)
        at = next((at for folder in (before, first) if (at := self.model.findData(folder)) >= 0), -1)
        self.model.setCurrentIndex(at if at >= 0 else next(readers, 0))
        self._offer_sets()

    def set_sets(self, sets: Sequence[ExampleSet]) -> None:
        """Offer those of these sets that the model can read."""
        self._sets = tuple(sets)
        self._offer_sets()

    def choose_model(self, folder: str) -> bool:
        """Choose a model; returns whether it is offered."""
        at = self.model.findData(folder)
        if at >= 0:
            self.model.setCurrentIndex(at)
            self._offer_sets()
        return at >= 0

    def choose_set(self, path: str) -> bool:
        """Choose a set, and if the chosen model cannot read it, the first that can; returns whether there is one."""
        data = next((one for one in self._sets if one.path == path), None)
        if data is None:
            return False
        card = self.card()
        if card is None or data.head not in card.heads:
            card = next((each for each in self._cards if data.head in each.heads), None)
            if card is None:
                return False
            self.model.setCurrentIndex(self.model.findData(card.folder))
        self._before = path
        self._offer_sets()
        return True

    def card(self) -> ModelCard | None:
        """The chosen model."""
        return next((card for card in self._cards if card.folder == self.model.currentData()), None)

    def set_chosen(self) -> ExampleSet | None:
        """The chosen set."""
        return next((one for one in self._sets if one.path == self.data.currentData()), None)

    def set_busy(self, busy: bool) -> None:
        """Set whether a model is being measured."""
        for widget in (self.model, self.data, self.button, self.matching):
            widget.setEnabled(not busy)
        if not busy:
            self._show_line()
            self.model.setEnabled(bool(self._cards))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the examples to the right of the model, or below it."""
        super().resizeEvent(event)
        self._place(narrow=event.size().width() < self._theme.step(_NARROW))

    def _place(self, *, narrow: bool) -> None:
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for at, (label, choice) in enumerate(zip(self._labels, (self.model, self.data), strict=True)):
            row, column = (2 * at, 0) if narrow else (0, at)
            label.setContentsMargins(0, self._theme.step(2) if row else 0, 0, 0)
            self._grid.addWidget(label, row, column)
            self._grid.addWidget(choice, row + 1, column)
            self._grid.setColumnStretch(at, int(not (narrow and at)))
        self._grid.addWidget(self.button, 3 if narrow else 1, 1 if narrow else 2)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Let files be dropped."""
        take_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take dropped files."""
        if files := dropped_files(event):
            self.dropped.emit(files)

    def _offer_sets(self) -> None:
        card = self.card()
        wanted = self._before or self.data.currentData() or ""
        self.data.clear()
        for one in self._sets:
            if card is not None and one.head in card.heads:
                self.data.addItem(f"{one.title}, {examples(one.examples, one.head)}", one.path)
                tip = one.line or str(Path(one.path))
                self.data.setItemData(self.data.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.data.addItem(_FILE, "")
        self.data.setCurrentIndex(max(0, self.data.findData(wanted) if wanted else 0))
        self._remember()

    def _remember(self) -> None:
        self._before = self.data.currentData() or ""
        self.matching.clear()
        self._show_line()

    def _show_line(self) -> None:
        data = self.set_chosen()
        self._line.setText(
            (data.line or data.path)
            if data
            else "Choose a file with examples whose answers you know, or drop it here."
        )
        self.button.setEnabled(data is not None and self.card() is not None)

    @Slot(int)
    def _model_chosen(self, index: int) -> None:
        self._offer_sets()

    @Slot(int)
    def _data_chosen(self, index: int) -> None:
        if self.data.itemData(index):
            self._remember()
            return
        # If the dialog is cancelled, the earlier choice stays.
        self.data.setCurrentIndex(max(0, self.data.findData(self._before)))
        self._show_line()
        self.file_asked.emit()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        for label in self._labels:
            label.setFont(theme.font("small_strong"))
        self._line.setFont(theme.font("small"))
        edge = theme.step(5)
        self._column.setContentsMargins(edge, theme.step(4), edge, theme.step(4))
        self._column.setSpacing(theme.step(2.5))
        self._grid.setHorizontalSpacing(theme.step(4))
        self._grid.setVerticalSpacing(theme.step(1))
