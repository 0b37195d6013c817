"""A checkpoint folder's card, read from only its config.json, the weights' headers and tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.models.disk.config import CONFIG, LONGEST_CONFIG, UNQUANTISED, family_in, parse_config, value_of
from app.models.disk.config_keys import MOST_ENTRIES, MOST_LAYERS, MOST_POSITIONS, MOST_WIDE
from app.models.disk.heads import (
    check_shape,
    classification,
    masked_words,
    next_sentence,
    number,
    question_answering,
    takes_mean,
    tensor_shape,
)
from app.models.disk.notes import MEAN, Notes, read_notes, write_notes
from app.models.disk.shapes import embedding_width, encoder_shapes, pooler_shapes
from app.models.disk.tokenizer import TOKENIZER, check_tokenizer
from app.models.disk.weights import (
    DAMAGED,
    FLOATS,
    Weights,
    parse_object,
    read_file,
    read_json,
    read_weights,
    reading,
)
from app.models.families import Family, WordsHead

__all__ = ["CONFIG", "TOKENIZER", "Notes", "read_card", "read_notes", "write_notes"]
TOKENIZER_CONFIG = "tokenizer_config.json"
WORDS, POSITIONS = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
WINDOW, STRIDE = 384, 128
SHORTEST = 16
LONGEST_NAME = 96
# Integer buffers that some checkpoints store with their weights; nothing is computed with them.
BUFFERS = ("position_ids", "token_type_ids")
# Sentence-transformers' list of what is computed one after another, and how tokens become a text's vector.
MODULES, POOLING = "modules.json", "1_Pooling/config.json"
UNIT = ["Transformer", "Pooling", "Normalize"]
CHECK_FILES = Message("Check its files.")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that was read and checked without loading weights: its config's known keys, and headers."""

    name: str
    config: Mapping[str, Any]
    weights: Weights

    @property
    def family(self) -> Family:
        """The family that it belongs to."""
        return family_in(self.config)

    @property
    def prefix(self) -> str:
        """The prefix of the encoder's weights: empty in a checkpoint saved without any head."""
        return "" if WORDS in self.weights.tensors else f"{self.family.prefix}."

    @property
    def words(self) -> WordsHead | None:
        """The form of its masked-words head, None without one."""
        width = embedding_width(self.config, self.family)
        return masked_words(self.config, self.family, self.weights, width, self.name)

    @property
    def takes_mean(self) -> bool:
        """Whether its text classifier takes the mean of the tokens' states, not the first one's."""
        return takes_mean(self.config, self.weights)


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
    rows = tensor_shape(weights, checkpoint.prefix + WORDS, name)
    check_tokenizer(read_json(folder / TOKENIZER), (rows or (0,))[0], name)
    lengths = read_file(folder / TOKENIZER_CONFIG) if (folder / TOKENIZER_CONFIG).is_file() else b""
    notes = read_notes(folder)
    if has_mean_pooling(folder):
        notes = replace(notes, pooling=MEAN)
    card = _card(checkpoint, lengths, notes)
    finder = folder.parent / notes.finder
    read = (*weights.files, folder / CONFIG, folder / TOKENIZER)
    return replace(
        card,
        folder=str(folder),
        size=sum(path.stat().st_size for path in read),
        finder=str(finder) if notes.finder and finder.is_dir() else "",
    )


def has_mean_pooling(folder: Path) -> bool:
    """Whether the files of sentence-transformers say that the mean of the tokens' last states is a text's vector."""
    if not (folder / MODULES).is_file():
        return False
    try:
        kinds = [str(module["type"]).rpartition(".")[2] for module in json.loads(read_file(folder / MODULES))]
        pooling = read_json(folder / POOLING)
    except (SpanlightError, OSError, ValueError, TypeError, LookupError, RecursionError):
        return False
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
    # A vector that is not normalised there is near the same others here.
    return kinds in (UNIT[:2], UNIT) and modes == ["pooling_mode_mean_tokens"]


