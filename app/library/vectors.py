"""The vectors of passages in one file, memory-mapped: row n belongs to the passage with the number n."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

# float32[width], or float32[n, width]: unit vectors.
Array = np.ndarray
# Rows compared at once: as float32 so many fit into the processor's cache.
_AT_ONCE = 512


class Vectors:
    """Unit vectors of `width` numbers, each as int8 with a scale; a scale of 0 stands for no vector.

    A row takes `width` + 4 bytes and is written whole. Raises OSError where the disk refuses.
    """

    def __init__(self, file: Path, width: int) -> None:
        self._file = file
        self._row = np.dtype([("scale", "<f4"), ("values", "i1", (width,))])
        self._mapped = np.zeros(0, dtype=self._row)

    def put(self, numbers: np.ndarray, vectors: np.ndarray) -> None:
        """Store vectors, float32[n, width], in the rows with these numbers, flushed to disk."""
        rows = np.zeros(len(numbers), dtype=self._row)
        most = np.abs(vectors).max(axis=1)
        rows["scale"] = most / 127
        rows["values"] = np.rint(vectors / np.maximum(rows["scale"], 1e-12)[:, None])
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
        """All rows of the file, mapped again once it has grown."""
        try:
            length = self._file.stat().st_size // self._row.itemsize
        except FileNotFoundError:
            length = 0
        if length > len(self._mapped):
            self._mapped = np.memmap(self._file, dtype=self._row, mode="r", shape=(length,))
        elif length < len(self._mapped):
            self._mapped = self._mapped[:length]
        return self._mapped
