"""The BERT families that Spanlight reads: where their weights stand, and which heads they can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture of transformers: the names of its parts in a config and in the weights.

    `qa_class` and `classification_class` are classes of `transformers.models.<module>.modeling_<module>`.
    `prefix` stands before the encoder's weights; `hidden`, `layers` and `heads` are config names;
    `embedding` names the word embeddings' width (the first one present in the config counts).
    `pooler` is the layer whose presence tells a text classifier from a token classifier;
    `classifier` is the layer with one row a label. `heads_in_float32` are modules computed in float32
    whatever the model's dtype. `sdpa` and `bfloat16` tell what transformers' implementation can do.
    """

    module: str
    prefix: str
    qa_class: str
    classification_class: str
    pooler: str
    classifier: str = "classifier"
    hidden: str = "hidden_size"
    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    embedding: tuple[str, ...] = ("hidden_size",)
    layer_pattern: str = "encoder.layer."
    positions_after_padding: bool = False
    position_embeddings: bool = True
    heads_in_float32: tuple[str, ...] = ("qa_outputs", "classifier")
    sdpa: bool = True
    bfloat16: bool = True
    optional: frozenset[str] = field(default_factory=frozenset)

    def position_offset(self, config: Mapping[str, object]) -> int:
        """How many position embeddings are never used: RoBERTa counts from after its padding id."""
        padding = config.get("pad_token_id")
        return (padding if isinstance(padding, int) else 1) + 1 if self.positions_after_padding else 0


def _family(module: str, stem: str, prefix: str, pooler: str, **more: object) -> Family:
    qa, classification = f"{stem}ForQuestionAnswering", f"{stem}ForSequenceClassification"
    return Family(module, prefix, qa, classification, pooler, **more)  # type: ignore[arg-type]


FAMILIES: dict[str, Family] = {
    "bert": _family(
        "bert",
        "Bert",
        "bert",
        "bert.pooler.dense",
        heads_in_float32=("qa_outputs", "bert.pooler", "classifier"),
    ),
    "distilbert": _family(
        "distilbert",
        "DistilBert",
        "distilbert",
        "pre_classifier",
        hidden="dim",
        layers="n_layers",
        heads="n_heads",
        embedding=("dim",),
        layer_pattern="transformer.layer.",
        heads_in_float32=("qa_outputs", "pre_classifier", "classifier"),
    ),
    "roberta": _family(
        "roberta",
        "Roberta",
        "roberta",
        "classifier.dense",
        classifier="classifier.out_proj",
        positions_after_padding=True,
    ),
    "xlm-roberta": _family(
        "xlm_roberta",
        "XLMRoberta",
        "roberta",
        "classifier.dense",
        classifier="classifier.out_proj",
        positions_after_padding=True,
    ),
    "electra": _family(
        "electra",
        "Electra",
        "electra",
        "classifier.dense",
        classifier="classifier.out_proj",
        embedding=("embedding_size", "hidden_size"),
    ),
    "albert": _family(
        "albert",
        "Albert",
        "albert",
        "albert.pooler",
        embedding=("embedding_size",),
        layer_pattern="",
        heads_in_float32=("qa_outputs", "albert.pooler", "classifier"),
    ),
    "mobilebert": _family(
        "mobilebert",
        "MobileBert",
        "mobilebert",
        "mobilebert.pooler.dense",
        embedding=("embedding_size",),
        heads_in_float32=("qa_outputs", "mobilebert.pooler", "classifier"),
        optional=frozenset({"pooler"}),
    ),
    "deberta": _family(
        "deberta",
        "Deberta",
        "deberta",
        "pooler.dense",
        embedding=("embedding_size", "hidden_size"),
        heads_in_float32=("qa_outputs", "pooler", "classifier"),
        position_embeddings=False,
        sdpa=False,
        bfloat16=False,
    ),
    "deberta-v2": _family(
        "deberta_v2",
        "DebertaV2",
        "deberta",
        "pooler.dense",
        embedding=("embedding_size", "hidden_size"),
        heads_in_float32=("qa_outputs", "pooler", "classifier"),
        position_embeddings=False,
        sdpa=False,
    ),
}

TITLES = "BERT, DistilBERT, RoBERTa, XLM-RoBERTa, ELECTRA, ALBERT, MobileBERT and DeBERTa"
