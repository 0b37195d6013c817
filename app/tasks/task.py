"""What a task is: one request in, arrays through a model, one result out. No torch, no Qt, no disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from tokenizers import Tokenizer

from app.core.models import DeviceChoice, Head, ModelCard
from app.core.report import Report
from app.tasks.text.sections import TextCache

if TYPE_CHECKING:
    from app.core.inside import HeadPicture, ModuleRow, Stage

Arrays = dict[str, np.ndarray]
Forward = Callable[[Arrays], Arrays]

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


# A sum of a head's outputs: (output's name, its indices in the one row, weight) each.
Score = Sequence[tuple[str, tuple[int, ...], float]]


class Pooled(Protocol):
    """A first token's last state, the pooled output, and that computed by hand: float32[width] each.

    Where no layer takes the first token's state, the last two are empty.
    """

    @property
    def first(self) -> np.ndarray:
        """The first token's last state."""

    @property
    def pooled(self) -> np.ndarray:
        """The output of its layer and activation."""

    @property
    def recomputed(self) -> np.ndarray:
        """The same, computed by hand."""

    @property
    def path(self) -> str:
        """The layer that takes the first token's state, empty without one."""

    @property
    def activation(self) -> str:
        """The activation function behind it, empty without one."""

    @property
    def is_pooler(self) -> bool:
        """Whether it is a pooler, not a head's own layer."""

    @property
    def used(self) -> bool:
        """Whether the scores rest on it."""


class Inside(Protocol):
    """A model opened up: float32, eager attention, with gradients. Takes a row of `ReadyModel.forward`'s arrays."""

    @property
    def layers(self) -> int:
        """How many encoder layers run one after another."""

    def stages(self, arrays: Arrays) -> tuple[tuple[Stage, ...], tuple[HeadPicture, ...]]:
        """The stages up to the heads, with the shapes that hooks saw while the model ran on these arrays, and every
        head of the model's family, the one in use first; the others' modules were built and run to see shapes.
        """

    def modules(self) -> tuple[tuple[ModuleRow, ...], str]:
        """The module tree in rows, and as `print(model)` gives it."""

    def pooling(self, arrays: Arrays) -> Pooled:
        """The first token's state and the pooled output on these arrays."""

    def attention(self, arrays: Arrays, layer: int) -> np.ndarray:
        """Attention weights of one layer, float32[heads, length, length]."""

    def loss(self, arrays: Arrays, labels: Arrays) -> float:
        """The loss that the model's own class in transformers gives; `labels` are named as its forward names them."""

    def shares(
        self, arrays: Arrays, score: Score, steps: int, on_step: Callable[[int, int], None]
    ) -> tuple[np.ndarray, float, float, int]:
        """A score shared out over the tokens by integrated gradients in `steps` steps from padding; 0 steps: by
        gradient × input. Gives float[length], the score, the score of padding (0 without steps), and the
        steps taken: more than `steps` where the shares would not add up. The arrays hold
        `special_tokens_mask` too: int64[1, length], 1 for a token that padding does not replace.
        `on_step` is called now and then with the steps done and all steps, and may raise to break off.
        """


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A loaded model as a task sees it.

    `forward` takes `input_ids`, `attention_mask` and `token_type_ids`, int64 arrays of batch × length
    (a model without token types ignores the last), and returns float32 arrays: `start_logits` and
    `end_logits` of batch × length for the question answering head, `logits` of batch × labels for the
    classification head, batch × 2 for next sentence (continues, does not), batch × length × labels for token
    classification, and `embeddings` of batch × width, unit vectors. For masked words an array `positions` (int64,
    batch × places, -1 for none) comes with the others, and `logits` are batch × places × vocabulary. The tokenizer
    neither truncates nor pads. `inside` is there for tasks that need an opened model; `text_cache` caches the texts it
    read last, if there is one. `precise` is `forward` in float32 where that computes in less; it gives None where there
    is no memory for it. `finder` loads the quicker reader that finds passages of a long text for this one, where there
    is one; it gives None where that cannot be loaded.
    """

    card: ModelCard
    device: DeviceChoice
    tokenizer: Tokenizer
    forward: Forward
    inside: Inside | None = None
    text_cache: TextCache | None = None
    precise: Callable[[Arrays], Arrays | None] | None = None
    finder: Callable[[], ReadyModel | None] | None = None


@dataclass(frozen=True, slots=True)
class Task(Generic[RequestT, ResultT]):
    """One kind of request, the head it needs (None: its subject's own), and the function that answers it.

    `opened`: whether it needs a model whose inside can be inspected.
    """

    head: Head | None
    run: Callable[[RequestT, ReadyModel, Report], ResultT]
    opened: bool = False

    def head_of(self, request: Any) -> Head:
        """The head that a request needs."""
        return self.head or request.subject.head


def opened(model: ReadyModel) -> Inside:
    """The inside of a model that was opened; ValueError for one that was not."""
    if model.inside is None:
        raise ValueError(f"{model.card.name} was not opened")
    return model.inside
