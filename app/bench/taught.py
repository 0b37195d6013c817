"""Compare a model trained by Spanlight with one trained by the reference in as many steps."""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.bench.plan import BenchPlan
from app.bench.readers import Part
from app.bench.results import BenchRow
from app.bench.teaching import BATCH, EPOCHS, LONGEST, RATE, reference, request, write
from app.bench.texts import Pool
from app.bench.turns import row
from app.core.models import ModelCard
from app.core.report import Progress, Report
from app.flows.measure.evaluate import evaluate_qa
from app.flows.measure.plan import Plan
from app.flows.train import train
from app.flows.workspace import Workspace
from app.training.examples import QaExample

EXAMPLES, HELD_OUT = 160, 200


@dataclass(frozen=True, slots=True)
class Taught:
    """F1 of both on questions held out: its row, what it means, and figures for programs."""

    row: BenchRow
    note: str
    details: dict[str, Any]


def compare(
    workspace: Workspace, plan: BenchPlan, card: ModelCard, texts: Pool, length: int, report: Report
) -> Taught | None:
    """Train the model twice, by Spanlight and by the reference, and have each answer questions on held-out texts.

    None where there are too few questions to hold some out. Raises SpanlightError where one of them fails, Stopped
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
    """Questions to train on, a multiple of BATCH, and some to hold out, without common texts."""
    rng = random.Random(f"{seed} held out")
    by_text: dict[str, list[QaExample]] = {}
    for one in examples:
        by_text.setdefault(one.context, []).append(one)
    held_out: list[QaExample] = []
    rest: list[QaExample] = []
    for context in rng.sample(list(by_text), len(by_text)):
        (held_out if len(held_out) < min(HELD_OUT, len(examples) // 2) else rest).extend(by_text[context])
    rng.shuffle(rest)
    most = min(EXAMPLES, len(rest)) // BATCH * BATCH
    return rest[:most], held_out
