"""Inspect how a model computes its result for a text."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from app.cli.reading import text_or_file
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    count,
    marked,
    new_parser,
    one_line,
    print_json,
    shortened,
    zero_or_more,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.inside import (
    Attention,
    Attribution,
    InputWindow,
    Losses,
    ModelPicture,
    Part,
    Pooling,
    Removals,
    SpanScores,
    Stage,
    shape_words,
)
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
from app.core.models import SHOWN_HEADS, Head, ProblemType
from app.core.text import BLANK, Span, blanks_in
from app.core.wording import precise_percent
from app.flows.heads.export_inside import inside_csv, plain
from app.flows.heads.inspect import look
from app.flows.workspace import Workspace

_MOST_ROWS = 20
_METHODS = {"integrated-gradients": "integrated gradients", "gradient-input": "gradient × input"}
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
    """Return the parser of `inspect`."""
    parser = new_parser("inspect", "Look into a model at work on a text.", _EPILOG)
    parser.add_argument("look", metavar="LOOK", choices=tuple(_LOOKS), help="what to look at")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", metavar="T", help="the text; - is standard input")
    source.add_argument("--file", metavar="F", help="a document in place of --text")
    parser.add_argument("--question", "-q", metavar="Q", help="the question asked of the text")
    parser.add_argument("--second", metavar="TEXT", help="the passage that may follow the text")
    parser.add_argument("--head", choices=[head.value for head in SHOWN_HEADS], help="the head to look at")
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
    _add_example_arguments(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV")
    add_model_arguments(parser)
    return parser


def _add_example_arguments(parser: argparse.ArgumentParser) -> None:
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
    """Inspect, and print the result."""
    if arguments.json and arguments.csv:
        raise SpanlightError("Give either --json or --csv.", "Leave one of them out.")
    subject = subject_of(arguments, text_or_file(arguments.text, arguments.file, workspace, report))
    request = _LOOKS[arguments.look](arguments, subject)
    result = look(workspace, request, report, model=arguments.model, device=arguments.device)
    if arguments.json:
        print_json(plain(result))
    elif arguments.csv:
        sys.stdout.write(inside_csv(result))
    else:
        card = workspace.find_model(subject.head, arguments.model)
        is_regression = subject.head is Head.CLASSIFICATION and card.problem is ProblemType.REGRESSION
        print_look(result, attention_head=arguments.attention_head, is_regression=is_regression)


def subject_of(arguments: argparse.Namespace, text: str) -> Subject:
    """Build the subject to inspect; raises SpanlightError if arguments do not fit each other."""
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
    focus = None if arguments.at is None else _find(arguments.at, text)
    return Subject(head, text, pair or "", focus, blanks)


def _likely_head(arguments: argparse.Namespace, text: str) -> Head:
    if arguments.question is not None:
        return Head.QUESTION_ANSWERING
    if arguments.second is not None:
        return Head.NEXT_SENTENCE
    return Head.MASKED_WORDS if blanks_in(text) else Head.CLASSIFICATION


def _find(words: str, text: str) -> Span:
    """Return the first occurrence of words in the text; raises SpanlightError if there is none."""
    start = text.find(words) if words else -1
    if start < 0:
        raise SpanlightError(
            f"“{words}” does not stand in the text.", "Give the words just as they stand there."
        )
    return Span(start, start + len(words))


def _example(arguments: argparse.Namespace, subject: Subject) -> Example:
    """Build the labelled example that the arguments give; raises SpanlightError if it lacks what the head needs."""
    text = subject.text
    match subject.head:
        case Head.QUESTION_ANSWERING:
            _require((arguments.answer is not None) != arguments.unanswerable, "--answer or --unanswerable")
            return Example(answer=None if arguments.unanswerable else _find(arguments.answer, text))
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
        case Head.EMBEDDINGS:
            raise ValueError("vectors have no right answer")


def _entity(given: str, text: str) -> tuple[Span, str]:
    words, sign, kind = given.rpartition("=")
    if not (words and sign and kind):
        raise SpanlightError(f"“{given}” is not a name with its type.", "Write it as --entity Alice=PER.")
    return _find(words, text), kind


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
    """Return the subject for a loss: without --at, it focuses on the right answer."""
    if subject.focus is not None or arguments.answer is None:
        return subject
    return replace(subject, focus=_find(arguments.answer, subject.text))


def print_look(result: Any, *, attention_head: int | None = None, is_regression: bool = False) -> None:
    """Print the result of an inspection; `attention_head` chooses one of a layer's heads, None their mean."""
    match result:
        case ModelPicture():
            _print_model(result)
        case SpanScores():
            _print_spans(result)
        case Pooling():
            _print_pooling(result)
        case Losses():
            _print_losses(result)
        case Attribution():
            _print_shares(result)
        case Attention():
            _print_attention(result, attention_head)
        case Removals():
            _print_removals(result, is_regression)


def _print_model(result: ModelPicture) -> None:
    print(
        f"{one_line(result.model)} ({result.family}), {count(result.parameters, 'weight')}, on {result.device}"
    )
    _print_window(result.window)
    for stage in result.trunk:
        print(_stage_line(stage))
    for head in result.heads:
        title = f"{head.title}: {head.kind}, takes {head.takes} ({head.status})"
        print(f"\n{marked(title) if head.in_use else title}")
        for stage in head.stages:
            print(f"  {_stage_line(stage)}")


