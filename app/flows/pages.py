"""Draw the pages of a PDF, and write a copy of it with highlights."""

from __future__ import annotations

from app.core.layout import Opened, Picture
from app.core.report import Report
from app.documents.orders import Draw, MarkUp
from app.flows.workspace import Workspace


def draw_page(workspace: Workspace, order: Draw, report: Report) -> Picture:
    """A part of a page as pixels; raises SpanlightError where it cannot be drawn, Stopped when stopped."""
    return workspace.documents.draw(order, report)


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
    """A part of a page of a PDF that was opened; raises as `draw_page`, and where its file has changed since."""
    part = (page, scale, left, top, width, height)
    state = (opened.modified, opened.size, opened.sha256)
    return draw_page(workspace, Draw(opened.document.path, *part, password, *state), report)


def mark_up(workspace: Workspace, order: MarkUp, report: Report) -> tuple[str, ...]:
    """Write a copy of a PDF with highlights; why each was left out, empty where it was not; raises as `draw_page`."""
    return workspace.documents.mark_up(order, report)
