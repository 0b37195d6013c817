"""Make documents ready for questions while the person still types."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.models import Head
from app.core.report import Report
from app.core.text import Document
from app.flows.ask.question import with_view
from app.flows.workspace import Workspace


def prepare(
    workspace: Workspace, documents: Sequence[Document], report: Report, *, model: str = "", device: str = ""
) -> None:
    """Have the model process load the reader, and keep these documents' texts and tokens.

    Nothing depends on it: a question that comes before, or whose documents changed, is answered as well, only later.
    Raises what `ask` raises; Stopped, within some milliseconds, when the report says so.
    """
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, use=False)
    workspace.engine.prepare(tuple(map(with_view, documents)), choice, report)
