"""What Spanlight's own encoder needs to know of a checkpoint: sizes, and the names of weights."""

from __future__ import annotations

from dataclasses import dataclass

from app.models.disk.checkpoint import Checkpoint
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
