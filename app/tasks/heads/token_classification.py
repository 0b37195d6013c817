"""Names in texts of any length by a head over every token's state (BERT, Devlin et al. 2019, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.core.report import Report
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts
from app.core.tagged_words import TaggedWords
from app.core.text import Span
from app.tasks.batches import Pace
from app.tasks.heads.in_place import OrderedResults
from app.tasks.heads.tags import TagScheme
from app.tasks.heads.whole_texts import WholeText, read_whole
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
    pace = Pace(report, "windows" if single else "texts")
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
        return Tagged(tuple(entities), tagged, len(parts), len(starts))


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
