"""How well a masked-word head predicts randomly masked tokens (BERT, Devlin et al. 2019, section 3.1, Task #1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from app.core.report import Report
from app.core.requests import TextsToMask
from app.core.results import MaskedText, MaskedTexts
from app.tasks.batches import Pace, Runner, batch_size, by_length, require_finite
from app.tasks.heads.masking import Masker
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import tokenise
from app.tasks.text.windows import PairTemplate, single_windows

# As many tokens as the paper pretrains on for nine tenths of its steps (section A.2).
LENGTH = 128


def measure_masked(request: TextsToMask, model: ReadyModel, report: Report) -> MaskedTexts:
    """Masks a share of each text's tokens, as in training, and ranks the original ones.

    A text is read in windows of at most 128 tokens that do not overlap. Reports progress in texts. Raises
    SpanlightError where the tokenizer has no mask token; Stopped when the work is to stop.
    """
    pace = Pace(report, "texts")
    run = Runner(model, report)
    counts = np.zeros((len(request.texts), 4))
    for batch in by_length(_rows(request, model, report), lambda row: row, batch_size(model)):
        positions = np.full((len(batch), max(len(row.masked) for row in batch)), -1, dtype=np.int64)
        for row, places in zip(batch, positions, strict=True):
            places[: len(row.masked)] = row.masked
        logits = run(batch, {"positions": positions})[0]["logits"]
        require_finite(bool(np.isfinite(logits).all()), model)
        for row, own in zip(batch, logits, strict=True):
            counts[row.text] += _ranked(own[: len(row.masked)], row.words)
        if pace.due():
            pace.report(max(row.text for row in batch) + 1, len(request.texts))
    items = tuple(MaskedText(int(m), int(one), int(five), float(s)) for m, one, five, s in counts)
    return MaskedTexts(items, pace.seconds, model.card.name, model.device.title)


@dataclass(frozen=True, slots=True)
class _Row:
    """A window of text number `text` with some tokens masked; `masked` are their places, `words` the original ids."""

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    text: int
    masked: np.ndarray
    words: np.ndarray

    def __len__(self) -> int:
        return len(self.input_ids)


def _rows(request: TextsToMask, model: ReadyModel, report: Report) -> Iterator[_Row]:
    template = PairTemplate.of(model.tokenizer)
    masker = Masker(model.tokenizer, request.rate)
    length = min(LENGTH, model.card.max_length)
    for number, text in enumerate(request.texts):
        report.check()
        own = int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8])
        rng = np.random.default_rng([request.seed, own])
        for window in single_windows(
            template, tokenise(model.tokenizer, text), text, length=length, stride=0
        ):
            places = window.context_at + np.arange(len(window.starts))
            ids, masked, words = masker.mask(window.input_ids, places, rng)
            yield _Row(ids, window.token_type_ids, number, masked, words)


def _ranked(logits: np.ndarray, words: np.ndarray) -> tuple[int, int, int, float]:
    """Counts of words, of those ranked first and in the first five, and surprisal; logits float32[m, vocabulary].

    An entry that scores as high as the word ranks before it.
    """
    own = np.take_along_axis(logits, words[:, None], axis=1)
    before = (logits >= own).sum(axis=1) - 1
    top = logits.max(axis=1, keepdims=True)
    surprise = np.log(np.exp((logits - top).astype(np.float64)).sum(axis=1)) + (top - own)[:, 0]
    return len(words), int((before < 1).sum()), int((before < 5).sum()), float(surprise.sum())
