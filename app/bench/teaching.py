"""What Spanlight and the reference share in training benchmarks: run_qa's numbers, files of examples, the process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from app.bench.other_python import OtherPython
from app.bench.plan import BenchPlan
from app.core.models import ModelCard
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.flows.train import QA
from app.training.examples import QaExample

SCRIPT = Path(__file__).with_name("reference_training.py")
LENGTH, STRIDE, BATCH, DROPOUT, RATE = 384, 128, 8, 0.1, 5e-5  # run_qa's defaults, and BERT's dropout
EPOCHS = 2
PADDED, LONGEST = "max_length", "longest"


def request(plan: BenchPlan, card: ModelCard, output: Path, length: int) -> TrainingRequest:
    """Return a request to Spanlight's trainer with run_qa's numbers, still without examples and dev."""
    return TrainingRequest(
        QA, card.folder, (), (), str(output),
        epochs=float(EPOCHS), learning_rate=RATE, batch_size=BATCH, max_length=length, dropout=DROPOUT,
        evaluate_every=1_000_000, device=plan.device or "auto",
    )  # fmt: skip


def reference(
    plan: BenchPlan,
    card: ModelCard,
    examples: Path,
    padding: str,
    length: int,
    report: Report,
    *,
    steps: int = 0,
    output: Path | None = None,
) -> OtherPython:
    """Start the reference's loop over a file of examples; with `steps` its learning rate falls to 0 over that many.

    Its first answer has its versions and the number of windows of the examples. Raises SpanlightError if the
    interpreter cannot be started.
    """
    order = {
        "model": card.folder, "examples": str(examples), "padding": padding, "length": length, "stride": STRIDE,
        "batch": BATCH, "dropout": DROPOUT, "learning_rate": RATE, "seed": plan.seed, "device": plan.device or "auto",
        "steps": steps, "output": str(output or ""),
    }  # fmt: skip
    return OtherPython(plan.against, SCRIPT, report, json.dumps(order))


def write(file: Path, examples: Sequence[QaExample]) -> Path:
    """Write a row for every example to a file, and return the file."""
    rows = (
        {
            "id": f"{number}",
            "context": one.context,
            "question": one.question,
            "answers": [{"text": text, "answer_start": start} for text, start in one.answers],
        }
        for number, one in enumerate(examples)
    )
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file
