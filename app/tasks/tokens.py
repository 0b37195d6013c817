"""Text of any length to tokens, each with its place in the text in code points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

CHUNK = 20_000

_BLANK_RUN = re.compile(r"(?<!\s)\s+")
_SENTENCE_ENDS = ".!?…。！？"
_SURROGATES = re.compile("[\ud800-\udfff]")
_BLANKS = np.array([ord(c) for c in map(chr, range(0x3001)) if c.isspace()], dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids (int32[n]) and the code points of the whole text they stand for, starts and ends (int32[n])."""

    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def tokenise(tokenizer: Tokenizer, text: str, *, chunk: int = CHUNK) -> Iterator[Tokens]:
    """Tokens of `text` without special tokens, in pieces of at most `chunk` code points.

    Pieces are cut before the blanks of a paragraph bound, else of a line, a sentence or a word, so that the tokens
    are those of the whole text. Blanks at a token's ends do not count to its place. The tokenizer must
    neither truncate nor pad.
    """
    at = 0
    while at < len(text):
        end = _cut(text, at, chunk)
        piece = _SURROGATES.sub("\ufffd", text[at:end])
        encoding = tokenizer.encode(piece, add_special_tokens=False)
        if encoding.ids:
            offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
            starts, ends = _without_blanks(piece, offsets[:, 0], offsets[:, 1])
            yield Tokens(np.array(encoding.ids, dtype=np.int32), starts + np.int32(at), ends + np.int32(at))
        at = end


def join(chunks: Iterable[Tokens]) -> Tokens:
    """One Tokens of several, in their order."""
    parts = list(chunks)
    if not parts:
        return Tokens(*(np.zeros(0, dtype=np.int32) for _ in range(3)))
    return Tokens(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("ids", "starts", "ends")))


def _cut(text: str, at: int, chunk: int) -> int:
    """Where a piece that begins at `at` ends: the last of the best bounds in the second half of `chunk`."""
    limit = at + chunk
    if limit >= len(text):
        return len(text)
    best, cut = -1, limit
    for run in _BLANK_RUN.finditer(text, at + max(1, chunk // 2), limit):
        newlines = run.group().count("\n")
        rank = min(newlines, 2) + 1 if newlines else int(text[run.start() - 1] in _SENTENCE_ENDS)
        if rank >= best:
            best, cut = rank, run.start()
    return cut


def _without_blanks(text: str, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of tokens less the blanks at their ends; some tokenizers count the blank before a word to it."""
    blank = np.isin(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), _BLANKS)
    blank = np.append(blank, False)
    starts, ends = starts.copy(), ends.copy()
    while (leading := (starts < ends) & blank[starts]).any():
        starts[leading] += 1
    while (trailing := (starts < ends) & blank[np.maximum(ends - 1, 0)]).any():
        ends[trailing] -= 1
    return starts, ends
