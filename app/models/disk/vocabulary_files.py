"""Builds tokenizer.json from the vocabulary files of older checkpoints.

WordPiece (Wu et al. 2016) from vocab.txt: BERT, DistilBERT, MPNet, ELECTRA, MobileBERT. Byte-level BPE (Radford et al.
2019) from vocab.json and merges.txt: RoBERTa. Unigram (Kudo 2018) from a SentencePiece file: XLM-RoBERTa, ALBERT,
DeBERTa-v2 and v3. The settings are those of transformers' own classes for these families.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.plain import json_of
from app.models.disk.sentence_pieces import read_sentence_pieces, unigram
from app.models.disk.weights import DAMAGED, read_file, read_json

WORDS, PIECES, MERGES, ADDED = "vocab.txt", "vocab.json", "merges.txt", "added_tokens.json"
SENTENCE_PIECES = {
    "xlm-roberta": "sentencepiece.bpe.model",
    "albert": "spiece.model",
    "deberta-v2": "spm.model",
}
VOCABULARY_FILES = (WORDS, PIECES, MERGES, ADDED, *SENTENCE_PIECES.values())
WORD_PIECE = frozenset({"bert", "distilbert", "mpnet", "electra", "mobilebert"})
BYTE_LEVEL = frozenset({"roberta"})
_SETTINGS = ("tokenizer_config.json", "special_tokens_map.json")
_WORD_TOKENS = {
    "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
}  # fmt: skip
_ALBERT_TOKENS = {"pad_token": "<pad>", "unk_token": "<unk>"}
_BYTE_TOKENS = {
    "bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>",
    "pad_token": "<pad>", "mask_token": "<mask>",
}  # fmt: skip
_MPNET_TOKENS = _BYTE_TOKENS | {"unk_token": "[UNK]"}  # BERT's vocabulary, RoBERTa's special tokens


def can_make(names: Collection[str], family: str) -> bool:
    """Whether files of these names are enough to make a tokenizer.json for a family (config's model_type)."""
    if family in SENTENCE_PIECES:
        return SENTENCE_PIECES[family] in names
    if family in BYTE_LEVEL:
        return PIECES in names and MERGES in names
    return family in WORD_PIECE and WORDS in names


def make_tokenizer(folder: Path, family: str) -> bytes:
    """The content of tokenizer.json for a checkpoint folder without one; truncates nothing and pads nothing.

    Raises SpanlightError if a file that it needs is missing or malformed.
    """
    present = {name for name in VOCABULARY_FILES if (folder / name).is_file()}
    if not can_make(present, family):
        raise SpanlightError(
            Message(
                "{name} has no tokenizer.json, and no vocabulary that one can be made from.", name=folder.name
            ),
            Message("Save the tokenizer again with transformers, which writes tokenizer.json."),
        )
    settings = _settings(folder)
    if family in BYTE_LEVEL:
        tokenizer = _byte_level(folder, settings)
    else:
        tokenizer = (_word_piece if family in WORD_PIECE else _unigram)(folder, settings, family)
    return json_of(
        {"version": "1.0", "truncation": None, "padding": None} | tokenizer, ensure_ascii=False
    ).encode()


def _word_piece(folder: Path, settings: Mapping[str, Any], family: str) -> dict[str, Any]:
    vocabulary = {word: number for number, word in enumerate(_lines(folder / WORDS))}
    mpnet = family == "mpnet"
    names = _special(settings, _MPNET_TOKENS if mpnet else _WORD_TOKENS)
    ids = _ids(names, vocabulary, WORDS)
    lower, accents = settings.get("do_lower_case"), settings.get("strip_accents")
    if not isinstance(lower, bool):
        # A vocabulary with capital letters means a cased model.
        special = {*names.values(), *_WORD_TOKENS.values()}
        lower = not any(word != word.lower() for word in vocabulary if word not in special)
    return {
        "added_tokens": _added(folder, names, ids, blank_too=mpnet),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.get("tokenize_chinese_chars") is not False,
            "strip_accents": accents if isinstance(accents, bool) else None,
            "lowercase": lower,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": _doubled(names, ids) if mpnet else _template(names, ids, pair_types=(0, 1)),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": names["unk_token"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }


def _byte_level(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    vocabulary = read_json(folder / PIECES)
    if not vocabulary or not all(type(number) is int and number >= 0 for number in vocabulary.values()):
        raise SpanlightError(Message("vocab.json of {name} is no vocabulary.", name=folder.name), DAMAGED)
    names = _special(settings, _BYTE_TOKENS)
    ids = _ids(names, vocabulary, PIECES)
    spaced = settings.get("add_prefix_space") is True
    byte_level = {"type": "ByteLevel", "add_prefix_space": spaced, "trim_offsets": True, "use_regex": True}
    return {
        "added_tokens": _added(folder, names, ids, blank_too=True),
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": _doubled(names, ids, trim=settings.get("trim_offsets") is not False, spaced=spaced),
        "decoder": byte_level | {"add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": _merges(folder, vocabulary),
        },
    }


def _unigram(folder: Path, settings: Mapping[str, Any], family: str) -> dict[str, Any]:
    file = SENTENCE_PIECES[family]
    lower = settings.get("do_lower_case", family == "albert") is True
    model, normaliser, split = unigram(
        family, read_sentence_pieces(folder / file), lower=lower, accents=settings.get("keep_accents") is True
    )
    fairseq = family == "xlm-roberta"
    usual = _BYTE_TOKENS if fairseq else _WORD_TOKENS | (_ALBERT_TOKENS if family == "albert" else {})
    names = _special(settings, usual)
    vocabulary = {text: number for number, (text, _) in enumerate(model["vocab"])}
    # DeBERTa's mask is in no SentencePiece file.
    later = {name: number for name, number in _later(folder).items() if name in names.values()}
    if family == "deberta-v2":
        later.setdefault(names["mask_token"], len(vocabulary))
    ids = _ids(names, later | vocabulary, file)
    marks = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "added_tokens": _added(folder, names, ids, blank_too=family != "deberta-v2"),
        "normalizer": normaliser,
        "pre_tokenizer": split,
        "post_processor": _template(names, ids, pair_types=(0, 0) if fairseq else (0, 1), twice=fairseq),
        "decoder": marks,
        "model": model,
    }


def _doubled(
    names: Mapping[str, str], ids: Mapping[str, int], *, trim: bool = True, spaced: bool = False
) -> dict[str, Any]:
    """<s> A </s> and <s> A </s></s> B </s>, all of one type; `trim` leaves blanks out of the tokens' offsets."""
    sep, cls = ([names[role], ids[names[role]]] for role in ("sep_token", "cls_token"))
    settings = {"trim_offsets": trim, "add_prefix_space": spaced}
    return {"type": "RobertaProcessing", "sep": sep, "cls": cls} | settings


def _template(
    names: Mapping[str, str], ids: Mapping[str, int], *, pair_types: tuple[int, int], twice: bool = False
) -> dict[str, Any]:
    """[CLS] A [SEP] and [CLS] A [SEP] B [SEP]; `twice` sets the separator twice between the two texts."""
    cls, sep = names["cls_token"], names["sep_token"]
    first, second = pair_types
    between = [_token(sep, first), *([_token(sep, first)] if twice else [])]
    return {
        "type": "TemplateProcessing",
        "single": [_token(cls, 0), _text("A", 0), _token(sep, 0)],
        "pair": [_token(cls, first), _text("A", first), *between, _text("B", second), _token(sep, second)],
        "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in (cls, sep)},
    }


def _merges(folder: Path, vocabulary: Mapping[str, int]) -> list[list[str]]:
    lines = [line for line in _lines(folder / MERGES) if line and not line.startswith("#version")]
    pairs = [line.split(" ") for line in lines]
    wrong = next(
        (pair for pair in pairs if len(pair) != 2 or {*pair, "".join(pair)} - vocabulary.keys()), None
    )
    if wrong is not None:
        raise SpanlightError(
            Message(
                "merges.txt of {name} merges what its vocabulary does not know: {pair!a}.",
                name=folder.name,
                pair=" ".join(wrong)[:40],
            ),
            DAMAGED,
        )
    return pairs


def _lines(path: Path) -> list[str]:
    """A text file's lines, split at universal newlines; one at the end adds no line."""
    try:
        text = read_file(path).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise SpanlightError(
            Message("{file} of {name} is not UTF-8.", file=path.name, name=path.parent.name), DAMAGED
        ) from error
    return text.removesuffix("\n").split("\n") if text else []


def _settings(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json, completed with special_tokens_map.json."""
    found: dict[str, Any] = {}
    for name in reversed(_SETTINGS):
        if (folder / name).is_file():
            found |= read_json(folder / name)
    return found


def _special(settings: Mapping[str, Any], usual: Mapping[str, str]) -> dict[str, str]:
    names = {}
    for role, name in usual.items():
        token = settings.get(role)
        token = token.get("content") if isinstance(token, dict) else token
        names[role] = token if isinstance(token, str) and token else name
    return names


def _ids(names: Mapping[str, str], vocabulary: Mapping[str, int], file: str) -> dict[str, int]:
    missing = next((name for name in names.values() if name not in vocabulary), None)
    if missing is not None:
        raise SpanlightError(
            Message("{file} does not hold the model's token {token!a}.", file=file, token=missing[:40]),
            DAMAGED,
        )
    return {name: vocabulary[name] for name in names.values()}


def _added(
    folder: Path, names: Mapping[str, str], ids: Mapping[str, int], *, blank_too: bool
) -> list[dict[str, Any]]:
    """The entries of tokens that are matched whole in a text: the special ones, and those that were added later."""
    added = {number: _entry(number, name, special=True) for name, number in ids.items()}
    mask = ids[names["mask_token"]]
    # RoBERTa's, MPNet's and ALBERT's mask includes the blank before it.
    added[mask]["lstrip"] = blank_too
    for name, number in _later(folder).items():
        added.setdefault(number, _entry(number, name, special=False))
    return [added[number] for number in sorted(added)]


def _later(folder: Path) -> dict[str, int]:
    later = read_json(folder / ADDED) if (folder / ADDED).is_file() else {}
    if not all(type(number) is int and number >= 0 for number in later.values()):
        raise SpanlightError(Message("added_tokens.json of {name} is malformed.", name=folder.name), DAMAGED)
    return later


def _entry(number: int, name: str, *, special: bool) -> dict[str, Any]:
    return {
        "id": number,
        "content": name,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": not special,
        "special": special,
    }


def _token(name: str, kind: int) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": kind}}


def _text(which: str, kind: int) -> dict[str, Any]:
    return {"Sequence": {"id": which, "type_id": kind}}
