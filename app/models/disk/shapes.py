"""The shapes of an encoder's weights by its config, for each family, as in transformers' modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from app.models.disk.config import family_in, value_of
from app.models.families import Family

Shape = tuple[int, ...]
Shapes = Iterator[tuple[str, Shape]]


def encoder_shapes(config: Mapping[str, Any]) -> Shapes:
    """The name of each weight of the encoder, without the common prefix, and its shape."""
    return _OF[config["model_type"]](_Sizes(config))


def pooler_shapes(config: Mapping[str, Any]) -> Shapes:
    """The weights of the layer over the first token in a text classifier or a next sentence head."""
    family, sizes = family_in(config), _Sizes(config)
    if "pooler" in family.optional and not sizes["classifier_activation"]:
        return
    yield from _linear(family.pooler, sizes.hidden, sizes.hidden)


class _Sizes:
    """A config's values, transformers' defaults where they are missing."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        family = family_in(config)
        self._config = config
        self.hidden: int = config[family.hidden]
        self.heads: int = config[family.heads]
        self.layers: int = config[family.layers]
        self.inner: int = value_of(config, "hidden_dim" if family.hidden == "dim" else "intermediate_size")
        self.width: int = embedding_width(config, family)

    def __getitem__(self, key: str) -> Any:
        return value_of(self._config, key)


def embedding_width(config: Mapping[str, Any], family: Family) -> int:
    """The width of the word embeddings."""
    found = next((value for key in family.embedding if (value := value_of(config, key)) is not None), 0)
    return int(found)


def _linear(name: str, out: int, into: int, bias: bool = True) -> Shapes:
    yield f"{name}.weight", (out, into)
    if bias:
        yield f"{name}.bias", (out,)


def _norm(name: str, width: int) -> Shapes:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _embeddings(sizes: _Sizes, width: int, types: bool = True) -> Shapes:
    yield "embeddings.word_embeddings.weight", (sizes["vocab_size"], sizes.width)
    yield "embeddings.position_embeddings.weight", (sizes["max_position_embeddings"], width)
    if types:
        yield "embeddings.token_type_embeddings.weight", (sizes["type_vocab_size"], width)
    yield from _norm("embeddings.LayerNorm", width)


def _after_attention(layer: str, hidden: int, inner: int) -> Shapes:
    """The rest of BERT's layer after query, key and value."""
    yield from _linear(f"{layer}.attention.output.dense", hidden, hidden)
    yield from _norm(f"{layer}.attention.output.LayerNorm", hidden)
    yield from _feed_forward(layer, hidden, inner)


def _feed_forward(layer: str, hidden: int, inner: int) -> Shapes:
    yield from _linear(f"{layer}.intermediate.dense", inner, hidden)
    yield from _linear(f"{layer}.output.dense", hidden, inner)
    yield from _norm(f"{layer}.output.LayerNorm", hidden)


def _bert(sizes: _Sizes) -> Shapes:
    hidden = sizes.hidden
    yield from _embeddings(sizes, sizes.width)
    if sizes.width != hidden:  # ELECTRA's
        yield from _linear("embeddings_project", hidden, sizes.width)
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            yield from _linear(f"{layer}.attention.self.{part}", hidden, hidden)
        yield from _after_attention(layer, hidden, sizes.inner)


def _mpnet(sizes: _Sizes) -> Shapes:
    hidden = sizes.hidden
    yield from _embeddings(sizes, hidden, types=False)
    yield "encoder.relative_attention_bias.weight", (sizes["relative_attention_num_buckets"], sizes.heads)
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        for part in ("q", "k", "v", "o"):
            yield from _linear(f"{layer}.attention.attn.{part}", hidden, hidden)
        yield from _norm(f"{layer}.attention.LayerNorm", hidden)
        yield from _feed_forward(layer, hidden, sizes.inner)


def _distilbert(sizes: _Sizes) -> Shapes:
    hidden = sizes.hidden
    yield from _embeddings(sizes, hidden, types=False)
    for number in range(sizes.layers):
        layer = f"transformer.layer.{number}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            yield from _linear(f"{layer}.attention.{part}", hidden, hidden)
        yield from _norm(f"{layer}.sa_layer_norm", hidden)
        yield from _linear(f"{layer}.ffn.lin1", sizes.inner, hidden)
        yield from _linear(f"{layer}.ffn.lin2", hidden, sizes.inner)
        yield from _norm(f"{layer}.output_layer_norm", hidden)


def _albert(sizes: _Sizes) -> Shapes:
    hidden = sizes.hidden
    yield from _embeddings(sizes, sizes.width)
    yield from _linear("encoder.embedding_hidden_mapping_in", hidden, sizes.width)
    for group in range(sizes["num_hidden_groups"]):
        for number in range(sizes["inner_group_num"]):
            layer = f"encoder.albert_layer_groups.{group}.albert_layers.{number}"
            yield from _norm(f"{layer}.full_layer_layer_norm", hidden)
            for part in ("query", "key", "value", "dense"):
                yield from _linear(f"{layer}.attention.{part}", hidden, hidden)
            yield from _norm(f"{layer}.attention.LayerNorm", hidden)
            yield from _linear(f"{layer}.ffn", sizes.inner, hidden)
            yield from _linear(f"{layer}.ffn_output", hidden, sizes.inner)


