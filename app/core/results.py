"""What comes back: plain, frozen values that cross threads and processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from app.core.models import ProblemType
from app.core.report import Progress
from app.core.tagged_words import TaggedWord
from app.core.text import Span

HEAT_BINS = 256
# Words that are less likely right are given as the answer only where one is to be given whatever the threshold.
LEAST_GIVEN = 0.15


class Outcome(StrEnum):
    """What a question comes to: an answer, words that may be one, or nothing in the text."""

    ANSWER = "answer"
    LOW_CONFIDENCE = "low-confidence"
    ABSENT = "absent"


class Likely(Protocol):
    """What is right with a probability, 0 to 1."""

    @property
    def probability(self) -> float:
        """How likely it is right."""
        ...


def outcome_of(
    answered: bool, found: Sequence[Likely], no_answer: float, threshold: float, absent: float
) -> Outcome:
    """What a question comes to whose best spans are `found`, and whose text is held to answer where `answered`.

    The first is given as the answer from `LEAST_GIVEN` on, with a `threshold` of 0 in any case. Else it has low
    confidence as long as the chance that the text answers, 1 - `no_answer`, is at least `absent`.
    """
    if not found:
        return Outcome.ABSENT
    if answered and (found[0].probability >= LEAST_GIVEN or not threshold):
        return Outcome.ANSWER
    return Outcome.LOW_CONFIDENCE if 1.0 - no_answer >= absent else Outcome.ABSENT


def share_read(windows: int, total: int, complete: bool) -> float | None:
    """How much was read of so many windows in all, 0 to 1; None where nobody knows how many there were."""
    if complete:
        return 1.0
    return min(1.0, windows / total) if total else None


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of a document that answers the question.

    `document` is the index into `Question.documents`; `text` is exactly `document.text[start:end]`;
    `probability` is calibrated, 0 to 1; `score` is start + end logits; `null_score` is [CLS]'s start +
    end logits in the window that the span was scored in; `lexical` is what it lacks, in logits, where fewer of the
    question's words stand around it than elsewhere in a long text, 0 or less. Answers are ranked by how far `score` and
    `lexical` together stand above `null_score`.
    """

    document: int
    span: Span
    text: str
    probability: float
    score: float
    null_score: float
    lexical: float = 0.0

    @property
    def rank(self) -> float:
        """What it is ranked by, in logits."""
        return self.score + self.lexical - self.null_score


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one question brought back.

    `answers` are the best spans, best first, also when the text does not say (they are then what
    stayed under the threshold). `answered` tells whether the text is held to answer; `outcome` whether the first of
    them is given as the answer.
    `no_answer_probability` is the calibrated probability that the text does not say; where it leaves less than
    `absent` for the text to answer, no words are shown in an answer's place. `seconds` is
    time spent reading; `windows_total` is an estimate while `complete` is False (a partial result).
    `quick` tells that only the best passages were read, which then counts as complete; `finder` names the quicker
    reader that found them, which by itself reads them first. `heat` tells where
    answers were seen: for each document, how strongly each of `HEAT_BINS` equal parts of its code points
    speaks for one, from 0 to the probability that the text answers, which the part of the best answer has.
    `windows_whole` is how many there are in all, an estimate where they were not all read; 0 where nobody knows.
    """

    answers: tuple[Answer, ...]
    answered: bool
    no_answer_probability: float
    threshold: float
    windows: int
    windows_total: int
    seconds: float
    complete: bool = True
    model: str = ""
    device: str = ""
    quick: bool = False
    heat: tuple[tuple[float, ...], ...] = ()
    windows_whole: int = 0
    absent: float = 0.0
    finder: str = ""

    @property
    def outcome(self) -> Outcome:
        """What the question comes to."""
        return outcome_of(
            self.answered, self.answers, self.no_answer_probability, self.threshold, self.absent
        )

    @property
    def best(self) -> Answer | None:
        """The answer given, None where there is none."""
        return self.answers[0] if self.outcome is Outcome.ANSWER else None

    @property
    def shown(self) -> Answer | None:
        """The answer, or the nearest words with low confidence; None where the text does not say."""
        return self.answers[0] if self.outcome is not Outcome.ABSENT else None

    @property
    def judged_whole(self) -> bool:
        """Whether its outcome is the whole text's: that was read, or a quicker reader found its likeliest passages."""
        return self.complete and (not self.quick or self.finder not in ("", self.model))

    @property
    def share_read(self) -> float | None:
        """How much of what is to be read was read, 0 to 1; None where nobody knows."""
        return share_read(self.windows, self.windows_total, self.complete)

    @property
    def share_of_text(self) -> float | None:
        """How much of the text was read, 0 to 1, of a quick reading too; None where nobody knows."""
        if self.finder and not self.complete:
            return None  # both readers' windows are counted, and most of them are the same
        return share_read(self.windows, self.windows_whole, False) if self.quick else self.share_read

    def stopped(self, at: Progress | None, seconds: float) -> Reading:
        """This partial result, which stayed the best until reading was stopped: so far on, after so many seconds.

        What was said last of the progress may be older than this result. Of two readers it counts the windows of both.
        """
        if at is None or not at.total or (at.done <= self.windows and not self.finder):
            return replace(self, seconds=seconds)
        return replace(self, seconds=seconds, windows=max(at.done, self.windows), windows_total=at.total)


