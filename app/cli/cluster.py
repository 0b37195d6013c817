"""The option --cluster of `table` and `classify`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from app.cli.terminal import TerminalReport, count, one_line, print_result
from app.core.errors import SpanlightError
from app.core.wording import duration, size
from app.flows.answer_table.export import export_documents, require_fits
from app.flows.answer_table.questions import columns_of
from app.flows.cluster.plan import Estimate, estimate, find_documents
from app.flows.cluster.results import import_results
from app.flows.cluster.rows import number_columns
from app.flows.cluster.run import RunResult, ask_documents, latest_rows, require_ray
from app.flows.cluster.store import ROWS_SUFFIX, is_address
from app.flows.cluster.texts import classify_texts_on_cluster, find_texts, write_classes
from app.flows.library.folders import is_folder
from app.flows.rows import FORMATS, lock_output, refuse_same_file, refuse_unwritable
from app.flows.workspace import Workspace


def table_on_cluster(
    arguments: argparse.Namespace,
    questions: tuple[str, ...],
    workspace: Workspace,
    report: TerminalReport,
) -> None:
    """Have a cluster ask the documents of --over, or estimate what that takes (--dry-run)."""
    columns = number_columns(columns_of(questions))
    if arguments.dry_run:
        if workspace.settings.precision == "auto":
            workspace.settings.precision = "float32"  # as the nodes do; for this command only
        items = find_documents(workspace, arguments.over, report)
        found = estimate(workspace, items, columns, report, model=arguments.model)
        _print_estimate(found, arguments, len(columns))
        return
    require_ray(arguments.cluster)
    items = find_documents(workspace, arguments.over, report)
    is_folder_or_address = is_address(arguments.over) or is_folder(arguments.over)
    over = str(
        arguments.over if is_address(arguments.over) else os.path.normpath(Path(arguments.over).absolute())
    )
    require_fits(Path(arguments.output).suffix.lower(), len(items) * len(columns))
    read = (arguments.questions, arguments.over)
    with _row_folder(arguments.output, FORMATS, read) as (place, output):
        result = ask_documents(
            workspace,
            columns,
            items,
            place,
            arguments.cluster,
            report,
            over=over if is_folder_or_address else "",
            model=arguments.model,
            device=arguments.device,
        )
        if output is not None:
            rows = latest_rows(items, place, report)
            documents = ((row.file, {cell.column: cell for cell in row.cells}) for row in rows)
            export_documents(columns, documents, output, report)
    _print_result(result, "document", place, arguments)


def classify_on_cluster(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Have a cluster classify the texts of --file."""
    if arguments.output is None or arguments.labels is not None:
        raise SpanlightError("--cluster goes with --file and --output, and without --labels.", "Name both.")
    require_ray(arguments.cluster)
    texts = find_texts(workspace, arguments.file, arguments.column or "", report, model=arguments.model)
    with _row_folder(arguments.output, (".csv",), [arguments.file]) as (place, output):
        result = classify_texts_on_cluster(
            workspace, texts, place, arguments.cluster, report, model=arguments.model, device=arguments.device
        )
        if output is not None:
            write_classes(texts, place, output, report)
    _print_result(result, "text", place, arguments)


def import_table(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Import a cluster's results, or an exported table, as a table."""
    found = import_results(workspace, arguments.results, report, name=arguments.name)
    words = f"{count(found.cells, 'answer')} of {count(found.documents, 'document')}"
    values = {"table": found.table.name, "documents": found.documents, "answers": found.cells}
    print_result(arguments.json, values, f"{words} are in the table “{one_line(found.table.name)}”.")


@contextmanager
def _row_folder(
    output: str, formats: tuple[str, ...], read: Sequence[str]
) -> Iterator[tuple[str, Path | None]]:
    """Hold the folder that the rows go to, and yield it with the file that they are brought together in, if any.

    No other process writes to the folder meanwhile; an address of remote storage is not held. Raises SpanlightError if
    the file is one of those that are `read`.
    """
    if is_address(output):
        yield output, None
        return
    path = Path(output)
    together = path if path.suffix.lower() in formats else None
    if together is not None:
        for source in read:
            refuse_same_file(Path(source), together)
        refuse_unwritable(together)
        path = path.with_name(f"{path.name}{ROWS_SUFFIX}")
    elif path.is_file():
        raise SpanlightError(f"“{output}” is a file.", "Name a folder, or a file that ends with .csv.")
    refuse_unwritable(path / "rows")
    with lock_output(path):
        yield str(path), together


def _print_estimate(found: Estimate, arguments: argparse.Namespace, questions: int) -> None:
    values = {
        "documents": found.documents,
        "bytes": found.size,
        "pages": found.pages,
        "hours": found.hours,
        "measured": found.measured,
    }
    pages = f", about {count(found.pages, 'page')}" if found.pages else ""
    words = (
        f"{count(found.documents, 'document')}, {size(found.size)}{pages}; {count(questions, 'question')} each.\n"
        f"One machine like this one: about {duration(3600 * found.hours)}, by {count(found.measured, 'document')} that"
        " were measured now."
    )
    print_result(arguments.json, values, words)


def _print_result(result: RunResult, what: str, place: str, arguments: argparse.Namespace) -> None:
    before = f", {result.before:,} before" if result.before else ""
    failed = f" {count(result.failed, what)} failed, with the reason." if result.failed else ""
    words = f"{count(result.read, what)} done{before}, in {duration(result.seconds)}.{failed}"
    print_result(arguments.json, asdict(result) | {"rows": place}, words)
