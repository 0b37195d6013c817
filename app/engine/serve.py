"""The child's side of a supervised process: it answers requests one by one until the parent is gone."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from enum import Enum, auto
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.files import disk_error, hand_over
from app.core.message import Message
from app.core.report import Progress, Report, Stopped
from app.core.system_libraries import installation_error

Handler = Callable[[Any, Report], Any]
Factory = Callable[[], Handler]
PROGRESS_EVERY = 0.05
LONGEST_LOG = 2**20  # bytes


class Kind(Enum):
    """The kind of a message to the parent."""

    READY = auto()
    TAKEN = auto()
    PROGRESS = auto()
    PARTIAL = auto()
    NOTICE = auto()
    RESULT = auto()
    STOPPED = auto()
    FAULT = auto()
    BUG = auto()


FINAL_KINDS = frozenset({Kind.RESULT, Kind.STOPPED, Kind.FAULT, Kind.BUG})


class ParentLink:
    """The connection to the parent, and the number of the request that it last asked to stop; thread-safe."""

    def __init__(self, data: Connection) -> None:
        self._data = data
        self._lock = threading.Lock()
        self.stopped = 0

    def send(self, kind: Kind, number: int, what: object = None) -> None:
        """Send one message about request `number`; sends nothing if it cannot be pickled."""
        with self._lock:
            self._data.send((kind, number, what))


class ParentReport:
    """A Report that sends everything to the parent; progress at most every 50 ms, but a new phase at once."""

    def __init__(self, parent: ParentLink, number: int) -> None:
        self._parent, self._number = parent, number
        self._sent_at, self._phase = 0.0, ""

    def progress(self, progress: Progress) -> None:
        """Send the progress, unless one was sent just now."""
        now = time.monotonic()
        due = now - self._sent_at >= PROGRESS_EVERY or progress.what != self._phase
        if due or 0 < progress.total <= progress.done:
            self._sent_at, self._phase = now, progress.what
            self._parent.send(Kind.PROGRESS, self._number, progress)

    def partial(self, result: object) -> None:
        """Send a partial result; none is skipped."""
        self._parent.send(Kind.PARTIAL, self._number, result)

    def notice(self, sentence: str) -> None:
        """Send a sentence for the person."""
        self._parent.send(Kind.NOTICE, self._number, sentence)

    def check(self) -> None:
        """Raise Stopped once the parent has asked for this request to stop."""
        if self._parent.stopped >= self._number:
            raise Stopped


def serve(
    data: Connection,
    control: Connection,
    factory: Factory,
    log: str,
    early: bool = False,
    reads: tuple[str, ...] | None = None,
    prepare: Callable[[], Factory] | None = None,
) -> None:
    """Answer requests until the parent closes its end; the main function of a spawned process.

    `factory` returns the handler of requests. It is called at the first request, so that its imports can be stopped;
    with `early` it is called at once, while the parent still prepares that request, and so is the handler's `warm_up`.
    A request comes as its number with the paths of the files handed over, then the open descriptors of these files,
    then the request itself. `log` is a file for what libraries print, empty to drop it. With `reads` the process is
    confined before any thread starts: beside its own files it can then read only these, and those handed over.
    `prepare` is called just before that and returns the factory to use instead.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to the parent, which then stops this process
    _redirect(log)
    _prefer_for_oom_kill()
    _yield_cores_to_window()
    confined = None
    if reads is not None:
        from app.core.confine import confine

        _disconnect_from_tracker()
        factory = prepare() if prepare else factory
        confined = confine(reads)
    parent = ParentLink(data)
    threading.Thread(target=_listen, args=(control, parent), daemon=True).start()
    handler: Handler | None = None
    if early:
        with contextlib.suppress(Exception):
            handler = factory()
            if warm_up := getattr(handler, "warm_up", None):
                warm_up()
    # Sent only now, as a large request would block the parent while nothing reads it.
    parent.send(Kind.READY, 0, confined)
    while True:
        number, paths = _receive(data)
        hand_over({path: recv_handle(data) for path in paths})
        try:
            request = _receive(data)
            parent.send(Kind.TAKEN, number)
            if handler is None:
                handler = factory()
            result = handler(request, ParentReport(parent, number))
            parent.send(Kind.RESULT, number, result)
        except BaseException as error:
            _send_failure(parent, number, error)
            # A traceback keeps every array of the failed request alive.
            error.__traceback__ = None
        hand_over({})
        request = result = None


def _receive(data: Connection) -> Any:
    """Return the parent's next message; ends the process if the parent is gone."""
    try:
        return data.recv()
    except (EOFError, OSError):
        os._exit(0)


def _disconnect_from_tracker() -> None:
    """Disconnect from multiprocessing's resource tracker, which is not confined and deletes shared memory on demand."""
    if sys.platform == "linux" and (tracker := resource_tracker.getfd()) is not None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, tracker, inheritable=False)
        os.close(nothing)


def _send_failure(parent: ParentLink, number: int, error: BaseException) -> None:
    if isinstance(error, Stopped):
        parent.send(Kind.STOPPED, number)
    elif isinstance(error, SpanlightError):
        parent.send(Kind.FAULT, number, error)
    elif (fault := installation_error(error) or disk_error(error)) is not None:
        traceback.print_exception(error)  # to the log
        parent.send(Kind.FAULT, number, fault)
    elif isinstance(error, MemoryError):
        message = Message("This computer has too little free memory for that.")
        hint = Message("Close other programs, or give it less at a time.")
        parent.send(Kind.FAULT, number, SpanlightError(message, hint))
    else:
        parent.send(Kind.BUG, number, "".join(traceback.format_exception(error)))


def _listen(control: Connection, parent: ParentLink) -> None:
    """Note which request is to stop; end the process when the parent is gone, whatever it is doing.

    The kernel's own signal for a parent's death (prctl) would not do: it is sent as soon as the thread that started
    this process ends.
    """
    while True:
        try:
            parent.stopped = int(control.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


def _redirect(log: str) -> None:
    """Send what libraries print to the log instead of the terminal."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        full = bool(log) and Path(log).exists() and Path(log).stat().st_size > LONGEST_LOG
        flags = os.O_WRONLY | os.O_APPEND | (os.O_CREAT if log else 0) | (os.O_TRUNC if full else 0)
        target = os.open(log or os.devnull, flags, 0o600)
        for number in (1, 2):
            os.dup2(target, number)
        os.close(target)
        sys.stdout = sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
        if log:
            faulthandler.enable()


def _yield_cores_to_window() -> None:
    """Let Linux give a core to the window's thread as soon as it wakes up; the work is no slower.

    In three runs, the longest pause of the window before the first answers from 500,000 words was 43, 36 and 35 ms,
    without this 72, 53 and 36 ms.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _prefer_for_oom_kill() -> None:
    """Let Linux end this process, not the window, when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
