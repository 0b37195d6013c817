"""Tokenises text of any length, with each token's code points in it, and caches the tokens of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from app.core.text import Replacement, Span
from app.tasks.text.characters import SPACE, code_points, kinds

CHUNK = 20_000

_BLANK_LINE = re.compile(r"\n[^\S\n]+\n")
_SENTENCE_END = re.compile(r"[.!?…。！？](?=\s)")
_BLANKS_RUN = re.compile(r"\s+")
SURROGATES = re.compile("[\ud800-\udfff]")
# Blanks that every step of a tokenizer suited to `KnownWords` splits at; it may drop others, which joins the words
# around them.
_WORD = re.compile(r"[^ \n\t\r]+")
_IS_BLANK = np.zeros(64, dtype=bool)
_IS_BLANK[[ord(blank) for blank in " \n\t\r"]] = True

MOST_WORDS, MOST_CHARACTERS = 1 << 17, 1 << 21


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids (int32[n]), and where the tokens start and end in the whole text, in code points (int32[n] each)."""

    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def tokenise(
    tokenizer: Tokenizer,
    text: str,
    *,
    chunk: int = CHUNK,
    special_at: Collection[Span] = (),
    words: KnownWords | None = None,
) -> Iterator[Tokens]:
    """Tokens of `text` without special tokens, from chunks of at most `chunk` code points.

    Chunks end before the blanks between two paragraphs, else two lines, sentences or words, so that the tokens are
    those of the whole text. A token's code points exclude blanks at its ends. The tokenizer must neither truncate nor
    pad. A special token's name in the text, such as "[SEP]", is read as words, except at the spans `special_at`.
    `words`, of the same tokenizer, caches the tokens of words.
    """
    special_names = _special_names(tokenizer)
    at = 0
    while at < len(text):
        end = chunk_end(text, at, chunk)
        end = next((name.start for name in special_at if at < name.start < end < name.end), end)
        shown = SURROGATES.sub("\ufffd", text[at:end])
        if special_names is not None:
            special = {name.start - at for name in special_at if at <= name.start < end}
            shown = special_names.sub(lambda name: _as_words(name, special), shown)  # noqa: B023 - done at once
        ids, starts, ends = _encode(tokenizer, shown) if words is None or special_at else words(shown)
        if len(ids):
            starts, ends = _without_blanks(shown, starts, ends)
            yield Tokens(ids, starts + np.int32(at), ends + np.int32(at))
        at = end


def checked(chunks: Iterable[Tokens], check: Callable[[], None]) -> Iterator[Tokens]:
    """Yield the chunks of a long text, calling `check`, which may raise, before each."""
    for chunk in chunks:
        check()
        yield chunk


def tokenise_view(
    tokenizer: Tokenizer, text: str, replacements: Sequence[Replacement], *, words: KnownWords | None = None
) -> tuple[Tokens, np.ndarray]:
    """Tokens of `text` with its replacements read instead, and which of them are replacements' tokens (bool[n]).

    A replacement's tokens have no width; they start and end at the code point behind what is replaced.
    """
    # What is read consists of stretches, by turns of the text and a replacement: where each begins in what is read, and
    # which code point of the text that is.
    read: list[str] = []
    begins, in_text = [0], [0]
    size = at = 0
    for each in replacements:
        read += [text[at : each.start], each.words]
        begins += [size + each.start - at, size + each.start - at + len(each.words)]
        in_text += [each.end, each.end]
        size, at = begins[-1], each.end
    read.append(text[at:])
    found = join(tokenise(tokenizer, "".join(read), words=words))
    stretch = np.searchsorted(begins, found.starts, side="right") - 1
    is_replacement = stretch % 2 == 1
    begin, point = np.array(begins)[stretch], np.array(in_text)[stretch]
    # A token that runs on into a replacement ends with the text's own stretch.
    limit = np.array([*begins[1:], size + len(text) - at])[stretch]
    starts = np.where(is_replacement, point, point + found.starts - begin)
    ends = np.where(is_replacement, point, point + np.minimum(found.ends, limit) - begin)
    return Tokens(found.ids, starts.astype(np.int32), ends.astype(np.int32)), is_replacement


