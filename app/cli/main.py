"""The command line: one subcommand a flow."""

from __future__ import annotations

import argparse
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Protocol

from app.cli.terminal import TerminalReport
from app.core import about
from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.flows.workspace import Workspace, open_workspace
from app.settings.log import log_bug, start_log
from app.settings.paths import default_paths

if TYPE_CHECKING:
    from app.flows.early import Child

OK, BUG, INPUT_ERROR, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


class Command(Protocol):
    """What each module of a subcommand offers."""

    def parser(self) -> argparse.ArgumentParser:
        """The subcommand's arguments."""

    def run(self, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
        """Do the work and print what it brought."""


def main(argv: list[str], early: Child | None = None) -> int:
    """Run the subcommand that `argv` begins with; gives the exit code.

    0 on success, 2 for a usage or input error with one line on standard error, 130 after Ctrl+C, 1 for a bug, which
    goes to the log. `early` is the model process, where it was begun.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Another program expects UTF-8; a terminal says itself what it can show.
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    report = TerminalReport(sys.stderr)
    log = ""
    try:
        paths = default_paths()
        log = str(paths.log_file)
        start_log(paths.log_file)
        command = _command(argv[0] if argv else "")
        arguments = command.parser().parse_intermixed_args(argv[1:])
        with report.stopping():
            workspace = open_workspace(paths, early)
            if precision := getattr(arguments, "precision", ""):
                workspace.settings.precision = (
                    precision  # for this once: nothing that takes it saves settings
                )
            try:
                command.run(arguments, workspace, report)
                sys.stdout.flush()  # to end the processes takes a moment
            finally:
                workspace.close()
                report.clear()
    except SystemExit as leaving:  # argparse has printed the help
        return int(leaving.code or 0)
    except SpanlightError as fault:
        return _say(" ".join(str(fault).split()), INPUT_ERROR)
    except (Stopped, KeyboardInterrupt):
        return _say("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has enough; keep the interpreter from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as fault:
        from app.core.system_libraries import broken_installation

        log_bug(fault)
        told = broken_installation(fault)
        if told is not None:
            return _say(str(told), INPUT_ERROR)
        return _say(
            f"Something went wrong inside Spanlight ({type(fault).__name__}); the log {log} tells more.", BUG
        )
    finally:
        if early is not None:
            early.close()
    return OK


def _command(name: str) -> Command:
    """The subcommand's module; only the one that is needed is imported."""
    match name:
        case "ask":
            from app.cli import ask

            return ask
        case "text":
            from app.cli import text

            return text
        case "classify":
            from app.cli import classify

            return classify
        case "fill":
            from app.cli import fill

            return fill
        case "next":
            from app.cli import follow

            return follow
        case "tokens":
            from app.cli import tokens

            return tokens
        case "inspect":
            from app.cli import inspect

            return inspect
        case "evaluate":
            from app.cli import evaluate

            return evaluate
        case "bench":
            try:
                from app.bench import command as bench
            except ModuleNotFoundError:
                raise SpanlightError(
                    "What measures Spanlight does not come along with an installer.",
                    "Run it from its source.",
                ) from None

            return bench
        case "train":
            from app.cli import train

            return train
        case "models":
            from app.cli.models import command

            return command
        case "history":
            from app.cli import history

            return history
        case "export":
            from app.cli import export

            return export
        case "updates":
            from app.cli import updates

            return updates
    raise SpanlightError(f"There is no command “{name}”.", f"See {about.command()} --help.")


def _say(sentence: str, code: int) -> int:
    sys.stderr.write(sentence + "\n")
    return code
