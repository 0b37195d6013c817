"""Masks tokens at random, for training, and measures how well a masked-word head predicts them.

BERT, Devlin et al. 2019, section 3.1, Task #1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from tokenizers import Tokenizer

from app.core.message import Message
from app.core.report import Report
from app.core.requests import TextsToMask
from app.core.results import MaskedText, MaskedTexts
from app.tasks.batches import Pace, Runner, batch_size, by_length, positions_of, require_finite
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import tokenise
from app.tasks.text.vocabulary import mask_id
from app.tasks.text.windows import PairTemplate, single_windows

RATE = 0.15


class Masker:
    """Masks tokens at random: of those chosen, 80% become the mask, 10% a random token, 10% stay as they are.

    Raises SpanlightError where the tokenizer has no mask token.
    """

    def __init__(self, tokenizer: Tokenizer, rate: float = RATE) -> None:
        self._mask, self._rate = mask_id(tokenizer), rate
        special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        special |= {i for word, i in tokenizer.get_vocab().items() if word.startswith("[unused")}
        self._drawable = np.array([i for i in range(tokenizer.get_vocab_size()) if i not in special])

    def mask(
        self, ids: np.ndarray, positions: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, ...]:
        """The ids with a share of `positions` masked (at least one), those masked, and the original ids there.

        All are int64; the masked positions are sorted. Without positions nothing is masked.
        """
        count = min(len(positions), max(1, round(self._rate * len(positions))))
        chosen = np.sort(rng.choice(positions, size=count, replace=False)) if count else positions[:0]
        draws, originals = rng.random(count), ids[chosen]
        masks = np.where(draws < 0.8, self._mask, originals)
        others = self._drawable[rng.integers(len(self._drawable), size=count)]
        masked = ids.copy()
        masked[chosen] = np.where(draws >= 0.9, others, masks)
        return masked, chosen, originals


# The sequence length of nine tenths of the paper's pretraining steps (section A.2).
LENGTH = 128


def measure_masked(request: TextsToMask, model: ReadyModel, report: Report) -> MaskedTexts:
    """Mask a share of each text's tokens, as in training, and count how high the model ranks the original ones.

    A text is read in windows of at most 128 tokens that do not overlap. Reports progress in texts. Raises
    SpanlightError where the tokenizer has no mask token; Stopped when the work is to stop.
    """
    pace = Pace(report, Message("texts"))
    runner = Runner(model, report)
    counts = np.zeros((len(request.texts), 4))
    for batch in by_length(_rows(request, model, report), lambda row: row, batch_size(model)):
        logits = runner(batch, positions_of([row.masked for row in batch]))[0]["logits"]
        require_finite(model, logits)
        for row, row_logits in zip(batch, logits, strict=True):
            counts[row.text] += len(row.masked), *ranked(row_logits[: len(row.masked)], row.originals)
        if pace.due():
            pace.report(max(row.text for row in batch) + 1, len(request.texts))
    items = tuple(MaskedText(int(m), int(one), int(five), float(s)) for m, one, five, s in counts)
    return MaskedTexts(items, pace.seconds, model.card.name, model.device.title)


@dataclass(frozen=True, slots=True)
class _Row:
    """A window of text number `text` with the tokens at the positions `masked` masked; `originals` are their ids."""

    text: int
    token_type_ids: np.ndarray
    input_ids: np.ndarray
    masked: np.ndarray
    originals: np.ndarray

    def __len__(self) -> int:
        return len(self.input_ids)


def _rows(request: TextsToMask, model: ReadyModel, report: Report) -> Iterator[_Row]:
    template = PairTemplate.of(model.tokenizer)
    masker = Masker(model.tokenizer, request.rate)
    length = min(LENGTH, model.card.max_length)
    for number, text in enumerate(request.texts):
        report.check()
        text_seed = int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8])
        rng = np.random.default_rng([request.seed, text_seed])
        for window in single_windows(
            template, tokenise(model.tokenizer, text), text, length=length, stride=0
        ):
            positions = window.context_at + np.arange(len(window.starts))
            yield _Row(number, window.token_type_ids, *masker.mask(window.input_ids, positions, rng))


def ranked(logits: np.ndarray, originals: np.ndarray) -> tuple[int, int, float]:
    """The numbers of original ids that rank first and among the first five, and their surprisal, the sum of -ln p.

    `logits` are float32[m, vocabulary]. An entry that scores as high as the original ranks before it.
    """
    of_original = np.take_along_axis(logits, originals[:, None], axis=1)
    before = (logits >= of_original).sum(axis=1) - 1
    top = logits.max(axis=1, keepdims=True)
    surprise = np.log(np.exp((logits - top).astype(np.float64)).sum(axis=1)) + (top - of_original)[:, 0]
    return int((before < 1).sum()), int((before < 5).sum()), float(surprise.sum())
