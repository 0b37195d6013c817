"""Names in texts of any length by a head over every token's state (BERT, Devlin et al. 2019, section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from app.core.message import Message
from app.core.report import Report
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts, TaggedWords
from app.core.text import Span
from app.tasks.batches import Pace
from app.tasks.heads.texts import OrderedResults, WholeText, read_whole
from app.tasks.scores import softmax
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window
from app.tasks.text.words import words


def tag(request: TextsToTag, model: ReadyModel, report: Report) -> TaggedTexts:
    """Gives every word of the texts its tag, and finds the names that the tags mark.

    A word's tag is the likeliest in its pieces' distributions (softmax over the labels), aggregated by
    `request.aggregation`. Reports progress in texts, or in windows where there is one text; partial results are the
    texts done so far, or the only one's names up to where it was read. Raises SpanlightError when there is no text or
    one is empty, naming its number; Stopped when the work is to stop.
    """
    request.require_words()
    single = len(request.texts) == 1
    pace = Pace(report, Message("windows") if single else Message("texts"))
    tagger = Tagger(model.card.labels, request.aggregation)
    items: OrderedResults[Tagged] = OrderedResults(len(request.texts))
    for read, whole in enumerate(
        read_whole(request.texts, model, report, _part_of, in_order=single), start=1
    ):
        if whole.complete:
            items.put(whole.index, tagger.tagged(whole))
        if pace.due() or items.complete:
            pace.report(
                read if single else items.done, whole.total(model.card) if single else len(request.texts)
            )
            if items.worth_reporting(read if single else items.ready):
                so_far = [tagger.tagged(whole, partial=True)] if single else items.prefix()
                report.partial(_result(so_far, tagger, pace.seconds, model, complete=False))
    return _result(items.prefix(), tagger, pace.seconds, model, complete=True)


@dataclass(frozen=True, slots=True)
class ScoredTokens:
    """The tokens that a window scores: their places (int32[n] each) and logits, float32[n, labels]."""

    starts: np.ndarray
    ends: np.ndarray
    logits: np.ndarray


class Tagger:
    """Converts scored tokens into tagged words and names, by a model's labels."""

    def __init__(self, labels: tuple[str, ...], aggregation: PieceAggregation) -> None:
        self.labels = labels
        self.scheme = TagScheme.of(labels)
        self._aggregation = aggregation
        self._words: tuple[WholeText[ScoredTokens] | None, tuple[np.ndarray, np.ndarray]]
        self._words = (None, words(""))

    def tagged(self, whole: WholeText[ScoredTokens], *, partial: bool = False) -> Tagged:
        """The tags and names of a text, up to the first window that was not yet read."""
        parts = whole.prefix()
        starts, ends, logits = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("starts", "ends", "logits")
        )
        if self._words[0] is not whole:
            self._words = (whole, words(whole.text))
        groups = whole_words(whole.text, *self._words[1], starts, ends)
        shares = aggregated(softmax(logits)[groups.tokens], groups.firsts, self._aggregation)
        tags = shares.argmax(axis=1)
        sure = shares[np.arange(len(tags)), tags]
        names = self.scheme.names(tags, whole.text, groups.starts, groups.ends)
        entities = []
        for first, end, kind in names:
            span = Span(int(groups.starts[first]), int(groups.ends[end - 1]))
            entities.append(Entity(span, span.of(whole.text), kind, float(sure[first:end].mean())))
        rows = (groups.starts, groups.ends, tags, sure)
        tagged = TaggedWords(self.labels, *(() if partial else row.tolist() for row in rows))
        return Tagged(tuple(entities), tagged, len(parts))


@dataclass(frozen=True, slots=True)
class WholeWords:
    """Words that have tokens: their places, int[m] each.

    `tokens` are the numbers of all tokens that are a word's pieces; word number i's begin at `firsts[i]` in that.
    """

    starts: np.ndarray
    ends: np.ndarray
    tokens: np.ndarray
    firsts: np.ndarray


