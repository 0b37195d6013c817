"""The command `models`: lists installed and offered models, and acts on them."""

from __future__ import annotations

import argparse

from app.cli.terminal import Action, SubcommandParser, TerminalReport
from app.flows.workspace import Workspace

SUBCOMMANDS = {
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
    """Return the parser of `models`."""
    return SubcommandParser(
        "models", "See which models are here, get others, choose and measure them.", SUBCOMMANDS, _action
    )


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Run the subcommand."""
    arguments.action(arguments, workspace, report)


def _action(name: str) -> Action:
    """Return what adds a subcommand's arguments, and what it runs; imports only the module that it needs."""
    match name:
        case "list" | "use" | "remove" | "devices":
            from app.cli.models.installed import ACTIONS
        case "offered" | "download" | "import":
            from app.cli.models.getting import ACTIONS
        case "measure" | "compare":
            from app.cli.models.measuring import ACTIONS
        case _:
            from app.cli.models.network import ACTIONS
    return ACTIONS[name]
