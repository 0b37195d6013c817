"""The form of the next measure: a model, an example set, and a mapping between their labels if these differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel

from app.core.legible import legible
from app.core.measures import MEASURED, ExampleSet, examples
from app.core.message import Message
from app.core.models import ModelCard
from app.ui.kit.boxes import column
from app.ui.kit.dropped import accept_files_only, dropped_files
from app.ui.kit.parts import ElidedChoice, as_tip, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

MOST_LABELS = 30
_FILE = Message("A file of yours…")
_LABELS_DIFFER = Message(
    "The model calls things by other names."
    " Say what each stands for in these examples; several may stand for one."
)
# In steps; below this width the examples are placed below the model.
_NARROW = 165


class LabelChoices(QFrame):
    """A row for each of the model's labels with a choice of the examples' labels; hidden while nothing is asked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._rows: dict[str, tuple[QLabel, QComboBox]] = {}  # by the model's label
        self._grid = QGridLayout()
        self._grid.setColumnStretch(2, 1)
        theme.space(self._grid, 1)
        column(theme, plain_label(_LABELS_DIFFER, type="small_strong"), self._grid, gap=2, parent=self)
        self.hide()

    def ask(self, model_labels: Sequence[str], set_labels: Sequence[str]) -> None:
        """Ask what each of the model's labels stands for; only labels of equal names are preset."""
        self.clear()
        for at, label in enumerate(dict.fromkeys(model_labels[:MOST_LABELS])):
            name, choice = plain_label(label, wrap=False), ElidedChoice()
            choice.addItem(tr("Nothing here"), "")
            for wanted in set_labels:
                choice.addItem(legible(wanted), wanted)
            same = next((each for each in set_labels if each.casefold() == label.casefold()), "")
            choice.setCurrentIndex(max(0, choice.findData(same)))
            choice.setAccessibleName(tr("{label} stands for", label=label))
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            name.setBuddy(choice)
            self._grid.addWidget(name, at, 0)
            self._grid.addWidget(choice, at, 1)
            self._rows[label] = name, choice
        self.show()
        if self._rows:
            next(iter(self.choices().values())).setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Remove the rows, and hide."""
        for row in self._rows.values():
            for widget in row:
                self._grid.removeWidget(widget)
                widget.deleteLater()
        self._rows = {}
        self.hide()

    def choices(self) -> dict[str, QComboBox]:
        """The choice for each of the model's labels."""
        return {label: choice for label, (_, choice) in self._rows.items()}

    def answer(self) -> dict[str, str]:
        """The examples' label by the model's label, where one was chosen; empty while nothing is asked."""
        return {
            label: choice.currentData() for label, choice in self.choices().items() if choice.currentData()
        }


