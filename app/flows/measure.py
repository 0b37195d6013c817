"""Measure a model on examples whose answers are known, keep the figures, and hold two measures against each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.measures import Comparison, ExampleSet, Measure
from app.core.report import Progress, Report
from app.flows.example_files import NOUNS, Examples, read_examples, sets_that_come_along
from app.flows.example_files import example_set as example_set
from app.flows.groups import GroupReport
from app.flows.joining import sample
from app.flows.measure_heads import WARMING, reader_of
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
    choice = workspace.choose(data.head, model, device)
    reader = reader_of(workspace, card, items, choice, labels)
    loaded = workspace.engine.load(choice, data.head, report)
    # The engine tells of a group's progress by these words.
    what = "questions" if isinstance(items[0], QaExample) else "texts"
    reader.warm(GroupReport(_Quiet(report), min(WARMING, len(items)), what))
    whole = GroupReport(report, len(items), what)
    done = reader.read(whole)
    seconds = whole.seconds
    report.check()
    found = Measure(
        model=card.name,
        folder=card.folder,
        head=data.head,
        data=data.title if len(items) == len(held.items) else f"{data.title}, {len(items)} of them",
        digest=examples.digest(),
        examples=len(items),
        figures={name: round(value, 2) for name, value in done.figures.items()},
        seconds=seconds,
        device=done.device or loaded.device.title,
        right="".join("01"[right] for right in done.right),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    workspace.measures.keep(found)
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


def compare_newest(
    workspace: Workspace, first: str, second: str, data: ExampleSet | None = None
) -> Comparison:
    """The newest kept measures of two models on the same examples, on those of `data` where that is given.

    Raises SpanlightError where there are none.
    """
    wanted = read_examples(Path(data.path), data.head).digest() if data else ""
    kept = workspace.measures.all()

    def own(name: str) -> Iterator[Measure]:
        return (one for one in kept if name in (one.model, one.folder) and wanted in ("", one.digest))

    for one in own(first):
        for other in own(second):
            if one.digest == other.digest:
                return compare(one, other)
    where = f" on {data.title}" if data else ""
    raise SpanlightError(
        f"{first} and {second} have not both been measured on the same examples{where}.",
        "Measure both first.",
    )


class _Quiet:
    """A Report of what is not to be counted: only stops and notices go through."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.notice, self.check = report.notice, report.check

    def progress(self, progress: Progress) -> None:
        """Keep it."""

    def partial(self, result: object) -> None:
        """Keep it."""


def noun_of(data: ExampleSet | Measure) -> tuple[str, str]:
    """What the examples are called, one and several: ("question", "questions")."""
    return NOUNS.get(data.head, ("example", "examples"))
