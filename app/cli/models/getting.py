"""The subcommands of `models` that install a model: search those offered, download one, import one."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.models.words import architecture, label_list, task, tasks_of
from app.cli.terminal import (
    Action,
    TerminalReport,
    at_least_one,
    count,
    marked,
    one_line,
    print_json,
    print_result,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.languages import languages
from app.core.models import ModelCard
from app.core.offers import Downloading, OfferedModel, Passport
from app.core.report import Progress, Relay, Stopped
from app.core.wording import duration, size, time_left
from app.flows.measure.measure import measured
from app.flows.models.catalogue import offered, search, suits
from app.flows.models.get import download, give_up, look_up, unfinished
from app.flows.models.import_model import import_model
from app.flows.models.installed import installed
from app.flows.workspace import Workspace

_OFFERED_EPILOG = f"""\
The list comes along with Spanlight; printing it asks nothing of the network. Every word must be found
somewhere in a model's name, line, labels, languages or licence. Any other model of a known family can be
had too, by its name: {command()} models download OWNER/NAME.
"""


def _offered_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _OFFERED_EPILOG
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for")
    parser.add_argument("--task", type=task, metavar="TASK", help="ask, classify, fill, follow or names")
    parser.add_argument("--language", default="", metavar="L", help="a language or its code: German, de")
    parser.add_argument("--largest", type=at_least_one, default=0, metavar="MB", help="megabytes at most")
    parser.add_argument(
        "--licence", choices=("free", "restricted"), default="", help="free: for any use by anyone"
    )


def _print_offered(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    everything = offered(workspace, report)
    found = search(
        everything,
        " ".join(arguments.words),
        head=arguments.task,
        language=arguments.language,
        largest=arguments.largest * 10**6,
        licence=arguments.licence,
    )
    here = {card.repository: card for card in installed(workspace) if card.repository}
    saved = measured(workspace, report)
    words = {each.repository: suits(each, workspace, measures=saved) for each in found}
    if arguments.json:
        print_json(
            {"total": len(everything), "models": [_offered_values(each, here, words) for each in found]}
        )
        return
    if not found:
        print("None of the offered models is like that.")
    for model in found:
        _print_offer(model, here, words)
    if found:
        shown = count(len(found), "model")
        print(shown if len(found) == len(everything) else f"{shown} of {len(everything)}")


def _offered_values(
    model: OfferedModel, here: dict[str, ModelCard], words: dict[str, str]
) -> dict[str, object]:
    card = here.get(model.repository)
    return asdict(model) | {"installed": card.name if card else "", "suits": words[model.repository]}


def _print_offer(model: OfferedModel, here: dict[str, ModelCard], words: dict[str, str]) -> None:
    print(marked(one_line(model.repository)))
    print(f"  {one_line(model.line)}")
    print(f"  For {tasks_of(model.heads)}{_no_answer_facts(model)}")
    if model.labels:
        print(f"  Labels: {label_list(model.labels)}")
    print(f"  {architecture(model)}, {size(model.size)}")
    print(f"  Languages: {one_line(languages(model.languages, 8))}. Licence: {one_line(model.licence)}")
    if words[model.repository]:
        print(f"  {words[model.repository]}")
    if card := here.get(model.repository):
        print(f"  Installed as {one_line(card.name)}")
    print()


def _no_answer_facts(model: OfferedModel) -> str:
    if model.no_answer is None:
        return ""
    f1 = f"; F1 {model.squad2_f1} on SQuAD 2.0 as its authors report" if model.squad2_f1 else ""
    return f"; {'says when the text does not answer' if model.no_answer else 'always gives an answer'}{f1}"


_DOWNLOAD_EPILOG = f"""\
NAME is OWNER/NAME as on the Hub, the page's address, or the last part of a model that is offered
({command()} models offered). First its list of files and the beginning of its weights (at most 2 MB)
are read, and what the model is is printed: what it is for, its licence, size and files, or why it cannot be
used. The rest is fetched only after you say yes, or with --yes.

Ctrl+C pauses: what was fetched stays, and the same command goes on from there, also after a restart.
--give-up throws away what was fetched of a download that is not finished; --unfinished lists them.
"""


def _passport_values(passport: Passport) -> dict[str, object]:
    """Return a passport as `--json` prints it."""
    sizes = {"size": passport.size, "to_fetch": passport.to_fetch, "seconds": passport.seconds}
    return asdict(passport) | sizes


def _print_passport(passport: Passport, workspace: Workspace, report: TerminalReport) -> None:
    """Print a model's passport, and unless it is refused, its files and what downloading it takes."""
    print(marked(one_line(passport.repository)))
    print(f"  Revision {one_line(passport.commit)}, at {one_line(passport.endpoint)}")
    card = passport.card
    if card is not None:
        print(f"  For {tasks_of(card.heads)}")
        if card.labels:
            print(f"  Labels: {label_list(card.labels)}")
        print(f"  {architecture(card)}, {card.dtype}")
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
    if word := suits(card, workspace, measures=measured(workspace, report)):
        print(f"  {word}")


def _about(seconds: float) -> str:
    return f"about {duration(seconds)}" if seconds >= 2 else "a moment"