def _stage_line(stage: Stage) -> str:
    shapes = " → ".join(
        part for part in (", ".join(map(shape_words, stage.inputs)), shape_words(stage.output)) if part
    )
    again = f", {stage.repeats} times" if stage.repeats > 1 else ""
    weights = f", {count(stage.parameters, 'weight')}" if stage.parameters else ""
    training = ", in training only" if stage.training_only else ""
    named = " ".join(part for part in (stage.path, stage.kind, stage.detail) if part)
    return (
        f"{stage.title} ({stage.term}): {shapes}{again}{weights}{training}{f'  [{named}]' if named else ''}"
    )


def _print_spans(result: SpanScores) -> None:
    _print_window(result.window)
    lines = [("span", "tokens", "start", "end", "score", "share")]
    for span in result.spans[:_MOST_ROWS]:
        start, end = result.start_logits[span.first], result.end_logits[span.last]
        figures = (f"{start:.2f}", f"{end:.2f}", f"{span.score:.2f}", precise_percent(span.probability))
        lines.append((shortened(span.text), f"{span.first}–{span.last}", *figures))
    null = f"no answer ({result.window.tokens[0].piece})"
    starts, ends = result.start_logits[0], result.end_logits[0]
    share = precise_percent(result.null_probability)
    lines.append((null, "0", f"{starts:.2f}", f"{ends:.2f}", f"{result.null_score:.2f}", share))
    _print_table(lines)


def _print_pooling(result: Pooling) -> None:
    _print_window(result.window)
    if not result.path:
        print("No layer of this head takes the first token's state.")
        return
    kind = "the pooler" if result.is_pooler else "the head's own layer; this model has no pooler"
    print(
        f"Pooled output: {result.activation}(W · h + b) of the first token's state h by {result.path} ({kind})."
    )
    print(f"Computed again by hand, it differs by at most {result.error:.2g}.")
    print(f"The first token's state itself differs from it by up to {result.difference:.3g},")
    print(f"and the cosine of the two is {result.cosine:.3f}.")
    print("The head at work takes it." if result.used else "The head at work does not take it.")


def _print_losses(result: Losses) -> None:
    _print_window(result.window)
    lines = [("term", "right", "value" if result.squared else "probability", "loss")]
    for term in result.terms:
        given = _four(term.probability) if result.squared else precise_percent(term.probability)
        figures = (given, _four(term.value)) if term.counted else ("", "not counted")
        lines.append((shortened(term.name), shortened(term.target), *figures))
    _print_table(lines)
    print(f"\nTotal: {_four(result.total)} = {result.formula}")
    print(f"By transformers: {_four(result.by_model)}. In training: {_four(result.in_training)}.")


def _print_shares(result: Attribution) -> None:
    _print_window(result.window)
    print(
        f"Score of {shortened(result.target)}: {result.score:.2f}, shared out by {_METHODS[result.method]}."
    )
    order = sorted(range(len(result.shares)), key=lambda at: -abs(result.shares[at]))[:_MOST_ROWS]
    lines = [("token", "", "share")]
    lines += [(str(at), result.window.tokens[at].piece, f"{result.shares[at]:+.3f}") for at in order]
    _print_table(lines)
    if result.steps > 1:
        print(f"\nThe score of padding is {result.baseline:.2f}; the shares' sum lacks {result.gap:.2g}")
        print(f"of the difference, in {result.steps} steps.")


def _print_attention(result: Attention, head: int | None) -> None:
    _print_window(result.window)
    if head is not None and head >= result.heads:
        raise SpanlightError(f"There is no attention head {head}.", f"They are 0 to {result.heads - 1}.")
    heads = tuple(range(result.heads)) if head is None else (head,)
    which = f"head {heads[0]}" if len(heads) == 1 else f"the mean of {result.heads} heads"
    print(f"Layer {result.layer} of {result.layers}, {which}: what each token looks at most.")
    lines: list[tuple[str, ...]] = [("token", "", "looks at", "", "")]
    for number, token in enumerate(result.window.tokens):
        sums = [
            sum(column) / len(heads)
            for column in zip(*(result.row(one, number) for one in heads), strict=True)
        ]
        best = sorted(range(len(sums)), key=lambda at: -sums[at])[:3]
        looked_at = (f"{result.window.tokens[at].piece} ({at}) {precise_percent(sums[at])}" for at in best)
        lines.append((str(number), token.piece, *looked_at, *[""] * (3 - len(best))))
    _print_table(lines)


def _print_removals(result: Removals, is_regression: bool) -> None:
    _print_window(result.window)
    likely = "" if is_regression else f", {precise_percent(result.probability)}"
    score = f"Score of {shortened(result.target)}: {result.score:.2f}{likely}."
    if not result.sentences:
        print(f"{score} No sentence can be taken out.")
        return
    print(f"{score} Without …")
    lines = [("score", "change", *(() if is_regression else ("probability",)), "sentence")]
    for one in result.sentences:
        mark = "* " if one.holds_focus else ""
        figures = (f"{one.score:.2f}", f"{one.score - result.score:+.2f}")
        share = () if is_regression else (precise_percent(one.probability),)
        lines.append((*figures, *share, mark + shortened(one.text)))
    _print_table(lines)
    if any(one.holds_focus for one in result.sentences):
        print("\n* held the answer: the score is the best one's that is left.")


def _print_window(window: InputWindow) -> None:
    part = f", part {window.number + 1} of {window.windows} of the text" if window.windows > 1 else ""
    own = sum(token.part is Part.TEXT for token in window.tokens)
    print(f"{count(len(window.tokens), 'token')}, {own} of them of the text{part}.")


def _print_table(lines: Sequence[tuple[str, ...]]) -> None:
    shown = [tuple(one_line(cell) for cell in line) for line in lines]
    widths = [max(len(line[column]) for line in shown) for column in range(len(shown[0]))]
    for line in shown:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _four(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
