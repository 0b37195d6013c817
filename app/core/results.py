"""Results: plain, frozen values that cross threads and processes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import eq
from typing import Any, Generic, Protocol, TypeVar, overload

from app.core.models import ProblemType
from app.core.report import Progress
from app.core.text import Span, words_key


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of a text and the tag that the model gave it, spelled as in its labels (B-PER, O)."""

    span: Span
    tag: str
    probability: float


class TaggedWords(Sequence[TaggedWord]):
    """Words in text order, stored in arrays and created on access.

    `starts`, `ends` (code points), `tags` (indices into `labels`) and `probabilities` have one entry for each word.
    """

    __slots__ = ("_ends", "_labels", "_probabilities", "_starts", "_tags")

    def __init__(
        self,
        labels: Sequence[str],
        starts: Iterable[int],
        ends: Iterable[int],
        tags: Iterable[int],
        probabilities: Iterable[float],
    ) -> None:
        self._labels = tuple(labels)
        self._starts, self._ends, self._tags = array("i", starts), array("i", ends), array("i", tags)
        self._probabilities = array("d", probabilities)

    def columns(self) -> dict[str, list[Any]]:
        """Return the constructor's arguments as plain lists."""
        return {
            "labels": list(self._labels),
            "starts": self._starts.tolist(),
            "ends": self._ends.tolist(),
            "tags": self._tags.tolist(),
            "probabilities": self._probabilities.tolist(),
        }

    def __len__(self) -> int:
        return len(self._probabilities)

    @overload
    def __getitem__(self, at: int) -> TaggedWord: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[TaggedWord, ...]: ...
    def __getitem__(self, at: int | slice) -> TaggedWord | tuple[TaggedWord, ...]:
        if isinstance(at, slice):
            return tuple(self._at(each) for each in range(*at.indices(len(self))))
        return self._at(at)

    def __iter__(self) -> Iterator[TaggedWord]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as any sequence that can be equal to a list

    def _at(self, at: int) -> TaggedWord:
        return TaggedWord(
            Span(self._starts[at], self._ends[at]), self._labels[self._tags[at]], self._probabilities[at]
        )


HEAT_BINS = 256
# Less likely words are given as the answer only if the threshold is 0.
LEAST_GIVEN = 0.15


class Outcome(StrEnum):
    """The outcome of a question: an answer, words of low confidence, or no answer in the text."""

    ANSWER = "answer"
    LOW_CONFIDENCE = "low-confidence"
    ABSENT = "absent"


class Likely(Protocol):
    """Anything with a probability of being right, 0 to 1."""

    @property
    def probability(self) -> float:
        """The probability of being right."""
        ...


FoundT = TypeVar("FoundT", bound=Likely)


class QuestionResult(Generic[FoundT]):
    """What Reading and the history's Entry have in common: properties that follow from these fields of both."""

    __slots__ = ()

    answers: tuple[FoundT, ...]
    answered: bool
    no_answer_probability: float
    threshold: float
    windows: int
    windows_total: int
    complete: bool
    absent: float

    @property
    def outcome(self) -> Outcome:
        """The outcome of the question.

        The best span is the answer if the text counts as answering and its probability is at least `LEAST_GIVEN`, or
        `threshold` is 0. Else it is shown with low confidence if the text counts as answering, or answers with a
        probability of at least `absent`.
        """
        if not self.answers:
            return Outcome.ABSENT
        if self.answered and (self.answers[0].probability >= LEAST_GIVEN or not self.threshold):
            return Outcome.ANSWER
        may_answer = self.answered or 1.0 - self.no_answer_probability >= self.absent
        return Outcome.LOW_CONFIDENCE if may_answer else Outcome.ABSENT

    @property
    def best(self) -> FoundT | None:
        """The answer, None if there is none."""
        return self.answers[0] if self.outcome is Outcome.ANSWER else None

    @property
    def shown(self) -> FoundT | None:
        """The answer, or the words of low confidence; None if the text does not answer."""
        return self.answers[0] if self.outcome is not Outcome.ABSENT else None

    @property
    def share_read(self) -> float | None:
        """The share of the planned reading that was done, 0 to 1; None if unknown."""
        return 1.0 if self.complete else _share(self.windows, self.windows_total)


def _share(windows: int, total: int) -> float | None:
    return min(1.0, windows / total) if total else None


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of a document that answers the question.

    `document` is the index into `Question.documents`; `text` is exactly `document.text[start:end]`; `probability` is
    calibrated, 0 to 1; `score` is start + end logits; `null_score` is [CLS]'s start + end logits in the window that the
    span was scored in; `lexical` is what the question's words add for the span's passage in a long text, and
    for its row in a table, in logits, mostly 0 or less. Answers are ranked by `score` + `lexical` - `null_score`.
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
        """The value that answers are ranked by, in logits."""
        return self.score + self.lexical - self.null_score


