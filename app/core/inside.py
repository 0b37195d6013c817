"""Results of inspecting a model: plain, frozen values, numbers as they were computed."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import StrEnum

from app.core.message import Message
from app.core.models import Head
from app.core.text import Span

Shape = tuple[int, ...]


def shape_words(shape: Shape) -> str:
    """Return a shape as text: "1 × 42 × 30,522"."""
    if not shape:
        return ""
    words = Message("{size:,}", size=shape[0])
    for size in shape[1:]:
        words = Message("{sizes} × {size:,}", sizes=words, size=size)
    return words


class Part(StrEnum):
    """Which part of the input a token belongs to."""

    SPECIAL = "special"
    PAIR = "pair"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class InputToken:
    """One token of the model's input: the piece as the vocabulary spells it, its id and its token type.

    `span` is its place in the subject's text, or in `Subject.pair` where `part` is PAIR; None for special tokens.
    """

    piece: str
    id: int
    type: int
    part: Part
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class InputWindow:
    """The model's input: window `number` (from 0) of the text's `windows`."""

    tokens: tuple[InputToken, ...]
    number: int = 0
    windows: int = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the computation, recorded from a module that ran.

    `path` is the module's in the model ("bert.encoder.layer"), empty for a step that is not a module; `title` is the
    plain word, `term` the paper's, `kind` the module's class, `detail` its sizes ("384 → 2"); `inputs` and `output` are
    the recorded shapes; `parameters` counts weights over all `repeats` (equal layers in a row); `training_only` marks
    dropout.
    """

    title: str
    term: str
    path: str = ""
    kind: str = ""
    detail: str = ""
    inputs: tuple[Shape, ...] = ()
    output: Shape = ()
    parameters: int = 0
    repeats: int = 1
    training_only: bool = False


@dataclass(frozen=True, slots=True)
class HeadPicture:
    """A head of the model's family: its input and its stages.

    `kind` is the class in transformers; `held` is whether this checkpoint has its weights, `in_use` whether it is the
    active one; `takes` describes its input ("every token's state", "the pooled output").
    """

    head: Head
    kind: str
    title: str
    takes: str
    stages: tuple[Stage, ...]
    held: bool
    in_use: bool

    @property
    def status(self) -> str:
        """Whether it is in use, in the model but not in use, or absent, in words."""
        if self.in_use:
            return Message("in use")
        return Message("in this model too, not in use") if self.held else Message("not in this model")


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One line of the module tree: depth from 0, its name in its parent, class, extra description, weights."""

    depth: int
    path: str
    name: str
    kind: str
    detail: str
    parameters: int


@dataclass(frozen=True, slots=True)
class ModelPicture:
    """A model from text to result: the stages that all heads share, then each head; its module tree.

    `printed` is the output of `print(model)`.
    """

    window: InputWindow
    trunk: tuple[Stage, ...]
    heads: tuple[HeadPicture, ...]
    modules: tuple[ModuleRow, ...]
    printed: str
    parameters: int
    model: str
    family: str
    device: str


@dataclass(frozen=True, slots=True)
class SpanScore:
    """A span of a window: its first and last token (both included), its words and place, start + end logits.

    `probability` is the softmax over the window's spans and its null score.
    """

    first: int
    last: int
    span: Span
    text: str
    score: float
    probability: float


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Start and end scores over all tokens of a window (float each), the best spans first.

    Probabilities are the softmax over the whole window, as in the paper. `spans[0]` is the chosen one; `null_score` is
    [CLS]'s start + end, `null_probability` its share. `candidates` is for each token whether a span may begin or end
    there.
    """

    window: InputWindow
    start_logits: tuple[float, ...]
    end_logits: tuple[float, ...]
    start_probabilities: tuple[float, ...]
    end_probabilities: tuple[float, ...]
    candidates: tuple[bool, ...]
    spans: tuple[SpanScore, ...]
    null_score: float
    null_probability: float
    model: str = ""


@dataclass(frozen=True, slots=True)
class Pooling:
    """The first token's last state, the pooled output, and the pooled output recomputed by hand.

    All are vectors of the model's width; `recomputed` is activation(W · first + b) with the layer at `path`;
    `error` is the largest difference between it and `pooled`, `difference` that between `first` and `pooled`; `cosine`
    is the cosine of those two. `is_pooler` is False if the model has no pooler and the layer is the head's own; all
    but `first` are empty if no layer takes the first token.
    """

    window: InputWindow
    first: tuple[float, ...]
    pooled: tuple[float, ...] = ()
    recomputed: tuple[float, ...] = ()
    path: str = ""
    activation: str = ""
    is_pooler: bool = True
    cosine: float = 0.0
    difference: float = 0.0
    error: float = 0.0
    used: bool = False
    model: str = ""


@dataclass(frozen=True, slots=True)
class LossTerm:
    """One term: its name, its target, the probability that the model gave it, and its value.

    `counted` is False if the target is ignored; `value` is then 0. `target` is in words ("token 17, “Knave”").
    """

    name: str
    target: str
    probability: float
    value: float
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Losses:
    """The loss of one example: its terms, and the total as computed by transformers and by Spanlight's training.

    `total` is computed from the terms by the paper's formula `formula`; `by_model` by the model's own class, NaN if
    undefined; `in_training` is the loss used in training. `squared` is whether the term is a value's squared error, its
    `probability` then being the model's value.
    """

    window: InputWindow
    terms: tuple[LossTerm, ...]
    formula: str
    total: float
    by_model: float
    in_training: float
    model: str = ""
    squared: bool = False


@dataclass(frozen=True, slots=True)
class Attribution:
    """A score attributed to a window's tokens (float each, in logits; positive values increase the score).

    `score` is the score itself, `baseline` that of an input of padding; `gap` is their difference minus the shares' sum
    (near 0 for integrated gradients; not defined for gradient × input, where it is 0).
    """

    window: InputWindow
    shares: tuple[float, ...]
    target: str
    method: str
    score: float
    baseline: float = 0.0
    gap: float = 0.0
    steps: int = 1
    model: str = ""


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention weights of one layer: float32[heads, length, length] in rows; a row (from one token) sums to 1."""

    window: InputWindow
    layer: int
    layers: int
    heads: int
    weights: array[float]
    model: str = ""

    def row(self, head: int, token: int) -> tuple[float, ...]:
        """Return a token's attention to each token of the window, in one head."""
        length = len(self.window.tokens)
        at = (head * length + token) * length
        return tuple(self.weights[at : at + length])


@dataclass(frozen=True, slots=True)
class Removal:
    """A sentence of the window, and the score and probability when it is taken out."""

    span: Span
    text: str
    score: float
    probability: float
    holds_focus: bool = False


@dataclass(frozen=True, slots=True)
class Removals:
    """The score and its probability, and those without each sentence in turn, in text order."""

    window: InputWindow
    target: str
    score: float
    probability: float
    sentences: tuple[Removal, ...]
    model: str = ""
