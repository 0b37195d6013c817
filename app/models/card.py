"""What a checkpoint folder is, told from config.json, the weights' headers and tokenizer.json alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.models.families import FAMILIES, TITLES, Family, WordsHead
from app.models.heads import (
    check_shape,
    classification,
    masked_words,
    next_sentence,
    number,
    question_answering,
)
from app.models.notes import Notes, read_notes, write_notes
from app.models.weights import DAMAGED, Weights, read_json, read_weights

__all__ = ["Notes", "read_card", "read_notes", "write_notes"]

CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
WORDS, POSITIONS = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
WINDOW, STRIDE = 384, 128
SHORTEST = 16
# No model of these families comes near; a config beyond them only serves to fill the memory.
OTHER_WIDTHS = frozenset(
    "intermediate_size hidden_dim true_hidden_size intra_bottleneck_size type_vocab_size position_buckets"
    " max_relative_positions pooler_hidden_size".split()
)
MOST_WIDE, MOST_LAYERS, MOST_ENTRIES = 16_384, 256, 10_000_000


def read_card(folder: Path | str) -> ModelCard:
    """The card of a checkpoint folder in Hugging Face layout; nothing of the model is loaded.

    Raises SpanlightError, one sentence and a hint, where the folder does not hold a whole model of a
    family that Spanlight reads.
    """
    folder = Path(folder)
    name = model_name(folder)
    config = _read_config(folder, name)
    family = _family(config, name)
    weights = read_weights(folder)
    _check_shapes(config, family, weights, name)
    _check_tokenizer(folder, family, weights, name)
    classifier, labels, problem = classification(config, family, weights, name)
    held: dict[Head | None, object] = {
        Head.QUESTION_ANSWERING: question_answering(config, family, weights, name),
        Head.MASKED_WORDS: masked_words(config, family, weights, _width(config, family, name), name),
        Head.NEXT_SENTENCE: next_sentence(config, family, weights, name),
        classifier: True,
    }
    notes = read_notes(folder)
    max_length = _max_length(folder, config, family)
    window = max(SHORTEST, min(notes.window or WINDOW, max_length))
    read = (*weights.files, folder / CONFIG, folder / TOKENIZER)
    return ModelCard(
        name=name,
        folder=str(folder),
        family=str(config["model_type"]),
        heads=tuple(head for head in Head if held.get(head)),
        labels=labels,
        problem=problem,
        max_length=max_length,
        window=window,
        stride=min(notes.stride or STRIDE, window // 3),
        parameters=weights.parameters,
        size=sum(path.stat().st_size for path in read),
        dtype=weights.dtype,
        calibration=notes.calibration,
        class_temperature=notes.class_temperature,
        measured=notes.measured,
        description=notes.description,
        licence=notes.licence,
    )


def model_name(folder: Path) -> str:
    """What a person calls the model in a folder: the folder's name, or the repository's in a Hugging Face cache."""
    repository = folder.parent.parent.name
    if folder.parent.name == "snapshots" and repository.startswith("models--"):
        return repository.split("--")[-1]
    return folder.name or folder.resolve().name


def family_of(card: ModelCard) -> Family:
    """The family that a card's model belongs to."""
    return FAMILIES[card.family]


def words_head_of(card: ModelCard) -> WordsHead | None:
    """The form of the masked-words head in a card's folder, None without one. Raises SpanlightError as `read_card`."""
    folder = Path(card.folder)
    config = _read_config(folder, card.name)
    family = _family(config, card.name)
    return masked_words(config, family, read_weights(folder), _width(config, family, card.name), card.name)


def _read_config(folder: Path, name: str) -> dict[str, Any]:
    if not folder.is_dir():
        raise SpanlightError(f"There is no model folder {folder}.", "Check the path.")
    if not (folder / CONFIG).is_file():
        raise SpanlightError(
            f"{name} has no config.json.",
            "A model folder needs config.json, model.safetensors, tokenizer.json.",
        )
    config = read_json(folder / CONFIG)
    if "auto_map" in config or "custom_pipelines" in config:
        raise SpanlightError(
            f"{name} brings program code of its own, which Spanlight never runs.",
            f"Choose a model of a known family: {TITLES}.",
        )
    if any(key in config for key in ("quantization_config", "compression_config")):
        raise SpanlightError(
            f"{name} is quantised, which Spanlight does not read.",
            "Fetch its unquantised version (float32, float16, bfloat16).",
        )
    return config


