"""Reads and clears the network ledger, which records every request and its reason."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import LedgerEntry
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.download.ledger import read_ledger


def ledger(workspace: Workspace, report: Report) -> tuple[LedgerEntry, ...]:
    """The recorded requests, latest first, except for old ones. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        return read_ledger(path)
    except OSError as fault:
        raise SpanlightError(
            Message("The network ledger cannot be read: {reason}.", reason=fault.strerror or str(fault)),
            Message("Check {path}.", path=str(path)),
        ) from fault


def has_ledger(workspace: Workspace, report: Report) -> bool:
    """Whether any request was ever recorded, even if the ledger was cleared since."""
    return workspace.paths.ledger_file.exists()


def clear_ledger(workspace: Workspace, report: Report) -> None:
    """Clear the ledger; an empty file stays, so that `has_ledger` stays true. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        if path.exists():
            path.write_bytes(b"")
    except OSError as fault:
        raise SpanlightError(
            Message("The network ledger cannot be cleared: {reason}.", reason=fault.strerror or str(fault)),
            Message("Check {path}.", path=str(path)),
        ) from fault
