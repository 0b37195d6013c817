"""Hands a second start's files to the window that is open. Uses no Qt, which is imported later.

The window listens under a name derived from its data folder (`name_of`). It speaks first: `spanlight-window 1 PROCESS`.
The second start sends one line of JSON, and receives `taken`. A window that does not speak is stuck, and is sent
nothing: it might open the files later, when they are open in another window already.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.locks import Lock
from app.core.message import Message
from app.core.plain import json_of
from app.settings.paths import make_private

GREETING = b"spanlight-window 1 "
TAKEN = b"taken\n"
# The bytes that all file names together may have.
MOST_BYTES = 1 << 20
# Seconds to wait for a window to speak or to take the files, and for one that is just opening or closing.
_ANSWER, _TRANSITION = 3.0, 20.0
_EVERY = 0.02
# Bytes: a socket's path has at most 104 or 108, and Qt first creates the socket in a folder of its own.
_LONGEST_FOLDER = 48
# The variables with a desktop's token that lets a window come to the front (Wayland; X11).
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


class Answer(Enum):
    """The outcome of handing files over."""

    TAKEN = "taken"
    ABSENT = "nobody listens"
    SILENT = "no answer"


def name_of(data: Path) -> str:
    """The name under which the window of this data folder listens: a socket's path, on Windows a pipe's name."""
    name = f"spanlight-{hashlib.sha256(str(data).encode('utf-8', 'surrogateescape')).hexdigest()[:20]}"
    return name if sys.platform == "win32" else str(_private_folder(data) / name)


class Claim:
    """The lock of a data folder's window; `held` is False in a second window on the same folder."""

    def __init__(self, name: str) -> None:
        self.name = name
        folder = Path(tempfile.gettempdir()) if sys.platform == "win32" else Path(name).parent
        self._lock = Lock(folder / f"{Path(name).name}.lock")
        self.held = False

    def take(self) -> bool:
        """Take the lock if it is free, and return whether it is held. Raises OSError where it cannot be created."""
        self.held = self.held or self._lock.take()
        return self.held

    def release(self) -> None:
        """Release the lock for another start."""
        if self.held:
            self.held = False
            self._lock.release()


def claim_or_hand_over(data: Path, files: Sequence[str | Path]) -> Claim | None:
    """Return a claim for opening a window, or None where an open window has taken the files.

    Waits for a window that is just opening or closing. Raises SpanlightError as `hand_over` does.
    """
    claim = Claim(name_of(data))
    until = time.monotonic() + _TRANSITION
    while True:
        try:
            if claim.take():
                return claim
        except OSError:  # it cannot be known whether a window is opening
            until = 0.0
        answer = hand_over(claim.name, files)
        if answer is Answer.TAKEN:
            return None
        if answer is Answer.SILENT or time.monotonic() > until:
            return claim
        time.sleep(_EVERY)


def hand_over(name: str, files: Sequence[str | Path]) -> Answer:
    """Send files to the window of this name, which comes to the front. Raises SpanlightError for too many files."""
    token = next((found for each in _TOKENS if (found := os.environ.get(each))), "")
    order = {"files": [str(Path(file).absolute()) for file in files], "token": token}
    line = json_of(order).encode("ascii") + b"\n"
    if len(line) > MOST_BYTES:
        raise SpanlightError(
            Message("So many files cannot be opened at once."), Message("Open fewer of them at a time.")
        )
    if sys.platform == "win32":
        return _with_timeout(lambda: _through_pipe(rf"\\.\pipe\{name}", line))
    return _through_socket(name, line)


def read_order(line: bytes) -> tuple[list[Path], str]:
    """Parse a received line into files and the desktop's token. Raises ValueError for anything else."""
    try:
        order = json.loads(line)
    except RecursionError as fault:
        raise ValueError("nested too deeply") from fault
    files, token = (order.get("files"), order.get("token", "")) if isinstance(order, dict) else (None, "")
    if not isinstance(files, list) or not all(isinstance(file, str) and "\0" not in file for file in files):
        raise ValueError("no list of files")
    if not isinstance(token, str) or len(token) > 1000 or not token.isprintable():
        raise ValueError("no token")
    return [Path(file) for file in files], token


