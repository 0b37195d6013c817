"""The command line: runs the command that is named, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Protocol

from app.cli.terminal import TerminalReport, discard_output, end_with, output_error, set_up_streams
from app.core import about
from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.flows.workspace import Workspace, open_workspace
from app.settings.log import log_bug, start_log
from app.settings.paths import default_paths

if TYPE_CHECKING:
    from app.flows.early import Child

OK, BUG, INPUT_ERROR, PIPE_CLOSED = 0, 1, 2, 141


class Command(Protocol):
    """The interface of each command's module."""

    def parser(self) -> argparse.ArgumentParser:
        """Return the command's parser."""

    def run(self, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
        """Run the command and print its result."""


def main(argv: list[str], early: Child | None = None) -> int:
    """Run the command that `argv` begins with; returns the exit code.

    0 on success, 2 for a usage or input error with one line on standard error, 130 after Ctrl+C, 143 after SIGTERM, 129
    after SIGHUP, 141 if the reader of standard output is gone, 1 for a bug, which goes to the log. `early` is the model
    process, if already started.
    """
    set_up_streams()
    report = TerminalReport(sys.stderr)
    log = ""
    try:
        paths = default_paths()
        log = str(paths.log_file)
        start_log(paths.log_file)
        command = _command(argv[0] if argv else "")
        arguments = command.parser().parse_intermixed_args(argv[1:])
        with report.stopping(), report.printing():
            workspace = open_workspace(paths, early)
            if precision := getattr(arguments, "precision", ""):
                # For this run only: no command with this option saves settings.
                workspace.settings.precision = precision
            try:
                command.run(arguments, workspace, report)
                sys.stdout.flush()  # before the processes are ended, which takes a moment
            finally:
                workspace.close()
                report.clear()
    except SystemExit as leaving:  # argparse has printed the help
        refused = output_error()
        return end_with(str(refused), INPUT_ERROR) if refused is not None else int(leaving.code or 0)
    except SpanlightError as fault:
        return end_with(str(fault), INPUT_ERROR)
    except (Stopped, KeyboardInterrupt):
        return end_with("Stopped.", report.stopped_code)
    except BrokenPipeError:
        discard_output()
        return PIPE_CLOSED
    except Exception as fault:
        from app.core.files import disk_error
        from app.core.system_libraries import installation_error

        known = output_error() or installation_error(fault) or disk_error(fault)
        if known is not None:
            return end_with(str(known), INPUT_ERROR)
        log_bug(fault)
        return end_with(
            f"Something went wrong inside Spanlight ({type(fault).__name__}); the log {log} tells more.", BUG
        )
    finally:
        if early is not None:
            early.close()
    return OK


def _command(name: str) -> Command:
    """Return the command's module; only this one is imported."""
    command: Command
    match name:
        case "ask":
            from app.cli import ask as command
        case "text":
            from app.cli import text as command
        case "classify":
            from app.cli import classify as command
        case "fill":
            from app.cli import fill as command
        case "next":
            from app.cli import follow as command
        case "tokens":
            from app.cli import tokens as command
        case "inspect":
            from app.cli import inspect as command
        case "evaluate":
            from app.cli import evaluate as command
        case "bench":
            try:
                from app.bench import command
            except ModuleNotFoundError as fault:
                if fault.name != "app.bench":
                    raise
                raise SpanlightError(
                    "What measures Spanlight does not come along with an installer.",
                    "Run it from its source.",
                ) from None
        case "train":
            from app.cli import train as command
        case "teach":
            from app.cli import teach as command
        case "models":
            from app.cli.models import command
        case "history":
            from app.cli import history as command
        case "table":
            from app.cli import table as command
        case "export":
            from app.cli import export as command
        case "library":
            from app.cli import library as command
        case "updates":
            from app.cli import updates as command
        case _:
            raise SpanlightError(f"There is no command “{name}”.", f"See {about.command()} --help.")
    return command
