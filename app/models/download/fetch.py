"""Downloads a passport's files into the Hugging Face cache: with resuming, and verified by their checksums.

huggingface_hub makes the requests. It keeps no unfinished file and checks no checksum, so both are done here, in its
layout of the cache and under its own lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, NamedTuple

from huggingface_hub import hf_hub_url
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import WeakFileLock, build_hf_headers

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.offers import Downloading, Passport, RemoteFile
from app.core.report import Progress
from app.core.wording import duration
from app.models.disk.copying import check_space, chunks_of, refusal, sync_folder
from app.models.download.cache import (
    blob_of,
    cache_folder,
    cached_bytes,
    cached_file,
    etag_of,
    partial_of,
    snapshot_of,
    storage_of,
)
from app.models.download.context import RequestContext
from app.models.download.errors import KEPT
from app.models.download.orders import Fetch, Fetched
from app.models.download.repositories import COMMIT, is_repository, may_be_fetched

# Seconds between two reports of progress, and over which the speed is measured.
EVERY, OVER = 0.25, 5.0
# The user is informed after this many seconds without a byte.
SILENCE = 3.0


class Digests(NamedTuple):
    """A file's SHA-256, and its object id in git (SHA-1 of `blob`, its length, a NUL and its bytes)."""

    sha256: str
    blob: str

    def fit(self, file: RemoteFile) -> bool:
        """Whether they match the checksum that the Hub states."""
        return self.sha256 == file.sha256 if file.sha256 else self.blob == file.blob


def fetch(order: Fetch, context: RequestContext) -> Fetched:
    """Download a passport's files into the cache and verify them; what is complete there is not fetched again.

    Raises SpanlightError and Stopped; the next call then resumes an unfinished file, unless its checksum was wrong.
    """
    passport = order.passport
    _check(passport, context)
    cache = cache_folder(context.network)
    try:
        return _Fetching(passport, cache, context).run()
    except OSError as fault:
        fault_in_words = refusal(
            fault,
            Message("{name} could not be put into the Hugging Face cache", name=passport.repository),
            cache,
        )
        raise SpanlightError(
            fault_in_words.message, Message("{hint} {kept}", hint=fault_in_words.hint, kept=KEPT)
        ) from fault


def _check(passport: Passport, context: RequestContext) -> None:
    """Raise SpanlightError for a passport that must not be downloaded; it may have been stored long ago."""
    if passport.card is None:
        raise SpanlightError(
            passport.refused or Message("{name} cannot be used.", name=passport.repository),
            passport.hint or Message("Choose another model."),
        )
    named = is_repository(passport.repository) and COMMIT.fullmatch(passport.commit) is not None
    listed = bool(passport.files) and all(may_be_fetched(f.name) and f.size >= 0 for f in passport.files)
    with contextlib.suppress(ValueError):
        for file in passport.files:
            etag_of(file)
        if named and listed and passport.endpoint == context.network.endpoint:
            return
    raise SpanlightError(
        Message("What was looked up of {repository} does not hold any more.", repository=passport.repository),
        Message("Look it up again."),
    )


