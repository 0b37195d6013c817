"""Cuts a single text into windows; a text without tokens has one empty window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.core.report import Report
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import Tokens, tokenise
from app.tasks.text.windows import PairTemplate, Window, single_windows


def text_windows(text: str, template: PairTemplate, model: ReadyModel, report: Report) -> Iterator[Window]:
    """The windows of a text in its order, tokenised lazily; at least one.

    Raises Stopped when the work is to stop.
    """
    chunks = _checked(tokenise(model.tokenizer, text), report)
    cut = single_windows(template, chunks, text, length=model.card.window, stride=model.card.stride)
    first = next(cut, None)
    yield _empty_window(template) if first is None else first
    yield from cut


def _checked(chunks: Iterator[Tokens], report: Report) -> Iterator[Tokens]:
    for chunk in chunks:
        report.check()
        yield chunk


def _empty_window(template: PairTemplate) -> Window:
    ids, types = template.single(())
    none = np.zeros(0, dtype=np.int32)
    return Window(ids, types, len(template.single_parts[0]), 0, none, none, none.astype(bool))
