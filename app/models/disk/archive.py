"""Unpacks a model from a zip: its directory is checked first, and only known files are unpacked."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk import copying
from app.models.disk.config import CONFIG
from app.models.disk.copying import CHUNK, LARGEST_MODEL, Meter, files_to_copy, is_text, longest
from app.models.disk.names import key_of
from app.models.disk.weights import INDEX, PICKLES, SINGLE, shard_names

START = b"PK\x03\x04"
MOST_ENTRIES = 10_000
# ZipFile reads the whole directory at once; it reads nothing else in chunks as large.
_LONGEST_DIRECTORY = 8 * 2**20
# Weights hardly shrink and JSON shrinks to a tenth; deflate reaches 1032 : 1, other methods far more.
MOST_RATIO = 100
_SMALL = 2**20  # for less than this any ratio is allowed
_SHORTEST_HEADER = 30
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # APPNOTE 4.4.4: encrypted, strongly, with its directory
_WEIGHTS = (".safetensors", *PICKLES)
Files = dict[str, zipfile.ZipInfo]
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


class Archive:
    """An opened zip whose directory has been checked; `name` is its name in messages.

    `folder` is the model's folder in it ("" for the top), `size` the bytes of the model's files once unpacked.
    """

    def __init__(self, file: zipfile.ZipFile, name: str) -> None:
        self._file, self._name = file, name
        _check(file.infolist(), name)
        self.folder, self._entries = _find_model(
            [entry for entry in file.infolist() if not entry.is_dir()], name
        )
        self.size = sum(entry.file_size for entry in self._entries.values())

    def unpack(self, folder: Path, meter: Meter) -> tuple[tuple[str, int, str], ...]:
        """Write the model's files into a folder, and return each one's name, size and SHA-256.

        Raises SpanlightError if the zip is damaged, holds more than its directory says, or cannot be written to disk;
        Stopped when stopped.
        """
        done = []
        unnamed: frozenset[str] = frozenset()
        for name, entry in self._entries.items():
            if name in unnamed:
                continue
            try:
                sha256 = copying.write(self._chunks(entry), folder / name, meter)
            except OSError as fault:
                raise copying.refusal(
                    fault, Message("{file} of “{name}” could not be unpacked", file=name, name=self._name)
                ) from fault
            done.append((name, entry.file_size, sha256))
            if name == INDEX:
                unnamed = self._unnamed_shards(folder / INDEX)
        return tuple(done)

    def _chunks(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield a file's bytes, as many as the directory says; the checksum is verified at the end."""
        count = 0
        try:
            with self._file.open(entry) as file:
                while chunk := file.read(CHUNK):
                    count += len(chunk)
                    yield chunk
        except _BROKEN as fault:
            raise _damaged(self._name) from fault
        if count != entry.file_size:
            raise _damaged(self._name)

    def _unnamed_shards(self, index: Path) -> frozenset[str]:
        """The weight files that the index, which is unpacked before them, does not name."""
        try:
            named = set(shard_names(index.read_bytes(), self._name))
        except SpanlightError:
            named = set()  # reported when the card is read
        return frozenset(
            name for name in self._entries if name.endswith(".safetensors") and name not in named
        )


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a zip with one model in it. Raises SpanlightError if it is not one, or not to be trusted."""
    with _opened(path) as file:
        yield Archive(file, path.name)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        raw = path.open("rb", buffering=0)
    except OSError as fault:
        raise SpanlightError(
            Message(
                "“{file}” cannot be read: {reason}.", file=path.name, reason=fault.strerror or str(fault)
            ),
            Message("Check the file and its permissions."),
        ) from fault
    with raw:
        try:
            file = zipfile.ZipFile(_Bounded(raw))
        except (*_BROKEN, OSError) as fault:
            raise _damaged(path.name) from fault
        with file:
            yield file


def is_zip(path: Path) -> bool:
    """Whether a file starts like a zip, whatever its name; False if it is not a file or cannot be read."""
    try:
        if not path.is_file():  # reading a pipe would block
            return False
        with path.open("rb") as file:
            return file.read(len(START)) == START
    except OSError:
        return False


def holds_model(path: Path) -> bool:
    """Whether a zip's directory lists a model, sound or not; nothing is unpacked."""
    if not is_zip(path):
        return False
    try:
        with _opened(path) as file:
            names = [name.replace("\\", "/").rpartition("/")[2] for name in file.namelist()]
    except SpanlightError:
        return False
    return CONFIG in names and any(name.endswith(_WEIGHTS) for name in names)


