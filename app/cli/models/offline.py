"""Forbid the network, or allow it again."""

from __future__ import annotations

import argparse

from app.cli.terminal import TerminalReport, print_json
from app.flows.workspace import Workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `offline`."""
    parser.add_argument(
        "switch", nargs="?", choices=("on", "off"), help="on forbids the network, off allows it; none tells"
    )


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Turn the switch, and print its state."""
    if arguments.switch is not None:
        workspace.settings.offline = arguments.switch == "on"
        workspace.save_settings()
    if arguments.json:
        print_json({"offline": workspace.settings.offline})
    else:
        print(switch_state(workspace.settings.offline))


def switch_state(offline: bool) -> str:
    """The switch's state in a sentence."""
    if offline:
        return "Offline: nothing is asked of the network."
    return "Online: models can be looked up and downloaded."
