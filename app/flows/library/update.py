"""Updates a library's index from its files."""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from app.core.errors import NoText, NotStarted, PasswordNeeded, SpanlightError
from app.core.files import sha256_of_bytes
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile, is_gap
from app.core.locks import exclusive, held
from app.core.message import Message, joined
from app.core.report import Progress, Quiet, Report, Silent, Stopped, checked
from app.documents.orders import Read
from app.engine.child import ChildBug
from app.flows.ask.document_process import Documents
from app.flows.ask.question import with_view
from app.flows.ask.recognise import MOST_UNASKED, needs_consent, scan_reader
from app.flows.library.folders import Walk, is_folder, takes_folder, walk
from app.flows.models.languages import detect_language
from app.flows.workspace import Workspace
from app.library.index import Index
from app.library.ledger import Content

_log = logging.getLogger(__name__)

_LOCK = "update.lock"
# Processes that read files; each may take 2 GB.
_MOST_READERS = 4
# The index is compacted after an update with more changes, or with more passages deleted.
_MANY_CHANGES, _MANY_PASSAGES = 200, 5000
_NEEDS_CONSENT = Message(
    "“Recognise all scans”, below the list of files that were not read, changes that; in a terminal: library update"
    " --recognise."
)


@dataclass(frozen=True, slots=True)
class Update:
    """The result of an update.

    `read` counts the files that were read, `known` those that were moved or copied, `failed` those without a text, and
    `gone` those that no longer exist; `words` are those of the files that were read, `walk` is what is on the disk.
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
        """What changed: "3 files read, 1 moved or copied, 2 could not be read"; empty if nothing did."""
        parts = [
            Message("{n:,} file read", "{n:,} files read", n=self.read),
            Message("{n:,} moved or copied", "{n:,} moved or copied", n=self.known),
            Message("{n:,} gone", "{n:,} gone", n=self.gone),
            Message("{n:,} could not be read", "{n:,} could not be read", n=self.failed),
        ]
        return joined(part for part in parts if part.values["n"])


def update(
    workspace: Workspace,
    library: Library,
    report: Report,
    *,
    everything: bool = False,
    recognise: int | None = MOST_UNASKED,
) -> Update:
    """Read the library's new and changed files, several at a time, and drop those that are gone.

    A file counts as changed if its size or modification time differs; with `everything`, the contents of all files are
    compared. `recognise` is the largest number of scanned pages of a file that are recognised; None recognises all,
    even in files that were read before. An index of an older version is renewed first. Each file is stored completely
    or not at all, so the next update continues after a stop or a kill. Partial results are the files that were read or
    failed (LibraryFile). Raises Busy where another process updates the libraries, SpanlightError where the library was
    removed or no process can be started; Stopped when cancelled.
    """
    began = time.perf_counter()
    index = workspace.library
    with held(
        workspace.paths.library / _LOCK,
        Message("Another Spanlight is updating the libraries just now"),
        Message("What was read can be asked; try again later."),
    ):
        _renew_index(workspace, report)
        library = index.current(library)  # another process may have changed it
        there = walk(library, report)
        found = ((file.path, file.size, file.modified) for file in checked(there.files, report))
        away = [folder for folder in index.drives_away(library) if takes_folder(library, folder)]
        others = index.record_walk(library, found, there.refused, (*there.drives, *away))
        gone = _take_out_missing(
            index, library, checked(others, report), (*there.missing, *there.empty, *there.refused, *away)
        )
        report.check()
        if everything:
            _compare_all(index, library, report)
        if recognise is None:
            index.set_state(index.files(library, [FileState.NO_TEXT]), FileState.WAITING)
            index.read_again(list(index.texts_with_pictures(library, report.check)))
        waiting = index.files(library, [FileState.WAITING], report.check) + index.to_read_again(library)
        counts = dict.fromkeys(("read", "known", "failed", "words"), 0)
        number = min(_MOST_READERS, os.cpu_count() or 1, max(1, len(waiting)))
        with _Readers(workspace, number, recognise) as readers:
            for done, (file, result) in enumerate(readers.read(waiting, report)):
                if result is not None:
                    _store(index, file, result, counts, recognise)
                now = index.file(file.path)
                if now is not None:
                    report.partial(now)
                report.progress(_progress(done + 1, len(waiting), began))
        # What was chosen for tables follows its file.
        if workspace.tables.has_chosen(library) and (moved := index.moved(library)):
            workspace.tables.move(moved)
        deleted = index.sweep(report.check)
        if len(waiting) + len(gone) > _MANY_CHANGES or deleted > _MANY_PASSAGES:
            index.compact(report.check)
        # Files that were only moved are not gone.
        gone &= {file.number for file in index.files(library, [FileState.GONE])}
    return Update(**counts, gone=len(gone), seconds=time.perf_counter() - began, walk=there)


def renew(workspace: Workspace, report: Report) -> None:
    """Renew an index of an older version, unless another process updates it. Raises Stopped when cancelled."""
    if workspace.library.needs_renewal():
        with exclusive(workspace.paths.library / _LOCK) as is_alone:
            if is_alone:
                _renew_index(workspace, report)


def _renew_index(workspace: Workspace, report: Report) -> None:
    workspace.library.renew(report, lambda text: detect_language(workspace, text, Quiet(report)))


def read_again(workspace: Workspace, path: str, password: str, report: Report) -> LibraryFile | None:
    """Read a library's file that could not be read, with its password, which is not kept; returns its new entry.

    None for a file that is in no library, or is not locked or failed. Once it changes, its password is needed again.
    Raises PasswordNeeded and SpanlightError where it cannot be read, Stopped when cancelled.
    """
    index = workspace.library
    file = index.file(path)
    if file is None or file.state not in (FileState.LOCKED, FileState.FAILED):
        return None
    _store_document(
        index,
        file,
        scan_reader(workspace).read(Read(path, Path(path).name, password, words_only=True), report),
    )
    return index.file(path)


def _take_out_missing(
    index: Index, library: Library, others: Iterable[LibraryFile], away: Iterable[str]
) -> set[int]:
    """Mark files that were not found as gone, or take them out of the library; returns the numbers of the former.

    Files below the folders `away`, which cannot be read now, are left unchanged.
    """
    absent = _prefixes(away)
    roots = _prefixes(library.roots)
    gone: list[LibraryFile] = []
    left: list[LibraryFile] = []
    for file in others:
        if file.path in library.roots:
            stays = not is_folder(Path(file.path).parent) or not _is_gone(file.path)
        else:
            stays = file.path.startswith(absent)
        if stays:
            continue
        belongs = file.path in library.roots or file.path.startswith(roots)
        (gone if belongs and _is_gone(file.path) else left).append(file)
    newly = [file for file in gone if file.state is not FileState.GONE]
    index.set_state(newly, FileState.GONE)
    index.leave(library, left)
    return {file.number for file in newly}


def _prefixes(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{folder.rstrip(os.sep)}{os.sep}" for folder in folders)


def _is_gone(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _compare_all(index: Index, library: Library, report: Report) -> None:
    files = index.files(library, [FileState.READ], report.check)
    changed = []
    for done, file in enumerate(files):
        report.progress(Progress(done, len(files), Message("files compared")))
        if sha256_of(file.path, report.check) not in (file.sha256, ""):
            changed.append(file)
    failed = index.files(library, [FileState.FAILED, FileState.LOCKED, FileState.NO_TEXT])
    index.set_state([*changed, *failed], FileState.WAITING)
    index.read_again(file.text for file in files if is_gap(file.reason))


def sha256_of(path: str, check: Callable[[], object]) -> str:
    """The SHA-256 of a file's bytes, empty if it cannot be read; `check` is called between chunks."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # opening a pipe would block until somebody writes
            return ""
        return sha256_of_bytes(Path(path), check)
    except (OSError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a file has no text, and its content; a modification time of 0 makes the next update try again."""

    state: FileState
    reason: str
    content: Content


# The content alone if its text is known already.
_ReadResult = Content | Opened | Refusal


class _Readers:
    """A pool of processes that read files for the index, besides the one that opens documents for the person."""

    def __init__(self, workspace: Workspace, number: int, recognise: int | None) -> None:
        self._workspace, self._index, self._recognise = workspace, workspace.library, recognise
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

    def read(
        self, files: list[LibraryFile], report: Report
    ) -> Iterator[tuple[LibraryFile, _ReadResult | None]]:
        """Yield each file with its result as soon as it is read; None for one that does not exist any more."""
        left = iter(files)
        at_work: dict[Future[_ReadResult | None], LibraryFile] = {}
        while True:
            # Results wait in memory until they are stored, so few files are read ahead.
            while len(at_work) < 2 * self._number and (file := next(left, None)) is not None:
                at_work[self._pool.submit(self._read, file)] = file
            if not at_work:
                return
            done, _ = wait(at_work, timeout=0.1, return_when=FIRST_COMPLETED)
            report.check()
            for one in done:
                yield at_work.pop(one), one.result()

    def _read(self, file: LibraryFile) -> _ReadResult | None:
        try:
            status = Path(file.path).stat()
        except (OSError, ValueError):
            return None
        size, modified = status.st_size, status.st_mtime_ns
        there = Content("", size, modified)
        until = _StopWhen(lambda: self._stopped)
        # This costs little compared with reading, which it saves for files that were only moved.
        sha256 = sha256_of(file.path, until.check)
        if sha256 and self._index.holds(file, sha256):
            return Content(sha256, size, modified)
        documents = self._free.get()
        try:
            order = Read(file.path, Path(file.path).name, words_only=True)
            return scan_reader(self._workspace, documents).read(order, until, self._recognise)
        except (SpanlightError, ChildBug) as fault:
            return refusal_for(fault, there, was_hashed=bool(sha256))
        finally:
            self._free.put(documents)


def refusal_for(fault: SpanlightError | ChildBug, there: Content, *, was_hashed: bool) -> Refusal:
    """The Refusal for an error of reading a file; a file that could not be hashed is tried again even if unchanged.

    Raises the error itself if no process could be started, which is not the file's fault.
    """
    match fault:
        case PasswordNeeded():
            return Refusal(FileState.LOCKED, fault.message, there)
        case NotStarted():
            raise fault
        case NoText():
            return Refusal(FileState.NO_TEXT, fault.message, there)
        case SpanlightError():
            return Refusal(FileState.FAILED, str(fault), there if was_hashed else replace(there, modified=0))
    _log.error("a file was not read", exc_info=fault)
    return Refusal(FileState.FAILED, Message("It crashes Spanlight; this is a bug."), there)


class _StopWhen(Silent):
    """A Report that stops the work once `stopped` returns True."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped

    def check(self) -> None:
        if self._stopped():
            raise Stopped


def _store(
    index: Index, file: LibraryFile, found: _ReadResult, counts: dict[str, int], recognise: int | None
) -> None:
    match found:
        case Content():
            counts["known"] += index.link(file, found)
        case _ if file.state is FileState.READ and _is_less(file, found):
            index.keep(file)
        case Opened():
            done = _store_document(index, file, found, recognise)
            counts["read" if done else "failed"] += 1
            counts["words"] += len(found.document.text.split())
        case Refusal(state, reason, content):
            index.fail(file, state, reason, content)
            counts["failed"] += 1


def _is_less(file: LibraryFile, found: Opened | Refusal) -> bool:
    """Whether reading a file again gave no text, or fewer words while pages were not recognised."""
    if isinstance(found, Refusal):
        return True
    words = len(found.document.text.split())
    return not words or (bool(found.pictures) and words < file.words)


def _store_document(
    index: Index, file: LibraryFile, opened: Opened, recognise: int | None = MOST_UNASKED
) -> bool:
    """Store a document in the index, and return whether it has a text."""
    # What keeps pages from being recognised may be of the moment: the next update tries once more.
    left = bool(opened.pictures) and (recognise is None or len(opened.pictures) <= recognise)
    tried = file.state is FileState.READ or (file.modified, file.sha256) == (0, opened.sha256)
    again = left and not tried
    if without := refusal_without_text(opened):
        content = replace(without.content, modified=0) if again else without.content
        index.fail(file, without.state, without.reason, content)
        return False
    view = with_view(opened.document).view
    assert view is not None
    index.put(file, replace(opened, notes=library_notes(opened)), view, again=again)
    return True


def refusal_without_text(opened: Opened) -> Refusal | None:
    """The Refusal of a document without words; None if it has some."""
    if opened.document.text.strip():
        return None
    reason = joined(library_notes(opened), " ") or Message("It holds no text.")
    return Refusal(FileState.NO_TEXT, reason, Content(opened.sha256, opened.size, opened.modified))


def library_notes(opened: Opened) -> tuple[str, ...]:
    """The notes on a document, and how to have its scans recognised if that needs consent."""
    return (*opened.notes, _NEEDS_CONSENT) if needs_consent(opened) else opened.notes


def _progress(done: int, total: int, began: float) -> Progress:
    seconds = time.perf_counter() - began
    # Starting the processes would distort an early estimate.
    return Progress(done, total, Message("files"), (total - done) * seconds / done if seconds > 2 else None)
