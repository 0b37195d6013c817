"""List the devices of this computer for models."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.terminal import TerminalReport, one_line, print_json
from app.core.devices import DeviceOption
from app.core.wording import size
from app.flows.models.devices import devices
from app.flows.workspace import Workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the word's own arguments: it has none."""


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print every device with whether models can run on it, the choice of auto, and that of the settings."""
    found = devices(workspace, report)
    report.clear()
    chosen = {"device": workspace.settings.device, "precision": workspace.settings.precision}
    if arguments.json:
        print_json(asdict(found) | {"settings": chosen})
        return
    for option in found.options:
        _print(option)
    auto = found.auto
    print(f"auto takes {auto.device} in {auto.dtype}: {one_line(auto.reason)}.")
    print(f"In the settings: device {one_line(chosen['device'])}, precision {chosen['precision']}.")
    print(f"PyTorch {one_line(found.torch)}")


def _print(option: DeviceOption) -> None:
    print(f"{option.key}: {one_line(option.title)}")
    reason = one_line(option.reason)
    print(f"  {'Usable: ' if option.usable else 'Not usable: '}{reason}")
    if option.usable:
        print(f"  Precisions: {', '.join(option.precisions)}")
    if option.memory:
        print(f"  Memory: {size(option.memory)}, {size(option.free)} free")
    print()