def _family(config: Mapping[str, Any], name: str) -> Family:
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        said = (
            f"of the family {kind[:40]!r}" if isinstance(kind, str) else "of no family that its config names"
        )
        raise SpanlightError(f"{name} is {said}, which Spanlight does not read.", f"It reads {TITLES}.")
    return FAMILIES[kind]


def _prefix(family: Family, weights: Weights) -> str:
    """What stands before the encoder's weights: nothing in a checkpoint saved without any head."""
    return "" if WORDS in weights.tensors else f"{family.prefix}."


def _width(config: Mapping[str, Any], family: Family, name: str) -> int:
    key = next((key for key in family.embedding if config.get(key) is not None), family.embedding[-1])
    return number(config, key, MOST_WIDE, name)


def _check_shapes(config: Mapping[str, Any], family: Family, weights: Weights, name: str) -> None:
    """Refuse a config that does not describe the weights, before anything is made from it."""
    hidden = number(config, family.hidden, MOST_WIDE, name)
    heads = number(config, family.heads, MOST_WIDE, name)
    layers = number(config, family.layers, MOST_LAYERS, name)
    vocabulary = number(config, "vocab_size", MOST_ENTRIES, name)
    positions = number(config, "max_position_embeddings", MOST_ENTRIES, name)
    if hidden % heads:
        raise SpanlightError(
            f"config.json of {name} cannot be right: {hidden} is not a multiple of {heads} heads.", DAMAGED
        )
    for key, value in config.items():
        if key in OTHER_WIDTHS and (type(value) is not int or not -1 <= value <= 4 * MOST_WIDE):
            raise SpanlightError(
                f"config.json of {name} cannot be right: {key} is {str(value)[:40]}.", DAMAGED
            )
        if key in ("num_hidden_groups", "inner_group_num", "num_feedforward_networks"):
            number(config, key, MOST_LAYERS, name)
    width = _width(config, family, name)
    prefix = _prefix(family, weights)
    check_shape(weights, prefix + WORDS, (vocabulary, width), "word embeddings", name)
    table = prefix + POSITIONS
    if family.position_embeddings or weights.shape(table) is not None:
        wide = hidden if config["model_type"] in ("mobilebert", "deberta", "deberta-v2") else width
        check_shape(weights, table, (positions, wide), "position embeddings", name)
    if family.layer_pattern:
        start = prefix + family.layer_pattern
        found = {key[len(start) :].split(".")[0] for key in weights.tensors if key.startswith(start)}
        if len(found) != layers:
            raise SpanlightError(
                f"{name} holds {len(found)} layers where its config names {layers}.",
                "Config and weights do not belong together.",
            )


def _check_tokenizer(folder: Path, family: Family, weights: Weights, name: str) -> None:
    if not (folder / TOKENIZER).is_file():
        raise SpanlightError(
            f"{name} has no tokenizer.json.",
            "Fetch that file, or save the tokenizer again with transformers, which writes it.",
        )
    tokenizer = read_json(folder / TOKENIZER)
    model, added = tokenizer.get("model"), tokenizer.get("added_tokens") or []
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        ids = list(vocabulary.values())
    elif isinstance(vocabulary, list):
        ids = list(range(len(vocabulary)))
    else:
        raise SpanlightError(f"tokenizer.json of {name} has no vocabulary.", DAMAGED)
    ids += [
        token.get("id") if isinstance(token, dict) else None for token in added if isinstance(added, list)
    ]
    if not ids or not all(type(i) is int and i >= 0 for i in ids):
        raise SpanlightError(f"tokenizer.json of {name} has a malformed vocabulary.", DAMAGED)
    rows = (weights.shape(_prefix(family, weights) + WORDS) or (0,))[0]
    if max(ids) >= rows:
        raise SpanlightError(
            f"The tokenizer of {name} knows {max(ids) + 1:,} tokens, its weights only {rows:,}.",
            "Tokenizer and weights do not belong together.",
        )


def _max_length(folder: Path, config: Mapping[str, Any], family: Family) -> int:
    longest: int = config["max_position_embeddings"] - family.position_offset(config)
    if longest < SHORTEST:
        raise SpanlightError(
            f"{model_name(folder)} reads only {longest} tokens at a time.", "Choose another model."
        )
    if (folder / TOKENIZER_CONFIG).is_file():
        said = read_json(folder / TOKENIZER_CONFIG).get("model_max_length")
        if isinstance(said, int) and SHORTEST <= said < longest:
            return said
    return longest
