"""A correction to test with."""

from __future__ import annotations

from array import array

from app.core.corrections import Correction, Verdict
from app.core.layout import Kind
from app.core.models import Adjustment
from app.core.text import Replacement, Span, View

TEXT = "Opening hours\nThe pool opens at nine.\nIt closes at eight.\n"
CORRECTION = Correction(
    question="When does it close?",
    name="pool.txt",
    path="/home/me/pool.txt",
    sha256="a" * 64,
    kind=Kind.TEXT,
    verdict=Verdict.OTHER_WORDS,
    words="eight",
    span=Span(52, 57),
    shown="nine",
    shown_span=Span(32, 36),
    probability=0.61,
    no_answer=0.2,
    answered=True,
    passage=TEXT,
    passage_start=0,
    view=View((Replacement(0, 0, "Pool: "),), array("i", [14]), ((0, "Opening hours"),)),
    in_parts=False,
    in_table=True,
    model="reader",
    weights="0123456789abcdef",
    judged=1000.0,
    adjustment=Adjustment(0.5, 0.3, 1.5, 0.7),
)