class _Fetching:
    """One download."""

    def __init__(self, passport: Passport, cache: Path, context: RequestContext) -> None:
        self._passport, self._cache, self._context = passport, cache, context
        self._name = passport.repository
        self._locks = cache / ".locks" / storage_of(cache, self._name).name
        self._pace = _Pace(context, passport.size)

    def run(self) -> Fetched:
        for folder in (storage_of(self._cache, self._name) / "blobs", self._locks):
            folder.mkdir(parents=True, exist_ok=True)
        check_space(self._cache, self._passport.size - cached_bytes(self._passport, self._context.network))
        checksums: dict[str, str] = {}
        with self._pace.reported():
            for file in self._passport.files:
                self._pace.begin(file)
                checksums[file.name] = self._fetch_file(file).sha256
        return Fetched(
            folder=str(snapshot_of(self._cache, self._name, self._passport.commit)),
            cache=str(self._cache),
            received=self._pace.received,
            speed=self._pace.average,
            checksums=tuple(sorted(checksums.items())),
        )

    def _fetch_file(self, file: RemoteFile) -> Digests:
        """Put one file into the cache under its name, complete and verified."""
        with self._locked(file):
            cached = cached_file(self._cache, self._name, self._passport.commit, file)
            found = self._digests(cached, file) if cached is not None else None
            if found is None or not found.fit(file):
                if cached is not None:
                    self._discard(cached, file)
                found = self._fetch_blob(file)
            self._add_entry(file)
        return found

    def _discard(self, cached: Path, file: RemoteFile) -> None:
        """Delete a damaged file and its entry from the cache."""
        blobs = blob_of(self._cache, self._name, file).parent
        target = Path(os.path.realpath(cached))
        if target.parent == Path(os.path.realpath(blobs)):  # a link may lead to somebody else's file
            target.unlink(missing_ok=True)
        cached.unlink(missing_ok=True)

    def _fetch_blob(self, file: RemoteFile) -> Digests:
        """Fetch what is missing of a file, verify the whole, and give it its final name."""
        blob, partial = (path_of(self._cache, self._name, file) for path_of in (blob_of, partial_of))
        with _open_partial(partial, file.size) as unfinished:
            self._context.begin(
                Message("Download {file} of {name}", file=file.name, name=self._name), most=None
            )
            self._context.retried(
                lambda: self._get(file, unfinished), self._name, file.name, so_far=lambda: _size(unfinished)
            )
            os.fsync(unfinished.fileno())
        found = self._digests(partial, file)
        if not found.fit(file):
            partial.unlink(missing_ok=True)
            raise SpanlightError(
                Message("{file} did not arrive as it is at the Hub: its checksum is wrong.", file=file.name),
                Message(
                    "What came of it was thrown away. Download it again; if it happens again, check the proxy."
                ),
            )
        os.replace(partial, blob)
        sync_folder(blob.parent)
        return found

    def _get(self, file: RemoteFile, unfinished: IO[bytes]) -> None:
        """Try once to fetch the rest of a file."""
        self._pace.set_status(file.name)
        address = hf_hub_url(
            self._name, file.name, revision=self._passport.commit, endpoint=self._context.network.endpoint
        )
        with self._pace.expecting_bytes(_size(unfinished)):
            http_get(
                address,
                unfinished,  # type: ignore[arg-type]  # an unbuffered file has all methods that are used
                resume_size=_size(unfinished),
                headers=build_hf_headers(token=self._context.token),
                expected_size=file.size,
                displayed_filename=file.name,
                tqdm_class=self._pace.bar,  # type: ignore[arg-type]  # any callable that makes one will do
            )

    def _digests(self, path: Path, file: RemoteFile) -> Digests:
        self._pace.set_status(Message("Checking {file}", file=file.name))
        return digests(path, self._context.report.check)

    def _add_entry(self, file: RemoteFile) -> None:
        """Add a verified file to the commit's folder: as a link to its blob, or, without links, the file itself."""
        blob = blob_of(self._cache, self._name, file)
        entry = snapshot_of(self._cache, self._name, self._passport.commit) / file.name
        if entry.exists() and entry.stat().st_size == file.size:
            return
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.unlink(missing_ok=True)
        try:
            entry.symlink_to(os.path.relpath(blob, entry.parent))
        except (OSError, NotImplementedError):
            os.replace(blob, entry)

    @contextlib.contextmanager
    def _locked(self, file: RemoteFile) -> Iterator[None]:
        """Hold huggingface_hub's own lock of a blob, and tell the user while another program holds it."""
        with contextlib.ExitStack() as stack:
            while True:
                self._context.report.check()
                try:
                    stack.enter_context(WeakFileLock(self._locks / f"{etag_of(file)}.lock", timeout=0.5))
                    break
                except TimeoutError:  # filelock's own is a subclass
                    self._pace.set_status(Message("{file}: another program is fetching it", file=file.name))
            yield


