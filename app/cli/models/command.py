"""The command `models`: installed and offered models, and all actions on them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from app.cli.terminal import TerminalReport, WordParser
from app.flows.workspace import Workspace

Run = Callable[[argparse.Namespace, Workspace, TerminalReport], None]
WORDS = {
    "list": "what is installed, and which model each task uses (the default)",
    "offered": "look through the models that are offered",
    "download": "show what a model is, and fetch it once you say so",
    "import": "check a model's folder or zip and take it in",
    "remove": "say what removing a model frees, and remove it",
    "use": "choose which model a task uses",
    "measure": "measure a model on examples whose answers are known",
    "compare": "hold two models against each other on the same examples",
    "devices": "where models can run on this computer, and why",
    "network": "how the network is reached, and what was asked of it",
    "offline": "forbid the network, or allow it again",
}


def parser() -> argparse.ArgumentParser:
    """The arguments of `models`."""
    return WordParser(
        "models", "See which models are here, get others, choose and measure them.", WORDS, _action
    )


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Run the action of the word."""
    arguments.action(arguments, workspace, report)


def _action(word: str) -> tuple[Callable[[argparse.ArgumentParser], None], Run]:
    """What adds a word's arguments, and what it runs; only the module that is needed is imported."""
    match word:
        case "list" | "use" | "remove" | "devices":
            from app.cli.models.installed import ACTIONS
        case "offered" | "download" | "import":
            from app.cli.models.getting import ACTIONS
        case "measure" | "compare":
            from app.cli.models.measuring import ACTIONS
        case _:
            from app.cli.models.network import ACTIONS
    return ACTIONS[word]
