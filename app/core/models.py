"""Models: heads, labels, calibration and measured quality, the devices they run on, and the memory they take."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.core.legible import legible
from app.core.message import Message
from app.core.reliability import Reliability


class Head(StrEnum):
    """A head that a checkpoint can have."""

    QUESTION_ANSWERING = "question-answering"
    CLASSIFICATION = "classification"
    MASKED_WORDS = "fill-mask"
    NEXT_SENTENCE = "next-sentence"
    TOKEN_CLASSIFICATION = "token-classification"
    EMBEDDINGS = "sentence-embeddings"


# Heads whose results people see and can inspect; the other one serves Spanlight's own search.
SHOWN_HEADS = tuple(head for head in Head if head is not Head.EMBEDDINGS)

# What a head does in plain words, and the field's own term.
HEAD_WORDS: dict[Head, tuple[str, str]] = {
    Head.QUESTION_ANSWERING: (Message("Answers a question from a text"), Message("question answering")),
    Head.CLASSIFICATION: (Message("Tells which class a text is of"), Message("sequence classification")),
    Head.MASKED_WORDS: (Message("Fills in hidden words"), Message("masked language model")),
    Head.NEXT_SENTENCE: (
        Message("Tells whether a text follows another"),
        Message("next sentence prediction"),
    ),
    Head.TOKEN_CLASSIFICATION: (Message("Finds names"), Message("token classification")),
    Head.EMBEDDINGS: (Message("Finds passages by meaning"), Message("sentence embeddings")),
}


_FAMILIES = {
    "bert": "BERT", "distilbert": "DistilBERT", "roberta": "RoBERTa", "xlm-roberta": "XLM-RoBERTa",
    "mpnet": "MPNet", "electra": "ELECTRA", "albert": "ALBERT", "mobilebert": "MobileBERT", "deberta": "DeBERTa",
    "deberta-v2": "DeBERTa-v2",
}  # fmt: skip


def family_title(family: str) -> str:
    """Return a family's name as its authors write it: "BERT" for the config's "bert"; an unknown one unchanged."""
    return _FAMILIES.get(family) or legible(family)


# The bundled models, by folder name.
_TITLES = {
    "reader-careful": "Spanlight reader", "reader-quick": "Spanlight quick reader",
    "starter-sentiment": "Spanlight sentiment", "starter-entities": "Spanlight names",
    "starter-pretraining": "Spanlight words", "encoder": "MiniLM encoder",
}  # fmt: skip


def model_title(name: str) -> str:
    """Return a model's name for people: "Spanlight reader" for `reader-careful`; others keep their own name."""
    return _TITLES.get(name) or legible(name)


class ProblemType(StrEnum):
    """How a classification head's logits become probabilities, as in its config."""

    SINGLE_LABEL = "single_label_classification"
    MULTI_LABEL = "multi_label_classification"
    REGRESSION = "regression"


