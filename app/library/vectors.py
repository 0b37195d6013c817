"""The vectors of passages, a memory-mapped file for each model: row n belongs to the passage with the number n."""

from __future__ import annotations

import logging
import os
import threading
from functools import partial
from pathlib import Path

import numpy as np

from app.core.atomic import replacing

_log = logging.getLogger(__name__)

# float32[width], or float32[n, width]: unit vectors.
Array = np.ndarray
# Rows compared at once: as float32 so many fit into the processor's cache.
_AT_ONCE = 512
# Bytes that a file system allocates at once.
_BLOCK = 4096
_PREFIX = "vectors-"


class Vectors:
    """Unit vectors of `width` numbers, each as int8 with a scale; a scale of 0 stands for no vector.

    A row takes `width` + 4 bytes. Raises OSError where the disk refuses.
    """

    def __init__(self, file: Path, width: int) -> None:
        self._file = file
        self._row = np.dtype([("scale", "<f4"), ("values", "i1", (width,))])
        # The file's device and inode, and its rows; replaced together, as several threads read them.
        self._mapped: tuple[tuple[int, int] | None, np.ndarray] = (None, np.zeros(0, dtype=self._row))

    def put(self, numbers: np.ndarray, vectors: np.ndarray) -> None:
        """Store vectors, float32[n, width], in the rows with these numbers, flushed to disk."""
        rows = np.zeros(len(numbers), dtype=self._row)
        most = np.abs(vectors).max(axis=1)
        rows["scale"] = most / 127
        rows["values"] = np.rint(vectors / np.maximum(rows["scale"], 1e-12)[:, None])
        # The system may break off a write anywhere, at a kill or on a full disk: no scale counts before its values.
        unscaled = rows.copy()
        unscaled["scale"] = 0
        self._write(numbers, unscaled)
        self._write(numbers, rows)

    def clear(self, numbers: np.ndarray) -> None:
        """Delete the vectors in the rows with these numbers, as far as there are any."""
        rows = self._rows()
        there = numbers[numbers < len(rows)]
        there = there[rows["scale"][there] > 0]
        if len(there):
            self._write(there, np.zeros(len(there), dtype=self._row))

    def have(self, count: int) -> np.ndarray:
        """Whether each of the first `count` rows has a vector, bool[count]."""
        found = np.zeros(count, dtype=bool)
        scales = self._rows()["scale"][:count]
        found[: len(scales)] = scales > 0
        return found

    def scores(self, query: np.ndarray) -> np.ndarray:
        """Each row's cosine with a unit vector, float32[rows]; 0 for a row without a vector."""
        rows = self._rows()
        scores = np.zeros(len(rows), dtype=np.float32)
        query = query.astype(np.float32)
        wide = np.empty((_AT_ONCE, len(query)), dtype=np.float32)
        for at in range(0, len(rows), _AT_ONCE):
            some = wide[: len(rows) - at]
            some[...] = rows["values"][at : at + _AT_ONCE]
            np.dot(some, query, out=scores[at : at + len(some)])
        scores *= rows["scale"]
        return scores

    def compact(self) -> None:
        """Return to the file system what rows without a vector take, if that is more than 5% of the file.

        Such rows become holes of a new file, which replaces this one: a process that has this one mapped keeps it. No
        other process may write meanwhile.
        """
        try:
            file = self._file.open("rb")
        except FileNotFoundError:
            return
        with file:
            blocks = enumerate(iter(partial(file.read, _BLOCK), b""))
            full = [at for at, block in blocks if block.count(0) < len(block)]
            status = os.fstat(file.fileno())
            if hasattr(status, "st_blocks"):
                taken, needed = status.st_blocks * 512, len(full) * _BLOCK
            else:  # on Windows holes take space, except at the end
                taken, needed = status.st_size, (full[-1] + 1) * _BLOCK if full else 0
            if 20 * (taken - needed) <= taken:
                return
            self._mapped = None, np.zeros(0, dtype=self._row)
            with replacing(self._file) as part:
                with part.open("wb") as copy:
                    for at in full:
                        file.seek(at * _BLOCK)
                        copy.seek(at * _BLOCK)
                        copy.write(file.read(_BLOCK))
                    # The last row may end in a block of zeros.
                    copy.truncate(-(-copy.tell() // self._row.itemsize) * self._row.itemsize)
                file.close()  # Windows replaces nothing that is open

    def _write(self, numbers: np.ndarray, rows: np.ndarray) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            # Consecutive rows are written together.
            breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
            for part, values in zip(np.split(numbers, breaks), np.split(rows, breaks), strict=True):
                if len(part):
                    file.seek(int(part[0]) * self._row.itemsize)
                    file.write(values.tobytes())
            file.flush()
            os.fsync(file.fileno())

    def _rows(self) -> np.ndarray:
        """All rows of the file, mapped again once it has grown or was replaced."""
        try:
            with self._file.open("rb") as file:
                status = os.fstat(file.fileno())
                there, length = (status.st_dev, status.st_ino), status.st_size // self._row.itemsize
                identity, rows = self._mapped
                if length and (there != identity or length > len(rows)):
                    rows = np.memmap(file, dtype=self._row, mode="r", shape=(length,))
                    self._mapped = there, rows
                return rows[:length]
        except FileNotFoundError:
            return self._mapped[1][:0]


class VectorFiles:
    """The vectors in a folder, by names that end with their width, as in "minilm-384"; any thread may use them.

    What deletes or stores vectors is called while no other process does. Raises OSError where the disk refuses.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._opened: dict[str, Vectors] = {}

    def of(self, name: str) -> Vectors:
        """The vectors of a name."""
        with self._lock:
            if name not in self._opened:
                width = int(name.rpartition("-")[2])
                self._opened[name] = Vectors(self._folder / f"{_PREFIX}{name}", width)
            return self._opened[name]

    def clear(self, numbers: np.ndarray) -> None:
        """Delete the vectors of passages under every name."""
        for name in self._names():
            self.of(name).clear(numbers)

    def compact(self) -> None:
        """Compact the vectors of every name, or leave that for the next time where the disk refuses."""
        for name in self._names():
            try:
                self.of(name).compact()
            except OSError as fault:  # no space; or on Windows, another process has them mapped
                _log.warning("vectors were not compacted: %s", fault)

    def drop_others(self, name: str) -> None:
        """Delete all vectors but those of this name."""
        for other in self._names():
            if other != name:
                with self._lock:  # Windows deletes nothing that is open
                    self._opened.pop(other, None)
                try:
                    (self._folder / f"{_PREFIX}{other}").unlink(missing_ok=True)
                except OSError:  # another process has it open: the next one deletes it
                    continue

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        with self._lock:
            self._opened.clear()

    def _names(self) -> list[str]:
        return [file.name.removeprefix(_PREFIX) for file in self._folder.glob(f"{_PREFIX}*")]
