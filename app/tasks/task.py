"""Defines a task: one request in, arrays through a model, one result out. No torch, no Qt, no disk."""

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
    from app.core.inside import HeadPicture, ModuleRow, Pooling, Stage

Arrays = dict[str, np.ndarray]
Forward = Callable[[Arrays], Arrays]

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


# A weighted sum of a head's outputs on one row: of each the output's name, the indices in the row, the weight.
Score = Sequence[tuple[str, tuple[int, ...], float]]


class Inside(Protocol):
    """A model opened up: float32, eager attention, with gradients. Takes a row of `ReadyModel.forward`'s arrays."""

    @property
    def layers(self) -> int:
        """The number of encoder layers."""

    def stages(self, arrays: Arrays) -> tuple[tuple[Stage, ...], tuple[HeadPicture, ...]]:
        """The stages up to the heads, with the shapes that hooks saw while the model ran on these arrays, and all heads
        of the model's family, the one in use first; the others' modules are built and run for their shapes.
        """

    def modules(self) -> tuple[tuple[ModuleRow, ...], str]:
        """The module tree in rows, and as `print(model)` shows it."""

    def pooling(self, arrays: Arrays) -> Pooling:
        """The first token's state and the pooled output on these arrays; without the window and the model's name."""

    def attention(self, arrays: Arrays, layer: int) -> np.ndarray:
        """Attention weights of one layer, float32[heads, length, length]."""

    def loss(self, arrays: Arrays, labels: Arrays) -> float:
        """The loss by the model's class in transformers; `labels` are named as its `forward` names them."""

    def shares(
        self, arrays: Arrays, score: Score, steps: int, on_step: Callable[[int, int], None]
    ) -> tuple[np.ndarray, float, float, int]:
        """A score attributed to the tokens by integrated gradients, in `steps` steps from padding, or with 0 steps by
        gradient × input. Returns the shares (float[length]), the score, the score of padding (0 without steps), and
        the steps taken: more than `steps` where the shares would not add up to the score. The arrays also have
        `special_tokens_mask`, int64[1, length], 1 for a token that padding does not replace. `on_step` is called now
        and then with the steps done and their total, and may raise to break off.
        """


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A loaded model as a task sees it.

    `forward` takes `input_ids`, `attention_mask` and `token_type_ids`, int64 arrays of batch × length (a model without
    token types ignores the last), and returns float32 arrays, by head:

    - question answering: `start_logits` and `end_logits`, batch × length;
    - classification: `logits`, batch × labels;
    - next sentence: `logits`, batch × 2 (continues, does not);
    - token classification: `logits`, batch × length × labels;
    - masked words: `logits`, batch × m × vocabulary, at the further input `positions` (int64, batch × m, -1 for none);
    - embeddings: `embeddings`, batch × width, unit vectors.

    The tokenizer neither truncates nor pads. `inside` is the opened model, for the tasks that need it; `text_cache` the
    cache of the texts that the model read last. `precise` is `forward` in float32 where that computes in less; it
    returns None where memory does not suffice. `finder` loads the quicker reader that finds the passages of a long text
    for this one; it returns None where that cannot be loaded.
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
    """What answers one kind of request: the head it needs (None: that of its subject), and a function.

    `opened` tells whether it needs a model whose inside can be inspected.
    """

    head: Head | None
    run: Callable[[RequestT, ReadyModel, Report], ResultT]
    opened: bool = False

    def head_of(self, request: Any) -> Head:
        """The head that a request needs."""
        return self.head or request.subject.head


def opened(model: ReadyModel) -> Inside:
    """The inside of an opened model. Raises ValueError for one that is not."""
    if model.inside is None:
        raise ValueError(f"{model.card.name} was not opened")
    return model.inside
