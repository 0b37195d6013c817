"""Requests: plain, frozen values that cross threads and processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Adjustment
from app.core.text import BLANK, Document, Span


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model to use, and the device.

    `folder` is a checkpoint folder; `device` is one of auto, cpu, cuda, cuda:N, mps; `precision` is one of
    core.models.PRECISIONS; `finder` is ModelCard's. The adjustments fit both models' calibrations to the person's
    verdicts; None without one.
    """

    folder: str
    device: str = "auto"
    precision: str = "auto"
    finder: str = ""
    adjustment: Adjustment | None = None
    finder_adjustment: Adjustment | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one or several documents.

    `top_k` counts the answers listed, at least 1. `threshold` is the least probability that the text answers at all (0
    to 1) for an answer to be given: 0 gives the best span in any case, None uses the model's own. `quick` reads only
    the passages that share most words with the question; `in_order` reads the windows from the first to the last,
    instead of these passages first. If the model has a quicker reader as its finder, the finder chooses the passages of
    a long text to read, unless `every` is set, and with `quick` it alone answers. If the documents are passages found
    in longer texts, likeliest first, `passages_of` is the number of code points of these texts; else 0.
    """

    text: str
    documents: tuple[Document, ...]
    top_k: int = 5
    threshold: float | None = None
    quick: bool = False
    in_order: bool = False
    every: bool = False
    passages_of: int = 0

    def require_words(self, number: int = 0) -> None:
        """Raise SpanlightError if the question is empty or there is no document; `number` is its own in a batch."""
        if not self.text.strip():
            message = (
                Message("The question number {number} is empty.", number=number)
                if number
                else Message("The question is empty.")
            )
            raise SpanlightError(message, Message("Type what you want to know."))
        if not self.documents:
            message = (
                Message("There is no text to ask number {number}.", number=number)
                if number
                else Message("There is no text to ask.")
            )
            raise SpanlightError(message, Message("Open or paste a text first."))


@dataclass(frozen=True, slots=True)
class QuestionBatch:
    """Many short questions read together, each on its own context; the Readings are in their order.

    Each Reading is reported as a partial result `(index, Reading)` as soon as it is finished.
    """

    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class TextsToEmbed:
    """Texts to embed: texts of similar meaning get unit vectors near each other.

    The result is float32[texts, width] in their order. Only the beginning of a text longer than the window is read.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextsToClassify:
    """Texts to classify, each on its own."""

    texts: tuple[str, ...]

    def require_words(self) -> None:
        """Raise SpanlightError if there is no text, or one is blank, naming its number."""
        _require_words(self.texts, Message("There is no text to classify."))


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Many texts classified together, none of them blank; the Classifications are in their order.

    Each is reported as a partial result `(index, Classification)` as soon as it is finished.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextToFill:
    """A text with blanks to fill.

    `blanks` are the blanks' places, from left to right, not overlapping; the text there is hidden from the model.
    `asked` has for each blank a further word whose probability is wanted ("" for none), or is empty. `top_k` counts the
    words listed for each blank, at least 1.
    """

    text: str
    blanks: tuple[Span, ...]
    asked: tuple[str, ...] = ()
    top_k: int = 10

    def require_blanks(self) -> None:
        """Raise SpanlightError if there is no blank, ValueError if places and words do not fit the text."""
        if not self.blanks:
            raise SpanlightError(
                Message("There is no blank to fill in."),
                Message("Put {blank} where a word is missing.", blank=BLANK),
            )
        bounds = [bound for blank in self.blanks for bound in (blank.start, blank.end)]
        if bounds != sorted(bounds) or bounds[-1] > len(self.text):
            raise ValueError("blanks must stand in the text, from left to right")
        if self.asked and len(self.asked) != len(self.blanks):
            raise ValueError(f"{len(self.asked)} words for {len(self.blanks)} blanks")


@dataclass(frozen=True, slots=True)
class TextsToMask:
    """Texts whose tokens are masked at random at the `rate` (0 to 1), to measure how well they are predicted.

    The random generator is seeded with `seed` and the text itself, so that a text is always masked the same way.
    """

    texts: tuple[str, ...]
    rate: float = 0.15
    seed: int = 13


