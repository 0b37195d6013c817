"""The threshold from which an answer is given, and a slider to change it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from app.core import wording
from app.ui.kit.theme import Theme, mark

# The effects of moving the slider to the left and to the right.
_LEFT = "Fewer left unanswered, more wrong answers"
_RIGHT = "Fewer wrong answers, more left unanswered"
_HOW_SURE = (
    (0.8, "only when very sure"),
    (0.6, "only when sure"),
    (0.3, "when fairly sure"),
    (0.0, "even when unsure"),
)


class ThresholdLine(QWidget):
    """'Answers when fairly sure', with a slider that Change shows and Esc hides.

    The compared probability, which is not the one on the card, is shown only with the slider.
    `changed` carries the threshold, 0 to 1, as it is moved; `own_asked` is sent to restore the reader's own.
    """

    changed = Signal(float)
    own_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._opener: QWidget | None = None
        self._threshold = 0.5
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setProperty("ink", "quiet")
        self._change = QPushButton("Change")
        self._change.setAccessibleName("Change how sure an answer must be")
        self._change.setCheckable(True)
        mark(self._change, kind="link")
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(1, 99)
        self._slider.setPageStep(5)
        self._slider.setAccessibleName("How sure an answer must be, in per cent")
        self._slider.setAccessibleDescription(f"Less: {_LEFT.lower()}. More: {_RIGHT.lower()}.")
        self._own = QPushButton("Usual")
        self._own.setAccessibleName("As sure as usual")
        self._own.setToolTip("What was found to be best for this reader")
        mark(self._own, kind="link")
        line = QHBoxLayout()
        line.addWidget(self._words, 1)
        line.addWidget(self._own)
        line.addWidget(self._change)
        self._ends = QLabel(_LEFT), QLabel(_RIGHT)
        ends = QHBoxLayout()
        for label, side in zip(
            self._ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True
        ):
            label.setWordWrap(True)
            label.setAlignment(side | Qt.AlignmentFlag.AlignTop)
            label.setProperty("ink", "quiet")
            ends.addWidget(label, 1)
        self._tools = QWidget()
        tools = QVBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(0)
        tools.addWidget(self._slider)
        tools.addLayout(ends)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tools)
        column.addLayout(line)
        self._tools.hide()
        self._own.hide()
        self._change.toggled.connect(self._opened)
        self._change.clicked.connect(self._changed_here)
        self._slider.valueChanged.connect(self._moved)
        self._own.clicked.connect(self.own_asked)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_threshold(self, threshold: float, own: bool) -> None:
        """Show a threshold; `own`: it is the reader's own."""
        self._slider.blockSignals(True)
        self._slider.setValue(round(threshold * 100))
        self._slider.blockSignals(False)
        self._threshold = threshold
        self._update_words()
        self._own.setEnabled(not own)

    def open(self, on: bool, opener: QWidget | None = None) -> None:
        """Show or hide the slider; Esc gives the focus back to the `opener`, which must outlive this."""
        self._opener = opener
        self._change.setChecked(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._change.isChecked():
            back = self._opener if self._opener is not None and self._opener.isVisible() else self._change
            back.setFocus(Qt.FocusReason.OtherFocusReason)
            self._change.setChecked(False)
        else:
            super().keyPressEvent(event)

    def words(self) -> str:
        """The text of the line."""
        return self._words.text()

    def slider(self) -> QSlider:
        """The slider, in per cent."""
        return self._slider

    def _update_words(self) -> None:
        how = next(words for least, words in _HOW_SURE if self._threshold >= least)
        number = f": {wording.percent(self._threshold)} that the text answers"
        self._words.setText(f"Answers {how}{number if self._change.isChecked() else ''}")

    @Slot(bool)
    def _opened(self, on: bool) -> None:
        self._tools.setVisible(on)
        self._own.setVisible(on)
        self._change.setText("Done" if on else "Change")
        self._update_words()
        if on and self._change.hasFocus():
            self._slider.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _changed_here(self) -> None:
        self._opener = None

    @Slot(int)
    def _moved(self, value: int) -> None:
        self.changed.emit(value / 100)

    @Slot()
    def _restyle(self) -> None:
        for widget in (self._words, *self._ends, self._change, self._own):
            widget.setFont(self._theme.font("small"))
        step, colour = self._theme.step, self._theme.colour
        handle, groove = step(4), step(1)
        self._slider.setStyleSheet(
            f"QSlider {{ min-height: {handle + 4}px; }}"
            f"QSlider::groove:horizontal {{ height: {groove}px; border-radius: {groove // 2}px;"
            f" background: {colour('track').name()}; }}"
            f"QSlider::sub-page:horizontal {{ background: {colour('mark').name()}; border-radius: {groove // 2}px; }}"
            f"QSlider::handle:horizontal {{ width: {handle}px; margin: -{(handle - groove) // 2}px 0;"
            f" border-radius: {handle // 2}px; background: {colour('raised').name()};"
            f" border: 1px solid {colour('line_strong').name()}; }}"
            f"QSlider::handle:horizontal:focus {{ border: 2px solid {colour('focus').name()}; }}"
        )
