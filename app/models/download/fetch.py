"""A passport's files brought into the Hugging Face cache: resumed where they were cut, checked, then put in place."""

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
    etag_of,
    held_at,
    partial_of,
    snapshot_of,
    storage_of,
)
from app.models.download.conversation import Conversation, changed
from app.models.download.errors import KEPT
from app.models.download.orders import Fetch, Fetched
from app.models.download.pace import Pace
from app.models.download.partial import Digests, Partial, digests
from app.models.download.remote import token_of
from app.models.download.repositories import COMMIT, is_repository, may_be_fetched
from app.models.download.trying import keep_trying


def fetch(order: Fetch, talk: Conversation) -> Fetched:
    """Bring a passport's files into the cache, whole and checked; what is there already is not fetched again.

    Raises SpanlightError, whereupon what came stays for the next time unless its checksum is wrong, and Stopped.
    """
    passport = order.passport
    _check(passport, talk)
    cache = cache_folder(talk.network)
    fetching = _Fetching(passport, cache, talk)
    try:
        return fetching.run()
    except OSError as fault:
        told = refusal(fault, f"{passport.repository} could not be put into the Hugging Face cache", cache)
        raise SpanlightError(told.message, f"{told.hint} {KEPT}") from fault


def _check(passport: Passport, talk: Conversation) -> None:
    """Raises SpanlightError for a passport that no download may follow; it may come from a file of long ago."""
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
        if named and listed and passport.endpoint == talk.network.endpoint:
            return
    raise SpanlightError(
        f"What was looked up of {passport.repository} does not hold any more.", "Look it up again."
    )


