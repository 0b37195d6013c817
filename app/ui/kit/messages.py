"""Errors as they are shown to the user, and the handlers that log uncaught exceptions and Qt's own messages."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QLibraryInfo,
    QMessageLogContext,
    QObject,
    QPluginLoader,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

from app.core.about import command
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.system_libraries import missing_library_error

_log = logging.getLogger("app.ui")
_recent: deque[str] = deque(maxlen=8)  # Qt's last messages
# Part of Qt's last message before it ends the process.
LAST_WORDS = "no Qt platform plugin could be initialized"
# Parts of the messages of a display server that does not answer.
_UNREACHABLE = ("could not connect to display", "Failed to create wl_display")
# The platform plugins that open windows, the most common first.
_PLUGINS = {"linux": ("qxcb", "qwayland"), "win32": ("qwindows",), "darwin": ("qcocoa",)}


def why_no_window(messages: Sequence[str]) -> SpanlightError:
    """Return the error that explains Qt's messages about its platform plugins."""
    instead = Message('Ask in the terminal instead: {command} ask FILE --question "..."', command=command())
    if any(words in one for words in _UNREACHABLE for one in messages):
        names = [name for name in ("WAYLAND_DISPLAY", "DISPLAY") if os.environ.get(name)]
        where = ", ".join(f"{name} is {os.environ[name]}" for name in names)
        return SpanlightError(
            Message(
                "The screen cannot be reached to open a window on ({names}).",
                names=where or Message("nothing names one"),
            ),
            instead,
        )
    for name in main_plugins():
        fault = plugin_fault(name)
        if fault and (known_error := missing_library_error(fault)):
            return known_error
    first = next((one for one in messages if "plugin" in one and LAST_WORDS not in one), "")
    if not first:
        return SpanlightError(Message("No window can be opened here."), instead)
    reason = " ".join(first.split()).rstrip(".")
    return SpanlightError(Message("No window can be opened here: {reason}.", reason=reason), instead)


def plugin_fault(name: str) -> str:
    """Load one of Qt's platform plugins without starting it; returns why that failed, empty if it did not."""
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    file = next((each for each in folder.glob(f"*{name}.*")), None)
    if file is None:
        return f"{name} is not in {folder}"
    loader = QPluginLoader(str(file))
    return "" if loader.load() else loader.errorString() or f"{name} cannot be loaded"


def main_plugins() -> tuple[str, ...]:
    """The names of the plugins that open windows on this system, the most common first."""
    return _PLUGINS.get(sys.platform, ())


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as a view shows it: a sentence and a hint; `report` is the traceback of a bug, else empty."""

    sentence: str
    hint: str = ""
    report: str = ""


def fault_of(error: BaseException) -> Fault:
    """Return the Fault to show for an exception; a bug is logged, and its traceback included for copying."""
    if isinstance(error, SpanlightError):
        return Fault(error.message, error.hint)
    report = "".join(traceback.format_exception(error))
    from app.core.files import disk_error
    from app.core.system_libraries import installation_error

    known_error = installation_error(error) or disk_error(error)
    if known_error is not None:
        _log.error("not whole, or the disk refused\n%s", report)
        return Fault(known_error.message, known_error.hint)
    _log.error("a bug\n%s", report)
    return Fault(
        Message("Something went wrong inside Spanlight."),
        Message("What you typed is kept. The report can be copied."),
        report,
    )


class UncaughtExceptions(QObject):
    """Reports the uncaught exceptions of all threads, each type and line of code once.

    `happened` carries a Fault and is sent in the thread that this object lives in.
    """

    happened = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reported: set[str] = set()

    def install(self) -> None:
        """Install the hooks for uncaught exceptions in this process."""
        sys.excepthook = self._caught
        threading.excepthook = self._caught_in_thread

    def _caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        fault = fault_of(error)
        frames = traceback.extract_tb(error.__traceback__)
        key = f"{kind.__name__} {frames[-1].filename}:{frames[-1].lineno}" if frames else kind.__name__
        if key not in self._reported:
            self._reported.add(key)
            self.happened.emit(fault)

    def _caught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._caught(args.exc_type, args.exc_value, args.exc_traceback)


_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_qt_messages() -> None:
    """Send Qt's own messages to the log; if it can open no window, end the process with one sentence and code 2."""
    qInstallMessageHandler(_on_qt_message)


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    logging.getLogger("app.qt").log(_LEVELS.get(kind, logging.WARNING), "%s", text)
    _recent.append(text)
    if kind is QtMsgType.QtFatalMsg and LAST_WORDS in text:  # Qt aborts as soon as this returns
        sys.stderr.write(f"{why_no_window(tuple(_recent))}\n")
        sys.stderr.flush()
        os._exit(2)
