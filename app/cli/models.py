"""List what is installed."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.terminal import TerminalReport, new_parser, one_line, print_json
from app.core.models import ModelCard
from app.core.wording import size
from app.flows.models import installed, refused
from app.flows.workspace import Workspace


def parser() -> argparse.ArgumentParser:
    """The arguments of `models`."""
    return new_parser("models", "List the installed models: heads, labels, size, measured quality.")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print every installed model, and every folder that holds a broken one."""
    cards = installed(workspace)
    broken = refused(workspace)
    if arguments.json:
        faults = {folder: str(fault) for folder, fault in broken.items()}
        print_json({"models": [asdict(card) for card in cards], "refused": faults})
        return
    if not cards:
        print("No model is installed.")
    for number, card in enumerate(cards):
        if number:
            print()
        _print(card)
    for folder, fault in broken.items():
        print(f"\nNot usable: {folder}\n  {one_line(str(fault))}")


def _print(card: ModelCard) -> None:
    print(card.name)
    if card.description:
        print(f"  {one_line(card.description)}")
    print(f"  Heads: {', '.join(card.heads)}")
    if card.labels:
        print(f"  Labels: {one_line(', '.join(card.labels))}")
    print(f"  {card.family}, {card.parameters / 1e6:.1f} million parameters, {card.dtype}, {size(card.size)}")
    for data, figures in card.measured.items():
        said = ", ".join(f"{name} {figure:g}" for name, figure in figures.items())
        print(f"  Measured on {one_line(data)}: {one_line(said)}")
    if card.licence:
        print(f"  Licence: {one_line(card.licence)}")
    print(f"  {card.folder}")
