"""Measure how fast Spanlight is on this computer."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from app.bench.plan import INSTRUCTIONS, PART_OPTIONS, BenchPlan
from app.bench.results import Bench
from app.bench.run import PARTS, bench
from app.bench.sizes import SIZES, sized_model
from app.bench.table import table, values
from app.cli.terminal import TerminalReport, at_least_one, new_parser, print_json
from app.core.about import command
from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.models import PRECISIONS
from app.flows.workspace import Workspace

ALL = "all"
_OPTION_LIST = "\n".join(
    f"  {part:9} {' '.join(f'--{option}' for option in options)}" for part, options in PART_OPTIONS.items()
)
# The minutes that each part takes on two cores, with --against for the parts that take it.
MINUTES = {
    "reading": 3,
    "anytime": 10,
    "memory": 15,
    "library": 25,
    "start": 1,
    "bundle": 1,
    "window": 2,
    "teach": 60,
    "training": 5,
    "recognition": 20,
    "cluster": 10,
}
_AGAINST = [part for part, options in PART_OPTIONS.items() if "against" in options]
_AGAINST_PARTS = f"{', '.join(_AGAINST[:-1])} and {_AGAINST[-1]}"
_DURATIONS = ", ".join(f"{part} {minutes}" for part, minutes in MINUTES.items())
_EPILOG = f"""\
reading: a long document (--words, 20000) read to the end for one question, and many short texts, with the
share of the computer's peak that is reached, where the time goes, and whether the answers are those of
float32 in transformers' own classes.
anytime: how soon answers are there in a long document (--words, 30000 and 500000; --questions, 8). With --against,
beside the seconds that reading every window takes there, which are scaled up from some of them.
memory: a very long document (--words, 500000) read whole, the memory that takes, how the time grows with
the length, and a second question about the same document. The longest is read once, the shortest three
times, or each --repeats times: the reference may take minutes for one.
library: a library of generated documents (--words, 10000000) among real ones with known answers: how fast its files
are indexed, how often the passage with the answer is found, the answers (--questions, 60 of each kind) held against
those of the document alone, and the seconds that a question takes; with --vectors, all that with vectors too.
start: how soon the window is there, and the terminal's answer from a fresh process.
bundle: how soon the window and the first answer of an installed Spanlight (--bundle) are there, beside this one.
window: how long the window does not react while work is under way.
teach: how often a classifier is right that was taught 8 to 256 examples of each label (--data FOLDER with sets of
labelled texts; --repeats draws, 3; --questions texts to measure on, 400), and how soon it is there; and what a
reader (--model, or both that come along) gains from 64 corrections, in FOLDER/qa/qa_train-subjqa.jsonl.xz.
training: how fast a question answering model is taught.
recognition: pages of PDFs (--data FOLDER with documents and questions; --repeats pages of each, 2) drawn at 150, 200
and 300 dpi, clean and spoilt: errors, places, speed, and answers (--questions of each document, 12) on scans, also
of texts of FOLDER/docqa that are set as PDFs.
cluster: documents a minute with one, two and four nodes of a Ray cluster on this computer, of one core each (--repeats
documents, 48; --questions, 2), held against this machine with one thread. It needs the extra spanlight[cluster].

On two cores that is a matter of minutes, about: {_DURATIONS}
({_AGAINST_PARTS} with --against; without it less).
More words, questions or repeats take longer.

What each takes, beside --model or --size, --device and --isa:
{_OPTION_LIST}
With “all”, each takes of them what it knows; the bundle is measured where --bundle names it, a cluster where Ray
is installed.

Without --data, what comes along is read: real questions, and long documents made of their paragraphs' and
the samples' sentences in an order of chance. With it, qa_dev-squad2.jsonl.xz of FOLDER (or FOLDER/qa), in
documents of its paragraphs and those of the other qa_*.jsonl.xz files.

--against PYTHON measures, in turn and in one run, what people had before: pipeline("question-answering") of
transformers 4.57.6, in an environment of its own:
  python3 -m venv old && old/bin/pip install torch transformers==4.57.6
  {command()} bench reading --against old/bin/python
