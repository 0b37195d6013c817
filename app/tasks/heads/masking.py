"""Masks tokens at random, for training and measuring masked words (BERT, Devlin et al. 2019, section 3.1)."""

from __future__ import annotations

import numpy as np
from tokenizers import Tokenizer

from app.tasks.text.vocabulary import mask_id

RATE = 0.15


class Masker:
    """Masks tokens at random: of those chosen 80% become the mask, 10% a random token, 10% stay unchanged.

    Raises SpanlightError where the tokenizer has no mask token.
    """

    def __init__(self, tokenizer: Tokenizer, rate: float = RATE) -> None:
        self._mask, self._rate = mask_id(tokenizer), rate
        special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        special |= {i for word, i in tokenizer.get_vocab().items() if word.startswith("[unused")}
        self._words = np.array([i for i in range(tokenizer.get_vocab_size()) if i not in special])

    def mask(self, ids: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """The ids with a share of `places` masked (at least one), the places masked, and the original ids there.

        All are int64; the places come sorted. Without places nothing is masked.
        """
        count = min(len(places), max(1, round(self._rate * len(places))))
        chosen = np.sort(rng.choice(places, size=count, replace=False)) if count else places[:0]
        draws, words = rng.random(count), ids[chosen]
        shown = np.where(draws < 0.8, self._mask, words)
        other = self._words[rng.integers(len(self._words), size=count)]
        masked = ids.copy()
        masked[chosen] = np.where(draws >= 0.9, other, shown)
        return masked, chosen, words
