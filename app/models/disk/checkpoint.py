"""A checkpoint's config and weights' headers, checked against each other before a model is built from them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.config import CONFIG, UNQUANTISED, Config, read_config
from app.models.disk.config_keys import MOST_ENTRIES, MOST_LAYERS, MOST_POSITIONS, MOST_WIDE
from app.models.disk.names import model_name
from app.models.disk.shapes import encoder_shapes
from app.models.disk.weights import DAMAGED, FLOATS, Weights, read_weights
from app.models.families import Family

WORDS = "embeddings.word_embeddings.weight"
# Integer buffers that some checkpoints store with their weights; nothing is computed with them.
BUFFERS = ("position_ids", "token_type_ids")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint's config and its weights' headers; no weights are loaded."""

    config: Config
    weights: Weights

    @property
    def name(self) -> str:
        """The model's name in messages."""
        return self.config.name

    @property
    def family(self) -> Family:
        """The family that it belongs to."""
        return self.config.family

    @property
    def prefix(self) -> str:
        """The prefix of the encoder's weights: empty in a checkpoint saved without any head."""
        return "" if self.has(WORDS) else f"{self.family.prefix}."

    def has(self, tensor: str) -> bool:
        """Whether there are weights of this name."""
        return tensor in self.weights.tensors

    def shape(self, tensor: str) -> tuple[int, ...] | None:
        """The shape of a tensor, under its name or the one that the first BERTs gave it; None if there is none.

        Raises SpanlightError if it holds integers.
        """
        old = tensor.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        )
        found = self.weights.tensors.get(tensor) or self.weights.tensors.get(old)
        if found is not None and found.dtype not in FLOATS:
            raise SpanlightError(
                Message(
                    "{name} holds the weights {weights} as whole numbers.", name=self.name, weights=tensor
                ),
                DAMAGED,
            )
        return found.shape if found else None

    def require(self, tensor: str, wanted: tuple[int, ...]) -> None:
        """Raise SpanlightError if a tensor is missing or its shape is not the config's."""
        shape = self.shape(tensor)
        if shape is None:
            raise SpanlightError(
                Message("{name} lacks the weights {weights}.", name=self.name, weights=tensor),
                Message("Fetch a whole copy of this model."),
            )
        if shape != wanted:
            raise SpanlightError(
                Message(
                    "{name} holds in a wrong shape the weights {weights}: {found} where its config says {wanted}.",
                    name=self.name,
                    weights=tensor,
                    found=_shape(shape),
                    wanted=_shape(wanted),
                ),
                Message("Config and weights do not belong together."),
            )

    def require_linear(self, layer: str, out: int, into: int) -> None:
        """Raise SpanlightError if a linear's weight or bias is missing or of another shape."""
        self.require(f"{layer}.weight", (out, into))
        self.require(f"{layer}.bias", (out,))

    def check(self) -> None:
        """Raise SpanlightError if the config does not match the weights."""
        name, config, tensors = self.name, self.config, self.weights.tensors
        for tensor, stored in tensors.items():
            if stored.dtype not in FLOATS and not (stored.dtype == "I64" and tensor.endswith(BUFFERS)):
                raise SpanlightError(
                    Message(
                        "{name} holds weights in the format {dtype}, as quantised models do.",
                        name=name,
                        dtype=stored.dtype,
                    ),
                    UNQUANTISED,
                )
        config.number(self.family.hidden, MOST_WIDE)
        layers = config.number(self.family.layers, MOST_LAYERS)
        vocabulary = config.number("vocab_size", MOST_ENTRIES)
        config.number("max_position_embeddings", MOST_POSITIONS)
        self._check_divisions()
        if config["pad_token_id"] >= vocabulary:
            raise config.wrong("pad_token_id")
        self.require(self.prefix + WORDS, (vocabulary, config.width))
        expected = dict(encoder_shapes(config))
        positions = "embeddings.position_embeddings.weight"
        if positions in expected:
            self.require(self.prefix + positions, expected[positions])
        if self.family.layer_pattern:
            start = self.prefix + self.family.layer_pattern
            found = {key[len(start) :].split(".")[0] for key in tensors if key.startswith(start)}
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
            self.require(self.prefix + tensor, shape)

    def _check_divisions(self) -> None:
        """Refuse sizes that do not divide evenly into heads or groups."""
        config, hidden = self.config, self.config.hidden
        heads = config.number(self.family.heads, MOST_WIDE)
        split = hidden
        if config.kind == "mobilebert" and config["use_bottleneck"]:
            split = config["intra_bottleneck_size"]
        if split % heads:
            raise SpanlightError(
                Message(
                    "config.json of {name} cannot be right: {split} is not a multiple of {n} heads.",
                    name=self.name,
                    split=split,
                    n=heads,
                ),
                DAMAGED,
            )
        given = config.values.get
        wrong = {
            "conv_groups": given("conv_kernel_size") and hidden % given("conv_groups", 1),
            "pooler_hidden_size": given("pooler_hidden_size", hidden) != hidden,
            "attention_head_size": given("attention_head_size", hidden // heads) != hidden // heads,
            "num_hidden_groups": given("num_hidden_groups", 1) > config.layers,
        }
        for key, is_wrong in wrong.items():
            if is_wrong:
                raise config.wrong(key)


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a folder's config and headers, and check them against each other. Raises SpanlightError."""
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
    checkpoint = Checkpoint(read_config(folder, name), read_weights(folder, name))
    checkpoint.check()
    return checkpoint


def tensors(checkpoint: Checkpoint, opened: ExitStack) -> dict[str, Any]:
    """Every tensor of the checkpoint's files by name, as a slice to be read; `opened` keeps the files open.

    Raises SpanlightError if the files have changed since their headers were read.
    """
    from safetensors import safe_open

    found: dict[str, Any] = {}
    for file in checkpoint.weights.files:
        # Not memory-mapped: that would count as used memory, in addition to what is copied from the file.
        content = opened.enter_context(safe_open(str(file), framework="pt", device="cpu", backend="pread"))
        found |= {name: content.get_slice(name) for name in content.keys()}  # noqa: SIM118 it is no dictionary
    info = {name: (tensor.get_dtype(), tuple(tensor.get_shape())) for name, tensor in found.items()}
    if info != {name: (tensor.dtype, tensor.shape) for name, tensor in checkpoint.weights.tensors.items()}:
        raise SpanlightError(
            Message("The weights of {name} were changed while they were loaded.", name=checkpoint.name),
            Message("Try again."),
        )
    return found


def _shape(sizes: tuple[int, ...]) -> str:
    return " × ".join(map(str, sizes)) or Message("one number")
