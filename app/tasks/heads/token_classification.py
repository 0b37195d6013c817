"""Finds names in texts of any length by a head over every token's state (BERT, Devlin et al. 2019, section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from app.core.message import Message
from app.core.name_types import marks_and_types, types_of_tags
from app.core.report import Report
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts, TaggedWords
from app.core.text import Span
from app.tasks.batches import Pace
from app.tasks.heads.texts import OrderedResults, TextRun, read_texts
from app.tasks.scores import softmax
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window
from app.tasks.text.words import words


def tag(request: TextsToTag, model: ReadyModel, report: Report) -> TaggedTexts:
    """Give every word of the texts its tag, and find the names that the tags mark.

    A word's tag is the likeliest in its tokens' distributions (softmax over the labels), aggregated by
    `request.aggregation`. Reports progress in texts, or in windows where there is one text; partial results are the
    texts done so far, or the only one's names up to where it was read. Raises SpanlightError when there is no text or
    one is empty, naming its number; Stopped when the work is to stop.
    """
    request.require_words()
    single = len(request.texts) == 1
    pace = Pace(report, Message("windows") if single else Message("texts"))
    tagger = Tagger(model.card.labels, request.aggregation)
    items: OrderedResults[Tagged] = OrderedResults(len(request.texts))
    runs = read_texts(request.texts, model, report, _scored_tokens, in_order=single)
    for read, run in enumerate(runs, start=1):
        if run.complete:
            items.put(run.index, tagger.tagged(run))
        if pace.due() or items.complete:
            pace.report(
                read if single else items.done, run.total(model.card) if single else len(request.texts)
            )
            if items.worth_reporting(read if single else items.ready):
                so_far = [tagger.tagged(run, partial=True)] if single else items.prefix()
                report.partial(_result(so_far, tagger, pace.seconds, model, complete=False))
    return _result(items.prefix(), tagger, pace.seconds, model, complete=True)


@dataclass(frozen=True, slots=True)
class ScoredTokens:
    """The tokens that a window scores: starts and ends (int32[n] each), and logits, float32[n, labels]."""

    starts: np.ndarray
    ends: np.ndarray
    logits: np.ndarray


class Tagger:
    """Converts scored tokens into tagged words and names, by a model's labels."""

    def __init__(self, labels: tuple[str, ...], aggregation: PieceAggregation) -> None:
        self.labels = labels
        self.scheme = TagScheme.of(labels)
        self._aggregation = aggregation
        # The words of the text last tagged, which is tagged again with every partial result.
        self._words: tuple[TextRun[ScoredTokens] | None, tuple[np.ndarray, np.ndarray]]
        self._words = (None, words(""))

    def tagged(self, run: TextRun[ScoredTokens], *, partial: bool = False) -> Tagged:
        """The tags and names of a text, up to the first window that was not yet read."""
        windows = run.prefix()
        starts, ends, logits = (
            np.concatenate([getattr(window, name) for window in windows])
            for name in ("starts", "ends", "logits")
        )
        if self._words[0] is not run:
            self._words = (run, words(run.text))
        by_word = tokens_by_word(run.text, *self._words[1], starts, ends)
        distributions = aggregate(softmax(logits)[by_word.tokens], by_word.firsts, self._aggregation)
        tags = distributions.argmax(axis=1)
        probabilities = distributions[np.arange(len(tags)), tags]
        entities = []
        for first, end, kind in self.scheme.names(tags, run.text, by_word.starts, by_word.ends):
            span = Span(int(by_word.starts[first]), int(by_word.ends[end - 1]))
            entities.append(Entity(span, span.of(run.text), kind, float(probabilities[first:end].mean())))
        rows = (by_word.starts, by_word.ends, tags, probabilities)
        tagged = TaggedWords(self.labels, *(() if partial else row.tolist() for row in rows))
        return Tagged(tuple(entities), tagged, len(windows))


@dataclass(frozen=True, slots=True)
class TokensByWord:
    """The m words that have tokens: where they start and end in the text, int[m] each.

    `tokens` are the indices of all tokens that belong to a word; word number i's begin at `tokens[firsts[i]]`.
    """

    starts: np.ndarray
    ends: np.ndarray
    tokens: np.ndarray
    firsts: np.ndarray


