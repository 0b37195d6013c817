"""Measures a reader on questions with known answers."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.models import SHARED_AMONG, Head, QaCalibration
from app.core.reliability import Reliability, TextKind, calibration_error, reliability_of, text_kind
from app.core.report import Report
from app.core.requests import CalibrationData, DevReading, ModelChoice, Question
from app.core.results import UNREAD, Reading
from app.core.rows import without_surrogates
from app.core.text import Document, words_key
from app.flows.ask.batch import read_questions
from app.flows.ask.question import with_view
from app.flows.batches import GroupReport
from app.flows.measure.plan import Plan, by_source, figures_by_name, per_cent, sample
from app.flows.models.installed import measured_on, update_notes
from app.flows.teach.calibration import own_verdicts, set_followed
from app.flows.workspace import Workspace
from app.training.examples import QaExample, read_qa
from app.training.metrics import best_threshold, exact_match, f1

# The least F1 with which people accept a span as the answer.
_LEAST_RIGHT_F1 = 0.5


@dataclass(frozen=True, slots=True)
class QaFigures:
    """Figures on a set of questions, in per cent (SQuAD 2.0, Rajpurkar et al. 2018, section 5).

    `exact` and `f1` are those of the reader's answers, and count "no answer in the text" as an answer. `forced_exact`
    and `forced_f1` are those of its best span on answerable questions. `no_answer_right` is the share of unanswerable
    questions that it leaves unanswered. `best_f1` is the f1 with the best threshold for this set, `best_threshold`.
    `calibration_error` is the mean difference, over ten bins, between the best span's probability and the share of such
    spans that are right (Guo et al. 2017, equation 3). A figure without questions is None.
    """

    questions: int
    answerable: int
    exact: float
    f1: float
    answerable_exact: float | None
    answerable_f1: float | None
    no_answer_right: float | None
    forced_exact: float | None
    forced_f1: float | None
    best_f1: float
    best_threshold: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class QaMeasured:
    """Figures with each paragraph among `join` others: overall, and by the questions' source."""

    join: int
    overall: QaFigures
    by_source: dict[str, QaFigures]
    windows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class QaEvaluation:
    """All figures, with the model and the device; `calibration` is the fitted one, if any.

    `reliability` is that of the probabilities before a fit; a span with a word F1 of at least 0.5 is right.
    """

    model: str
    device: str
    measured: tuple[QaMeasured, ...]
    calibration: QaCalibration | None = None
    reliability: Reliability = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QaOutcome:
    """A question's reading, scored against its known answers.

    `chance` is the probability that the text has an answer, `probability` that of the best span; `answered` is whether
    that span is given as the answer. `exact` and `f1`, 0 to 1, are those of the best span, 0 for an unanswerable
    question. `windows` of the text's `windows_whole` were read.
    """

    example: QaExample
    chance: float
    probability: float
    answered: bool
    exact: float
    f1: float
    windows: int
    scores: tuple[float, ...] = ()
    own: tuple[float, ...] = ()
    windows_whole: int = 0
    in_table: bool = False

    @property
    def answerable(self) -> bool:
        """Whether the text has an answer."""
        return bool(self.example.answers)

    @property
    def right(self) -> bool:
        """Whether the answer is exactly right or, for an unanswerable question, missing."""
        return self.given(self.exact) == 1.0

    def given(self, value: float) -> float:
        """The score of the reader's answer if its best span scores `value`; 1 if it rightly gives none."""
        return value * self.answered if self.answerable else float(not self.answered)


def evaluate_qa(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> QaEvaluation:
    """Ask every question, and score the answers against the known ones.

    The reliability is recorded too, unless a calibration is fitted, which changes it. A fitted calibration is not
    adjusted to the person's verdicts, which were on the old one. Raises SpanlightError for files that do not fit,
    Stopped when cancelled.
    """
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, adjusted=False)
    files = [read_qa(path) for path in plan.files]
    chosen = [sample(examples, plan.limit, plan.seed) for examples in files]
    whole = GroupReport(report, len(plan.join) * sum(map(len, chosen)), "questions")
    measured = []
    readings: list[DevReading] = []
    spans: list[tuple[TextKind, float, bool]] = []
    title = where = ""
    for join in plan.join:
        began = whole.seconds
        outcomes, last = ask_known(workspace, _questions(files, chosen, join, plan), choice, whole)
        title, where = last.model or title, last.device or where
        measured.append(_measure(join, outcomes, whole.seconds - began))
        readings += [dev_reading(outcome) for outcome in outcomes]
        for outcome in outcomes:
            kind = text_kind(outcome.windows, is_table=outcome.example.is_table and not join)
            spans.append((kind, outcome.probability, outcome.f1 >= _LEAST_RIGHT_F1))
    calibration = None
    if plan.fit:
        calibration = workspace.engine.run(CalibrationData(tuple(readings)), choice, report)
    evaluation = QaEvaluation(title, where, tuple(measured), calibration, reliability_of(spans))
    if plan.fit or plan.record:
        card = workspace.find_model(Head.QUESTION_ANSWERING, model)
        update_notes(
            card,
            calibration=calibration,
            measured=_figures_by_data(plan, evaluation) if plan.record else None,
            reliability=evaluation.reliability if plan.record and not plan.fit else None,
        )
        if plan.fit and own_verdicts(workspace, card, report) is not None:
            set_followed(workspace, card, False, report)
            report.notice(
                f"{card.name} is no longer adjusted to your verdicts: they were on its old calibration."
            )
    return evaluation


