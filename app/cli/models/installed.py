"""List the installed models."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.models.words import few, make, moment, origin, task_word
from app.cli.terminal import TerminalReport, marked, one_line, print_json
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.languages import languages
from app.core.measure_words import figure, share, speed
from app.core.measures import Measure, latest_of
from app.core.models import Head, ModelCard
from app.core.wording import size
from app.flows.measure.measure import measured
from app.flows.models.get import unfinished
from app.flows.models.installed import installed, origin_of, refused
from app.flows.workspace import Workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    """The list has no arguments of its own."""


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print every installed model, every folder with a broken one, and the unfinished downloads."""
    cards = installed(workspace)
    broken = refused(workspace)
    users = used_by(workspace, cards)
    measures = measured(workspace, report)
    if arguments.json:
        faults = {folder: str(fault) for folder, fault in broken.items()}
        print_json(
            {"models": [_values(card, workspace, users, measures) for card in cards], "refused": faults}
        )
        return
    if not cards:
        print("No model is installed.")
    for number, card in enumerate(cards):
        if number:
            print()
        _print(card, workspace, users, measures)
    for folder, fault in broken.items():
        print(f"\nNot usable: {one_line(folder)}\n  {one_line(str(fault))}")
    for each in unfinished(workspace, report):
        name, done = one_line(each.passport.repository), f"{size(each.done)} of {size(each.passport.size)}"
        print(f"\nNot finished: {name}, {done} fetched\n  To go on: {command()} models download {name}")


def used_by(workspace: Workspace, cards: tuple[ModelCard, ...]) -> dict[Head, str]:
    """For each head that an installed model has, the folder of the one that its task uses."""
    users = {}
    for head in Head:
        if any(head in card.heads for card in cards):
            try:
                users[head] = workspace.find_model(head).folder
            except SpanlightError:
                continue  # its files were removed meanwhile; the list shows the fault
    return users


def _tasks(card: ModelCard, users: dict[Head, str]) -> list[str]:
    return [task_word(head) for head, folder in users.items() if folder == card.folder]


def _values(
    card: ModelCard, workspace: Workspace, users: dict[Head, str], measures: tuple[Measure, ...]
) -> dict[str, object]:
    mark = origin_of(card.folder)
    return asdict(card) | {
        "used_by": _tasks(card, users),
        "last_used": workspace.uses.last(card.folder),
        "measures": [asdict(one) | {"speed": one.speed} for one in latest_of(card, measures)],
        "commit": mark.commit if mark else "",
        "added": mark.added if mark else "",
    }


def _print(
    card: ModelCard, workspace: Workspace, users: dict[Head, str], measures: tuple[Measure, ...]
) -> None:
    print(marked(one_line(card.name)))
    if card.description:
        print(f"  {one_line(card.description)}")
    print(f"  Heads: {', '.join(card.heads)}")
    if card.labels:
        print(f"  Labels: {few(card.labels)}")
    print(f"  {make(card)}, {card.dtype}, {size(card.size)}")
    if card.languages:
        print(f"  Languages: {one_line(languages(card.languages, 8))}")
    for data, figures in card.measured.items():
        words = ", ".join(f"{name} {figure:g}" for name, figure in figures.items())
        print(f"  Measured on {one_line(data)}: {one_line(words)}")
    for one in latest_of(card, measures):
        words = ", ".join(f"{figure(name).title} {share(value)}" for name, value in one.figures.items())
        print(f"  Measured here on {one_line(one.data)}: {one_line(words)}, {speed(one)}")
    if card.licence:
        print(f"  Licence: {one_line(card.licence)}")
    if came := origin(card, origin_of(card.folder)):
        print(f"  Origin: {came}")
    if tasks := _tasks(card, users):
        print(f"  Used by: {', '.join(tasks)}")
    last = workspace.uses.last(card.folder)
    print(f"  Last used: {moment(last)}" if last else "  Not used yet")
    print(f"  {card.folder}")