def tokens_by_word(
    text: str, word_starts: np.ndarray, word_ends: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> TokensByWord:
    """Which tokens belong to which word; takes starts and ends of words (int[m] each) and of tokens (int[n] each).

    Words that share a token are one word, and a word without tokens is left out. A token that is only the blank before
    a word is that word's first one, as in SentencePiece.
    """
    if not len(word_starts) or not len(starts):
        none = np.zeros(0, dtype=np.int64)
        return TokensByWord(none, none, none, none)
    count = len(word_starts)
    # A token shares code points with the words from number low to before high.
    low = np.searchsorted(word_ends, starts, side="right")
    high = np.searchsorted(word_starts, ends, side="left")
    for token in np.flatnonzero((starts == ends) & (low < count)).tolist():
        point = int(starts[token])
        if point and text[point - 1] == " " and word_starts[low[token]] == point:
            high[token] = low[token] + 1
    tokens = np.flatnonzero(low < high)
    # How many tokens each word shares with the next one.
    shared = np.zeros(count + 1, dtype=np.int64)
    np.add.at(shared, low[tokens], 1)
    np.add.at(shared, high[tokens] - 1, -1)
    is_one_word = np.cumsum(shared)[: count - 1] > 0
    group = np.concatenate([[0], np.cumsum(~is_one_word)])
    present, firsts = np.unique(group[low[tokens]], return_index=True)
    first_words = np.searchsorted(group, present, side="left")
    last_words = np.searchsorted(group, present, side="right") - 1
    return TokensByWord(word_starts[first_words], word_ends[last_words], tokens, firsts)


def aggregate(distributions: np.ndarray, firsts: np.ndarray, aggregation: PieceAggregation) -> np.ndarray:
    """The distributions of words, float64[m, labels], from those of their tokens, float64[n, labels].

    Word number i's tokens are those from `firsts[i]` on. FIRST takes the first token's (BERT, section 5.3), AVERAGE
    the mean, MAX that of the token with the highest probability for any label; ties go to the first.
    """
    if aggregation is PieceAggregation.FIRST or not len(firsts):
        return distributions[firsts]
    counts = np.diff(np.append(firsts, len(distributions)))
    if aggregation is PieceAggregation.AVERAGE:
        return np.add.reduceat(distributions, firsts, axis=0) / counts[:, None]
    highest = distributions.max(axis=1)
    surest = np.flatnonzero(highest == np.repeat(np.maximum.reduceat(highest, firsts), counts))
    return distributions[surest[np.searchsorted(surest, firsts, side="left")]]


def _scored_tokens(window: Window, logits: np.ndarray) -> ScoredTokens:
    context = logits[window.context_at : window.context_at + len(window.starts)]
    scored = window.scored
    return ScoredTokens(window.starts[scored], window.ends[scored], context[scored])


def _result(
    items: Sequence[Tagged], tagger: Tagger, seconds: float, model: ReadyModel, *, complete: bool
) -> TaggedTexts:
    return TaggedTexts(
        tuple(items), tagger.scheme.types, seconds, complete, model.card.name, model.device.title
    )


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
    "": Mark.OUTSIDE, "B": Mark.BEGIN, "I": Mark.INSIDE, "M": Mark.INSIDE, "E": Mark.LAST, "L": Mark.LAST,
    "S": Mark.SINGLE, "U": Mark.SINGLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TagScheme:
    """The mark and type of each label of a model, in the labels' order, and the types in the order they first occur."""

    tags: tuple[tuple[Mark, str], ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> TagScheme:
        """The scheme that labels are written in."""
        return cls(
            tuple((_MARKS[mark], kind) for mark, kind in marks_and_types(labels)), types_of_tags(labels)
        )

    def tag(self, kind: str, *, first: bool, last: bool) -> int | None:
        """The label of a word of a name of type `kind`, or of one outside names (empty); None where there is none."""
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
        """Each name's first word, the one after its last, and its type, from all words' tags, starts and ends (int[n]).

        A name begins at B, and at an I or E that does not continue a name of its type (Tjong Kim Sang and De Meulder
        2003); none runs over the end of a paragraph or of a table cell.
        """
        outside = np.array([mark is Mark.OUTSIDE for mark, _ in self.tags])
        found: list[tuple[int, int, str]] = []
        is_open = False
        for at in np.flatnonzero(~outside[tags]).tolist():
            mark, kind = self.tags[tags[at]]
            if (
                is_open
                and mark in (Mark.INSIDE, Mark.LAST)
                and found[-1][1:] == (at, kind)
                and not _BOUND.search(text, ends[at - 1], starts[at])
            ):
                found[-1] = (found[-1][0], at + 1, kind)
            else:
                found.append((at, at + 1, kind))
            is_open = mark in (Mark.BEGIN, Mark.INSIDE)
        return found
