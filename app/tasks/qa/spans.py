"""Start and end logits to the best spans: in one window, then over all windows of all documents."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from app.core.text import Span
from app.tasks.qa.fast.range_maxima import RangeMaxima
from app.tasks.text.characters import ALPHA, ASCII, IN_WORD, MARK, SAYS, SPACE, kind
from app.tasks.text.pieces import Pieces, pieces, word_bounds
from app.tasks.text.windows import MAX_TOKENS, Window

_WIDEN_AT_MOST = 32
_ROUNDING = 1e-4
_BRACKET = re.compile(r"[()\[\]{}“”«»]")
_CLOSED = re.compile(r"\(\)|\[\]|\{\}|“”|«»")
_IN_NUMBER = re.compile(r"(?<=[0-9])[.,:]?[0-9]|(?<=[0-9][.,:])[0-9]")
# What numbers an item or a clause ("3.1", "(a)", "iv."), and the words that follow it on its line.
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)\]]?")
_ITEM = re.compile(r"[.)\]:]?[^\S\t\n]+[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be the answer.

    `score` is start + end logits and `lexical`, which is what the words around it say in a long text; `null_score` is
    [CLS]'s start + end logits in the same window; `span` counts code points of document number `document`. Spans are
    ranked by their margins: a window that seems to hold no answer speaks against its spans.
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
        """The larger, the better: by margin; ties to the earlier, then the shorter."""
        place = -self.document, -self.span.start, -self.span.end
        return self.margin, *place, self.score, self.null_score, self.lexical


Rank = tuple[float, int, int, int, float, float, float]


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
    told: Pieces | None = None,
    max_tokens: int = MAX_TOKENS,
) -> np.ndarray:
    """The scores of one window's spans that may be the answer, laid out as by `banded_scores`, -inf for the others.

    Such a span begins at a token of `scored` (bool[n], the maximum-context rule) and, where what the tokens are is
    `told`, begins and ends where a span may, within one block, and is more than punctuation.
    """
    if told is not None:
        scored, end_logits = scored & told.opens, np.where(told.closes, end_logits, -np.inf)
    band = banded_scores(start_logits, end_logits, max_tokens)
    band[~scored] = -np.inf
    if told is not None:
        ends = np.arange(len(scored))[:, None] + np.arange(max_tokens)
        band[(ends < _next_told(told.says)[:, None]) | (ends >= told.stops[:, None])] = -np.inf
    return band


def best_spans(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    scored: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    *,
    told: Pieces | None = None,
    max_tokens: int = MAX_TOKENS,
    floor: float = -np.inf,
    fits: Callable[[int, int], bool] = lambda first, last: True,
) -> Iterator[tuple[float, int, int]]:
    """The best spans of one window's n context tokens, best first: score, first and last token.

    Only spans that `span_scores` lets be the answer, that score at least `floor` and that `fits` lets pass; none shares
    a code point with a better one of the same window (`starts` and `ends`, int[n], rising). Equal scores go
    to the earlier, then the shorter span.
    """
    count = len(end_logits)
    rows = np.arange(count)
    # From token i, a span may end at ends_from[i] and so on, before ends_to[i].
    ends_from, ends_to = rows, np.minimum(rows + max_tokens, count)
    if told is not None:
        scored, end_logits = scored & told.opens, np.where(told.closes, end_logits, -np.inf)
        ends_from, ends_to = _next_told(told.says), np.minimum(ends_to, told.stops)
    best = start_logits + RangeMaxima(end_logits, max_tokens)(ends_from, ends_to)
    best[~scored] = -np.inf
    least = max(floor, float(np.finfo(best.dtype).min))
    # A heap of each token's best span; one that a better span has cut short is looked at anew when it comes up.
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


def _next_told(says: np.ndarray) -> np.ndarray:
    """The first token from each on that says something, int[n]; n where there is none."""
    count = len(says)
    return np.minimum.accumulate(np.where(says, np.arange(count), count)[::-1])[::-1]


def whole_span(text: str, start: int, end: int) -> Span | None:
    """The place less the blanks at its ends, widened to whole words, numbers and letters; None where it says nothing.

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
    while start > least and _goes_on(text, start):
        start -= 1
    while end < most and _goes_on(text, end):
        end += 1
    return Span(start, end)


def _says(text: str, start: int, end: int) -> bool:
    """Whether there is more in this place than punctuation and what cannot be seen."""
    return any(kind(character) & SAYS for character in text[start:end])


def _goes_on(text: str, at: int) -> bool:
    """Whether a word or a number that began before a place goes on behind it, as `pieces` tells, 20 times as fast."""
    one, other = kind(text[at - 1]), kind(text[at])
    both = one & other
    if both & ASCII:
        return bool(both & ALPHA) or _IN_NUMBER.match(text, at) is not None
    return not one & SPACE if other & MARK else bool(both & IN_WORD)


def _is_whole(text: str, span: Span) -> bool:
    """Whether a span is more than the number of a list's item or a clause, and its brackets are closed."""
    words = span.of(text)
    brackets = "".join(_BRACKET.findall(words))
    while _CLOSED.search(brackets):
        brackets = _CLOSED.sub("", brackets)
    if brackets:
        return False
    if not _ENUMERATOR.fullmatch(words):
        return True
    line = text[max(0, span.start - _WIDEN_AT_MOST) : span.start].rpartition("\n")[2]
    item = _ITEM.match(text, span.end)
    if line.strip() or item is None:
        return True
    # A line may begin with how many there are: "5 tarts were stolen".
    return words.isdecimal() and item[0][0].isspace() and item[0][-1].islower()


def told(window: Window, text: str) -> Pieces:
    """What a window's tokens are, as `pieces` tells: what it holds of that, else it is made of the text."""
    return window.pieces or pieces(text, window.starts, window.ends)


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
    Nothing whose margin is below `floor` is looked for.
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
    null_score = float(start_logits[0] + end_logits[0])
    # Logits are float32: rounding hides nothing that is as good as the floor.
    floor += null_score - _ROUNDING
    if not len(start) or start.max() + end.max() < floor:
        return
    known = told(window, text)
    first_of, last_of = word_bounds(known.inner)
    places = window.starts[first_of], window.ends[last_of]
    found = 0

    @cache
    def whole(first: int, last: int) -> Span | None:
        return whole_span(text, int(window.starts[first]), int(window.ends[last]))

    def fits(first: int, last: int) -> bool:
        span = whole(first, last)
        return span is None or _is_whole(text, span)

    for score, first, last in best_spans(
        start, end, window.scored, *places, told=known, floor=floor, fits=fits
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
        """A margin below which a candidate cannot matter any more; -inf while there is room."""
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
        for _, document, start, end, score, null_score, lexical in sorted(self._heap, reverse=True):
            yield Candidate(score, null_score, -document, Span(-start, -end), lexical)


def without_overlaps(ranked: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of candidates given best first, less those that overlap a better one by position."""
    kept: list[Candidate] = []
    for candidate in ranked:
        if len(kept) == count:
            break
        if not any(k.document == candidate.document and k.span.overlaps(candidate.span) for k in kept):
            kept.append(candidate)
    return kept
