"""Texts of any length read whole: their windows in mixed batches, and what each window brought."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

import numpy as np

from app.core.models import ModelCard
from app.core.report import Report
from app.tasks.batches import Runner, batch_size, by_length, group_size, require_finite
from app.tasks.heads.texts import text_windows
from app.tasks.task import ReadyModel
from app.tasks.text.windows import PairTemplate, Window, estimate_windows

PartT = TypeVar("PartT")


@dataclass(slots=True, eq=False)
class WholeText(Generic[PartT]):
    """A text while it is read; `parts` holds what was kept of each window that was read, by the window's number."""

    index: int
    text: str
    parts: dict[int, PartT] = field(default_factory=dict)
    made: int = 0
    cut: int = 0
    exhausted: bool = False

    @property
    def complete(self) -> bool:
        """Whether all of it was read."""
        return self.exhausted and len(self.parts) == self.made

    def total(self, card: ModelCard) -> int:
        """How many windows there are, an estimate until the text's end was reached."""
        if self.exhausted:
            return self.made
        return self.made + estimate_windows(len(self.text) - self.cut, card.window, card.stride)

    def beginning(self) -> list[PartT]:
        """The parts in the order of the text, up to the first window that was not read yet."""
        found: list[PartT] = []
        while len(found) in self.parts:
            found.append(self.parts[len(found)])
        return found

    def windows(
        self, template: PairTemplate, model: ReadyModel, report: Report
    ) -> Iterator[tuple[int, Window]]:
        """Its windows with their numbers, tokenised as they are asked for; at least one."""
        held: Window | None = None
        for window in text_windows(self.text, template, model, report):
            self.cut = int(window.ends[-1]) if len(window.ends) else self.cut
            self.made += 1
            if held is not None:
                yield self.made - 2, held
            held = window
        assert held is not None  # a text has at least one
        self.exhausted = True
        yield self.made - 1, held


def read_whole(
    texts: tuple[str, ...],
    model: ReadyModel,
    report: Report,
    keep: Callable[[Window, np.ndarray], PartT],
    *,
    in_order: bool = False,
) -> Iterator[WholeText[PartT]]:
    """Reads the windows of texts in mixed batches; yields each window's text after it was read.

    `keep` says what is kept of a window and its row of the head's `logits`. With `in_order` windows are read from the
    first one on, few at a time, else sorted by their length. Raises SpanlightError where logits are not numbers,
    Stopped when the work is to stop.
    """
    template = PairTemplate.of(model.tokenizer)
    run = Runner(model, report)

    def pieces() -> Iterator[tuple[WholeText[PartT], int, Window]]:
        for index, text in enumerate(texts):
            whole: WholeText[PartT] = WholeText(index, text)
            for number, window in whole.windows(template, model, report):
                yield whole, number, window

    if in_order:
        batches = _groups(pieces(), group_size(model))
    else:
        batches = by_length(pieces(), lambda piece: piece[2], batch_size(model))
    for batch in batches:
        arrays, _ = run([window for _, _, window in batch])
        logits = arrays["logits"]
        require_finite(bool(np.isfinite(logits).all()), model)
        for row, (whole, number, window) in enumerate(batch):
            whole.parts[number] = keep(window, logits[row])
            yield whole


def _groups(items: Iterable[PartT], size: int) -> Iterator[list[PartT]]:
    source = iter(items)
    while group := list(islice(source, size)):
        yield group
