"""config.json of a checkpoint: read from an allow list of keys, each value checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.models.disk.config_keys import (
    ADAPTER_PARTS,
    CODE,
    DANGEROUS,
    HARMLESS_OBJECTS,
    KEYS,
    ONLY,
    QUANTISED_PARTS,
    READ,
)
from app.models.disk.weights import DAMAGED, parse_object, read_file, write_json
from app.models.families import FAMILIES, TITLES, Family

CONFIG = "config.json"
LONGEST_CONFIG = 16 * 2**20
UNQUANTISED = Message("Fetch its unquantised version (float32, float16, bfloat16).")


@dataclass(frozen=True, slots=True)
class Config:
    """The keys of a config.json that Spanlight knows, each value checked; `name` is the model's name in messages."""

    name: str
    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        """The value of one of the family's keys, transformers' default where the file has none."""
        return self.values.get(key, KEYS[self.kind][key].default)

    def stated(self, key: str) -> Any:
        """The value of a key in the file, None where it has none."""
        return self.values.get(key)

    @property
    def kind(self) -> str:
        """The family's name in transformers."""
        return str(self.values["model_type"])

    @property
    def family(self) -> Family:
        """The model's family."""
        return FAMILIES[self.kind]

    @property
    def hidden(self) -> int:
        """The width of a token's state."""
        return int(self[self.family.hidden])

    @property
    def inner(self) -> int:
        """The width between the two linears of a layer's feed-forward network."""
        return int(self["hidden_dim" if self.kind == "distilbert" else "intermediate_size"])

    @property
    def heads(self) -> int:
        """The number of attention heads in a layer."""
        return int(self[self.family.heads])

    @property
    def layers(self) -> int:
        """The number of layers that run one after another."""
        return int(self[self.family.layers])

    @property
    def width(self) -> int:
        """The width of the word embeddings."""
        return int(next((self[key] for key in self.family.embedding if self[key] is not None), 0))

    @property
    def longest(self) -> int:
        """The most tokens of an input that have position embeddings: RoBERTa's begin after its padding id."""
        unused = self["pad_token_id"] + 1 if self.family.positions_after_padding else 0
        return int(self["max_position_embeddings"]) - unused

    def number(self, key: str, most: int) -> int:
        """The positive integer of a key. Raises SpanlightError if it is missing or larger than `most`."""
        value = self.stated(key)
        if value is None:
            raise SpanlightError(
                Message("config.json of {name} cannot be right: {key} is missing.", name=self.name, key=key),
                DAMAGED,
            )
        if type(value) is not int or not 1 <= value <= most:
            raise self.wrong(key)
        return value

    def wrong(self, key: str) -> SpanlightError:
        """The error for a value that no model has."""
        value = shown(self.stated(key))
        return SpanlightError(
            Message(
                "config.json of {name} cannot be right: {key} is {value}.",
                name=self.name,
                key=key,
                value=value,
            ),
            DAMAGED,
        )

    def for_transformers(self, head: Head, labels: Sequence[str]) -> dict[str, Any]:
        """The arguments of transformers' config class for one head: known keys, and `labels` if it classifies."""
        known = KEYS[self.kind]
        values = {key: value for key, value in self.values.items() if key in known}
        if "layer_norm_eps" in values:
            values["layer_norm_eps"] = float(values["layer_norm_eps"])
        # The question answering classes need two labels, for start and end.
        classifies = head in (Head.CLASSIFICATION, Head.TOKEN_CLASSIFICATION)
        names = list(labels) if classifies else ["LABEL_0", "LABEL_1"]
        values["id2label"] = dict(enumerate(names))
        values["label2id"] = {label: index for index, label in enumerate(names)}
        problem = self.stated("problem_type")
        if head is Head.CLASSIFICATION and (len(names) > 1 or problem != ProblemType.SINGLE_LABEL):
            values["problem_type"] = problem
        return values


