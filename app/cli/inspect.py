"""Look into a model at work on a text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from app.cli.inspect_words import print_seen
from app.cli.terminal import TerminalReport, add_model_arguments, new_parser, print_json, zero_or_more
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.inspection import (
    Example,
    Look,
    LookAtAttention,
    LookAtLoss,
    LookAtModel,
    LookAtPooling,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Method,
    Subject,
    Target,
)
from app.core.models import Head, ProblemType
from app.core.text import BLANK, Span, blanks_in
from app.flows.ask.read import document_from_stream, read_document
from app.flows.heads.export_inside import inside_csv, plain
from app.flows.heads.inspect import look
from app.flows.workspace import Workspace

_EPILOG = f"""\
LOOK is one of
  model      what happens from text to result, with the shapes that occur
  spans      start and end scores of every token, and the best spans (for a question)
  pooling    the first token's state beside the pooled output
  loss       each term of the loss, for what you say is right
  why        the score shared out over the input's tokens
  attention  how strongly tokens look at each other in one layer
  without    the score without each sentence in turn

The text comes from --text (- is standard input) or --file. With --question the question answering head
is looked at, with --second the next sentence head, for a text with blanks ({BLANK}) the masked words
head, else the classification head; --head names another. --at gives words of the text that must be
read: an answer, a name, a blank's surroundings; without it the best answer's part of the text is
looked at, else its beginning.

What is right, for loss: --answer WORDS or --unanswerable; --label CLASS (several for a multi-label
model); --value X; --word W for each blank; --follows or --other; --entity WORDS=TYPE for each name.

Numbers of layers, heads and tokens count from 0. --csv and --json hold all numbers whole.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of `inspect`."""
    parser = new_parser("inspect", "Look into a model at work on a text.", _EPILOG)
    parser.add_argument("look", metavar="LOOK", choices=tuple(_LOOKS), help="what to look at")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", metavar="T", help="the text; - is standard input")
    source.add_argument("--file", metavar="F", help="a document in place of --text")
    parser.add_argument("--question", "-q", metavar="Q", help="the question asked of the text")
    parser.add_argument("--second", metavar="TEXT", help="the passage that may follow the text")
    parser.add_argument("--head", choices=[head.value for head in Head], help="the head to look at")
    parser.add_argument("--at", metavar="WORDS", help="words of the text that must be read")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--target", default="", metavar="NAME", help="why, without: the class, word or tag")
    target.add_argument("--null", action="store_true", help="why, without: of there being no answer")
    parser.add_argument(
        "--method",
        type=Method,
        choices=list(Method),
        default=Method.INTEGRATED_GRADIENTS,
        help="why: how the score is shared out (integrated-gradients)",
    )
    parser.add_argument("--layer", type=zero_or_more, default=0, metavar="N", help="attention: the layer (0)")
    parser.add_argument(
        "--attention-head", type=zero_or_more, metavar="N", help="attention: the head (the mean of all)"
    )
    _add_right(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV")
    add_model_arguments(parser)
    return parser


def _add_right(parser: argparse.ArgumentParser) -> None:
    right = parser.add_argument_group("what is right, for loss")
    right.add_argument("--answer", metavar="WORDS", help="the right answer, as it stands in the text")
    right.add_argument("--unanswerable", action="store_true", help="the text does not say")
    right.add_argument("--label", action="append", default=[], metavar="CLASS", help="the right class")
    right.add_argument("--value", type=float, metavar="X", help="a regression model's right value")
    right.add_argument("--word", action="append", default=[], metavar="W", help="the next blank's right word")
    right.add_argument("--follows", action="store_true", help="the second passage continues the first")
    right.add_argument("--other", action="store_true", help="it does not")
    right.add_argument("--entity", action="append", default=[], metavar="WORDS=TYPE", help="a right name")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the result of a look."""
    if arguments.json and arguments.csv:
        raise SpanlightError("Give either --json or --csv.", "Leave one of them out.")
    subject = subject_of(arguments, _text(arguments, workspace, report))
    request = _LOOKS[arguments.look](arguments, subject)
    seen = look(workspace, request, report, model=arguments.model, device=arguments.device)
    report.clear()
    if arguments.json:
        print_json(plain(seen))
    elif arguments.csv:
        sys.stdout.write(inside_csv(seen))
    else:
        card = workspace.find_model(subject.head, arguments.model)
        values = subject.head is Head.CLASSIFICATION and card.problem is ProblemType.REGRESSION
        print_seen(seen, attention_head=arguments.attention_head, values=values)


