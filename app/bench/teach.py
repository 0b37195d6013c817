"""Measure teaching: labels from few examples, a reader from corrections, and the time that each takes."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev

from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow
from app.bench.teach_reader import NOTE, measure_readers
from app.bench.verdicts import NOTE as VERDICTS_NOTE
from app.bench.verdicts import measure_verdicts
from app.core.errors import SpanlightError
from app.core.labels import Dataset, Label
from app.core.models import Head
from app.core.report import Progress, Quiet, Report
from app.core.requests import TextsToClassify, TrainingRequest
from app.flows.heads.heads import classify
from app.flows.rows import dumps
from app.flows.train import CLASSIFICATION, train
from app.flows.workspace import Workspace
from app.training.examples import TextExample, read_texts

# Numbers of examples of each label, and the number from which the whole model is fine-tuned too.
NUMBERS, FULL = (8, 16, 32, 64, 256), 64
HELD, SEEDS = 400, 3
_SHORT, _LABELS = 5_000, 6
_NAMES = {
    "sst2": ("negative", "positive"),
    "reviews3": ("negative", "positive"),
    "airline3": ("negative", "neutral", "positive"),
    "tweets3": ("negative", "neutral", "positive"),
    "finance3": ("negative", "neutral", "positive"),
    "sst5": ("very negative", "negative", "neutral", "positive", "very positive"),
    "emotion4": ("anger", "joy", "optimism", "sadness"),
}


@dataclass(frozen=True, slots=True)
class Set:
    """Texts to learn from and to measure on; `names` are the labels', in the order of their numbers in the files."""

    name: str
    names: tuple[str, ...]
    train: Sequence[TextExample]
    dev: Sequence[TextExample]

    @property
    def dataset(self) -> Dataset:
        """The set as a data set."""
        return Dataset(0, self.name, ("text",), labels=tuple(map(Label, self.names)))

    def draw(self, number: int, seed: int) -> list[TextExample]:
        """Draw `number` examples of each label at random."""
        order = random.Random(f"{seed} {number}").sample(self.train, len(self.train))
        return [one for label in self._labels for one in [x for x in order if x.label == label][:number]]

    def targets(self, examples: Sequence[TextExample]) -> list[tuple[int, ...]]:
        """Return the index of each example's label."""
        return [(self._labels.index(one.label),) for one in examples]

    @property
    def _labels(self) -> list[str]:
        return [str(at) for at in range(len(self.names))]


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Teach each set of the data folder from few examples, in every way, and teach the readers.

    If the plan names a model, only that reader is taught. Raises SpanlightError, Stopped.
    """
    from app.flows.teach.teach import first_guesses

    readers, details = measure_readers(workspace, plan, report)
    rows = [*readers, *measure_verdicts(workspace, plan, report)]
    if plan.model:
        title = "Teaching a reader from corrections"
        return BenchPart("teach", title, tuple(rows), (NOTE, VERDICTS_NOTE), plan.model, details=details)
    for one in _sets(plan, report):
        texts = tuple(example.text for example in one.dev)
        wanted = [target[0] for target in one.targets(one.dev)]
        said = first_guesses(workspace, texts, one.dataset.labels, Quiet(report))
        rows.append(
            BenchRow(
                f"{one.name}: names alone", 100 * _share(said.tolist(), wanted), "%", more_is_better=True
            )
        )
        for number in (plan.examples,) if plan.examples else NUMBERS:
            found = _few(workspace, one, number, plan, report)
            if found is None:
                continue
            details[f"{one.name} {number}"] = found
            logistic = mean(found["logistic"])
            for way, figures in found.items():
                if way != "logistic":
                    spread = stdev(figures) / mean(figures) if len(figures) > 1 else 0.0
                    what = f"{one.name}: {number} a label, {way}"
                    rows.append(BenchRow(what, mean(figures), "%", logistic, True, spread))
    rows += _times(workspace, plan, report)
    return BenchPart(
        "teach",
        "Teaching labels from few examples",
        tuple(rows),
        (
            f"Right labels of up to {plan.questions or HELD} dev texts, the mean of {plan.repeats or SEEDS} draws of"
            " examples; beside it that of a logistic regression on the same encoder's frozen vectors.",
            *((NOTE,) if readers else ()),
            VERDICTS_NOTE,
        ),
        workspace.find_model(Head.EMBEDDINGS).name,
        reference="logistic regression on frozen vectors",
        details=details,
    )


def _sets(plan: BenchPlan, report: Report) -> list[Set]:
    folder = Path(plan.data or ".")
    folder = folder / "sentiment" if (folder / "sentiment").is_dir() else folder
    found = []
    for name, names in _NAMES.items():
        files = [folder / f"{name}_{part}.jsonl.xz" for part in ("train", "dev")]
        if all(file.is_file() for file in files):
            train, dev = (read_texts(file) for file in files)
            some = random.Random(0).sample(dev, min(len(dev), plan.questions or HELD))
            found.append(Set(name, names, train, some))
    if not found:
        raise SpanlightError("There are no sets of labelled texts.", "Name their folder with --data.")
    return found


def _few(
    workspace: Workspace, one: Set, number: int, plan: BenchPlan, report: Report
) -> dict[str, list[float]] | None:
    """Return the shares that are right, in per cent, by way and draw; None if there are too few examples."""
    from app.flows.teach.teach import Examples, embed_texts, teach_examples_held
    from app.training import linear

    wanted = [target[0] for target in one.targets(one.dev)]
    held = tuple(example.text for example in one.dev)
    vectors = embed_texts(workspace, held, Quiet(report))
    found: dict[str, list[float]] = {}
    for seed in range(plan.repeats or SEEDS):
        report.progress(Progress(seed, plan.repeats or SEEDS, f"{one.name}, {number} a label"))
        examples = one.draw(number, seed)
        if len(examples) < number * len(one.names):
            return None
        targets = one.targets(examples)
        learnt = embed_texts(workspace, tuple(each.text for each in examples), Quiet(report))
        head = linear.fit(learnt, linear.targets_of(targets, len(one.names)))
        found.setdefault("logistic", []).append(100 * _share(head.probabilities(vectors).tolist(), wanted))
        texts = [each.text for each in examples]
        said = teach_examples_held(
            workspace, one.dataset, Examples(texts, targets), held, seed, Quiet(report)
        )
        found.setdefault("pairs", []).append(100 * _share(said, wanted))
        if number >= FULL:
            found.setdefault("fine-tuned", []).append(
                _fine_tuned(workspace, one, examples, wanted, held, seed, report)
            )
    return found


def _fine_tuned(
    workspace: Workspace,
    one: Set,
    examples: Sequence[TextExample],
    wanted: Sequence[int],
    held: tuple[str, ...],
    seed: int,
    report: Report,
) -> float:
    """Return the share that is right, in per cent, after `train classification` with usual numbers for few examples."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "examples.jsonl"
        rows = ({"text": each.text, "label": one.names[int(each.label)]} for each in examples)
        file.write_text("".join(f"{dumps(row)}\n" for row in rows), encoding="utf-8")
        output = Path(name) / "model"
        request = TrainingRequest(
            CLASSIFICATION, workspace.find_model(Head.EMBEDDINGS).folder, (str(file),), (str(file),), str(output),
            epochs=10.0 if len(examples) < 300 else 5.0, batch_size=16, max_length=128, seed=seed,
            evaluate_every=10_000,
        )  # fmt: skip
        train(workspace, request, Quiet(report))
        said = classify(workspace, TextsToClassify(held), Quiet(report), model=str(output)).items
    return 100 * mean(item.winner == one.names[label] for item, label in zip(said, wanted, strict=True))


