"""Measure libraries: indexing, an update without changes, finding passages, answers, time and memory."""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from app.bench.library_texts import (
    Gold,
    other_documents,
    placed,
    question_sets,
    write_documents,
)
from app.bench.machine import memory_now
from app.bench.plan import BenchPlan
from app.bench.readers import Part
from app.bench.results import BenchPart, BenchRow
from app.bench.texts import pool, question_folder
from app.core.library import Library, LibraryReading
from app.core.reliability import calibration_error
from app.core.report import Progress, Relay, Report, Silent
from app.core.requests import Question
from app.core.text import Document, Span
from app.flows.ask.question import ask, load_reader
from app.flows.library.embed import Meaning, embed, meaning_of
from app.flows.library.libraries import plan_library, save_library
from app.flows.library.search import AROUND, ask_library, find_excerpts, rank
from app.flows.workspace import Workspace
from app.training import metrics

if TYPE_CHECKING:
    from app.flows.library.update import Update
    from app.library.index import Index

WORDS, FILES, QUESTIONS = 10_000_000, 1000, 60
# Recall is measured in so many of the first passages.
PASSAGES = (1, 8, 20, 100)
# So many times as many questions are only looked up, which is quick.
_LOOKED_UP = 5
# To judge its probability, an answer counts as right from this F1 on.
_RIGHT = 0.5
MB = 1e6
_NAME = "bench"
_CHECKS = 3


@dataclass(frozen=True, slots=True)
class Answered:
    """A question asked of the library, and of the document with the answer alone.

    `first` and `final` are the seconds to the first and final answer; `f1` is the F1 of the best answer, `alone` that
    of the document's best answer; `probability` is the best answer's, `answered` whether it was given as the answer.
    """

    question: str
    kind: str
    answerable: bool
    first: float
    final: float
    text: str
    f1: float
    alone: float
    probability: float
    answered: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Recall: for what `shares` of a kind's questions a known answer is in as many of the first `PASSAGES`.

    `by` is the way of searching. An answer counts as found if it is in the text that is read around a passage.
    """

    kind: str
    by: str
    questions: int
    shares: tuple[float, ...]


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Build a library in a temporary folder, and ask it; raises SpanlightError if texts or a model are missing."""
    with tempfile.TemporaryDirectory(prefix="spanlight-library-") as folder:
        home = Path(folder)
        with workspace_at(workspace, home) as own:
            return _measured(own, plan, report, home / "documents")


@contextmanager
def workspace_at(workspace: Workspace, home: Path) -> Iterator[Workspace]:
    """Open a workspace with the same models and model process, but library and records in another folder."""
    own = Workspace(
        workspace.settings,
        replace(workspace.paths, data=home / "data"),
        shelf=workspace.shelf,
        engine=workspace.engine,
    )
    try:
        yield own
    finally:
        own.library.close()
        own.documents.close()


def _measured(workspace: Workspace, plan: BenchPlan, report: Report, folder: Path) -> BenchPart:
    built = build(workspace, plan, report, folder)
    index, library = workspace.library, built.library
    rows = [
        BenchRow(
            "words indexed in a second", built.update.words / built.update.seconds, "", more_is_better=True
        ),
        BenchRow(f"{built.update.read:,} files checked again", built.checked, "s"),
        BenchRow("the index without vectors, to the text", built.index_bytes / built.text_bytes, "x"),
    ]
    if built.embedded:
        rows += [
            BenchRow("passages given vectors in a second", built.embedded, "", more_is_better=True),
            BenchRow("the index with vectors, to the text", _size(workspace) / built.text_bytes, "x"),
        ]
    some = {
        kind: _sample(golds, plan.questions or QUESTIONS, plan.seed) for kind, golds in built.golds.items()
    }
    memory = _memory(workspace, library, [gold.asked.question for golds in some.values() for gold in golds])
    if memory is not None:
        rows.append(BenchRow("memory of the program that asks, for the index", memory / MB, "MB"))
    found = []
    for kind, golds in built.golds.items():
        many = _sample(
            [gold for gold in golds if gold.answers], _LOOKED_UP * (plan.questions or QUESTIONS), plan.seed
        )
        found += look_up(workspace, library, kind, many, Part(report, f"Looking up questions {kind}"))
    answered = [
        each
        for kind, golds in some.items()
        for each in answer(workspace, plan, library, kind, golds, Part(report, f"Questions {kind}"))
    ]
    rows += _rows(found, answered)
    status = index.status(library)
    return BenchPart(
        name="library",
        title=f"A library of {status.total:,} documents, {status.words:,} words, {status.passages:,} passages",
        rows=tuple(rows),
        notes=(
            "Recall: of the questions that have an answer, those for which a known one is in the first passages, or in "
            "what is read around them. F1 of the best answer, whatever its probability. The seconds count from the "
            "question on, with the readers loaded.",
        ),
        model=load_reader(workspace, report, model=plan.model, device=plan.device).card.name,
        details={"found": [asdict(each) for each in found], "answered": [asdict(each) for each in answered]},
    )


