"""Reads a checkpoint for Spanlight's own encoder: its sizes, the names of its weights, and each weight, checked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.checkpoint import Checkpoint, tensors
from app.models.disk.config import Config
from app.models.disk.config_keys import KEYS

# The names in `linears` of the activations in a config.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
_BERT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer_norm": "output.LayerNorm",
}
_DISTILBERT = {
    "query": "attention.q_lin",
    "key": "attention.k_lin",
    "value": "attention.v_lin",
    "attended": "attention.out_lin",
    "attended_norm": "sa_layer_norm",
    "inner": "ffn.lin1",
    "outer": "ffn.lin2",
    "outer_norm": "output_layer_norm",
}
_MPNET = _BERT | {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attended": "attention.attn.o",
    "attended_norm": "attention.LayerNorm",
}
LAYERS = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "mpnet": _MPNET,
    "electra": _BERT,
    "distilbert": _DISTILBERT,
}
# The names of LayerNorm's weight and bias in the first BERTs.
_OLD = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}


@dataclass(frozen=True, slots=True)
class Plan:
    """The encoder of a checkpoint of the BERT family (Devlin et al. 2019), all parts of which are supported.

    `prefix` is that of the encoder's weights. A projection widens the word embeddings where they are narrower than the
    states (ELECTRA). `types` is the number of token types, 0 without their embeddings. `padding` is the padding token's
    id where positions are counted from there on, skipping padding (RoBERTa), None if they are counted from 0.
    `distances` is the full name of the relative position bias, empty without one. `names` are the names of a layer's
    parts in the checkpoint, after its prefix.
    """

    config: Config
    prefix: str
    types: int
    padding: int | None
    epsilon: float
    activation: str
    distances: str
    names: dict[str, str]

    def embeddings(self, name: str) -> str:
        """The full name of one of the embeddings' weights, without `.weight`."""
        return f"{self.prefix}embeddings.{name}"

    def part(self, layer: int, name: str) -> str:
        """The full name of a layer's part, without `.weight` and `.bias`."""
        return f"{self.prefix}{self.config.family.layer_pattern}{layer}.{self.names[name]}"


def plan_of(checkpoint: Checkpoint) -> Plan | None:
    """The plan of a checkpoint's encoder, None if any part of it is not supported here."""
    config = checkpoint.config
    kind = config.kind
    distilled = kind == "distilbert"
    activation = ACTIVATIONS.get(config["activation" if distilled else "hidden_act"])
    if kind not in LAYERS or activation is None:
        return None
    typed = "type_vocab_size" in KEYS[kind]
    types = int(config["type_vocab_size"]) if typed else 0
    if typed and types < 1:
        return None
    return Plan(
        config=config,
        prefix=checkpoint.prefix,
        types=types,
        padding=config["pad_token_id"] if config.family.positions_after_padding else None,
        epsilon=1e-12 if distilled else float(config["layer_norm_eps"]),
        activation=activation,
        distances=f"{checkpoint.prefix}encoder.relative_attention_bias.weight" if kind == "mpnet" else "",
        names=LAYERS[kind],
    )


class Unsupported(Exception):
    """A checkpoint that Spanlight's own encoder or heads cannot load; transformers may be able to."""


@dataclass(frozen=True, slots=True)
class Affine:
    """The weight and bias of a linear or a LayerNorm."""

    weight: Tensor
    bias: Tensor


class Reader:
    """Reads weights of a checkpoint as tensors of one dtype on one device, each a copy.

    The files are open inside its context. `bytes` is the size of what was read so far. Raises SpanlightError for
    weights that are not all finite numbers, Unsupported for a name that does not exist.
    """

    def __init__(self, checkpoint: Checkpoint, plan: Plan, dtype: torch.dtype, device: str) -> None:
        self.plan, self.dtype, self.device = plan, dtype, device
        self.bytes = 0
        self._checkpoint = checkpoint
        self._opened = ExitStack()
        self._tensors: dict[str, Any] = {}

    def __enter__(self) -> Reader:
        self._opened = ExitStack()
        self._tensors = tensors(self._checkpoint, self._opened)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tensors = {}
        self._opened.close()

    def has(self, name: str) -> bool:
        """Whether there are weights of this name."""
        return name in self._tensors

    def stored(self, name: str) -> Tensor:
        """A tensor as stored; it may be backed by the file, and is valid as long as that is open."""
        old = next((name.replace(new, was) for new, was in _OLD.items() if name.endswith(new)), name)
        there = [one for one in (name, old) if one in self._tensors]
        if len(set(there)) != 1:
            raise Unsupported(name)
        return torch.as_tensor(self._tensors[there[0]][:])

    def tensor(self, name: str, dtype: torch.dtype | None = None) -> Tensor:
        """A tensor in the reader's dtype, or in the one given."""
        return self._converted(self.stored(name), [name], dtype)

    def narrow(self, name: str) -> Tensor:
        """A tensor in its stored dtype if that is no wider than the reader's, else in the reader's."""
        found = self.stored(name)
        keep = found.dtype if found.itemsize <= self.dtype.itemsize else self.dtype
        return self._converted(found, [name], keep)

    def affine(self, *names: str, dtype: torch.dtype | None = None) -> Affine:
        """The weight and bias of a linear or LayerNorm; those of several are concatenated."""
        both = []
        for which in ("weight", "bias"):
            parts = [self.stored(f"{name}.{which}") for name in names]
            stacked = torch.cat(parts) if len(parts) > 1 else parts[0]
            both.append(self._converted(stacked, [f"{name}.{which}" for name in names], dtype))
        return Affine(*both)

    def _converted(self, stored: Tensor, names: Sequence[str], dtype: torch.dtype | None) -> Tensor:
        converted = stored.to(dtype or self.dtype, copy=True)
        # Minimum and maximum suffice, as a NaN would be both: for float16 eight times as fast as a sum in float32.
        if not all(bool(bound.isfinite()) for bound in converted.aminmax()):
            parts = zip(names, converted.chunk(len(names)), strict=True)
            first = next(name for name, part in parts if not part.isfinite().all())
            raise SpanlightError(
                Message(
                    "The weights {weights} of {name} are not all finite numbers.",
                    weights=first,
                    name=self._checkpoint.name,
                ),
                Message("Fetch a whole copy of this model."),
            )
        self.bytes += converted.nbytes
        return converted.to(self.device)