def _encode(tokenizer: Tokenizer, text: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    encoding = tokenizer.encode(text, add_special_tokens=False)
    offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
    return np.array(encoding.ids, dtype=np.int32), offsets[:, 0], offsets[:, 1]


def _special_names(tokenizer: Tokenizer) -> re.Pattern[str] | None:
    names = [token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special]
    return re.compile("|".join(map(re.escape, names))) if names else None


def _as_words(name: re.Match[str], special: Collection[int]) -> str:
    """A special token's name, changed at the same length so that no tokenizer reads it as that token."""
    return name.group() if name.start() in special else "(" + name.group()[1:]


def join(chunks: Iterable[Tokens]) -> Tokens:
    """Concatenate Tokens in their order."""
    parts = list(chunks)
    if not parts:
        return Tokens(*(np.zeros(0, dtype=np.int32) for _ in range(3)))
    return Tokens(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("ids", "starts", "ends")))


def first_tokens(tokenizer: Tokenizer, text: str, least: int, check: Callable[[], None]) -> Tokens:
    """A text's first tokens, all of them or more than `least`; `check` as for `checked`."""
    chunks: list[Tokens] = []
    for chunk in checked(tokenise(tokenizer, text), check):
        chunks.append(chunk)
        if sum(map(len, chunks)) > least:
            break
    return join(chunks)


