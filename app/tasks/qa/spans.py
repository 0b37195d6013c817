"""Finds the best spans by their start and end logits: in one window, then over all windows of all documents."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from app.core.sentences import ITEM_NUMBER, ITEMS_APART, item_starts
from app.core.text import Span
from app.tasks.text.characters import (
    ALPHA,
    ASCII,
    CONTENT,
    IN_WORD,
    MARK,
    NAME,
    SPACE,
    TokenProperties,
    kind,
    token_properties,
    word_bounds,
)
from app.tasks.text.windows import MAX_TOKENS, Window

_WIDEN_AT_MOST = 32
_LONGEST_NAME = 256
_ROUNDING = 1e-4
_BRACKET = re.compile(r"[()\[\]{}“”«»]")
_BRACKET_PAIR = re.compile(r"\(\)|\[\]|\{\}|“”|«»")
_IN_NUMBER = re.compile(r"(?<=[0-9])[.,:]?[0-9]|(?<=[0-9][.,:])[0-9]")
_ITEM_NUMBER = re.compile(ITEM_NUMBER)
_NUMBERED = re.compile(rf"{ITEM_NUMBER}\s")
# What follows an item's number on its line, up to the first letter of its words.
_ITEM_BEGINS = re.compile(r"[.)\]:]?[^\S\t\n]+[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be the answer.

    `score` is start + end logits + `lexical`, the score of its passage in a long text and of its row in a table;
    `null_score` is [CLS]'s start + end logits in the same window; `span` counts code points of document number
    `document`. Spans are ranked by `margin`, so that a window without an answer lowers its spans.
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
        """A sort key, larger is better: by margin; ties go to the earlier, then the shorter."""
        earlier = -self.document, -self.span.start, -self.span.end
        return self.margin, *earlier, self.score, self.null_score, self.lexical


Rank = tuple[float, int, int, int, float, float, float]


def span_scores(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    properties: TokenProperties,
    max_tokens: int = MAX_TOKENS,
) -> np.ndarray:
    """The scores of one window's spans that may be the answer, float[n, max_tokens], -inf for the others.

    Row i, column k is the span from token i to token i + k, both included: start + end logits (float[n] each). A span
    that may be the answer begins at a token of `scored` (bool[n], the maximum-context rule), begins and ends where
    the tokens' `properties` allow it, stays within one block and is more than punctuation.
    """
    count = len(end_logits)
    padded = np.full(count + max_tokens - 1, -np.inf, dtype=end_logits.dtype)
    padded[:count] = np.where(properties.can_end, end_logits, -np.inf)
    band = start_logits[:, None] + np.lib.stride_tricks.sliding_window_view(padded, max_tokens)
    band[~(scored & properties.can_start)] = -np.inf
    ends = np.arange(count)[:, None] + np.arange(max_tokens)
    contentless = ends < _next_content(properties.has_content)[:, None]
    band[contentless | (ends >= properties.end_limits[:, None])] = -np.inf
    return band


def best_spans(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    properties: TokenProperties,
    *,
    max_tokens: int = MAX_TOKENS,
    floor: float = -np.inf,
    fits: Callable[[int, int], bool] = lambda first, last: True,
) -> Iterator[tuple[float, int, int]]:
    """The best spans of one window's n context tokens, best first: score, first and last token.

    Only spans that `span_scores` allows, that score at least `floor` and that `fits` accepts; none shares a code point
    with a better one (`starts` and `ends` are the tokens' code points, int[n], rising). Ties go to the earlier, then
    the shorter span.
    """
    count = len(end_logits)
    end_logits = np.where(properties.can_end, end_logits, -np.inf)
    # A span from token i may end at token ends_from[i] or later, before ends_to[i].
    ends_from = _next_content(properties.has_content)
    ends_to = np.minimum(np.minimum(np.arange(count) + max_tokens, count), properties.end_limits)
    best = start_logits + RangeMaxima(end_logits, max_tokens)(ends_from, ends_to)
    best[~(scored & properties.can_start)] = -np.inf
    least = max(floor, float(np.finfo(best.dtype).min))
    # A heap of the best score of a span from each token. A better span may have cut that one short since: then it is
    # scored again when it comes up.
    firsts = np.flatnonzero(best >= least)
    heap = list(zip((-best[firsts]).tolist(), firsts.tolist(), strict=True))
    heapq.heapify(heap)
    rejected: dict[int, list[int]] = {}
    while heap:
        negative, first = heapq.heappop(heap)
        low, high = int(ends_from[first]), int(ends_to[first])
        if low >= high:
            continue
        scores = start_logits[first] + end_logits[low:high]
        if first in rejected:
            scores[[last - low for last in rejected[first] if last < high]] = -np.inf
        last = low + int(scores.argmax())
        score = float(scores[last - low])
        if score < -negative:
            if score >= least:
                heapq.heappush(heap, (-score, first))
            continue
        if not fits(first, last):
            rejected.setdefault(first, []).append(last)
            heapq.heappush(heap, (negative, first))
            continue
        yield score, first, last
        # All tokens that share a code point with the span: several byte-level tokens may share one character.
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

    Bender and Farach-Colton 2000, "The LCA problem revisited", section 3. The best end for every token of a window
    comes from a few maxima over its tokens instead of one over its 384 × 48 spans: a window with nothing above the
    floor takes 0.03 ms instead of 0.07 ms, one with 29 spans 0.4 ms instead of 0.75 ms.
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
    """The span without blanks at its ends, widened to whole words, numbers and addresses; None without content.

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
    """Whether code point `at` is inside a word or number: as `TokenProperties.inner`, 20 times as fast for one."""
    left, right = kind(text[at - 1]), kind(text[at])
    both = left & right
    if both & ASCII:
        return bool(both & ALPHA) or _IN_NUMBER.match(text, at) is not None
    return not left & SPACE if right & MARK else bool(both & IN_WORD)


def _is_balanced(words: str) -> bool:
    """Whether every bracket and quotation mark has its counterpart."""
    brackets = "".join(_BRACKET.findall(words))
    while _BRACKET_PAIR.search(brackets):
        brackets = _BRACKET_PAIR.sub("", brackets)
    return not brackets and not _has_open_quotation(words)


def _has_open_quotation(words: str) -> bool:
    """Whether a straight quotation mark has no counterpart; after a digit it may stand for inches."""
    is_open = False
    for at in [mark.start() for mark in re.finditer('"', words)]:
        is_open = not is_open and not words[at - 1 : at].isdecimal()
    return is_open


def _begins_with_item_number(text: str, span: Span) -> bool:
    """Whether a span is, or begins with, the number of an item or a clause at the beginning of a line."""
    words = span.of(text)
    before = text[max(0, span.start - _WIDEN_AT_MOST) : span.start].rpartition("\n")[2]
    if before.strip():
        return False
    if _NUMBERED.match(words) and span.start - len(before) in _items_near(text, span.start):
        return True
    behind = _ITEM_BEGINS.match(text, span.end)
    if behind is None or not _ITEM_NUMBER.fullmatch(words):
        return False
    # A line may begin with a count: "5 tarts were stolen".
    is_count = words.isdecimal() and behind[0][0].isspace() and behind[0][-1].islower()
    return not is_count


def _items_near(text: str, at: int) -> list[int]:
    """The starts of the list items around code point `at`."""
    low = text.rfind("\n", 0, max(0, at - ITEMS_APART)) + 1
    return [low + start for start in item_starts(text[low : at + ITEMS_APART])]


def properties_of(window: Window, text: str) -> TokenProperties:
    """The properties of a window's tokens: its own where it has them, else computed from the text."""
    return window.properties or token_properties(text, window.starts, window.ends)


def context_logits(
    window: Window, start_logits: np.ndarray, end_logits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The start and end logits of a window's n context tokens, float[n] each, from its row of the batch (float[L]).

    The row may be padded. The window's lexical scores are added to the start logits.
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
    # Logits are float32: a span exactly at the floor must not be lost to rounding.
    floor += null_score - _ROUNDING
    if not len(start) or start.max() + end.max() < floor:
        return
    properties = properties_of(window, text)
    first_of, last_of = word_bounds(properties.inner)
    word_starts, word_ends = window.starts[first_of], window.ends[last_of]
    found = 0

    @cache
    def whole(first: int, last: int) -> Span | None:
        return whole_span(text, int(window.starts[first]), int(window.ends[last]))

    def fits(first: int, last: int) -> bool:
        span = whole(first, last)
        if span is None:
            return True
        return _is_balanced(span.of(text)) and not _begins_with_item_number(text, span)

    for score, first, last in best_spans(
        start, end, window.scored, word_starts, word_ends, properties, floor=floor, fits=fits
    ):
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
        self._capacity = count * (count + 2)
        self._heap: list[Rank] = []

    @property
    def floor(self) -> float:
        """The margin below which a candidate cannot be among the best; -inf while there is room."""
        return self._heap[0][0] if len(self._heap) == self._capacity else float("-inf")

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Add candidates."""
        for candidate in candidates:
            if len(self._heap) < self._capacity:
                heapq.heappush(self._heap, candidate.rank)
            elif candidate.rank > self._heap[0]:
                heapq.heapreplace(self._heap, candidate.rank)

    def remove(self, candidates: Iterable[Candidate]) -> None:
        """Remove those of the candidates that are still in the heap."""
        to_remove = Counter(candidate.rank for candidate in candidates)
        remaining: list[Rank] = []
        for rank in self._heap:
            if to_remove[rank]:
                to_remove[rank] -= 1
            else:
                remaining.append(rank)
        heapq.heapify(remaining)
        self._heap = remaining

    def best(self) -> list[Candidate]:
        """The best candidates, best first, none sharing a code point with a better one."""
        return without_overlaps(self.all(), self.count)

    def all(self) -> Iterator[Candidate]:
        """All candidates in the heap, best first, overlapping ones included: `count` * (`count` + 2) at most."""
        for _, document, start, end, score, null_score, lexical in sorted(self._heap, reverse=True):
            yield Candidate(score, null_score, -document, Span(-start, -end), lexical)


def without_overlaps(ranked: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of candidates that come best first, without those that overlap a better one."""
    chosen: list[Candidate] = []
    for candidate in ranked:
        if len(chosen) == count:
            break
        if not any(c.document == candidate.document and c.span.overlaps(candidate.span) for c in chosen):
            chosen.append(candidate)
    return chosen
