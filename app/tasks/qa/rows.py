"""Scores the rows of tables by the words of a question: a cell is looked up by its row's name.

A reader tells rows with similar names apart less surely than the words themselves do: “2.2.1” and “2.2.2”, say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from app.tasks.qa.ranking import Term, occurrences, terms, word_starts_of
from app.tasks.text.sections import CachedText

# Logits that a row loses which has none of the question's words that its table has. Of 174 questions of `tables_dev`
# the best cell is right for 95 without, 97 with 1.0, 99 with 2.0, 98 with 3.0 or 4.0.
ROW_WEIGHT = 2.0
# Logits that the other rows of a text lose where the question has the name of a row: “2.2.1”, “CVE-2020-1”.
NAME_WEIGHT = 8.0
# A word that may be a row's name, which has a digit and is more than a number.
_WORD = re.compile(r"[\w.:/-]{2,40}")
_AROUND = " |*_`"
# A word of more occurrences tells no row.
_MOST_OCCURRENCES = 20_000


class TableRows:
    """The rows of a text's tables: where they start and end, and the number of each one's table, int32[rows] each.

    `firsts` is whether a row is its table's first, bool[rows]; `names` has the numbers of the rows with each name.
    """

    def __init__(self, text: CachedText) -> None:
        rows: list[tuple[int, int, int]] = []
        end, table = -1, -1
        for replacement in text.view.replacements if text.view else ():
            start = text.text.rfind("\n", 0, replacement.start) + 1
            if start < end:
                continue
            if not rows or any(map(str.isalnum, text.text[end:start])):
                table += 1
            end = text.text.find("\n", replacement.start)
            end = len(text.text) if end < 0 else end
            rows.append((start, end, table))
        self.names: dict[str, list[int]] = {}
        for number, (start, end, _) in enumerate(rows):
            if name := _name_in(text.text, start, end):
                self.names.setdefault(name, []).append(number)
        self.starts, self.ends, self.tables = np.array(rows, dtype=np.int32).reshape(-1, 3).T
        self.firsts = np.diff(self.tables, prepend=-1) > 0

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return 3 * self.starts.nbytes + self.firsts.nbytes + 200 * len(self.names)


def _name_in(text: str, start: int, end: int) -> str:
    """The name of the row between two code points, in small letters; empty where its first cell is no name."""
    beginning = text[start : min(end, start + 80)].lstrip(_AROUND)
    cell = beginning.partition("\t")[0].partition("|")[0].strip(_AROUND)
    is_name = _WORD.fullmatch(cell) and not cell.isdecimal() and any(map(str.isdecimal, cell))
    return cell.lower() if is_name else ""


def table_rows(text: CachedText) -> TableRows:
    """The rows of a text's tables, cached with the text."""
    return text.get(TableRows, partial(TableRows, text))


class RowScores:
    """What each row of the texts' tables scores for a question, in logits, at most 0.

    A row has a share of the words of the question that stand in its table below the first row, which names the columns
    as a rule, each weighted by how few of these rows have it; it scores `ROW_WEIGHT` * (its share - the largest share
    of a row of the table). Shared words are evidence of which row of a table is meant, not of which table, or of
    whether any is. Where the question has the name of a row, all others of its text lose `NAME_WEIGHT` more.
    """

    def __init__(self, question: str, texts: Sequence[CachedText]) -> None:
        words = terms(question)
        named = {word.strip(".:/-").lower() for word in _WORD.findall(question)}
        self._rows = [table_rows(text) for text in texts]
        self._scores = [
            _scores(words, text, rows) + _scores_of_names(named, rows)
            for text, rows in zip(texts, self._rows, strict=True)
        ]

    def at(self, document: int, points: np.ndarray) -> np.ndarray | None:
        """The score of the row around each of these code points of a document, float32[n]: 0 outside of tables.

        None where the document has no table.
        """
        rows, scores = self._rows[document], self._scores[document]
        if not len(scores):
            return None
        number = rows.starts.searchsorted(points, side="right") - 1
        inside = (number >= 0) & (points < rows.ends[number])
        return np.where(inside, scores[number], 0.0).astype(np.float32)


def _scores_of_names(named: set[str], rows: TableRows) -> np.ndarray:
    """What a text's rows lose where others have a name that the question has, float64[rows]."""
    wanted = [number for name in named for number in rows.names.get(name, ())]
    scores = np.full(len(rows.starts), -NAME_WEIGHT if wanted else 0.0)
    scores[wanted] = 0.0
    return scores


def _scores(words: Sequence[Term], text: CachedText, rows: TableRows) -> np.ndarray:
    """The scores of a text's rows, float64[rows]."""
    count = len(rows.starts)
    if not count:
        return np.zeros(0)
    sizes = np.bincount(rows.tables)
    score, most = np.zeros(count), np.zeros(len(sizes))
    for term in words:
        weight = np.zeros(count)
        for needle in term.needles:
            points, weights = occurrences(text.text, word_starts_of(text), needle, term, _MOST_OCCURRENCES)
            if len(points) == _MOST_OCCURRENCES:
                weight[:] = 0.0
                break
            number = rows.starts.searchsorted(points, side="right") - 1
            inside = (number >= 0) & (np.array(points, dtype=np.int64) < rows.ends[number])
            np.maximum.at(weight, number[inside], np.array(weights)[inside])
        having = np.bincount(rows.tables[~rows.firsts], weight[~rows.firsts] > 0, len(sizes))
        rarity = np.where(having > 0, np.log1p((sizes - 1 - having + 0.5) / (having + 0.5)), 0.0)
        score += rarity[rows.tables] * weight
        most += rarity
    share = score / np.maximum(most, 1e-9)[rows.tables]
    best = np.zeros(len(sizes))
    np.maximum.at(best, rows.tables, share)
    return ROW_WEIGHT * (share - best[rows.tables])
