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
from torch.nn import functional

from app.core.models import Head
from app.models.disk.checkpoint import Checkpoint
from app.models.disk.heads import MEAN_LAYER, masked_words, takes_mean
from app.models.encoder.batch import Batch, batch_of
from app.models.encoder.encoder import Encoder, Norm
from app.models.encoder.linears import PlainLinear
from app.models.encoder.reading import ACTIVATIONS, Reader, Unsupported, plan_of

SELECTIVE = (Head.CLASSIFICATION, Head.NEXT_SENTENCE, Head.MASKED_WORDS)
# The activation between the two layers of a classifier over the first token, of which the first may be a pooler.
_CLASSIFIER: dict[str, Callable[[Tensor], Tensor]] = {
    "bert": torch.tanh,
    "roberta": torch.tanh,
    "xlm-roberta": torch.tanh,
    "mpnet": torch.tanh,
    "electra": functional.gelu,
    "distilbert": torch.relu,
}


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


class TokenHead:
    """A linear over each token: for start and end of answers, or for classes of tokens."""

    def __init__(self, reader: Reader, name: str, outputs: tuple[str, ...]) -> None:
        self._linear = PlainLinear(reader.affine(name, dtype=torch.float32))
        self._outputs = outputs

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """The outputs by name that `Forward` returns; `positions` [batch, n] are those of masked words."""
        logits = batch.unpack(self._linear(encoder.states(batch, ids, types)))
        if len(self._outputs) == 1:
            return {self._outputs[0]: logits}
        return dict(zip(self._outputs, logits.unbind(-1), strict=True))


class FirstTokenHead:
    """Two linears over the first token with an activation between them: for classes of texts, or next sentences.

    Only the first token's last state is needed, so the last layer computes no other: with six layers that saves a
    seventh of the work.
    """

    def __init__(self, reader: Reader, dense: str, out: str, activation: Callable[[Tensor], Tensor]) -> None:
        self._dense = PlainLinear(reader.affine(dense, dtype=torch.float32))
        self._out = PlainLinear(reader.affine(out, dtype=torch.float32))
        self._activation = activation

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `TokenHead`."""
        first = encoder.states_at(batch, ids, types, ids.new_zeros(len(ids), 1))[:, 0]
        return {"logits": self._out(self._activation(self._dense(first)))}


class MaskedWordsHead:
    """The masked-words head: a dense layer, LayerNorm, and the product with every word's embedding."""

    def __init__(self, reader: Reader, checkpoint: Checkpoint, words: Tensor) -> None:
        form, config, plan = masked_words(checkpoint), checkpoint.config, reader.plan
        if form is None or form.wide or form.rest or config.stated("tie_word_embeddings") is False:
            raise Unsupported("a masked-words head of another form")
        key = {"bert": "hidden_act", "distilbert": "activation"}.get(config.kind)
        # RoBERTa's, MPNet's and ELECTRA's heads have GELU whatever the layers' activation in the config.
        activation = ACTIVATIONS[config[key]] if key else "gelu"
        self._dense = PlainLinear(reader.affine(form.dense, dtype=torch.float32), activation)
        self._norm = Norm(reader, form.norm)
        self._words = words
        biases = [name for name in (form.bias, f"{form.decoder}.bias") if reader.has(name)]
        if len(biases) > 1 and not torch.equal(*(reader.stored(name) for name in biases)):
            raise Unsupported(biases[1])
        self._bias = reader.tensor((biases or [form.bias])[0], torch.float32)
        decoder = f"{form.decoder}.weight"
        if reader.has(decoder) and not torch.equal(
            reader.stored(decoder), reader.stored(plan.embeddings("word_embeddings.weight"))
        ):
            raise Unsupported(decoder)

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `TokenHead`."""
        assert positions is not None
        if not positions.numel():
            return {"logits": self._words.new_zeros(*positions.shape, len(self._words))}
        states = encoder.states_at(batch, ids, types, positions.clamp(min=0)).float()
        states = self._norm(self._dense(states * (positions >= 0)[..., None]))
        return {"logits": functional.linear(states, self._words, self._bias)}


class MeanHead:
    """The mean of the tokens' last states as a unit vector (Sentence-BERT, Reimers and Gurevych 2019, section 3).

    With a `reader` the logits of a classifier over that vector instead.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._classes = (
            PlainLinear(reader.affine(MEAN_LAYER, dtype=torch.float32)) if reader is not None else None
        )

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `TokenHead`."""
        mean = functional.normalize(batch.means(encoder.states(batch, ids, types)), dim=-1)
        return {"embeddings": mean} if self._classes is None else {"logits": self._classes(mean)}


OwnHead = TokenHead | FirstTokenHead | MaskedWordsHead | MeanHead


def head_of(reader: Reader, checkpoint: Checkpoint, head: Head, words: Tensor | None) -> OwnHead:
    """Load a head from a checkpoint's weights; `words` are the word embeddings in float32, for masked words."""
    family, kind = checkpoint.family, checkpoint.config.kind
    match head:
        case Head.QUESTION_ANSWERING:
            return TokenHead(reader, "qa_outputs", ("start_logits", "end_logits"))
        case Head.TOKEN_CLASSIFICATION:
            return TokenHead(reader, family.token_classifier, ("logits",))
        case Head.CLASSIFICATION if takes_mean(checkpoint):
            return MeanHead(reader)
        case Head.CLASSIFICATION:
            return FirstTokenHead(reader, family.pooler, family.classifier, _CLASSIFIER[kind])
        case Head.NEXT_SENTENCE if family.next_sentence:
            return FirstTokenHead(reader, family.pooler, family.next_sentence, _CLASSIFIER[kind])
        case Head.MASKED_WORDS if words is not None:
            return MaskedWordsHead(reader, checkpoint, words)
        case Head.EMBEDDINGS:
            return MeanHead()
    raise Unsupported(f"the head {head}")
