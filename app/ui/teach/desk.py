"""One text at a time with the labels that it can be given, each by a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.core.labels import MOST_LABELS
from app.core.wording import percent
from app.ui.kit.boxes import column, flow, row
from app.ui.kit.parts import ElidedLabel, Scrolling, as_tip, draw_line, plain_label, push_button
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.spoken import announce, sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.teach.labelled import NONE

KEYS = "123456789"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
# A text of more characters is set in a smaller font.
_LONG = 400


class LabelButton(QPushButton):
    """A label: its key, its name, how many texts were given it, and the guess for the current text as a bar."""

    def __init__(self, theme: Theme, at: int, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.at, self.label = at, name
        self._texts = 0
        self._guess: float | None = None
        self.setProperty("kind", "keyed")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_numbers(0, None)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(40), self._theme.step(12))

    def show_numbers(self, texts: int, guess: float | None) -> None:
        """Show how many texts were given the label, and its probability for the current text; None without a guess."""
        self._texts, self._guess = texts, guess
        key = f"{KEYS[self.at]}: " if self.at < len(KEYS) else ""
        parts = [f"{key}{self.label}", tr("{number:,} labelled", number=texts)]
        if guess is not None:
            parts.append(tr("guessed {percent}", percent=percent(guess)))
        self.setAccessibleName(", ".join(parts))
        self.setToolTip(as_tip(self.label if self.at >= len(KEYS) else f"{self.label}  ({KEYS[self.at]})"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, step = self._theme, self._theme.step
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(step(2.5), step(1), -step(2.5), -step(1))
        line = QRectF(rect.left(), rect.top(), rect.width(), rect.height() - step(2.5))
        key = KEYS[self.at] if self.at < len(KEYS) else ""
        draw_line(painter, theme, line, key, "small", "ink_quiet", Qt.AlignmentFlag.AlignVCenter)
        number = tr("{number:,}", number=self._texts)
        wide = draw_line(painter, theme, line, number, "small", "ink_quiet", _RIGHT)
        name = QRectF(line.left() + step(5), line.top(), line.width() - step(7) - wide, line.height())
        font = "strong" if self.isChecked() else "ui"
        draw_line(painter, theme, name, self.label, font, "ink", Qt.AlignmentFlag.AlignVCenter)
        if self._guess is not None:
            bar = QRectF(name.left(), rect.bottom() - step(1.5), rect.width() - step(5), step(1.25))
            draw_bar(painter, theme, bar, self._guess, faint=self._guess < 0.5)


class Desk(QFrame):
    """The text at the left, the labels at the right.

    `given` carries the row of the text and the names of its labels, `skipped` the row, and `cleared` a list of it;
    `undo_asked` and `redo_asked` are sent by buttons and keys.
    """

    given = Signal(int, list)
    skipped = Signal(int)
    cleared = Signal(list)
    undo_asked = Signal()
    redo_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "desk")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Text to label"))
        self.row = -1
        self._multi = False
        self._shown: tuple[int, tuple[str, ...] | None] = (-1, None)  # the row with its labels
        self._buttons: list[LabelButton] = []
        self.state = plain_label(type="small", ink="quiet")
        self.others = ElidedLabel()
        mark(self.others, type="small", ink="quiet")
        self.text, self._text = plain_label(type="quote", selectable=True), ""
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.about = plain_label(type="small", ink="quiet")
        self.in_order = QCheckBox(tr("In the table’s order"))
        self.in_order.setAccessibleName(self.in_order.text())
        self.in_order.setToolTip(
            as_tip(tr("Otherwise the most useful text comes next: unsure, and unlike those labelled"))
        )
        self.skip = push_button(theme, tr("Skip"), tip=tr("Another text first  (Space)"))
        self.undo = push_button(theme, tr("Undo"), tip=tr("Take the last label back  (U, Ctrl+Z)"))
        self.redo = push_button(theme, tr("Redo"), tip=tr("Do it again  (Ctrl+Y)"))
        self.none = push_button(
            theme, tr("None"), name=tr("None of them"), tip=tr("None of them applies  (0)")
        )
        self.done = push_button(theme, tr("Next"), kind="primary", tip=tr("Give the chosen labels  (Enter)"))
        self._lay_out()
        self.skip.clicked.connect(self._skip)
        self.undo.clicked.connect(self.undo_asked)
        self.redo.clicked.connect(self.redo_asked)
        self.none.clicked.connect(self._give_none)
        self.done.clicked.connect(self._give_chosen)

    def show_labels(self, names: Sequence[str], *, multi: bool) -> None:
        """Show the labels; with `multi`, a text can be given several."""
        if [button.label for button in self._buttons] == list(names) and multi == self._multi:
            return
        self._multi = multi
        for button in self._buttons:
            self._list.removeWidget(button)
            button.deleteLater()
        self._buttons = [LabelButton(self._theme, at, name) for at, name in enumerate(names[:MOST_LABELS])]
        before: QWidget = self
        for button in self._buttons:
            button.clicked.connect(self._clicked)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._list.insertWidget(self._list.count() - 1, button)
            QWidget.setTabOrder(before, button)
            before = button
        for widget in (self.none, self.done):
            widget.setVisible(multi)

    def show_text(
        self,
        row: int,
        text: str,
        others: str,
        labels: Sequence[str] | None,
        guess: Sequence[float],
        counts: Mapping[str, int],
    ) -> None:
        """Show a text with its other columns, its labels (None before any were given), and the guess (empty: hidden).

        `guess` has a probability for each label, `counts` how many texts were given each label.
        """
        if row != self.row or text != self._text:
            self._text = text
            self._scroll.verticalScrollBar().setValue(0)
            self.text.setText(text)
            mark(self.text, type="quote" if len(text) > _LONG else "document")
        new = (row, tuple(labels) if labels is not None else None)
        is_new, self._shown = new != self._shown, new
        self.row = row
        self.others.set_full_text(others)
        self.others.setVisible(bool(others))
        number = tr("Text {number:,}", number=row + 1)
        given = "" if labels is None else f" · {', '.join(labels) or localised(NONE)}"
        self.state.setText(f"{number}{given}")
        self.setAccessibleDescription(text)
        if is_new:
            announce(self, sentences(self.state.text(), text))
        for at, button in enumerate(self._buttons):
            if is_new:  # else labels that are chosen, but not given yet, stay chosen
                button.setChecked(button.label in (labels or ()))
            button.show_numbers(counts.get(button.label, 0), guess[at] if guess else None)

    def show_about(self, words: str, *, undo: bool, redo: bool) -> None:
        """Show a line about the guesses, and whether a change can be undone or redone."""
        self.about.setText(words)
        self.undo.setEnabled(undo)
        self.redo.setEnabled(redo)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        mark(self._paper, focused="true")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        mark(self._paper, focused="false")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give labels, and do what the buttons do, by key."""
        key = event.text()
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and key and key in KEYS and KEYS.index(key) < len(self._buttons):
            self._choose(self._buttons[KEYS.index(key)])
        elif plain and key == "0" and self._multi:
            self._give_none()
        elif plain and event.key() == Qt.Key.Key_Space:
            self._skip()
        elif plain and event.key() == Qt.Key.Key_U:
            self.undo_asked.emit()
        elif plain and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.cleared.emit([self.row])
        elif self._multi and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._give_chosen()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _clicked(self) -> None:
        button = self.sender()
        if isinstance(button, LabelButton):
            button.setChecked(not button.isChecked())  # as before the click: `_choose` decides
            self._choose(button)
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, button: LabelButton) -> None:
        if self.row < 0:
            return
        if self._multi:
            button.setChecked(not button.isChecked())
        else:
            self.given.emit(self.row, [button.label])

    @Slot()
    def _give_chosen(self) -> None:
        chosen = [button.label for button in self._buttons if button.isChecked()]
        if self.row >= 0 and chosen:  # the button `none` says that none applies
            self.given.emit(self.row, chosen)

    @Slot()
    def _give_none(self) -> None:
        if self.row >= 0:
            self.given.emit(self.row, [])

    @Slot()
    def _skip(self) -> None:
        if self.row >= 0:
            self.skipped.emit(self.row)

    def _lay_out(self) -> None:
        theme = self._theme
        self._paper = QFrame()
        self._paper.setProperty("kind", "paper")
        sheet = (self.state, (self.text, 1), self.others)
        column(theme, *sheet, gap=3, margins=(8, 5, 8, 5), parent=self._paper)
        self._scroll = Scrolling(self._paper)
        left = column(theme, (self._scroll, 1), margins=(6, 5, 6, 5))
        labels = QWidget()
        self._list = column(theme, 1, gap=1.5, parent=labels)
        buttons = flow(theme, self.skip, self.undo, self.redo, self.none, self.done)
        side = QFrame()
        side.setProperty("kind", "panel")
        title = plain_label(tr("Which label fits?"), type="strong")
        parts = (title, self.about, (Scrolling(labels), 1), self.in_order, buttons)
        column(theme, *parts, gap=3, margins=(4.5, 4.5, 4.5, 4), parent=side)
        row(theme, (left, 3), (side, 2), parent=self)
        theme.in_steps(side.setMinimumWidth, 68)
