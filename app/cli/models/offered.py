"""Search the models that are offered."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.models.words import does, few, make, task
from app.cli.terminal import TerminalReport, at_least_one, marked, one_line, print_json
from app.core.about import command
from app.core.languages import languages
from app.core.models import ModelCard
from app.core.offers import OfferedModel
from app.core.wording import count, size
from app.flows.measure.measure import measured
from app.flows.models.catalogue import offered, search, suits
from app.flows.models.installed import installed
from app.flows.workspace import Workspace

_EPILOG = f"""\
The list comes along with Spanlight; printing it asks nothing of the network. Every word must be found
somewhere in a model's name, line, labels, languages or licence. Any other model of a known family can be
had too, by its name: {command()} models download OWNER/NAME.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `offered`."""
    parser.epilog = _EPILOG
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for")
    parser.add_argument("--task", type=task, metavar="TASK", help="ask, classify, fill, follow or names")
    parser.add_argument("--language", default="", metavar="L", help="a language or its code: German, de")
    parser.add_argument("--largest", type=at_least_one, default=0, metavar="MB", help="megabytes at most")
    parser.add_argument(
        "--licence", choices=("free", "restricted"), default="", help="free: for any use by anyone"
    )


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the models found."""
    everything = offered(workspace, report)
    found = search(
        everything,
        " ".join(arguments.words),
        head=arguments.task,
        language=arguments.language,
        largest=arguments.largest * 10**6,
        licence=arguments.licence,
    )
    here = {card.repository: card for card in installed(workspace) if card.repository}
    saved = measured(workspace, report)
    words = {each.repository: suits(each, workspace, measures=saved) for each in found}
    if arguments.json:
        print_json({"total": len(everything), "models": [_values(each, here, words) for each in found]})
        return
    if not found:
        print("None of the offered models is like that.")
    for model in found:
        _print(model, here, words)
    if found:
        shown = count(len(found), "model")
        print(shown if len(found) == len(everything) else f"{shown} of {len(everything)}")


def _values(model: OfferedModel, here: dict[str, ModelCard], words: dict[str, str]) -> dict[str, object]:
    card = here.get(model.repository)
    return asdict(model) | {"installed": card.name if card else "", "suits": words[model.repository]}


def _print(model: OfferedModel, here: dict[str, ModelCard], words: dict[str, str]) -> None:
    print(marked(one_line(model.repository)))
    print(f"  {one_line(model.line)}")
    print(f"  For {does(model.heads)}{_silent(model)}")
    if model.labels:
        print(f"  Labels: {few(model.labels)}")
    print(f"  {make(model)}, {size(model.size)}")
    print(f"  Languages: {one_line(languages(model.languages, 8))}. Licence: {one_line(model.licence)}")
    if words[model.repository]:
        print(f"  {words[model.repository]}")
    if card := here.get(model.repository):
        print(f"  Installed as {one_line(card.name)}")
    print()


def _silent(model: OfferedModel) -> str:
    if model.no_answer is None:
        return ""
    f1 = f"; F1 {model.squad2_f1} on SQuAD 2.0 as its authors report" if model.squad2_f1 else ""
    return f"; {'says when the text does not answer' if model.no_answer else 'always gives an answer'}{f1}"