@dataclass(frozen=True, slots=True)
class PassagePairs:
    """Pairs of passages, to compute how likely the second one continues the first."""

    pairs: tuple[tuple[str, str], ...]

    def require_words(self) -> None:
        """Raise SpanlightError if there is no pair, or a passage is blank, naming it and its pair's number."""
        if not self.pairs:
            raise SpanlightError(
                Message("There are no passages to compare."), Message("Type or paste two first.")
            )
        for number, pair in enumerate(self.pairs, start=1):
            is_empty = [not passage.strip() for passage in pair]
            if any(is_empty):
                first, second = _empty_passages(number, len(self.pairs))
                raise SpanlightError(
                    first if is_empty[0] else second, Message("Type or paste something there.")
                )


class PieceAggregation(StrEnum):
    """Which of its pieces gives a word its tag: the first one, their mean, or the most certain one."""

    FIRST = "first"
    AVERAGE = "average"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class TextsToTag:
    """Texts in which names (entities) are to be found."""

    texts: tuple[str, ...]
    aggregation: PieceAggregation = PieceAggregation.FIRST

    def require_words(self) -> None:
        """Raise SpanlightError if there is no text, or one is blank, naming its number."""
        _require_words(self.texts, Message("There is no text to look for names in."))


@dataclass(frozen=True, slots=True)
class DevReading:
    """The result of reading one dev question, whose answer is known.

    `scores` are the margins (`Answer.rank`) of the best spans, best first, empty if no span was found; `own` are those
    of the spans with the best one's words. `answerable` is whether the text answers, `right` whether the best span is a
    correct answer, `in_table` whether it is in a table.
    """

    windows: int
    answerable: bool
    scores: tuple[float, ...]
    own: tuple[float, ...]
    right: bool
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class CalibrationData:
    """Readings of dev data to fit a question answering model's QaCalibration on; at least one."""

    readings: tuple[DevReading, ...]


@dataclass(frozen=True, slots=True)
class ClassReading:
    """The result of classifying one text of known class: its class probabilities, and the known class's index."""

    probabilities: tuple[float, ...]
    target: int


@dataclass(frozen=True, slots=True)
class ClassCalibrationData:
    """Readings of dev data to fit the temperature of a head over several classes on; at least one."""

    readings: tuple[ClassReading, ...]


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """A training run: what to train, on which data, and the output folder.

    `task` is `qa`, `classification`, `tokens` or `pretraining`. `base` is the checkpoint folder to start from.
    `examples` and `dev` are files of rows (JSON Lines, optionally xz, or SQuAD JSON for qa, or plain text for
    pretraining); the rows of a file given as `PATH*WEIGHT` are drawn WEIGHT times an epoch. `learning_rate` is the peak
    after the warm-up, `warm_up` a share of all steps. `teacher` is the folder of a model to distil from as well (qa
    only), empty for none; `options` are numbers that only some tasks take.
    """

    task: str
    base: str
    examples: tuple[str, ...]
    dev: tuple[str, ...]
    output: str
    epochs: float = 2.0
    learning_rate: float = 1e-4
    batch_size: int = 32
    max_length: int = 384
    warm_up: float = 0.06
    weight_decay: float = 0.01
    dropout: float = 0.1
    seed: int = 13
    evaluate_every: int = 1000
    device: str = "auto"
    options: dict[str, float] = field(default_factory=dict)
    teacher: str = ""


@dataclass(frozen=True, slots=True)
class HeadToTeach:
    """Texts with their labels, to teach the encoder in the folder `base` to classify.

    `targets` are each text's indices into `labels`. The texts whose indices are in `held` are held out: not learnt
    from, but classified by the head taught with the others. The model is written to `output`, unless that is empty.
    With `multi` labels do not exclude each other. `steps` is 0 for a number that depends on the number of texts.
    """

    texts: tuple[str, ...]
    targets: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    base: str
    output: str = ""
    multi: bool = False
    held: tuple[int, ...] = ()
    steps: int = 0
    seed: int = 13
    device: str = "auto"


def _empty_passages(number: int, pairs: int) -> tuple[str, str]:
    """Return the sentences for an empty first and for an empty second passage of pair `number` of `pairs`."""
    if pairs == 1:
        return Message("The first passage is empty."), Message("The second passage is empty.")
    return (
        Message("The first passage of pair {number} of {pairs} is empty.", number=number, pairs=pairs),
        Message("The second passage of pair {number} of {pairs} is empty.", number=number, pairs=pairs),
    )


def _require_words(texts: tuple[str, ...], if_none: str) -> None:
    if not texts:
        raise SpanlightError(if_none, Message("Type or paste one first."))
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            message = (
                Message("The text is empty.")
                if len(texts) == 1
                else Message("Text {number} of {texts} is empty.", number=number, texts=len(texts))
            )
            raise SpanlightError(message, Message("Type something, or leave it out."))