def part(tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens from number `start` to before number `end`."""
    return Tokens(tokens.ids[start:end], tokens.starts[start:end], tokens.ends[start:end])


def moved(tokens: Tokens, by: int) -> Tokens:
    """The tokens `by` code points further on in the text."""
    return Tokens(tokens.ids, tokens.starts + by, tokens.ends + by)


def chunk_end(text: str, at: int, size: int) -> int:
    """The end of a chunk of at most `size` code points that begins at `at`.

    It is the last end of a paragraph in the second half of that, else of a line, a sentence or a word, always before
    the blanks there; a text without any blank is cut after `size` code points.
    """
    limit = at + size
    if limit >= len(text):
        return len(text)
    middle = at + max(1, size // 2)
    for last_end in (_last_paragraph, _last_line, _last_sentence, _last_word):
        found = last_end(text, middle, limit)
        # A run of blanks may reach back to before the middle.
        end = at + len(text[at:found].rstrip()) if found >= 0 else at
        if end > at:
            return end
    return limit


def _last_paragraph(text: str, start: int, end: int) -> int:
    plain = text.rfind("\n\n", start, end)
    later = max((m.start() for m in _BLANK_LINE.finditer(text, max(start, plain), end)), default=-1)
    return max(plain, later)


def _last_line(text: str, start: int, end: int) -> int:
    return text.rfind("\n", start, end)


def _last_sentence(text: str, start: int, end: int) -> int:
    return max((m.end() for m in _SENTENCE_END.finditer(text, start, end)), default=-1)


def _last_word(text: str, start: int, end: int) -> int:
    return max((m.start() for m in _BLANKS_RUN.finditer(text, start, end)), default=-1)


def _without_blanks(text: str, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of tokens without the blanks at their ends; some tokenizers include the blank before a word."""
    blank = np.append((kinds(code_points(text)) & SPACE) != 0, False)
    starts, ends = starts.copy(), ends.copy()
    while (leading := (starts < ends) & blank[starts]).any():
        starts[leading] += 1
    while (trailing := (starts < ends) & blank[np.maximum(ends - 1, 0)]).any():
        ends[trailing] -= 1
    return starts, ends


class KnownWords:
    """A cache of the tokens of words, emptied when it holds more than `MOST_WORDS`.

    For tokenizers that `suits` accepts: a text's tokens are those of its words between blanks, one after another. Of
    500,000 words 60,000 are different. The tokenizer takes 0.45 ms a window, the cache 0.15 ms, and 0.09 ms once all
    words are known.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._forget()

    @staticmethod
    def suits(tokenizer: Tokenizer) -> bool:
        """Whether the tokenizer treats every word on its own: WordPiece after BERT's splitting."""
        return (
            isinstance(tokenizer.model, WordPiece)
            and isinstance(tokenizer.normalizer, BertNormalizer)
            and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
            and all(
                token.special and not token.normalized
                for token in tokenizer.get_added_tokens_decoder().values()
            )
        )

    def __len__(self) -> int:
        return len(self._rows)

    def _forget(self) -> None:
        self._rows = _Rows()
        self._characters = 0
        # Row r has the tokens from number firsts[r] to before firsts[r + 1], whose starts and ends count in the word.
        self._firsts = _Growing(np.zeros(1, dtype=np.int64))
        self._ids, self._starts, self._ends = (_Growing(np.zeros(0, dtype=np.int32)) for _ in range(3))

    def __call__(self, text: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ids, starts and ends of a text's tokens as the tokenizer gives them, int32[n] each."""
        words = _WORD.findall(text)
        if not words:
            return (np.zeros(0, dtype=np.int32),) * 3
        if len(self._rows) > MOST_WORDS or self._characters > MOST_CHARACTERS:
            self._forget()
        row = np.fromiter(map(self._rows.__getitem__, words), dtype=np.int64, count=len(words))
        if self._rows.new:
            try:
                self._learn(self._rows.new)
            except BaseException:
                self._forget()  # the tokenizer failed: the new words have rows but no tokens
                raise
            self._rows.new = []
        firsts = self._firsts.all
        counts = firsts[row + 1] - firsts[row]
        ends = np.cumsum(counts)
        which = np.repeat(firsts[row] - ends + counts, counts) + np.arange(ends[-1])
        at = np.repeat(_word_starts(text), counts)
        return self._ids.all[which], at + self._starts.all[which], at + self._ends.all[which]

    def _learn(self, words: list[str]) -> None:
        text = " ".join(words)
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
        word_starts = _word_starts(text)
        word = np.searchsorted(word_starts, offsets[:, 0], side="right") - 1
        counts = np.bincount(word, minlength=len(words))
        self._characters += len(text)
        self._firsts.extend(self._firsts.all[-1] + np.cumsum(counts))
        self._ids.extend(np.array(encoding.ids, dtype=np.int32))
        self._starts.extend(offsets[:, 0] - word_starts[word])
        self._ends.extend(offsets[:, 1] - word_starts[word])


class _Rows(dict[str, int]):
    """The row of each word, assigned at its first lookup; `new` are the words added since that list was emptied."""

    def __init__(self) -> None:
        self.new: list[str] = []

    def __missing__(self, word: str) -> int:
        self.new.append(word)
        self[word] = row = len(self)
        return row


class _Growing:
    """An array that grows at its end, its capacity by half when full; `all` are its values."""

    def __init__(self, values: np.ndarray) -> None:
        self._buffer, self._size = values, len(values)

    @property
    def all(self) -> np.ndarray:
        return self._buffer[: self._size]

    def extend(self, values: np.ndarray) -> None:
        size = self._size + len(values)
        if size > len(self._buffer):
            buffer = np.empty(size + size // 2, dtype=self._buffer.dtype)
            buffer[: self._size] = self.all
            self._buffer = buffer
        self._buffer[self._size : size] = values
        self._size = size


def _word_starts(text: str) -> np.ndarray:
    """The starts of the words between blanks, int32[words]."""
    points = code_points(text)
    blank = _IS_BLANK[np.minimum(points, len(_IS_BLANK) - 1)]
    starts = ~blank
    starts[1:] &= blank[:-1]
    return np.flatnonzero(starts).astype(np.int32)
