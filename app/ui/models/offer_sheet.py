"""The page of one model that can be had: what is known of it, and the one thing to do next."""

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
    """Title, what to do next with a line on it, then the facts.

    `acted` is sent by the button; `linked` by the words beside it that lead elsewhere; `strip` tells of a look-up.
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
        self._beside_it = QLabel()
        self._beside_it.setWordWrap(True)
        self._beside_it.setProperty("ink", "quiet")
        self.link = QPushButton()
        mark(self.link, kind="link")
        self.link.clicked.connect(self.linked)
        self._icon = ""
        self._quiet = False
        self._deed = QHBoxLayout()
        self._deed.addWidget(self.button)
        told = QVBoxLayout()
        told.setSpacing(0)
        told.addWidget(self._beside_it)
        told.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self._deed.addLayout(told, 1)
        for part in (self.refusal, self.notice, self._deed, self.strip, rule(), self.facts):
            self.put(part)
        self.end()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(self, title: str, beside: str, line: str, facts: Sequence[Fact]) -> None:
        """Show what is known of a model."""
        if title != self.title():
            self.notice.clear()
        self.set_title(title, beside, line)
        self.facts.set_facts(facts)

    def offer(
        self,
        act: str,
        beside: str,
        *,
        icon: str = "",
        possible: bool = True,
        link: str = "",
        quiet: bool = False,
    ) -> None:
        """Offer one thing to do, none where `act` is empty; `beside` says what it means; `quiet` has it stand back."""
        mark(self.button, kind="" if quiet else "primary")
        self.button.setText(act)
        self.button.setAccessibleName(act)
        self.button.setVisible(bool(act))
        self.button.setEnabled(possible)
        self._beside_it.setText(beside)
        self._beside_it.setVisible(bool(beside))
        self.link.setText(link)
        self.link.setAccessibleName(link)
        self.link.setVisible(bool(link))
        self._icon, self._quiet = icon, quiet
        self._restyle()

    def told(self) -> str:
        """What is said beside the button."""
        return self._beside_it.text()

    def go_in(self) -> None:
        """Put the keyboard focus on what is to be done, else on what is to be read."""
        able = self.button.isVisibleTo(self) and self.button.isEnabled()
        # Where nothing is to be done there is something to read: the arrow keys go through it.
        (self.button if able else self).setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._beside_it.setFont(theme.font("small"))
        self._deed.setSpacing(theme.step(3))
        # As much as a link keeps around its words, so that both begin at one edge.
        self._beside_it.setContentsMargins(theme.step(1) if self.button.text() else 0, 0, 0, 0)
        if self._icon:
            self.button.setIcon(theme.icon(self._icon, "ink" if self._quiet else "on_accent"))
            self.button.setIconSize(QSize(theme.step(4), theme.step(4)))
        else:
            self.button.setIcon(QIcon())