def digests(path: Path, check: Callable[[], None]) -> Digests:
    """A file's checksums; `check` is called between chunks. Raises OSError if it cannot be read."""
    sha256, blob = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    for chunk in chunks_of(path):
        sha256.update(chunk)
        blob.update(chunk)
        check()
    return Digests(sha256.hexdigest(), blob.hexdigest())


def _open_partial(path: Path, most: int) -> IO[bytes]:
    """Open the file that a download's bytes are appended to, unbuffered.

    What is in its place is deleted first if it is no regular file, a link for example, or has more than `most` bytes.
    """
    with contextlib.suppress(FileNotFoundError):
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            path.unlink()
    no_follow = getattr(os, "O_NOFOLLOW", 0)
    return open(path, "ab", buffering=0, opener=lambda name, flags: os.open(name, flags | no_follow, 0o666))


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


class _Pace:
    """Counts a download's bytes and reports them to the user; `total` is the size of all its files."""

    def __init__(self, context: RequestContext, total: int) -> None:
        self._context, self._total = context, total
        self._file: RemoteFile | None = None
        self._before = self._here = 0  # bytes of the files before this one, and of this one
        self._what = ""
        self._seconds, self._since = 0.0, 0.0  # spent on requests, and when the present one began
        self._last_arrival = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque([(self._last_arrival, 0)], maxlen=int(OVER / EVERY))
        # Bytes received over the network.
        self.received = 0

    @property
    def average(self) -> float:
        """The bytes a second while downloading, 0 if there were too few to measure."""
        return self.received / self._seconds if self.received >= 2**18 and self._seconds > 0 else 0.0

    @contextlib.contextmanager
    def reported(self) -> Iterator[None]:
        """Report progress a few times a second inside the context, even while nothing arrives."""
        self._context.on_status = self.set_status
        over = threading.Event()

        def run() -> None:
            while not over.wait(EVERY):
                self._lately.append((time.monotonic(), self.received))
                self._report()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def begin(self, file: RemoteFile) -> None:
        """Start counting the next file; the one before is complete."""
        self._before += self._file.size if self._file is not None else 0
        self._here, self._file = 0, file
        self.set_status(file.name)

    @contextlib.contextmanager
    def expecting_bytes(self, there: int) -> Iterator[None]:
        """Measure the time inside the context, in which the bytes after the first `there` are requested."""
        self._here = there
        self._last_arrival = self._since = time.monotonic()
        try:
            yield
        finally:
            self._seconds += time.monotonic() - self._since
            self._since = 0.0

    def bar(self, initial: int = 0, **_: object) -> contextlib.AbstractContextManager[SimpleNamespace]:
        """The progress bar for http_get, which updates it before writing each chunk.

        `initial` is the first byte that the server really sends.
        """
        self._here = initial
        return contextlib.nullcontext(SimpleNamespace(update=self._add))

    def _add(self, count: int) -> None:
        self._context.report.check()
        assert self._file is not None
        if self._here + count > self._file.size:
            raise SpanlightError(
                Message("More bytes came for {file} than its size.", file=self._file.name),
                Message("Look the model up again."),
            )
        self.received += count
        self._here += count
        self._last_arrival = time.monotonic()

    def set_status(self, what: str) -> None:
        """Show what is being done now."""
        self._what = what
        self._report()

    def _report(self) -> None:
        now = time.monotonic()
        done = min(self._before + self._here, self._total)
        then, received = self._lately[0]
        speed = (self.received - received) / (now - then) if now - then >= EVERY else 0.0
        left = (self._total - done) / speed if speed > 0 and now - then > 1 else None
        what = self._what
        if self._since and now - self._last_arrival > SILENCE:
            silent = duration(round(now - self._last_arrival))
            what = Message("{what}: nothing has come for {time}", what=what, time=silent)
        self._context.report.progress(Progress(done, self._total, what, left))
        file = self._file.name if self._file is not None else ""
        self._context.report.partial(Downloading(done, self._total, speed, file))
