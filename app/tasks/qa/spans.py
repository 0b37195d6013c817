"""Start and end logits to the best spans: in one window, then over all windows of all documents."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from app.core.sentences import ITEMS_APART, item_starts
from app.core.text import Span
from app.tasks.text.characters import (
    ALPHA,
    ASCII,
    CONTENT,
    IN_WORD,
    MARK,
    NAME,
    SPACE,
    Pieces,
    kind,
    pieces_at,
    word_bounds,
)
from app.tasks.text.windows import MAX_TOKENS, Window

_WIDEN_AT_MOST = 32
_LONGEST_NAME = 256
_ROUNDING = 1e-4
_BRACKET = re.compile(r"[()\[\]{}“”«»]")
_CLOSED = re.compile(r"\(\)|\[\]|\{\}|“”|«»")
_IN_NUMBER = re.compile(r"(?<=[0-9])[.,:]?[0-9]|(?<=[0-9][.,:])[0-9]")
# The number of an item or a clause ("3.1", "(a)", "iv."), and the words that follow it on its line.
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)\]]?")
_ITEM = re.compile(r"[.)\]:]?[^\S\t\n]+[^\W\d_]")
_NUMBERED = re.compile(_ENUMERATOR.pattern + r"\s")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be the answer.

    `score` is start + end logits + `lexical`, the score of the question's words near it in a long text; `null_score`
    is [CLS]'s start + end logits in the same window; `span` counts code points of document number `document`. Spans
    are ranked by `margin`, so that a window without an answer lowers its spans.
    """

    score: float
    null_score: float
    document: int
    span: Span
    lexical: float = 0.0

    @property
    def margin(self) -> float:
        """The span's score less the null score of its own window."""
        return self.score - self.null_score

    @property
    def rank(self) -> Rank:
        """A sort key, larger is better: by margin; ties to the earlier, then the shorter."""
        place = -self.document, -self.span.start, -self.span.end
        return self.margin, *place, self.score, self.null_score, self.lexical


Rank = tuple[float, int, int, int, float, float, float]


def span_scores(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    pieces: Pieces,
    max_tokens: int = MAX_TOKENS,
) -> np.ndarray:
    """The scores of one window's spans that may be the answer, float[n, max_tokens], -inf for the others.

    Row i, column k is the span from token i to token i + k, both included: start + end logits (float[n] each). A span
    that may be the answer begins at a token of `scored` (bool[n], the maximum-context rule), begins and ends where
    `pieces` allow it, stays within one block and is more than punctuation.
    """
    count = len(end_logits)
    padded = np.full(count + max_tokens - 1, -np.inf, dtype=end_logits.dtype)
    padded[:count] = np.where(pieces.can_end, end_logits, -np.inf)
    band = start_logits[:, None] + np.lib.stride_tricks.sliding_window_view(padded, max_tokens)
    band[~(scored & pieces.can_start)] = -np.inf
    ends = np.arange(count)[:, None] + np.arange(max_tokens)
    contentless = ends < _next_content(pieces.has_content)[:, None]
    band[contentless | (ends >= pieces.end_limits[:, None])] = -np.inf
    return band


def best_spans(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    pieces: Pieces,
    *,
    max_tokens: int = MAX_TOKENS,
    floor: float = -np.inf,
    fits: Callable[[int, int], bool] = lambda first, last: True,
) -> Iterator[tuple[float, int, int]]:
    """The best spans of one window's n context tokens, best first: score, first and last token.

    Only spans that `span_scores` allows, that score at least `floor` and that `fits` accepts; none shares a code point
    with a better one of the same window (`starts` and `ends`, int[n], rising). Ties go to the earlier, then the
    shorter span.
    """
    count = len(end_logits)
    end_logits = np.where(pieces.can_end, end_logits, -np.inf)
    # From token i, a span may end at ends_from[i] and so on, before ends_to[i].
    ends_from = _next_content(pieces.has_content)
    ends_to = np.minimum(np.minimum(np.arange(count) + max_tokens, count), pieces.end_limits)
    best = start_logits + RangeMaxima(end_logits, max_tokens)(ends_from, ends_to)
    best[~(scored & pieces.can_start)] = -np.inf
    least = max(floor, float(np.finfo(best.dtype).min))
    # A heap of each token's best span; one that a better span has cut short is scored again when it comes up.
    hopeful = np.flatnonzero(best >= least)
    heap = list(zip((-best[hopeful]).tolist(), hopeful.tolist(), strict=True))
    heapq.heapify(heap)
    unfit: dict[int, list[int]] = {}
    while heap:
        below, first = heapq.heappop(heap)
        froms, to = int(ends_from[first]), int(ends_to[first])
        if froms >= to:
            continue
        scores = start_logits[first] + end_logits[froms:to]
        if first in unfit:
            scores[[last - froms for last in unfit[first] if last < to]] = -np.inf
        extra = int(scores.argmax())
        score, last = float(scores[extra]), froms + extra
        if score < -below:
            if score >= least:
                heapq.heappush(heap, (-score, first))
            continue
        if not fits(first, last):
            unfit.setdefault(first, []).append(last)
            heapq.heappush(heap, (below, first))
            continue
        yield score, first, last
        # Every token with a code point of the span; byte-level tokens may share one character.
        low = min(first, int(ends.searchsorted(starts[first], side="right")))
        high = max(last + 1, int(starts.searchsorted(ends[last], side="left")))
        ends_to[low:high] = 0
        before = ends_to[max(0, low - max_tokens + 1) : low]
        np.minimum(before, low, out=before)


