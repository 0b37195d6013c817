"""List and search the history of questions, delete entries, and check them again."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.terminal import (
    TerminalReport,
    at_least_one,
    count,
    marked,
    new_parser,
    one_line,
    print_json,
    print_result,
)
from app.core.about import command
from app.core.corrections import Correction
from app.core.days import date_and_time, iso, local
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.wording import UNNAMED
from app.flows.history.history import check_again, forget, forget_all, past
from app.flows.teach.corrections import corrections_of
from app.flows.workspace import Workspace

_EPILOG = f"""\
WORDS are looked for in questions, answers, their sentences and documents' names; each stands for every
word that begins with it. The newest entries come first, each with the number by which it can be
deleted, checked again, or exported ({command()} export).

--check asks an entry's question about its document once more, with the same settings, and says what
changed; nothing new is kept by that.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `history`."""
    parser = new_parser("history", "Look through the questions asked before, and their answers.", _EPILOG)
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for")
    parser.add_argument("--limit", type=at_least_one, default=20, metavar="N", help="how many to list (20)")
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument(
        "--delete",
        type=at_least_one,
        action="append",
        default=[],
        metavar="N",
        help="delete an entry; repeatable",
    )
    actions.add_argument("--delete-all", action="store_true", help="delete everything")
    actions.add_argument("--check", type=at_least_one, metavar="N", help="ask an entry's question again")
    parser.add_argument("--yes", action="store_true", help="delete everything without asking")
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """List entries, delete some, or check one again."""
    action = arguments.delete or arguments.delete_all or arguments.check
    if action and arguments.words:
        raise SpanlightError("Words go with a list only.", "Leave them out.")
    if arguments.yes and not arguments.delete_all:
        raise SpanlightError("--yes goes with --delete-all.", "Leave it out.")
    if arguments.delete_all:
        question = "Delete the whole history for good?"
        report.require_consent(arguments, question, "Nothing was deleted.", "Add --yes to delete all of it.")
        _print_deleted(forget_all(workspace, report), arguments.json)
    elif arguments.delete:
        _print_deleted(len(forget(workspace, arguments.delete, report)), arguments.json)
    elif arguments.check:
        _check(arguments, workspace, report)
    else:
        _list(arguments, workspace, report)


def entry_values(entry: Entry, said: Correction | None = None) -> dict[str, object]:
    """Return an entry as `--json` prints it, with the person's verdict on it."""
    return asdict(entry) | {
        "asked": iso(entry.asked),
        "share_read": entry.share_read,
        "outcome": entry.outcome,
        "verdict": said.verdict_on(entry.shown_span) if said is not None else "",
        "right_words": said.words if said is not None else "",
    }


def _list(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    found = past(workspace, " ".join(arguments.words), report, limit=arguments.limit)
    every = corrections_of(workspace, found.entries)
    said = [every.get((entry.sha256, entry.question)) for entry in found.entries]
    if arguments.json:
        values = [entry_values(entry, one) for entry, one in zip(found.entries, said, strict=True)]
        print_json({"total": found.total, "entries": values})
        return
    if not found.total:
        print("Nothing was found." if arguments.words else "Nothing was asked yet.")
        return
    for number, (entry, one) in enumerate(zip(found.entries, said, strict=True)):
        if number:
            print()
        _print(entry, one)
    if found.total > len(found.entries):
        print(f"\n{len(found.entries):,} of {count(found.total, 'entry', 'entries')}; --limit shows more.")


def _print(entry: Entry, said: Correction | None) -> None:
    shown = entry.shown
    print(f"{entry.number}  {marked(one_line(entry.question))}")
    if shown is None:
        print(f"  {entry.words} {entry.likely}.")
    else:
        print(f"  {one_line(shown.text)}")
        print(f"  {entry.likely}.")
    if said is not None:
        print(f"  {one_line(said.verdict_in_words(entry.shown_span))}.")
    if entry.in_part:
        print(f"  {entry.in_part}.")
    where = f", {one_line(shown.where)}" if shown is not None and shown.where else ""
    print(f"  {one_line(entry.name) or UNNAMED}{where}, {date_and_time(local(entry.asked))}")


def _check(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    entry = workspace.history.get(arguments.check)
    comparison = check_again(workspace, entry, report)
    if arguments.json:
        now = entry_values(comparison.now) if comparison.now is not None else None
        values = {"same": comparison.same, "sentences": list(comparison.sentences)}
        print_json(values | {"before": entry_values(entry), "now": now})
        return
    for sentence in comparison.sentences:
        print(one_line(sentence))


def _print_deleted(number: int, as_json: bool) -> None:
    print_result(as_json, {"deleted": number}, f"{count(number, 'entry', 'entries')} deleted.")
