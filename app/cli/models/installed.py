"""The subcommands of `models` for installed models: list, use, remove, devices."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.models.words import architecture, label_list, local_time, origin, task, task_word
from app.cli.terminal import Action, TerminalReport, count, marked, one_line, print_json, print_result
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.languages import languages
from app.core.measures import Measure, figure, latest_of, share, speed
from app.core.models import DeviceOption, Head, ModelCard
from app.core.offers import Removal, Source
from app.core.wording import size
from app.flows.measure.measure import measured
from app.flows.models.devices import devices
from app.flows.models.get import unfinished
from app.flows.models.installed import in_use, installed, origin_of, use
from app.flows.models.remove import removal_of, remove
from app.flows.teach.calibration import OwnVerdicts, own_verdicts
from app.flows.workspace import Workspace


def _print_models(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print every installed model, every folder that is not usable, and the unfinished downloads."""
    cards = installed(workspace)
    broken = workspace.shelf.refused
    users = in_use(workspace)
    measures = measured(workspace, report)
    if arguments.json:
        faults = {folder: str(fault) for folder, fault in broken.items()}
        models = [_model_values(card, workspace, users, measures) for card in cards]
        for values, card in zip(models, cards, strict=True):
            own = own_verdicts(workspace, card, report)
            values["verdicts"] = own.number if own is not None else 0
        print_json({"models": models, "refused": faults})
        return
    if not cards:
        print("No model is installed.")
    for number, card in enumerate(cards):
        if number:
            print()
        _print_model(card, workspace, users, measures, own_verdicts(workspace, card, report))
    for folder, fault in broken.items():
        print(f"\nNot usable: {one_line(folder)}\n  {one_line(str(fault))}")
    for each in unfinished(workspace, report):
        name, done = one_line(each.passport.repository), f"{size(each.done)} of {size(each.passport.size)}"
        print(f"\nNot finished: {name}, {done} fetched\n  To go on: {command()} models download {name}")


def _tasks(card: ModelCard, users: dict[Head, str]) -> list[str]:
    return [task_word(head) for head, folder in users.items() if folder == card.folder]


def _model_values(
    card: ModelCard, workspace: Workspace, users: dict[Head, str], measures: tuple[Measure, ...]
) -> dict[str, object]:
    source = origin_of(card.folder)
    return asdict(card) | {
        "used_by": _tasks(card, users),
        "last_used": workspace.uses.last(card.folder),
        "measures": [asdict(one) | {"speed": one.speed} for one in latest_of(card, measures)],
        "commit": source.commit if source else "",
        "added": source.added if source else "",
    }


def _print_model(
    card: ModelCard,
    workspace: Workspace,
    users: dict[Head, str],
    measures: tuple[Measure, ...],
    own: OwnVerdicts | None,
) -> None:
    print(marked(one_line(card.name)))
    if card.description:
        print(f"  {one_line(card.description)}")
    print(f"  Heads: {', '.join(card.heads)}")
    if card.labels:
        print(f"  Labels: {label_list(card.labels)}")
    print(f"  {architecture(card)}, {card.dtype}, {size(card.size)}")
    if card.languages:
        print(f"  Languages: {one_line(languages(card.languages, 8))}")
    for data, figures in card.measured.items():
        words = ", ".join(f"{name} {figure:g}" for name, figure in figures.items())
        print(f"  Measured on {one_line(data)}: {one_line(words)}")
    for one in latest_of(card, measures):
        words = ", ".join(f"{figure(name).title} {share(value)}" for name, value in one.figures.items())
        print(f"  Measured here on {one_line(one.data)}: {one_line(words)}, {speed(one)}")
    if own is not None:
        print(f"  {own.in_words}")
    if card.licence:
        print(f"  Licence: {one_line(card.licence)}")
    if came := origin(card, origin_of(card.folder)):
        print(f"  Origin: {came}")
    if tasks := _tasks(card, users):
        print(f"  Used by: {', '.join(tasks)}")
    last = workspace.uses.last(card.folder)
    print(f"  Last used: {local_time(last)}" if last else "  Not used yet")
    print(f"  {one_line(card.folder)}")


