"""Passages: running text as tokenised sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from app.core.sentences import sentences
from app.core.text import RunningText
from app.tasks.text.tokens import join, tokenise


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive sentences (int64[n] of tokens each, none empty), and the document they are from."""

    sentences: tuple[np.ndarray, ...]
    document: str
    source: str = ""

    def __len__(self) -> int:
        return sum(map(len, self.sentences))


def passage(tokenizer: Tokenizer, text: RunningText) -> Passage:
    """The text's sentences as tokens, without special ones."""
    found = []
    for paragraph in text.paragraphs:
        for sentence in sentences(paragraph):
            ids = join(tokenise(tokenizer, sentence.of(paragraph))).ids.astype(np.int64)
            if len(ids):
                found.append(ids)
    return Passage(tuple(found), text.document, text.source)