def _download_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _DOWNLOAD_EPILOG
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the model's name on the Hub")
    parser.add_argument("--commit", default="", metavar="HASH", help="a revision other than the newest")
    parser.add_argument("--yes", action="store_true", help="fetch it without asking")
    parser.add_argument("--replace", action="store_true", help="take the place of another revision of it")
    parser.add_argument("--give-up", action="store_true", help="throw away what was fetched so far")
    parser.add_argument("--unfinished", action="store_true", help="list downloads that were begun")


def _download_model(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the passport, ask, and download; or list or give up unfinished downloads."""
    if arguments.unfinished:
        _print_unfinished(arguments, workspace, report)
        return
    if not arguments.name:
        raise SpanlightError("Which model? Its name is missing.", f"See {command()} models offered.")
    name = _repository_of(arguments.name, workspace, report)
    if arguments.give_up:
        give_up(workspace, name, report)
        print_result(arguments.json, {"given_up": name}, f"What was fetched of {one_line(name)} is gone.")
        return
    passport = look_up(
        workspace, name, report, commit=arguments.commit or _unfinished_commit(workspace, name, report)
    )
    if not arguments.json:
        _print_passport(passport, workspace, report)
    _require_consent(arguments, passport, report)
    try:
        card = download(workspace, passport, TransferReport(report), replace=arguments.replace)
    except (Stopped, KeyboardInterrupt):
        report.line(
            f"Paused. What was fetched stays; to go on: {command()} models download {passport.repository}"
        )
        raise
    values = {"passport": _passport_values(passport), "model": asdict(card)}
    print_result(arguments.json, values, f"\nInstalled as {one_line(card.name)}, in {one_line(card.folder)}")


def _require_consent(arguments: argparse.Namespace, passport: Passport, report: TerminalReport) -> None:
    """Raise SpanlightError, with a hint, unless the model can be used and the user agrees to its download."""
    try:
        if passport.card is None:
            raise SpanlightError(passport.refused, passport.hint)
        question = f"Download {size(passport.to_fetch)}?"
        report.require_consent(arguments, question, "Nothing was downloaded.", "Add --yes to download it.")
    except SpanlightError:
        if arguments.json:
            print_json({"passport": _passport_values(passport), "model": None})
        raise


def _repository_of(name: str, workspace: Workspace, report: TerminalReport) -> str:
    """Return the only offered repository with a name given without its owner; else the name unchanged."""
    if "/" in name:
        return name
    repositories = [model.repository for model in offered(workspace, report)]
    named = [each for each in repositories if each.rpartition("/")[2].casefold() == name.strip().casefold()]
    return named[0] if len(named) == 1 else name


def _unfinished_commit(workspace: Workspace, name: str, report: TerminalReport) -> str:
    """Return the commit of an unfinished download of this name, to resume it; empty if there is none."""
    for each in unfinished(workspace, report):
        if each.passport.repository.casefold() == name.strip().casefold():
            begun = f"{size(each.done)} of {size(each.passport.size)}"
            report.line(f"The download goes on where it stopped: {begun} are here already.")
            return each.passport.commit
    return ""


def _print_unfinished(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    begun = unfinished(workspace, report)
    if arguments.json:
        rows = [
            {"passport": _passport_values(each.passport), "done": each.done, "begun": each.begun}
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


_IMPORT_EPILOG = """\
PATH is a folder in the layout of Hugging Face (config.json, model.safetensors, tokenizer.json), or a zip
of one. It is checked before anything is copied; only those files are taken, and no code in it is run.
"""


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _IMPORT_EPILOG
    parser.add_argument("path", metavar="PATH", help="a model's folder or zip")
    parser.add_argument("--link", action="store_true", help="leave the files where they are and link to them")
    parser.add_argument("--name", default="", help="what to call it here (the folder's own name)")
    parser.add_argument("--replace", action="store_true", help="take the place of the model of that name")


def _import_folder_or_zip(
    arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> None:
    path = Path(arguments.path).expanduser()
    card = import_model(
        workspace,
        path,
        TransferReport(report),
        link=arguments.link,
        name=arguments.name,
        replace=arguments.replace,
    )
    words = f"Installed as {one_line(card.name)}, for {tasks_of(card.heads)}, in {one_line(card.folder)}"
    print_result(arguments.json, {"model": asdict(card)}, words)


class TransferReport(Relay):
    """A TerminalReport that shows progress in bytes, with the speed from a download's partial results."""

    def __init__(self, report: TerminalReport) -> None:
        super().__init__(report)
        self._terminal = report
        self._speed = 0.0
        self._total = 0

    def progress(self, progress: Progress) -> None:
        """Show the number of bytes; work of unknown size is shown by its name."""
        if not progress.total:
            super().progress(progress)
            return
        fetching = progress.total == self._total and self._speed > 0
        speed = f", {size(round(self._speed))} a second" if fetching else ""
        left = f", {time_left(progress.seconds_left)}" if progress.seconds_left is not None else ""
        done = f"{size(progress.done)} of {size(progress.total)}"
        self._terminal.draw(f"{progress.what or 'Working'}: {done}{speed}{left}")

    def partial(self, result: object) -> None:
        """Keep a download's speed for the next progress."""
        if isinstance(result, Downloading):
            self._speed, self._total = result.speed, result.total


ACTIONS: dict[str, Action] = {
    "offered": (_offered_arguments, _print_offered),
    "download": (_download_arguments, _download_model),
    "import": (_import_arguments, _import_folder_or_zip),
}
