"""The person's corrections of answers: one SQLite file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.core.corrections import Correction, Judgement
from app.core.message import Message
from app.core.models import Adjustment
from app.core.plain import from_plain, json_of
from app.library.database import Database
from app.library.packing import deflate, inflate, pack_view, unpack_view
from app.library.records import Record, insert, to_sqlite
from app.library.search import clean, fold, like

_MIGRATIONS = (
    (
        # There is one verdict on a document and a question. `folded` is what is searched, without case and accents.
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
_RECORD = Record(Correction, packed=("passage", "view", "adjustment"))
_SELECT = f"SELECT {_RECORD.column_list} FROM corrections"
_JUDGEMENTS = """
    SELECT probability, no_answer, adjustment, shown_start IS NOT NULL, start IS NOT NULL,
        ifnull(start = shown_start AND "end" = shown_end, 0) OR (words <> '' AND words = shown)
    FROM corrections
"""


class Corrections(Database):
    """The corrections in one file, which any thread and several processes may use.

    Every method raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, _MIGRATIONS, Message("The file of corrections"))

    def put(self, correction: Correction) -> Correction:
        """Store a verdict in place of an earlier one on the same question and document; returns it with its number.

        A correction that has a number already, because it was deleted before, keeps it.
        """
        folded = fold(
            clean("\n".join((correction.question, correction.words, correction.name, correction.shown)))
        )
        with self.writing() as connection:
            connection.execute(
                "DELETE FROM corrections WHERE sha256 = ? AND question = ?",
                (correction.sha256, to_sqlite(correction.question)),
            )
            added = connection.execute(
                insert("corrections", (*_RECORD.columns, "folded")), (*_row(correction), folded)
            )
            return replace(correction, number=added.lastrowid or 0)

    def find(self, sha256: str, question: str) -> Correction | None:
        """The verdict on a question about a document, None where there is none."""
        found = self._select("WHERE sha256 = ? AND question = ?", (sha256, to_sqlite(question)))
        return found[0] if found else None

    def all(self, words: str = "") -> list[Correction]:
        """The corrections whose question, words or document contain all of these words, newest first."""
        parts = fold(clean(words)).split()
        condition = "".join(r" AND folded LIKE ? ESCAPE '\'" for _ in parts)
        return self._select(f"WHERE 1{condition} ORDER BY judged DESC, number DESC", [*map(like, parts)])

    def judgements(self, weights: str) -> list[Judgement]:
        """The judgements of a reader's probabilities by the verdicts on it; `weights` is its fingerprint."""
        rows = self.select(f"{_JUDGEMENTS} WHERE weights = ? ORDER BY number", (weights,))
        return [_judgement(*row) for row in rows]

    def readers(self) -> set[tuple[str, str]]:
        """The readers that there are verdicts on: name, and fingerprint of the weights."""
        return set(self.select("SELECT DISTINCT model, weights FROM corrections WHERE weights <> ''"))

    def count(self) -> int:
        """The number of corrections."""
        return int(self.select("SELECT count(*) FROM corrections")[0][0])

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete the corrections with these numbers, also from the disk; those that are gone are passed over."""
        with self.writing() as connection:
            connection.executemany(
                "DELETE FROM corrections WHERE number = ?", [(number,) for number in numbers]
            )
        self.wipe()

    def _select(self, condition: str, values: Sequence[Any]) -> list[Correction]:
        return [_correction(row) for row in self.select(f"{_SELECT} {condition}", values)]


def _row(correction: Correction) -> list[Any]:
    view, adjustment = correction.view, correction.adjustment
    return _RECORD.values(
        correction,
        number=correction.number or None,
        passage=deflate(correction.passage),
        view=pack_view(view) if view is not None else None,
        adjustment=json_of(asdict(adjustment)) if adjustment is not None else "",
    )


def _judgement(
    probability: float, no_answer: float, adjustment: str, shown: int, answers: int, right: int
) -> Judgement:
    chance = 1.0 - no_answer
    share = min(1.0, probability / chance) if chance > 0 else 0.0
    if adjustment:
        chance, share = _adjustment(adjustment).undo(chance, share)
    return Judgement(probability if shown else None, chance, share, bool(answers), bool(right))


def _adjustment(words: str) -> Adjustment:
    return from_plain(Adjustment, json.loads(words))


def _correction(row: Sequence[Any]) -> Correction:
    values = _RECORD.fields(row)
    view, adjustment = values["view"], values["adjustment"]
    return Correction(
        **values
        | {
            "passage": inflate(values["passage"]),
            "view": unpack_view(view) if view is not None else None,
            "adjustment": _adjustment(adjustment) if adjustment else None,
        }
    )
