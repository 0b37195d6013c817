"""Keep what a person says of an answer, so that a reader can learn from it."""

from __future__ import annotations

import time
from pathlib import Path

from app.core.corrections import Correction, Verdict, passage_around
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Opened
from app.core.report import Report
from app.core.text import Span
from app.flows.teach.calibration import follow_verdicts, readers_named
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint, last_changed


def correct(
    workspace: Workspace,
    opened: Opened,
    entry: Entry,
    verdict: Verdict,
    report: Report,
    *,
    span: Span | None = None,
) -> Correction | None:
    """Keep a verdict on the first answer of an entry, in place of an earlier one on its question and document.

    `opened` is the document that was asked, and `span` the place of the right words there for `OTHER_WORDS`. NONE takes
    a verdict back, and returns None. The reader's calibration follows the verdicts. Raises SpanlightError where the
    document has changed since.
    """
    before = workspace.corrections.find(entry.sha256, entry.question)
    if verdict is Verdict.NONE:
        workspace.corrections.take_back(entry.sha256, entry.question)
        follow_verdicts(workspace, [before] if before else [], report)
        return None
    document = opened.document
    shown = entry.answers[0] if entry.answers else None
    if shown is not None and shown.span.of(document.text) != shown.text:
        raise SpanlightError(f"{entry.name} has changed since this was asked.", "Ask again.")
    if verdict is Verdict.RIGHT:
        span = shown.span if shown is not None else None
    elif verdict is Verdict.NOT_THERE:
        span = None
    shown_span = shown.span if shown is not None else None
    start, passage, view = passage_around(document, span or shown_span)
    weights = _weights(workspace, entry)
    kept = workspace.corrections.put(
        Correction(
            question=entry.question,
            name=entry.name,
            path=entry.path,
            sha256=entry.sha256,
            kind=entry.kind,
            verdict=verdict,
            words=span.of(document.text) if span is not None else "",
            span=span,
            shown=shown.text if shown is not None else "",
            shown_span=shown_span,
            probability=shown.probability if shown is not None else 0.0,
            no_answer=entry.no_answer_probability,
            answered=entry.answered,
            passage=passage,
            passage_start=start,
            view=view,
            in_parts=entry.windows_total > 1,
            in_table=shown_span is not None and document.in_table(shown_span),
            model=entry.model,
            weights=weights,
            judged=time.time(),
            adjustment=workspace.adjustments.at(weights, entry.asked),
        )
    )
    follow_verdicts(workspace, [*([before] if before else []), kept], report)
    return kept


def _weights(workspace: Workspace, entry: Entry) -> str:
    """The fingerprint of the reader of an entry; empty where it is gone, was changed since, or is one of several."""
    try:
        cards = readers_named(workspace, entry.model)
        folder = Path(cards[0].folder) if len(cards) == 1 else None
        return fingerprint(folder) if folder and last_changed(folder) <= entry.asked else ""
    except SpanlightError:
        return ""
