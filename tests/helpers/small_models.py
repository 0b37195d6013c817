"""Tiny real checkpoints: every family's own layers, a small tokenizer, random seeded weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from app.core.models import Head, ProblemType
from app.models.compute.classes import model_class
from app.models.families import FAMILIES as KNOWN

# Words the tokenizers know, and what breaks offsets: emoji, combining marks, right to left, lone surrogates, names of
# special tokens.
ODD_PIECES = (
    "the king", "stole", "tarts", ".", "!", "\n", "\n\n", " ", "  ", "\t", "\u3000", "👩\u200d👩\u200d👧", "e\u0301",
    "שלום", "\x00", "\ud800", "ﬁ", "İ", "[SEP]", "<s>", "[MASK",
)  # fmt: skip
FAMILIES = (
    "bert",
    "distilbert",
    "roberta",
    "xlm-roberta",
    "mpnet",
    "electra",
    "albert",
    "mobilebert",
    "deberta",
    "deberta-v2",
)

WIDTH, LAYERS, HEADS, INNER = 32, 2, 4, 64
_HALF = WIDTH // 2
_COMMON = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
}
_MPNET = {"bos_token_id": 0, "eos_token_id": 2}
_ROBERTA = _MPNET | {"type_vocab_size": 1}
_RELATIVE = {"relative_attention": True, "type_vocab_size": 0}
_OWN: dict[str, dict[str, Any]] = {
    "distilbert": {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": INNER},
    "roberta": _COMMON | _ROBERTA,
    "xlm-roberta": _COMMON | _ROBERTA,
    "mpnet": _COMMON | _MPNET,
    "electra": _COMMON | {"embedding_size": _HALF},
    "albert": _COMMON | {"embedding_size": _HALF, "bos_token_id": 1, "eos_token_id": 2},
    "mobilebert": _COMMON
    | {
        "intermediate_size": WIDTH,
        "embedding_size": _HALF,
        "true_hidden_size": _HALF,
        "intra_bottleneck_size": _HALF,
        "num_feedforward_networks": 2,
    },
    "deberta": _COMMON | _RELATIVE | {"pos_att_type": ["c2p", "p2c"]},
    "deberta-v2": _COMMON
    | _RELATIVE
    | {
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "position_buckets": 64,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
    },
}

NEXT_SENTENCE_FAMILIES = ("bert", "mobilebert")
CLASSIFIERS = {Head.CLASSIFICATION, Head.TOKEN_CLASSIFICATION}

WORDS = (
    "the of and to in a is was that it for as with his on be at by had not are but from or have an they which one"
    " you were her all she there would their we him been has when who will more no if out so said what up its about"
    " into than them can only other new some could time these two may then do first any my now such like our over"
    " man me even most made after also did many before must through back years where much your way well down"
    " should because each just those people how too little state good very make world still own see men work long"
    " here get both between life being under never day same another know while last might us great old year off"
    " come since against go came right used take three king queen knave hearts tarts stole alice rabbit river city"
    " war capital france paris film movie book story bad boring wonderful best worst happy sad"
).split()
ASCII = [chr(code) for code in range(33, 127)]


def small_values(family: str, tokens: int, padding: int, positions: int) -> dict[str, Any]:
    """Arguments for transformers' config class of a family: vocabulary size, padding id, longest input."""
    after = padding + 1 if KNOWN[family].positions_after_padding else 0
    return _OWN.get(family, _COMMON) | {
        "vocab_size": tokens,
        "max_position_embeddings": positions + after,
        "pad_token_id": padding,
    }


def small_checkpoint(
    folder: Path | str,
    family: str = "bert",
    head: Head | Sequence[Head] = Head.QUESTION_ANSWERING,
    labels: Sequence[str] = ("negative", "positive"),
    problem: ProblemType = ProblemType.SINGLE_LABEL,
    *,
    positions: int = 512,
    seed: int = 7,
    dtype: str = "float32",
    notes: dict[str, Any] | None = None,
) -> Path:
    """A checkpoint folder in Hugging Face layout with a tiny model of `family` and its tokenizer.

    `head` may be several: masked words and next sentence of BERT and MobileBERT, as their pretraining has them.
    `labels` and `problem` are for the classification of texts, `labels` for that of tokens too.
    `positions` is the longest input in tokens. `dtype` is the one the weights are stored in. `notes`
    becomes spanlight.json. Takes about 50 ms once transformers is imported.
    """
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = small_tokenizer(family)
    tokenizer.save(str(folder / "tokenizer.json"))
    lengths = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": positions}
    (folder / "tokenizer_config.json").write_text(json.dumps(lengths | _special(family)), encoding="utf-8")
    config = _config(family, tokenizer, positions)
    heads = (head,) if isinstance(head, Head) else tuple(head)
    if CLASSIFIERS.intersection(heads):
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: index for index, label in enumerate(labels)}
    if Head.CLASSIFICATION in heads:
        config.problem_type = str(problem)
    auto = getattr(transformers, _auto_class(heads))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = auto.from_config(config)
        # Heads start near zero: spread the weights so that logits tell one input from another.
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.15)
    model.to(getattr(torch, dtype)).save_pretrained(folder)
    if head is Head.EMBEDDINGS:
        notes = {"pooling": "mean"} | (notes or {})
    if notes is not None:
        (folder / "spanlight.json").write_text(json.dumps(notes), encoding="utf-8")
    return folder


