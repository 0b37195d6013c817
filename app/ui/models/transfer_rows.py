"""Downloads as rows with their progress and actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QProgressBar

from app.core.message import Message
from app.ui.kit.boxes import column, row
from app.ui.kit.parts import Button, ElidedLabel, as_tip, plain_label, push_button, rule
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.models.downloads import Stage, Transfer

_DISCARD = ("discard", Message("Throw away…"), "delete", "")
# The buttons shown instead while asking for confirmation.
_CONFIRMATION = (("discard", Message("Throw away"), "delete", "danger"), ("keep", Message("Keep it"), "", ""))
# The buttons of a stage: action, label, icon and kind.
_BUTTONS: dict[Stage, tuple[tuple[str, str, str, str], ...]] = {
    Stage.WAITING: (("pause", Message("Not now"), "", ""),),
    Stage.RUNNING: (("pause", Message("Pause"), "pause", ""), _DISCARD),
    Stage.PAUSED: (("resume", Message("Resume"), "save", ""), _DISCARD),
    Stage.FAILED: (("resume", Message("Try again"), "again", ""), _DISCARD),
    Stage.DISCARDING: (),
    Stage.DONE: (
        ("use", "", "", "primary"),
        ("show", Message("Show it"), "", ""),
        ("close", Message("Put away"), "", ""),
    ),
}


class _Row(QFrame):
    """One download's row.

    `action_requested` carries the download and an action; `focus_lost` is sent when the row had the keyboard focus and
    has no button for it any more.
    """

    action_requested = Signal(object, str)
    focus_lost = Signal()

    def __init__(self, theme: Theme, transfer: Transfer) -> None:
        super().__init__()
        self._theme = theme
        self._transfer = transfer
        self._title = plain_label(type="strong", wrap=False)
        self._words = ElidedLabel()
        self._words.setProperty("type", "small")
        self._hint = plain_label(type="small", ink="quiet")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        line = row(theme, self._title, (self._words, 1), gap=3)
        self._buttons: dict[str, Button] = {}
        self._asking = False
        self._offered = (transfer.stage, transfer.use_label)  # what the buttons were made for
        main = column(theme, line, self._bar, self._hint, gap=1.5)
        self._whole = row(theme, (main, 1), gap=2, parent=self)
        self._make_buttons()
        self.show_transfer(transfer)

    def show_transfer(self, transfer: Transfer) -> None:
        """Show the current state of a download."""
        self._transfer = transfer
        if self._offered != (transfer.stage, transfer.use_label):
            self._offered = (transfer.stage, transfer.use_label)
            self._asking = self._asking and _DISCARD in _BUTTONS[transfer.stage]
            self._make_buttons()
        for action, button in self._buttons.items():
            reason = transfer.why_blocked if action == "resume" else ""
            button.setEnabled(not reason)
            button.setToolTip(as_tip(reason))
        title, words, share = transfer.title, transfer.words, transfer.share
        self._title.setText(title)
        self._words.set_full_text(words)
        mark(self._words, ink="fault" if transfer.stage is Stage.FAILED else "quiet")
        self._hint.setText(transfer.hint)
        self._hint.setVisible(bool(transfer.hint))
        self._bar.setVisible(transfer.stage not in (Stage.DONE, Stage.WAITING))
        if share is None:
            self._theme.show_busy(self._bar)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(share * 1000))
        self._bar.setAccessibleName(f"{title}: {words}")
        self.setAccessibleName(f"{title}: {words} {transfer.hint}".strip())

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
        for action, title, icon, kind in _CONFIRMATION if self._asking else _BUTTONS[self._transfer.stage]:
            if words := localised(title) or self._transfer.use_label:
                button = push_button(
                    self._theme, words, kind=kind, icon=icon, name=f"{words}: {self._transfer.title}"
                )
                button.clicked.connect(partial(self._act, action))
                self._whole.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
                # Shown at once, not by the layout later: a hidden button cannot take the keyboard focus.
                button.show()
                self._buttons[action] = button
        if self._asking:
            self._buttons["keep"].setFocus(Qt.FocusReason.OtherFocusReason)
        lost = focused and not self._asking and not self.go_in()
        for button in before.values():
            button.hide()
            button.deleteLater()
        if lost:
            self.focus_lost.emit()

    def _act(self, action: str) -> None:
        # A long download must not be deleted by one accidental press next to Pause.
        if action == "keep" or (action == "discard" and not self._asking and self._transfer.share != 0):
            self._asking = action == "discard"
            self._make_buttons()
        else:
            self._asking = False
            self.action_requested.emit(self._transfer, action)


class TransferRows(QFrame):
    """All downloads, one below the other; hidden without any.

    `action_requested` carries a download and an action: pause, resume, discard, use, show or close. `focus_lost` is
    sent when the keyboard focus was in a row that has no button for it any more, and no other row has one either.
    """

    action_requested = Signal(object, str)
    focus_lost = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        self._column = column(theme, gap=3.5, margins=(6, 3.5, 6, 3.5))
        column(theme, rule(), self._column, parent=self)
        self.setProperty("kind", "panel")
        self.setAccessibleName(tr("Downloads"))
        self.hide()

    def show_transfers(self, transfers: Sequence[Transfer]) -> None:
        """Show these downloads."""
        keys = [transfer.key for transfer in transfers]
        lost = False
        for key in [key for key in self._rows if key not in keys]:
            removed = self._rows.pop(key)
            lost = lost or removed.isAncestorOf(self.window().focusWidget() or self)
            removed.hide()
            removed.deleteLater()
        for transfer in transfers:
            if transfer.key in self._rows:
                self._rows[transfer.key].show_transfer(transfer)
            else:
                widget = self._rows[transfer.key] = _Row(self._theme, transfer)
                widget.action_requested.connect(self.action_requested)
                widget.focus_lost.connect(self._move_focus)
                self._column.addWidget(widget)
                widget.show()
        self.setVisible(bool(transfers))
        if lost:
            self._move_focus()

    @Slot()
    def _move_focus(self) -> None:
        if not any(row.go_in() for row in self._rows.values()):
            self.focus_lost.emit()

    def go_to(self, key: str) -> None:
        """Put the keyboard focus on the first button of a download."""
        if key in self._rows:
            self._rows[key].go_in()

    def button(self, key: str, action: str) -> Button | None:
        """The button for an action on a download; None if it is not offered now."""
        return self._rows[key].button(action) if key in self._rows else None