Figures are medians; a ratio above 1 says how many times as fast, or as small, Spanlight is.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `bench`."""
    parser = new_parser("bench", "Measure how fast Spanlight is on this computer.", _EPILOG)
    # The default is not a string, as that would have to be one of the choices.
    parser.add_argument(
        "what", nargs="?", default=None, choices=(*PARTS, ALL), metavar="|".join((*PARTS, ALL))
    )
    parser.add_argument("--model", default="", metavar="NAME_OR_FOLDER", help="the model that reads")
    parser.add_argument(
        "--size",
        choices=SIZES,
        default="",
        help="a model of that size instead: distilbert, the starter made as wide, so that its answers are the "
        "same; the others have random weights",
    )
    parser.add_argument("--device", default="", metavar="auto|cpu|cuda|mps", help="where the model runs")
    parser.add_argument("--precision", choices=PRECISIONS, default="", help="what it computes in")
    parser.add_argument("--data", default="", metavar="FOLDER", help="where question files are")
    parser.add_argument("--words", type=at_least_one, default=0, metavar="N", help="words of a long document")
    parser.add_argument("--questions", type=at_least_one, default=0, metavar="N", help="how many to ask")
    parser.add_argument(
        "--repeats", type=at_least_one, default=0, metavar="N", help="how often each is timed"
    )
    parser.add_argument("--seed", type=int, default=13, help="what chance begins with (13)")
    parser.add_argument(
        "--against", default="", metavar="PYTHON", help="measure the reference there, in turn"
    )
    parser.add_argument(
        "--bundle", default="", metavar="PROGRAM", help="the program of an installed or unpacked bundle"
    )
    parser.add_argument(
        "--vectors", action="store_true", help="give a library's passages vectors too, which may take an hour"
    )
    parser.add_argument(
        "--examples", type=at_least_one, default=0, metavar="N", help="teach so many of each label only"
    )
    parser.add_argument(
        "--isa", choices=tuple(INSTRUCTIONS), default="", help="as on a processor that has no more than that"
    )
    parser.add_argument("--output", default="", metavar="FILE", help="write the JSON there as well")
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Measure and print the figures."""
    if not arguments.what:
        parser().print_help()
        return
    if arguments.size and arguments.model:
        raise SpanlightError("--size and --model are two models.", "Give one of them.")
    _refuse_ignored_options(arguments)
    _refuse_output(arguments.output)
    results = _Results(arguments.output, report)
    try:
        with sized_model(arguments.size, workspace.paths) as sized:
            given = {name: value for name, value in vars(arguments).items() if name in BenchPlan.__slots__}
            plan = BenchPlan(**given | {"parts": _parts(arguments), "model": sized or arguments.model})
            bench(workspace, plan, report, results.take)
    finally:
        # After a stop too: the parts measured by then are worth printing.
        report.clear()
        if results.found:
            _print(results.found, arguments.json)
    results.write()
    if results.found and results.found.faults:
        missing = ", ".join(results.found.faults)
        raise SpanlightError(f"Not everything could be measured: {missing}.", "The table tells why.")


def _parts(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the chosen parts; with `all`, the bundle only if one is named, the cluster only if Ray is installed."""
    if arguments.what != ALL:
        return (arguments.what,)
    possible = {"bundle": bool(arguments.bundle), "cluster": find_spec("ray") is not None}
    return tuple(part for part in PARTS if possible.get(part, True))


class _Results:
    """The results so far, written to the file after each part."""

    def __init__(self, output: str, report: TerminalReport) -> None:
        self._output, self._report = output, report
        self.found: Bench | None = None

    def take(self, found: Bench) -> None:
        """Store new results; a file that cannot be written does not end the benchmark."""
        self.found = found
        try:
            self.write()
        except SpanlightError as fault:
            self._report.notice(str(fault))

    def write(self) -> None:
        """Write the file, if one was named; raises SpanlightError on a disk error."""
        if self._output and self.found:
            content = json.dumps(values(self.found), indent=2, ensure_ascii=False) + "\n"
            write_atomic(Path(self._output), content.encode(), private=False)


def _print(found: Bench, as_json: bool) -> None:
    if as_json:
        print_json(values(found))
    else:
        sys.stdout.write(table(found))
    sys.stdout.flush()


def _refuse_ignored_options(arguments: argparse.Namespace) -> None:
    """Raise SpanlightError for an option that the single part to measure does not take."""
    if arguments.what == ALL:
        return
    own = PART_OPTIONS[arguments.what]
    options = sorted({option for each in PART_OPTIONS.values() for option in each} - set(own))
    defaults = parser()
    for option in options:
        if getattr(arguments, option) != defaults.get_default(option):
            taken = ", ".join(f"--{each}" for each in own)
            raise SpanlightError(f"“{arguments.what}” takes no --{option}.", f"It takes {taken}.")


def _refuse_output(output: str) -> None:
    """Raise SpanlightError if the file cannot be written, before anything is measured."""
    if not output:
        return
    path = Path(output).absolute()
    if path.is_dir():
        raise SpanlightError(f"“{output}” is a folder.", "Name a file in it.")
    if not path.parent.is_dir():
        raise SpanlightError(f"There is no folder for “{output}”.", "Make it first, or name another file.")
    try:
        # Only an attempt shows whether it can: disks and networks may not follow a folder's mode.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as fault:
        raise SpanlightError(
            f"“{output}” cannot be written: {fault.strerror or fault}.", "Name another file."
        ) from fault
