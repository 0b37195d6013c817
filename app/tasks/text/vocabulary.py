"""Converts between a tokenizer's vocabulary entries and words as a person reads them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.sentences import sentence_around
from app.core.text import Span
from app.tasks.text.tokens import SURROGATES

_MASKS = ("[MASK]", "<mask>")
_UNKNOWN = ("[UNK]", "<unk>")
_UNUSED = re.compile(r"\[unused\d+\]|<unused\d+>|madeupword\d+|<0x[0-9A-F]{2}>|<extra_id_\d+>", re.IGNORECASE)
_OPENING = "\"'“‘„«([¿¡"
_SPACE = "▁"


class LeftContext(Enum):
    """What stands directly before a word: nothing or a line's end, a blank, letters of the same word, or a sign."""

    START = "start"
    SPACE = "space"
    LETTERS = "letters"
    SIGN = "sign"


def mask_id(tokenizer: Tokenizer) -> int:
    """The id of the tokenizer's mask token. Raises SpanlightError where it has none."""
    special = {
        token.content: number
        for number, token in tokenizer.get_added_tokens_decoder().items()
        if token.special
    }
    for name in _MASKS:
        if name in special:
            return special[name]
    raise SpanlightError(
        Message("The model's tokenizer has no token for a blank."),
        Message("Choose a model that was taught with masked words, or fetch a whole copy of this one."),
    )


class Vocabulary:
    """The entries of a tokenizer of BERT's families: WordPiece, byte-level BPE (RoBERTa) or Unigram (ALBERT)."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        self._unknown = {tokenizer.token_to_id(name) for name in _UNKNOWN} - {None}
        self._word_piece = isinstance(tokenizer.model, models.WordPiece)
        self._prefix = tokenizer.model.continuing_subword_prefix if self._word_piece else ""
        self._bytes = decoders.ByteLevel() if isinstance(tokenizer.decoder, decoders.ByteLevel) else None

    @property
    def cased(self) -> bool:
        """Whether the tokenizer distinguishes capitals from small letters."""
        return self._normal("A") == "A"

    def left_of(self, text: str, start: int) -> LeftContext:
        """What stands before code point `start` of a text."""
        line = text.rfind("\n", 0, start) + 1
        if line == start or text[line:start].isspace():
            return LeftContext.START
        while start - 1 > line and unicodedata.category(text[start - 1]).startswith("M"):
            start -= 1
        before = text[start - 1]
        if before.isspace():
            return LeftContext.SPACE
        # Some tokenizers make every Chinese character a word.
        return LeftContext.LETTERS if before.isalnum() and self._joins(before) else LeftContext.SIGN

    def left_of_blank(self, text: str, blanks: Sequence[Span], number: int) -> LeftContext:
        """What stands before a text's blank; blanks without a gap are one word."""
        start = blanks[number].start
        if number and blanks[number - 1].end == start:
            return LeftContext.LETTERS
        return self.left_of(text, start)

    def opens_sentence(self, text: str, start: int) -> bool:
        """Whether a word at code point `start` is the first of its sentence; a new line alone begins none."""
        while start and text[start - 1] in _OPENING:
            start -= 1
        return (
            not start
            or text[:start].isspace()
            or (text[start - 1].isspace() and sentence_around(text, Span(start, start)).start >= start)
        )

    def word(self, entry: int, left: LeftContext) -> str:
        """An entry as text after `left`, empty where it would not be a whole word there.

        After letters, a whole word is a continuation of them. Special and unused entries are no words, nor are bytes
        that are not whole characters.
        """
        piece = self._tokenizer.id_to_token(entry)
        if piece is None or entry in self._special or _UNUSED.fullmatch(piece):
            return ""
        if self._word_piece:
            continues = piece.startswith(self._prefix) and len(piece) > len(self._prefix)
            if continues is not (left is LeftContext.LETTERS):
                return ""
            return piece.removeprefix(self._prefix).strip() if continues else piece.strip()
        shown = self._bytes.decode([piece]) if self._bytes else piece.replace(_SPACE, " ")
        has_space = shown[:1].isspace()
        if (
            left is not LeftContext.START and has_space is not (left is LeftContext.SPACE)
        ) or "\ufffd" in shown:
            return ""
        if left is LeftContext.START and not has_space and not self._bytes:
            return ""
        return shown.strip()

    def pieces(self, word: str, left: LeftContext) -> tuple[int, ...]:
        """The entries that spell a word after `left`; none where the vocabulary cannot spell it."""
        word = SURROGATES.sub("\ufffd", " ".join(word.split()))
        if left is LeftContext.LETTERS and self._word_piece:
            ids = self._continuation(self._normal(word))
        elif left is LeftContext.START or self._word_piece:
            ids = self._tokenizer.encode(word, add_special_tokens=False).ids
        else:
            ids = self._model_ids(word, left is LeftContext.SPACE)
        return () if self._special.intersection(ids) or self._unknown.intersection(ids) else tuple(ids)

    def _continuation(self, word: str) -> list[int]:
        """WordPiece's greedy longest match (Wu et al. 2016, section 4.1) of a word whose first letters came before."""
        ids: list[int] = []
        while word:
            found = (
                (end, self._tokenizer.token_to_id(self._prefix + word[:end]))
                for end in range(len(word), 0, -1)
            )
            end, entry = next(((end, entry) for end, entry in found if entry is not None), (0, None))
            if entry is None:
                return []
            ids.append(entry)
            word = word[end:]
        return ids

    def _model_ids(self, word: str, has_space: bool) -> list[int]:
        word = self._normal(word)
        if self._bytes:
            split = pre_tokenizers.ByteLevel(add_prefix_space=False)
            parts = [part for part, _ in split.pre_tokenize_str(" " * has_space + word)]
        else:
            first, *others = word.split(" ")
            parts = [_SPACE * has_space + first, *(_SPACE + other for other in others)]
        return [token.id for part in parts for token in self._tokenizer.model.tokenize(part)]

    def _normal(self, word: str) -> str:
        normalizer = self._tokenizer.normalizer
        return normalizer.normalize_str(word) if normalizer is not None else word

    def _joins(self, letter: str) -> bool:
        splitter = self._tokenizer.pre_tokenizer
        return splitter is None or len(splitter.pre_tokenize_str(self._normal(letter + "a").strip())) == 1