class _Fetching:
    """One download at work."""

    def __init__(self, passport: Passport, cache: Path, talk: Conversation) -> None:
        self._passport, self._cache, self._talk = passport, cache, talk
        self._name = passport.repository
        self._token = token_of(talk)
        self._pace = Pace(talk, passport.size)

    def run(self) -> Fetched:
        checksums: dict[str, str] = {}
        for folder in (storage_of(self._cache, self._name) / "blobs", self._locks):
            folder.mkdir(parents=True, exist_ok=True)
        check_space(self._cache, self._lacking())
        with self._pace:
            for file in self._passport.files:
                self._pace.begin(file.name)
                checksums[file.name] = self._one(file).sha256
                self._pace.stands(file.size)
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

    def _lacking(self) -> int:
        lacking = 0
        for file in self._passport.files:
            if not held_at(self._cache, self._name, self._passport.commit, file):
                with contextlib.suppress(OSError):
                    lacking -= min(file.size, partial_of(self._cache, self._name, file).stat().st_size)
                lacking += file.size
        return lacking

    def _one(self, file: RemoteFile) -> Digests:
        """Have one file in the cache under its name, whole and checked."""
        held = held_at(self._cache, self._name, self._passport.commit, file)
        if held is not None:
            found = self._digests(held, file)
            if found.fit(file):
                self._put_in_place(file)
                return found
            self._throw_away(held, file)
        self._have_metadata(file)
        with self._locked(file):
            found = self._blob(file)
        entry = self._entry(file)
        made = not entry.exists()
        self._put_in_place(file)
        if made and not entry.is_symlink():
            # Where links cannot be, the entry is a copy: the bytes need not lie there twice.
            blob_of(self._cache, self._name, file).unlink(missing_ok=True)
        return found

    def _entry(self, file: RemoteFile) -> Path:
        return snapshot_of(self._cache, self._name, self._passport.commit) / file.name

    def _throw_away(self, held: Path, file: RemoteFile) -> None:
        """Take a damaged file out of the cache, and its entry with it."""
        blobs = blob_of(self._cache, self._name, file).parent
        target = Path(os.path.realpath(held))
        if target.parent == Path(os.path.realpath(blobs)):  # a link may lead to somebody else's file
            target.unlink(missing_ok=True)
        held.unlink(missing_ok=True)

    def _have_metadata(self, file: RemoteFile) -> None:
        """That the Hub still has the file that was looked up. Raises SpanlightError where it has another."""
        talk = self._talk
        talk.begin(f"Ask for {file.name} of {self._name}")
        talk.etag, talk.commit = etag_of(file), self._passport.commit
        told = keep_trying(
            lambda: get_hf_file_metadata(
                self._address(file),
                token=self._token,
                timeout=talk.limits.read,
                endpoint=talk.network.endpoint,
            ),
            talk,
            self._name,
            file.name,
        )
        if told.etag != etag_of(file) or (told.size is not None and told.size != file.size):
            raise changed(file.name)

    def _blob(self, file: RemoteFile) -> Digests:
        """Fetch what is lacking of a file's bytes, check them, and give them their final name."""
        blob, partial = blob_of(self._cache, self._name, file), partial_of(self._cache, self._name, file)
        if blob.is_file() and blob.stat().st_size == file.size:
            found = self._digests(blob, file)  # another program was faster
            if found.fit(file):
                return found
        with Partial(partial, file.size, self._went_by) as coming:
            self._talk.begin(f"Download {file.name} of {self._name}", most=None)
            keep_trying(
                lambda: self._get(file, coming), self._talk, self._name, file.name, so_far=coming.size
            )
            coming.settle()
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
        """One try at the rest of a file, through huggingface_hub's own way of asking for it."""
        there = coming.seek(0, os.SEEK_END)
        self._pace.stands(there)
        self._pace.say(file.name)
        self._pace.opened()
        try:
            http_get(
                self._address(file),
                coming,  # type: ignore[arg-type]  # all of a file that it uses
                resume_size=there,
                headers=build_hf_headers(token=self._token),
                expected_size=file.size,
                displayed_filename=file.name,
                tqdm_class=_bar(self._pace),
            )
        finally:
            self._pace.closed()

    def _went_by(self, count: int) -> None:
        self._talk.report.check()

    def _digests(self, path: Path, file: RemoteFile) -> Digests:
        self._pace.say(f"Checking {file.name}")
        return digests(path, self._went_by)

    def _put_in_place(self, file: RemoteFile) -> None:
        """Have huggingface_hub make the commit's entry of a file whose bytes are there; without one it asks the Hub."""
        talk, entry = self._talk, self._entry(file)
        if entry.exists() and entry.stat().st_size != file.size:
            entry.unlink()
        talk.begin(f"Put {file.name} of {self._name} in place")
        talk.etag, talk.commit = etag_of(file), self._passport.commit
        keep_trying(
            lambda: hf_hub_download(
                self._name,
                file.name,
                revision=self._passport.commit,
                cache_dir=self._cache,
                endpoint=talk.network.endpoint,
                token=self._token,
                etag_timeout=talk.limits.read,
            ),
            talk,
            self._name,
            file.name,
        )

    def _address(self, file: RemoteFile) -> str:
        return hf_hub_url(
            self._name, file.name, revision=self._passport.commit, endpoint=self._talk.network.endpoint
        )

    @contextlib.contextmanager
    def _locked(self, file: RemoteFile) -> Iterator[None]:
        """Hold huggingface_hub's own lock of a blob; while another program has it, that is said."""
        with contextlib.ExitStack() as held:
            while True:
                self._talk.report.check()
                try:
                    held.enter_context(WeakFileLock(self._locks / f"{etag_of(file)}.lock", timeout=0.5))
                    break
                except TimeoutError:  # filelock's own is one
                    self._pace.say(f"{file.name}: another program is fetching it")
            yield


def _bar(pace: Pace) -> type:
    """What http_get takes for a progress bar: it tells from which byte on the server really sends."""

    class Bar:
        def __init__(self, initial: int = 0, **_: object) -> None:
            pace.stands(initial)

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is on the screen."""

        def update(self, count: int) -> None:
            """The client has counted the bytes as they came."""

    return Bar
