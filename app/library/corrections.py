"""The person's corrections of answers: one SQLite file."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from app.core.corrections import Correction, Judgement, Verdict
from app.core.layout import Kind
from app.core.message import Message
from app.core.models import Adjustment
from app.core.plain import from_plain, json_of
from app.core.text import Span
from app.library.database import Database
from app.library.entries import insert_into, loaded, stored
from app.library.found import clean, fold
from app.library.stored import deflate, inflate, pack_view, unpack_view

_MIGRATIONS = (
    (
        # A document's question has one verdict. `folded` is what is searched, without case and accents.
        """
        CREATE TABLE corrections (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            question TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL,
            verdict TEXT NOT NULL, words TEXT NOT NULL, start INTEGER, "end" INTEGER,
            shown TEXT NOT NULL, shown_start INTEGER, shown_end INTEGER,
            probability REAL NOT NULL, no_answer REAL NOT NULL, answered INTEGER NOT NULL,
            passage BLOB NOT NULL, passage_start INTEGER NOT NULL, "view" BLOB,
            in_parts INTEGER NOT NULL, in_table INTEGER NOT NULL, adjustment TEXT NOT NULL,
            model TEXT NOT NULL, weights TEXT NOT NULL, judged REAL NOT NULL, folded TEXT NOT NULL,
            UNIQUE (sha256, question)
        )
        """,
        "CREATE INDEX corrections_by_weights ON corrections (weights, model)",
    ),
    ("ALTER TABLE corrections ADD COLUMN low_confidence INTEGER NOT NULL DEFAULT 0",),
)
_PLACES = {"span": ("start", "end"), "shown_span": ("shown_start", "shown_end")}
_FIELDS = tuple(each.name for each in fields(Correction) if each.name not in _PLACES)
_COLUMNS = (*_FIELDS, *(column for columns in _PLACES.values() for column in columns))
_SELECT = "SELECT {} FROM corrections".format(", ".join(f'"{name}"' for name in _COLUMNS))
_JUDGEMENTS = """
    SELECT probability, no_answer, adjustment, shown_start IS NOT NULL, start IS NOT NULL,
        ifnull(start = shown_start AND "end" = shown_end, 0)
    FROM corrections
"""
_FLAGS = ("answered", "in_parts", "in_table", "low_confidence")


class Corrections:
    """The corrections in one file, which any thread and several processes may use.

    Everything raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path) -> None:
        self._database = Database(file, _MIGRATIONS, Message("The file of corrections"))

    def put(self, correction: Correction) -> Correction:
        """Store a verdict in place of an earlier one on the same question and document; returns it with its number.

        One that has a number already, because it was deleted before, gets it back.
        """
        folded = fold(
            clean("\n".join((correction.question, correction.words, correction.name, correction.shown)))
        )
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM corrections WHERE sha256 = ? AND question = ?",
                (correction.sha256, stored(correction.question)),
            )
            added = connection.execute(
                insert_into("corrections", (*_COLUMNS, "folded")), (*_row(correction), folded)
            )
            return replace(correction, number=added.lastrowid or 0)

    def find(self, sha256: str, question: str) -> Correction | None:
        """The verdict on a question about a document, None where there is none."""
        found = self._select("WHERE sha256 = ? AND question = ?", (sha256, stored(question)))
        return found[0] if found else None

    def of(self, asked: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Correction]:
        """The verdicts on questions about documents, each by the document's SHA-256 and the question."""
        found = {each: self.find(*each) for each in asked}
        return {each: one for each, one in found.items() if one is not None}

    def all(self, words: str = "") -> list[Correction]:
        """The corrections whose question, words or document contain all of these words, newest first."""
        parts = fold(clean(words)).split()
        condition = "".join(r" AND folded LIKE ? ESCAPE '\'" for _ in parts)
        values = ["%" + re.sub(r"([\\%_])", r"\\\1", part) + "%" for part in parts]
        return self._select(f"WHERE 1{condition} ORDER BY judged DESC, number DESC", values)

    def judgements(self, weights: str) -> list[Judgement]:
        """What the verdicts on the reader with these weights tell about its probabilities, in their order."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_JUDGEMENTS} WHERE weights = ? ORDER BY number", (weights,)
            ).fetchall()
        return [_judgement(*row) for row in rows]

    def readers(self) -> set[tuple[str, str]]:
        """The readers that there are verdicts on: each one's name, and the fingerprint of its weights."""
        with self._database.reading() as connection:
            return set(
                connection.execute("SELECT DISTINCT model, weights FROM corrections WHERE weights <> ''")
            )

    def count(self) -> int:
        """How many corrections there are."""
        with self._database.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM corrections").fetchone()[0])

    def take_back(self, sha256: str, question: str) -> None:
        """Delete the verdict on a question about a document, if there is one, also from the disk."""
        self._delete("sha256 = ? AND question = ?", [(sha256, stored(question))])

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete these corrections, also from the disk; those that are gone are passed over."""
        self._delete("number = ?", [(number,) for number in numbers])

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def _select(self, condition: str, values: Iterable[Any]) -> list[Correction]:
        with self._database.reading() as connection:
            return [_correction(row) for row in connection.execute(f"{_SELECT} {condition}", tuple(values))]

    def _delete(self, condition: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._database.writing() as connection:
            connection.executemany(f"DELETE FROM corrections WHERE {condition}", rows)
        self._database.wipe()


def _row(correction: Correction) -> list[Any]:
    values: dict[str, Any] = {name: stored(getattr(correction, name)) for name in _FIELDS}
    values["number"] = correction.number or None
    values["passage"] = deflate(correction.passage)
    values["view"] = pack_view(correction.view) if correction.view is not None else None
    for name, (first, last) in _PLACES.items():
        span: Span | None = getattr(correction, name)
        values |= {first: span.start if span else None, last: span.end if span else None}
    adjustment = correction.adjustment
    values["adjustment"] = json_of(asdict(adjustment)) if adjustment is not None else ""
    return [values[name] for name in _COLUMNS]


def _judgement(
    probability: float, no_answer: float, adjustment: str, shown: int, answers: int, right: int
) -> Judgement:
    chance = 1.0 - no_answer
    share = min(1.0, probability / chance) if chance > 0 else 0.0
    if adjustment:
        chance, share = _adjustment(adjustment).undone(chance, share)
    return Judgement(probability if shown else None, chance, share, bool(answers), bool(right))


def _adjustment(words: str) -> Adjustment:
    return from_plain(Adjustment, json.loads(words))


def _correction(row: sqlite3.Row | tuple[Any, ...]) -> Correction:
    values: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    for name, (first, last) in _PLACES.items():
        start, end = values.pop(first), values.pop(last)
        values[name] = Span(start, end) if start is not None else None
    values |= {
        "adjustment": _adjustment(values["adjustment"]) if values["adjustment"] else None,
        "passage": inflate(values["passage"]),
        "view": unpack_view(values["view"]) if values["view"] is not None else None,
    }
    texts = {
        name: loaded(value) for name, value in values.items() if name not in ("passage", "view", "adjustment")
    }
    flags = {name: bool(values[name]) for name in _FLAGS}
    return Correction(
        **values | texts | flags | {"kind": Kind(values["kind"]), "verdict": Verdict(values["verdict"])}
    )
