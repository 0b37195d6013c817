"""Check whether there is a newer Spanlight."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.terminal import TerminalReport, new_parser, one_line, print_json
from app.core.about import NAME
from app.core.days import plain_date
from app.core.releases import Update
from app.core.wording import size
from app.flows.network.network import check_for_updates
from app.flows.workspace import Workspace

_EPILOG = """\
Asked once, now: Spanlight never looks by itself. Nothing is downloaded or run; the page of a newer version
and its file for this computer are told. The address is kept under Settings, Updates. The request stands
in the list that "models network" prints.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `updates`."""
    parser = new_parser("updates", "Ask whether there is a newer version.", _EPILOG)
    parser.add_argument(
        "--feed", default="", metavar="ADDRESS", help="where versions are announced, for this once"
    )
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Check for updates, and print the result."""
    update = check_for_updates(workspace, report, feed=arguments.feed)
    if arguments.json:
        print_json(asdict(update))
    else:
        _print(update)


def _print(update: Update) -> None:
    release = update.newest
    if release is None:
        print(f"{NAME} {update.own} is the newest version.")
        return
    print(f"Version {release.version} of {plain_date(release.day)} is there; this is {update.own}.")
    print(release.page)
    if update.file is not None:
        print(f"\nFor this computer: {one_line(update.file.name)} ({size(update.file.size)})")
        print(f"{update.file.address}\nSHA-256 {update.file.sha256}")
    if release.notes:
        print("\n" + "\n".join(one_line(line) for line in release.notes.splitlines()))
