"""Draw the pages of a PDF, and write a copy of it with highlights."""

from __future__ import annotations

from app.core.layout import Opened, Picture
from app.core.report import Report
from app.documents.orders import Draw, MarkUp
from app.flows.workspace import Workspace


def draw_part(
    workspace: Workspace,
    opened: Opened,
    page: int,
    scale: float,
    left: int,
    top: int,
    width: int,
    height: int,
    report: Report,
    *,
    password: str = "",
) -> Picture:
    """A part of a page of an opened PDF as pixels, in the units of orders.Draw.

    Raises SpanlightError where it cannot be drawn or its file has changed since, and Stopped when cancelled.
    """
    part = (page, scale, left, top, width, height)
    state = (opened.modified, opened.size, opened.sha256)
    return workspace.documents.draw(Draw(opened.document.path, *part, password, *state), report)


def mark_up(workspace: Workspace, order: MarkUp, report: Report) -> tuple[str, ...]:
    """Write a copy of a PDF with highlights; for each why it was left out, else empty; raises as `draw_part`."""
    return workspace.documents.mark_up(order, report)
