"""The supported BERT families: the names of their weights, and the heads they can have."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.core.message import Message
from app.core.models import Head

ENDINGS = {
    Head.QUESTION_ANSWERING: "ForQuestionAnswering",
    Head.CLASSIFICATION: "ForSequenceClassification",
    Head.MASKED_WORDS: "ForMaskedLM",
    Head.NEXT_SENTENCE: "ForNextSentencePrediction",
    Head.TOKEN_CLASSIFICATION: "ForTokenClassification",
}


@dataclass(frozen=True, slots=True)
class WordsHead:
    """The names of a masked-words head's weights: a dense layer and its LayerNorm, then a decoder to the vocabulary.

    `module` is the first module that takes the encoder's states. The decoder's weight may be absent if it is tied to
    the word embeddings, and its bias may be stored as `bias` or with the decoder; without a `decoder` the word
    embeddings themselves are used. If `wide`, the dense layer keeps the hidden width although the embeddings are
    narrower, and `rest` names the weights of the decoder's remaining columns.
    """

    module: str
    dense: str
    norm: str
    bias: str
    decoder: str = ""
    wide: bool = False
    rest: str = ""


_CLS = WordsHead(
    "cls",
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    "cls.predictions.bias",
    "cls.predictions.decoder",
)
_LM_HEAD = WordsHead("lm_head", "lm_head.dense", "lm_head.layer_norm", "lm_head.bias", "lm_head.decoder")
_LM_PREDICTIONS = WordsHead(
    "lm_predictions",
    "lm_predictions.lm_head.dense",
    "lm_predictions.lm_head.LayerNorm",
    "lm_predictions.lm_head.bias",
)


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture of transformers: the names of its parts in a config and in the weights.

    Its classes are in `transformers.models.<module>.modeling_<module>` and begin with `stem`. `prefix` is the prefix of
    the encoder's weights; `hidden`, `layers` and `heads` are keys of the config, `embedding` those of the word
    embeddings' width, of which the first one present counts. `pooler` is the layer whose presence distinguishes a text
    classifier from a token classifier; `classifier` is the layer with a row for each class of texts, `token_classifier`
    that for classes of tokens. `words` are the forms of the masked-words head, `next_sentence` is the next sentence
    layer, empty if the family has none. `heads_in_float32` are modules computed in float32 whatever the model's dtype.
    `sdpa` and `bfloat16` are whether transformers' implementation supports them. `optional` are parts that a text
    classifier may lack.
    """

    module: str
    stem: str
    prefix: str
    pooler: str
    words: tuple[WordsHead, ...]
    next_sentence: str = ""
    classifier: str = "classifier"
    token_classifier: str = "classifier"
    hidden: str = "hidden_size"
    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    embedding: tuple[str, ...] = ("hidden_size",)
    layer_pattern: str = "encoder.layer."
    positions_after_padding: bool = False
    heads_in_float32: tuple[str, ...] = ("qa_outputs", "classifier", "lm_head")
    sdpa: bool = True
    bfloat16: bool = True
    optional: frozenset[str] = field(default_factory=frozenset)

    @property
    def heads_known(self) -> tuple[Head, ...]:
        """The heads that the family has classes for."""
        return tuple(head for head in ENDINGS if head is not Head.NEXT_SENTENCE or self.next_sentence)

    def class_name(self, head: Head) -> str:
        """The name of transformers' class for a head of this family: one of `heads_known`, or none at all."""
        return self.stem + ENDINGS.get(head, "Model")


_ROBERTA = Family(
    "roberta",
    "Roberta",
    "roberta",
    "classifier.dense",
    (_LM_HEAD,),
    classifier="classifier.out_proj",
    positions_after_padding=True,
)
_DEBERTA = Family(
    "deberta",
    "Deberta",
    "deberta",
    "pooler.dense",
    (_CLS, _LM_PREDICTIONS),
    embedding=("embedding_size", "hidden_size"),
    heads_in_float32=("qa_outputs", "pooler", "classifier", "cls", "lm_predictions"),
    sdpa=False,
    bfloat16=False,
)
FAMILIES: dict[str, Family] = {
    "bert": Family(
        "bert",
        "Bert",
        "bert",
        "bert.pooler.dense",
        (_CLS,),
        next_sentence="cls.seq_relationship",
        heads_in_float32=("qa_outputs", "bert.pooler", "classifier", "cls"),
    ),
    "distilbert": Family(
        "distilbert",
        "DistilBert",
        "distilbert",
        "pre_classifier",
        (
            WordsHead(
                "vocab_transform",
                "vocab_transform",
                "vocab_layer_norm",
                "vocab_projector.bias",
                "vocab_projector",
            ),
        ),
        hidden="dim",
        layers="n_layers",
        heads="n_heads",
        embedding=("dim",),
        layer_pattern="transformer.layer.",
        heads_in_float32=tuple(
            "qa_outputs pre_classifier classifier vocab_transform vocab_layer_norm vocab_projector".split()
        ),
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": replace(_ROBERTA, module="xlm_roberta", stem="XLMRoberta"),
    "mpnet": replace(_ROBERTA, module="mpnet", stem="MPNet", prefix="mpnet", sdpa=False),
    "electra": Family(
        "electra",
        "Electra",
        "electra",
        "classifier.dense",
        (
            # The generator's; the discriminator detects replaced words and has no masked-words head.
            WordsHead(
                "generator_predictions",
                "generator_predictions.dense",
                "generator_predictions.LayerNorm",
                "generator_lm_head.bias",
                "generator_lm_head",
            ),
        ),
        classifier="classifier.out_proj",
        embedding=("embedding_size", "hidden_size"),
        heads_in_float32=("qa_outputs", "classifier", "generator_predictions", "generator_lm_head"),
    ),
    "albert": Family(
        "albert",
        "Albert",
        "albert",
        "albert.pooler",
        (
            WordsHead(
                "predictions",
                "predictions.dense",
                "predictions.LayerNorm",
                "predictions.bias",
                "predictions.decoder",
            ),
        ),
        embedding=("embedding_size",),
        layer_pattern="",
        heads_in_float32=("qa_outputs", "albert.pooler", "classifier", "predictions"),
    ),
    "mobilebert": Family(
        "mobilebert",
        "MobileBert",
        "mobilebert",
        "mobilebert.pooler.dense",
        (replace(_CLS, wide=True, rest="cls.predictions.dense.weight"),),
        next_sentence="cls.seq_relationship",
        embedding=("embedding_size",),
        heads_in_float32=("qa_outputs", "mobilebert.pooler", "classifier", "cls"),
        optional=frozenset({"pooler"}),
    ),
    "deberta": _DEBERTA,
    "deberta-v2": replace(_DEBERTA, module="deberta_v2", stem="DebertaV2", bfloat16=True),
}

TITLES = Message("BERT, DistilBERT, RoBERTa, XLM-RoBERTa, MPNet, ELECTRA, ALBERT, MobileBERT and DeBERTa")
