"""The page of one available model: its facts, and the next action."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.models.model_sheet import ModelSheet, rule


class OfferSheet(ModelSheet):
    """Title, the next action with a hint, then the facts.

    `acted` is sent by the button; `linked` by the link next to it; `strip` shows a look-up.
    """

    acted = Signal()
    linked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.refusal = Notice(theme, closable=False)
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.facts = FactsGrid(theme)
        self.button = QPushButton()
        mark(self.button, kind="primary")
        self.button.clicked.connect(self.acted)
        self._hint = QLabel()
        self._hint.setWordWrap(True)
        self._hint.setProperty("ink", "quiet")
        self.link = QPushButton()
        mark(self.link, kind="link")
        self.link.clicked.connect(self.linked)
        self._icon = ""
        self._quiet = False
        self._action_row = QHBoxLayout()
        self._action_row.addWidget(self.button)
        hint_column = QVBoxLayout()
        hint_column.setSpacing(0)
        hint_column.addWidget(self._hint)
        hint_column.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self._action_row.addLayout(hint_column, 1)
        for part in (self.refusal, self.notice, self._action_row, self.strip, rule(), self.facts):
            self.put(part)
        self.end()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(self, title: str, subtitle: str, line: str, facts: Sequence[Fact]) -> None:
        """Show a model's facts."""
        if title != self.title():
            self.notice.clear()
        self.set_title(title, subtitle, line)
        self.facts.set_facts(facts)

    def offer(
        self,
        act: str,
        hint: str,
        *,
        icon: str = "",
        possible: bool = True,
        link: str = "",
        quiet: bool = False,
    ) -> None:
        """Offer an action, none if `act` is empty; `hint` explains it; `quiet` makes it less prominent."""
        mark(self.button, kind="" if quiet else "primary")
        self.button.setText(act)
        self.button.setAccessibleName(act)
        self.button.setVisible(bool(act))
        self.button.setEnabled(possible)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.link.setText(link)
        self.link.setAccessibleName(link)
        self.link.setVisible(bool(link))
        self._icon, self._quiet = icon, quiet
        self._restyle()

    def hint(self) -> str:
        """The hint next to the button."""
        return self._hint.text()

    def go_in(self) -> None:
        """Put the keyboard focus on the action, else on the facts."""
        able = self.button.isVisibleTo(self) and self.button.isEnabled()
        # Without an action the arrow keys scroll the text.
        (self.button if able else self).setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._hint.setFont(theme.font("small"))
        self._action_row.setSpacing(theme.step(3))
        # The same margin as a link has around its text, so that both are aligned.
        self._hint.setContentsMargins(theme.step(1) if self.button.text() else 0, 0, 0, 0)
        if self._icon:
            self.button.setIcon(theme.icon(self._icon, "ink" if self._quiet else "on_accent"))
            self.button.setIconSize(QSize(theme.step(4), theme.step(4)))
        else:
            self.button.setIcon(QIcon())
