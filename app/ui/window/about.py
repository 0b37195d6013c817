"""The way to the About page, and back to the page before."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from app.core.about import NAME

KEY = "about"


class AboutPage(QObject):
    """Shows and leaves the About page; `show_page` shows any page by its key.

    `page` returns the current page, `current` its key.
    """

    def __init__(
        self,
        window: QMainWindow,
        show_page: Callable[[str], None],
        page: Callable[[], Any],
        current: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._show_page = show_page
        self._page = page
        self._current = current
        self._before = ""
        if sys.platform == "darwin":
            action = about_action(window)
            action.triggered.connect(self.show)
            window.menuBar().addMenu(NAME).addAction(action)

    @Slot()
    def show(self) -> None:
        """Show it."""
        if self._current() != KEY:
            self._before = self._current()
        self._show_page(KEY)

    def wire(self, page: Any) -> None:
        """Connect the page's signals, once it is created."""
        page.closed.connect(self._leave)
        page.updates_asked.connect(self._updates)
        page.welcome_asked.connect(self._welcome)

    @Slot()
    def _leave(self) -> None:
        self._show_page(self._before or "settings")

    @Slot()
    def _updates(self) -> None:
        self._show_page("settings")
        self._page().go_to_updates()

    @Slot()
    def _welcome(self) -> None:
        self._show_page("ask")
        self._page().show_welcome()


def about_action(window: QMainWindow) -> QAction:
    """The action that macOS shows in the application menu."""
    action = QAction(f"About {NAME}", window)
    action.setMenuRole(QAction.MenuRole.AboutRole)
    return action