_USE_EPILOG = """\
TASK is one of ask, classify, fill, follow, names, search, or a head's own name (question-answering ...). Without
NAME the model in use is printed, without TASK that of each task. --automatic takes a choice back: the
starter is used then, or the first installed model that can do the task.
"""


def _use_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _USE_EPILOG
    parser.add_argument("task", nargs="?", type=task, metavar="TASK", help="what the model is to do")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="an installed model's name")
    parser.add_argument("--automatic", action="store_true", help="let Spanlight choose again")


def _choose(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Choose a model for a task, and print the models in use."""
    if arguments.automatic and (arguments.name or arguments.task is None):
        raise SpanlightError("--automatic goes with a TASK and no NAME.", "Leave one of them out.")
    if arguments.name or arguments.automatic:
        use(workspace, arguments.task, arguments.name)
    cards = installed(workspace)
    users = in_use(workspace)
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


_REMOVE_EPILOG = """\
A model that was downloaded lies in the Hugging Face cache, which other programs use too; it stays there
unless you say --from-cache. The models that come along with Spanlight stay.
"""


def _remove_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _REMOVE_EPILOG
    parser.add_argument("name", metavar="NAME", help="an installed model's name")
    parser.add_argument("--from-cache", action="store_true", help="take its files out of the cache as well")
    parser.add_argument("--yes", action="store_true", help="remove it without asking")


def _remove_model(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Show what would be removed, ask, and remove."""
    removal = removal_of(workspace, arguments.name, report)
    values = asdict(removal)
    if removal.card.source != Source.STARTER:  # `remove` refuses bundled models, and there is nothing to ask
        if not arguments.json:
            _print_removal(removal, arguments.from_cache)
        try:
            report.require_consent(arguments, "Remove it?", "Nothing was removed.", "Add --yes to remove it.")
        except SpanlightError:
            if arguments.json:
                print_json(values | {"removed": False})
            raise
    remove(workspace, removal, report, from_cache=arguments.from_cache)
    print_result(arguments.json, values | {"removed": True}, "Removed.")


def _print_removal(removal: Removal, from_cache: bool) -> None:
    print(marked(one_line(removal.card.name)))
    freed = removal.freed + (removal.cached if from_cache else 0)
    print(f"  Removing it frees {size(freed)}.")
    if removal.cached and not from_cache:
        print(f"  {size(removal.cached)} stay in the Hugging Face cache; --from-cache frees them too.")
    if removal.chosen_for:
        print(f"  It is chosen for: {', '.join(task_word(head) for head in removal.chosen_for)}")
    if removal.questions:
        print(f"  It answered {count(removal.questions, 'kept question')}; their answers stay.")
    if removal.unfinished:
        taught = count(removal.unfinished, "correction")
        print(f"  Its unfinished teaching from {taught} goes too; the corrections stay.")
    print(f"  Last used: {local_time(removal.last_used)}" if removal.last_used else "  It was not used yet.")


def _print_devices(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print every device and whether models can run on it, what auto chooses, and the settings' choice."""
    found = devices(workspace, report)
    chosen = {"device": workspace.settings.device, "precision": workspace.settings.precision}
    if arguments.json:
        print_json(asdict(found) | {"settings": chosen})
        return
    for option in found.options:
        _print_device(option)
    auto = found.auto
    print(f"auto takes {auto.device} in {auto.dtype}: {one_line(auto.reason)}.")
    print(f"In the settings: device {one_line(chosen['device'])}, precision {chosen['precision']}.")
    print(f"PyTorch {one_line(found.torch)}")


def _print_device(option: DeviceOption) -> None:
    print(f"{option.key}: {one_line(option.title)}")
    reason = one_line(option.reason)
    print(f"  {'Usable: ' if option.usable else 'Not usable: '}{reason}")
    if option.usable:
        print(f"  Precisions: {', '.join(option.precisions)}")
    if option.memory:
        print(f"  Memory: {size(option.memory)}, {size(option.free)} free")
    print()


ACTIONS: dict[str, Action] = {
    "list": (lambda parser: None, _print_models),
    "use": (_use_arguments, _choose),
    "remove": (_remove_arguments, _remove_model),
    "devices": (lambda parser: None, _print_devices),
}