def _next_content(has_content: np.ndarray) -> np.ndarray:
    """The first token with content from each token on, int[n]; n where there is none."""
    count = len(has_content)
    return np.minimum.accumulate(np.where(has_content, np.arange(count), count)[::-1])[::-1]


@cache
def _levels(most: int) -> np.ndarray:
    """For every size up to `most`, the largest k with 2 ** k <= size."""
    return np.array([max(0, size.bit_length() - 1) for size in range(most + 1)])


class RangeMaxima:
    """Maxima over ranges of at most `most` of `values` (float[n]), by a sparse table.

    Bender and Farach-Colton 2000, "The LCA problem revisited", section 3. The best end from every token of a window
    comes from a few maxima over its tokens instead of one over its 384 × 48 spans: a window with nothing above the
    floor takes 0.03 ms where that took 0.07 ms, one with 29 spans 0.4 ms instead of 0.75 ms.
    """

    def __init__(self, values: np.ndarray, most: int) -> None:
        levels = max(1, most).bit_length()
        self._size = len(values)
        self._table = np.full((levels, self._size), -np.inf, dtype=values.dtype)
        # Row k, column i: the largest of 2 ** k values from number i on.
        self._table[0] = values
        for level in range(1, levels):
            half = 1 << (level - 1)
            below, row = self._table[level - 1], self._table[level]
            size = self._size - 2 * half + 1
            if size > 0:
                np.maximum(below[:size], below[half : half + size], out=row[:size])
        self._level = _levels(most)

    def __call__(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The largest of the values from each `low` to before each `high` (int[m]), -inf where there is none."""
        level = self._level[np.maximum(high - low, 0)]
        # Two ranges of the next smaller power of two cover it.
        found = np.maximum(
            self._table[level, np.minimum(low, self._size - 1)],
            self._table[level, np.maximum(high - (1 << level), 0)],
        )
        return np.where(low < high, found, -np.inf).astype(self._table.dtype, copy=False)


def whole_span(text: str, start: int, end: int) -> Span | None:
    """The place stripped of blanks, widened to whole words, numbers, addresses and letters; None without content.

    Punctuation and invisible characters are no content. A word split by the tokenizer is taken whole in the scripts
    that separate words by blanks and attach no particles to them (Latin, Greek, Cyrillic); a letter keeps its
    combining marks in every script.
    """
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if not any(kind(character) & CONTENT for character in text[start:end]):
        return None
    least, most = max(0, start - _WIDEN_AT_MOST), min(len(text), end + _WIDEN_AT_MOST)
    while start > least and _is_inside_word(text, start):
        start -= 1
    while end < most and _is_inside_word(text, end):
        end += 1
    return _with_whole_names(text, start, end)


def _with_whole_names(text: str, start: int, end: int) -> Span:
    """The span widened to the whole of the addresses and identifiers that it begins or ends inside."""
    low, high = start, end
    while start - low < _LONGEST_NAME and low and not text[low - 1].isspace():
        low -= 1
    while high - end < _LONGEST_NAME and high < len(text) and not text[high].isspace():
        high += 1
    for name in NAME.finditer(text, low, high) if low < start or end < high else ():
        if name.start() < start < name.end():
            start = name.start()
        if name.start() < end < name.end():
            end = name.end()
    return Span(start, end)


def _is_inside_word(text: str, at: int) -> bool:
    """Whether a place is inside a word or a number: as `Pieces.inner`, but 20 times as fast for a single place."""
    one, other = kind(text[at - 1]), kind(text[at])
    both = one & other
    if both & ASCII:
        return bool(both & ALPHA) or _IN_NUMBER.match(text, at) is not None
    return not one & SPACE if other & MARK else bool(both & IN_WORD)


def _is_plausible(text: str, span: Span) -> bool:
    """Whether a span has whole brackets and quotations, and does not begin with the number of an item or a clause."""
    words = span.of(text)
    brackets = "".join(_BRACKET.findall(words))
    while _CLOSED.search(brackets):
        brackets = _CLOSED.sub("", brackets)
    if brackets or _has_open_quotation(words):
        return False
    line = text[max(0, span.start - _WIDEN_AT_MOST) : span.start].rpartition("\n")[2]
    if line.strip():
        return True
    if _NUMBERED.match(words) and span.start - len(line) in _items_near(text, span.start):
        return False
    item = _ITEM.match(text, span.end)
    if not _ENUMERATOR.fullmatch(words) or item is None:
        return True
    # A line may begin with a count: "5 tarts were stolen".
    return words.isdecimal() and item[0][0].isspace() and item[0][-1].islower()


def _has_open_quotation(words: str) -> bool:
    """Whether one of the straight quotation marks has no other one; after a digit it may stand for inches."""
    is_open = False
    for at in [mark.start() for mark in re.finditer('"', words)]:
        is_open = not is_open and not words[at - 1 : at].isdecimal()
    return is_open


def _items_near(text: str, at: int) -> list[int]:
    """Where the items of lists around a place begin."""
    low = text.rfind("\n", 0, max(0, at - ITEMS_APART)) + 1
    return [low + start for start in item_starts(text[low : at + ITEMS_APART])]


def pieces_of(window: Window, text: str) -> Pieces:
    """The Pieces of a window's tokens: its own where it has them, else computed from the text."""
    return window.pieces or pieces_at(text, window.starts, window.ends)


def context_logits(
    window: Window, start_logits: np.ndarray, end_logits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The start and end logits of a window's n context tokens, float[n] each, from its row (float[L] or longer).

    The window's lexical scores are added to the start logits.
    """
    context = slice(window.context_at, window.context_at + len(window.starts))
    start = start_logits[context]
    return start if window.lexical is None else start + window.lexical, end_logits[context]


def window_candidates(
    window: Window,
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    *,
    text: str,
    document: int,
    count: int,
    floor: float = -np.inf,
) -> Iterator[Candidate]:
    """The best `count` candidates of one window, best first, none sharing a word with a better one.

    Takes the window's row of logits, float[L] or longer where the batch was padded; padding, question and
    special tokens are never in a span. Position 0 holds [CLS] (BERT, Devlin et al. 2019, section 4.3).
    Candidates whose margin is below `floor` are left out.
    """
    found = window_spans(
        window, start_logits, end_logits, text=text, document=document, count=count, floor=floor
    )
    return (candidate for candidate, _, _ in found)


def window_spans(
    window: Window,
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    *,
    text: str,
    document: int,
    count: int,
    floor: float = -np.inf,
) -> Iterator[tuple[Candidate, int, int]]:
    """The candidates of `window_candidates`, each with the first and last token of the row that scored it."""
    start, end = context_logits(window, start_logits, end_logits)
    null_score = float(start_logits[0] + end_logits[0])
    # Logits are float32: rounding must not drop what is as good as the floor.
    floor += null_score - _ROUNDING
    if not len(start) or start.max() + end.max() < floor:
        return
    pieces = pieces_of(window, text)
    first_of, last_of = word_bounds(pieces.inner)
    places = window.starts[first_of], window.ends[last_of]
    found = 0

    @cache
    def whole(first: int, last: int) -> Span | None:
        return whole_span(text, int(window.starts[first]), int(window.ends[last]))

    def fits(first: int, last: int) -> bool:
        span = whole(first, last)
        return span is None or _is_plausible(text, span)

    for score, first, last in best_spans(start, end, window.scored, *places, pieces, floor=floor, fits=fits):
        span = whole(first, last)
        if span is None:
            continue
        lexical = 0.0 if window.lexical is None else float(window.lexical[first])
        yield (
            Candidate(score, null_score, document, span, lexical),
            window.context_at + first,
            window.context_at + last,
        )
        found += 1
        if found == count:
            return


class NBest:
    """The best `count` candidates over any number of windows, in bounded memory.

    The result does not depend on the order in which candidates are added.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        # Enough that the best `count` survive suppression: one span can overlap at most `count` of a
        # neighbouring window's candidates, and one of the window before.
        self._room = count * (count + 2)
        self._heap: list[Rank] = []

    @property
    def floor(self) -> float:
        """The margin below which a candidate cannot be among the best; -inf while there is room."""
        return self._heap[0][0] if len(self._heap) == self._room else float("-inf")

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Adds candidates."""
        for candidate in candidates:
            if len(self._heap) < self._room:
                heapq.heappush(self._heap, candidate.rank)
            elif candidate.rank > self._heap[0]:
                heapq.heapreplace(self._heap, candidate.rank)

    def remove(self, candidates: Iterable[Candidate]) -> None:
        """Removes those of the candidates that are still in the heap."""
        gone = Counter(candidate.rank for candidate in candidates)
        remaining: list[Rank] = []
        for rank in self._heap:
            if gone[rank]:
                gone[rank] -= 1
            else:
                remaining.append(rank)
        heapq.heapify(remaining)
        self._heap = remaining

    def best(self) -> list[Candidate]:
        """The best candidates, best first, none sharing a code point with a better one."""
        return without_overlaps(self.all(), self.count)

    def all(self) -> Iterator[Candidate]:
        """All candidates in the heap, best first, overlapping ones too: `count` * (`count` + 2) at most."""
        for _, document, start, end, score, null_score, lexical in sorted(self._heap, reverse=True):
            yield Candidate(score, null_score, -document, Span(-start, -end), lexical)


def without_overlaps(ranked: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of candidates given best first, without those that overlap a better one by position."""
    chosen: list[Candidate] = []
    for candidate in ranked:
        if len(chosen) == count:
            break
        if not any(c.document == candidate.document and c.span.overlaps(candidate.span) for c in chosen):
            chosen.append(candidate)
    return chosen