def subject_of(arguments: argparse.Namespace, text: str) -> Subject:
    """The subject of a look. Raises SpanlightError where arguments do not fit each other."""
    pair = arguments.question if arguments.question is not None else arguments.second
    if arguments.question is not None and arguments.second is not None:
        raise SpanlightError("Give either --question or --second.", "Leave one of them out.")
    head = Head(arguments.head) if arguments.head else _likely_head(arguments, text)
    for needs, given, name in (
        (Head.QUESTION_ANSWERING, arguments.question, "--question"),
        (Head.NEXT_SENTENCE, arguments.second, "--second"),
    ):
        if (head is needs) != (given is not None):
            fault = "is missing" if head is needs else f"does not go with --head {head}"
            raise SpanlightError(f"{name} {fault}.", f"See {command()} inspect --help.")
    blanks = blanks_in(text) if head is Head.MASKED_WORDS else ()
    focus = None if arguments.at is None else _place(arguments.at, text)
    return Subject(head, text, pair or "", focus, blanks)


def _likely_head(arguments: argparse.Namespace, text: str) -> Head:
    if arguments.question is not None:
        return Head.QUESTION_ANSWERING
    if arguments.second is not None:
        return Head.NEXT_SENTENCE
    return Head.MASKED_WORDS if blanks_in(text) else Head.CLASSIFICATION


def _text(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> str:
    if arguments.file is not None:
        return read_document(workspace, Path(arguments.file), report).document.text
    if arguments.text == "-":
        return document_from_stream(workspace, sys.stdin.buffer, "standard input", report).document.text
    return str(arguments.text)


def _place(words: str, text: str) -> Span:
    """The first place of words in the text."""
    start = text.find(words) if words else -1
    if start < 0:
        raise SpanlightError(
            f"“{words}” does not stand in the text.", "Give the words just as they stand there."
        )
    return Span(start, start + len(words))


def _example(arguments: argparse.Namespace, subject: Subject) -> Example:
    """The right answer that the arguments give. Raises SpanlightError where the subject's head needs another one."""
    text = subject.text
    match subject.head:
        case Head.QUESTION_ANSWERING:
            _require((arguments.answer is not None) != arguments.unanswerable, "--answer or --unanswerable")
            return Example(answer=None if arguments.unanswerable else _place(arguments.answer, text))
        case Head.CLASSIFICATION:
            _require(bool(arguments.label) != (arguments.value is not None), "--label or --value")
            return Example(labels=tuple(arguments.label), value=arguments.value or 0.0)
        case Head.MASKED_WORDS:
            _require(bool(arguments.word), "--word")
            return Example(words=tuple(arguments.word))
        case Head.NEXT_SENTENCE:
            _require(arguments.follows != arguments.other, "--follows or --other")
            return Example(follows=arguments.follows)
        case Head.TOKEN_CLASSIFICATION:
            return Example(entities=tuple(_entity(given, text) for given in arguments.entity))


def _entity(given: str, text: str) -> tuple[Span, str]:
    words, sign, kind = given.rpartition("=")
    if not (words and sign and kind):
        raise SpanlightError(f"“{given}” is not a name with its type.", "Write it as --entity Alice=PER.")
    return _place(words, text), kind


def _require(given: bool, names: str) -> None:
    if not given:
        raise SpanlightError(f"Say what is right: {names}.", f"See {command()} inspect --help.")


def _target(arguments: argparse.Namespace) -> Target:
    return Target(arguments.target, arguments.null)


_LOOKS: dict[str, Callable[[argparse.Namespace, Subject], Look]] = {
    "model": lambda _, subject: LookAtModel(subject),
    "spans": lambda _, subject: LookAtSpans(subject),
    "pooling": lambda _, subject: LookAtPooling(subject),
    "loss": lambda given, subject: LookAtLoss(_loss_subject(given, subject), _example(given, subject)),
    "why": lambda given, subject: LookAtReasons(subject, _target(given), given.method),
    "attention": lambda given, subject: LookAtAttention(subject, given.layer),
    "without": lambda given, subject: LookWithout(subject, _target(given)),
}


def _loss_subject(arguments: argparse.Namespace, subject: Subject) -> Subject:
    """The subject of a loss: without --at, the part of the text with the right answer."""
    if subject.focus is not None or arguments.answer is None:
        return subject
    return Subject(
        subject.head, subject.text, subject.pair, _place(arguments.answer, subject.text), subject.blanks
    )
