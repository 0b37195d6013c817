"""Bring a library's index up to date with its files."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Progress, Report, Silent, Stopped
from app.core.wording import count
from app.documents.orders import Read
from app.flows.ask.document_process import Documents
from app.flows.ask.question import with_view
from app.flows.library.folders import Walk, walk
from app.flows.workspace import Workspace
from app.library.index import Index
from app.models.disk.locks import Lock

# Processes that read files: each may take 2 GB.
_MOST_READERS = 4
_PIECE = 1 << 20
# After so many files at once the index's parts are merged.
_MANY = 200


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did.

    `read` counts files that were read, `known` those whose content was known already (moved or copied), `failed` those
    without a text now, `gone` those that are no longer there; `walk` is what was found on the disk.
    """

    read: int
    known: int
    failed: int
    gone: int
    words: int
    seconds: float
    walk: Walk

    @property
    def in_words(self) -> str:
        """What changed: "3 files read, 1 gone, 2 could not be read"; empty for nothing."""
        read = self.read + self.known
        parts = [f"{count(read, 'file')} read"] if read else []
        parts += [f"{self.gone:,} gone"] if self.gone else []
        parts += [f"{self.failed:,} could not be read"] if self.failed else []
        return ", ".join(parts)


def update(workspace: Workspace, library: Library, report: Report, *, everything: bool = False) -> Update:
    """Read the library's new and changed files, several at a time, and drop those that are gone.

    A file counts as changed if its size or modification time differs; with `everything` those of all files are
    compared by content. Each file is stored whole or not at all: after a stop or a kill the next update goes on from
    there. Each file that was read or failed is a partial result (LibraryFile). Raises SpanlightError where another
    process updates the libraries, Stopped when cancelled.
    """
    began = time.perf_counter()
    index = workspace.library
    with _alone(workspace.paths.library):
        there = walk(library, report)
        others = index.take_walk(library, ((file.path, file.size, file.modified) for file in there.files))
        gone = _sort_out(index, library, others, there)
        if everything:
            _compare_all(index, library, report)
        waiting = index.files(library, [FileState.WAITING])
        counts = dict.fromkeys(("read", "known", "failed", "words"), 0)
        with _Readers(workspace, min(_MOST_READERS, os.cpu_count() or 1, max(1, len(waiting)))) as readers:
            for done, (file, found) in enumerate(readers.read(waiting, report)):
                _store(index, file, found, counts)
                now = index.file(file.path)
                if now is not None:
                    report.partial(now)
                report.progress(_progress(done + 1, len(waiting), began))
        index.sweep()
        if len(waiting) > _MANY:
            index.compact()
    return Update(
        counts["read"],
        counts["known"],
        counts["failed"],
        gone,
        counts["words"],
        time.perf_counter() - began,
        there,
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    lock = Lock(folder / "update.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = lock.take()
    except OSError as fault:
        raise SpanlightError(
            f"The library in {folder} could not be used: {fault.strerror}.", "Check the folder's permissions."
        ) from fault
    if not taken:
        raise SpanlightError(
            "Another Spanlight is updating the libraries just now.",
            "What was read can be asked; try again later.",
        )
    try:
        yield
    finally:
        lock.release()


def _sort_out(index: Index, library: Library, others: list[LibraryFile], there: Walk) -> int:
    """Take the files that were not found out of the library, or note that they are gone; returns how many are.

    Those below a root or a folder that cannot be read now stay as they are.
    """
    away = tuple(f"{path.rstrip(os.sep)}{os.sep}" for path in (*there.missing, *there.refused))
    roots = tuple(f"{path.rstrip(os.sep)}{os.sep}" for path in library.roots)
    gone, left = [], []
    for file in others:
        belongs = file.path.startswith(roots) or file.path in library.roots
        alone = file.path in library.roots and not Path(file.path).parent.exists()
        if file.path.startswith(away) or alone:
            continue
        if belongs and not os.path.lexists(file.path):
            gone.append(file)
        else:
            left.append(file)
    newly = [file for file in gone if file.state is not FileState.GONE]
    index.set_gone(newly)
    if left:
        index.leave(library, left)
    return len(newly)


def _compare_all(index: Index, library: Library, report: Report) -> None:
    files = index.files(library, [FileState.READ])
    changed = []
    for done, file in enumerate(files):
        report.progress(Progress(done, len(files), "files compared"))
        if _sha256(file.path, report) not in (file.sha256, ""):
            changed.append(file)
    failed = index.files(library, [FileState.FAILED, FileState.LOCKED, FileState.NO_TEXT])
    index.set_waiting([*changed, *failed])


def _sha256(path: str, report: Report) -> str:
    """The SHA-256 of a file's bytes, empty if it cannot be read."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while piece := file.read(_PIECE):
                report.check()
                digest.update(piece)
    except OSError:
        return ""
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Known:
    """The content of a file whose bytes may be known already: its SHA-256, size and modification time."""

    sha256: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class _Refused:
    """Why a file has no text, and its size and time then."""

    state: FileState
    reason: str
    size: int
    modified: int


_Found = _Known | Opened | _Refused


class _Readers:
    """Processes that read files for the index, apart from the one that opens documents for people."""

    def __init__(self, workspace: Workspace, number: int) -> None:
        self._index = workspace.library
        self._pool = ThreadPoolExecutor(number, "library")
        self._number = number
        self._free: SimpleQueue[Documents] = SimpleQueue()
        self._all = [Documents(workspace.paths.logs) for _ in range(number)]
        self._stopped = False
        for one in self._all:
            self._free.put(one)

    def __enter__(self) -> _Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        for one in self._all:
            one.close()
        self._pool.shutdown(cancel_futures=True)

    def read(self, files: list[LibraryFile], report: Report) -> Iterator[tuple[LibraryFile, _Found]]:
        """Each file with what was found in it, as soon as it is read."""
        left = iter(files)
        at_work: dict[Future[_Found], LibraryFile] = {}
        while True:
            # Few are read ahead: what was read waits in memory until it is stored.
            while len(at_work) < 2 * self._number and (file := next(left, None)) is not None:
                at_work[self._pool.submit(self._read, file)] = file
            if not at_work:
                return
            done, _ = wait(at_work, timeout=0.1, return_when=FIRST_COMPLETED)
            report.check()
            for one in done:
                yield at_work.pop(one), one.result()

    def _read(self, file: LibraryFile) -> _Found:
        try:
            status = Path(file.path).stat()
        except (OSError, ValueError):
            return _Refused(FileState.FAILED, "It is not there any more.", file.size, file.modified)
        size, modified = status.st_size, status.st_mtime_ns
        sha256 = _sha256(file.path, Silent())
        if sha256 and self._index.holds(sha256, _suffix(file)):
            return _Known(sha256, size, modified)
        documents = self._free.get()
        try:
            opened = documents.read(
                Read(file.path, Path(file.path).name, words_only=True), _Until(lambda: self._stopped)
            )
        except PasswordNeeded as fault:
            return _Refused(FileState.LOCKED, fault.message, size, modified)
        except SpanlightError as fault:
            return _Refused(FileState.FAILED, str(fault), size, modified)
        finally:
            self._free.put(documents)
        if not opened.document.text.strip():
            return _Refused(FileState.NO_TEXT, " ".join(opened.notes), size, modified)
        return opened


class _Until(Silent):
    """A Report that stops the work once `stopped` holds."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped

    def check(self) -> None:
        if self._stopped():
            raise Stopped


def _store(index: Index, file: LibraryFile, found: _Found, counts: dict[str, int]) -> None:
    suffix = _suffix(file)
    match found:
        case _Known(sha256, size, modified):
            if index.link(file, sha256, suffix, size, modified):
                counts["known"] += 1
        case Opened():
            view = with_view(found.document).view
            assert view is not None
            index.put(file, found, view, suffix)
            counts["read"] += 1
            counts["words"] += len(found.document.text.split())
        case _Refused(state, reason, size, modified):
            index.fail(file, state, reason, size=size, modified=modified)
            counts["failed"] += 1


def _suffix(file: LibraryFile) -> str:
    return Path(file.path).suffix.lower()


def _progress(done: int, total: int, began: float) -> Progress:
    seconds = time.perf_counter() - began
    return Progress(done, total, "files", (total - done) * seconds / done)
