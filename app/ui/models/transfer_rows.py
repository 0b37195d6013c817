"""Downloads as rows with their progress and actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QProgressBar

from app.core.message import Message
from app.ui.kit.boxes import column, row
from app.ui.kit.elided import ElidedLabel
from app.ui.kit.parts import Button, as_tip, plain_label, push_button, rule
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr


class Stage(StrEnum):
    """The stage of a download."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    GOING = "going"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class TransferRow:
    """One download: its repository, the model's name, its stage, words, the share done (None: not known), a hint.

    `use` is the label of an installed one's button: "Use it for Ask"; `blocked` is why it cannot be resumed now.
    """

    key: str
    title: str
    stage: Stage
    words: str
    share: float | None = 0.0
    hint: str = ""
    use: str = ""
    blocked: str = ""


_THROW = ("throw", Message("Throw away…"), "delete", "")
# The buttons shown instead while asking for confirmation.
_CONFIRMATION = (("throw", Message("Throw away"), "delete", "danger"), ("keep", Message("Keep it"), "", ""))
# The buttons of a stage: action, label, icon and kind.
_BUTTONS: dict[Stage, tuple[tuple[str, str, str, str], ...]] = {
    Stage.WAITING: (("pause", Message("Not now"), "", ""),),
    Stage.RUNNING: (("pause", Message("Pause"), "pause", ""), _THROW),
    Stage.PAUSED: (("resume", Message("Resume"), "save", ""), _THROW),
    Stage.FAILED: (("resume", Message("Try again"), "again", ""), _THROW),
    Stage.GOING: (),
    Stage.DONE: (
        ("use", "", "", "primary"),
        ("show", Message("Show it"), "", ""),
        ("close", Message("Put away"), "", ""),
    ),
}


class _Row(QFrame):
    """One download's row. `action_requested` carries its key and an action; `left` is sent when it loses its focus."""

    action_requested = Signal(str, str)
    left = Signal()

    def __init__(self, theme: Theme, shown: TransferRow) -> None:
        super().__init__()
        self._theme = theme
        self.row = shown
        self._title = plain_label(type="strong", wrap=False)
        self._words = ElidedLabel()
        self._words.setProperty("type", "small")
        self._hint = plain_label(type="small", ink="quiet")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        line = row(theme, self._title, (self._words, 1), gap=3)
        self._buttons: dict[str, Button] = {}
        self._asking = False
        left = column(theme, line, self._bar, self._hint, gap=1.5)
        self._whole = row(theme, (left, 1), gap=2, parent=self)
        self._make_buttons()
        self.take(shown)

    def take(self, row: TransferRow) -> None:
        """Show the current state."""
        if (row.stage, row.use) != (self.row.stage, self.row.use):
            self._asking = self._asking and _THROW in _BUTTONS[row.stage]
            self.row = row
            self._make_buttons()
        self.row = row
        for action, button in self._buttons.items():
            blocked = row.blocked if action == "resume" else ""
            button.setEnabled(not blocked)
            button.setToolTip(as_tip(blocked))
        self._title.setText(row.title)
        self._words.set_full_text(row.words)
        mark(self._words, ink="fault" if row.stage is Stage.FAILED else "quiet")
        self._hint.setText(row.hint)
        self._hint.setVisible(bool(row.hint))
        self._bar.setVisible(row.stage not in (Stage.DONE, Stage.WAITING))
        if row.share is None:
            self._theme.show_busy(self._bar)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(row.share * 1000))
        self._bar.setAccessibleName(f"{row.title}: {row.words}")
        self.setAccessibleName(f"{row.title}: {row.words} {row.hint}".strip())

    def button(self, action: str) -> Button | None:
        """The button of an action, None if it is not offered now."""
        return self._buttons.get(action)

    def go_in(self) -> bool:
        """Put the keyboard focus on the first enabled button; returns whether there is one."""
        able = [button for button in self._buttons.values() if button.isEnabled()]
        if able:
            able[0].setFocus(Qt.FocusReason.OtherFocusReason)
        return bool(able)

    def _make_buttons(self) -> None:
        focused = self.isAncestorOf(self.window().focusWidget() or self)
        before, self._buttons = self._buttons, {}
        for action, title, icon, kind in _CONFIRMATION if self._asking else _BUTTONS[self.row.stage]:
            if words := localised(title) or self.row.use:
                button = push_button(
                    self._theme, words, kind=kind, icon=icon, name=f"{words}: {self.row.title}"
                )
                button.setProperty("action", action)
                button.clicked.connect(self._clicked)
                self._whole.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
                # Shown at once, not by the layout later: a hidden button cannot take the keyboard focus.
                button.show()
                self._buttons[action] = button
        if self._asking:
            self._buttons["keep"].setFocus(Qt.FocusReason.OtherFocusReason)
        left = focused and not self._asking and not self.go_in()
        for button in before.values():
            button.hide()
            button.deleteLater()
        if left:
            self.left.emit()

    @Slot()
    def _clicked(self) -> None:
        action = str(self.sender().property("action"))
        # A long download must not be deleted by one accidental press next to Pause.
        if action == "keep" or (action == "throw" and not self._asking and self.row.share != 0):
            self._asking = action == "throw"
            self._make_buttons()
        else:
            self._asking = False
            self.action_requested.emit(self.row.key, action)


class TransferRows(QFrame):
    """All downloads, one below the other; hidden without any.

    `action_requested` carries a repository and an action: pause, resume, throw, use, show or close. `left` is sent when
    the keyboard focus was on a row without a button for it any more, and no other row has one.
    """

    action_requested = Signal(str, str)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        self._column = column(theme, gap=3.5, margins=(6, 3.5, 6, 3.5))
        column(theme, rule(), self._column, parent=self)
        self.setProperty("kind", "panel")
        self.setAccessibleName(tr("Downloads"))
        self.hide()

    def set_rows(self, rows: Sequence[TransferRow]) -> None:
        """Show these downloads."""
        keys = [row.key for row in rows]
        left = False
        for key in [key for key in self._rows if key not in keys]:
            gone = self._rows.pop(key)
            left = left or gone.isAncestorOf(self.window().focusWidget() or self)
            gone.hide()
            gone.deleteLater()
        for shown in rows:
            if shown.key in self._rows:
                self._rows[shown.key].take(shown)
            else:
                widget = self._rows[shown.key] = _Row(self._theme, shown)
                widget.action_requested.connect(self.action_requested)
                widget.left.connect(self._leave)
                self._column.addWidget(widget)
                widget.show()
        self.setVisible(bool(rows))
        if left:
            self._leave()

    @Slot()
    def _leave(self) -> None:
        if not any(row.go_in() for row in self._rows.values()):
            self.left.emit()

    def go_to(self, key: str) -> None:
        """Put the keyboard focus on the first button of a download."""
        if key in self._rows:
            self._rows[key].go_in()

    def rows(self) -> tuple[TransferRow, ...]:
        """The shown rows."""
        return tuple(row.row for row in self._rows.values())

    def button(self, key: str, action: str) -> Button | None:
        """The button for an action on a download; None if it is not offered now."""
        return self._rows[key].button(action) if key in self._rows else None
