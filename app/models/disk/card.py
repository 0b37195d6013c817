"""Reads a checkpoint folder's card from its JSON files and the weights' headers; no weights are loaded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.models.disk.checkpoint import WORDS, Checkpoint, read_checkpoint
from app.models.disk.config import CONFIG, parse_config
from app.models.disk.heads import classification, masked_words, next_sentence, question_answering, takes_mean
from app.models.disk.names import model_name
from app.models.disk.notes import MEAN, Notes, read_notes
from app.models.disk.shapes import pooler_shapes
from app.models.disk.tokenizer import TOKENIZER, check_tokenizer
from app.models.disk.weights import Weights, parse_object, read_file, read_json, reading

TOKENIZER_CONFIG = "tokenizer_config.json"
WINDOW, STRIDE = 384, 128
SHORTEST = 16
# Files of sentence-transformers: the list of its modules, and the settings of its pooling.
MODULES, POOLING = "modules.json", "1_Pooling/config.json"
UNIT = ["Transformer", "Pooling", "Normalize"]
CHECK_FILES = Message("Check its files.")


def read_card(folder: Path | str) -> ModelCard:
    """The card of a checkpoint folder in Hugging Face layout; nothing of the model is loaded.

    Raises SpanlightError, one sentence and a hint, if the folder does not hold a complete model of a
    supported family.
    """
    folder = Path(folder)
    with reading(model_name(folder), CHECK_FILES):
        return _read(folder)


def _read(folder: Path) -> ModelCard:
    checkpoint = read_checkpoint(folder)
    name, weights = checkpoint.name, checkpoint.weights
    if not (folder / TOKENIZER).is_file():
        raise SpanlightError(
            Message("{name} has no tokenizer.json.", name=name),
            Message("Fetch that file, or save the tokenizer again with transformers, which writes it."),
        )
    rows = checkpoint.shape(checkpoint.prefix + WORDS)
    check_tokenizer(read_json(folder / TOKENIZER), (rows or (0,))[0], name)
    tokenizer_config = read_file(folder / TOKENIZER_CONFIG) if (folder / TOKENIZER_CONFIG).is_file() else b""
    notes = read_notes(folder)
    if has_mean_pooling(folder):
        notes = replace(notes, pooling=MEAN)
    card = _card(checkpoint, tokenizer_config, notes)
    finder = folder.parent / notes.finder
    files = (*weights.files, folder / CONFIG, folder / TOKENIZER)
    return replace(
        card,
        folder=str(folder),
        size=sum(path.stat().st_size for path in files),
        finder=str(finder) if notes.finder and finder.is_dir() else "",
    )


def has_mean_pooling(folder: Path) -> bool:
    """Whether the folder's files of sentence-transformers ask for mean pooling over the tokens' last states."""
    if not (folder / MODULES).is_file():
        return False
    try:
        kinds = [str(module["type"]).rpartition(".")[2] for module in json.loads(read_file(folder / MODULES))]
        pooling = read_json(folder / POOLING)
    except (SpanlightError, OSError, ValueError, TypeError, LookupError, RecursionError):
        return False
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
    # Spanlight normalises the vectors anyway; cosines are the same.
    return kinds in (UNIT[:2], UNIT) and modes == ["pooling_mode_mean_tokens"]


def card_from(name: str, config: bytes, weights: Weights, *, tokenizer_config: bytes = b"") -> ModelCard:
    """The card of a checkpoint that is not on this computer, checked as `read_card` does but for its tokenizer.

    `config` and `tokenizer_config` are the content of those files, `weights` come from their headers. The card's folder
    is empty, and its size that of the weights and the config. Raises SpanlightError.
    """
    checkpoint = Checkpoint(parse_config(config, name), weights)
    checkpoint.check()
    card = _card(checkpoint, tokenizer_config, Notes())
    return replace(card, size=weights.bytes + len(config))


def _card(checkpoint: Checkpoint, tokenizer_config: bytes, notes: Notes) -> ModelCard:
    config, weights = checkpoint.config, checkpoint.weights
    classifier, labels, problem = classification(checkpoint)
    has_next_sentence = next_sentence(checkpoint)
    if has_next_sentence or (classifier is Head.CLASSIFICATION and not takes_mean(checkpoint)):
        for tensor, shape in pooler_shapes(config):
            checkpoint.require(tensor, shape)
    has_head: dict[Head | None, object] = {
        Head.QUESTION_ANSWERING: question_answering(checkpoint),
        Head.MASKED_WORDS: masked_words(checkpoint),
        Head.NEXT_SENTENCE: has_next_sentence,
        Head.EMBEDDINGS: notes.pooling,
        classifier: True,
    }
    max_length = _max_length(checkpoint, tokenizer_config)
    window = max(SHORTEST, min(notes.window or WINDOW, max_length))
    return ModelCard(
        name=checkpoint.name,
        folder="",
        family=config.kind,
        heads=tuple(head for head in Head if has_head.get(head)),
        labels=labels,
        problem=problem,
        max_length=max_length,
        window=window,
        stride=min(notes.stride or STRIDE, window // 3),
        width=config.hidden,
        parameters=weights.parameters,
        dtype=weights.dtype,
        calibration=notes.calibration,
        class_temperature=notes.class_temperature,
        measured=notes.measured,
        reliability=notes.reliability,
        description=notes.description,
        licence=notes.licence,
        languages=notes.languages,
    )


def _max_length(checkpoint: Checkpoint, tokenizer_config: bytes) -> int:
    longest = checkpoint.config.longest
    if longest < SHORTEST:
        raise SpanlightError(
            Message("{name} reads only {n} tokens at a time.", name=checkpoint.name, n=longest),
            Message("Choose another model."),
        )
    if tokenizer_config:
        limit = parse_object(tokenizer_config, TOKENIZER_CONFIG).get("model_max_length")
        if type(limit) is int and SHORTEST <= limit < longest:
            return limit
    return longest
