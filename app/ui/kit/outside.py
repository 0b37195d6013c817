"""Opening folders and pages in the desktop's own programs."""

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
# With Wayland Qt passes it the right to come to the front, which only a running program can pass on.
_LAUNCHER, _LAUNCHER_ON = "xdg-open", "xcb"
_LOOK_MS = 100
_MOST_LOOKS = 300
_NOT_SHOWN = Message("No program opened the folder.")


def open_outside(url: QUrl) -> bool:
    """Have the desktop show a folder or a page; False if no program opened it."""
    with as_before_the_bundle():
        return QDesktopServices.openUrl(url)


def open_folder(folder: Path, on_failure: Callable[[str, str, str], None], owner: QObject) -> None:
    """Have the desktop show a folder, which is created if it is missing.

    If it is not shown, `on_failure` is called with a sentence, a hint, and the folder's path: at once, or a moment
    later if `owner` still exists.
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
    """Runs the launcher of the free desktops, and reports if that soon exits because it found no program.

    Qt runs it too, but does not wait for its exit code.
    """

    def __init__(
        self, launcher: str, folder: Path, on_failure: Callable[[str, str, str], None], owner: QObject
    ) -> None:
        super().__init__(owner)
        self._folder = folder
        self._on_failure = on_failure
        self._looks = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        quiet = subprocess.DEVNULL
        try:
            with as_before_the_bundle():
                self._run = subprocess.Popen(
                    [launcher, str(folder)], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
                )
        except OSError:
            self._fail()
        else:
            self._timer.start()

    @Slot()
    def _look(self) -> None:
        self._looks += 1
        code = self._run.poll()
        if code:
            self._fail()
        elif (
            code == 0 or self._looks >= _MOST_LOOKS
        ):  # one still running has become the program that shows it
            self.deleteLater()

    def _fail(self) -> None:
        self._timer.stop()
        self._on_failure(localised(_NOT_SHOWN), str(self._folder), str(self._folder))
        self.deleteLater()


@contextlib.contextmanager
def as_before_the_bundle() -> Iterator[None]:
    """Inside this context, started programs find the system's libraries, not those of a bundle (Linux).

    The bundle's own processes need the variable to find theirs.
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
