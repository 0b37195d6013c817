"""What a person asks when a model is opened up: plain, frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.models import Head
from app.core.text import Span, View


@dataclass(frozen=True, slots=True)
class Subject:
    """One input of one head: what is looked at.

    `pair` is the question asked of the text (question answering) or the passage that is to follow it (next
    sentence). `focus` is the place of the text that the window must hold: an answer, a blank, a name; None takes the
    window of the best span for a question, else the first one. `blanks` are the places hidden from a masked-word head;
    `view` is how a text that is asked a question is read, None for as it stands.
    """

    head: Head
    text: str
    pair: str = ""
    focus: Span | None = None
    blanks: tuple[Span, ...] = ()
    view: View | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Visit:
    """A result that is to be looked into: its input, and the name or folder of the model that gave it.

    `title` is what a person calls it: the question, or the text's first words; an empty `model` is the chosen one.
    """

    subject: Subject
    model: str = ""
    title: str = ""


class Method(StrEnum):
    """How a score is shared out over the input's tokens.

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
    """What is held to be right of a subject, for its loss.

    `answer` is the answer's place, None where the text does not say; `labels` the right class (several for
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
    """What happens from text to result, with shapes as they occur; brings back a ModelPicture."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtSpans:
    """Start and end logits over a window's tokens; brings back SpanScores. For question answering only."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtPooling:
    """The first token's state against the pooled output; brings back Pooling."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class LookAtLoss:
    """Each term of the loss of a labelled example; brings back Losses."""

    subject: Subject
    example: Example


@dataclass(frozen=True, slots=True)
class LookAtReasons:
    """A score shared out over the input's tokens; brings back Attribution."""

    subject: Subject
    target: Target = Target()
    method: Method = Method.INTEGRATED_GRADIENTS


@dataclass(frozen=True, slots=True)
class LookAtAttention:
    """The attention weights of all heads of one layer, counted from 0; brings back Attention."""

    subject: Subject
    layer: int = 0


@dataclass(frozen=True, slots=True)
class LookWithout:
    """The score without each sentence of the window in turn; brings back Removals."""

    subject: Subject
    target: Target = Target()


Look = LookAtModel | LookAtSpans | LookAtPooling | LookAtLoss | LookAtReasons | LookAtAttention | LookWithout
