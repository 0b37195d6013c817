"""Entries of the history as rows of its tables, and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.text import Span

ENTRY = (
    "number, question, name, path, sha256, kind, answered, no_answer_probability, threshold, model, device, seconds,"
    " asked, quick, complete, windows, windows_total, absent, finder"
)
ANSWER = 'entry, place, start, "end", text, probability, sentence, "before", "after", page, heading, page_label, line'
_AT_ONCE = 400  # numbers in one statement: older builds of SQLite take 999 values


def entry_row(entry: Entry) -> tuple[Any, ...]:
    """The values of `ENTRY`; the table assigns the number if the entry has none."""
    return (
        entry.number or None, _text(entry.question), _text(entry.name), _text(entry.path), entry.sha256,
        str(entry.kind),
        entry.answered, entry.no_answer_probability, entry.threshold, _text(entry.model), _text(entry.device),
        entry.seconds, entry.asked, entry.quick, entry.complete,
        entry.windows, entry.windows_total, entry.absent, _text(entry.finder),
    )  # fmt: skip


def answer_row(number: int, place: int, answer: KeptAnswer) -> tuple[Any, ...]:
    """The values of `ANSWER` for an entry's answer at this place, counted from 0."""
    return (
        number, place, answer.span.start, answer.span.end, _text(answer.text), answer.probability,
        _text(answer.sentence), _text(answer.before), _text(answer.after), answer.page, _text(answer.heading),
        _text(answer.page_label), answer.line,
    )  # fmt: skip


def entries_of(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> list[Entry]:
    """The entries of rows of `ENTRY`, with their answers."""
    answers: dict[int, list[KeptAnswer]] = {}
    numbers = [row[0] for row in rows]
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        slots = ", ".join("?" * len(some))
        for row in connection.execute(
            f"SELECT {ANSWER} FROM answers WHERE entry IN ({slots}) ORDER BY entry, place", some
        ):
            answers.setdefault(row[0], []).append(_answer(row))
    return [_entry(row, tuple(answers.get(number, ()))) for row, number in zip(rows, numbers, strict=True)]


def _entry(row: tuple[Any, ...], answers: tuple[KeptAnswer, ...]) -> Entry:
    (number, question, name, path, sha256, kind, answered, no_answer, threshold, model, device, seconds, asked, quick,
     complete, windows, windows_total, absent, finder) = row  # fmt: skip
    return Entry(
        question=_words(question),
        name=_words(name),
        path=_words(path),
        sha256=sha256,
        kind=Kind(kind),
        answers=answers,
        answered=bool(answered),
        no_answer_probability=no_answer,
        threshold=threshold,
        model=_words(model),
        device=_words(device),
        seconds=seconds,
        asked=asked,
        quick=bool(quick),
        complete=bool(complete),
        number=number,
        windows=windows,
        windows_total=windows_total,
        absent=absent,
        finder=_words(finder),
    )


def _answer(row: tuple[Any, ...]) -> KeptAnswer:
    _, _, start, end, text, probability, sentence, before, after, page, heading, page_label, line = row
    return KeptAnswer(
        span=Span(start, end),
        text=_words(text),
        probability=probability,
        sentence=_words(sentence),
        before=_words(before),
        after=_words(after),
        page=page,
        heading=_words(heading),
        page_label=_words(page_label),
        line=line,
    )


def _text(text: str) -> str | bytes:
    """The text as stored in SQLite: one that is not valid UTF-8 (a file's name, say) is stored as bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _words(value: object) -> str:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)