def _mobilebert(sizes: _Sizes) -> Shapes:
    hidden, inner, narrow = sizes.hidden, sizes.inner, sizes["intra_bottleneck_size"]
    true = narrow if sizes["use_bottleneck"] else hidden
    yield from _embeddings(sizes, hidden)
    together = sizes.width * (3 if sizes["trigram_input"] else 1)
    yield from _linear("embeddings.embedding_transformation", hidden, together)
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            own = part == "value" and not sizes["use_bottleneck_attention"]
            yield from _linear(f"{layer}.attention.self.{part}", true, hidden if own else true)
        yield from _after_attention(layer, true, inner)
        if sizes["use_bottleneck"]:
            yield from _linear(f"{layer}.output.bottleneck.dense", hidden, true)
            yield from _norm(f"{layer}.output.bottleneck.LayerNorm", hidden)
            for part in ("input", *(["attention"] if sizes["key_query_shared_bottleneck"] else [])):
                yield from _linear(f"{layer}.bottleneck.{part}.dense", narrow, hidden)
                yield from _norm(f"{layer}.bottleneck.{part}.LayerNorm", narrow)
        for more in range(sizes["num_feedforward_networks"] - 1):
            yield from _linear(f"{layer}.ffn.{more}.intermediate.dense", inner, true)
            yield from _linear(f"{layer}.ffn.{more}.output.dense", true, inner)
            yield from _norm(f"{layer}.ffn.{more}.output.LayerNorm", true)


def _deberta_embeddings(sizes: _Sizes) -> Shapes:
    yield "embeddings.word_embeddings.weight", (sizes["vocab_size"], sizes.width)
    if sizes["position_biased_input"]:
        yield "embeddings.position_embeddings.weight", (sizes["max_position_embeddings"], sizes.width)
    if sizes["type_vocab_size"]:
        yield "embeddings.token_type_embeddings.weight", (sizes["type_vocab_size"], sizes.width)
    if sizes.width != sizes.hidden:
        yield from _linear("embeddings.embed_proj", sizes.hidden, sizes.width, bias=False)
    yield from _norm("embeddings.LayerNorm", sizes.hidden)


def _kinds(sizes: _Sizes) -> tuple[str, ...]:
    """The kinds of DeBERTa's relative attention: content to position, position to content."""
    value = sizes["pos_att_type"] or []
    kinds = value.lower().split("|") if isinstance(value, str) else value
    return tuple(kind.strip() for kind in kinds) if sizes["relative_attention"] else ()


def _distances(sizes: _Sizes) -> int:
    """How many distances between tokens DeBERTa distinguishes, in each direction."""
    most = sizes["max_relative_positions"]
    return int(most if most > 0 else sizes["max_position_embeddings"])


def _deberta(sizes: _Sizes) -> Shapes:
    hidden, kinds = sizes.hidden, _kinds(sizes)
    yield from _deberta_embeddings(sizes)
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        within = f"{layer}.attention.self"
        yield f"{within}.q_bias", (hidden,)
        yield f"{within}.v_bias", (hidden,)
        yield from _linear(f"{within}.in_proj", 3 * hidden, hidden, bias=False)
        if sizes["talking_head"]:
            for part in ("head_logits_proj", "head_weights_proj"):
                yield from _linear(f"{within}.{part}", sizes.heads, sizes.heads, bias=False)
        if "c2p" in kinds:
            yield from _linear(f"{within}.pos_proj", hidden, hidden, bias=False)
        if "p2c" in kinds:
            yield from _linear(f"{within}.pos_q_proj", hidden, hidden)
        yield from _after_attention(layer, hidden, sizes.inner)
    if sizes["relative_attention"]:
        yield "encoder.rel_embeddings.weight", (2 * _distances(sizes), hidden)


def _deberta_v2(sizes: _Sizes) -> Shapes:
    hidden, kinds = sizes.hidden, _kinds(sizes)
    each = sizes["attention_head_size"] or hidden // sizes.heads
    yield from _deberta_embeddings(sizes)
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        own = () if sizes["share_att_key"] else tuple(
            part for kind, part in (("c2p", "pos_key_proj"), ("p2c", "pos_query_proj")) if kind in kinds
        )  # fmt: skip
        for part in ("query_proj", "key_proj", "value_proj", *own):
            yield from _linear(f"{layer}.attention.self.{part}", sizes.heads * each, hidden)
        yield from _after_attention(layer, hidden, sizes.inner)
    if sizes["relative_attention"]:
        buckets = sizes["position_buckets"]
        yield "encoder.rel_embeddings.weight", (2 * (buckets if buckets > 0 else _distances(sizes)), hidden)
    if "layer_norm" in (norm.strip() for norm in sizes["norm_rel_ebd"].lower().split("|")):
        yield from _norm("encoder.LayerNorm", hidden)
    if kernel := sizes["conv_kernel_size"]:
        yield "encoder.conv.conv.weight", (hidden, hidden // sizes["conv_groups"], kernel)
        yield "encoder.conv.conv.bias", (hidden,)
        yield from _norm("encoder.conv.LayerNorm", hidden)


_OF: dict[str, Callable[[_Sizes], Shapes]] = {
    "bert": _bert,
    "roberta": _bert,
    "xlm-roberta": _bert,
    "mpnet": _mpnet,
    "electra": _bert,
    "distilbert": _distilbert,
    "albert": _albert,
    "mobilebert": _mobilebert,
    "deberta": _deberta,
    "deberta-v2": _deberta_v2,
}