class MeasureForm(QFrame):
    """A choice of the model, one of the example set, and the button Measure.

    `file_requested` is sent when the user wants a file of their own, `dropped` carries dropped files.
    """

    file_requested = Signal()
    dropped = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cards: tuple[ModelCard, ...] = ()
        self._sets: tuple[ExampleSet, ...] = ()
        self._last_path = ""
        self.model, self.data = ElidedChoice(), ElidedChoice()
        self._labels = tuple(plain_label(text, type="small_strong") for text in (tr("Model"), tr("Examples")))
        for choice, label in zip((self.model, self.data), self._labels, strict=True):
            choice.setAccessibleName(label.text())
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(12)
            label.setBuddy(choice)
        tip = tr("Have the model read the examples  (Ctrl+Enter)")
        self.button = push_button(theme, tr("Measure"), kind="primary", tip=tip)
        self._description = plain_label(type="small", ink="quiet")
        self.matching = LabelChoices(theme)
        self._grid = QGridLayout()
        self._narrow: bool | None = None
        self._place(narrow=False)
        column(
            theme, self._grid, self._description, self.matching, gap=2.5, margins=(5, 4, 5, 4), parent=self
        )
        self.model.activated.connect(self._offer_sets)
        self.data.activated.connect(self._data_chosen)
        self.setAcceptDrops(True)
        self.setProperty("kind", "card")
        theme.in_steps(self._grid.setHorizontalSpacing, 4)
        theme.in_steps(self._grid.setVerticalSpacing, 1)

    def set_models(self, cards: Sequence[ModelCard], chosen: str = "", first: str = "") -> None:
        """Offer those of these models that can be measured.

        `chosen` is the folder of the model to choose, `first` that of the model to choose if none was chosen before.
        """
        before = chosen or self.model.currentData() or ""
        self._cards = tuple(card for card in cards if set(MEASURED) & set(card.heads))
        self.model.clear()
        for card in self._cards:
            self.model.addItem(card.title, card.folder)
            self.model.setItemData(self.model.count() - 1, as_tip(card.folder), Qt.ItemDataRole.ToolTipRole)
        if not self._cards:
            self.model.addItem(tr("None that can be measured is installed"), "")
        self.model.setEnabled(bool(self._cards))
        readers = (at for at, card in enumerate(self._cards) if MEASURED[0] in card.heads)
        at = next((at for folder in (before, first) if (at := self.model.findData(folder)) >= 0), -1)
        self.model.setCurrentIndex(at if at >= 0 else next(readers, 0))
        self._offer_sets()

    def set_example_sets(self, sets: Sequence[ExampleSet]) -> None:
        """Offer those of these sets that the chosen model can read."""
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
        """Choose a set, and if the chosen model cannot read it, the first that can; returns whether any can."""
        data = next((one for one in self._sets if one.path == path), None)
        if data is None:
            return False
        card = self.card()
        if card is None or data.head not in card.heads:
            card = next((each for each in self._cards if data.head in each.heads), None)
            if card is None:
                return False
            self.model.setCurrentIndex(self.model.findData(card.folder))
        self._last_path = path
        self._offer_sets()
        return True

    def card(self) -> ModelCard | None:
        """The card of the chosen model, None for none."""
        return next((card for card in self._cards if card.folder == self.model.currentData()), None)

    def example_set(self) -> ExampleSet | None:
        """The chosen example set, None for none."""
        return next((one for one in self._sets if one.path == self.data.currentData()), None)

    def set_busy(self, busy: bool) -> None:
        """Set whether a model is being measured."""
        for widget in (self.model, self.data, self.button, self.matching):
            widget.setEnabled(not busy)
        if not busy:
            self._show_description()
            self.model.setEnabled(bool(self._cards))

    def minimumSizeHint(self) -> QSize:
        """The width that it needs with the examples below the model."""
        choices = max(self.model.minimumSizeHint().width(), self.data.minimumSizeHint().width())
        beside = self._grid.horizontalSpacing() + self.button.minimumSizeHint().width()
        return QSize(choices + beside + 2 * self._theme.step(5), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the examples to the right of the model, or below it."""
        super().resizeEvent(event)
        self._place(narrow=event.size().width() < self._theme.step(_NARROW))

    def _place(self, *, narrow: bool) -> None:
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for at, (label, choice) in enumerate(zip(self._labels, (self.model, self.data), strict=True)):
            line, place = (2 * at, 0) if narrow else (0, at)
            label.setContentsMargins(0, self._theme.step(2) if line else 0, 0, 0)
            self._grid.addWidget(label, line, place)
            self._grid.addWidget(choice, line + 1, place)
            self._grid.setColumnStretch(at, int(not (narrow and at)))
        self._grid.addWidget(self.button, 3 if narrow else 1, 1 if narrow else 2)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        accept_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if files := dropped_files(event):
            self.dropped.emit(files)

    @Slot()
    def _offer_sets(self) -> None:
        card = self.card()
        wanted = self._last_path or self.data.currentData() or ""
        self.data.clear()
        for one in self._sets:
            if card is not None and one.head in card.heads:
                number = localised(examples(one.examples, one.head))
                self.data.addItem(f"{legible(localised(one.title))}, {number}", one.path)
                tip = one.line or str(Path(one.path))
                self.data.setItemData(self.data.count() - 1, as_tip(tip), Qt.ItemDataRole.ToolTipRole)
        self.data.addItem(localised(_FILE), "")
        self.data.setCurrentIndex(max(0, self.data.findData(wanted) if wanted else 0))
        self._use_chosen_set()

    def _use_chosen_set(self) -> None:
        self._last_path = self.data.currentData() or ""
        self.matching.clear()
        self._show_description()

    def _show_description(self) -> None:
        data = self.example_set()
        self._description.setText(
            (data.line or data.path)
            if data
            else tr("Choose a file with examples whose answers you know, or drop it here.")
        )
        self.button.setEnabled(data is not None and self.card() is not None)

    @Slot(int)
    def _data_chosen(self, index: int) -> None:
        if self.data.itemData(index):
            self._use_chosen_set()
            return
        # If the dialog is cancelled, the earlier choice stays.
        self.data.setCurrentIndex(max(0, self.data.findData(self._last_path)))
        self._show_description()
        self.file_requested.emit()