def card_from(name: str, config: bytes, weights: Weights, *, tokenizer_config: bytes = b"") -> ModelCard:
    """The card of a checkpoint that is not on this computer: all but its tokenizer is checked as `read_card` checks it.

    `config` and `tokenizer_config` are those files' content, `weights` come from their headers. The card's folder is
    empty and its size that of the weights and the config. Raises SpanlightError.
    """
    checkpoint = Checkpoint(name, parse_config(config, name), weights)
    _check_shapes(checkpoint)
    card = _card(checkpoint, tokenizer_config, Notes())
    return replace(card, size=weights.bytes + len(config))


def read_checkpoint(folder: Path) -> Checkpoint:
    """A folder's config and headers, checked against each other. Raises SpanlightError."""
    name = model_name(folder)
    if not folder.is_dir():
        raise SpanlightError(
            Message("There is no model folder {name}.", name=name), Message("Check the path.")
        )
    if not (folder / CONFIG).is_file():
        raise SpanlightError(
            Message("{name} has no config.json.", name=name),
            Message("A model folder needs config.json, model.safetensors, tokenizer.json."),
        )
    config = parse_config(read_file(folder / CONFIG, LONGEST_CONFIG), name)
    checkpoint = Checkpoint(name, config, read_weights(folder, name))
    _check_shapes(checkpoint)
    return checkpoint


def tensors(checkpoint: Checkpoint, opened: ExitStack) -> dict[str, Any]:
    """Every tensor of the checkpoint's files by name, as a slice to be read; the files stay open in `opened`.

    Raises SpanlightError if the files have changed since their headers were read.
    """
    from safetensors import safe_open

    found: dict[str, Any] = {}
    for file in checkpoint.weights.files:
        # A memory-mapped file would count as used memory, in addition to what is copied from it.
        content = opened.enter_context(safe_open(str(file), framework="pt", device="cpu", backend="pread"))
        found |= {name: content.get_slice(name) for name in content.keys()}  # noqa: SIM118 it is no dictionary
    info = {name: (tensor.get_dtype(), tuple(tensor.get_shape())) for name, tensor in found.items()}
    if info != {name: (tensor.dtype, tensor.shape) for name, tensor in checkpoint.weights.tensors.items()}:
        raise SpanlightError(
            Message("The weights of {name} were changed while they were loaded.", name=checkpoint.name),
            Message("Try again."),
        )
    return found


