"""JSON Lines: files with one JSON object on each line, plain or .xz."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from app.core.errors import SpanlightError
from app.core.files import read_lines
from app.core.message import Message
from app.core.plain import json_of

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file: its line from 1, its `id` (the line if the row has none), and all its values."""

    line: int
    id: object
    values: dict[str, Any]

    @property
    def key(self) -> str:
        """The id as a unique string: 1 and "1" are different ids."""
        return json_of(self.id, sort_keys=True)

    def text(self, name: str, source: Path) -> str:
        """Return the row's text under this name; raises SpanlightError if there is none."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise SpanlightError(
                Message(
                    "Line {line} of {file} has no text under “{name}”.",
                    line=self.line,
                    file=source.name,
                    name=name,
                ),
                Message('Every row must be an object with "{name}".', name=name),
            )
        return value


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which JSON can hold but UTF-8 and tokenizers cannot."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file; empty lines are skipped.

    Raises SpanlightError as `read_lines` does, and for a line that is not a JSON object or whose id is not finite.
    """
    for number, line in enumerate(read_lines(path), start=1):
        line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield row_of(line, number, path)


def row_of(line: bytes, number: int, path: Path) -> Row:
    """Parse the row in a line of a file; raises SpanlightError as `read_rows` does."""
    try:
        values = json.loads(line.decode("utf-8"), parse_constant=_refuse)
        if not isinstance(values, dict):
            raise ValueError("not an object")
        row = Row(number, values.get("id", number), values)
        json.dumps(row.id, allow_nan=False)  # 1e999 is infinite as well
    except (ValueError, RecursionError) as fault:
        raise SpanlightError(
            Message("Line {number} of {file} is not a JSON object.", number=number, file=path.name),
            Message("The file must be JSON Lines in UTF-8."),
        ) from fault
    return row


def _refuse(constant: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity, which Python reads although JSON has neither."""
    raise ValueError(constant)
