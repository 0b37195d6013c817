"""What the classify page has done in a lane, and what counts as a text."""

from __future__ import annotations

from app.core.inspection import Subject, Visit
from app.core.models import Head
from app.ui.heads.classify.class_panel import ONE

DRAFT = "classify"


def texts_of(text: str, way: str) -> tuple[str, ...]:
    """What is to be classified: the whole text, or each line that holds more than blanks."""
    if way == ONE:
        return (text,) if text.strip() else ()
    return tuple(line.strip() for line in text.split("\n") if line.strip())


def visit_of(text: str, model: str) -> Visit:
    """What there is to look into of a text that was classified by this model."""
    return Visit(Subject(Head.CLASSIFICATION, text), model, " ".join(text.split())[:80])
