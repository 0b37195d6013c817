"""Exports of answers from the history, in the formats of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.report import Report
from app.flows.history.export_annotations import web_annotations
from app.flows.history.export_formats import FORMATS, Format
from app.flows.history.export_pdf import marked_copies
from app.flows.history.export_squad import squad
from app.flows.history.export_text import page, table
from app.flows.workspace import Workspace
from app.settings.files import write_atomic


@dataclass(frozen=True, slots=True)
class Exported:
    """How many entries were exported, to which files, and sentences for the user."""

    count: int
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedText:
    """An export as text, its number of entries, and sentences for the user."""

    text: str
    count: int
    notes: tuple[str, ...] = ()


def export(
    workspace: Workspace,
    entries: Sequence[Entry],
    kind: str,
    output: Path,
    report: Report,
    *,
    password: str = "",
) -> Exported:
    """Write entries to a file, whole or not at all; `kind` is the key of one of `export_formats.FORMATS`.

    Raises SpanlightError for no entries, for an unknown kind and where the disk refuses; Stopped when cancelled.
    """
    if not _format(kind).is_text:
        _require(entries)
        marked = marked_copies(workspace, entries, output, report, password=password)
        return Exported(marked.count, marked.files, marked.notes)
    exported = export_text(workspace, entries, kind, report, password=password)
    report.check()
    # A spreadsheet recognises the encoding by the byte order mark.
    encoding = "utf-8-sig" if kind == "csv" else "utf-8"
    write_atomic(output, exported.text.encode(encoding, "replace"), private=False)
    return Exported(exported.count, (output,), exported.notes)


def export_text(
    workspace: Workspace, entries: Sequence[Entry], kind: str, report: Report, *, password: str = ""
) -> ExportedText:
    """Entries in one of the formats that are text; raises SpanlightError for no entries and for other formats."""
    if not _format(kind).is_text:
        raise SpanlightError(f"{kind} is not text.", "Name a file that it is to be written to.")
    _require(entries)
    match kind:
        case "csv":
            return ExportedText(table(entries), len(entries))
        case "markdown":
            return ExportedText(page(entries), len(entries))
        case "json":
            return ExportedText(web_annotations(entries), len(entries))
        case _:
            text, questions, notes = squad(workspace, entries, report, password=password)
            return ExportedText(text, questions, tuple(notes))


def _require(entries: Sequence[Entry]) -> None:
    if not entries:
        raise SpanlightError("There is nothing to export.", "Ask something first, or look for other words.")


def _format(kind: str) -> Format:
    for one in FORMATS:
        if one.key == kind:
            return one
    known = ", ".join(one.key for one in FORMATS)
    raise SpanlightError(f"There is no format “{kind}”.", f"The formats are: {known}.")
