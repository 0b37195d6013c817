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


def ledger_begun(workspace: Workspace, report: Report) -> bool:
    """Whether a request was ever written down, cleared ones too."""
    return workspace.paths.ledger_file.exists()


def clear_ledger(workspace: Workspace, report: Report) -> None:
    """Forget all requests made so far; an empty file stays, since some were made. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        if path.exists():
            path.write_bytes(b"")
    except OSError as fault:
        raise SpanlightError(
            f"The network ledger cannot be cleared: {fault.strerror or fault}.", f"Check {path}."
        ) from fault
