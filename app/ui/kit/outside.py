"""Folders and pages shown by the programs that the person has for them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

_LIBRARIES = "LD_LIBRARY_PATH"
# Where PyInstaller's start of a bundle keeps what the variable was before.
_BEFORE = "LD_LIBRARY_PATH_ORIG"
# With Wayland Qt hands on to it the right to come to the front, which only a program that is there can give away.
_LAUNCHER, _LAUNCHER_ON = "xdg-open", "xcb"
_LOOK_MS = 100
_MOST_LOOKS = 300
_NOT_SHOWN = "No program opened the folder."


def open_outside(url: QUrl) -> bool:
    """Have the desktop show a folder or a page; False where no program took it."""
    with as_before_the_bundle():
        return QDesktopServices.openUrl(url)


def open_folder(folder: Path, say: Callable[[str, str, str], None], asker: QObject) -> None:
    """Have the desktop show a folder, which is made where it is not there.

    Where it is not shown, `say` is called with a sentence, a hint, and the folder's path: at once, or a moment later if
    `asker` is still there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        say("The folder cannot be made.", fault.strerror or "", str(folder))
        return
    launcher = shutil.which(_LAUNCHER) if QGuiApplication.platformName() == _LAUNCHER_ON else None
    if launcher is not None:
        _Launched(launcher, folder, say, asker)
    elif not open_outside(QUrl.fromLocalFile(str(folder))):
        say(_NOT_SHOWN, str(folder), str(folder))


class _Launched(QObject):
    """Runs the launcher of the free desktops, and tells where that says soon that it found no program.

    Qt runs it too, and does not wait for what it says.
    """

    def __init__(
        self, launcher: str, folder: Path, say: Callable[[str, str, str], None], asker: QObject
    ) -> None:
        super().__init__(asker)
        self._folder = folder
        self._say = say
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
        elif code == 0 or self._looks >= _MOST_LOOKS:  # one that goes on has become the program that shows it
            self.deleteLater()

    def _fail(self) -> None:
        self._timer.stop()
        self._say(_NOT_SHOWN, str(self._folder), str(self._folder))
        self.deleteLater()


@contextlib.contextmanager
def as_before_the_bundle() -> Iterator[None]:
    """While this lasts, programs that are started find the system's libraries, not the ones of a bundle (Linux).

    The processes of the bundle itself find theirs by that variable.
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