def best_places(answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers, best first, without those that have the words of a better one."""
    found: dict[str, Answer] = {}
    for answer in answers:
        found.setdefault(words_key(answer.text), answer)
    return [*found.values()]


@dataclass(frozen=True, slots=True)
class Reading(QuestionResult[Answer]):
    """The result of one question.

    `answers` are the best spans, best first, also when the text does not answer (they are then below the threshold).
    `answered` is whether the text counts as answering; `outcome` whether the first of them is given as the answer.
    The probability of the best place of certain words includes that of their other places.
    `no_answer_probability` is the calibrated probability that the text does not answer; if its complement is below
    `absent`, no words are shown. `seconds` is the time spent reading; `windows` were read of `windows_total`, which is
    an estimate while `complete` is False (a partial result). `quick` is whether only the best passages were to be read,
    which then counts as complete; `finder` names the quicker reader that chose them. `heat` is where answers were
    found: for each document, the evidence in each of `HEAT_BINS` equal parts of its code points, from 0 to the
    probability that the text answers, which is the value of the best answer's part. `windows_whole` is the number of
    windows of the whole text, an estimate if not all were read; 0 if unknown. `own_threshold` is the reader's, if it is
    judged by another; else 0. `read_as` is the question as it was read where slips in it were corrected; else empty.
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
    own_threshold: float = 0.0
    read_as: str = ""

    @property
    def judged_whole(self) -> bool:
        """Whether the outcome holds for the whole text: all was read, or a quicker reader chose what to read."""
        return self.complete and (not self.quick or self.finder not in ("", self.model))

    @property
    def share_of_text(self) -> float | None:
        """The share of the text that was read, 0 to 1, also for a quick reading; None if unknown."""
        if self.finder and not self.complete:
            return None  # both readers' windows are counted, and most of them are the same
        return _share(self.windows, self.windows_whole) if self.quick else self.share_read

    def stopped(self, at: Progress | None, seconds: float) -> Reading:
        """Return this partial result as the final one of a reading stopped after `seconds`, with progress `at`.

        The progress may be older than this result; with two readers it counts the windows of both.
        """
        if at is None or not at.total or (at.done <= self.windows and not self.finder):
            return replace(self, seconds=seconds)
        return replace(self, seconds=seconds, windows=max(at.done, self.windows), windows_total=at.total)


# The result where there is nothing to read, or nothing is asked.
UNREAD = Reading((), False, 1.0, 1.0, 0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class ClassScore:
    """A class and its probability (of a regression head: its value)."""

    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Classification:
    """One text's classes.

    `scores` are in the order of the model's labels; `winner` is the likeliest label, empty for a
    multi-label head if none reaches one half and for a regression head; `windows` is the number of
    windows of the model over which the text was pooled.
    """

    scores: tuple[ClassScore, ...]
    winner: str
    windows: int
    tokens: int
    problem: str = "single_label_classification"

    @property
    def fitting(self) -> tuple[ClassScore, ...]:
        """The classes that apply, in label order: the winner, or all that reach one half of a multi-label head.

        A regression head has none.
        """
        if self.problem == ProblemType.MULTI_LABEL:
            return tuple(score for score in self.scores if score.probability >= 0.5)
        return tuple(score for score in self.scores if score.label == self.winner)

    @property
    def probability(self) -> float:
        """The winner's probability; 0 without a winner."""
        return next((s.probability for s in self.scores if s.label == self.winner), 0.0)


@dataclass(frozen=True, slots=True)
class Classifications:
    """The results of one classification request, in the order of its texts."""

    items: tuple[Classification, ...]
    seconds: float
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """A word for a blank, as it would be spelled there, with its probability.

    `rank` is its rank among all entries of the vocabulary, 1 being the likeliest; 0 for a word of several `pieces`,
    whose probability is the product of its pieces' probabilities, each given the pieces before it. `pieces` is 0 if the
    vocabulary cannot spell the word; its probability is then 0.
    """

    word: str
    probability: float
    rank: int
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class FilledBlank:
    """The likeliest words for one blank, best first; `asked` is the requested word, None for none."""

    span: Span
    guesses: tuple[Guess, ...]
    asked: Guess | None = None


@dataclass(frozen=True, slots=True)
class FilledText:
    """The result of one text with blanks, its blanks from left to right."""

    blanks: tuple[FilledBlank, ...]
    seconds: float
    windows: int = 1
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """How well a text's masked tokens were predicted.

    `masked` counts them, `first` those predicted as the likeliest token, `five` those among the five likeliest;
    `surprise` is the sum of their negative natural log probabilities.
    """

    masked: int
    first: int
    five: int
    surprise: float


@dataclass(frozen=True, slots=True)
class MaskedTexts:
    """The results of texts to mask, in their order."""

    items: tuple[MaskedText, ...]
    seconds: float
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class FollowOn:
    """How likely one passage continues another, 0 to 1, with both logits (continues, does not).

    `tokens` are the two passages' lengths as read; `cut` is whether each was longer than the window: only the end of
    the first and the beginning of the second are read then.
    """

    probability: float
    logits: tuple[float, float]
    tokens: tuple[int, int]
    cut: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class FollowOns:
    """The results of pairs of passages, in their order."""

    items: tuple[FollowOn, ...]
    seconds: float
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A name found in a text: its span, its words, its type (without B- or I-).

    `probability` is the mean probability of its words' tags.
    """

    span: Span
    text: str
    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Tagged:
    """One text's names in the order of the text, and all its words with their tags.

    Words without tokens are left out. A partial result has the names found so far and no words.
    """

    entities: tuple[Entity, ...]
    words: Sequence[TaggedWord] = ()
    windows: int = 0


@dataclass(frozen=True, slots=True)
class TaggedTexts:
    """The results of texts to tag, in their order; `labels` are the model's types of names."""

    items: tuple[Tagged, ...]
    labels: tuple[str, ...]
    seconds: float
    complete: bool = True
    model: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A training run's progress: a step's loss, or the dev figures if they were just measured."""

    step: int
    steps: int
    epoch: float
    loss: float
    learning_rate: float
    dev: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaughtHead:
    """The result of teaching a head: its folder, and the held-out texts' label probabilities."""

    folder: str
    held: tuple[tuple[float, ...], ...]
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Training:
    """The result of a training run: the output folder, its best step and that step's dev figures."""

    folder: str
    best_step: int
    steps: int
    dev: dict[str, float]
    seconds: float
