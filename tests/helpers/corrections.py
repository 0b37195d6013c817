"""Corrections as the person's verdicts make them."""

from __future__ import annotations

from dataclasses import replace

from app.core.corrections import Correction, Verdict
from app.core.layout import Kind
from app.core.text import Span

PASSAGE = "Either party may end this lease with sixty (60) days of notice. The rent is 900 euros."
SHOWN, OWN = "sixty (60) days", "60"


def correction(question: str = "How long is the notice?", **changes: object) -> Correction:
    """A correction of the notice's length, with these changes."""
    start = 100 + PASSAGE.index(SHOWN)
    at = 100 + PASSAGE.index(OWN)
    found = Correction(
        question=question,
        name="lease.pdf",
        path="/papers/lease.pdf",
        sha256="a" * 64,
        kind=Kind.PDF,
        verdict=Verdict.OTHER_WORDS,
        words=OWN,
        span=Span(at, at + len(OWN)),
        shown=SHOWN,
        shown_span=Span(start, start + len(SHOWN)),
        probability=0.62,
        no_answer=0.2,
        answered=True,
        passage=PASSAGE,
        passage_start=100,
        view=None,
        in_parts=False,
        in_table=False,
        model="reader",
        weights="0" * 16,
        judged=1_795_000_000.0,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def right(question: str, **changes: object) -> Correction:
    """One that says that the reader was right."""
    found = correction(question)
    return replace(
        found,
        verdict=Verdict.RIGHT,
        words=found.shown,
        span=found.shown_span,
        **changes,  # type: ignore[arg-type]
    )


def absent(question: str, **changes: object) -> Correction:
    """One that says that the text does not answer."""
    return correction(question, verdict=Verdict.NOT_THERE, words="", span=None, **changes)
