"""The heads of BERT-family models, computed in float32 on the encoder's states."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from app.core.models import Head
from app.models.disk.checkpoint import Checkpoint
from app.models.disk.heads import MEAN_LAYER, masked_words, takes_mean
from app.models.encoder.batch import Batch
from app.models.encoder.encoder import Encoder, Norm
from app.models.encoder.linears import PlainLinear
from app.models.encoder.reading import ACTIVATIONS, Reader, Unsupported

# The activation between the two layers of a classifier over the first token, of which the first may be a pooler.
_CLASSIFIER: dict[str, Callable[[Tensor], Tensor]] = {
    "bert": torch.tanh,
    "roberta": torch.tanh,
    "xlm-roberta": torch.tanh,
    "mpnet": torch.tanh,
    "electra": functional.gelu,
    "distilbert": torch.relu,
}


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
