"""Tokenises text of any length; each token has its place in the text in code points. The tokens of words are cached."""

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
# Blanks to every step of those tokenizers; they may drop other blanks, which joins the words around.
_WORD = re.compile(r"[^ \n\t\r]+")
_IS_BLANK = np.zeros(64, dtype=bool)
_IS_BLANK[[ord(blank) for blank in " \n\t\r"]] = True

MOST_WORDS, MOST_CHARACTERS = 1 << 17, 1 << 21


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids (int32[n]) and their places in the whole text: starts and ends in code points (int32[n])."""

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
    """Tokens of `text` without special tokens, in pieces of at most `chunk` code points.

    Pieces are cut before the blanks of a paragraph bound, else of a line, a sentence or a word, so that the tokens
    are those of the whole text. A token's place excludes blanks at its ends. The tokenizer must neither truncate nor
    pad. A special token's name in the text, such as "[SEP]", is read as words, except at the places `special_at`.
    `words`, of the same tokenizer, caches the tokens of words.
    """
    named = _special_names(tokenizer)
    at = 0
    while at < len(text):
        end = cut(text, at, chunk)
        end = next((place.start for place in special_at if at < place.start < end < place.end), end)
        piece = SURROGATES.sub("\ufffd", text[at:end])
        if named is not None:
            special = {place.start - at for place in special_at if at <= place.start < end}
            piece = named.sub(lambda name: _as_words(name, special), piece)  # noqa: B023 - done at once
        ids, starts, ends = _encode(tokenizer, piece) if words is None or special_at else words(piece)
        if len(ids):
            starts, ends = _without_blanks(piece, starts, ends)
            yield Tokens(ids, starts + np.int32(at), ends + np.int32(at))
        at = end


def checked(chunks: Iterable[Tokens], check: Callable[[], None]) -> Iterator[Tokens]:
    """The chunks of a long text, with a call of `check`, which may raise, before each."""
    for chunk in chunks:
        check()
        yield chunk


def tokenise_view(
    tokenizer: Tokenizer, text: str, replacements: Sequence[Replacement], *, words: KnownWords | None = None
) -> tuple[Tokens, np.ndarray]:
    """Tokens of `text` with its replacements read instead, and which of the tokens are replacements' (bool[n]).

    A replacement's tokens have no width; their place is the code point behind what is replaced.
    """
    read, shown, places, own = [], 0, [0], [True]
    shows, at = [0], 0
    for each in replacements:
        read += [text[at : each.start], each.words]
        shown += each.start - at
        shows += [shown, shown + len(each.words)]
        shown += len(each.words)
        places += [each.end, each.end]
        own += [False, True]
        at = each.end
    read.append(text[at:])
    found = join(tokenise(tokenizer, "".join(read), words=words))
    begins = np.searchsorted(shows, found.starts, side="right") - 1
    shift = np.array(places) - np.array(shows)
    of_text = np.array(own)
    place, last = np.array(places), np.append(np.array(shows[1:]), shown + len(text) - at)
    starts = np.where(of_text[begins], found.starts + shift[begins], place[begins])
    # A token that runs on into a replacement ends with the text's own part.
    ends = np.minimum(found.ends, last[begins])
    ends = np.where(of_text[begins], ends + shift[begins], place[begins])
    return Tokens(found.ids, starts.astype(np.int32), ends.astype(np.int32)), ~of_text[begins]


def _encode(tokenizer: Tokenizer, piece: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    encoding = tokenizer.encode(piece, add_special_tokens=False)
    offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
    return np.array(encoding.ids, dtype=np.int32), offsets[:, 0], offsets[:, 1]


def _special_names(tokenizer: Tokenizer) -> re.Pattern[str] | None:
    names = [token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special]
    return re.compile("|".join(map(re.escape, names))) if names else None


def _as_words(name: re.Match[str], special: Collection[int]) -> str:
    """A special token's name changed, at the same length, so that no tokenizer reads it as that token."""
    return name.group() if name.start() in special else "(" + name.group()[1:]


def join(chunks: Iterable[Tokens]) -> Tokens:
    """Concatenates Tokens in their order."""
    parts = list(chunks)
    if not parts:
        return Tokens(*(np.zeros(0, dtype=np.int32) for _ in range(3)))
    return Tokens(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("ids", "starts", "ends")))


