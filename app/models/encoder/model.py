"""BERT-family models computed by Spanlight's own encoder, without transformers.

What makes it faster than transformers' modules, and where, is listed below. The figures are for float32 on two cores of
a Xeon with AVX512 and without AMX, torch 2.13, MiniLM with six layers, alternating with transformers 5.23 on the same
batches: 8 windows of 384 tokens take 1/1.2 of the time, 150 tokens 1/1.4, 24 tokens 1/1.5, 8 texts of 10 to 40 tokens
1/1.6 to 1/2.2. Three quarters of a window's time are products at 230 of the 250 GFLOP/s that the cores reach: float32
cannot get much faster.

- packed linears with GELU and residual fused: `linears`, checked on this machine before. For 24 tokens products
  take two thirds of the time; GELU (4% of a window) and the residual (2%) are saved;
- query, key and value in one product, and attention on its parts in place: `encoder.Layer`, `batch`. Saves copies
  (5%); copying them together first makes attention no faster (1.8 ms a layer and window to 1.9);
- padding is not computed, and no mask is needed: `batch.Unpadded`;
- the last layer computes only the tokens that the head uses: `encoder.Layer.at_positions`. Classifying a text takes
  1/1.23 of the time;
- everything between the products is float32, whatever the dtype: `encoder.Layer`. For precision, not for speed;
- word embeddings in their stored dtype: `encoder.Embeddings`. 23 MB less;
- transformers is not imported, and no weight is initialized before it is read: here. Loading takes 0.15 s, not 3.1.

Tried without gain: each row on its own thread (1.0, short rows 0.7), smaller batches (0.9 to 1.0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from app.core.models import Head
from app.models.disk.checkpoint import Checkpoint
from app.models.encoder.batch import batch_of
from app.models.encoder.encoder import Encoder
from app.models.encoder.heads import MeanHead, OwnHead, head_of
from app.models.encoder.reading import Reader, Unsupported, plan_of

SELECTIVE = (Head.CLASSIFICATION, Head.NEXT_SENTENCE, Head.MASKED_WORDS)


@dataclass(frozen=True, slots=True)
class Config:
    """What `Forward` reads of a model's config."""

    vocab_size: int
    type_vocab_size: int


class OwnModel:
    """One head of a checkpoint with its encoder, called like transformers' model.

    `bytes` is the size of its weights in memory, without word embeddings shared with another model.
    """

    def __init__(self, encoder: Encoder, head: OwnHead, size: int) -> None:
        self.encoder, self.head, self.bytes = encoder, head, size
        self.config = Config(encoder.plan.config["vocab_size"], encoder.plan.types)

    def __call__(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        positions: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """The outputs by name, float32; `positions` [batch, n] are those of masked words, -1 for none."""
        batch = batch_of(attention_mask, self.encoder.distances)
        return self.head(self.encoder, batch, input_ids, token_type_ids, positions)


def own_model(
    checkpoint: Checkpoint,
    head: Head,
    dtype: str,
    device: str,
    check: Callable[[], None],
    *,
    shared_with: OwnModel | None = None,
) -> OwnModel | None:
    """Load one head of a checkpoint onto a device; None if only transformers can load it.

    `check` is called before each layer. `shared_with` is the same model in another dtype on this device: the word
    embeddings are shared with it, and on a CPU no layer's weights stay in memory, but are read again for each pass.
    Raises SpanlightError for weights that are not all finite numbers, and PyTorch's own errors if memory runs out.
    """
    plan = plan_of(checkpoint)
    if plan is None:
        return None
    try:
        with torch.no_grad(), Reader(checkpoint, plan, getattr(torch, dtype), device) as reader:
            words = None
            if head is Head.MASKED_WORDS:  # its decoder, in float32
                words = reader.tensor(plan.embeddings("word_embeddings.weight"), torch.float32)
            elif shared_with is not None:
                words = shared_with.encoder.embeddings.words
                if words.dtype != reader.stored(plan.embeddings("word_embeddings.weight")).dtype:
                    words = None
            built_head = head_of(reader, checkpoint, head, words)
            streaming = shared_with is not None and device == "cpu"
            selective = head in SELECTIVE and not isinstance(built_head, MeanHead)
            encoder = Encoder(reader, check, selective=selective, words=words, streaming=streaming)
    except Unsupported:
        return None
    return OwnModel(encoder, built_head, reader.bytes)
