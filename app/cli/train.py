"""Train a model on examples."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, fields

from app.cli.terminal import TerminalReport, at_least_one, new_parser, one_line, print_json, zero_or_more
from app.core.errors import SpanlightError
from app.core.report import Progress, Relay
from app.core.requests import TrainingRequest
from app.core.results import TrainingStep
from app.core.wording import duration, time_left
from app.flows.train import CLASSIFICATION, PRETRAINING, QA, TOKENS, train
from app.flows.workspace import Workspace

_EPILOG = """\
Examples of qa are rows {"id", "context", "question", "answers": [{"text", "answer_start"}]} (no answers: the
text does not say) or SQuAD JSON files; examples of classification are rows {"text", "label"}; those of
tokens rows {"tokens", "tags"} with tags of BIO (O, B-PER, I-PER). pretraining takes rows {"context"} or
{"text"}, or plain text files, and teaches a BERT masked words and next sentences; text of the dev files is
left out. Files are .jsonl, .jsonl.xz or .json; FILE*WEIGHT draws a file's examples WEIGHT times an epoch, and
FILE?labels=0:negative,1:positive renames labels (rows of other labels are left out).

With --teacher, qa is learnt from a larger model's answers too, whose tokenizer has the same word pieces: --option
imitate=0.7 is their share in the loss, --option unlabelled=0.3 that of questions asked of texts without a label.

A run that was stopped with Ctrl+C, or killed, goes on where it was when the same command is given
again. The folder written opens in transformers unchanged.
"""
_LINE_EVERY = 10.0  # seconds
_DEFAULTS = TrainingRequest("", "", (), (), "")


def parser() -> argparse.ArgumentParser:
    """Return the parser of `train`."""
    parser = new_parser("train", "Teach a model a head of its own, from examples.", _EPILOG)
    parser.add_argument("task", choices=(QA, CLASSIFICATION, TOKENS, PRETRAINING))
    parser.add_argument("--base", required=True, metavar="FOLDER", help="the checkpoint to start from")
    parser.add_argument("--examples", required=True, nargs="+", metavar="FILE", help="what to learn from")
    parser.add_argument("--dev", required=True, nargs="+", metavar="FILE", help="what to measure on")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="where the model goes")
    parser.add_argument(
        "--teacher", default=_DEFAULTS.teacher, metavar="FOLDER", help="a model to learn answers from (qa)"
    )
    parser.add_argument("--epochs", type=float, default=_DEFAULTS.epochs)
    parser.add_argument("--learning-rate", type=float, default=_DEFAULTS.learning_rate, help="at its peak")
    parser.add_argument("--batch-size", type=at_least_one, default=_DEFAULTS.batch_size)
    parser.add_argument("--max-length", type=at_least_one, default=_DEFAULTS.max_length, help="in tokens")
    parser.add_argument("--warm-up", type=float, default=_DEFAULTS.warm_up, help="as a share of all steps")
    parser.add_argument("--weight-decay", type=float, default=_DEFAULTS.weight_decay)
    parser.add_argument("--dropout", type=float, default=_DEFAULTS.dropout)
    parser.add_argument("--seed", type=zero_or_more, default=_DEFAULTS.seed)
    parser.add_argument(
        "--evaluate-every", type=at_least_one, default=_DEFAULTS.evaluate_every, metavar="STEPS"
    )
    parser.add_argument("--device", default=_DEFAULTS.device, metavar="auto|cpu|cuda|mps")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a number for the trainer; repeatable",
    )
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Train, with losses and dev figures on standard error, and print the best dev figures."""
    names = {field.name for field in fields(TrainingRequest)}
    given = {name: value for name, value in vars(arguments).items() if name in names}
    given |= {"examples": tuple(arguments.examples), "dev": tuple(arguments.dev)}
    request = TrainingRequest(**given, options=dict(_option(text) for text in arguments.option))
    training = train(workspace, request, StepReport(report))
    if arguments.json:
        print_json(asdict(training))
        return
    print(f"Best at step {training.best_step:,} of {training.steps:,}, after {duration(training.seconds)}:")
    for name, figure in training.dev.items():
        print(f"  {name}  {figure:.2f}")
    print(f"Written to {one_line(str(training.folder))}")


class StepReport(Relay):
    """A report that prints training steps: the loss every few seconds, dev figures whenever they are measured."""

    def __init__(self, report: TerminalReport) -> None:
        super().__init__(report)
        self._terminal = report
        self._printed_at = 0.0
        self._first: tuple[int, float] | None = None

    def progress(self, progress: Progress) -> None:
        """Show the progress, unless the lines of steps show it already."""
        if self._terminal.on_terminal or not progress.total:
            super().progress(progress)

    def partial(self, result: object) -> None:
        """Print a line for a training step, if one is due."""
        if not isinstance(result, TrainingStep):
            return
        now = time.monotonic()
        self._first = self._first or (result.step, now)
        if not result.dev and now - self._printed_at < _LINE_EVERY:
            return
        self._printed_at = now
        at = f"step {result.step:,} of {result.steps:,}, epoch {result.epoch:.2f}"
        if result.dev:
            figures = ", ".join(f"{name} {figure:.2f}" for name, figure in result.dev.items())
            self._terminal.line(f"{at}: dev {figures}")
            return
        done = result.step - self._first[0]
        left = ""
        if done > 0:
            seconds = (now - self._first[1]) / done * (result.steps - result.step)
            left = f", {time_left(seconds)}"
        self._terminal.line(f"{at}: loss {result.loss:.4f}, learning rate {result.learning_rate:.2e}{left}")


def _option(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as fault:
        raise SpanlightError(f"“{text}” is not NAME=NUMBER.", "Write --option NAME=0.5, say.") from fault
