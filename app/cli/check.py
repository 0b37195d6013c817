"""Check that all of Spanlight works here."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from app.cli.terminal import (
    Parser,
    TerminalReport,
    end_with,
    new_parser,
    one_line,
    print_json,
    set_up_streams,
)
from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.core.wording import duration
from app.flows.check.run import check
from app.flows.check.trial import TrialResult

if TYPE_CHECKING:
    from collections.abc import Callable

OK, FAILED, INPUT_ERROR = 0, 1, 2
_EPILOG = """\
Every module is loaded, and the model that comes along for each task; every kind of document is opened, one is
asked and drawn, and the window is painted without a screen: all in a folder that is removed afterwards. Nothing of
yours is read or changed, and nothing is asked of the network. Some 10 seconds.

The exit code is 0 where all of it works, and 1 where something does not.
"""


def parser() -> Parser:
    """Return the parser of `--check`."""
    return new_parser("--check", "Try out whether all of Spanlight works on this computer.", _EPILOG)


def main(argv: list[str], window: Callable[[], Callable[..., object]]) -> int:
    """Check everything, `window` in a process of its own, and print the results; returns the exit code."""
    set_up_streams()
    report = _Lines(as_json=True)
    try:
        arguments: argparse.Namespace = parser().parse_args(argv)
        report = _Lines(as_json=arguments.json)
        with report.stopping():
            found = check(window, report)
    except SystemExit as leaving:  # argparse has printed the help
        return int(leaving.code or 0)
    except SpanlightError as fault:
        return end_with(one_line(str(fault)), INPUT_ERROR)
    except (Stopped, KeyboardInterrupt):
        return end_with("Stopped.", report.stopped_code)
    finally:
        report.clear()
    if arguments.json:
        print_json(
            {"ok": not found.failed, "said": found.sentence}
            | asdict(found)
            | {"parts": [asdict(part) | {"ok": part.ok} for part in found.parts]}
        )
    else:
        print()
        for name, version in found.versions.items():
            print(f"{name:<20} {one_line(version)}")
        print(f"\n{duration(found.seconds)} in all.")
    if found.log:
        sys.stderr.write(f"\nWhat the processes printed:\n{found.log}\n")
    return end_with(one_line(found.sentence), FAILED if found.failed else OK)


class _Lines(TerminalReport):
    """A report that prints a line for each trial as soon as it has ended, unless the output is JSON."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(sys.stderr)
        self._as_json = as_json

    def partial(self, result: object) -> None:
        """Print the result of one trial."""
        if isinstance(result, TrialResult) and not self._as_json:
            self.clear()
            print(f"{'ok' if result.ok else 'failed':<7}{result.seconds:6.2f} s  {result.what}", flush=True)
            if result.fault:
                print(f"                 {one_line(result.fault)}", flush=True)
