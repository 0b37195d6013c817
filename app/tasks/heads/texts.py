"""Reads texts of any length in windows, and keeps the results in the order of the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from app.core.models import ModelCard
from app.core.report import Report
from app.tasks.batches import Runner, batch_size, by_length, group_size, in_groups, require_finite
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import checked, join, tokenise
from app.tasks.text.windows import PairTemplate, Window, estimate_windows, single_window, single_windows

ItemT = TypeVar("ItemT")

# A partial result holds the one before, so the next waits until there is a quarter more.
_GROWTH = 1.25


class OrderedResults(Generic[ItemT]):
    """The results of `count` items, which come in any order: the first `ready` of them are in without a gap."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._items: dict[int, ItemT] = {}
        self._reported = 0
        self.ready = 0

    @property
    def done(self) -> int:
        """The number of results that are in."""
        return len(self._items)

    @property
    def complete(self) -> bool:
        """Whether all results are in."""
        return self.done == self._count

    def put(self, index: int, item: ItemT) -> None:
        """Add the result of item number `index`."""
        self._items[index] = item
        while self.ready in self._items:
            self.ready += 1

    def prefix(self) -> list[ItemT]:
        """The results up to the first one that is missing."""
        return [self._items[index] for index in range(self.ready)]

    def worth_reporting(self, count: int) -> bool:
        """Whether a partial result of size `count` is worth reporting; if so, `count` is taken as reported.

        It is when there is a quarter more than in the last one, and not yet all.
        """
        if self.complete or count <= self._reported * _GROWTH:
            return False
        self._reported = count
        return True


def text_windows(text: str, model: ReadyModel, report: Report) -> Iterator[Window]:
    """The windows of a text in its order, tokenised lazily; at least one.

    Raises Stopped when the work is to stop.
    """
    template = PairTemplate.of(model.tokenizer)
    chunks = checked(tokenise(model.tokenizer, text), report.check)
    windows = single_windows(template, chunks, text, length=model.card.window, stride=model.card.stride)
    first = next(windows, None)
    yield single_window(template, 0, join(()), np.zeros(0, dtype=bool)) if first is None else first
    yield from windows


ResultT = TypeVar("ResultT")


@dataclass(slots=True, eq=False)
class TextRun(Generic[ResultT]):
    """The state of a text while it is read: the `results` of the windows read so far, by window number.

    `window_count` windows were cut so far, up to code point `cut_to`.
    """

    index: int
    text: str
    results: dict[int, ResultT] = field(default_factory=dict)
    window_count: int = 0
    cut_to: int = 0
    exhausted: bool = False

    @property
    def complete(self) -> bool:
        """Whether the whole text was read."""
        return self.exhausted and len(self.results) == self.window_count

    def total(self, card: ModelCard) -> int:
        """The number of windows of the text; an estimate until its end was reached."""
        if self.exhausted:
            return self.window_count
        return self.window_count + estimate_windows(len(self.text) - self.cut_to, card.window, card.stride)

    def prefix(self) -> list[ResultT]:
        """The results in text order, up to the first window that was not yet read."""
        found: list[ResultT] = []
        while len(found) in self.results:
            found.append(self.results[len(found)])
        return found

    def windows(self, model: ReadyModel, report: Report) -> Iterator[tuple[int, Window]]:
        """The text's windows with their numbers, tokenised lazily; at least one."""
        pending: Window | None = None
        for window in text_windows(self.text, model, report):
            self.cut_to = int(window.ends[-1]) if len(window.ends) else self.cut_to
            self.window_count += 1
            if pending is not None:
                yield self.window_count - 2, pending
            pending = window
        assert pending is not None  # a text has at least one
        self.exhausted = True
        yield self.window_count - 1, pending


def read_texts(
    texts: tuple[str, ...],
    model: ReadyModel,
    report: Report,
    result_of: Callable[[Window, np.ndarray], ResultT],
    *,
    in_order: bool = False,
) -> Iterator[TextRun[ResultT]]:
    """Read the windows of texts in mixed batches; yield a text's run after each of its windows.

    `result_of` makes a window's result from it and its row of the head's `logits`. With `in_order` windows are read
    from the first one on, few at a time, else sorted by length. Raises SpanlightError where logits are not finite,
    Stopped when the work is to stop.
    """
    runner = Runner(model, report)

    def queue() -> Iterator[tuple[TextRun[ResultT], int, Window]]:
        for index, text in enumerate(texts):
            run: TextRun[ResultT] = TextRun(index, text)
            for number, window in run.windows(model, report):
                yield run, number, window

    if in_order:
        batches = in_groups(queue(), group_size(model))
    else:
        batches = by_length(queue(), lambda queued: queued[2], batch_size(model))
    for batch in batches:
        arrays, _ = runner([window for _, _, window in batch])
        logits = arrays["logits"]
        require_finite(model, logits)
        for row, (run, number, window) in enumerate(batch):
            run.results[number] = result_of(window, logits[row])
            yield run
