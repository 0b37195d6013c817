"""Start and end logits to the best spans: in one window, then over all windows of all documents."""

from __future__ import annotations

import heapq
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from app.core.text import Span
from app.tasks.pieces import pieces, word_bounds
from app.tasks.range_maxima import RangeMaxima
from app.tasks.windows import Window

MAX_TOKENS = 48
_WIDEN_AT_MOST = 32


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be the answer.

    `score` is start + end logits and `lexical`, which is what the words around it say in a long text; `null_score` is
    [CLS]'s start + end logits in the same window; `span` counts code points of document number `document`.
    """

    score: float
    null_score: float
    document: int
    span: Span
    lexical: float = 0.0

    @property
    def margin(self) -> float:
        """How far the span stands above the null score of its own window."""
        return self.score - self.null_score

    @property
    def rank(self) -> Rank:
        """The larger, the better: by score; ties to the earlier, then the shorter, then the larger margin."""
        return self.score, -self.document, -self.span.start, -self.span.end, -self.null_score, self.lexical


Rank = tuple[float, int, int, int, float, float]


def banded_scores(start_logits: np.ndarray, end_logits: np.ndarray, max_tokens: int) -> np.ndarray:
    """Start + end logits of every span of 1 to `max_tokens` tokens.

    Takes float[n] each and returns float[n, max_tokens]: row i, column k is the span from token i to token
    i + k, both included; -inf where it would run over the end.
    """
    count = len(end_logits)
    padded = np.full(count + max_tokens - 1, -np.inf, dtype=end_logits.dtype)
    padded[:count] = end_logits
    return start_logits[:, None] + np.lib.stride_tricks.sliding_window_view(padded, max_tokens)


def span_scores(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    *,
    says: np.ndarray | None = None,
    max_tokens: int = MAX_TOKENS,
) -> np.ndarray:
    """The scores of one window's spans that may be the answer, laid out as by `banded_scores`, -inf for the others.

    Such a span begins at a token of `scored` (bool[n], the maximum-context rule) and holds one of `says` (bool[n], the
    tokens that are more than punctuation; None for all).
    """
    band = banded_scores(start_logits, end_logits, max_tokens)
    band[~scored] = -np.inf
    if says is not None:
        count = len(says)
        band[np.arange(count)[:, None] + np.arange(max_tokens) < _next_told(says)[:, None]] = -np.inf
    return band


def best_spans(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    *,
    says: np.ndarray | None = None,
    max_tokens: int = MAX_TOKENS,
    floor: float = -np.inf,
) -> Iterator[tuple[float, int, int]]:
    """The best spans of one window's n context tokens, best first: score, first and last token.

    Only spans that `span_scores` lets be the answer and that score at least `floor`; none shares
    a code point with a better one of the same window (`starts` and `ends`, int[n], rising). Equal scores go
    to the earlier, then the shorter span.
    """
    count = len(end_logits)
    rows = np.arange(count)
    # From token i, a span may end at ends_from[i] and so on, before ends_to[i].
    ends_from = rows if says is None else _next_told(says)
    ends_to = np.minimum(rows + max_tokens, count)
    best = start_logits + RangeMaxima(end_logits, max_tokens)(ends_from, ends_to)
    best[~scored] = -np.inf
    least = max(floor, float(np.finfo(best.dtype).min))
    # A heap of each token's best span; one that a better span has cut short is looked at anew when it comes up.
    hopeful = np.flatnonzero(best >= least)
    heap = list(zip((-best[hopeful]).tolist(), hopeful.tolist(), strict=True))
    heapq.heapify(heap)
    while heap:
        below, first = heapq.heappop(heap)
        froms, to = int(ends_from[first]), int(ends_to[first])
        if froms >= to:
            continue
        scores = start_logits[first] + end_logits[froms:to]
        extra = int(scores.argmax())
        score, last = float(scores[extra]), froms + extra
        if score < -below:
            if score >= least:
                heapq.heappush(heap, (-score, first))
            continue
        yield score, first, last
        # Every token with a code point of the span; byte-level tokens may share one character.
        low = min(first, int(ends.searchsorted(starts[first], side="right")))
        high = max(last + 1, int(starts.searchsorted(ends[last], side="left")))
        ends_to[low:high] = 0
        before = ends_to[max(0, low - max_tokens + 1) : low]
        np.minimum(before, low, out=before)


def _next_told(says: np.ndarray) -> np.ndarray:
    """The first token from each on that says something, int[n]; n where there is none."""
    count = len(says)
    return np.minimum.accumulate(np.where(says, np.arange(count), count)[::-1])[::-1]


def whole_span(text: str, start: int, end: int) -> Span | None:
    """The place less the blanks at its ends, widened to whole words and letters; None where it says nothing.

    Punctuation and what cannot be seen say nothing. A word cut in two by the tokenizer is taken whole in the
    scripts whose words stand apart and carry no particles (Latin, Greek, Cyrillic); a letter keeps its
    combining marks in every script.
    """
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if not _says(text, start, end):
        return None
    least, most = max(0, start - _WIDEN_AT_MOST), min(len(text), end + _WIDEN_AT_MOST)
    while start > least and _belong_together(text[start - 1], text[start]):
        start -= 1
    while end < most and _belong_together(text[end - 1], text[end]):
        end += 1
    return Span(start, end)


def _says(text: str, start: int, end: int) -> bool:
    """Whether there is more in this place than punctuation and what cannot be seen."""
    return any(unicodedata.category(text[at])[0] not in "PZC" for at in range(start, end))


def _belong_together(one: str, other: str) -> bool:
    """Whether no span begins or ends between two neighbouring characters."""
    if one.isascii() and other.isascii():
        return one.isalpha() and other.isalpha()
    if _is_mark(other):
        return not one.isspace()
    return _in_word(one) and _in_word(other)


def _in_word(character: str) -> bool:
    # Latin, Greek and Cyrillic end before U+0530 and have more letters from U+1E00 to U+1FFF.
    known = character < "\u0530" or "\u1e00" <= character < "\u2000"
    return known and (character.isalpha() or _is_mark(character))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def told(window: Window, text: str) -> tuple[np.ndarray, np.ndarray]:
    """What a window's tokens are, as `pieces` tells: those it holds, else they are made of the text."""
    if window.inner is None or window.says is None:
        return pieces(text, window.starts, window.ends)
    return window.inner, window.says


