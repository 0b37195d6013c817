"""Exports answers from the history: in the formats of other programs, and as highlights in copies of their PDFs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import open_regular
from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.orders import Highlight, MarkUp
from app.flows.history.export_annotations import web_annotations
from app.flows.history.export_formats import FORMATS, Exported, require_format, write_text
from app.flows.history.export_squad import squad_json
from app.flows.history.export_text import answers_csv, answers_markdown
from app.flows.history.history import shorten
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


def write_marked_copies(
    workspace: Workspace, entries: Sequence[Entry], output: Path, report: Report, *, password: str = ""
) -> Exported:
    """Write a copy of each PDF with its answers highlighted: to `output`, or into its folder if there are several.

    Each of several copies has the name of `output` followed by that of the PDF. Raises SpanlightError where no answer
    is in a PDF, where a copy would overwrite an original, and where the disk refuses.
    """
    by_file: dict[str, list[Entry]] = {}
    elsewhere = 0
    for entry in entries:
        if entry.kind is Kind.PDF and entry.path and entry.shown is not None:
            by_file.setdefault(entry.path, []).append(entry)
        elif entry.shown is not None:
            elsewhere += 1
    if not by_file:
        raise SpanlightError(
            Message("None of these answers stands in a PDF, so there is nothing to mark."),
            Message("Choose another format."),
        )
    notes: list[str] = []
    if elsewhere:
        notes.append(
            Message(
                "{n:,} answer in documents other than PDF left out.",
                "{n:,} answers in documents other than PDF left out.",
                n=elsewhere,
            )
        )
    outputs = _copy_paths(list(by_file), output)
    marked, files = 0, []
    for at, (path, found) in enumerate(by_file.items()):
        report.check()
        report.progress(Progress(at, len(by_file), Message("Marking PDFs")))
        try:
            reasons = _mark(workspace, path, found, outputs[path], report, password)
        except SpanlightError as fault:
            if len(by_file) == 1:
                raise
            notes.append(str(fault))
            continue
        marked += sum(not reason for reason in reasons)
        if not all(reasons):  # otherwise the copy would equal the original
            files.append(outputs[path])
        for entry, reason in zip(found, reasons, strict=True):
            if reason and entry.shown is not None:
                notes.append(_unmarked_note(entry.name, entry.shown, reason))
    return Exported(marked, files=tuple(files), notes=tuple(notes))


def _unmarked_note(document: str, answer: KeptAnswer, reason: str) -> str:
    words = shorten(answer.text, 60)
    if page := answer.where:
        return Message(
            "“{words}” on {page} of {document} was not marked: {reason}",
            words=words, page=page, document=document, reason=reason,
        )  # fmt: skip
    return Message(
        "“{words}” of {document} was not marked: {reason}", words=words, document=document, reason=reason
    )


def _copy_paths(paths: Sequence[str], output: Path) -> dict[str, Path]:
    """The path of each copy. Raises SpanlightError for one that is a source PDF's."""
    outputs: dict[str, Path] = {}
    for path in paths:
        name = output.name if len(paths) == 1 else f"{output.stem} - {Path(path).stem}{output.suffix}"
        free, number = output.with_name(name), 2
        while free in outputs.values():
            free = output.with_name(f"{Path(name).stem} {number}{output.suffix}")
            number += 1
        outputs[path] = free
    for copy in outputs.values():
        if any(_same_file(copy, Path(path)) for path in paths):
            raise SpanlightError(
                Message("{file} is the document itself.", file=str(copy)),
                Message("Choose another name for the copy."),
            )
    return outputs


def _mark(
    workspace: Workspace, path: str, entries: Sequence[Entry], output: Path, report: Report, password: str
) -> Sequence[str]:
    """Write a marked copy, and return for each answer why it was not marked, "" if it was."""
    name = Path(path).name
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    fitting = [entry for entry in entries if entry.sha256 == digest]
    if not fitting:
        raise SpanlightError(
            Message("{name} has changed since it was asked.", name=name), Message("Ask again, then export.")
        )
    highlights = tuple(
        Highlight(entry.shown.span, entry.shown.text, f"{shorten(entry.question)}\n{entry.likely}")
        for entry in fitting
        if entry.shown is not None
    )
    order = MarkUp(path, str(output), highlights, password)
    reasons = iter(workspace.documents.mark_up(order, report))
    return [
        next(reasons) if entry.sha256 == digest else Message("the file has changed since it was asked.")
        for entry in entries
    ]


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