@dataclass(frozen=True, slots=True)
class ClassScore:
    """A class and its probability (for a regression head: its value)."""

    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Classification:
    """One text's classes.

    `scores` stand in the order of the model's labels; `winner` is the likeliest label, empty for a
    multi-label head where none reaches one half and for a regression head; `windows` tells over how many
    windows of the model the text was pooled.
    """

    scores: tuple[ClassScore, ...]
    winner: str
    windows: int
    tokens: int
    problem: str = "single_label_classification"

    @property
    def fitting(self) -> tuple[ClassScore, ...]:
        """The classes that apply, in the order of the labels: the winner, or all that reach one half of a multi-label
        head; none of a regression head.
        """
        if self.problem == ProblemType.MULTI_LABEL:
            return tuple(score for score in self.scores if score.probability >= 0.5)
        return tuple(score for score in self.scores if score.label == self.winner)

    @property
    def probability(self) -> float:
        """The winner's probability, 0 without a winner."""
        return next((s.probability for s in self.scores if s.label == self.winner), 0.0)


@dataclass(frozen=True, slots=True)
class Classifications:
    """What one request to classify brought back, in the order of its texts."""

    items: tuple[Classification, ...]
    seconds: float
    complete: bool = True
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """A word for a blank, as it would stand there, with its probability.

    `rank` is its place among all entries of the vocabulary, 1 the likeliest; 0 for a word of several `pieces`, whose
    probability is the product of its pieces', each given those before it. `pieces` is 0 where the vocabulary cannot
    spell the word: it then has no probability, and 0 stands for it.
    """

    word: str
    probability: float
    rank: int
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class FilledBlank:
    """The likeliest words for one blank, best first; `asked` is the word that was asked about, None for none."""

    span: Span
    guesses: tuple[Guess, ...]
    asked: Guess | None = None


@dataclass(frozen=True, slots=True)
class FilledText:
    """What one text with blanks brought back, its blanks from left to right."""

    blanks: tuple[FilledBlank, ...]
    seconds: float
    windows: int = 1
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """Of so many masked tokens of a text, how many were named first, and how many among the first five.

    `surprise` is the sum of their negative log probabilities (natural).
    """

    masked: int
    first: int
    five: int
    surprise: float


@dataclass(frozen=True, slots=True)
class MaskedTexts:
    """What texts to mask brought back, in their order."""

    items: tuple[MaskedText, ...]
    seconds: float
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class FollowOn:
    """How likely a passage continues another one, 0 to 1, with both logits (continues, does not).

    `tokens` are the two passages' lengths as read; `cut` tells which of them was longer than the model reads: of
    the first its end is read, of the second its beginning.
    """

    probability: float
    logits: tuple[float, float]
    tokens: tuple[int, int]
    cut: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class FollowOns:
    """What pairs of passages brought back, in their order."""

    items: tuple[FollowOn, ...]
    seconds: float
    complete: bool = True
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A name found in a text: its place, its words, its type (without B- or I-).

    `probability` is the mean of its words' probabilities, each that of the tag which its word got.
    """

    span: Span
    text: str
    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Tagged:
    """One text's names in the order of the text, and all its words with their tags.

    Words that the model's tokenizer knows nothing of are left out. A partial result has the names found so far and no
    words.
    """

    entities: tuple[Entity, ...]
    words: Sequence[TaggedWord]
    windows: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TaggedTexts:
    """What texts to tag brought back, in their order; `labels` are the model's types of names."""

    items: tuple[Tagged, ...]
    labels: tuple[str, ...]
    seconds: float
    complete: bool = True
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A training run's news: a step's loss, or the dev figures where they were just measured."""

    step: int
    steps: int
    epoch: float
    loss: float
    learning_rate: float
    dev: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Training:
    """How a training run ended: the folder written, its best step and that step's dev figures."""

    folder: str
    best_step: int
    steps: int
    dev: dict[str, float]
    seconds: float
