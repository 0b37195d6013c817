"""Ranks the passages of documents by BM25: where the words of a question occur closest together in the raw text.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.core.stop_words import stop_words_for
from app.core.text import Document, Span
from app.tasks.text.characters import ALNUM, code_points, kinds
from app.tasks.text.sections import CachedText

# Code points; a passage is a cell with the next one.
CELL = 512
_SATURATION = 1.2
# The weight of a word that only begins like the question's, for a question's word of some letters, and a few more at
# most.
_PREFIX_WEIGHT = 0.5
_LEAST_PREFIXED = 4
MOST_LONGER = 3
_MOST_TERMS = 12
_COMMON_FROM = 1000
# Scripts without blanks between words, or with particles attached to them: pairs of characters are looked for.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
# A number is one word with all of its parts: 2.1.5, 10:30, 1,000.
_WORDS = re.compile(rf"\d+(?:[.,:/]\d+)+|[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_])+")
# Latin, Greek and Cyrillic: elsewhere a word may carry an article before it.
_ALPHABETS = re.compile("[\u0000-\u052f\u1e00-\u1fff]+")
# Logits per unit of BM25. Of 100 questions of `docqa` about 250,000 characters each the best span is right for 66.9
# without, 67.5 with 0.1 or 0.15, 66.2 with 0.2; of SQuAD's about 120,000 for 78.9 without, 80.0 with any of these.
WEIGHT = 0.15
# Logits that a passage found in a library loses for each unit of ln(1 + its rank). Of 43 questions to 100,000 passages
# (SQuAD's, as written and as spoken, and docqa's) the best answer's F1 is 68.6 without, 73.2 with 1.0, 75.6 with 1.5 or
# 2.0, and it stands in the right text for 79, 86 and 93% of them.
RANKED = 1.5
# Texts of at least so many code points together count as long: about 14 windows of 384 tokens. In shorter ones nothing
# is added: there the windows' own scores find the place (of those questions, in all but 5 of 90 among 10 windows).
LEAST_LENGTH = 32 * CELL


def lexical_scores(ranking: PassageRanking | GivenPassages, document: int, starts: np.ndarray) -> np.ndarray:
    """Scores to add to the start logits of tokens that start at these code points of a document, float32[n].

    They are `WEIGHT` * (BM25 of the token's passage - the best passage's), so never more than 0: shared words are
    evidence of where a question is answered, not of whether it is.
    """
    return (WEIGHT * (ranking.scores_at(document, starts) - ranking.best_score)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Term:
    """A search term from a question, found where any of `needles` occurs, with `starts_words` only where a word begins.

    `word` is the whole word in lower case, empty where a needle is all of it.
    """

    needles: tuple[str, ...]
    word: str
    starts_words: bool


def terms(question: str) -> tuple[Term, ...]:
    """The search terms of a question: its longest words that are not stop words, at most 12.

    A word of five letters or more is found by its beginning, in lower case, in capitals or as it was typed; in scripts
    without blanks between words, each pair of characters is a term.
    """
    words: dict[str, str] = {}
    for match in _WORDS.finditer(question[:20_000]):
        words.setdefault(_lower(match.group()), match.group())
    stop_words = stop_words_for(words)
    informative = {
        low: word for low, word in words.items() if low not in stop_words and _is_informative(word)
    }
    found = dict.fromkeys(
        term for low, word in (informative or words).items() for term in _terms_of_word(low, word)
    )
    longest = sorted(found, key=lambda term: -max(len(term.word), len(term.needles[0])))
    return tuple(longest[:_MOST_TERMS])


def _is_informative(word: str) -> bool:
    return len(word) > 1 or word.isdigit() or not word.isascii()


def _terms_of_word(low: str, word: str) -> Iterator[Term]:
    if re.match(f"[{_UNSPACED}]", word):
        for at in range(max(1, len(word) - 1)):
            yield Term((word[at : at + 2],), "", False)
        return
    stem = len(low) - suffix_length(low)
    forms = (low, low[:1].upper() + low[1:], word[:1] + low[1:], low.upper(), word)
    needles = tuple(dict.fromkeys(form[:stem] for form in forms))
    yield Term(needles, low, bool(_ALPHABETS.fullmatch(low)))


def _lower(word: str) -> str:
    # İ in lower case is two code points.
    return word.lower().replace("i\u0307", "i")


def suffix_length(word: str) -> int:
    """The number of letters at a word's end that may differ: those of plurals, verb forms and cases."""
    if not word.isalpha():
        return 0
    return min(3, max(0, len(word) - 3) // 2)


class PassageRanking:
    """The passages of documents, 1,024 code points each, ranked by their BM25 score for a question's words.

    The passages of a document overlap by half; a word's rarity is measured over all documents together. `best_score` is
    the best passage's, 0 where none has a word of the question. `check` is called between the words. `cached_texts` are
    the documents' own.
    """

    def __init__(
        self,
        question: str,
        documents: Sequence[Document],
        check: Callable[[], None] = lambda: None,
        cached_texts: Sequence[CachedText] | None = None,
    ) -> None:
        self._documents = documents
        cells = [-(-len(document.text) // CELL) for document in documents]
        # Document number i has the cells, and so the passages, from number firsts[i] to before firsts[i + 1].
        self._firsts = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
        total = int(self._firsts[-1])
        self._scores = np.zeros(total)
        self.best_score = 0.0
        if not total:
            return
        is_last_cell = np.zeros(total, dtype=bool)
        is_last_cell[self._firsts[1:][np.array(cells) > 0] - 1] = True
        texts = cached_texts or [CachedText(document.text) for document in documents]
        word_starts: list[WordStarts] = []
        for text in texts:
            check()
            word_starts.append(word_starts_of(text))
        for term in terms(question):
            check()
            counts = _counts(term, documents, word_starts, self._firsts)
            if counts is None:
                continue
            counts[:-1] += np.where(is_last_cell[:-1], 0.0, counts[1:])
            matching = int((counts > 0).sum())
            idf = np.log1p((total - matching + 0.5) / (matching + 0.5))
            self._scores += idf * counts * (_SATURATION + 1) / (counts + _SATURATION)
        self.best_score = float(self._scores.max())

    def best(self) -> Iterator[tuple[int, Span]]:
        """The passages that share words with the question, best first, each with its document's number.

        Equally good ones come in the order of the text.
        """
        for passage in np.argsort(-self._scores, kind="stable").tolist():
            if self._scores[passage] <= 0:
                return
            document = int(np.searchsorted(self._firsts, passage, side="right")) - 1
            start = (passage - int(self._firsts[document])) * CELL
            yield document, Span(start, min(start + 2 * CELL, len(self._documents[document].text)))

    def scores_at(self, document: int, at: np.ndarray) -> np.ndarray:
        """The score of the better of the two passages with each of these code points of a document, float64[n]."""
        first, end = self._firsts[document : document + 2]
        # A tokenizer may put a blank's token at the end, behind the last code point.
        cells = np.minimum(first + np.asarray(at, dtype=np.int64) // CELL, end - 1)
        before = np.maximum(cells - 1, first)
        return np.maximum(self._scores[cells], self._scores[before])


class GivenPassages:
    """A ranking of passages that were retrieved elsewhere, each a document, the likeliest first.

    A passage at rank r (from 0) scores `RANKED` * ln(1 + r) logits less than the first one.
    """

    best_score = 1.0

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def best(self) -> Iterator[tuple[int, Span]]:
        """All passages, as `PassageRanking.best` gives them."""
        for number, document in enumerate(self._documents):
            yield number, Span(0, len(document.text))

    def scores_at(self, document: int, at: np.ndarray) -> np.ndarray:
        """The passage's score for each of these code points, float64[n], which `WEIGHT` makes logits."""
        return np.full(len(at), self.best_score - RANKED / WEIGHT * np.log1p(document))


def _counts(
    term: Term, documents: Sequence[Document], word_starts: Sequence[WordStarts], firsts: np.ndarray
) -> np.ndarray | None:
    """The weighted occurrences of a term in each cell, float64[cells]; None where it is too common to tell anything."""
    total = int(firsts[-1])
    counts = np.zeros(total)
    most = max(_COMMON_FROM, total)
    for number, document in enumerate(documents):
        for needle in term.needles:
            positions, weights = occurrences(document.text, word_starts[number], needle, term, most)
            most -= len(positions)
            if most <= 0:
                return None
            cells = np.array(positions, dtype=np.int64) // CELL + firsts[number]
            np.add.at(counts, cells, np.array(weights))
    return counts


def occurrences(
    text: str, word_starts: WordStarts, needle: str, term: Term, most: int
) -> tuple[list[int], list[float]]:
    """The positions of a term in a text, at most `most`, and the weight of each occurrence."""
    positions: list[int] = []
    weights: list[float] = []
    found = _at_word_starts(text, word_starts, needle) if term.starts_words else _everywhere(text, needle)
    for at in found:
        weight = _weight(text, at, len(needle), term)
        if weight:
            positions.append(at)
            weights.append(weight)
        if len(positions) >= most:
            break
    return positions, weights


def _at_word_starts(text: str, word_starts: WordStarts, needle: str) -> Iterator[int]:
    return (at for at in word_starts.like(needle) if text.startswith(needle, at))


def _everywhere(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _weight(text: str, at: int, size: int, term: Term) -> float:
    if not term.word:
        return 1.0
    wanted = len(term.word)
    end = at + size
    most = min(len(text), at + wanted + MOST_LONGER + 1)
    while end < most and text[end].isalnum():
        end += 1
    if _lower(text[at:end]) == term.word:
        return 1.0
    return _PREFIX_WEIGHT if wanted >= _LEAST_PREFIXED and end - at <= wanted + MOST_LONGER else 0.0


def word_starts_of(text: CachedText) -> WordStarts:
    """The index of where a text's words begin, cached with the text."""
    return text.get(WordStarts, partial(WordStarts, text.text))


_LETTERS = 4
_BLOCK = 1 << 16


class WordStarts:
    """An index of where the words of a text begin, in order, by their first four characters.

    A word is a run of letters and digits. Searching 500,000 words for one takes 3 ms, and a question has a dozen
    spellings to search for; the index is built once in 20 ms, cached with the text, and finds where a word may occur in
    0.2 ms.
    """

    def __init__(self, text: str) -> None:
        positions, keys = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.uint32)]
        # In blocks that stay in the processor's cache, each with the character before it and the letters after it.
        for at in range(0, len(text), _BLOCK):
            before = 1 if at else 0
            points = code_points(text[at - before : at + _BLOCK + _LETTERS - 1])
            own = slice(before, before + _BLOCK)
            runs = (kinds(points) & ALNUM) != 0
            starts = runs[own].copy()
            starts[1 - before :] &= ~runs[: before + _BLOCK - 1][: len(starts) - 1 + before]
            here = np.flatnonzero(starts)
            low = np.append(points.astype(np.uint8), np.zeros(_LETTERS, dtype=np.uint8))[before:]
            key = low[here].astype(np.uint32)
            for letter in range(1, _LETTERS):
                key |= low[here + letter].astype(np.uint32) << (8 * letter)
            positions.append((here + at).astype(np.int32))
            keys.append(key)
        self._positions, self._keys = np.concatenate(positions), np.concatenate(keys)

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return self._positions.nbytes + self._keys.nbytes

    def like(self, needle: str) -> list[int]:
        """The starts of words that may begin with `needle`, in order; only each letter's lowest byte is compared."""
        points = code_points(needle[:_LETTERS]).tolist()
        key = sum((point & 0xFF) << (8 * letter) for letter, point in enumerate(points))
        shown = (1 << (8 * len(points))) - 1
        keys = self._keys if shown == 0xFFFFFFFF else self._keys & np.uint32(shown)
        found: list[int] = self._positions[keys == np.uint32(key)].tolist()
        return found
