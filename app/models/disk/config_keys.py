"""The keys of config.json that are read, for each family, and the values that they may have.

The keys and their defaults are those of transformers' own config classes, and of what its modules also read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.core.message import Message

# Far above any model of these families: a config beyond these can only exhaust memory.
MOST_WIDE, MOST_LAYERS, MOST_ENTRIES, MOST_POSITIONS = 16_384, 256, 10_000_000, 65_536

# The activation functions of transformers that have no weights of their own.
ACTIVATIONS = frozenset(
    "gelu gelu_10 gelu_fast gelu_new gelu_python gelu_pytorch_tanh gelu_python_tanh gelu_accurate hardswish laplace"
    " leaky_relu linear mish quick_gelu relu relu2 relu6 sigmoid silu sqrtsoftplus swish tanh".split()
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key that is passed on to transformers: its default, and a test of its values."""

    default: Any
    fits: Callable[[Any], bool]


def _count(default: int | None, most: int, least: int = 1) -> Key:
    return Key(default, lambda value: type(value) is int and least <= value <= most)


def _switch(default: bool) -> Key:
    return Key(default, lambda value: type(value) is bool)


def _one_of(default: str, names: frozenset[str]) -> Key:
    return Key(default, lambda value: isinstance(value, str) and value in names)


def _rate(default: float | None) -> Key:
    return Key(default, lambda value: type(value) in (int, float) and 0 <= value <= 1)


def _epsilon(default: float) -> Key:
    return Key(default, lambda value: type(value) in (int, float) and 0 < value <= 1)


def _fits_positions(value: Any) -> bool:
    kinds = value.lower().split("|") if isinstance(value, str) else value
    return (
        isinstance(kinds, list)
        and len(kinds) <= 3
        and all(isinstance(kind, str) and kind.strip() in ("c2p", "p2c", "p2p") for kind in kinds)
    )


def _fits_norms(value: Any) -> bool:
    return isinstance(value, str) and all(
        kind.strip() in ("none", "layer_norm") for kind in value.lower().split("|")
    )


_COMMON = {
    "vocab_size": _count(None, MOST_ENTRIES),
    "max_position_embeddings": _count(None, MOST_POSITIONS),
    "pad_token_id": _count(0, MOST_ENTRIES, 0),
    "tie_word_embeddings": _switch(True),
}
_ENCODER = _COMMON | {
    "hidden_size": _count(None, MOST_WIDE),
    "num_hidden_layers": _count(None, MOST_LAYERS),
    "num_attention_heads": _count(None, MOST_WIDE),
    "intermediate_size": _count(3072, 4 * MOST_WIDE),
    "hidden_act": _one_of("gelu", ACTIVATIONS),
    "hidden_dropout_prob": _rate(0.1),
    "attention_probs_dropout_prob": _rate(0.1),
    "type_vocab_size": _count(2, 4 * MOST_WIDE),
    "layer_norm_eps": _epsilon(1e-12),
}
_BERT = _ENCODER | {"classifier_dropout": _rate(None)}
_ROBERTA = _BERT | {"pad_token_id": _count(1, MOST_ENTRIES, 0)}
_MPNET = {key: value for key, value in _ENCODER.items() if key != "type_vocab_size"} | {
    # Whatever the config says, transformers counts positions after token 1 and sorts distances into 32 buckets.
    "pad_token_id": _count(1, 1),
    "relative_attention_num_buckets": _count(32, 32, 32),
}
_DEBERTA = _ENCODER | {
    "type_vocab_size": _count(0, 4 * MOST_WIDE, 0),
    "layer_norm_eps": _epsilon(1e-7),
    "embedding_size": _count(None, MOST_WIDE),
    "relative_attention": _switch(False),
    "max_relative_positions": _count(-1, MOST_POSITIONS, -1),
    "position_biased_input": _switch(True),
    "pos_att_type": Key(None, _fits_positions),
    "pooler_hidden_size": _count(None, MOST_WIDE),
    "pooler_dropout": _rate(0.0),
    "pooler_hidden_act": _one_of("gelu", ACTIVATIONS),
    "cls_dropout": _rate(None),
    "legacy": _switch(True),
}

