"""Finds and deletes files in the Hugging Face cache, as huggingface_hub lays it out; standard library only, no network.

<cache>/models--org--name/blobs/<etag>              a file's bytes; <etag>.incomplete during the download
<cache>/models--org--name/snapshots/<commit>/<name> a link to its blob, or the file itself if links are impossible
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from app.core.network import Network
from app.core.offers import Passport, RemoteFile
from app.models.download.repositories import COMMIT, DIGEST, is_repository

PARTIAL = ".incomplete"


def cache_folder(network: Network) -> Path:
    """The cache's folder: the chosen one, else the one that huggingface_hub uses."""
    if network.cache:
        return Path(network.cache).expanduser().absolute()
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(name):
            return _expanded(os.environ[name])
    if os.environ.get("HF_HOME"):
        return _expanded(os.environ["HF_HOME"]) / "hub"
    return _expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def _expanded(path: str) -> Path:
    return Path(os.path.expandvars(path)).expanduser().absolute()


def storage_of(cache: Path, repository: str) -> Path:
    """The folder of a repository in the cache. Raises ValueError for an invalid name."""
    if not is_repository(repository):
        raise ValueError(f"no repository: {repository!a}")
    return cache / ("models--" + repository.replace("/", "--"))


def snapshot_of(cache: Path, repository: str, commit: str) -> Path:
    """The folder that holds a commit's files under their names. Raises ValueError for an invalid commit id."""
    if not COMMIT.fullmatch(commit):
        raise ValueError(f"no commit: {commit!a}")
    return storage_of(cache, repository) / "snapshots" / commit


def etag_of(file: RemoteFile) -> str:
    """The name of a file's blob, which is its checksum. Raises ValueError if it has none."""
    etag = file.sha256 or file.blob
    if not DIGEST.fullmatch(etag):
        raise ValueError(f"no checksum: {etag!a}")
    return etag


def blob_of(cache: Path, repository: str, file: RemoteFile) -> Path:
    """The path of a completely downloaded file's bytes."""
    return storage_of(cache, repository) / "blobs" / etag_of(file)


def partial_of(cache: Path, repository: str, file: RemoteFile) -> Path:
    """The path of a file's bytes during the download."""
    blob = blob_of(cache, repository, file)
    return blob.with_name(blob.name + PARTIAL)


def cached_file(cache: Path, repository: str, commit: str, file: RemoteFile) -> Path | None:
    """The path of a file in the cache, None if it is not there or, judged by its size, not complete."""
    for path in (snapshot_of(cache, repository, commit) / file.name, blob_of(cache, repository, file)):
        if _size(path) == file.size:
            return path
    return None


def cached_bytes(passport: Passport, network: Network) -> int:
    """The bytes of a passport's files that are in the cache already, unfinished ones included."""
    cache = cache_folder(network)
    found = 0
    for file in passport.files:
        if cached_file(cache, passport.repository, passport.commit, file):
            found += file.size
        else:
            found += min(file.size, max(0, _size(partial_of(cache, passport.repository, file))))
    return found


def cache_size(repository: str, commit: str, network: Network, files: Collection[str] | None = None) -> int:
    """The bytes that `forget` would free."""
    return sum(size for _, size in _removable(repository, commit, network, files))


def forget(repository: str, commit: str, network: Network, files: Collection[str] | None = None) -> None:
    """Delete a commit's files, all or those named, from the cache; blobs that other commits use stay.

    Raises OSError on a disk error.
    """
    cache = cache_folder(network)
    for path, _ in list(_removable(repository, commit, network, files)):
        path.unlink(missing_ok=True)
    storage, snapshot = storage_of(cache, repository), snapshot_of(cache, repository, commit)
    if not _files(snapshot):
        for reference in _files(storage / "refs"):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                if reference.read_text("utf-8").strip() == commit:
                    reference.unlink()
    _tidy(storage, snapshot)


def forget_partials(passport: Passport, network: Network) -> None:
    """Delete what an unfinished download of a passport left in the cache.

    That is unfinished files, and complete ones that no commit has and that were not there before. Raises OSError on a
    disk error.
    """
    cache = cache_folder(network)
    storage = storage_of(cache, passport.repository)
    entered = {os.path.realpath(entry) for entry in _files(storage / "snapshots")}
    for file in passport.files:
        partial, blob = (path_of(cache, passport.repository, file) for path_of in (partial_of, blob_of))
        loose = not file.cached and os.path.realpath(blob) not in entered
        for path in (partial, blob) if loose else (partial,):
            path.unlink(missing_ok=True)
    _tidy(storage, snapshot_of(cache, passport.repository, passport.commit))


def _removable(
    repository: str, commit: str, network: Network, files: Collection[str] | None
) -> Iterator[tuple[Path, int]]:
    """Yield the files to delete with a commit, its entries and blobs without other entries, each with its bytes."""
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
        # A link may lead out of the cache; only targets among the blobs belong to it.
        in_cache = target.parent == Path(os.path.realpath(blobs))
        if in_cache and str(target) not in others and target not in seen and target.exists():
            seen.add(target)
            yield target, _freed(target)


def _freed(path: Path) -> int:
    """The bytes that deleting a file frees, 0 if it has another hard link."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return status.st_size if status.st_nlink == 1 else 0


def _files(folder: Path) -> list[Path]:
    return [Path(at) / name for at, _, names in os.walk(folder) for name in names]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _tidy(storage: Path, snapshot: Path) -> None:
    """Remove what is empty of a commit's and a repository's folders."""
    below = [Path(at) for at, _, _ in os.walk(snapshot, topdown=False)]
    if not _files(storage / "blobs") and not _files(storage / "snapshots"):
        below += [Path(at) for at, _, _ in os.walk(storage / "snapshots", topdown=False)]
        below += [storage / "blobs", storage / "refs", storage]
    for folder in below:
        with contextlib.suppress(OSError):  # not empty
            folder.rmdir()
