"""Show a model's passport, and download it once the user agrees."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict

from app.cli.models.transfer import TransferReport
from app.cli.models.words import does, few, make
from app.cli.terminal import TerminalReport, marked, one_line, print_json
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.languages import languages
from app.core.offers import Passport
from app.core.report import Stopped
from app.core.wording import duration, size
from app.flows.measure.measure import measured
from app.flows.models.catalogue import offered, suits
from app.flows.models.get import download, give_up, look_up, unfinished
from app.flows.workspace import Workspace

_EPILOG = f"""\
NAME is OWNER/NAME as on the Hub, the page's address, or the last part of a model that is offered
({command()} models offered). First its list of files and the beginning of its weights (at most 2 MB)
are read, and what the model is is printed: what it is for, its licence, size and files, or why it cannot be
used. The rest is fetched only after you say yes, or with --yes.

Ctrl+C pauses: what was fetched stays, and the same command goes on from there, also after a restart.
--give-up throws away what was fetched of a download that is not finished; --unfinished lists them.
"""


def passport_values(passport: Passport) -> dict[str, object]:
    """A passport as `--json` prints it."""
    sizes = {"size": passport.size, "to_fetch": passport.to_fetch, "seconds": passport.seconds}
    return asdict(passport) | sizes


def print_passport(passport: Passport, workspace: Workspace, report: TerminalReport) -> None:
    """Print a model's passport, the cost of its download, and the reason where it is refused."""
    print(marked(one_line(passport.repository)))
    print(f"  Revision {one_line(passport.commit)}, at {one_line(passport.endpoint)}")
    card = passport.card
    if card is not None:
        print(f"  For {does(card.heads)}")
        if card.labels:
            print(f"  Labels: {few(card.labels)}")
        print(f"  {make(card)}, {card.dtype}")
    print(f"  Licence: {one_line(passport.licence) or 'not stated'}")
    if passport.languages:
        print(f"  Languages: {one_line(languages(passport.languages, 8))}")
    if passport.gated:
        print("  Its owner asks people to register before they download it.")
    if card is None:
        return
    print("  Files:")
    for file in passport.files:
        here = ", in the Hugging Face cache already" if file.cached else ""
        print(f"    {one_line(file.name)}  {size(file.size)}{here}")
    seconds = passport.seconds
    time = f", {_about(seconds)} at {size(round(passport.speed))} a second" if seconds is not None else ""
    print(f"  To download: {size(passport.to_fetch)}{time}")
    if passport.free_disk:
        print(f"  Free disk: {size(passport.free_disk)}")
    if word := suits(passport, workspace, measures=measured(workspace, report)):
        print(f"  {word}")


def _about(seconds: float) -> str:
    return f"about {duration(seconds)}" if seconds >= 2 else "a moment"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `download`."""
    parser.epilog = _EPILOG
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the model's name on the Hub")
    parser.add_argument("--commit", default="", metavar="HASH", help="a revision other than the newest")
    parser.add_argument("--yes", action="store_true", help="fetch it without asking")
    parser.add_argument("--replace", action="store_true", help="take the place of another revision of it")
    parser.add_argument("--give-up", action="store_true", help="throw away what was fetched so far")
    parser.add_argument("--unfinished", action="store_true", help="list downloads that were begun")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the passport, ask, and download; or list or give up unfinished downloads."""
    if arguments.unfinished:
        _list(arguments, workspace, report)
        return
    if not arguments.name:
        raise SpanlightError("Which model? Its name is missing.", f"See {command()} models offered.")
    name = _whole_name(arguments.name, workspace, report)
    if arguments.give_up:
        give_up(workspace, name, report)
        _print_result(arguments, {"given_up": name}, f"What was fetched of {one_line(name)} is gone.")
        return
    passport = look_up(workspace, name, report, commit=arguments.commit or _begun(workspace, name, report))
    report.clear()
    if not arguments.json:
        print_passport(passport, workspace, report)
    _allow(arguments, passport, report)
    try:
        card = download(workspace, passport, TransferReport(report), replace=arguments.replace)
    except (Stopped, KeyboardInterrupt):
        report.line(
            f"Paused. What was fetched stays; to go on: {command()} models download {passport.repository}"
        )
        raise
    report.clear()
    values = {"passport": passport_values(passport), "model": asdict(card)}
    _print_result(arguments, values, f"\nInstalled as {one_line(card.name)}, in {one_line(card.folder)}")


def _allow(arguments: argparse.Namespace, passport: Passport, report: TerminalReport) -> None:
    """Return where the user agrees to the download; raises SpanlightError, with a hint, where not."""
    wanted: bool | None = arguments.yes
    if passport.card is None:
        fault: SpanlightError | None = SpanlightError(passport.refused, passport.hint)
    else:
        if not wanted:
            question = f"Download {size(passport.to_fetch)}?"
            wanted = report.ask(question) if not arguments.json else None
        hint = "" if wanted is False else "Add --yes to download it."
        fault = None if wanted else SpanlightError("Nothing was downloaded.", hint)
    if fault is not None:
        if arguments.json:
            print_json({"passport": passport_values(passport), "model": None})
        raise fault


def _whole_name(name: str, workspace: Workspace, report: TerminalReport) -> str:
    """The repository that a name without its owner means among the offered models, else the name as it is."""
    if "/" in name:
        return name
    parts = [model.repository for model in offered(workspace, report)]
    named = [each for each in parts if each.rpartition("/")[2].casefold() == name.strip().casefold()]
    return named[0] if len(named) == 1 else name


def _begun(workspace: Workspace, name: str, report: TerminalReport) -> str:
    """The revision of an unfinished download of this name, which is resumed."""
    for each in unfinished(workspace, report):
        if each.passport.repository.casefold() == name.strip().casefold():
            begun = f"{size(each.done)} of {size(each.passport.size)}"
            report.line(f"The download goes on where it stopped: {begun} are here already.")
            return each.passport.commit
    return ""


def _list(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    begun = unfinished(workspace, report)
    if arguments.json:
        rows = [
            {"passport": passport_values(each.passport), "done": each.done, "begun": each.begun}
            for each in begun
        ]
        print_json({"unfinished": rows})
        return
    if not begun:
        print("No download is unfinished.")
    for each in begun:
        print(
            f"{one_line(each.passport.repository)}: {size(each.done)} of {size(each.passport.size)} fetched"
        )


def _print_result(arguments: argparse.Namespace, values: Mapping[str, object], words: str) -> None:
    if arguments.json:
        print_json(values)
    else:
        print(words)
