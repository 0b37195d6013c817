"""Find words for the blanks of a text."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.reading import text_or_file
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    at_least_one,
    count,
    new_parser,
    one_line,
    print_json,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.requests import TextToFill
from app.core.results import FilledBlank, FilledText, Guess
from app.core.text import BLANK, Span, blanks_in
from app.core.wording import precise_percent
from app.flows.heads.heads import fill
from app.flows.workspace import Workspace

_EPILOG = """\
A blank in TEXT is ___ (two or more underscores), [MASK] or <mask>; - reads the text from standard
input. Each blank is hidden from the model, which says from the words on both sides what could
stand there (masked words: BERT, Devlin et al. 2019, section 3.1, Task #1). Where a text is longer
than the model's window, a blank is read with as much as fits around it.

--word asks how likely that very word is: the first --word for the first blank, and so on. Its rank
is among all entries of the model's vocabulary; a word of several pieces has none, and its
probability is the product of its pieces', each given those before it.
"""
_CONTEXT = 30


def parser() -> argparse.ArgumentParser:
    """Return the parser of `fill`."""
    parser = new_parser("fill", "Find words for the blanks of a text.", _EPILOG)
    parser.add_argument("text", nargs="?", metavar="TEXT", help="a text with blanks; - is standard input")
    parser.add_argument("--file", metavar="FILE", help="a document with blanks in place of TEXT")
    parser.add_argument(
        "--word", action="append", default=[], metavar="W", help="how likely is this word in the next blank"
    )
    parser.add_argument(
        "--top-k", type=at_least_one, default=10, metavar="N", help="words listed for each blank (10)"
    )
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the likeliest words for every blank of a text."""
    if (arguments.text is None) == (arguments.file is None):
        raise SpanlightError("Give either a text or --file.", f"See {command()} fill --help.")
    text = text_or_file(arguments.text, arguments.file, workspace, report)
    blanks, words = blanks_in(text), tuple(arguments.word)
    if len(words) > len(blanks):
        raise SpanlightError(
            f"{count(len(words), 'word')} for {count(len(blanks), 'blank')}.",
            f"Put {BLANK} where a word is missing, and give at most one --word for each.",
        )
    wanted = words + ("",) * (len(blanks) - len(words)) if words else ()
    request = TextToFill(text, blanks, wanted, arguments.top_k)
    found = fill(workspace, request, report, model=arguments.model, device=arguments.device)
    if arguments.json:
        print_json(filled_values(text, found))
        return
    for number, blank in enumerate(found.blanks):
        if number:
            print()
        _print(text, blank, with_context=len(found.blanks) > 1)


def filled_values(text: str, found: FilledText) -> dict[str, object]:
    """Return what `fill --json` prints."""
    return {
        "text": text,
        "blanks": [
            {
                "start": blank.span.start,
                "end": blank.span.end,
                "words": [_values(guess) for guess in blank.guesses],
                "asked": _values(blank.asked) if blank.asked else None,
            }
            for blank in found.blanks
        ],
        "windows": found.windows,
        "model": found.model,
        "device": found.device,
        "seconds": found.seconds,
    }


def _values(guess: Guess) -> dict[str, object]:
    return asdict(guess) | {"rank": guess.rank or None}


def _print(text: str, blank: FilledBlank, *, with_context: bool) -> None:
    if with_context:
        print(_context(text, blank.span))
    words = [one_line(guess.word) for guess in blank.guesses]
    width = max(map(len, words), default=0)
    for word, guess in zip(words, blank.guesses, strict=True):
        print(f"{word:<{width}}  {precise_percent(guess.probability):>6}")
    if blank.asked is not None:
        print(f"{one_line(blank.asked.word)}: {_rank_of(blank.asked)}")


def _rank_of(guess: Guess) -> str:
    if not guess.pieces:
        return "the model's vocabulary cannot spell it"
    place = f"number {guess.rank:,}" if guess.rank else f"in {count(guess.pieces, 'piece')}"
    return f"{precise_percent(guess.probability)}, {place}"


def _context(text: str, span: Span) -> str:
    """Return the text around a blank on one line, cut between words."""
    before, after = text[max(0, span.start - _CONTEXT) : span.start], text[span.end : span.end + _CONTEXT]
    if span.start > _CONTEXT:
        before = "…" + before[before.find(" ") + 1 :]
    if span.end + _CONTEXT < len(text):
        after = after[: after.rfind(" ")] + "…" if " " in after else after + "…"
    return one_line(f"{before}{span.of(text)}{after}")