def model_name(folder: Path) -> str:
    """The display name of the model in a folder: the folder's name, or the repository's in a Hugging Face cache."""
    repository = folder.parent.parent.name
    name = folder.name or folder.resolve().name
    if folder.parent.name == "snapshots" and repository.startswith("models--"):
        name = repository.split("--")[-1]
    # A foreign name must not control a terminal or change a sentence's writing direction.
    name = "".join(sign if sign.isprintable() else "?" for sign in name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _card(checkpoint: Checkpoint, tokenizer_config: bytes, notes: Notes) -> ModelCard:
    name, config, weights, family = checkpoint.name, checkpoint.config, checkpoint.weights, checkpoint.family
    classifier, labels, problem = classification(config, family, weights, name)
    follows = next_sentence(config, family, weights, name)
    if follows or (classifier is Head.CLASSIFICATION and not checkpoint.takes_mean):
        for tensor, shape in pooler_shapes(config):
            check_shape(weights, tensor, shape, name)
    has_head: dict[Head | None, object] = {
        Head.QUESTION_ANSWERING: question_answering(config, family, weights, name),
        Head.MASKED_WORDS: checkpoint.words,
        Head.NEXT_SENTENCE: follows,
        Head.EMBEDDINGS: notes.pooling,
        classifier: True,
    }
    max_length = _max_length(checkpoint, tokenizer_config)
    window = max(SHORTEST, min(notes.window or WINDOW, max_length))
    return ModelCard(
        name=name,
        folder="",
        family=str(config["model_type"]),
        heads=tuple(head for head in Head if has_head.get(head)),
        labels=labels,
        problem=problem,
        max_length=max_length,
        window=window,
        stride=min(notes.stride or STRIDE, window // 3),
        width=config[family.hidden],
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


def _check_shapes(checkpoint: Checkpoint) -> None:
    """Refuse a config that does not match the weights, before anything is built from it."""
    name, config, weights, family = checkpoint.name, checkpoint.config, checkpoint.weights, checkpoint.family
    for tensor, stored in weights.tensors.items():
        if stored.dtype not in FLOATS and not (stored.dtype == "I64" and tensor.endswith(BUFFERS)):
            raise SpanlightError(
                Message(
                    "{name} holds weights in the format {dtype}, as quantised models do.",
                    name=name,
                    dtype=stored.dtype,
                ),
                UNQUANTISED,
            )
    hidden = number(config, family.hidden, MOST_WIDE, name)
    layers = number(config, family.layers, MOST_LAYERS, name)
    vocabulary = number(config, "vocab_size", MOST_ENTRIES, name)
    number(config, "max_position_embeddings", MOST_POSITIONS, name)
    _check_divisions(checkpoint, hidden)
    if value_of(config, "pad_token_id") >= vocabulary:
        raise SpanlightError(
            Message(
                "config.json of {name} cannot be right: {key} is {value}.",
                name=name,
                key="pad_token_id",
                value=config["pad_token_id"],
            ),
            DAMAGED,
        )
    width = embedding_width(config, family)
    prefix = checkpoint.prefix
    check_shape(weights, prefix + WORDS, (vocabulary, width), name)
    table = prefix + POSITIONS
    expected = dict(encoder_shapes(config))
    if POSITIONS in expected:
        check_shape(weights, table, expected[POSITIONS], name)
    if family.layer_pattern:
        start = prefix + family.layer_pattern
        found = {key[len(start) :].split(".")[0] for key in weights.tensors if key.startswith(start)}
        if len(found) != layers:
            raise SpanlightError(
                Message(
                    "{name} holds {n} layer where its config names {layers}.",
                    "{name} holds {n} layers where its config names {layers}.",
                    name=name,
                    n=len(found),
                    layers=layers,
                ),
                Message("Config and weights do not belong together."),
            )
    for tensor, shape in expected.items():
        check_shape(weights, prefix + tensor, shape, name)


def _check_divisions(checkpoint: Checkpoint, hidden: int) -> None:
    """Refuse sizes that do not divide evenly into heads or groups."""
    name, config, family = checkpoint.name, checkpoint.config, checkpoint.family
    heads = number(config, family.heads, MOST_WIDE, name)
    split = hidden
    if config["model_type"] == "mobilebert" and value_of(config, "use_bottleneck"):
        split = value_of(config, "intra_bottleneck_size")
    if split % heads:
        raise SpanlightError(
            Message(
                "config.json of {name} cannot be right: {split} is not a multiple of {n} heads.",
                name=name,
                split=split,
                n=heads,
            ),
            DAMAGED,
        )
    wrong = {
        "conv_groups": config.get("conv_kernel_size") and hidden % config.get("conv_groups", 1),
        "pooler_hidden_size": config.get("pooler_hidden_size", hidden) != hidden,
        "attention_head_size": config.get("attention_head_size", hidden // heads) != hidden // heads,
        "num_hidden_groups": config.get("num_hidden_groups", 1) > config[family.layers],
    }
    for key, is_wrong in wrong.items():
        if is_wrong:
            raise SpanlightError(
                Message(
                    "config.json of {name} cannot be right: {key} is {value}.",
                    name=name,
                    key=key,
                    value=config.get(key),
                ),
                DAMAGED,
            )


def _max_length(checkpoint: Checkpoint, tokenizer_config: bytes) -> int:
    config = checkpoint.config
    longest: int = config["max_position_embeddings"] - checkpoint.family.position_offset(config)
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
