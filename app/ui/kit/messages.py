"""What a fault looks like to a person, and where our own bugs are written down."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections import deque
from dataclasses import dataclass
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from app.core.errors import SpanlightError

_log = logging.getLogger("app.ui")
_last: deque[str] = deque(maxlen=8)  # what Qt said


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as a view shows it: one sentence, one hint; `report` is the traceback of a bug, else empty."""

    sentence: str
    hint: str = ""
    report: str = ""

    @property
    def is_bug(self) -> bool:
        """Whether this is a bug of ours, whose report can be copied."""
        return bool(self.report)


def fault_of(error: BaseException) -> Fault:
    """What to show for an exception; a bug's traceback is logged and kept for copying."""
    if isinstance(error, SpanlightError):
        return Fault(error.message, error.hint)
    report = "".join(traceback.format_exception(error))
    from app.core.system_libraries import not_whole

    told = not_whole(error)
    if told is not None:
        _log.error("not whole\n%s", report)
        return Fault(told.message, told.hint)
    _log.error("a bug\n%s", report)
    return Fault(
        "Something went wrong inside Spanlight.", "What you typed is kept. The report can be copied.", report
    )


class Unexpected(QObject):
    """Catches what nobody caught, in any thread, and tells the window once for each kind.

    `happened` carries a Fault and is sent in the thread that this object lives in.
    """

    happened = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told: set[str] = set()

    def install(self) -> None:
        """Take over the hooks for uncaught exceptions of this process."""
        sys.excepthook = self._caught
        threading.excepthook = self._caught_in_thread

    def _caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        fault = fault_of(error)
        place = traceback.extract_tb(error.__traceback__)
        key = f"{kind.__name__} {place[-1].filename}:{place[-1].lineno}" if place else kind.__name__
        if key not in self._told:
            self._told.add(key)
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
    """Send Qt's own messages to the log; where it can open no window, end the process with one sentence and code 2."""
    qInstallMessageHandler(_qt_said)


def _qt_said(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    logging.getLogger("app.qt").log(_LEVELS.get(kind, logging.WARNING), "%s", text)
    _last.append(text)
    if kind is QtMsgType.QtFatalMsg:  # it aborts as soon as this returns
        from app.ui.kit.no_window import LAST_WORDS, why_no_window

        if LAST_WORDS in text:
            sys.stderr.write(f"{why_no_window(tuple(_last))}\n")
            sys.stderr.flush()
            os._exit(2)
