"""Downloads as rows: how far each has come, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout

from app.ui.kit.status_line import ElidedLabel
from app.ui.kit.theme import Theme, mark


class Stage(StrEnum):
    """How a download stands."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    GOING = "going"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class TransferRow:
    """One download: its repository, the model's name, its stage, words, the share done (None: not known), a hint.

    `use` is what the button of an installed one does: "Use it for Ask"; `held` says why it cannot go on now.
    """

    key: str
    title: str
    stage: Stage
    words: str
    share: float | None = 0.0
    hint: str = ""
    use: str = ""
    held: str = ""


_THROW = ("throw", "Throw away…", "delete", "")
# What stands in their place while it is asked whether that is meant.
_ASKED = (("throw", "Throw away", "delete", "danger"), ("keep", "Keep it", "", ""))
# The buttons of a stage: what is sent, what stands on it, its icon and its kind.
_BUTTONS: dict[Stage, tuple[tuple[str, str, str, str], ...]] = {
    Stage.WAITING: (("pause", "Not now", "", ""),),
    Stage.RUNNING: (("pause", "Pause", "pause", ""), _THROW),
    Stage.PAUSED: (("resume", "Resume", "save", ""), _THROW),
    Stage.FAILED: (("resume", "Try again", "again", ""), _THROW),
    Stage.GOING: (),
    Stage.DONE: (("use", "", "", "primary"), ("show", "Show it", "", ""), ("close", "Put away", "", "")),
}


class _Row(QFrame):
    """One download's row. `asked` carries its key and a deed; `left` says that the keyboard focus has no place here."""

    asked = Signal(str, str)
    left = Signal()

    def __init__(self, theme: Theme, row: TransferRow) -> None:
        super().__init__()
        self._theme = theme
        self.row = row
        self._title, self._words = QLabel(), ElidedLabel()
        self._words.setProperty("ink", "quiet")
        self._hint = QLabel()
        self._hint.setWordWrap(True)
        self._hint.setProperty("ink", "quiet")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        for label in (self._title, self._hint):
            label.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout()
        line.addWidget(self._title)
        line.addWidget(self._words, 1)
        self._line = line
        self._column = QVBoxLayout()
        self._column.addLayout(line)
        self._column.addWidget(self._bar)
        self._column.addWidget(self._hint)
        self._deeds: list[tuple[QPushButton, str]] = []
        self._asking = False
        self._whole = QHBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addLayout(self._column, 1)
        self._make_buttons()
        self.take(row)

    def take(self, row: TransferRow) -> None:
        """Show how it stands now."""
        if (row.stage, row.use) != (self.row.stage, self.row.use):
            self._asking = self._asking and _THROW in _BUTTONS[row.stage]
            self.row = row
            self._make_buttons()
        self.row = row
        for button, _ in self._deeds:
            held = row.held if button.property("deed") == "resume" else ""
            button.setEnabled(not held)
            button.setToolTip(held)
        self._title.setText(row.title)
        self._words.set_full_text(row.words)
        mark(self._words, ink="fault" if row.stage is Stage.FAILED else "quiet")
        self._hint.setText(row.hint)
        self._hint.setVisible(bool(row.hint))
        self._bar.setVisible(row.stage not in (Stage.DONE, Stage.WAITING))
        if row.share is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(row.share * 1000))
        self._bar.setAccessibleName(f"{row.title}: {row.words}")
        self.setAccessibleName(f"{row.title}: {row.words} {row.hint}".strip())
        self.restyle()

    def buttons(self) -> dict[str, QPushButton]:
        """The buttons by their deeds."""
        return {str(button.property("deed")): button for button, _ in self._deeds}

    def go_in(self) -> bool:
        """Put the keyboard focus on the first thing to do; returns whether there is one."""
        able = [button for button, _ in self._deeds if button.isEnabled()]
        if able:
            able[0].setFocus(Qt.FocusReason.OtherFocusReason)
        return bool(able)

    def restyle(self) -> None:
        """Take the theme's fonts, icons and sizes."""
        theme = self._theme
        self._title.setFont(theme.font("strong"))
        self._words.setFont(theme.font("small"))
        self._hint.setFont(theme.font("small"))
        for button, icon in self._deeds:
            primary = button.property("kind") == "primary"
            if icon:
                button.setIcon(theme.icon(icon, "on_accent" if primary else "ink"))
                button.setIconSize(QSize(theme.step(4), theme.step(4)))
        self._line.setSpacing(theme.step(3))
        self._column.setSpacing(theme.step(1.5))
        self._whole.setSpacing(theme.step(2))

    def _make_buttons(self) -> None:
        focused = self.isAncestorOf(self.window().focusWidget() or self)
        before, self._deeds = self._deeds, []
        for deed, title, icon, kind in _ASKED if self._asking else _BUTTONS[self.row.stage]:
            words = title or self.row.use
            if not words:
                continue
            button = QPushButton(words)
            button.setAccessibleName(f"{words}: {self.row.title}")
            button.setProperty("deed", deed)
            if kind:
                mark(button, kind=kind)
            button.clicked.connect(self._clicked)
            self._whole.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
            # At once, not when the layout comes to it: what is hidden cannot take the keyboard focus.
            button.show()
            self._deeds.append((button, icon))
        if self._asking:
            self._deeds[-1][0].setFocus(Qt.FocusReason.OtherFocusReason)
        left = focused and not self._asking and not self.go_in()
        for button, _ in before:
            button.hide()
            button.deleteLater()
        if left:
            self.left.emit()

    @Slot()
    def _clicked(self) -> None:
        deed = str(self.sender().property("deed"))
        # What took an hour to come is not to go by one press beside Pause.
        if deed == "keep" or (deed == "throw" and not self._asking and self.row.share != 0):
            self._asking = deed == "throw"
            self._make_buttons()
            self.restyle()
        else:
            self._asking = False
            self.asked.emit(self.row.key, deed)


