"""Ask questions with known answers on whole documents, as the window does, and score the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.reliability import calibration_error
from app.core.report import Progress, Report, Stopped
from app.core.requests import Question
from app.core.results import Reading
from app.core.text import Document, Span
from app.flows.groups import GroupReport
from app.flows.models.installed import measured_on, update_notes
from app.flows.rows import LONE_SURROGATE, dumps, refuse_same_file, refuse_unwritable
from app.flows.workspace import Workspace
from app.settings.files import write_atomic
from app.training.metrics import normalise_answer, words_f1

NONE = "none"  # the kind of a question that its document does not answer


@dataclass(frozen=True, slots=True)
class DocumentQaPlan:
    """What to measure on: a file of questions, and how many of them (0 for all).

    `predictions` is the file for the answers, a row for each question; `record` saves the figures with the model.
    """

    questions: Path
    limit: int = 0
    seed: int = 13
    predictions: Path | None = None
    record: bool = False


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question on a whole document, its acceptable answers, and their places in the text.

    Figures are counted by `group` as well as by kind. With `cells` the places are cells, and an answer inside one is
    right; else see `DocumentQaFigures`. `moved`: the given places had other words, so these places differ from them.
    """

    id: object
    text: str
    kind: str
    group: str
    answers: tuple[str, ...]
    places: tuple[Span, ...]
    document: Document
    cells: bool = False
    moved: bool = False

    @property
    def answerable(self) -> bool:
        """Whether the document answers."""
        return self.kind != NONE


def check_known(kind: object, answers: Sequence[object], *others: object) -> None:
    """Raises TypeError or ValueError where a value is no text with words, or the kind does not fit the answers."""
    if not all(isinstance(text, str) and text.strip() for text in (kind, *answers, *others)):
        raise TypeError("these are texts")
    if (kind == NONE) != (not answers):
        raise ValueError("every kind but none has answers")


@dataclass(frozen=True, slots=True)
class DocumentQaFigures:
    """Figures over a set of questions, in per cent; one over no question is None.

    Right is an answer that shares a code point with a place and whose word F1 with an acceptable answer is 0.5 or more
    (`placed` counts these alone, None for cells), or that has exactly an acceptable one's words at any place; and
    no answer where there is none. `refused` is the share of the answerable questions that are left unanswered, `forced`
    the share of these where the best span is right, answered or not.
    """

    questions: int
    right: float
    placed: float | None
    f1: float
    refused: float | None
    forced: float | None


@dataclass(frozen=True, slots=True)
class DocumentQaEvaluation:
    """All figures: over all questions, and in `by` under the names of the groupings, by kind and by group.

    `complete` is False where it was stopped: then the figures are over `overall.questions` of `total`.
    `calibration_error` is how far the best span's probability lies from how often it is right, in per cent (Guo et al.
    2017, equation 3). The places of `moved` questions were found again; no acceptable answer to `lost` ones is in the
    text.
    """

    model: str
    device: str
    total: int
    complete: bool
    overall: DocumentQaFigures
    by: dict[str, dict[str, DocumentQaFigures]]
    calibration_error: float
    moved: int
    lost: int
    windows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One question's reading; `right`, `placed` and `f1` (0 to 1) are of its best span, answered or not."""

    known: KnownQuestion
    reading: Reading
    right: bool = False
    placed: bool = False
    f1: float = 0.0

    @property
    def answered(self) -> bool:
        return self.reading.best is not None

    def given(self, value: float) -> float:
        """The score of a reader's answer whose best span scores `value`: 1 for a question rightly left unanswered."""
        return value * self.answered if self.known.answerable else float(not self.answered)


class _QuestionProgress(GroupReport):
    """The progress of one question after another; the time left is estimated from the characters still to be read."""

    def __init__(self, report: Report, questions: Sequence[KnownQuestion]) -> None:
        super().__init__(report, len(questions), "questions")
        self._characters = [0, *accumulate(len(known.document.text) + 1 for known in questions)]

    def progress(self, progress: Progress) -> None:
        if progress.what == "windows":
            self._report_done(self._done, progress.fraction)
        else:
            self._report.progress(progress)

    def _report_done(self, done: int, within: float = 0.0) -> None:
        before, behind = (
            self._characters[done : done + 2] if done < self._total else self._characters[-1:] * 2
        )
        read = before + within * (behind - before)
        left = self.seconds / read * (self._characters[-1] - read) if read and self.seconds > 1 else None
        self._report.progress(Progress(done, self._total, self._what, left))