def _through_socket(path: str, line: bytes) -> Answer:
    try:
        with socket.socket(socket.AF_UNIX) as way:
            way.settimeout(_ANSWER)
            way.connect(path)
            return _exchange(way.recv, way.sendall, line)
    except TimeoutError:
        return Answer.SILENT
    except OSError:
        return Answer.ABSENT


def _through_pipe(path: str, line: bytes) -> Answer:
    try:
        with Path(path).open("r+b", buffering=0) as pipe:
            # Anyone may create a pipe of this name before the window does.
            if not _is_ours(pipe.fileno()):
                return Answer.ABSENT
            return _exchange(pipe.read, pipe.write, line)
    except OSError:
        return Answer.ABSENT


def _is_ours(pipe: int) -> bool:
    """Whether the process at the other end of an open pipe is this user's. Raises OSError if that is unknown."""
    if sys.platform == "win32":
        import ctypes
        import msvcrt
        from ctypes import wintypes

        server = wintypes.DWORD()
        handle = wintypes.HANDLE(msvcrt.get_osfhandle(pipe))
        if not ctypes.windll.kernel32.GetNamedPipeServerProcessId(handle, ctypes.byref(server)):
            raise ctypes.WinError()
        return _user_of(server.value) == _user_of(os.getpid())
    return False


def _user_of(process: int) -> bytes:
    """The security identifier of a process's user. Raises OSError where Windows does not give it."""
    identifier = b""
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        kernel, security = ctypes.windll.kernel32, ctypes.windll.advapi32
        limited, query, user = 0x1000, 0x0008, 1
        opened, token = wintypes.HANDLE(kernel.OpenProcess(limited, False, process)), wintypes.HANDLE()
        told, length = ctypes.create_string_buffer(256), wintypes.DWORD()
        try:
            if not (
                opened
                and security.OpenProcessToken(opened, query, ctypes.byref(token))
                and security.GetTokenInformation(token, user, told, len(told), ctypes.byref(length))
            ):
                raise ctypes.WinError()
            place = ctypes.c_void_p.from_buffer(told)
            identifier = ctypes.string_at(place.value or 0, security.GetLengthSid(place))
        finally:
            for handle in (token, opened):
                if handle:
                    kernel.CloseHandle(handle)
    return identifier


def _exchange(read: Callable[[int], bytes], write: Callable[[bytes], object], line: bytes) -> Answer:
    """Wait for the window's greeting, send the line, and wait for its confirmation."""
    heard = b""
    while not heard.endswith(b"\n"):
        if not (part := read(256)):
            return Answer.ABSENT  # it is just closing
        heard += part
        if len(heard) > 256:
            return Answer.SILENT
    if not heard.startswith(GREETING) or not heard[len(GREETING) :].strip().isdigit():
        return Answer.SILENT  # another version's protocol, for example
    _allow_to_front(int(heard[len(GREETING) :]))
    write(line)
    heard = b""
    while len(heard) < len(TAKEN):
        if not (part := read(256)):
            return Answer.ABSENT
        heard += part
    return Answer.TAKEN if heard == TAKEN else Answer.SILENT


def _allow_to_front(process: int) -> None:
    """Allow the window to come to the front, which on Windows only the program in use can do."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(process)


def _with_timeout(talk: Callable[[], Answer]) -> Answer:
    """The result of `talk`, or SILENT if it takes too long, since a pipe's reads have no timeout."""
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(talk()), daemon=True)
    thread.start()
    thread.join(2 * _ANSWER)
    return answers[0] if answers else Answer.SILENT


def _private_folder(data: Path) -> Path:
    """A folder for the socket that no other user can enter, and so impersonate the window.

    It is the same for every start by a user on this computer. Where there is none, it is the data folder, whose path
    may be too long for a socket: then each start opens a window of its own.
    """
    user = os.getuid() if sys.platform != "win32" else 0
    temporary = Path(tempfile.gettempdir())
    own = temporary / f"spanlight-{user}"
    short = (data,) if len(os.fsencode(data)) <= _LONGEST_FOLDER else ()
    for folder in (Path(f"/run/user/{user}"), temporary, *short, own):
        with contextlib.suppress(OSError):
            if folder == data:
                make_private(data)
            elif folder == own:
                own.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
            is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o077
            if is_own and os.access(folder, os.W_OK | os.X_OK):
                return folder
    return data
