"""Measure how well and how fast the text of pictures is recognised."""

from __future__ import annotations

from pathlib import Path

from app.bench.plan import BenchPlan
from app.bench.results import BenchPart
from app.core.errors import SpanlightError
from app.core.report import Report
from app.flows.workspace import Workspace


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """The errors, places and seconds of each resolution, and the answers on recognised text."""
    if not plan.data or not (Path(plan.data) / "documents").is_dir():
        raise SpanlightError(
            "Recognition is measured on PDFs, which are not there.",
            "Name the folder that holds documents and questions with --data FOLDER.",
        )
    from app.bench.scans import measure_scans  # it draws with Qt

    return measure_scans(workspace, plan, report)