def _auto_class(heads: tuple[Head, ...]) -> str:
    match heads:
        case (Head.QUESTION_ANSWERING,):
            return "AutoModelForQuestionAnswering"
        case (Head.CLASSIFICATION,):
            return "AutoModelForSequenceClassification"
        case (Head.MASKED_WORDS,):
            return "AutoModelForMaskedLM"
        case (Head.NEXT_SENTENCE,):
            return "AutoModelForNextSentencePrediction"
        case (Head.TOKEN_CLASSIFICATION,):
            return "AutoModelForTokenClassification"
        case (Head.EMBEDDINGS,):
            return "AutoModel"
        case (Head.MASKED_WORDS, Head.NEXT_SENTENCE):
            return "AutoModelForPreTraining"
    raise ValueError(f"no class has the heads {heads}")


def small_tokenizer(family: str = "bert") -> Tokenizer:
    """A tokenizer of the kind that `family` uses: WordPiece, byte-level BPE or Unigram.

    A text outside ASCII becomes unknown tokens for WordPiece and Unigram; offsets still cover it.
    """
    if family in ("roberta", "xlm-roberta", "deberta"):
        return _byte_level(family)
    if family in ("albert", "deberta-v2"):
        return _unigram(family)
    return _word_piece(family)


def _special(family: str) -> dict[str, str]:
    names = ("cls_token", "sep_token", "pad_token", "unk_token", "mask_token")
    if family in ("roberta", "xlm-roberta"):
        return dict(zip(names, ("<s>", "</s>", "<pad>", "<unk>", "<mask>"), strict=True))
    if family == "mpnet":
        return dict(zip(names, ("<s>", "</s>", "<pad>", "[UNK]", "<mask>"), strict=True))
    unknown = "<unk>" if family == "albert" else "[UNK]"
    return dict(zip(names, ("[CLS]", "[SEP]", "[PAD]", unknown, "[MASK]"), strict=True))


def _template(tokenizer: Tokenizer, second_type: int = 1) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair=f"[CLS] $A [SEP] $B:{second_type} [SEP]:{second_type}",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )


def _doubled(tokenizer: Tokenizer) -> processors.RobertaProcessing:
    ids = {name: tokenizer.token_to_id(name) for name in ("<s>", "</s>")}
    return processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]), add_prefix_space=False)


def _word_piece(family: str) -> Tokenizer:
    start = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    if family == "mpnet":
        start = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
    pieces = [*start, *ASCII, *("##" + sign for sign in ASCII)]
    pieces += [word for word in WORDS if word not in pieces]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens(start)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = _doubled(tokenizer) if family == "mpnet" else _template(tokenizer)
    return tokenizer


def _byte_level(family: str) -> Tokenizer:
    start = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    if family in ("roberta", "xlm-roberta"):
        start = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    pieces = [*start, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    known, merges = set(pieces), []
    for word in WORDS:
        left = "Ġ"
        for sign in word:
            if left + sign not in known:
                known.add(left + sign)
                pieces.append(left + sign)
                merges.append((left, sign))
            left += sign
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    tokenizer.add_special_tokens(start)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    roberta = family in ("roberta", "xlm-roberta")
    tokenizer.post_processor = _doubled(tokenizer) if roberta else _template(tokenizer)
    return tokenizer


def _unigram(family: str) -> Tokenizer:
    unknown = _special(family)["unk_token"]
    start = ["[PAD]", "[CLS]", "[SEP]", unknown, "[MASK]"]
    pieces = [(piece, 0.0) for piece in start]
    pieces += [("▁", -3.0), *((sign, -8.0) for sign in ASCII), *(("▁" + word, -6.0) for word in WORDS)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=start.index(unknown), byte_fallback=False))
    tokenizer.add_special_tokens(start)
    steps = [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer.normalizer = normalizers.Sequence(steps + [normalizers.Lowercase()] * (family == "albert"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = _template(tokenizer)
    return tokenizer


def _config(family: str, tokenizer: Tokenizer, positions: int) -> Any:
    pad = tokenizer.token_to_id(_special(family)["pad_token"])
    config_class = model_class(KNOWN[family], Head.QUESTION_ANSWERING).config_class
    return config_class(**small_values(family, tokenizer.get_vocab_size(), pad, positions))