def beginning(tokenizer: Tokenizer, text: str, most: int, check: Callable[[], None]) -> Tokens:
    """The first tokens of a text: more than `most` where it has more, else all; `check` as for `checked`."""
    chunks: list[Tokens] = []
    for chunk in checked(tokenise(tokenizer, text), check):
        chunks.append(chunk)
        if sum(map(len, chunks)) > most:
            break
    return join(chunks)


def part(tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens from number `start` to before number `end`."""
    return Tokens(tokens.ids[start:end], tokens.starts[start:end], tokens.ends[start:end])


def moved(tokens: Tokens, by: int) -> Tokens:
    """The tokens with their places moved by `by` code points."""
    return Tokens(tokens.ids, tokens.starts + by, tokens.ends + by)


def cut(text: str, at: int, chunk: int) -> int:
    """Where a piece of at most `chunk` code points that begins at `at` ends.

    The last paragraph bound in the second half of that, else the last line's, sentence's or word's end, always before
    the blanks there; a text without any blank is cut at `chunk`.
    """
    limit = at + chunk
    if limit >= len(text):
        return len(text)
    middle = at + max(1, chunk // 2)
    for last_bound in (_last_paragraph, _last_line, _last_sentence, _last_word):
        found = last_bound(text, middle, limit)
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
    """The places of tokens without the blanks at their ends; some tokenizers include the blank before a word."""
    blank = np.append((kinds(code_points(text)) & SPACE) != 0, False)
    starts, ends = starts.copy(), ends.copy()
    while (leading := (starts < ends) & blank[starts]).any():
        starts[leading] += 1
    while (trailing := (starts < ends) & blank[np.maximum(ends - 1, 0)]).any():
        ends[trailing] -= 1
    return starts, ends


class KnownWords:
    """The tokens of the words seen so far: at most `MOST_WORDS`, then the cache is emptied.

    For tokenizers that `suits` accepts: a text's tokens are those of its words between blanks, one after another. Of
    500,000 words 60,000 are different. The tokenizer took 0.45 ms a window; with the cache it is 0.15 ms, and 0.09 ms
    once all words are known.
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
        # Row r holds the tokens from number firsts[r] to before firsts[r + 1], their places counted from the word's.
        self._firsts = _Growing(np.zeros(1, dtype=np.int64))
        self._ids, self._starts, self._ends = (_Growing(np.zeros(0, dtype=np.int32)) for _ in range(3))

    def __call__(self, piece: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ids, starts and ends of a piece's tokens as the tokenizer gives them, int32[n] each."""
        words = _WORD.findall(piece)
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
        behind = np.cumsum(counts)
        which = np.repeat(firsts[row] - behind + counts, counts) + np.arange(behind[-1])
        at = np.repeat(_word_starts(piece), counts)
        return self._ids.all[which], at + self._starts.all[which], at + self._ends.all[which]

    def _learn(self, words: list[str]) -> None:
        text = " ".join(words)
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        places = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
        begins = _word_starts(text)
        owner = np.searchsorted(begins, places[:, 0], side="right") - 1
        counts = np.bincount(owner, minlength=len(words))
        self._characters += len(text)
        self._firsts.extend(self._firsts.all[-1] + np.cumsum(counts))
        self._ids.extend(np.array(encoding.ids, dtype=np.int32))
        self._starts.extend(places[:, 0] - begins[owner])
        self._ends.extend(places[:, 1] - begins[owner])


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

    def __init__(self, first: np.ndarray) -> None:
        self._room, self._size = first, len(first)

    @property
    def all(self) -> np.ndarray:
        return self._room[: self._size]

    def extend(self, more: np.ndarray) -> None:
        size = self._size + len(more)
        if size > len(self._room):
            room = np.empty(size + size // 2, dtype=self._room.dtype)
            room[: self._size] = self.all
            self._room = room
        self._room[self._size : size] = more
        self._size = size


def _word_starts(text: str) -> np.ndarray:
    """Where the runs between blanks begin, int32."""
    points = code_points(text)
    blank = _IS_BLANK[np.minimum(points, len(_IS_BLANK) - 1)]
    starts = ~blank
    starts[1:] &= blank[:-1]
    return np.flatnonzero(starts).astype(np.int32)