def context_logits(
    window: Window, start_logits: np.ndarray, end_logits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A window's logits of its n context tokens, float[n] each, from its row (float[L] or longer).

    What the words around them say is added to the start logits.
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
    special tokens never stand in a span. Position 0 holds [CLS] (BERT, Devlin et al. 2019, section 4.3).
    Nothing below `floor` is looked for.
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
    """What `window_candidates` gives, each with the first and the last token of the row that it was scored at."""
    start, end = context_logits(window, start_logits, end_logits)
    if not len(start) or start.max() + end.max() < floor:
        return
    null_score = float(start_logits[0] + end_logits[0])
    inner, says = told(window, text)
    first_of, last_of = word_bounds(inner)
    places = window.starts[first_of], window.ends[last_of]
    found = 0
    for score, first, last in best_spans(start, end, window.scored, *places, says=says, floor=floor):
        span = whole_span(text, int(window.starts[first]), int(window.ends[last]))
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

    What comes out does not depend on the order in which candidates are added.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        # Enough that the best `count` survive suppression: one span can overlap at most `count` of a
        # neighbouring window's candidates, and one of the window before.
        self._room = count * (count + 2)
        self._heap: list[Rank] = []

    @property
    def floor(self) -> float:
        """A score below which a candidate cannot matter any more; -inf while there is room."""
        return self._heap[0][0] if len(self._heap) == self._room else float("-inf")

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Takes candidates in."""
        for candidate in candidates:
            if len(self._heap) < self._room:
                heapq.heappush(self._heap, candidate.rank)
            elif candidate.rank > self._heap[0]:
                heapq.heapreplace(self._heap, candidate.rank)

    def take_back(self, candidates: Iterable[Candidate]) -> None:
        """Forgets candidates that were added, as far as they are held."""
        gone = Counter(candidate.rank for candidate in candidates)
        kept: list[Rank] = []
        for rank in self._heap:
            if gone[rank]:
                gone[rank] -= 1
            else:
                kept.append(rank)
        heapq.heapify(kept)
        self._heap = kept

    def best(self) -> list[Candidate]:
        """The best candidates, best first, none sharing a code point with a better one."""
        return without_overlaps(self.all(), self.count)

    def all(self) -> Iterator[Candidate]:
        """All candidates that are held, best first, also those that overlap: `count` * (`count` + 2) at most."""
        for score, document, start, end, null, lexical in sorted(self._heap, reverse=True):
            yield Candidate(score, -null, -document, Span(-start, -end), lexical)


def without_overlaps(ranked: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of candidates given best first, less those that overlap a better one by position."""
    kept: list[Candidate] = []
    for candidate in ranked:
        if len(kept) == count:
            break
        if not any(k.document == candidate.document and k.span.overlaps(candidate.span) for k in kept):
            kept.append(candidate)
    return kept
