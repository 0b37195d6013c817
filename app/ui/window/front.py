"""The window brought to the front where another program asks for it."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget


def bring_up(window: QWidget, token: str) -> None:
    """Bring a window to the front, with the desktop's token for it, which may be empty."""
    if token:
        os.environ["XDG_ACTIVATION_TOKEN"] = token  # where Qt looks for it on Wayland, and takes it away
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
    if QGuiApplication.platformName() == "xcb":
        from app.ui.window.x11_front import come_to_front

        os.environ.pop("XDG_ACTIVATION_TOKEN", None)
        come_to_front(int(window.winId()), token)