def ask_known(
    workspace: Workspace,
    questions: Iterable[tuple[QaExample, Question]],
    choice: ModelChoice,
    whole: GroupReport,
) -> tuple[list[QaOutcome], Reading]:
    """Ask questions with known answers; returns their outcomes in order, and the last reading (`UNREAD` if none)."""
    found: list[QaOutcome] = []
    last = UNREAD

    def take(known: tuple[QaExample, Question], reading: Reading) -> None:
        nonlocal last
        found.append(_score(*known, reading))
        last = reading

    read_questions(workspace, questions, choice, whole, take)
    return found, last


def _questions(
    files: Sequence[Sequence[QaExample]], chosen: Sequence[Sequence[QaExample]], join: int, plan: Plan
) -> Iterator[tuple[QaExample, Question]]:
    top_k = SHARED_AMONG if plan.fit else 1
    for examples, some in zip(files, chosen, strict=True):
        paragraphs = list(dict.fromkeys(example.context for example in examples))
        place = {paragraph: index for index, paragraph in enumerate(paragraphs)}
        for example in some:
            text = example.context
            if join:
                text = join_paragraphs(paragraphs, place[text], join, f"{plan.seed} {join} {example.id}")
            yield example, question_on(example, text, top_k)


def join_paragraphs(paragraphs: Sequence[str], own: int, others: int, seed: str) -> str:
    """Join paragraph `own` and `others` other paragraphs into one text, separated by empty lines.

    The others, their order and the position of `own` are random, but determined by the seed; if there are fewer others,
    all are taken.
    """
    rng = random.Random(seed)
    places = [index for index in range(len(paragraphs)) if index != own]
    chosen = rng.sample(places, min(others, len(places)))
    chosen.insert(rng.randint(0, len(chosen)), own)
    return "\n\n".join(paragraphs[index] for index in chosen)


def question_on(example: QaExample, text: str = "", top_k: int = 1) -> Question:
    """The example's question about a text, by default its own context, with the view that the window reads it with."""
    words, on = map(without_surrogates, (example.question, text or example.context))
    view = example.view if on == example.context else None
    return Question(words, (with_view(Document(on, view=view)),), top_k)


def _score(example: QaExample, question: Question, reading: Reading) -> QaOutcome:
    first = reading.answers[0] if reading.answers else None
    text = first.text if first else ""
    answers = [answer for answer, _ in example.answers]
    return QaOutcome(
        example=example,
        chance=1.0 - reading.no_answer_probability,
        probability=first.probability if first else 0.0,
        answered=reading.best is not None,
        exact=float(exact_match(text, answers)) if answers else 0.0,
        f1=f1(text, answers) if answers else 0.0,
        windows=reading.windows,
        scores=tuple(answer.rank for answer in reading.answers),
        own=tuple(each.rank for each in reading.answers if words_key(each.text) == words_key(text)),
        windows_whole=reading.windows_whole or reading.windows,
        in_table=first is not None and question.documents[first.document].in_table(first.span),
    )


def dev_reading(outcome: QaOutcome) -> DevReading:
    """The data to fit a calibration on, from the outcome of a question for `SHARED_AMONG` spans."""
    return DevReading(
        windows=outcome.windows_whole,
        answerable=outcome.answerable,
        scores=outcome.scores,
        own=outcome.own,
        right=outcome.f1 >= _LEAST_RIGHT_F1,
        in_table=outcome.in_table,
    )


def _measure(join: int, outcomes: list[QaOutcome], seconds: float) -> QaMeasured:
    if not outcomes:
        raise SpanlightError("There is no question in the file.", "Give a file with questions.")
    return QaMeasured(
        join=join,
        overall=qa_figures(outcomes),
        by_source=by_source(
            [each.example for each in outcomes], lambda places: qa_figures([outcomes[at] for at in places])
        ),
        windows=sum(outcome.windows for outcome in outcomes),
        seconds=seconds,
    )


def qa_figures(outcomes: Sequence[QaOutcome]) -> QaFigures:
    """Compute the figures of at least one outcome."""
    answerable = [each for each in outcomes if each.answerable]
    unanswerable = [each for each in outcomes if not each.answerable]

    threshold, best = best_threshold(
        [each.chance for each in outcomes],
        [each.f1 for each in outcomes],
        [not each.answerable for each in outcomes],
    )
    return QaFigures(
        questions=len(outcomes),
        answerable=len(answerable),
        exact=per_cent([each.given(each.exact) for each in outcomes]) or 0.0,
        f1=per_cent([each.given(each.f1) for each in outcomes]) or 0.0,
        answerable_exact=per_cent([each.given(each.exact) for each in answerable]),
        answerable_f1=per_cent([each.given(each.f1) for each in answerable]),
        no_answer_right=per_cent([each.given(0.0) for each in unanswerable]),
        forced_exact=per_cent([each.exact for each in answerable]),
        forced_f1=per_cent([each.f1 for each in answerable]),
        best_f1=100.0 * best,
        best_threshold=min(threshold, 1.0),
        calibration_error=100.0
        * calibration_error((each.probability, each.f1 >= _LEAST_RIGHT_F1) for each in outcomes),
    )


def _figures_by_data(plan: Plan, evaluation: QaEvaluation) -> dict[str, dict[str, float]]:
    name = measured_on(plan.files)
    return {
        f"{name}, among {each.join} others" if each.join else name: qa_figures_by_name(each.overall)
        for each in evaluation.measured
    }


def qa_figures_by_name(figures: QaFigures) -> dict[str, float]:
    """The figures that are saved, by name, to two decimals; those without questions are left out."""
    return figures_by_name(
        figures, 2, "answerable", "answerable_exact", "forced_exact", "best_f1", "best_threshold"
    )
