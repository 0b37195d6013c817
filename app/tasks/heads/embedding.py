"""Embeds texts as unit vectors, which are close to each other where their meanings are.

Sentence-BERT, Reimers and Gurevych 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.message import Message
from app.core.report import Report
from app.core.requests import TextsToEmbed
from app.tasks.batches import Pace, Runner, batch_size, by_length, require_finite
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import first_tokens
from app.tasks.text.windows import PairTemplate


@dataclass(frozen=True, slots=True)
class _Input:
    """Text number `index` as an input of the model; the ids and types are int64[L]."""

    index: int
    input_ids: np.ndarray
    token_type_ids: np.ndarray

    def __len__(self) -> int:
        return len(self.input_ids)


def embed(request: TextsToEmbed, model: ReadyModel, report: Report) -> np.ndarray:
    """The unit vectors of texts, float32[texts, width]; a text longer than the model reads is cut at its end.

    Reports progress in texts. Raises SpanlightError where vectors are not finite, Stopped when the work is to stop.
    """
    pace = Pace(report, Message("texts"))
    runner = Runner(model, report)
    template = PairTemplate.of(model.tokenizer)
    room = model.card.max_length - template.single_overhead
    vectors = np.zeros((len(request.texts), model.card.width), dtype=np.float32)

    def input_of(index: int, text: str) -> _Input:
        ids = first_tokens(model.tokenizer, text, room, report.check).ids[:room]
        return _Input(index, *template.single(ids))

    inputs = (input_of(index, text) for index, text in enumerate(request.texts))
    done = 0
    for batch in by_length(inputs, lambda row: row, batch_size(model)):
        arrays, _ = runner(batch)
        require_finite(model, arrays["embeddings"])
        vectors[[row.index for row in batch]] = arrays["embeddings"]
        done += len(batch)
        if pace.due() or done == len(request.texts):
            pace.report(done, len(request.texts))
    return vectors
