"""What the tests of running out of memory share: a long text, each step's notice, and how a Host is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.models import Head
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine.orders import Run
from app.engine.process import Host
from tests.helpers.fake_models import Noted

QA = Head.QUESTION_ANSWERING
TEXT = " ".join(
    f"The queen made {n} tarts, and the knave of hearts stole them in year {n * 7}." for n in range(60)
)
QUESTION = Question("Who stole the tarts?", (Document(TEXT),), threshold=0.0, in_order=True)

LESS = "The GPU's memory ran out: less is read at a time."
CPU = "The GPU's memory ran out: the model now runs on the CPU."
CPU_LESS = "This computer's memory ran out: less is read at a time."


def shorter(window: int, whose: str = "The GPU's") -> str:
    return f"{whose} memory ran out: the text is read in shorter windows of {window} tokens."


def ask(
    host: Host, folder: Path, request: Any = QUESTION, device: str = "auto", finder: Path | str = ""
) -> tuple[Any, list[str]]:
    """Return the result of a request, and the notices given meanwhile."""
    report = Noted()
    return host(Run(request, ModelChoice(str(folder), device, finder=str(finder))), report), report.notices
