"""Brings the window to the front at the request of another program.

On X11, Qt asks the window manager as the application, with the time of the window's last event, and is refused where
the user has worked elsewhere since. Here the request counts as the user's own, from a moment ago (Extended Window
Manager Hints 1.5, _NET_ACTIVE_WINDOW with source 2).
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget


def bring_up(window: QWidget, token: str) -> None:
    """Bring a window to the front; `token` is the desktop's activation token, which may be empty."""
    if token:
        os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt reads it there on Wayland, and removes it
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
    if QGuiApplication.platformName() == "xcb":
        os.environ.pop("XDG_ACTIVATION_TOKEN", None)
        come_to_front(int(window.winId()), token)


_CLIENT_MESSAGE = 33
_SUBSTRUCTURE_NOTIFY, _SUBSTRUCTURE_REDIRECT, _PROPERTY_CHANGE = 1 << 19, 1 << 20, 1 << 22
_TIME = re.compile(r"_TIME([0-9]{1,10})$", re.ASCII)


class _Data(ctypes.Union):
    _fields_ = [("bytes", ctypes.c_char * 20), ("longs", ctypes.c_long * 5)]


class _Event(ctypes.Structure):
    """XClientMessageEvent, padded to XEvent's size."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", _Data),
        ("pad", ctypes.c_long * 24),
    ]


def come_to_front(window: int, startup_id: str = "") -> bool:
    """Ask the window manager to raise a window; returns whether the request could be sent.

    `startup_id` is the DESKTOP_STARTUP_ID of the start that asks for it, whose busy pointer this ends.
    """
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = x11.XDefaultRootWindow.restype = x11.XInternAtom.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        return False
    try:
        link = ctypes.c_void_p(display)
        root = x11.XDefaultRootWindow(link)
        if startup_id:
            own = x11.XCreateSimpleWindow
            own.restype = ctypes.c_ulong
            sender = own(link, ctypes.c_ulong(root), 0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))
            kind = "_NET_STARTUP_INFO_BEGIN"
            for part in end_message(startup_id):
                _send(x11, link, root, sender, kind, 8, _Data(bytes=part), _PROPERTY_CHANGE)
                kind = "_NET_STARTUP_INFO"
        # Source 2 is a direct action of the user; the time is that of the click, 0 where it is not known.
        request = _Data(longs=(2, time_of(startup_id), 0, 0, 0))
        _send(
            x11, link, root, window, "_NET_ACTIVE_WINDOW", 32, request,
            _SUBSTRUCTURE_NOTIFY | _SUBSTRUCTURE_REDIRECT,
        )  # fmt: skip
    finally:
        x11.XCloseDisplay(ctypes.c_void_p(display))
    return True


def time_of(startup_id: str) -> int:
    """Return the X server's time in a startup id, 0 without one (Startup Notification Protocol 0.1)."""
    found = _TIME.search(startup_id)
    return int(found[1]) & 0xFFFFFFFF if found else 0


def end_message(startup_id: str) -> Iterator[bytes]:
    """Yield the message that a start has ended, in the pieces in which it is sent."""
    quoted = startup_id.replace("\\", "\\\\").replace('"', '\\"')
    message = f'remove: ID="{quoted}"'.encode() + b"\0"
    for at in range(0, len(message), 20):
        yield message[at : at + 20].ljust(20, b"\0")


def _send(
    x11: ctypes.CDLL,
    link: ctypes.c_void_p,
    root: int,
    window: int,
    kind: str,
    size: int,
    data: _Data,
    mask: int,
) -> None:
    atom = x11.XInternAtom(link, kind.encode("ascii"), 0)
    event = _Event(_CLIENT_MESSAGE, 0, 1, link, window, atom, size, data)
    x11.XSendEvent(link, ctypes.c_ulong(root), 0, ctypes.c_long(mask), ctypes.byref(event))
