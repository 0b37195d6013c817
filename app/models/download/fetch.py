"""Downloads a passport's files into the Hugging Face cache: resumed, verified by checksum, then put in place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import WeakFileLock, build_hf_headers

from app.core.errors import SpanlightError
from app.core.offers import Passport, RemoteFile
from app.models.disk.copying import check_space, refusal, sync_folder
from app.models.download.cache import (
    blob_of,
    cache_folder,
    cached_file,
    etag_of,
    partial_of,
    snapshot_of,
    storage_of,
)
from app.models.download.conversation import RequestContext, changed
from app.models.download.errors import KEPT
from app.models.download.orders import Fetch, Fetched
from app.models.download.pace import Pace
from app.models.download.partial import Digests, Partial, digests
from app.models.download.remote import token_of
from app.models.download.repositories import COMMIT, is_repository, may_be_fetched
from app.models.download.trying import with_retries


def fetch(order: Fetch, context: RequestContext) -> Fetched:
    """Download a passport's files into the cache and verify them; complete ones there are not fetched again.

    Raises SpanlightError and Stopped; unless its checksum is wrong, an unfinished file is resumed the next time.
    """
    passport = order.passport
    _check(passport, context)
    cache = cache_folder(context.network)
    fetching = _Fetching(passport, cache, context)
    try:
        return fetching.run()
    except OSError as fault:
        fault_in_words = refusal(
            fault, f"{passport.repository} could not be put into the Hugging Face cache", cache
        )
        raise SpanlightError(fault_in_words.message, f"{fault_in_words.hint} {KEPT}") from fault


def _check(passport: Passport, context: RequestContext) -> None:
    """Raise SpanlightError for a passport that must not be downloaded; it may come from an old file."""
    if passport.card is None:
        raise SpanlightError(
            passport.refused or f"{passport.repository} cannot be used.",
            passport.hint or "Choose another model.",
        )
    named = is_repository(passport.repository) and COMMIT.fullmatch(passport.commit) is not None
    listed = bool(passport.files) and all(may_be_fetched(f.name) and f.size >= 0 for f in passport.files)
    with contextlib.suppress(ValueError):
        for file in passport.files:
            etag_of(file)
        if named and listed and passport.endpoint == context.network.endpoint:
            return
    raise SpanlightError(
        f"What was looked up of {passport.repository} does not hold any more.", "Look it up again."
    )


class _Fetching:
    """One download."""

    def __init__(self, passport: Passport, cache: Path, context: RequestContext) -> None:
        self._passport, self._cache, self._context = passport, cache, context
        self._name = passport.repository
        self._token = token_of(context)
        self._pace = Pace(context, passport.size)

    def run(self) -> Fetched:
        checksums: dict[str, str] = {}
        for folder in (storage_of(self._cache, self._name) / "blobs", self._locks):
            folder.mkdir(parents=True, exist_ok=True)
        check_space(self._cache, self._missing_bytes())
        with self._pace:
            for file in self._passport.files:
                self._pace.begin(file.name)
                checksums[file.name] = self._fetch_file(file).sha256
                self._pace.set_position(file.size)
        return Fetched(
            folder=str(snapshot_of(self._cache, self._name, self._passport.commit)),
            cache=str(self._cache),
            was_cached=self._pace.received == 0 and all(file.cached for file in self._passport.files),
            received=self._pace.received,
            speed=self._pace.average,
            checksums=tuple(sorted(checksums.items())),
        )

    @property
    def _locks(self) -> Path:
        return self._cache / ".locks" / storage_of(self._cache, self._name).name

    def _missing_bytes(self) -> int:
        lacking = 0
        for file in self._passport.files:
            if not cached_file(self._cache, self._name, self._passport.commit, file):
                with contextlib.suppress(OSError):
                    lacking -= min(file.size, partial_of(self._cache, self._name, file).stat().st_size)
                lacking += file.size
        return lacking

    def _fetch_file(self, file: RemoteFile) -> Digests:
        """Put one file into the cache under its name, complete and verified."""
        cached = cached_file(self._cache, self._name, self._passport.commit, file)
        if cached is not None:
            found = self._digests(cached, file)
            if found.fit(file):
                self._put_in_place(file)
                return found
            self._throw_away(cached, file)
        self._have_metadata(file)
        with self._locked(file):
            found = self._blob(file)
        entry = self._entry(file)
        is_new = not entry.exists()
        self._put_in_place(file)
        if is_new and not entry.is_symlink():
            # Without links the entry is a copy: the bytes are not needed twice.
            blob_of(self._cache, self._name, file).unlink(missing_ok=True)
        return found

    def _entry(self, file: RemoteFile) -> Path:
        return snapshot_of(self._cache, self._name, self._passport.commit) / file.name

    def _throw_away(self, cached: Path, file: RemoteFile) -> None:
        """Delete a damaged file and its entry from the cache."""
        blobs = blob_of(self._cache, self._name, file).parent
        target = Path(os.path.realpath(cached))
        if target.parent == Path(os.path.realpath(blobs)):  # a link may lead to somebody else's file
            target.unlink(missing_ok=True)
        cached.unlink(missing_ok=True)

    def _have_metadata(self, file: RemoteFile) -> None:
        """Check that the Hub still has the file that was looked up. Raises SpanlightError if it has another."""
        context = self._context
        context.begin(f"Ask for {file.name} of {self._name}")
        context.etag, context.commit = etag_of(file), self._passport.commit
        metadata = with_retries(
            lambda: get_hf_file_metadata(
                self._address(file),
                token=self._token,
                timeout=context.limits.read,
                endpoint=context.network.endpoint,
            ),
            context,
            self._name,
            file.name,
        )
        if metadata.etag != etag_of(file) or (metadata.size is not None and metadata.size != file.size):
            raise changed(file.name)

    def _blob(self, file: RemoteFile) -> Digests:
        """Fetch the missing rest of a file, verify it, and give it its final name."""
        blob, partial = blob_of(self._cache, self._name, file), partial_of(self._cache, self._name, file)
        if blob.is_file() and blob.stat().st_size == file.size:
            found = self._digests(blob, file)  # another program was faster
            if found.fit(file):
                return found
        with Partial(partial, file.size, self._on_bytes) as coming:
            self._context.begin(f"Download {file.name} of {self._name}", most=None)
            with_retries(
                lambda: self._get(file, coming), self._context, self._name, file.name, so_far=coming.size
            )
            coming.sync()
        found = self._digests(partial, file)
        if not found.fit(file):
            partial.unlink(missing_ok=True)
            raise SpanlightError(
                f"{file.name} did not arrive as it is at the Hub: its checksum is wrong.",
                "What came of it was thrown away. Download it again; if it happens again, check the proxy.",
            )
        os.replace(partial, blob)
        sync_folder(blob.parent)
        return found

    def _get(self, file: RemoteFile, coming: Partial) -> None:
        """One attempt at the rest of a file, through huggingface_hub's own request."""
        there = coming.seek(0, os.SEEK_END)
        self._pace.set_position(there)
        self._pace.set_status(file.name)
        self._pace.opened()
        try:
            http_get(
                self._address(file),
                coming,  # type: ignore[arg-type]  # it has all file methods that are used
                resume_size=there,
                headers=build_hf_headers(token=self._token),
                expected_size=file.size,
                displayed_filename=file.name,
                tqdm_class=_bar(self._pace),
            )
        finally:
            self._pace.closed()

    def _on_bytes(self, count: int) -> None:
        self._context.report.check()

    def _digests(self, path: Path, file: RemoteFile) -> Digests:
        self._pace.set_status(f"Checking {file.name}")
        return digests(path, self._on_bytes)

    def _put_in_place(self, file: RemoteFile) -> None:
        """Have huggingface_hub make the commit's entry of a downloaded file; it asks the Hub if there is none yet."""
        context, entry = self._context, self._entry(file)
        if entry.exists() and entry.stat().st_size != file.size:
            entry.unlink()
        context.begin(f"Put {file.name} of {self._name} in place")
        context.etag, context.commit = etag_of(file), self._passport.commit
        with_retries(
            lambda: hf_hub_download(
                self._name,
                file.name,
                revision=self._passport.commit,
                cache_dir=self._cache,
                endpoint=context.network.endpoint,
                token=self._token,
                etag_timeout=context.limits.read,
            ),
            context,
            self._name,
            file.name,
        )

    def _address(self, file: RemoteFile) -> str:
        return hf_hub_url(
            self._name, file.name, revision=self._passport.commit, endpoint=self._context.network.endpoint
        )

    @contextlib.contextmanager
    def _locked(self, file: RemoteFile) -> Iterator[None]:
        """Hold huggingface_hub's own lock of a blob, and show it while another program has the lock."""
        with contextlib.ExitStack() as stack:
            while True:
                self._context.report.check()
                try:
                    stack.enter_context(WeakFileLock(self._locks / f"{etag_of(file)}.lock", timeout=0.5))
                    break
                except TimeoutError:  # filelock's own is one
                    self._pace.set_status(f"{file.name}: another program is fetching it")
            yield


def _bar(pace: Pace) -> type:
    """A stand-in for http_get's progress bar: its `initial` is the byte that the server really sends from."""

    class Bar:
        def __init__(self, initial: int = 0, **_: object) -> None:
            pace.set_position(initial)

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing to close."""

        def update(self, count: int) -> None:
            """The client has counted the bytes already."""

    return Bar
