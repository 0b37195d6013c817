"""Text of any length to tokens, each with its place in the text in code points."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Replacement, Span
from app.tasks.text.characters import SPACE, code_points, kinds
from app.tasks.text.known_words import KnownWords

CHUNK = 20_000

_BLANK_LINE = re.compile(r"\n[^\S\n]+\n")
_SENTENCE_END = re.compile(r"[.!?…。！？](?=\s)")
_BLANKS_RUN = re.compile(r"\s+")
SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids (int32[n]) and the code points of the whole text they stand for, starts and ends (int32[n])."""

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
    kept: Collection[Span] = (),
    words: KnownWords | None = None,
) -> Iterator[Tokens]:
    """Tokens of `text` without special tokens, in pieces of at most `chunk` code points.

    Pieces are cut before the blanks of a paragraph bound, else of a line, a sentence or a word, so that the tokens
    are those of the whole text. Blanks at a token's ends do not count to its place. The tokenizer must
    neither truncate nor pad. A special token's name in the text, such as "[SEP]", is read as words; only at the
    places `kept` it is that token. With `words`, of the same tokenizer, they are looked up there.
    """
    named = _special_names(tokenizer)
    at = 0
    while at < len(text):
        end = cut(text, at, chunk)
        end = next((place.start for place in kept if at < place.start < end < place.end), end)
        piece = SURROGATES.sub("\ufffd", text[at:end])
        if named is not None:
            special = {place.start - at for place in kept if at <= place.start < end}
            piece = named.sub(lambda name: _as_words(name, special), piece)  # noqa: B023 - done at once
        ids, starts, ends = _encode(tokenizer, piece) if words is None or kept else words(piece)
        if len(ids):
            starts, ends = _without_blanks(piece, starts, ends)
            yield Tokens(ids, starts + np.int32(at), ends + np.int32(at))
        at = end


def tokenise_view(
    tokenizer: Tokenizer, text: str, said: Sequence[Replacement], *, words: KnownWords | None = None
) -> tuple[Tokens, np.ndarray]:
    """Tokens of `text` as it is read with what is `said` in it, and which of them are said (bool[n]).

    What is said stands, without width, at the code point behind what it is read in place of.
    """
    read, shown, places, own = [], 0, [0], [True]
    shows, at = [0], 0
    for each in said:
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
    # A token that goes on into what is said behind it ends with the text's own part.
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


def _as_words(name: re.Match[str], kept: Collection[int]) -> str:
    """A special token's name so that no tokenizer takes it for one, as long as it was."""
    return name.group() if name.start() in kept else "(" + name.group()[1:]


def join(chunks: Iterable[Tokens]) -> Tokens:
    """One Tokens of several, in their order."""
    parts = list(chunks)
    if not parts:
        return Tokens(*(np.zeros(0, dtype=np.int32) for _ in range(3)))
    return Tokens(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("ids", "starts", "ends")))


def part(tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens from number `start` to before number `end`."""
    return Tokens(tokens.ids[start:end], tokens.starts[start:end], tokens.ends[start:end])


def moved(tokens: Tokens, by: int) -> Tokens:
    """The tokens of a text that stands `by` code points further on."""
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
    """The places of tokens less the blanks at their ends; some tokenizers count the blank before a word to it."""
    blank = np.append((kinds(code_points(text)) & SPACE) != 0, False)
    starts, ends = starts.copy(), ends.copy()
    while (leading := (starts < ends) & blank[starts]).any():
        starts[leading] += 1
    while (trailing := (starts < ends) & blank[np.maximum(ends - 1, 0)]).any():
        ends[trailing] -= 1
    return starts, ends
