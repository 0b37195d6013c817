"""The Hugging Face cache's folders, as huggingface_hub lays them out; standard library only, no network.

<cache>/models--org--name/blobs/<etag>              a file's bytes; <etag>.incomplete while they come in
<cache>/models--org--name/snapshots/<commit>/<name> a link to its blob, or the file itself where links cannot be
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from app.core.network import Network
from app.core.offers import Passport, RemoteFile
from app.models.download.repositories import COMMIT, DIGEST, is_repository

PARTIAL = ".incomplete"


def cache_folder(network: Network, environ: Mapping[str, str] = os.environ) -> Path:
    """The cache that is used: the one chosen, else the standard one as huggingface_hub finds it."""
    if network.cache:
        return Path(network.cache).expanduser().absolute()
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environ.get(name):
            return _expanded(environ[name])
    if environ.get("HF_HOME"):
        return _expanded(environ["HF_HOME"]) / "hub"
    return _expanded(environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def _expanded(path: str) -> Path:
    return Path(os.path.expandvars(path)).expanduser().absolute()


def storage_of(cache: Path, repository: str) -> Path:
    """The folder of a repository in the cache. Raises ValueError for a name that none can have."""
    if not is_repository(repository):
        raise ValueError(f"no repository: {repository!a}")
    return cache / ("models--" + repository.replace("/", "--"))


def snapshot_of(cache: Path, repository: str, commit: str) -> Path:
    """The folder where a commit's files stand under their names. Raises ValueError for what is no commit's id."""
    if not COMMIT.fullmatch(commit):
        raise ValueError(f"no commit: {commit!a}")
    return storage_of(cache, repository) / "snapshots" / commit


def etag_of(file: RemoteFile) -> str:
    """The name of a file's blob, which is its checksum. Raises ValueError where it has none."""
    etag = file.sha256 or file.blob
    if not DIGEST.fullmatch(etag):
        raise ValueError(f"no checksum: {etag!a}")
    return etag


def blob_of(cache: Path, repository: str, file: RemoteFile) -> Path:
    """Where a file's bytes lie once they are whole."""
    return storage_of(cache, repository) / "blobs" / etag_of(file)


def partial_of(cache: Path, repository: str, file: RemoteFile) -> Path:
    """Where a file's bytes lie while they come in."""
    blob = blob_of(cache, repository, file)
    return blob.with_name(blob.name + PARTIAL)


def held_at(cache: Path, repository: str, commit: str, file: RemoteFile) -> Path | None:
    """Where a file lies whole in the cache, told by its size; None where it does not."""
    for path in (snapshot_of(cache, repository, commit) / file.name, blob_of(cache, repository, file)):
        if _size(path) == file.size:
            return path
    return None


def have(passport: Passport, network: Network) -> int:
    """How many bytes of a passport's files are in the cache already, unfinished ones counted."""
    cache = cache_folder(network)
    found = 0
    for file in passport.files:
        if held_at(cache, passport.repository, passport.commit, file):
            found += file.size
        else:
            found += min(file.size, max(0, _size(partial_of(cache, passport.repository, file))))
    return found


def cache_size(repository: str, commit: str, network: Network, files: Collection[str] | None = None) -> int:
    """How many bytes `forget` would free."""
    return sum(size for _, size in _goes(repository, commit, network, files))


def forget(repository: str, commit: str, network: Network, files: Collection[str] | None = None) -> int:
    """Take a commit's files out of the cache, all or those named, and give the bytes freed.

    What another commit in the cache needs stays. Raises OSError where the disk refuses.
    """
    cache = cache_folder(network)
    freed = 0
    for path, size in list(_goes(repository, commit, network, files)):
        path.unlink(missing_ok=True)
        freed += size
    storage, snapshot = storage_of(cache, repository), snapshot_of(cache, repository, commit)
    if not _files(snapshot):
        for reference in _files(storage / "refs"):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                if reference.read_text("utf-8").strip() == commit:
                    reference.unlink()
    _tidy(storage, snapshot)
    return freed


def forget_partials(passport: Passport, network: Network) -> int:
    """Throw away what has come in of a passport's files and has no entry yet, and give the bytes freed.

    Those are unfinished files, and whole ones that were not in the cache before. Raises OSError where the disk refuses.
    """
    cache = cache_folder(network)
    storage = storage_of(cache, passport.repository)
    entered = {os.path.realpath(entry) for entry in _files(storage / "snapshots")}
    freed = 0
    for file in passport.files:
        partial, blob = (place(cache, passport.repository, file) for place in (partial_of, blob_of))
        loose = not file.cached and os.path.realpath(blob) not in entered
        for path in (partial, blob) if loose else (partial,):
            freed += _freed(path)
            path.unlink(missing_ok=True)
    _tidy(storage, snapshot_of(cache, passport.repository, passport.commit))
    return freed


def _goes(
    repository: str, commit: str, network: Network, files: Collection[str] | None
) -> Iterator[tuple[Path, int]]:
    """The files that go with a commit: its entries, and the blobs that no other entry leads to, with the bytes each."""
    cache = cache_folder(network)
    snapshot = snapshot_of(cache, repository, commit)
    entries = [p for p in _files(snapshot) if files is None or p.relative_to(snapshot).as_posix() in files]
    blobs = storage_of(cache, repository) / "blobs"
    going = {entry: Path(os.path.realpath(entry)) for entry in entries}
    others = {os.path.realpath(p) for p in _files(snapshot.parent) if p not in going}
    seen: set[Path] = set()
    for entry, target in going.items():
        if not entry.is_symlink():
            yield entry, _freed(entry)
            continue
        yield entry, 0
        # A link may lead out of the cache; only what lies among the blobs is the cache's own.
        own = target.parent == Path(os.path.realpath(blobs))
        if own and str(target) not in others and target not in seen and target.exists():
            seen.add(target)
            yield target, _freed(target)


def _freed(path: Path) -> int:
    """What deleting a file frees: nothing where another hard link leads to its bytes."""
    try:
        told = path.stat()
    except OSError:
        return 0
    return told.st_size if told.st_nlink == 1 else 0


def _files(folder: Path) -> list[Path]:
    return [Path(at) / name for at, _, names in os.walk(folder) for name in names]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _tidy(storage: Path, snapshot: Path) -> None:
    """Take away folders that nothing is left in."""
    below = [Path(at) for at, _, _ in os.walk(snapshot, topdown=False)]
    if not _files(storage / "blobs") and not _files(storage / "snapshots"):
        below += [Path(at) for at, _, _ in os.walk(storage / "snapshots", topdown=False)]
        below += [storage / "blobs", storage / "refs", storage]
    for folder in below:
        with contextlib.suppress(OSError):  # not empty
            folder.rmdir()