def evaluate_document_qa(
    workspace: Workspace,
    questions: Iterable[KnownQuestion],
    plan: DocumentQaPlan,
    report: Report,
    *,
    groups: str,
    model: str = "",
    device: str = "",
) -> DocumentQaEvaluation:
    """Ask the questions in their order; `groups` is the name of the grouping besides the kind.

    Questions on one document should follow each other: the model process caches the last text. When stopped, it returns
    the figures so far, and raises Stopped where there are none. Raises SpanlightError for files that do not fit; the
    answers before a fault are in the predictions.
    """
    if plan.predictions is not None:
        refuse_same_file(plan.questions, plan.predictions)
        refuse_unwritable(plan.predictions)
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report)
    workspace.engine.begin()  # it loads PyTorch while the documents are read
    known = list(questions)
    if not known:
        raise SpanlightError("There is no question in the file.", "Give a file with questions.")
    outcomes: list[_Outcome] = []
    whole = _QuestionProgress(report, known)
    try:
        for each in known:
            question = Question(LONE_SURROGATE.sub("\ufffd", each.text), (each.document,))
            outcomes.append(_score(each, workspace.engine.run(question, choice, whole)))
            whole.finished(1)
    except Stopped:
        if not outcomes:
            raise
    finally:
        if plan.predictions is not None and outcomes:
            rows = "".join(dumps(_prediction(outcome)) + "\n" for outcome in outcomes)
            write_atomic(plan.predictions, rows.encode(), private=False)
    found = _evaluation(outcomes, len(known), groups, whole.seconds)
    if plan.record and found.complete:
        figures = {measured_on([plan.questions]): _recorded(found)}
        update_notes(workspace.find_model(Head.QUESTION_ANSWERING, model), measured=figures)
    return found


def _score(known: KnownQuestion, reading: Reading) -> _Outcome:
    if not reading.answers or not known.answerable:
        return _Outcome(known, reading)
    span, words = reading.answers[0].span, _normalised(reading.answers[0].text)
    wanted = [_normalised(answer) for answer in known.answers]
    f1 = max(words_f1(words, answer) for answer in wanted)
    if known.cells:
        placed = right = any(cell.start <= span.start and span.end <= cell.end for cell in known.places)
    else:
        placed = f1 >= 0.5 and any(span.overlaps(place) for place in known.places)
        right = placed or words in wanted
    return _Outcome(known, reading, right, placed, f1)


def _normalised(text: str) -> list[str]:
    """The words that answers are compared by; an answer of nothing but articles and punctuation keeps them."""
    return (normalise_answer(text) or text.lower()).split()


def _prediction(outcome: _Outcome) -> dict[str, object]:
    first = outcome.reading.answers[0] if outcome.reading.answers else None
    return {
        "id": outcome.known.id,
        "answer": first.text if first else "",
        "start": first.span.start if first else None,
        "end": first.span.end if first else None,
        "answered": outcome.answered,
        "probability": first.probability if first else 0.0,
        "no_answer_probability": outcome.reading.no_answer_probability,
        "right": bool(outcome.given(outcome.right)),
        "forced": outcome.right,
        "f1": outcome.given(outcome.f1),
    }


def _evaluation(
    outcomes: Sequence[_Outcome], total: int, groups: str, seconds: float
) -> DocumentQaEvaluation:
    kinds = sorted({each.known.kind for each in outcomes}, key=lambda kind: (kind == NONE, kind))
    names = sorted({each.known.group for each in outcomes})
    first = outcomes[0].reading
    return DocumentQaEvaluation(
        model=first.model,
        device=outcomes[-1].reading.device,
        total=total,
        complete=len(outcomes) == total,
        overall=_figures(outcomes),
        by={
            "kind": {kind: _figures([o for o in outcomes if o.known.kind == kind]) for kind in kinds},
            groups: {name: _figures([o for o in outcomes if o.known.group == name]) for name in names},
        },
        calibration_error=100.0 * calibration_error((_probability(each), each.right) for each in outcomes),
        moved=sum(each.known.moved for each in outcomes),
        lost=sum(each.known.answerable and not each.known.places for each in outcomes),
        windows=sum(each.reading.windows for each in outcomes),
        seconds=seconds,
    )


def _probability(outcome: _Outcome) -> float:
    return outcome.reading.answers[0].probability if outcome.reading.answers else 0.0


def _figures(outcomes: Sequence[_Outcome]) -> DocumentQaFigures:
    def mean(value: Callable[[_Outcome], float], of: Sequence[_Outcome] = outcomes) -> float | None:
        return 100.0 * sum(map(value, of)) / len(of) if of else None

    answerable = [each for each in outcomes if each.known.answerable]
    return DocumentQaFigures(
        questions=len(outcomes),
        right=mean(lambda each: each.given(each.right)) or 0.0,
        placed=None
        if any(each.known.cells for each in outcomes)
        else mean(lambda each: each.given(each.placed)),
        f1=mean(lambda each: each.given(each.f1)) or 0.0,
        refused=mean(lambda each: not each.answered, answerable),
        forced=mean(lambda each: each.right, answerable),
    )


def _recorded(found: DocumentQaEvaluation) -> dict[str, float]:
    values = {
        "questions": float(found.overall.questions),
        "right": found.overall.right,
        "placed": found.overall.placed,
        "f1": found.overall.f1,
        "refused": found.overall.refused,
        "forced": found.overall.forced,
        "calibration error": found.calibration_error,
    }
    return {name: round(value, 2) for name, value in values.items() if value is not None}