# The probability that a text answers is distributed over this many best spans, however many of them are listed.
SHARED_AMONG = 20
# Probabilities closer to 0 or 1 than this are treated as this close.
_LEAST_PROBABILITY = 1e-9
# The values of any fit lie far inside these limits; outside them probabilities overflow.
TEMPERATURES, MOST_OFFSET = (1e-3, 1e3), 1e6
# A text that more likely answers than not never counts as not answering.
MOST_ABSENT = 0.5
# In English text, with the tokenizers of BERT's families.
TOKENS_PER_CHARACTER = 0.23


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How a reader's calibration is changed to fit a person's verdicts.

    The log odds that the text answers are multiplied by `slope`, then `bias` is added; `sharing` multiplies the answer
    temperatures, and `threshold` replaces the calibration's own.
    """

    slope: float = 1.0
    bias: float = 0.0
    sharing: float = 1.0
    threshold: float = 0.5

    @property
    def is_sound(self) -> bool:
        """Whether all values are in the range that a fit gives."""
        factors = is_temperature(self.slope) and is_temperature(self.sharing)
        return factors and abs(self.bias) <= MOST_OFFSET and 0 < self.threshold < 1

    def undo(self, chance: float, share: float) -> tuple[float, float]:
        """Return the chance that the text answers, and the best span's share of it, as they were before the adjustment.

        The other spans' scores are unknown; exp(`log_rivals`) equal spans stand for them.
        """
        rivals = log_rivals(self.sharing)
        shared = (log_odds(share) + rivals) * self.sharing - rivals
        return _sigmoid((log_odds(chance) - self.bias) / self.slope), _sigmoid(shared)


def is_temperature(value: float) -> bool:
    """Whether logits can be divided by a value."""
    return TEMPERATURES[0] <= value <= TEMPERATURES[1]


def log_rivals(sharing: float) -> float:
    """Return ln of the number of equal rivals beside which the best span's share changes as beside the real ones.

    The change is that of multiplying the temperature by `sharing`. Fitted on 850 questions: the best span's share is
    off by 3 points (RMS) for a factor of 1.5 to 3, and by 8 for one half.
    """
    return 1.75 + 0.75 * math.log(sharing)


def log_odds(probability: float) -> float:
    """Return ln(p / (1 - p)), finite also for a probability of 0 or 1."""
    p = min(1.0 - _LEAST_PROBABILITY, max(_LEAST_PROBABILITY, probability))
    return math.log(p / (1.0 - p))


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700.0 else 0.0


@dataclass(frozen=True, slots=True)
class QaCalibration:
    """How start and end logits become one probability; fitted on dev data and stored with the model.

    With `margin` the best span's `Answer.rank` (start + end logits, in a long text less what the place lacks in BM25,
    less the null score of its own window) and n the number of the text's windows, the probability that the text answers
    the question is sigmoid((margin - offset - per_log_window * ln n - long - table) / temperature), `long` only if n is
    more than 1, `table` only if the span is in one. The softmax that distributes this probability over the
    `SHARED_AMONG` best spans divides their margins by `answer_temperature`; spans with the same words count together,
    and the log odds of the best words' share rise by share + share_long + share_table, these two as `long` and `table`;
    these and `answer_temperature` are fitted on questions that their texts answer.
    An answer is given if the probability that the text answers reaches `threshold`, or `paragraph_threshold` for a span
    outside tables in a text of one window (0: the same). Below `absent` the text counts as not answering; in between,
    the best span is shown with low confidence. An `absent` of 0 was never fitted.
    """

    temperature: float = 1.0
    offset: float = 0.0
    per_log_window: float = 0.0
    answer_temperature: float = 1.0
    threshold: float = 0.5
    absent: float = 0.0
    long: float = 0.0
    table: float = 0.0
    share: float = 0.0
    share_long: float = 0.0
    share_table: float = 0.0
    paragraph_threshold: float = 0.0

    @property
    def is_sound(self) -> bool:
        """Whether all values are in the range that a fit gives."""
        margins = self.offset, self.per_log_window, self.long, self.table
        offsets = *margins, self.share, self.share_long, self.share_table
        return (
            all(map(is_temperature, (self.temperature, self.answer_temperature)))
            and all(abs(offset) <= MOST_OFFSET for offset in offsets)
            and all(0 <= limit <= 1 for limit in (self.threshold, self.absent, self.paragraph_threshold))
        )

    def threshold_for(self, windows: int, in_table: bool) -> float:
        """Return the threshold for a span, in a table or not, of a text of this many windows."""
        is_paragraph = windows < 2 and not in_table
        return (self.paragraph_threshold if is_paragraph else 0.0) or self.threshold

    def share_log_odds(self, windows: int, in_table: bool) -> float:
        """Return by how much the log odds of the best words' share rise in a text of this many windows."""
        return self.share + self.share_long * (windows > 1) + self.share_table * in_table

    def adjusted(self, adjustment: Adjustment | None) -> QaCalibration:
        """Return the calibration changed by an adjustment, if there is one; all limits move with the threshold."""
        if adjustment is None:
            return self
        temperature = self.temperature / adjustment.slope

        def moved(limit: float) -> float:
            apart = adjustment.slope * (log_odds(limit) - log_odds(self.threshold))
            return _sigmoid(log_odds(adjustment.threshold) + apart) if limit else 0.0

        return replace(
            self,
            temperature=temperature,
            offset=self.offset - adjustment.bias * temperature,
            answer_temperature=self.answer_temperature * adjustment.sharing,
            share=self.share / adjustment.sharing,
            share_long=self.share_long / adjustment.sharing,
            share_table=self.share_table / adjustment.sharing,
            threshold=adjustment.threshold,
            absent=moved(self.absent),
            paragraph_threshold=moved(self.paragraph_threshold),
        )

    @property
    def absent_below(self) -> float:
        """`absent`, or a third of the threshold if it was not fitted; at most `MOST_ABSENT`."""
        return min(MOST_ABSENT, self.absent or self.threshold / 3)


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description of a checkpoint folder, read from its config and weights' headers without loading them.

    `labels` are the classes of a text or of a token in order of their index (empty without such a head);
    `max_length` is the longest input in tokens, special tokens included; `width` is the hidden size, `parameters` the
    number of weights, `size` the bytes on disk; `measured` maps a data set's name to its figures; `reliability` is that
    of the calibrated probabilities, for the kinds of text that were measured; `languages` are ISO 639 codes; `source`
    is a Source of core.offers, empty for a folder without an origin file, `repository` its name on the Hub; `finder` is
    the folder of a quicker reader that finds the passages of a long text for it to read, empty if there is none.
    """

    name: str
    folder: str
    family: str
    heads: tuple[Head, ...]
    labels: tuple[str, ...] = ()
    problem: ProblemType = ProblemType.SINGLE_LABEL
    max_length: int = 512
    window: int = 384
    stride: int = 128
    width: int = 0
    parameters: int = 0
    size: int = 0
    dtype: str = "float32"
    calibration: QaCalibration = field(default_factory=QaCalibration)
    class_temperature: float = 1.0
    measured: dict[str, dict[str, float]] = field(default_factory=dict)
    reliability: Reliability = field(default_factory=dict)
    description: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    source: str = ""
    repository: str = ""
    finder: str = ""

    @property
    def title(self) -> str:
        """The model's name for people."""
        return model_title(self.name)


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """Where a model runs, in which dtype, and a short reason for the user."""

    device: str
    dtype: str
    reason: str

    @property
    def title(self) -> str:
        """The device's name for the user: CPU, GPU or Apple GPU."""
        return {"cuda": Message("GPU"), "mps": Message("Apple GPU")}.get(
            self.device.split(":")[0], Message("CPU")
        )


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that the model process has loaded, and where it runs."""

    card: ModelCard
    device: DeviceChoice


# The dtypes that the user can choose from; `auto` is the device's fastest.
PRECISIONS = ("auto", "float32", "bfloat16", "float16")
PRECISION_WORDS = {
    "float32": Message("32 bits"),
    "bfloat16": Message("16 bits (bfloat16)"),
    "float16": Message("16 bits (float16)"),
}


@dataclass(frozen=True, slots=True)
class DeviceOption:
    """A device: its key (cpu, cuda:0, mps ...), its name, whether models can run on it, and why or why not.

    `memory` and `free` are bytes, 0 if unknown; `precisions` are the dtypes it computes in.
    """

    key: str
    title: str
    usable: bool
    reason: str
    memory: int = 0
    free: int = 0
    precisions: tuple[str, ...] = ("float32",)


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices, the choice of `auto` with its reason, and the version of PyTorch."""

    options: tuple[DeviceOption, ...]
    auto: DeviceChoice
    torch: str


@dataclass(frozen=True, slots=True)
class HeldModel:
    """A model in memory: its name, head, device, dtype, and the bytes of its weights there."""

    name: str
    head: Head
    device: str
    dtype: str
    size: int
    opened: bool = False


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory in bytes: `process` is resident in the model process, `computer` and `free` are the computer's.

    `held` are the loaded models; `gpu` and `gpu_free` are the chosen GPU's total and free bytes, 0 without one.
    """

    held: tuple[HeldModel, ...]
    process: int
    computer: int
    free: int
    gpu: int = 0
    gpu_free: int = 0