def whole_words(
    text: str, word_starts: np.ndarray, word_ends: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> WholeWords:
    """Which tokens are pieces of which word; takes the words' places (int[m] each) and the tokens' (int[n] each).

    Words that share a token are one word, and a word without tokens is left out. A token that is only the blank before
    a word is that word's first piece, as in SentencePiece.
    """
    if not len(word_starts) or not len(starts):
        none = np.zeros(0, dtype=np.int64)
        return WholeWords(none, none, none, none)
    count = len(word_starts)
    low = np.searchsorted(word_ends, starts, side="right")
    high = np.searchsorted(word_starts, ends, side="left")
    for at in np.flatnonzero((starts == ends) & (low < count)).tolist():
        place = int(starts[at])
        if place and text[place - 1] == " " and word_starts[low[at]] == place:
            high[at] = low[at] + 1
    tokens = np.flatnonzero(low < high)
    bridges = np.zeros(count + 1, dtype=np.int64)
    np.add.at(bridges, low[tokens], 1)
    np.add.at(bridges, high[tokens] - 1, -1)
    goes_on = np.cumsum(bridges)[: count - 1] > 0
    group = np.concatenate([[0], np.cumsum(~goes_on)])
    of = group[low[tokens]]
    present, firsts = np.unique(of, return_index=True)
    first_words = np.searchsorted(group, present, side="left")
    last_words = np.searchsorted(group, present, side="right") - 1
    return WholeWords(word_starts[first_words], word_ends[last_words], tokens, firsts)


def aggregated(shares: np.ndarray, firsts: np.ndarray, aggregation: PieceAggregation) -> np.ndarray:
    """The distributions of words, float64[m, labels], from those of their pieces, float64[n, labels].

    Word number i's pieces are those from `firsts[i]` on. FIRST takes the first piece's (BERT, section 5.3), AVERAGE
    the mean, MAX that of the piece with the highest probability for any label; ties go to the first.
    """
    if aggregation is PieceAggregation.FIRST or not len(firsts):
        return shares[firsts]
    counts = np.diff(np.append(firsts, len(shares)))
    if aggregation is PieceAggregation.AVERAGE:
        return np.add.reduceat(shares, firsts, axis=0) / counts[:, None]
    sure = shares.max(axis=1)
    surest = np.flatnonzero(sure == np.repeat(np.maximum.reduceat(sure, firsts), counts))
    return shares[surest[np.searchsorted(surest, firsts, side="left")]]


def _part_of(window: Window, logits: np.ndarray) -> ScoredTokens:
    own = logits[window.context_at : window.context_at + len(window.starts)]
    scored = window.scored
    return ScoredTokens(window.starts[scored], window.ends[scored], own[scored])


def _result(
    items: Sequence[Tagged], tagger: Tagger, seconds: float, model: ReadyModel, *, complete: bool
) -> TaggedTexts:
    return TaggedTexts(
        tuple(items), tagger.scheme.types, seconds, complete, model.card.name, model.device.title
    )


# B begin, I and M inside, E and L last, S and U single: BIO, IOB, BIOES, BIOLU (BILOU), BMES.
_MARKED = re.compile(r"([BIMELSU])[-_](.+)", re.IGNORECASE)
_OUTSIDE = re.compile(r"o|out|outside|none|null|x|pad|_|[\[<]\w+[\]>]|", re.IGNORECASE)
# A name may run over the end of a line, never over that of a paragraph or of a table cell.
_BOUND = re.compile(r"\t|\n[^\S\n]*\n")


class Mark(Enum):
    """The position of a tag's word in a name."""

    OUTSIDE = ""
    BEGIN = "B"
    INSIDE = "I"
    LAST = "E"
    SINGLE = "S"


_MARKS = {
    "B": Mark.BEGIN, "I": Mark.INSIDE, "M": Mark.INSIDE, "E": Mark.LAST, "L": Mark.LAST,
    "S": Mark.SINGLE, "U": Mark.SINGLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TagScheme:
    """The mark and type of each label of a model, in the labels' order, and the types in the order they first occur."""

    tags: tuple[tuple[Mark, str], ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> TagScheme:
        """The scheme that labels are written in.

        Where most labels carry a mark (B-PER, I_LOC, S-ORG) marks are read; else every label is a type (IO). "O" and
        similar labels mean that a word is outside names.
        """
        inside = [label for label in labels if not _OUTSIDE.fullmatch(label)]
        marked = 2 * sum(_MARKED.fullmatch(label) is not None for label in inside) > len(inside)
        tags = tuple(_tag(label, marked) for label in labels)
        return cls(tags, tuple(dict.fromkeys(kind for _, kind in tags if kind)))

    def tag(self, kind: str, *, first: bool, last: bool) -> int | None:
        """The label of a name's first, last or other word, or of one outside names (`kind` empty); None without one."""
        if not kind:
            wanted = [Mark.OUTSIDE]
        elif first:
            wanted = [*[Mark.SINGLE] * last, Mark.BEGIN, Mark.INSIDE, *[Mark.LAST] * last]
        else:
            wanted = [*[Mark.LAST] * last, Mark.INSIDE, Mark.BEGIN]
        return next((self.tags.index((mark, kind)) for mark in wanted if (mark, kind) in self.tags), None)

    def names(
        self, tags: np.ndarray, text: str, starts: np.ndarray, ends: np.ndarray
    ) -> list[tuple[int, int, str]]:
        """Each name's first word, the one after its last, and type, from all words' tags (int[n]) and places.

        A name begins at B, and at an I or E that does not continue a name of its type (Tjong Kim Sang and De Meulder
        2003); none runs over the end of a paragraph or of a table cell.
        """
        outside = np.array([mark is Mark.OUTSIDE for mark, _ in self.tags])
        found: list[tuple[int, int, str]] = []
        goes_on = False
        for at in np.flatnonzero(~outside[tags]).tolist():
            mark, kind = self.tags[tags[at]]
            if (
                goes_on
                and mark in (Mark.INSIDE, Mark.LAST)
                and found[-1][1:] == (at, kind)
                and not _BOUND.search(text, ends[at - 1], starts[at])
            ):
                found[-1] = (found[-1][0], at + 1, kind)
            else:
                found.append((at, at + 1, kind))
            goes_on = mark in (Mark.BEGIN, Mark.INSIDE)
        return found


def _tag(label: str, marked: bool) -> tuple[Mark, str]:
    if _OUTSIDE.fullmatch(label):
        return Mark.OUTSIDE, ""
    found = _MARKED.fullmatch(label) if marked else None
    return (_MARKS[found[1].upper()], found[2]) if found else (Mark.INSIDE, label)
