"""Requests to inspect a model: plain, frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.models import Head
from app.core.text import Span, View


@dataclass(frozen=True, slots=True)
class Subject:
    """The inspected input of a head.

    `pair` is the question about the text (question answering) or the passage that may follow it (next sentence).
    `focus` is the place of the text that the window must contain: an answer, a blank, a name; None takes the window of
    the best span for a question, else the first one. `blanks` are the places hidden from a masked-words head; `view` is
    how a text is read with a question, None for unchanged.
    """

    head: Head
    text: str
    pair: str = ""
    focus: Span | None = None
    blanks: tuple[Span, ...] = ()
    view: View | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Visit:
    """A result to inspect: its input, and the name or folder of the model that gave it.

    `title` is its name for the user: the question, or the text's first words; an empty `model` is the chosen one.
    """

    subject: Subject
    model: str = ""
    title: str = ""


class Method(StrEnum):
    """How a score is attributed to the input's tokens.

    Integrated gradients: Sundararajan et al. 2017, section 3. Gradient × input: Shrikumar et al. 2016.
    """

    INTEGRATED_GRADIENTS = "integrated-gradients"
    GRADIENT_INPUT = "gradient-input"


@dataclass(frozen=True, slots=True)
class Target:
    """The score that is explained.

    For a question the start + end logits of `Subject.focus` (`null`: of [CLS]); else the logit of `label`: a class,
    "follows" or "other", a word for the blank, a tag of the word at the focus. Empty: the likeliest one's.
    """

    label: str = ""
    null: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """The correct result for a subject, for its loss.

    `answer` is the answer's place, None if the text does not answer; `labels` the right class (several for
    a multi-label head); `value` a regression head's; `words` the right word of each blank; `follows` whether the second
    passage continues the first; `entities` the names' places and types.
    """

    answer: Span | None = None
    labels: tuple[str, ...] = ()
    value: float = 0.0
    words: tuple[str, ...] = ()
    follows: bool = True
    entities: tuple[tuple[Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LookAtModel:
    """Inspect the stages from text to result with their shapes; returns a ModelPicture."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtSpans:
    """Inspect start and end logits over a window's tokens; returns SpanScores. For question answering only."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtPooling:
    """Compare the first token's state with the pooled output; returns Pooling."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtLoss:
    """Compute each term of the loss of a labelled example; returns Losses."""

    subject: Subject
    example: Example


@dataclass(frozen=True, slots=True)
class LookAtReasons:
    """Attribute a score to the input's tokens; returns Attribution."""

    subject: Subject
    target: Target = Target()
    method: Method = Method.INTEGRATED_GRADIENTS


@dataclass(frozen=True, slots=True)
class LookAtAttention:
    """Read the attention weights of all heads of one layer, counted from 0; returns Attention."""

    subject: Subject
    layer: int = 0


@dataclass(frozen=True, slots=True)
class LookWithout:
    """Compute the score without each sentence of the window in turn; returns Removals."""

    subject: Subject
    target: Target = Target()


Look = LookAtModel | LookAtSpans | LookAtPooling | LookAtLoss | LookAtReasons | LookAtAttention | LookWithout