def _times(workspace: Workspace, plan: BenchPlan, report: Report) -> list[BenchRow]:
    """Measure the seconds to teach six labels from eight examples each, and to classify many short texts."""
    from app.flows.teach.teach import Examples, teach_into

    one = _sets(plan, report)[0]
    some = [each.text for each in one.train if 20 <= len(each.text) <= 120][: _SHORT + 8 * _LABELS]
    dataset = Dataset(0, "times", ("text",), labels=tuple(Label(f"label {at}") for at in range(_LABELS)))
    with tempfile.TemporaryDirectory() as name:
        targets: list[tuple[int, ...]] = [(at % _LABELS,) for at in range(8 * _LABELS)]
        folder = Path(name) / "taught"

        def teach() -> None:
            teach_into(workspace, dataset, Examples(some[: 8 * _LABELS], targets), folder, Quiet(report))

        taught = _seconds(teach)
        texts = TextsToClassify(tuple(some[8 * _LABELS :]))
        classify(workspace, replace(texts, texts=texts.texts[:8]), Quiet(report), model=str(folder))
        classified = _seconds(lambda: classify(workspace, texts, Quiet(report), model=str(folder)))
    return [
        BenchRow(f"{_LABELS} labels of 8 examples, taught", taught, "s"),
        BenchRow(f"{len(texts.texts):,} short texts classified", classified, "s"),
    ]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _share(probabilities: Sequence[Sequence[float]], wanted: Sequence[int]) -> float:
    """Return the share of texts whose likeliest label is the wanted one."""
    best = (max(range(len(row)), key=row.__getitem__) for row in probabilities)
    return mean(at == label for at, label in zip(best, wanted, strict=True))
