"""JSON Lines files of rows: read from, and appended to so that a killed run can go on."""

from __future__ import annotations

import errno
import json
import lzma
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from app.core.errors import SpanlightError
from app.core.plain import json_of

# JSON can hold them, UTF-8 and tokenizers cannot.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_BEGINNING = b'{"id": '


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file: its line from 1, its `id` (its line where the row has none), and all its values."""

    line: int
    id: object
    values: dict[str, object]

    @property
    def key(self) -> str:
        """The id as a unique string: 1 and "1" are different ids."""
        return json_of(self.id, sort_keys=True)

    def text(self, name: str, source: Path) -> str:
        """The row's text under this name; raises SpanlightError where there is none."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise SpanlightError(
                f"Line {self.line} of {source.name} has no text under “{name}”.",
                f'Every row must be an object with "{name}".',
            )
        return value


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a .jsonl or .jsonl.xz file, one by one; empty lines are passed over.

    Raises SpanlightError for a file that cannot be read and for a line that is not a JSON object.
    """
    try:
        with lzma.open(path, "rb") if path.suffix == ".xz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _row(line.removeprefix(b"\xef\xbb\xbf"), number, path)
    except FileNotFoundError as fault:
        raise SpanlightError(f"There is no file “{path}”.", "Check the name and the folder.") from fault
    except (OSError, EOFError, lzma.LZMAError) as fault:
        raise unreadable(path, fault) from fault


def unreadable(path: Path, fault: Exception) -> SpanlightError:
    """The error for a file, perhaps a compressed one, that could not be read."""
    reason = getattr(fault, "strerror", None) or "it is damaged"
    return SpanlightError(f"“{path.name}” could not be read: {reason}.", "Check the file.")


def check_rows(path: Path, names: tuple[str, ...]) -> int:
    """How many rows the file has, all of them with these texts and ids of their own; else raises SpanlightError."""
    seen: dict[str, int] = {}
    for row in read_rows(path):
        for name in names:
            row.text(name, path)
        if row.key in seen:
            raise SpanlightError(
                f"Lines {seen[row.key]} and {row.line} of {path.name} have the same id {row.key}.",
                "Give every row an id of its own.",
            )
        seen[row.key] = row.line
    return len(seen)


def _row(line: bytes, number: int, path: Path) -> Row:
    try:
        values = json.loads(line.decode("utf-8"))
        if not isinstance(values, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as fault:
        raise SpanlightError(
            f"Line {number} of {path.name} is not a JSON object.", "The file must be JSON Lines in UTF-8."
        ) from fault
    return Row(number, values.get("id", number), values)


class RowFile:
    """A JSON Lines file that rows are appended to; rows already in it count as finished.

    Every row begins with its id and has a value under `result`. A last line that a killed run left half written is
    dropped. Raises SpanlightError where the file holds something else, or cannot be written.
    """

    def __init__(self, path: Path, result: str) -> None:
        self._path = path
        self._result = result
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A device or a pipe cannot be continued, and some never end.
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise SpanlightError(f"“{path}” is not a file.", "Give the name of a file for the output.")
            self._file = path.open("a+b")
        except OSError as fault:
            raise _refusal(path, fault) from fault
        try:
            self.finished = self._read_finished()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> RowFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, row: dict[str, object]) -> None:
        """Write a row and hand it to the system at once, so that it outlives a kill of this process."""
        try:
            self._file.write(dumps(row).encode("utf-8") + b"\n")
            self._file.flush()
        except OSError as fault:
            raise _refusal(self._path, fault) from fault

    def _read_finished(self) -> set[str]:
        keys: set[str] = set()
        good = 0
        self._file.seek(0)
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                if not (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
                    raise self._not_ours(number)
                break
            row = _row(line, number, self._path)
            if "id" not in row.values or self._result not in row.values:
                raise self._not_ours(number)
            keys.add(row.key)
            good += len(line)
        self._file.truncate(good)
        return keys

    def _not_ours(self, number: int) -> SpanlightError:
        return SpanlightError(
            f"Line {number} of {self._path.name} is not a result, so there is nothing to go on with.",
            "Give another name for the output.",
        )


def refuse_same_file(source: Path, output: Path) -> None:
    """Raises SpanlightError when the output would be written into the file that is read."""
    if output.exists() and source.exists() and output.samefile(source):
        raise SpanlightError("The output would overwrite what is read.", "Give another name for the output.")


def refuse_unwritable(path: Path) -> None:
    """Raises SpanlightError where no file of this name could be written: better now than after the work."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as fault:
        raise _refusal(path, fault) from fault


def _refusal(path: Path, fault: OSError) -> SpanlightError:
    reason = fault.strerror or "the disk refused"
    return SpanlightError(
        f"“{path}” could not be written: {reason}.",
        "Free some space, check the folder's permissions, or write elsewhere.",
    )


def dumps(value: object) -> str:
    """JSON on one line, readable in any script; characters that UTF-8 cannot hold are escaped."""
    line = json_of(value, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json_of(value)
    return line
