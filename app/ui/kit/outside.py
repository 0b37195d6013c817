"""Opens folders and web pages in the desktop's own programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.core.message import Message
from app.ui.kit.translation import localised, tr

_LIBRARIES = "LD_LIBRARY_PATH"
# Where PyInstaller's bootloader saves the variable's original value.
_BEFORE = "LD_LIBRARY_PATH_ORIG"
# On Wayland Qt passes the launcher the right to come to the front, which only a running program can pass on.
_LAUNCHER, _LAUNCHER_ON = "xdg-open", "xcb"
# How often the launcher is polled for its exit code, and how many times at most.
_POLL_MS = 100
_MOST_POLLS = 300
_NOT_SHOWN = Message("No program opened the folder.")


def open_outside(url: QUrl) -> bool:
    """Have the desktop open a folder or a page; returns whether a program opened it."""
    with system_libraries():
        return QDesktopServices.openUrl(url)


def open_folder(folder: Path, on_failure: Callable[[str, str, str], None], owner: QObject) -> None:
    """Have the desktop show a folder, which is created if it is missing.

    If that fails, `on_failure` is called with a sentence, a hint, and the folder's path: at once, or a moment later if
    `owner` still exists.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        on_failure(tr("The folder cannot be made."), fault.strerror or "", str(folder))
        return
    launcher = shutil.which(_LAUNCHER) if QGuiApplication.platformName() == _LAUNCHER_ON else None
    if launcher is not None:
        _Launched(launcher, folder, on_failure, owner)
    elif not open_outside(QUrl.fromLocalFile(str(folder))):
        on_failure(localised(_NOT_SHOWN), str(folder), str(folder))


def show_in_folder(path: str, on_failure: Callable[[str, str, str], None], owner: QObject) -> None:
    """Have the desktop show the folder that a file is in; `on_failure` and `owner` are those of `open_folder`."""
    folder = Path(path).parent
    if folder.is_dir():
        open_folder(folder, on_failure, owner)
    else:
        on_failure(tr("The folder is not there now."), str(folder), str(folder))


class _Launched(QObject):
    """Runs the launcher of the free desktops, and reports if it soon exits because it found no program.

    Qt runs the same launcher, but does not wait for its exit code.
    """

    def __init__(
        self, launcher: str, folder: Path, on_failure: Callable[[str, str, str], None], owner: QObject
    ) -> None:
        super().__init__(owner)
        self._folder = folder
        self._on_failure = on_failure
        self._polls = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._poll)
        quiet = subprocess.DEVNULL
        try:
            with system_libraries():
                self._run = subprocess.Popen(
                    [launcher, str(folder)], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
                )
        except OSError:
            self._fail()
        else:
            self._timer.start()

    @Slot()
    def _poll(self) -> None:
        self._polls += 1
        code = self._run.poll()
        if code:
            self._fail()
        elif code == 0 or self._polls >= _MOST_POLLS:  # still running, it has become the program itself
            self.deleteLater()

    def _fail(self) -> None:
        self._timer.stop()
        self._on_failure(localised(_NOT_SHOWN), str(self._folder), str(self._folder))
        self.deleteLater()


@contextlib.contextmanager
def system_libraries() -> Iterator[None]:
    """Have programs that are started inside this context find the system's libraries, not a bundle's (Linux).

    Outside it the variable stays as it is: the bundle's own processes find their libraries by it.
    """
    ours = os.environ.get(_LIBRARIES)
    if ours is None or "_PYI_ARCHIVE_FILE" not in os.environ:
        yield
        return
    if before := os.environ.get(_BEFORE):
        os.environ[_LIBRARIES] = before
    else:
        del os.environ[_LIBRARIES]
    try:
        yield
    finally:
        os.environ[_LIBRARIES] = ours