class _Bounded(io.BufferedReader):
    """A file that refuses to read more at once than any honest zip needs."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LONGEST_DIRECTORY:
            raise zipfile.BadZipFile("its directory is larger than any model's")
        return super().read(size)


def _check(entries: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Refuse what only a hostile or broken zip holds."""
    if len(entries) > MOST_ENTRIES:
        raise SpanlightError(
            Message(
                "“{name}” holds more than {most:,} files, which no model does.",
                name=name,
                most=MOST_ENTRIES,
            ),
            Message("Unpack it with another program, and import the model's folder."),
        )
    seen: set[str] = set()
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:  # overlapping entries, so that some bytes count for several files
            raise _too_large(name)
        end = entry.header_offset + _SHORTEST_HEADER + entry.compress_size
        if entry.flag_bits & _ENCRYPTED:
            raise SpanlightError(
                Message("“{name}” is protected with a password.", name=name),
                Message("Unpack it with another program, and import the model's folder."),
            )
        _check_name(entry, name)
        if key_of(entry.filename) in seen:
            raise SpanlightError(
                Message("“{name}” holds two files of one name, and was not unpacked.", name=name),
                Message("Get it again from where it came."),
            )
        seen.add(key_of(entry.filename))


def _check_name(entry: zipfile.ZipInfo, name: str) -> None:
    filename = entry.orig_filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if (
        filename.startswith(("/", "\\"))
        or "\\" in filename
        or ":" in filename
        or ".." in filename.split("/")
        or any(ord(letter) < 32 for letter in filename)
        or kind not in (0, stat.S_IFREG, stat.S_IFDIR)
    ):
        raise SpanlightError(
            Message(
                "“{name}” holds links or files that would be unpacked outside of it, and was not unpacked.",
                name=name,
            ),
            Message("Do not use this model: a sound one holds nothing of the kind."),
        )


def _find_model(entries: Sequence[zipfile.ZipInfo], name: str) -> tuple[str, Files]:
    """Find the one model among the entries, at the top or one folder deep: its folder, and its files by name."""
    folders: dict[str, Files] = {}
    for entry in entries:
        folder, _, file = entry.filename.rpartition("/")
        if "/" not in folder:
            folders.setdefault(folder, {})[file] = entry
    # Some models have a config.json for a part of them too.
    found = [
        folder
        for folder, files in folders.items()
        if CONFIG in files and any(file.endswith(_WEIGHTS) for file in files)
    ]
    if len(found) > 1:
        names = ", ".join(sorted(filter(None, found))[:4])
        several = Message("“{name}” holds several models: {names}.", name=name, names=names)
        if "" in found:
            several = Message(
                "“{name}” holds several models: one at its top, {names}.", name=name, names=names
            )
        raise SpanlightError(several, Message("Unpack it, and import the folder of the one you want."))
    if not found:
        raise SpanlightError(
            Message("“{name}” holds no model.", name=name),
            Message(
                "A model's zip has config.json, model.safetensors, tokenizer.json at its top or in one folder."
            ),
        )
    files = folders[found[0]]
    wanted = list(files_to_copy({f for f in files if not is_text(f) or files[f].file_size <= longest(f)}))
    if SINGLE not in files:
        wanted += sorted(file for file in files if file.endswith(".safetensors"))
    if not any(file.endswith(".safetensors") for file in wanted):
        pickle = next(file for file in files if file.endswith(_WEIGHTS))
        raise SpanlightError(
            Message(
                "“{name}” holds its weights only as {pickle}, a format that can carry programs.",
                name=name,
                pickle=ascii(pickle[:60])[1:-1],
            ),
            Message("Convert it to model.safetensors, or fetch the safetensors version of this model."),
        )
    taken = {file: files[file] for file in wanted}
    _check_sizes(taken, name)
    return found[0], taken


def _check_sizes(files: Files, name: str) -> None:
    """Refuse files that would unpack to far more than their packed size, or that no model needs."""
    for file, entry in files.items():
        if entry.compress_type not in _METHODS:
            raise SpanlightError(
                Message("“{name}” is packed in a way that Spanlight does not unpack.", name=name),
                Message("Unpack it with another program, and import the model's folder."),
            )
        tight = entry.file_size > _SMALL and entry.file_size > MOST_RATIO * max(1, entry.compress_size)
        if tight or entry.file_size > longest(file):
            raise _too_large(name)
    size = sum(entry.file_size for entry in files.values())
    packed = sum(entry.compress_size for entry in files.values())
    if size > LARGEST_MODEL or size > max(_SMALL, MOST_RATIO * packed):
        raise _too_large(name)


def _too_large(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” would unpack to far more than a model, and was not unpacked.", name=name),
        Message("Do not use it: a sound model packs to no such size."),
    )


def _damaged(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” is damaged: it cannot be unpacked whole.", name=name),
        Message("Get it again from where it came."),
    )
