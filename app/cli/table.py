"""Ask many documents a list of questions, and write the table of answers."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict, replace
from pathlib import Path

from app.cli.library import save_walked
from app.cli.reading import path_name
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    count,
    new_parser,
    one_line,
    print_json,
    print_result,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.library import Library
from app.core.report import Silent, Stopped
from app.core.wording import duration
from app.flows.answer_table.export import export_table, write_back
from app.flows.answer_table.fill import fill, lock_table
from app.flows.answer_table.questions import columns_of, questions_from
from app.flows.answer_table.tables import find_or_add_table, tables
from app.flows.library.libraries import plan_library
from app.flows.library.update import update
from app.flows.rows import lock_output, refuse_same_file, refuse_unwritable, require_format
from app.flows.workspace import Workspace

_EPILOG = """\
QUESTIONS is a text file with a question in each line, a CSV file with a column named question (or with
the questions in its first column), or an XLSX file.

A folder, or a file, becomes a library of its own; its new and changed files are read first. The answers come
out as CSV or JSON Lines, a row or an object for each document and question, or as XLSX, with a sheet of
documents by questions and a sheet of all details. With --beside, the list itself comes out, as CSV or
XLSX, with the answers in columns behind its own.

Every answer is kept as soon as it is found. Stopped with Ctrl+C or SIGTERM, what was found is written; started
again, it goes on from there, and reads only new and changed files and new questions. The window shows the same
table. Of a list that was changed, OUT has the present questions in their order; the table keeps the others.

