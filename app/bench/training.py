"""Measure the speed of training question answering, compared with the loop of transformers' own example."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from app.bench.other_python import OtherPython
from app.bench.plan import BenchPlan
from app.bench.readers import Part
from app.bench.results import BenchPart, BenchRow, row
from app.bench.teaching import (
    BATCH,
    DROPOUT,
    EPOCHS,
    LENGTH,
    LONGEST,
    PADDED,
    RATE,
    reference,
    request,
    write,
)
from app.bench.texts import Pool, pool
from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.results import TrainingStep
from app.flows.measure.evaluate import evaluate_qa
from app.flows.measure.plan import Plan
from app.flows.train import train
from app.flows.workspace import Workspace
from app.training.examples import QaExample

EXAMPLES, FULL, REPEATS = 48, 16, 3
WORDS = 500  # of a text that certainly fills a window
OURS, WHOLE = "ours", "whole"


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Time training in the model process, and the reference's loop over the same examples, in turn.

    Raises SpanlightError if the model, the examples or the interpreter is not available, Stopped when cancelled.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    texts = pool(plan.data, workspace.paths)
    length = min(LENGTH, card.max_length)
    count = -(-min(plan.questions or EXAMPLES, len(texts.examples)) // BATCH) * BATCH
    rng = random.Random(plan.seed)
    examples = (
        rng.sample(texts.examples, count)
        if count <= len(texts.examples)
        else rng.choices(texts.examples, k=count)
    )
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        ordinary = write(folder / "ordinary.jsonl", examples)
        long = write(folder / "long.jsonl", _long(texts, rng))
        run = _Ours(workspace, plan, card, folder, length, report)
        turns: dict[str, Callable[[int], float]] = {OURS: partial(run.epoch, ordinary, count)}
        info: dict[str, dict[str, Any]] = {}
        if plan.against:
            for padding in (PADDED, LONGEST):
                loop = stack.enter_context(_reference(plan, card, ordinary, padding, length, report))
                info[padding] = loop.info
                turns[padding] = loop.epoch
        turns[WHOLE] = partial(run.epoch, long, FULL)
        seconds = _in_turn(turns, plan.repeats or REPEATS, report)
    taught = compare(workspace, plan, card, texts, length, report) if plan.against else None
    return BenchPart(
        name="training",
        title=f"Teaching question answering, windows of at most {length} tokens, {BATCH} at a step",
        rows=_rows(seconds, length, taught),
        notes=_notes(texts, count, info, taught),
        model=card.name,
        device=plan.device or "auto",
        reference=_title(info),
        details={
            "seconds": seconds,
            "examples": count,
            "reference": info,
            "taught": taught.details if taught else None,
        },
    )


class _Ours:
    """Spanlight's trainer as the window and the terminal run it, with run_qa's numbers."""

    def __init__(
        self,
        workspace: Workspace,
        plan: BenchPlan,
        card: ModelCard,
        folder: Path,
        length: int,
        report: Report,
    ) -> None:
        self._workspace, self._report = workspace, report
        self._seed = plan.seed
        self._request = request(plan, card, folder / "taught", length)

    def epoch(self, file: Path, count: int, number: int) -> float:
        """Return the seconds a window, one for each example, in the second epoch; the first one warms up."""
        dev = file.with_name("dev.jsonl")
        dev.write_text(file.read_text("utf-8").split("\n", 1)[0], encoding="utf-8")
        request = replace(self._request, examples=(str(file),), dev=(str(dev),), seed=self._seed + number)
        clock = _Clock(self._report, f"Training, {number + 1}")
        train(self._workspace, request, clock)
        steps = -(-count // BATCH)
        return (clock.at[2 * steps] - clock.at[steps]) / count


class _Clock(Part):
    """A Report that notes when each step was done."""

    def __init__(self, report: Report, name: str) -> None:
        super().__init__(report, name)
        self.at: dict[int, float] = {}

    def partial(self, result: object) -> None:
        """Note the end of a step; the measurement on dev after the last step does not count."""
        if isinstance(result, TrainingStep) and not result.dev:
            self.at.setdefault(result.step, time.perf_counter())


@dataclass(frozen=True, slots=True)
class _Reference:
    """The reference's loop; `info` has its versions and the number of windows of the examples."""

    process: OtherPython
    info: dict[str, Any]
    report: Report

    def epoch(self, number: int) -> float:
        """Return the seconds a window, over all windows of the examples that fill whole batches."""
        self.report.progress(Progress(0, 0, f"The reference, {number + 1}"))
        self.process.send(str(self.info["windows"] // BATCH))
        answer = self.process.receive()
        return float(answer["seconds"] / answer["windows"])


@contextmanager
def _reference(
    plan: BenchPlan, card: ModelCard, file: Path, padding: str, length: int, report: Report
) -> Iterator[_Reference]:
    with reference(plan, card, file, padding, length, report) as process:
        info = process.receive()
        process.send("2")  # so that memory is allocated and kernels are compiled
        process.receive()
        yield _Reference(process, info, report)


def _in_turn(
    turns: dict[str, Callable[[int], float]], repeats: int, report: Report
) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for number in range(repeats):
        names = list(turns) if number % 2 == 0 else list(reversed(turns))
        for name in names:
            report.check()
            seconds[name].append(turns[name](number))
    return seconds


def _rows(seconds: dict[str, list[float]], length: int, taught: Taught | None) -> tuple[BenchRow, ...]:
    each = {name: [1000 * one for one in times] for name, times in seconds.items()}
    padded, longest = each.get(PADDED, ()), each.get(LONGEST, ())
    rows = [row("a window, beside run_qa's own padding" if padded else "a window", each[OURS], "ms", padded)]
    if longest:
        rows.append(row("a window, beside padding to a batch's longest", each[OURS], "ms", longest))
    rows.append(row(f"a window full with {length} tokens", each[WHOLE], "ms", padded))
    return (*rows, taught.row) if taught else tuple(rows)


def _notes(
    texts: Pool, count: int, info: dict[str, dict[str, Any]], taught: Taught | None
) -> tuple[str, ...]:
    notes = [
        f"Milliseconds a window of training, {BATCH} windows at a step: {count} questions once through, after as much "
        "to warm up.",
        f"{texts.description.split(',')[0].rstrip('.')}.",
        f"Spanlight: dropout {DROPOUT} of what layers give on, none of the attention; nothing padded that need not be.",
    ]
    if info:
        tokens, windows = info[PADDED]["tokens"], info[PADDED]["windows"]
        notes += [
            f"Spanlight takes one window of every question, {count} in all; the reference takes every window of the "
            f"texts, {windows}. Both are told by the window.",
            f"The reference: run_qa's loop in float32, dropout {DROPOUT} of both, AdamW fused. It pads every window to "
            f"max_length by default; the {windows} windows hold {tokens / windows:.0f} tokens each on average.",
            "In full windows nobody has padding to save; there the reference's are as long as everywhere.",
        ]
    return (*notes, taught.note) if taught else tuple(notes)


def _title(info: dict[str, dict[str, Any]]) -> str:
    if not info:
        return ""
    one = info[PADDED]
    return f"run_qa's loop, transformers {one['transformers']} with torch {one['torch']}"


def _long(texts: Pool, rng: random.Random) -> list[QaExample]:
    """Return questions without an answer in their texts, each text longer than a window."""
    return [
        QaExample(f"{number}", texts.document(WORDS, rng.randrange(1 << 30)).text, texts.question(number), ())
        for number in range(FULL)
    ]


TAUGHT, HELD_OUT = 160, 200  # questions of the comparison


@dataclass(frozen=True, slots=True)
class Taught:
    """Both models' F1 on held-out questions: its row, a note on it, and figures for programs."""

    row: BenchRow
    note: str
    details: dict[str, Any]


def compare(
    workspace: Workspace, plan: BenchPlan, card: ModelCard, texts: Pool, length: int, report: Report
) -> Taught | None:
    """Train the model with Spanlight and with the reference, and have both answer questions on held-out texts.

    Returns None if there are too few questions to hold some out. Raises SpanlightError if one of them fails, Stopped
    when cancelled.
    """
    examples, held_out = split(texts.examples, plan.seed)
    if len(examples) < BATCH or not held_out:
        return None
    steps = EPOCHS * len(examples) // BATCH
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, questions = write(folder / "examples.jsonl", examples), write(folder / "held.jsonl", held_out)
        dev = write(folder / "dev.jsonl", held_out[:1])

        def f1(model: Path | str) -> float:
            found = evaluate_qa(workspace, Plan((questions,)), report, model=str(model), device=plan.device)
            return found.measured[0].overall.best_f1

        before = f1(card.folder)
        order = request(plan, card, folder / "ours", length)
        order = replace(order, examples=(str(rows),), dev=(str(dev),), seed=plan.seed)
        train(workspace, order, Part(report, "Training, for F1"))
        ours = f1(folder / "ours")
        report.progress(Progress(0, 0, "The reference, for F1"))
        theirs = folder / "theirs"
        with reference(plan, card, rows, LONGEST, length, report, steps=steps, output=theirs) as process:
            process.receive()
            process.send(str(steps))
            process.receive()
            process.send("save")
            process.receive()
        against = f1(theirs)
    return Taught(
        row("F1 on questions held out, after teaching", [ours], "%", [against], more_is_better=True),
        f"F1: both begin with {card.name}, at {before:.1f}%, and take {steps} steps of {BATCH} windows over "
        f"{len(examples)} questions, at a learning rate of {RATE:g} that falls to 0. The {len(held_out)} questions "
        "held out are on other texts; Spanlight reads for both, each at its best threshold. With so few of them a "
        "difference of a few points is chance.",
        {"before": before, "ours": ours, "reference": against, "steps": steps, "held": len(held_out)},
    )


def split(examples: list[QaExample], seed: int) -> tuple[list[QaExample], list[QaExample]]:
    """Split questions into a multiple of BATCH to train on, and some to hold out, without common texts."""
    rng = random.Random(f"{seed} held out")
    by_text: dict[str, list[QaExample]] = {}
    for one in examples:
        by_text.setdefault(one.context, []).append(one)
    held_out: list[QaExample] = []
    rest: list[QaExample] = []
    for context in rng.sample(list(by_text), len(by_text)):
        (held_out if len(held_out) < min(HELD_OUT, len(examples) // 2) else rest).extend(by_text[context])
    rng.shuffle(rest)
    most = min(TAUGHT, len(rest)) // BATCH * BATCH
    return rest[:most], held_out