class TransferRows(QFrame):
    """All downloads, one below the other; hidden without any.

    `asked` carries a repository and what is to be done: pause, resume, throw, use, show or close. `left` is sent when
    the keyboard focus was on a row that has no place for it any more, and no other row has one.
    """

    asked = Signal(str, str)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        line = QFrame()
        line.setProperty("kind", "rule")
        line.setFixedHeight(1)
        self._column = QVBoxLayout()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(line)
        whole.addLayout(self._column)
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Downloads")
        theme.changed.connect(self._restyle)
        self._restyle()
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
        for row in rows:
            if row.key in self._rows:
                self._rows[row.key].take(row)
            else:
                made = _Row(self._theme, row)
                made.asked.connect(self.asked)
                made.left.connect(self._leave)
                self._rows[row.key] = made
                self._column.addWidget(made)
                made.show()
        self.setVisible(bool(rows))
        if left:
            self._leave()

    @Slot()
    def _leave(self) -> None:
        if not any(row.go_in() for row in self._rows.values()):
            self.left.emit()

    def go_to(self, key: str) -> None:
        """Put the keyboard focus on the first thing to do with a download."""
        if key in self._rows:
            self._rows[key].go_in()

    def rows(self) -> tuple[TransferRow, ...]:
        """What is shown."""
        return tuple(row.row for row in self._rows.values())

    def button(self, key: str, deed: str) -> QPushButton | None:
        """The button of a download that does this; None where it is not offered now."""
        return self._rows[key].buttons().get(deed) if key in self._rows else None

    @Slot()
    def _restyle(self) -> None:
        step = self._theme.step
        self._column.setContentsMargins(step(6), step(3.5), step(6), step(3.5))
        self._column.setSpacing(step(3.5))
        for row in self._rows.values():
            row.restyle()
