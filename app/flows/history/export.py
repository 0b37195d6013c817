"""Exports answers from the history in the formats of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.message import Message
from app.core.report import Report
from app.flows.history.export_annotations import web_annotations
from app.flows.history.export_formats import FORMATS, Exported, require_format, write_text
from app.flows.history.export_pdf import write_marked_copies
from app.flows.history.export_squad import squad_json
from app.flows.history.export_text import answers_csv, answers_markdown
from app.flows.teach.corrections import corrections_of
from app.flows.workspace import Workspace


def export(
    workspace: Workspace,
    entries: Sequence[Entry],
    kind: str,
    output: Path,
    report: Report,
    *,
    password: str = "",
) -> Exported:
    """Write entries to a file, whole or not at all; `kind` is the key of one of `FORMATS`.

    Raises SpanlightError for no entries, for an unknown kind and where the disk refuses; Stopped when cancelled.
    """
    if not require_format(FORMATS, kind).is_text:
        _refuse_none(entries)
        return write_marked_copies(workspace, entries, output, report, password=password)
    exported = export_text(workspace, entries, kind, report, password=password)
    report.check()
    write_text(exported.text, kind, output)
    return replace(exported, files=(output,))


def export_text(
    workspace: Workspace, entries: Sequence[Entry], kind: str, report: Report, *, password: str = ""
) -> Exported:
    """Export entries in one of the text formats; raises SpanlightError for no entries and for other formats."""
    if not require_format(FORMATS, kind).is_text:
        raise SpanlightError(
            Message("{kind} is not text.", kind=kind), Message("Name a file that it is to be written to.")
        )
    _refuse_none(entries)
    corrections = corrections_of(workspace, entries)
    match kind:
        case "csv":
            return Exported(len(entries), answers_csv(entries, corrections))
        case "markdown":
            return Exported(len(entries), answers_markdown(entries, corrections))
        case "json":
            return Exported(len(entries), web_annotations(entries, corrections))
        case _:
            return squad_json(workspace, entries, corrections, report, password=password)


def _refuse_none(entries: Sequence[Entry]) -> None:
    if not entries:
        raise SpanlightError(
            Message("There is nothing to export."), Message("Ask something first, or look for other words.")
        )