@dataclass(frozen=True, slots=True)
class Built:
    """A library that was built, the figures of building it, and its questions.

    `checked` is the seconds of an update without changes, `embedded` the passages embedded in a second (0 without
    vectors); `index_bytes` is the size of the index without vectors.
    """

    library: Library
    update: Update
    checked: float
    text_bytes: int
    index_bytes: int
    embedded: float
    golds: dict[str, list[Gold]]


def build(workspace: Workspace, plan: BenchPlan, report: Report, folder: Path) -> Built:
    """Write documents to a folder, and index it as a library; raises SpanlightError for a folder without the data."""
    from app.flows.library.update import update

    texts = pool(plan.data, workspace.paths)
    place = question_folder(plan.data) if plan.data else None
    asked = question_sets(texts, place)
    real = [(each.file, each.context) for some in asked.values() for each in some] + other_documents(place)
    report.progress(Progress(0, 0, "Writing the documents"))
    words = plan.words or WORDS
    text_bytes = write_documents(folder, real, texts, words, max(1, words * FILES // WORDS), plan.seed)
    library = save_library(workspace, plan_library(workspace, [folder], name=_NAME), report)
    made = update(workspace, library, Part(report, "Indexing"))
    checked = []
    for _ in range(_CHECKS):
        began = time.perf_counter()
        update(workspace, library, Silent())
        checked.append(time.perf_counter() - began)
    golds = {kind: placed(workspace.library, library, some) for kind, some in asked.items()}
    index_bytes = _size(workspace)
    embedded = _embed(workspace, report) if plan.vectors else 0.0
    return Built(library, made, median(checked), text_bytes, index_bytes, embedded, golds)


def _embed(workspace: Workspace, report: Report) -> float:
    began = time.perf_counter()
    given = embed(workspace, Part(report, "Vectors"))
    return given / (time.perf_counter() - began)


def _sample(golds: Sequence[Gold], most: int, seed: int) -> list[Gold]:
    return random.Random(seed).sample(golds, min(most, len(golds)))


def look_up(
    workspace: Workspace, library: Library, kind: str, golds: Sequence[Gold], report: Report
) -> list[Found]:
    """Measure how often the passage with the answer is found, by BM25, and with vectors by both together."""
    index = workspace.library
    ranks: dict[str, list[int]] = {}
    for done, gold in enumerate(golds):
        report.progress(Progress(done, len(golds)))
        report.check()
        question = gold.asked.question
        ways = {"BM25": rank(index, question, library)}
        if near := meaning_of(workspace, question, library, Silent()):
            ways["joined"] = rank(index, question, library, near)
        for by, numbers in ways.items():
            ranks.setdefault(by, []).append(rank_of(index, library, gold, numbers[: PASSAGES[-1]]))
    return [
        Found(kind, by, len(some), tuple(mean(float(each < most) for each in some) for most in PASSAGES))
        for by, some in ranks.items()
    ]


def rank_of(index: Index, library: Library, gold: Gold, numbers: Sequence[int]) -> int:
    """Return the rank, from 0, of the first passage with a known answer in the text around it; 100 without one."""
    for at, passage in enumerate(index.passages(numbers, library)):
        around = Span(max(0, passage.span.start - AROUND), passage.span.end + AROUND)
        if passage.text == gold.text and any(
            around.start <= answer.start and answer.end <= around.end for answer in gold.answers
        ):
            return at
    return PASSAGES[-1]


def answer(
    workspace: Workspace, plan: BenchPlan, library: Library, kind: str, golds: Sequence[Gold], report: Report
) -> list[Answered]:
    """Ask each question of the library, and of its document alone."""
    named = {"model": plan.model, "device": plan.device}
    load_reader(workspace, report, **named)
    found = []
    for done, gold in enumerate(golds):
        report.progress(Progress(done, len(golds)))
        clock = _Clock(report)
        whole = ask_library(
            workspace, gold.asked.question, library, clock, model=plan.model, device=plan.device
        )
        final = clock.seconds
        document = Document(workspace.library.body(gold.text)[0])
        alone = ask(workspace, Question(gold.asked.question, (document,)), Part(report, ""), **named)
        best = whole.found[0].answer if whole.found else None
        text = best.text if best else ""
        by_itself = alone.answers[0].text if alone.answers else ""
        found.append(
            Answered(
                question=gold.asked.question,
                kind=kind,
                answerable=bool(gold.answers),
                first=clock.first or final,
                final=final,
                text=text,
                f1=metrics.f1(text, gold.asked.references),
                alone=metrics.f1(by_itself, gold.asked.references),
                probability=whole.reading.answers[0].probability if whole.found else 0.0,
                answered=whole.reading.answered,
            )
        )
    return found


class _Clock(Relay):
    """The Report of one question, which notes when its first answer was there."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._began = time.perf_counter()
        self.first = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def progress(self, progress: Progress) -> None:
        pass

    def partial(self, result: object) -> None:
        if not self.first and isinstance(result, LibraryReading) and result.found:
            self.first = self.seconds


def _rows(found: Sequence[Found], answered: Sequence[Answered]) -> list[BenchRow]:
    rows = []
    for name in ("first", "final"):
        times = [getattr(each, name) for each in answered]
        if times:
            rows.append(BenchRow(f"{name} answer", median(times), "s", worst=max(times)))
    for each in found:
        for most, share in zip(PASSAGES, each.shares, strict=True):
            rows.append(
                BenchRow(f"{each.kind}: recall at {most}, {each.by}", 100 * share, "%", more_is_better=True)
            )
    answerable = [each for each in answered if each.answerable]
    for kind in (*dict.fromkeys(each.kind for each in answerable), "all"):
        some = [each for each in answerable if kind in (each.kind, "all")]
        if some:
            whole, alone = (100 * mean(getattr(each, name) for each in some) for name in ("f1", "alone"))
            rows.append(BenchRow(f"{kind}: F1 over the library", whole, "", more_is_better=True))
            rows.append(BenchRow(f"{kind}: F1 with the document alone", alone, "", more_is_better=True))
    outcomes = [(each.probability, each.f1 >= _RIGHT) for each in answerable]
    if outcomes:
        right = sum(is_right for _, is_right in outcomes)
        given = sum(each.answered and each.f1 >= _RIGHT for each in answerable)
        of = f"of {len(outcomes):,} questions that have an answer"
        rows += [
            BenchRow(f"right best answers, {of}", right, "", more_is_better=True),
            BenchRow(f"right answers given, of these {right:,}", given, "", more_is_better=True),
            BenchRow("probability of the best answer", 100 * mean(each for each, _ in outcomes), "%"),
            BenchRow("its calibration error", 100 * calibration_error(outcomes), "points"),
        ]
    without = [each for each in answered if not each.answerable]
    if without:
        told = mean(float(not each.answered) for each in without)
        rows.append(BenchRow("questions without an answer told so", 100 * told, "%", more_is_better=True))
    wrong = sum(each.answered and not (each.answerable and each.f1 >= _RIGHT) for each in answered)
    rows.append(BenchRow(f"wrong answers given to {len(answered):,} questions", wrong, ""))
    return rows


def _size(workspace: Workspace) -> int:
    """Return the bytes of the index, without the files that SQLite keeps only while it is open."""
    files = (file for file in workspace.paths.library.iterdir() if not file.name.endswith(("-wal", "-shm")))
    return sum(file.stat().st_size for file in files if file.is_file())


def _memory(workspace: Workspace, library: Library, questions: Sequence[str]) -> int | None:
    """Return the bytes that the index takes in a process of its own after questions; None if unknown."""
    asked = [(each, meaning_of(workspace, each, library, Silent())) for each in questions[:QUESTIONS]]
    context: Any = multiprocessing.get_context("spawn")
    with context.Pool(1) as one:
        taken: int | None = one.apply(memory_of, (workspace.paths.library, library, asked))
    return taken


def memory_of(folder: Path, library: Library, questions: Sequence[tuple[str, Meaning | None]]) -> int | None:
    """Return the bytes that this process grows by when it opens an index and looks up questions by their meanings."""
    from app.library.index import Index

    before = memory_now(os.getpid())
    index = Index(folder)
    index.status(library)
    for question, meaning in questions:
        find_excerpts(index, question, library, meaning)
    after = memory_now(os.getpid())
    index.close()
    return None if before is None or after is None else after - before