def read_config(folder: Path, name: str) -> Config:
    """A folder's config.json, parsed by `parse_config`. Raises SpanlightError as that does."""
    return parse_config(read_file(folder / CONFIG, LONGEST_CONFIG), name)


def parse_config(content: bytes, name: str) -> Config:
    """The keys of a config that Spanlight knows, checked; `name` is the model's name in messages.

    A key whose value is null is treated as missing, and an unknown one is dropped. Raises SpanlightError for a key that
    would run code or load anything but the weights in the folder, for an unknown family, and for a value out of range.
    """
    parsed = parse_object(content, CONFIG)
    values = {key: value for key, value in parsed.items() if value is not None}
    for key in values:
        _refuse_danger(key, name)
    known = KEYS[_model_type(values, name)]
    for key, value in values.items():
        if key in known and not known[key].fits(value):
            raise Config(name, values).wrong(key)
        if key in ONLY and value != ONLY[key][0]:
            raise SpanlightError(
                Message(
                    "{name} {does} ({key} is {value}), which Spanlight does not read.",
                    name=name,
                    does=ONLY[key][1],
                    key=key,
                    value=shown(value),
                ),
                Message("Choose another model: Spanlight reads {titles}.", titles=TITLES),
            )
        if isinstance(value, dict) and value and key not in HARMLESS_OBJECTS:
            raise SpanlightError(
                Message(
                    "config.json of {name} holds settings that Spanlight does not know: {key}.",
                    name=name,
                    key=shown(key),
                ),
                Message("Choose a model of a known family: {titles}.", titles=TITLES),
            )
    return Config(name, {key: value for key, value in values.items() if key in known or key in READ})


def rename_labels(folder: Path, labels: Sequence[str]) -> None:
    """Rename a classifier's labels, given in their order, in a folder's config.json.

    Raises SpanlightError if it cannot be read, OSError if it cannot be written.
    """
    path = folder / CONFIG
    values = parse_object(read_file(path, LONGEST_CONFIG), CONFIG)
    values["id2label"] = {str(at): label for at, label in enumerate(labels)}
    values["label2id"] = {label: at for at, label in enumerate(labels)}
    write_json(path, values)


def shown(value: object) -> str:
    """A value of a file for a message: short, on one line, without control characters."""
    if isinstance(value, dict):
        return Message("an object")
    if isinstance(value, list):
        return Message("a list of {n}", n=len(value))
    text = str(value)
    return "".join(sign if sign.isprintable() else "?" for sign in text[:40]) + "…" * (len(text) > 40)


def _model_type(config: Mapping[str, Any], name: str) -> str:
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        fault = Message("config.json of {name} names no family of models.", name=name)
        if isinstance(kind, str):
            fault = Message(
                "{name} is of the family {family!r}, which Spanlight does not read.",
                name=name,
                family=shown(kind),
            )
        raise SpanlightError(fault, Message("It reads {titles}.", titles=TITLES))
    return kind


def _refuse_danger(key: str, name: str) -> None:
    lower = key.lower()
    if lower in CODE:
        raise SpanlightError(
            Message("{name} brings program code of its own, which Spanlight never runs.", name=name),
            Message("Choose a model of a known family: {titles}.", titles=TITLES),
        )
    if any(part in lower for part in QUANTISED_PARTS):
        raise SpanlightError(
            Message("{name} is quantised, which Spanlight does not read.", name=name), UNQUANTISED
        )
    if any(part in lower for part in ADAPTER_PARTS):
        raise SpanlightError(
            Message(
                "{name} is an addition to another model (its config says {key}), not a whole one.",
                name=name,
                key=shown(key),
            ),
            Message("Fetch a version in which both are merged."),
        )
    if lower in DANGEROUS:
        raise SpanlightError(
            Message(
                "config.json of {name} tells the program what to load or run ({key}), which Spanlight never follows.",
                name=name,
                key=shown(key),
            ),
            Message("Choose another model, or take that key out of the file if you trust it."),
        )
