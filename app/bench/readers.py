"""Spanlight and the reference, reading the same windows with the same model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.bench.plan import BenchPlan
from app.bench.reference_client import Reference, ReferenceRead, ReferenceTimes
from app.core.models import Head, LoadedModel
from app.core.report import Progress, Quiet, Report
from app.core.requests import ModelChoice, Question, QuestionBatch
from app.core.results import Reading
from app.core.text import Document
from app.flows.ask.question import load_reader
from app.flows.workspace import Workspace

# The longest answer in tokens that Spanlight gives; the same is set for the reference.
MOST_TOKENS = 48


@dataclass(slots=True)
class Readers:
    """A model loaded in Spanlight, and in the reference if there is one.

    `cut` is the number of tokens of a window, and of the overlap of two windows.
    """

    workspace: Workspace
    choice: ModelChoice
    loaded: LoadedModel
    report: Report
    reference: Reference | None = None
    cut: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.cut = (self.loaded.card.window, self.loaded.card.stride)

    @property
    def device(self) -> str:
        """The model's device and dtype."""
        return f"{self.loaded.device.title} in {self.loaded.device.dtype}"

    @property
    def against(self) -> str:
        """The reference's title; empty without a reference."""
        return self.reference.info.title if self.reference and self.reference.info else ""

    @staticmethod
    def question(question: str, document: Document) -> Question:
        """Return a question about a document that is to be read to the end."""
        return Question(question, (document,), every=True)

    def ask(self, question: str, document: Document, report: Report | None = None) -> tuple[Reading, float]:
        """Return Spanlight's reading, and the seconds from asking to the result."""
        request = self.question(question, document)
        began = time.perf_counter()
        reading: Reading = self.workspace.engine.run(request, self.choice, report or self.report)
        return reading, time.perf_counter() - began

    def ask_each(self, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[Reading, ...], float]:
        """Return Spanlight's readings of many short texts together, and their seconds."""
        batch = batch_of(pairs)
        began = time.perf_counter()
        readings: tuple[Reading, ...] = self.workspace.engine.run(batch, self.choice, self.report)
        return readings, time.perf_counter() - began

    def refer(self, pairs: Sequence[tuple[str, str]]) -> ReferenceRead:
        """Return the reference's reading of pairs of question and text."""
        assert self.reference is not None
        length, stride = self.cut
        return self.reference.read(pairs, length=length, stride=stride, most=MOST_TOKENS)

    def watch_reference(self, question: str, document: Document) -> ReferenceTimes:
        """Return the reference's times by phase while it reads a document."""
        assert self.reference is not None
        length, stride = self.cut
        return self.reference.watch(question, document.text, length=length, stride=stride, most=MOST_TOKENS)


def batch_of(pairs: Sequence[tuple[str, str]]) -> QuestionBatch:
    """Return a batch that asks each question about its own text."""
    return QuestionBatch(tuple(Question(question, (Document(text),)) for question, text in pairs))


@contextmanager
def readers(workspace: Workspace, plan: BenchPlan, report: Report) -> Iterator[Readers]:
    """Load the plan's model in both; the reference ends with the `with` block.

    Raises SpanlightError if the model or the reference is not available, Stopped when cancelled.
    """
    loaded = load_reader(workspace, report, model=plan.model, device=plan.device)
    choice = workspace.choose(
        Head.QUESTION_ANSWERING, plan.model, plan.device, report, use=False, adjusted=False
    )
    if not plan.against:
        yield Readers(workspace, choice, loaded, report)
        return
    with Reference(plan.against, report) as reference:
        reference.load(loaded.card.folder, loaded.device.device)
        yield Readers(workspace, choice, loaded, report, reference)


class Part(Quiet):
    """A Report for one step of longer work: names the step in its progress, and drops partial results."""

    def __init__(self, report: Report, name: str) -> None:
        super().__init__(report)
        self._name = name

    def progress(self, progress: Progress) -> None:
        """Report the step's progress."""
        what = self._name
        if not progress.total:
            what += f": {progress.what[:1].lower()}{progress.what[1:]}"
        self._report.progress(Progress(progress.done, progress.total, what, progress.seconds_left))
