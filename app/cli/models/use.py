"""Choose which model a task uses."""

from __future__ import annotations

import argparse

from app.cli.models.installed import used_by
from app.cli.models.words import task, task_word
from app.cli.terminal import TerminalReport, one_line, print_json
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.models import Head
from app.flows.models.installed import installed
from app.flows.models.use import use
from app.flows.workspace import Workspace

_EPILOG = """\
TASK is one of ask, classify, fill, follow, names, or a head's own name (question-answering ...). Without
NAME the model in use is printed, without TASK that of each task. --automatic takes a choice back: the
starter is used then, or the first installed model that can do the task.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `use`."""
    parser.epilog = _EPILOG
    parser.add_argument("task", nargs="?", type=task, metavar="TASK", help="what the model is to do")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="an installed model's name")
    parser.add_argument("--automatic", action="store_true", help="let Spanlight choose again")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Choose, or print the models in use."""
    if arguments.automatic and (arguments.name or arguments.task is None):
        raise SpanlightError("--automatic goes with a TASK and no NAME.", "Leave one of them out.")
    if arguments.name or arguments.automatic:
        use(workspace, arguments.task, arguments.name)
    cards = installed(workspace)
    users = used_by(workspace, cards)
    heads = [arguments.task] if arguments.task is not None else list(Head)
    if arguments.task is not None and arguments.task not in users:
        raise SpanlightError(
            f"No installed model can {task_word(arguments.task)}.",
            f"See {command()} models offered --task {task_word(arguments.task)}.",
        )
    names = {card.folder: card.name for card in cards}
    rows = [
        {
            "task": task_word(head),
            "model": names.get(users.get(head, ""), ""),
            "chosen": bool(workspace.settings.models.get(head)),
        }
        for head in heads
    ]
    if arguments.json:
        print_json({"tasks": rows})
        return
    for each in rows:
        how = "chosen" if each["chosen"] else "automatic"
        shown = f"{one_line(str(each['model']))} ({how})" if each["model"] else "no model"
        print(f"{each['task']!s:<10}{shown}")
