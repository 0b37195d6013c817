"""Downloads as rows: how far each has come, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout

from app.ui.theme import Theme, mark
from app.ui.widgets.status_line import ElidedLabel


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

    `use` is what the button of an installed one does: "Use it for Ask".
    """

    key: str
    title: str
    stage: Stage
    words: str
    share: float | None = 0.0
    hint: str = ""
    use: str = ""


# The buttons of a stage: what is sent, what stands on it, its icon and its kind.
_BUTTONS: dict[Stage, tuple[tuple[str, str, str, str], ...]] = {
    Stage.WAITING: (("pause", "Not now", "", ""),),
    Stage.RUNNING: (("pause", "Pause", "stop", ""), ("throw", "Throw away", "delete", "")),
    Stage.PAUSED: (("resume", "Resume", "save", ""), ("throw", "Throw away", "delete", "")),
    Stage.FAILED: (("resume", "Try again", "again", ""), ("throw", "Throw away", "delete", "")),
    Stage.GOING: (),
    Stage.DONE: (("use", "", "", "primary"), ("show", "Show it", "", ""), ("close", "Put away", "", "")),
}


class _Row(QFrame):
    """One download's row. `asked` carries its key and a deed."""

    asked = Signal(str, str)

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
        self._whole = QHBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addLayout(self._column, 1)
        self._make_buttons()
        self.take(row)

    def take(self, row: TransferRow) -> None:
        """Show how it stands now."""
        if (row.stage, row.use) != (self.row.stage, self.row.use):
            self.row = row
            self._make_buttons()
        self.row = row
        self._title.setText(row.title)
        self._words.set_whole(row.words)
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
        focused = any(button.hasFocus() for button, _ in self._deeds)
        for button, _ in self._deeds:
            button.hide()
            button.deleteLater()
        self._deeds = []
        for deed, title, icon, kind in _BUTTONS[self.row.stage]:
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
            self._deeds.append((button, icon))
        if focused and self._deeds:
            self._deeds[0][0].setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _clicked(self) -> None:
        self.asked.emit(self.row.key, self.sender().property("deed"))


class TransferRows(QFrame):
    """All downloads, one below the other; hidden without any.

    `asked` carries a repository and what is to be done: pause, resume, throw, use, show or close.
    """

    asked = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        self._column = QVBoxLayout(self)
        self.setProperty("kind", "frame")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Downloads")
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def set_rows(self, rows: Sequence[TransferRow]) -> None:
        """Show these downloads."""
        keys = [row.key for row in rows]
        for key in [key for key in self._rows if key not in keys]:
            gone = self._rows.pop(key)
            gone.hide()
            gone.deleteLater()
        for row in rows:
            if row.key in self._rows:
                self._rows[row.key].take(row)
            else:
                made = _Row(self._theme, row)
                made.asked.connect(self.asked)
                self._rows[row.key] = made
                self._column.addWidget(made)
        self.setVisible(bool(rows))

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
