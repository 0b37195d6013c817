"""The network ledger: every request that was made, and why."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.network import LedgerEntry
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.download.ledger import read_ledger


def ledger(workspace: Workspace, report: Report) -> tuple[LedgerEntry, ...]:
    """The requests made, the latest first; older ones are dropped in time. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        return read_ledger(path)
    except OSError as fault:
        raise SpanlightError(
            f"The network ledger cannot be read: {fault.strerror or fault}.", f"Check {path}."
        ) from fault


def clear_ledger(workspace: Workspace, report: Report) -> None:
    """Forget all requests made so far. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        path.unlink(missing_ok=True)
    except OSError as fault:
        raise SpanlightError(
            f"The network ledger cannot be cleared: {fault.strerror or fault}.", f"Check {path}."
        ) from fault
