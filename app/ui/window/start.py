"""The start of the window."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSettings, QSocketNotifier, Qt, Slot
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

import app.ui.window.no_feature_scan  # noqa: F401, before the modules whose import it makes faster
from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.flows.second_start import Claim
from app.flows.workspace import Workspace, open_workspace
from app.settings.log import start_log
from app.settings.paths import default_paths
from app.ui.kit.jobs import Lanes
from app.ui.kit.messages import UncaughtExceptions, log_qt_messages
from app.ui.kit.theme import Theme
from app.ui.kit.translation import use_language
from app.ui.window.cycle_collector import CycleCollector
from app.ui.window.enter_key import EnterKey
from app.ui.window.one_window import OneWindow
from app.ui.window.window import MainWindow

_REOPEN = 1000  # Qt's exit code that asks for another window in place of this one


class ExitSignals(QObject):
    """Closes the window as the user would on Ctrl+C in the terminal, on its hang-up, and on SIGTERM."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._arrived)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # which nohup has set
                signal.signal(number, lambda *_: None)

    @Slot()
    def _arrived(self) -> None:
        os.read(self._read, 64)
        self._window.close()


class FileOpenEvents(QObject):
    """Opens the files that the system hands to the running application, as macOS does for "Open with"."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._window.open_files([Path(event.file())])
            return True
        return False


def main(files: list[Path], claim: Claim, painted: Callable[[], object] | None = None) -> int:
    """Open the window with the given files; returns the process's exit code once it is closed.

    `claim` is the claim on the data folder; `painted` is called once the whole window has been painted.
    """
    paths = default_paths()
    start_log(paths.log_file)
    log_qt_messages()
    # Qt keeps settings of its own, such as the last folder of its file dialog, beside ours.
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(paths.config))
    workspace = open_workspace(paths)
    application = make_application(workspace)
    code = _REOPEN
    while code == _REOPEN:
        try:
            window = open_window(workspace)
        except SpanlightError as fault:  # bundled files are missing
            print(fault, file=sys.stderr)
            code = 2
            break
        code = _run(application, window, claim, files, painted)
        files, painted, workspace = [], None, open_workspace(paths)
    claim.release()
    return code


def _run(
    application: QApplication,
    window: MainWindow,
    claim: Claim,
    files: list[Path],
    painted: Callable[[], object] | None,
) -> int:
    """Run the event loop until the window is closed; returns Qt's exit code, `_REOPEN` for another window."""
    file_events = FileOpenEvents(window)
    application.installEventFilter(file_events)
    # At the end of the desktop's session: saved at once, as on Windows the event loop does not return.
    application.commitDataRequest.connect(window.keep, Qt.ConnectionType.DirectConnection)
    application.aboutToQuit.connect(window.close)
    if os.name == "posix":
        ExitSignals(window)
    if painted is not None:
        window.painted.first.connect(painted)
    if files:
        window.open_files(files)
    one = OneWindow(claim, window)
    one.requested.connect(window.come_up)
    window.installEventFilter(one)
    window.start_again.connect(partial(application.exit, _REOPEN))
    code = application.exec()
    with contextlib.suppress(RuntimeError):
        window.close()
        window.deleteLater()
    return code


def make_application(workspace: Workspace) -> QApplication:
    """Return the Qt application, created where there is none, with the name that the desktop knows."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication([NAME])
    application.setApplicationName(NAME)
    application.setApplicationDisplayName(NAME)
    application.setApplicationVersion(VERSION)
    application.setDesktopFileName("spanlight")
    return application


def open_window(workspace: Workspace) -> MainWindow:
    """Open a window in the user's theme and language; the reader is loaded behind it."""
    theme = Theme(workspace.paths.resources)
    theme.choose(workspace.settings.theme, workspace.settings.text_size / 100)
    theme.still = workspace.settings.motion == "none"
    theme.scale_documents(workspace.settings.document_size / 100)
    QApplication.setWindowIcon(theme.app_icon())
    use_language(workspace.paths.resources / "translations", workspace.settings.language)
    window = MainWindow(workspace, theme, Lanes())
    theme.setParent(window)
    CycleCollector(window.lanes, window)
    unexpected = UncaughtExceptions(window)
    unexpected.install()
    unexpected.happened.connect(window.show_fault)
    window.show()
    window.start_soon()
    EnterKey(window)
    return window
