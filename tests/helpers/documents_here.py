"""The documents process's work done in this process, for tests that are about something else."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from app.core.report import Report
from app.documents.language import stretches
from app.documents.orders import DetectLanguage, MarkUp, ReadSheet
from app.documents.process import DocumentWorker, Order
from app.flows.ask.document_process import CopyWriter, Documents, SheetRows
from app.flows.workspace import Workspace


class _Here:
    """Reads, draws and marks as Documents does, without a process; `orders` remembers what was asked."""

    pids = (None, None)
    confined = None

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self._clerk = DocumentWorker()
        self._alone = threading.Lock()  # pictures are recognised by another thread, and the engine takes one

    def read(self, order: Order, report: Report) -> Any:
        self.orders.append(order)
        with self._alone:
            return self._clerk.carry_out(order, report)

    draw = read

    recognise = read

    def mark_up(self, order: MarkUp, report: Report) -> Any:
        with contextlib.ExitStack() as written:
            return self.read(order, CopyWriter(report, order.output, written))

    def rows(self, path: Path, report: Report) -> Any:
        found = SheetRows(report)
        self.read(ReadSheet(str(path)), found)
        return found.rows

    extend = read

    def language(self, text: str, report: Report) -> Any:
        return self._clerk.carry_out(DetectLanguage(stretches(text)), report)

    def close(self) -> None:
        self._clerk.close()


def documents_here() -> Documents:
    """Documents without a process."""
    return cast("Documents", _Here())


def reads_here() -> Workspace:
    """As much of a workspace as reading files takes, without a process."""
    return cast("Workspace", SimpleNamespace(documents=documents_here()))
