"""Check and import a model's folder or zip."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.models.transfer import TransferReport
from app.cli.models.words import does
from app.cli.terminal import TerminalReport, one_line, print_json
from app.flows.models.take_in import import_model
from app.flows.workspace import Workspace

_EPILOG = """\
PATH is a folder in the layout of Hugging Face (config.json, model.safetensors, tokenizer.json), or a zip
of one. It is checked before anything is copied; only those files are taken, and no code in it is run.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `import`."""
    parser.epilog = _EPILOG
    parser.add_argument("path", metavar="PATH", help="a model's folder or zip")
    parser.add_argument("--link", action="store_true", help="leave the files where they are and link to them")
    parser.add_argument("--name", default="", help="what to call it here (the folder's own name)")
    parser.add_argument("--replace", action="store_true", help="take the place of the model of that name")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Import the model and print its name."""
    path = Path(arguments.path).expanduser()
    card = import_model(
        workspace,
        path,
        TransferReport(report),
        link=arguments.link,
        name=arguments.name,
        replace=arguments.replace,
    )
    report.clear()
    if arguments.json:
        print_json({"model": asdict(card)})
    else:
        print(f"Installed as {one_line(card.name)}, for {does(card.heads)}, in {one_line(card.folder)}")
