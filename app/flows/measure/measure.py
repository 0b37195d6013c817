"""Measure a model on examples whose answers are known, keep the figures, and hold two measures against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.measures import Comparison, ExampleSet, Measure
from app.core.models import Head
from app.core.report import Progress, Report
from app.flows.groups import GroupReport
from app.flows.joining import sample
from app.flows.measure.example_files import Examples, read_examples, sets_that_come_along
from app.flows.measure.example_files import example_set as example_set
from app.flows.measure.heads import WARMING, reader_of
from app.flows.workspace import Workspace
from app.training.examples import QaExample

_SEED = 13


def example_sets(workspace: Workspace, report: Report) -> tuple[ExampleSet, ...]:
    """The sets of examples that come along."""
    return sets_that_come_along(workspace.paths)


def measure(
    workspace: Workspace,
    model: str,
    data: ExampleSet,
    report: Report,
    *,
    limit: int = 0,
    labels: Mapping[str, str] | None = None,
    device: str = "",
) -> Measure:
    """Have a model (a name or a folder) read all examples, and keep what came of it.

    With a `limit` above 0 it reads so many, chosen by chance but always the same. `labels` says for a model's labels
    (or kinds of names) which of the set's they stand for. Speed is of reading alone: the model is loaded and has read
    a few examples before the clock starts. Raises SpanlightError for a file or a model that does not fit, LabelsDiffer
    where their labels differ, and Stopped, which keeps nothing.
    """
    card = workspace.find_model(data.head, model)
    held = read_examples(Path(data.path), data.head)
    items = tuple(sample(held.items, limit, _SEED))
    examples = Examples(data.head, items)
    choice = workspace.choose(data.head, model, device, report)
    reader = reader_of(workspace, card, items, choice, labels)
    workspace.engine.load(choice, data.head, report)
    # The engine tells of a group's progress by these words.
    what = "questions" if isinstance(items[0], QaExample) else "texts"
    reader.warm(GroupReport(_Quiet(report), min(WARMING, len(items)), what))
    whole = GroupReport(report, len(items), what)
    done = reader.read(whole)
    seconds = whole.seconds
    report.check()
    # Asked now: where memory ran out, the model may have moved meanwhile.
    device = done.device or workspace.engine.load(choice, data.head, report).device.title
    found = Measure(
        model=card.name,
        folder=card.folder,
        head=data.head,
        data=data.title if len(items) == len(held.items) else f"{data.title}, a part",
        digest=examples.digest(),
        examples=len(items),
        figures={name: round(value, 2) for name, value in done.figures.items()},
        seconds=seconds,
        device=device,
        right="".join("01"[right] for right in done.right),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    try:
        workspace.measures.keep(found)
    except SpanlightError as fault:  # what was measured stands all the same
        report.notice(f"This measure is not kept: {fault}")
    return found


def measured(workspace: Workspace, report: Report) -> tuple[Measure, ...]:
    """All measures that are kept, the latest first."""
    return workspace.measures.all()


def forget(workspace: Workspace, measures: Iterable[Measure], report: Report) -> None:
    """Forget measures. Raises SpanlightError when the disk refuses."""
    for one in measures:
        workspace.measures.forget(one)


def bring_back(workspace: Workspace, measures: Iterable[Measure], report: Report) -> None:
    """Keep measures again that were forgotten. Raises SpanlightError when the disk refuses."""
    workspace.measures.keep(*measures)


def compare(first: Measure, second: Measure) -> Comparison:
    """How many examples both models, one, or neither got right.

    Raises SpanlightError unless the examples are the very same.
    """
    if first.digest != second.digest or len(first.right) != len(second.right):
        raise SpanlightError(
            "Only measures on the very same examples can be compared.",
            f"{first.model} read “{first.data}”, {second.model} “{second.data}”: measure both on one set.",
        )
    pairs = list(zip(first.right, second.right, strict=True))
    counts = [pairs.count((one, other)) for one, other in (("1", "1"), ("1", "0"), ("0", "1"), ("0", "0"))]
    return Comparison(first, second, *counts)


def compare_models(
    workspace: Workspace,
    first: str,
    second: str,
    report: Report,
    *,
    data: ExampleSet | None = None,
    limit: int = 0,
    device: str = "",
) -> Comparison:
    """Two models (names or folders) on the same examples: those of `data`, else those that both were last measured on.

    What was not measured yet is measured now, on a set that comes along where there is no other. Raises as `measure`
    does.
    """
    kept = measured(workspace, report)
    if data is None and not limit:
        pairs = (
            (one, other)
            for one in kept
            for other in kept
            if one.digest == other.digest and first in _names(one) and second in _names(other)
        )
        found = next(pairs, None)
        if found is not None:
            return compare(*found)
    data = data or set_for(workspace, (first, second), report)
    held = read_examples(Path(data.path), data.head)
    digest = Examples(data.head, tuple(sample(held.items, limit, _SEED))).digest()
    both = []
    for model in (first, second):
        own = workspace.find_model(data.head, model).folder
        known = next((one for one in kept if (one.folder, one.digest) == (own, digest)), None)
        both.append(known or measure(workspace, model, data, report, limit=limit, device=device))
    return compare(*both)


def set_for(
    workspace: Workspace, models: Sequence[str], report: Report, head: Head | None = None
) -> ExampleSet:
    """The first set that comes along which all these models can read, of a head where that is given.

    Raises SpanlightError where there is none.
    """
    faults: dict[str, SpanlightError] = {}
    for data in example_sets(workspace, report):
        if head in (None, data.head):
            try:
                for model in models:
                    workspace.find_model(data.head, model)
            except SpanlightError as fault:
                faults[fault.message] = fault
                continue
            return data
    if len(faults) == 1:
        raise next(iter(faults.values()))
    raise SpanlightError(
        f"No examples come along that fit {' and '.join(dict.fromkeys(models))}.",
        "They are for answering questions, classifying texts and finding names.",
    )


def _names(one: Measure) -> tuple[str, str]:
    return one.model, one.folder


class _Quiet:
    """A Report of what is not to be counted: only stops and notices go through."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.notice, self.check = report.notice, report.check

    def progress(self, progress: Progress) -> None:
        """Keep it."""

    def partial(self, result: object) -> None:
        """Keep it."""