With --cluster a Ray cluster does the same for any number of documents (pip install 'spanlight[cluster]'): local
makes one of this computer, auto finds the one it belongs to, and an ADDRESS is that of a head node. All nodes
see the documents at the same paths, or at addresses such as s3://BUCKET/FOLDER; --over may then also be such an
address, or a text file with a path or an address in each line. OUT is a folder, or an address, of Parquet files
with a row for each document; of a name with .csv, .xlsx or .jsonl that folder is OUT.rows, and is brought
together in OUT. It computes on the CPU in float32, or with --device cuda with a GPU for each reader. Stopped or
broken off, the same command goes on. --dry-run tells what it would take. import OUT makes a table of the rows,
or of a table that was exported as JSON Lines.
"""
_LIST, _IMPORT = "list", "import"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `table`."""
    parser = new_parser("table", "Ask many documents a list of questions, and write the table.", _EPILOG)
    parser.add_argument(
        "questions",
        metavar="QUESTIONS",
        help="a list of questions; list shows the tables, import OUT adds one",
    )
    parser.add_argument("results", nargs="?", metavar="OUT", help="with import, what a cluster wrote")
    parser.add_argument("--over", type=path_name, metavar="FOLDER|FILE|LIBRARY", help="the documents")
    parser.add_argument("--output", metavar="OUT", help="the file to write: .csv, .xlsx or .jsonl")
    parser.add_argument("--name", default="", help="what the table is called")
    parser.add_argument("--beside", action="store_true", help="write the list with the answers beside it")
    parser.add_argument("--yes", action="store_true", help="read a folder of many files without asking")
    parser.add_argument(
        "--anew", action="store_true", help="read again what another model read and nobody judged"
    )
    parser.add_argument("--cluster", metavar="auto|local|ADDRESS", help="have a Ray cluster read them")
    parser.add_argument("--dry-run", action="store_true", help="with --cluster, tell what it would take")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Fill and write a table, import one, or list the tables."""
    if arguments.over is None and arguments.output is None and arguments.questions == _LIST:
        _list(workspace, report, arguments.json)
        return
    if arguments.results is not None:
        _import(arguments, workspace, report)
        return
    if arguments.dry_run and arguments.cluster is None:
        raise SpanlightError("--dry-run goes with --cluster.", "Add --cluster local.")
    if arguments.over is None or (arguments.output is None and not arguments.dry_run):
        missing = "--over FOLDER" if arguments.over is None else "--output OUT.xlsx"
        raise SpanlightError(f"{missing.partition(' ')[0]} is missing.", f"Add {missing}.")
    source = Path(arguments.questions)
    if arguments.cluster is not None:
        if arguments.beside or arguments.anew or arguments.name:
            raise SpanlightError("--beside, --anew and --name do not go with --cluster.", "Leave them out.")
        from app.cli.cluster import table_on_cluster

        table_on_cluster(arguments, questions_from(workspace, source, report), workspace, report)
        return
    output = Path(arguments.output)
    require_format(output, (".csv", ".xlsx") if arguments.beside else (".csv", ".xlsx", ".jsonl"))
    refuse_same_file(source, output)
    questions = questions_from(workspace, source, report)
    refuse_unwritable(output)
    with lock_output(output):
        _fill_and_write(arguments, questions, source, output, workspace, report)


def _import(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    if arguments.questions != _IMPORT or arguments.over is not None or arguments.output is not None:
        raise SpanlightError(
            f"{one_line(arguments.results)} is one argument too many.", f"See {command()} table --help."
        )
    from app.cli.cluster import import_table

    import_table(arguments, workspace, report)


def _fill_and_write(
    arguments: argparse.Namespace,
    questions: tuple[str, ...],
    source: Path,
    output: Path,
    workspace: Workspace,
    report: TerminalReport,
) -> None:
    library = _library(arguments, workspace, report)
    name = arguments.name or f"{source.stem}, {library.name}"
    table = find_or_add_table(workspace, name, library, columns_of(questions), report)
    # The table may have questions of an earlier list, or of the person in the window: they stay there.
    columns = {column.question: column for column in table.columns}
    table = replace(table, columns=tuple(columns[question] for question in questions))
    with lock_table(workspace, table):
        note = ""
        try:
            _update(workspace, library, report)
            filled = fill(
                workspace, table, report, model=arguments.model, device=arguments.device, anew=arguments.anew
            )
        except (Stopped, KeyboardInterrupt):
            note = f"What was read so far is in {one_line(str(output))}. To go on, give the same command."
            raise
        finally:
            # After a stop or an error too: what was read is worth having.
            if arguments.beside:
                write_back(workspace, table, source, output, Silent())
            else:
                export_table(workspace, table, output, Silent())
            if note:
                report.line(note)
    status = workspace.library.status(library)
    if arguments.json:
        made = {"table": table.name, "library": library.name, "questions": len(table.columns)}
        print_json(made | asdict(filled) | {"files": status.total, "files_read": status.read})
        return
    before = f", {filled.before:,} of them before" if filled.before else ""
    read = f"{count(filled.read + filled.before, 'answer')} read{before}"
    print(f"{read}, in {duration(filled.seconds)}. {status.in_words}.")
    if filled.in_part:
        cells = count(filled.in_part, "cell")
        status_of = one_line(f"{command()} library status {shlex.quote(library.name)}")
        print(
            f"{cells} without an answer in the part that was read of a file ({status_of} tells what is missing)."
        )
    if filled.failed:
        print(f"{count(filled.failed, 'answer')} could not be read now; start it again for these.")


def _library(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> Library:
    """Return the library of this name, or of this folder or file, which is created if there is none."""
    try:
        library = plan_library(workspace, [arguments.over])
    except SpanlightError as nothing_there:
        try:
            return workspace.library.library(arguments.over)
        except SpanlightError:
            if Path(arguments.over).name == arguments.over:
                raise
            raise nothing_there from None
    return library if library.number else save_walked(library, arguments, workspace, report)


def _update(workspace: Workspace, library: Library, report: TerminalReport) -> None:
    """Read new and changed files; if that is impossible now, continue with those that were read before."""
    try:
        update(workspace, library, report)
    except SpanlightError as fault:
        if not workspace.library.status(library).read:
            raise
        report.notice(f"{fault.message} Asking the files that were read earlier.")
    if unreachable := workspace.library.status(library).unreachable_in_words:
        report.line(unreachable)


def _list(workspace: Workspace, report: TerminalReport, as_json: bool) -> None:
    names = {library.number: library.name for library in workspace.library.libraries()}
    found = tables(workspace, report)
    values = [
        {
            "table": table.name,
            "library": names.get(table.library, ""),
            "questions": [column.question for column in table.columns],
        }
        for table in found
    ]
    lines = [
        f"{one_line(table.name)}: {count(len(table.columns), 'question')}"
        f" over {one_line(names.get(table.library, 'a library that was removed'))}"
        for table in found
    ]
    none = f"There are no tables yet; {command()} table QUESTIONS --over FOLDER --output OUT.xlsx makes one."
    print_result(as_json, {"tables": values}, "\n".join(lines) or none)
