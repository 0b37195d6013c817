"""Brings the window to the front at the request of another program."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget


def bring_up(window: QWidget, token: str) -> None:
    """Bring a window to the front, with the desktop's token for it, which may be empty."""
    if token:
        os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt reads it there on Wayland, and removes it
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
    if QGuiApplication.platformName() == "xcb":
        from app.ui.window.x11_front import come_to_front

        os.environ.pop("XDG_ACTIVATION_TOKEN", None)
        come_to_front(int(window.winId()), token)
