"""The heads of the BERT family's models, computed in float32 on the encoder's states."""

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
from app.models.encoder.plan import ACTIVATIONS
from app.models.encoder.reading import Reader, Unknown

# The activation between the two layers of a classifier over the first token: BERT's pooler's, or the head's own.
_CLASSIFIER: dict[str, Callable[[Tensor], Tensor]] = {
    "bert": torch.tanh,
    "roberta": torch.tanh,
    "xlm-roberta": torch.tanh,
    "mpnet": torch.tanh,
    "electra": functional.gelu,
    "distilbert": torch.relu,
}


class OfTokens:
    """A linear over each token: the start and end of answers, or classes of tokens."""

    def __init__(self, reader: Reader, name: str, outputs: tuple[str, ...]) -> None:
        self._linear = PlainLinear(reader.pair(name, dtype=torch.float32))
        self._outputs = outputs

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """The outputs by name that `Forward` returns; `positions` [batch, places] are those of masked words."""
        logits = batch.spread(self._linear(encoder.states(batch, ids, types)))
        if len(self._outputs) == 1:
            return {self._outputs[0]: logits}
        return dict(zip(self._outputs, logits.unbind(-1), strict=True))


class OfFirstToken:
    """Two linears over the first token, an activation between: classes of texts, or whether a passage follows.

    Only the first token's last state is needed, so the last layer computes no other: with six layers that saves a
    seventh of the work.
    """

    def __init__(self, reader: Reader, dense: str, out: str, activation: Callable[[Tensor], Tensor]) -> None:
        self._dense = PlainLinear(reader.pair(dense, dtype=torch.float32))
        self._out = PlainLinear(reader.pair(out, dtype=torch.float32))
        self._activation = activation

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `OfTokens`."""
        first = encoder.states_of_few(batch, ids, types, ids.new_zeros(len(ids), 1))[:, 0]
        return {"logits": self._out(self._activation(self._dense(first)))}


class OfWords:
    """The masked-words head: a dense layer, LayerNorm, and the product with every word's embedding."""

    def __init__(self, reader: Reader, checkpoint: Checkpoint, words: Tensor) -> None:
        form, config, plan = masked_words(checkpoint), checkpoint.config, reader.plan
        if form is None or form.wide or form.rest or config.stated("tie_word_embeddings") is False:
            raise Unknown("a masked-words head of another form")
        key = {"bert": "hidden_act", "distilbert": "activation"}.get(config.kind)
        # RoBERTa's, MPNet's and ELECTRA's heads have GELU whatever the layers' activation in the config.
        activation = ACTIVATIONS[config[key]] if key else "gelu"
        self._dense = PlainLinear(reader.pair(form.dense, dtype=torch.float32), activation)
        self._norm = Norm(reader, form.norm)
        self._words = words
        biases = [name for name in (form.bias, f"{form.decoder}.bias") if reader.has(name)]
        if len(biases) > 1 and not torch.equal(*(reader.stored(name) for name in biases)):
            raise Unknown(biases[1])
        self._bias = reader.tensor((biases or [form.bias])[0], torch.float32)
        decoder = f"{form.decoder}.weight"
        if reader.has(decoder) and not torch.equal(
            reader.stored(decoder), reader.stored(plan.embeddings("word_embeddings.weight"))
        ):
            raise Unknown(decoder)

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `OfTokens`."""
        assert positions is not None
        if not positions.numel():
            return {"logits": self._words.new_zeros(*positions.shape, len(self._words))}
        states = encoder.states_of_few(batch, ids, types, positions.clamp(min=0)).float()
        states = self._norm(self._dense(states * (positions >= 0)[..., None]))
        return {"logits": functional.linear(states, self._words, self._bias)}


class OfMean:
    """The mean of the tokens' last states as a unit vector (Sentence-BERT, Reimers and Gurevych 2019, section 3).

    With `reader` the classes that a linear over it gives.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._classes = (
            PlainLinear(reader.pair(MEAN_LAYER, dtype=torch.float32)) if reader is not None else None
        )

    def __call__(
        self, encoder: Encoder, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor | None
    ) -> dict[str, Tensor]:
        """See `OfTokens`."""
        mean = functional.normalize(batch.means(encoder.states(batch, ids, types)), dim=-1)
        return {"embeddings": mean} if self._classes is None else {"logits": self._classes(mean)}


OwnHead = OfTokens | OfFirstToken | OfWords | OfMean


def head_of(reader: Reader, checkpoint: Checkpoint, head: Head, words: Tensor | None) -> OwnHead:
    """A head from a checkpoint's weights; `words` are the word embeddings in float32, for masked words."""
    family, kind = checkpoint.family, checkpoint.config.kind
    match head:
        case Head.QUESTION_ANSWERING:
            return OfTokens(reader, "qa_outputs", ("start_logits", "end_logits"))
        case Head.TOKEN_CLASSIFICATION:
            return OfTokens(reader, family.token_classifier, ("logits",))
        case Head.CLASSIFICATION if takes_mean(checkpoint):
            return OfMean(reader)
        case Head.CLASSIFICATION:
            return OfFirstToken(reader, family.pooler, family.classifier, _CLASSIFIER[kind])
        case Head.NEXT_SENTENCE if family.next_sentence:
            return OfFirstToken(reader, family.pooler, family.next_sentence, _CLASSIFIER[kind])
        case Head.MASKED_WORDS if words is not None:
            return OfWords(reader, checkpoint, words)
        case Head.EMBEDDINGS:
            return OfMean()
    raise Unknown(f"the head {head}")
