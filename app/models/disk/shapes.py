"""The shapes that an encoder's weights must have by its config, for each family, as in transformers' modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.models.disk.config import Config

Shape = tuple[int, ...]
Shapes = Iterator[tuple[str, Shape]]


def encoder_shapes(config: Config) -> Shapes:
    """Yield the name of each weight of the encoder, without the common prefix, and its shape."""
    return _OF[config.kind](config)


def pooler_shapes(config: Config) -> Shapes:
    """Yield the weights of the layer over the first token in a text classifier or a next sentence head."""
    if "pooler" in config.family.optional and not config["classifier_activation"]:
        return
    yield from _linear(config.family.pooler, config.hidden, config.hidden)


def _linear(name: str, out: int, into: int, bias: bool = True) -> Shapes:
    yield f"{name}.weight", (out, into)
    if bias:
        yield f"{name}.bias", (out,)


def _norm(name: str, width: int) -> Shapes:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _embeddings(config: Config, width: int, types: bool = True) -> Shapes:
    yield "embeddings.word_embeddings.weight", (config["vocab_size"], config.width)
    yield "embeddings.position_embeddings.weight", (config["max_position_embeddings"], width)
    if types:
        yield "embeddings.token_type_embeddings.weight", (config["type_vocab_size"], width)
    yield from _norm("embeddings.LayerNorm", width)


def _after_attention(layer: str, hidden: int, inner: int) -> Shapes:
    """Yield the rest of BERT's layer after query, key and value."""
    yield from _linear(f"{layer}.attention.output.dense", hidden, hidden)
    yield from _norm(f"{layer}.attention.output.LayerNorm", hidden)
    yield from _feed_forward(layer, hidden, inner)


def _feed_forward(layer: str, hidden: int, inner: int) -> Shapes:
    yield from _linear(f"{layer}.intermediate.dense", inner, hidden)
    yield from _linear(f"{layer}.output.dense", hidden, inner)
    yield from _norm(f"{layer}.output.LayerNorm", hidden)


def _bert(config: Config) -> Shapes:
    hidden = config.hidden
    yield from _embeddings(config, config.width)
    if config.width != hidden:  # ELECTRA's
        yield from _linear("embeddings_project", hidden, config.width)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            yield from _linear(f"{layer}.attention.self.{part}", hidden, hidden)
        yield from _after_attention(layer, hidden, config.inner)


def _mpnet(config: Config) -> Shapes:
    hidden = config.hidden
    yield from _embeddings(config, hidden, types=False)
    yield "encoder.relative_attention_bias.weight", (config["relative_attention_num_buckets"], config.heads)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        for part in ("q", "k", "v", "o"):
            yield from _linear(f"{layer}.attention.attn.{part}", hidden, hidden)
        yield from _norm(f"{layer}.attention.LayerNorm", hidden)
        yield from _feed_forward(layer, hidden, config.inner)


def _distilbert(config: Config) -> Shapes:
    hidden = config.hidden
    yield from _embeddings(config, hidden, types=False)
    for number in range(config.layers):
        layer = f"transformer.layer.{number}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            yield from _linear(f"{layer}.attention.{part}", hidden, hidden)
        yield from _norm(f"{layer}.sa_layer_norm", hidden)
        yield from _linear(f"{layer}.ffn.lin1", config.inner, hidden)
        yield from _linear(f"{layer}.ffn.lin2", hidden, config.inner)
        yield from _norm(f"{layer}.output_layer_norm", hidden)


def _albert(config: Config) -> Shapes:
    hidden = config.hidden
    yield from _embeddings(config, config.width)
    yield from _linear("encoder.embedding_hidden_mapping_in", hidden, config.width)
    for group in range(config["num_hidden_groups"]):
        for number in range(config["inner_group_num"]):
            layer = f"encoder.albert_layer_groups.{group}.albert_layers.{number}"
            yield from _norm(f"{layer}.full_layer_layer_norm", hidden)
            for part in ("query", "key", "value", "dense"):
                yield from _linear(f"{layer}.attention.{part}", hidden, hidden)
            yield from _norm(f"{layer}.attention.LayerNorm", hidden)
            yield from _linear(f"{layer}.ffn", config.inner, hidden)
            yield from _linear(f"{layer}.ffn_output", hidden, config.inner)


