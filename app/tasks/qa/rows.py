"""Scores the rows of tables by the words of a question: a cell is looked up by its row's name.

A reader distinguishes rows with similar names less reliably than their words do: “2.2.1” and “2.2.2”, say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from app.tasks.qa.ranking import Term, occurrences, terms, word_starts_of
from app.tasks.qa.row_order import Cell, RowOrder, TableOrder, cells_of, may_match, order_in
from app.tasks.text.sections import CachedText

# Logits that a row loses which has none of the question's words that its table has. Of 174 questions of `tables_dev`
# the best cell is right for 95 without, 97 with 1.0, 99 with 2.0, 98 with 3.0 or 4.0.
ROW_WEIGHT = 2.0
# Logits that the other rows of a text lose where the question has the name of a row: “2.2.1”, “CVE-2020-1”.
NAME_WEIGHT = 8.0
# Logits that rows gain which a question identifies by comparison, and that the table's other rows lose. Of 110 such
# questions of `tables_train` the best span is right for 43 without, 62, 65 and 65 with 3, 4 and 6 logits between them.
ORDER_GAIN, ORDER_LOSS = 2.0, 4.0
# A word that may be a row's name, which has a digit and is more than a number.
_WORD = re.compile(r"[\w.:/-]{2,40}")
_AROUND = " |*_`"
# A word with more occurrences does not distinguish rows.
_MOST_OCCURRENCES = 20_000
# Tables of more code points are not searched for the largest, the first, or the next row: that takes a question up to
# half a second.
_MOST_ORDERED = 500_000
# A text is nothing but a table if the table is this share of it.
_ALL = 0.8


class TableRows:
    """The rows of a text's tables: where they start and end, and the number of each one's table, int32[rows] each.

    `firsts` is whether a row is its table's first, bool[rows]; `names` has the numbers of the rows with each name.
    """

    def __init__(self, text: CachedText) -> None:
        rows: list[tuple[int, int, int, int]] = []
        end, table = -1, -1
        self._replacements = text.view.replacements if text.view else ()
        for at, replacement in enumerate(self._replacements):
            start = text.text.rfind("\n", 0, replacement.start) + 1
            if start < end:
                continue
            if not rows or any(map(str.isalnum, text.text[end:start])):
                table += 1
            end = text.text.find("\n", replacement.start)
            end = len(text.text) if end < 0 else end
            rows.append((start, end, table, at))
        self.names: dict[str, list[int]] = {}
        for number, (start, end, _, _) in enumerate(rows):
            if name := _name_in(text.text, start, end):
                self.names.setdefault(name, []).append(number)
        self.starts, self.ends, self.tables, self._first = np.array(rows, dtype=np.int32).reshape(-1, 4).T
        self.firsts = np.diff(self.tables, prepend=-1) > 0

    def cells(self, text: str, first: int, end: int) -> list[tuple[Cell, ...]]:
        """The cells of the rows from number `first` to before `end`."""
        starts, ends = self.starts[first:end].tolist(), self.ends[first:end].tolist()
        bounds = [*self._first[first : end + 1].tolist(), len(self._replacements)]
        return [
            tuple(cells_of(text, start, stop, self._replacements[low:high]))
            for start, stop, (low, high) in zip(starts, ends, pairwise(bounds), strict=False)
        ]

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return 4 * self.starts.nbytes + self.firsts.nbytes + 200 * len(self.names)


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
    """What each row of the texts' tables scores for a question, in logits.

    A row has a share of the words of the question that stand in its table below the first row, which names the columns
    as a rule, each weighted by how few of these rows have it; it scores `ROW_WEIGHT` * (its share - the largest share
    of a row of the table). These scores, up to 0, are evidence of which row of a table is meant, not of which table, or
    of whether any is. Where the question identifies rows by comparison, these score `ORDER_GAIN`, the others of the
    table `-ORDER_LOSS`, if the texts `are_whole`: a passage does not show which row is the largest or the first.
    Where it has the name of a row, all others of its text lose `NAME_WEIGHT` more.
    """

    def __init__(self, question: str, texts: Sequence[CachedText], *, are_whole: bool = True) -> None:
        words, order = terms(question), order_in(question) if are_whole else None
        named = {word.strip(".:/-").lower() for word in _WORD.findall(question)}
        self._rows = [table_rows(text) for text in texts]
        self._scores = []
        for text, rows in zip(texts, self._rows, strict=True):
            weights = _weights(words, text, rows)
            scores = _scores(weights, rows)
            if order is not None:
                _score_order(scores, order, text, rows, weights)
            self._scores.append(scores + _scores_of_names(named, rows))

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


def _weights(words: Sequence[Term], text: CachedText, rows: TableRows) -> np.ndarray:
    """The weight of each word in each row, float64[words, rows]: 0 where it does not stand."""
    weights = np.zeros((len(words), len(rows.starts)))
    for term, weight in zip(words, weights, strict=True) if len(rows.starts) else ():
        for needle in term.needles:
            points, found = occurrences(text.text, word_starts_of(text), needle, term, _MOST_OCCURRENCES)
            if len(points) == _MOST_OCCURRENCES:
                weight[:] = 0.0
                break
            number = rows.starts.searchsorted(points, side="right") - 1
            inside = (number >= 0) & (np.array(points, dtype=np.int64) < rows.ends[number])
            np.maximum.at(weight, number[inside], np.array(found)[inside])
    return weights


def _scores(weights: np.ndarray, rows: TableRows) -> np.ndarray:
    """The scores of a text's rows by the question's words in them, float64[rows]."""
    sizes = np.bincount(rows.tables)
    score, most = np.zeros(len(rows.starts)), np.zeros(len(sizes))
    for weight in weights:
        having = np.bincount(rows.tables[~rows.firsts], weight[~rows.firsts] > 0, len(sizes))
        rarity = np.where(having > 0, np.log1p((sizes - 1 - having + 0.5) / (having + 0.5)), 0.0)
        score += rarity[rows.tables] * weight
        most += rarity
    share = score / np.maximum(most, 1e-9)[rows.tables]
    best = np.zeros(len(sizes))
    np.maximum.at(best, rows.tables, share)
    return ROW_WEIGHT * (share - best[rows.tables])


def _score_order(
    scores: np.ndarray, order: RowOrder, text: CachedText, rows: TableRows, weights: np.ndarray
) -> None:
    """Score the rows of each table in which the question identifies rows by comparison."""
    beside = _weights(terms(order.beside), text, rows)
    bounds = np.flatnonzero(np.diff(rows.tables, prepend=-1, append=-1)).tolist()
    for first, end in pairwise(bounds):
        start, stop = int(rows.starts[first]), int(rows.ends[end - 1])
        if stop - start > _MOST_ORDERED or not may_match(order, text.text, start, stop):
            continue
        table = TableOrder(rows.cells(text.text, first, end), is_all=stop - start > _ALL * len(text.text))
        if meant := table.meant(order, weights[:, first:end], beside[:, first:end]):
            scores[first:end] = -ORDER_LOSS
            scores[first:end][meant] = ORDER_GAIN