# The keys of each family's class; None as a default means that transformers derives the value.
KEYS: dict[str, Mapping[str, Key]] = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "mpnet": _MPNET,
    "electra": _BERT | {"embedding_size": _count(128, MOST_WIDE), "intermediate_size": _count(1024, 4 * MOST_WIDE)},
    "distilbert": _COMMON
    | {
        "dim": _count(None, MOST_WIDE),
        "hidden_dim": _count(3072, 4 * MOST_WIDE),
        "n_layers": _count(None, MOST_LAYERS),
        "n_heads": _count(None, MOST_WIDE),
        "activation": _one_of("gelu", ACTIVATIONS),
        "dropout": _rate(0.1),
        "attention_dropout": _rate(0.1),
        "qa_dropout": _rate(0.1),
        "seq_classif_dropout": _rate(0.2),
        "sinusoidal_pos_embds": _switch(False),
    },
    "albert": _ENCODER
    | {
        "embedding_size": _count(128, MOST_WIDE),
        "intermediate_size": _count(16_384, 4 * MOST_WIDE),
        "hidden_act": _one_of("gelu_new", ACTIVATIONS),
        "hidden_dropout_prob": _rate(0.0),
        "attention_probs_dropout_prob": _rate(0.0),
        "num_hidden_groups": _count(1, MOST_LAYERS),
        "inner_group_num": _count(1, MOST_LAYERS),
        "classifier_dropout_prob": _rate(0.1),
    },
    "mobilebert": _BERT
    | {
        "embedding_size": _count(128, MOST_WIDE),
        "intermediate_size": _count(512, 4 * MOST_WIDE),
        "hidden_act": _one_of("relu", ACTIVATIONS),
        "hidden_dropout_prob": _rate(0.0),
        "trigram_input": _switch(True),
        "use_bottleneck": _switch(True),
        "intra_bottleneck_size": _count(128, MOST_WIDE),
        "use_bottleneck_attention": _switch(False),
        "key_query_shared_bottleneck": _switch(True),
        "num_feedforward_networks": _count(4, MOST_LAYERS),
        "normalization_type": _one_of("no_norm", frozenset({"no_norm", "layer_norm"})),
        "classifier_activation": _switch(True),
    },
    "deberta": _DEBERTA | {"talking_head": _switch(False)},
    "deberta-v2": _DEBERTA
    | {
        "intermediate_size": _count(6144, 4 * MOST_WIDE),
        "share_att_key": _switch(False),
        "attention_head_size": _count(None, MOST_WIDE),
        "position_buckets": _count(-1, MOST_POSITIONS, -1),
        "norm_rel_ebd": Key("none", _fits_norms),
        # An even width would shorten the text by one token.
        "conv_kernel_size": Key(0, lambda value: type(value) is int and value in (0, *range(1, 64, 2))),
        "conv_groups": _count(1, MOST_WIDE),
        "conv_act": _one_of("tanh", ACTIVATIONS),
    },
}  # fmt: skip

# Read by Spanlight, and checked where they are read; problem_type and the labels reach transformers from there.
READ = frozenset(
    {"model_type", "architectures", "id2label", "num_labels", "problem_type", "classifier_pooling"}
)

# Objects that other programs leave in a config, and that do not affect the model.
HARMLESS_OBJECTS = frozenset({"id2label", "label2id", "task_specific_params", "sentence_transformers"})

# Any other value of these keys means another kind of model than the one that would be computed.
ONLY: dict[str, tuple[Any, str]] = {
    "is_decoder": (False, Message("reads a text from left to right only")),
    "add_cross_attention": (False, Message("looks at a second text as a translator does")),
    "is_encoder_decoder": (False, Message("writes texts")),
    "position_embedding_type": ("absolute", Message("tells positions apart in another way")),
}

# Keys with which a checkpoint would make the program load or run something else.
CODE = frozenset({"auto_map", "custom_pipelines", "custom_generate", "trust_remote_code"})
DANGEROUS = frozenset(
    "_attn_implementation _attn_implementation_internal attn_implementation _experts_implementation"
    " _experts_implementation_internal experts_implementation compression_config transformers_weights fusion_config"
    " kernel_config distributed_config device_map tp_plan per_layer_config attribute_map sub_configs"
    " base_model_name_or_path extra_files extra_config_files".split()
)
QUANTISED_PARTS = ("quant", "compression_config", "load_in_4bit", "load_in_8bit", "bnb_")
ADAPTER_PARTS = ("adapter", "peft", "lora_")