def _mobilebert(config: Config) -> Shapes:
    hidden, inner, narrow = config.hidden, config.inner, config["intra_bottleneck_size"]
    true = narrow if config["use_bottleneck"] else hidden
    yield from _embeddings(config, hidden)
    together = config.width * (3 if config["trigram_input"] else 1)
    yield from _linear("embeddings.embedding_transformation", hidden, together)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            own = part == "value" and not config["use_bottleneck_attention"]
            yield from _linear(f"{layer}.attention.self.{part}", true, hidden if own else true)
        yield from _after_attention(layer, true, inner)
        if config["use_bottleneck"]:
            yield from _linear(f"{layer}.output.bottleneck.dense", hidden, true)
            yield from _norm(f"{layer}.output.bottleneck.LayerNorm", hidden)
            for part in ("input", *(["attention"] if config["key_query_shared_bottleneck"] else [])):
                yield from _linear(f"{layer}.bottleneck.{part}.dense", narrow, hidden)
                yield from _norm(f"{layer}.bottleneck.{part}.LayerNorm", narrow)
        for more in range(config["num_feedforward_networks"] - 1):
            yield from _linear(f"{layer}.ffn.{more}.intermediate.dense", inner, true)
            yield from _linear(f"{layer}.ffn.{more}.output.dense", true, inner)
            yield from _norm(f"{layer}.ffn.{more}.output.LayerNorm", true)


def _deberta_embeddings(config: Config) -> Shapes:
    yield "embeddings.word_embeddings.weight", (config["vocab_size"], config.width)
    if config["position_biased_input"]:
        yield "embeddings.position_embeddings.weight", (config["max_position_embeddings"], config.width)
    if config["type_vocab_size"]:
        yield "embeddings.token_type_embeddings.weight", (config["type_vocab_size"], config.width)
    if config.width != config.hidden:
        yield from _linear("embeddings.embed_proj", config.hidden, config.width, bias=False)
    yield from _norm("embeddings.LayerNorm", config.hidden)


def _kinds(config: Config) -> tuple[str, ...]:
    """The kinds of DeBERTa's relative attention: content to position, position to content."""
    value = config["pos_att_type"] or []
    kinds = value.lower().split("|") if isinstance(value, str) else value
    return tuple(kind.strip() for kind in kinds) if config["relative_attention"] else ()


def _distances(config: Config) -> int:
    """How many distances between tokens DeBERTa distinguishes, in each direction."""
    most = config["max_relative_positions"]
    return int(most if most > 0 else config["max_position_embeddings"])


def _deberta(config: Config) -> Shapes:
    hidden, kinds = config.hidden, _kinds(config)
    yield from _deberta_embeddings(config)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        within = f"{layer}.attention.self"
        yield f"{within}.q_bias", (hidden,)
        yield f"{within}.v_bias", (hidden,)
        yield from _linear(f"{within}.in_proj", 3 * hidden, hidden, bias=False)
        if config["talking_head"]:
            for part in ("head_logits_proj", "head_weights_proj"):
                yield from _linear(f"{within}.{part}", config.heads, config.heads, bias=False)
        if "c2p" in kinds:
            yield from _linear(f"{within}.pos_proj", hidden, hidden, bias=False)
        if "p2c" in kinds:
            yield from _linear(f"{within}.pos_q_proj", hidden, hidden)
        yield from _after_attention(layer, hidden, config.inner)
    if config["relative_attention"]:
        yield "encoder.rel_embeddings.weight", (2 * _distances(config), hidden)


def _deberta_v2(config: Config) -> Shapes:
    hidden, kinds = config.hidden, _kinds(config)
    each = config["attention_head_size"] or hidden // config.heads
    yield from _deberta_embeddings(config)
    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        own = () if config["share_att_key"] else tuple(
            part for kind, part in (("c2p", "pos_key_proj"), ("p2c", "pos_query_proj")) if kind in kinds
        )  # fmt: skip
        for part in ("query_proj", "key_proj", "value_proj", *own):
            yield from _linear(f"{layer}.attention.self.{part}", config.heads * each, hidden)
        yield from _after_attention(layer, hidden, config.inner)
    if config["relative_attention"]:
        buckets = config["position_buckets"]
        yield "encoder.rel_embeddings.weight", (2 * (buckets if buckets > 0 else _distances(config)), hidden)
    if "layer_norm" in (norm.strip() for norm in config["norm_rel_ebd"].lower().split("|")):
        yield from _norm("encoder.LayerNorm", hidden)
    if kernel := config["conv_kernel_size"]:
        yield "encoder.conv.conv.weight", (hidden, hidden // config["conv_groups"], kernel)
        yield "encoder.conv.conv.bias", (hidden,)
        yield from _norm("encoder.conv.LayerNorm", hidden)


_OF: dict[str, Callable[[Config], Shapes]] = {
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
