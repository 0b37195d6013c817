"""A supervised child process: started when needed, sent requests, stopped, killed and started again."""

from __future__ import annotations

import contextlib
import io
import logging
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from app.core.errors import EngineLost, NotStarted, SpanlightError
from app.core.files import open_regular
from app.core.memory_limit import OUT_OF_MEMORY
from app.core.message import Message
from app.core.report import Report, Stopped
from app.engine.serve import FINAL_KINDS, Factory, Kind, serve

if TYPE_CHECKING:
    from app.core.confine import Confined

_log = logging.getLogger(__name__)

TICK = 0.05
PATIENCE = 1.0
# Functions named in pickles of Spanlight's own values, which only rebuild a value.
_HARMLESS = {("array", "array"), ("array", "_array_reconstructor"), ("app.core.text", "_view")}


class ChildBug(RuntimeError):
    """An unexpected exception in the child, which is a bug; its text is the child's traceback."""


class _Running(NamedTuple):
    process: BaseProcess
    data: Connection
    control: Connection


class Child:
    """A process of its own for work that must not stall or end the window.

    `factory`, a function of a module that is light to import, returns the handler that answers requests; it is called
    in the child only. `title` is the process's name in messages to people. `log` takes what the child's libraries
    print. The process starts with the first request, and again with the first request after it was lost.

    With `reads`, files and folders, the process is confined as far as the system allows (see core.confine), and reads
    only these and the files handed over with a request. `prepare` is called in it before that, and returns the factory
    to use instead.
    """

    def __init__(
        self,
        factory: Factory,
        *,
        title: str,
        log: Path | None = None,
        reads: tuple[str, ...] | None = None,
        prepare: Callable[[], Factory] | None = None,
    ) -> None:
        self._factory, self._title, self._log, self._reads = factory, title, log, reads
        self._prepare = prepare
        self._confined: Confined | None = None
        self._running: _Running | None = None
        self._number = self._sent = 0
        self._ready = self._accepted = False
        self._closed = False
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether the process runs now."""
        running = self._running
        with contextlib.suppress(ValueError):  # another thread has just closed it
            return running is not None and running.process.is_alive()
        return False

    @property
    def pid(self) -> int | None:
        """The process's id, None while there is none."""
        running = self._running
        with contextlib.suppress(ValueError):
            return running.process.pid if running else None
        return None

    @property
    def confined(self) -> Confined | None:
        """The limits of the process that was started last; None until it has reported them."""
        return self._confined

    def begin(self) -> None:
        """Start the process unless it runs, so that it sets up its handler while the first request is prepared.

        Raises nothing: if it cannot be started, the first request raises that.
        """
        if self._lock.acquire(blocking=False):
            try:
                with contextlib.suppress(SpanlightError, Stopped):
                    self._start(early=True)
            finally:
                self._lock.release()

    def run(self, request: object, report: Report, files: Sequence[str] = ()) -> Any:
        """Return the child's answer to a request, with progress and partial results sent to `report` meanwhile.

        `files` are the paths of the files that a confined process needs for the request. If `report.check` raises
        (usually Stopped), the child is asked to stop, and killed if it has not done so after a second. Raises what the
        child raised: Stopped, SpanlightError, or ChildBug for anything else; EngineLost if the process ended at work;
        Stopped after `close`.
        """
        with self._lock:
            try:
                return self._attempt(request, report, files)
            except EngineLost:
                if self._accepted:
                    raise
            # The process was lost while it waited for work, so the request was not begun.
            return self._attempt(request, report, files)

    def _attempt(self, request: object, report: Report, files: Sequence[str]) -> Any:
        running = self._start()
        self._number += 1
        number = self._number
        self._accepted = False
        try:
            return self._converse(running, number, request, report, files)
        except EngineLost:
            self._end()
            if self._closed:
                raise Stopped from None
            raise
        except _RequestFailed as failure:
            raise failure.error from None
        except BaseException:
            self._halt(running, number)
            raise
        finally:
            if self._closed:
                self._end()

    def end(self) -> None:
        """End the process once it waits for work; the next request starts another."""
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the process for good; work under way ends as Stopped."""
        self._closed = True
        running = self._running
        if running is not None:
            with contextlib.suppress(ValueError):  # another thread has just ended it
                running.process.kill()
        if self._lock.acquire(timeout=2 * PATIENCE):
            try:
                self._end()
            finally:
                self._lock.release()

    def _start(self, early: bool = False) -> _Running:
        if self._closed:
            raise Stopped
        if self._running is not None and self._running.process.is_alive():
            return self._running
        self._end()
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        listener, control = context.Pipe(duplex=False)
        log = str(self._log or "")
        arguments = (theirs, listener, self._factory, log, early, self._reads, self._prepare)
        process = context.Process(target=serve, args=arguments, name=self._title, daemon=True)
        try:
            with _interrupts_blocked():
                process.start()
        except OSError as error:
            for connection in (ours, control):
                connection.close()
            raise NotStarted(
                Message(
                    "The {process} could not be started: {reason}.",
                    process=self._title,
                    reason=error.strerror or str(error),
                ),
                Message("Close other programs and try again."),
            ) from error
        finally:
            theirs.close()
            listener.close()
        self._running = _Running(process, ours, control)
        return self._running

    def _converse(
        self, running: _Running, number: int, request: object, report: Report, files: Sequence[str]
    ) -> Any:
        """Send the request, then pass the child's messages on until the request has ended."""
        # A large request would block here if it were sent to a process that is not listening yet.
        while not self._ready:
            kind, _, what = self._receive(running, report)
            if kind is Kind.READY:
                self._ready, self._confined = True, what
        try:
            self._sent = number
            with contextlib.ExitStack() as opened:
                handed = dict(self._opened(files, opened))
                running.data.send((number, tuple(handed)))
                for descriptor in handed.values():
                    send_handle(running.data, descriptor, running.process.pid)
            running.data.send(request)
        except OSError as error:
            raise self._lost(running) from error
        while True:
            kind, about, what = self._receive(running, report)
            if about != number:
                continue  # a message about a request that was abandoned
            match kind:
                case Kind.TAKEN:
                    self._accepted = True
                case Kind.PROGRESS:
                    report.progress(what)
                case Kind.PARTIAL:
                    report.partial(what)
                case Kind.NOTICE:
                    report.notice(what)
                case Kind.RESULT:
                    return what
                case Kind.STOPPED:
                    raise _RequestFailed(Stopped())
                case Kind.FAULT:
                    raise _RequestFailed(what)
                case Kind.BUG:
                    raise _RequestFailed(ChildBug(what))

    def _opened(self, files: Sequence[str], opened: contextlib.ExitStack) -> Iterator[tuple[str, int]]:
        """Yield the files that can be opened, with descriptors; the child will raise what is wrong with the others."""
        if self._reads is not None and sys.platform == "linux":
            for path in files:
                with contextlib.suppress(SpanlightError):
                    yield path, opened.enter_context(open_regular(path)).fileno()

    def _receive(self, running: _Running, report: Report) -> tuple[Kind, int, Any]:
        """Return the next message; `report.check` is called at least every 50 ms while there is none."""
        while True:
            report.check()
            if self._closed:
                raise Stopped
            try:
                ready = wait([running.data, running.process.sentinel], TICK)
                if running.data in ready or (ready and running.data.poll()):
                    return self._message(running)
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                raise self._lost(running) from error
            if ready:
                raise self._lost(running)

    def _message(self, running: _Running) -> tuple[Kind, int, Any]:
        """Return what the child sent; from a confined child only plain values, as a file may have taken it over.

        Raises UnpicklingError for other values, EOFError or OSError if the child is gone.
        """
        if self._reads is None:
            return running.data.recv()
        return _PlainUnpickler(io.BytesIO(running.data.recv_bytes())).load()

    def _halt(self, running: _Running, number: int) -> None:
        """Ask the child to stop, and kill it if it has not done so after a second."""
        if self._sent != number:
            return  # the child never got the request
        deadline = time.monotonic() + PATIENCE
        try:
            running.control.send_bytes(str(number).encode())
            while (left := deadline - time.monotonic()) > 0:
                if not wait([running.data, running.process.sentinel], left) or not running.data.poll():
                    break
                kind, about, _ = self._message(running)
                if about == number and kind in FINAL_KINDS:
                    return
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        self._end()

    def _lost(self, running: _Running) -> EngineLost:
        """Return the error for a child that ended by itself."""
        running.process.join(PATIENCE)
        code = running.process.exitcode
        message = Message("The {process} ended while it was at work.", process=self._title)
        if code == -getattr(signal, "SIGKILL", 9):
            message = Message(
                "The {process} was ended by the system, most likely because memory ran out.",
                process=self._title,
            )
        elif code == OUT_OF_MEMORY:
            message = Message("The {process} used more memory than it is allowed.", process=self._title)
        elif code in (
            -getattr(signal, "SIGSEGV", 11),
            -getattr(signal, "SIGBUS", 7),
            -getattr(signal, "SIGILL", 4),
        ):
            message = Message("The {process} crashed.", process=self._title)
        hint = Message("Try again: it starts anew. If it happens again, close other programs.")
        return EngineLost(message, hint, code)

    def _end(self) -> None:
        """Kill the process, if there is one, and close its connections."""
        running, self._running, self._ready = self._running, None, False
        if running is None:
            return
        running.process.kill()
        running.process.join(2 * PATIENCE)
        running.data.close()
        running.control.close()
        with contextlib.suppress(ValueError):  # it is still there: a driver holds it
            running.process.close()


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl+C in this context, so that a process started here is not interrupted before it ignores that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _PlainUnpickler(pickle.Unpickler):
    """An unpickler that accepts only classes of app.core: with others a pickle could run anything."""

    def find_class(self, module: str, name: str) -> type:
        """Return the class; raises UnpicklingError for any other, even one that a module of app.core imports."""
        if (module, name) in _HARMLESS:
            return super().find_class(module, name)
        if (module.startswith("app.core.") or module == Kind.__module__) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        _log.error("a confined process sent %s.%s", module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


class _RequestFailed(Exception):
    """The request ended in the child with `error`; the child is ready for the next one."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error
