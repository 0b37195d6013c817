"""Entries of the history and answers as rows of tables, whose columns have the names of their fields, and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.text import Span

_ENTRY = ("number", *(each.name for each in fields(Entry) if each.name not in ("number", "answers")))
_FLAGS = ("answered", "quick", "complete", "shared")
ANSWER = tuple(each.name for each in fields(KeptAnswer) if each.name != "span")
_AT_ONCE = 400  # numbers in one statement: older builds of SQLite take 999 values


def insert_into(table: str, names: Sequence[str]) -> str:
    """The statement that inserts a row with these columns."""
    columns, slots = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({columns}) VALUES ({slots})"


ENTRY = ", ".join(_ENTRY)
INSERT_ENTRY = insert_into("entries", _ENTRY)
INSERT_ANSWER = insert_into("answers", ("entry", "place", "start", "end", *ANSWER))


def entry_row(entry: Entry) -> tuple[Any, ...]:
    """The values for `INSERT_ENTRY`; the table assigns the number if the entry has none."""
    return entry.number or None, *(stored(getattr(entry, name)) for name in _ENTRY[1:])


def answer_row(number: int, place: int, answer: KeptAnswer) -> tuple[Any, ...]:
    """The values for `INSERT_ANSWER` of an entry's answer at this place, counted from 0."""
    span = answer.span
    return number, place, span.start, span.end, *(stored(getattr(answer, name)) for name in ANSWER)


def entries_of(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> list[Entry]:
    """The entries of rows of `ENTRY`, with their answers."""
    answers: dict[int, list[KeptAnswer]] = {}
    numbers = [row[0] for row in rows]
    columns = ", ".join(f'"{name}"' for name in ("entry", "start", "end", *ANSWER))
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        slots = ", ".join("?" * len(some))
        for row in connection.execute(
            f"SELECT {columns} FROM answers WHERE entry IN ({slots}) ORDER BY entry, place", some
        ):
            answers.setdefault(row[0], []).append(answer_of(row))
    return [_entry(row, tuple(answers.get(number, ()))) for row, number in zip(rows, numbers, strict=True)]


def _entry(row: tuple[Any, ...], answers: tuple[KeptAnswer, ...]) -> Entry:
    values = dict(zip(_ENTRY, map(loaded, row), strict=True))
    flags = {name: bool(values[name]) for name in _FLAGS}
    return Entry(**values | flags | {"kind": Kind(values["kind"]), "answers": answers})


def answer_of(row: tuple[Any, ...]) -> KeptAnswer:
    """The answer of a row: its entry or whatever it belongs to, its start and end, and the columns of `ANSWER`."""
    _, start, end, *rest = row
    return KeptAnswer(Span(start, end), **dict(zip(ANSWER, map(loaded, rest), strict=True)))


def stored(value: Any) -> Any:
    """A value as it is stored in SQLite: a text that is not valid UTF-8 (a file's name, say) is stored as bytes."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def loaded(value: Any) -> Any:
    """The value of `stored`."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
