"""Shared by the commands: arguments, progress on standard error, words for a terminal."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from io import TextIOWrapper
from types import FrameType
from typing import Any, NoReturn, TextIO

from app.core import about
from app.core.arguments import did_you_mean
from app.core.errors import SpanlightError
from app.core.legible import legible, legible_lines
from app.core.models import PRECISIONS
from app.core.plain import json_of
from app.core.report import Progress, Stopped
from app.core.wording import duration, percent, time_left
from app.flows.batches import BatchDone

_QUIET_SECONDS = 1.0  # on a terminal
_LINE_EVERY = 30.0  # elsewhere: shorter work writes nothing to a log
_REDRAW_EVERY = 0.1
# In characters: longer than any path or sentence of ours.
_LONGEST_LINE = 5_000
_MOST = 10**9

_ERASED = "\r\x1b[K"
# What marks words, and nothing else: a document that has it marks its own.
_OURS = re.compile(r"(\x1b\[1;4m|\x1b\[0m)")
# From Python 3.14 on, argparse may put "maybe you meant" between the choice and what to choose from.
_UNKNOWN = re.compile(r"unrecognized arguments:(?: [^-]\S*)* (--?[^\s=]+)")
_NO_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser that raises its complaints instead of printing them and ending the process."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # From Python 3.14 on help would have colours, of which a terminal here shows the codes.
        self.color = False

    def error(self, message: str) -> NoReturn:
        """Raise SpanlightError with argparse's complaint as a sentence, and a near option or choice."""
        near, see = self._meant(message), f"See {self.prog} --help."
        raise SpanlightError(
            f"{message[:1].upper()}{message[1:].rstrip('.')}.", f"{near} {see}" if near else see
        )

    def print_help(self, file: Any = None) -> None:
        """Print the help; raises OSError where argparse would hide that it cannot be written."""
        print(self.format_help(), end="", file=file)

    def _meant(self, message: str) -> str:
        """The option or choice that is near to what argparse complains of; empty where it has named one itself."""
        if found := _UNKNOWN.search(message):
            return did_you_mean(found[1], self._option_string_actions)
        if found := _NO_CHOICE.search(message):
            return did_you_mean(found[1], [each.strip(" '\"") for each in found[2].split(",")])
        return ""


class WordParser(Parser):
    """The parser of a command whose first word chooses the parser of the rest; without a word it is `list`, if known.

    `words` says what each does. `action_of` gives what adds a word's arguments, and what it runs: the parsed `action`.
    """

    def __init__(
        self,
        command: str,
        description: str,
        words: dict[str, str],
        action_of: Callable[[str], tuple[Callable[[Parser], None], Callable[..., None]]],
    ) -> None:
        width = max(10, *(len(word) + 2 for word in words))
        listed = "\n".join(f"  {word:<{width}}{what}" for word, what in words.items())
        prog = f"{about.command()} {command}"
        super().__init__(
            prog=prog,
            usage=f"{prog} [WORD ...] [--json]",
            description=description,
            epilog=f"words:\n{listed}\n\n{prog} WORD --help tells more about one of them.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument("--json", action="store_true", help="print JSON, for programs")
        self._command, self._words, self._action_of = command, words, action_of

    def parse_intermixed_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """The arguments of the word, with what it runs as `action`."""
        rest = list(sys.argv[1:] if args is None else args)
        at = next((n for n, each in enumerate(rest) if not each.startswith("-")), None)
        if at is None and {"-h", "--help"} & set(rest):
            return super().parse_args(rest)
        if at is None and "list" not in self._words:
            known = " or ".join(self._words)
            raise SpanlightError(f"{self._command} needs a word: {known}.", f"See {self.prog} --help.")
        word = rest.pop(at) if at is not None else "list"
        if word not in self._words:
            near, see = did_you_mean(word, self._words), f"See {self.prog} --help."
            raise SpanlightError(f"{self._command} knows no word “{word}”.", f"{near} {see}" if near else see)
        what = self._words[word].partition(" (")[0]
        parser = new_parser(f"{self._command} {word}", f"{what[:1].upper()}{what[1:]}.")
        add_arguments, action = self._action_of(word)
        add_arguments(parser)
        found = parser.parse_intermixed_args(rest, namespace)
        found.action = action
        return found


def new_parser(command: str, description: str, epilog: str = "") -> Parser:
    """A command's parser with the arguments that all commands take."""
    parser = Parser(
        prog=f"{about.command()} {command}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that choose a model and where it runs."""
    parser.add_argument("--model", default="", metavar="NAME_OR_FOLDER", help="the model that reads")
    parser.add_argument("--device", default="", metavar="auto|cpu|cuda|mps", help="where the model runs")
    parser.add_argument("--precision", choices=PRECISIONS, default="", help="what it computes in")


def whole_number(least: int) -> Callable[[str], int]:
    """A parser of arguments that are whole numbers, `least` or more, and no more than any count can be."""

    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is not a whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is less than {least}")
        if number > _MOST:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is more than {_MOST:,}")
        return number

    return read


zero_or_more, at_least_one = whole_number(0), whole_number(1)


def probability(value: str) -> float:
    """An argument's number from 0 to 1."""
    try:
        number = float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value} is not a number") from None
    if not 0 <= number <= 1:
        meant = f": for {number:g}%, write {number / 100:g}" if 1 < number <= 100 else ""
        raise argparse.ArgumentTypeError(f"{value} is not between 0 and 1{meant}")
    return number


def print_json(value: object) -> None:
    """Print a value as JSON over several lines."""
    print(json_of(value, indent=2, ensure_ascii=False))


def print_either(as_json: bool, values: object, words: str) -> None:
    """Print the values as JSON, or else the words."""
    print_json(values) if as_json else print(words)


def print_batch(done: BatchDone, noun: str, action: str, as_json: bool) -> None:
    """Print how a batch ended: how many items were processed, and how many of them by an earlier run."""
    before = f", {done.finished_before:,} of them before" if done.finished_before else ""
    print_either(
        as_json, asdict(done), f"{count(done.rows, noun)} {action}{before}, in {duration(done.seconds)}."
    )


def one_line(text: str) -> str:
    """The text on one line, legible: neither a document nor a model's label can steer the terminal or flood it."""
    return legible(text, _LONGEST_LINE)


def shortened(text: str, most: int = 72) -> str:
    """The beginning of a text on one line, with an ellipsis where it is longer than `most` characters."""
    return legible(text, most)


def marked(text: str) -> str:
    """The text underlined and bold, where standard output is a terminal."""
    return f"\x1b[1;4m{text}\x1b[0m" if sys.stdout.isatty() else text


class ToTerminal(TextIOWrapper):
    """A stream to a terminal, which only what we write ourselves can steer: not a text, a label, a file's name."""

    def write(self, text: str) -> int:
        """Write a text, legible."""
        parts = _OURS.split(text)
        shown = "".join(
            part if _OURS.fullmatch(part) else legible_lines(part, len(part) + 1) for part in parts
        )
        super().write(shown)
        return len(text)

    def erase(self) -> None:
        """Erase the line, where it can be written."""
        with suppress(OSError, ValueError):
            super().write(_ERASED)
            self.flush()


def set_up_streams() -> None:
    """Write UTF-8, which another program expects; to a terminal its own encoding, and only what it can show."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, TextIOWrapper):
            continue
        if not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="replace")
        elif type(stream) is TextIOWrapper:  # the interpreter's own, which is replaced once
            encoding, buffered = stream.encoding, stream.line_buffering
            setattr(
                sys, name, ToTerminal(stream.detach(), encoding, errors="replace", line_buffering=buffered)
            )


def end_with(sentence: str, code: int) -> int:
    """Write the last sentence on standard error, on one line; returns the exit code.

    A very long name in it is cut in the middle: what is wrong with it stands behind it.
    """
    if len(sentence) > _LONGEST_LINE:
        half = _LONGEST_LINE // 2 - 1
        sentence = f"{sentence[:half]}…{sentence[-half:]}"
    _tell(sys.stderr, one_line(sentence) + "\n")
    return code


def _tell(stream: TextIO, words: str) -> None:
    """Write words that are lost where the stream cannot be written: nothing of the work depends on them."""
    with suppress(OSError, ValueError):
        stream.write(words)
        stream.flush()


def unprinted() -> SpanlightError | None:
    """The error where standard output cannot be written (a full disk, a closed stream), whose rest is then dropped."""
    try:
        sys.stdout.flush()
    except OSError as fault:
        discard_output()
        reason = fault.strerror or "the system refused"
        return SpanlightError(f"Standard output could not be written: {reason}.", "Write it elsewhere.")
    return None


def discard_output() -> None:
    """Send what is left of standard output nowhere, so that the interpreter does not complain at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class TerminalReport:
    """A Report that shows progress on standard error, and stops at Ctrl+C.

    On a terminal one line is redrawn from the first second on; elsewhere a line is written every half minute.
    `on_terminal` is whether standard error is one. A second Ctrl+C interrupts at once.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.on_terminal = stream.isatty()
        self._started = time.monotonic()
        self._shown_at = _QUIET_SECONDS - _REDRAW_EVERY if self.on_terminal else 0.0
        self._drawn = False
        self._stop = False

    def progress(self, progress: Progress) -> None:
        """Show the progress, unless it was shown just now."""
        self.draw(_words(progress))

    def draw(self, words: str) -> None:
        """Show progress in the given words, unless something was shown just now."""
        now = time.monotonic() - self._started
        if now - self._shown_at < (_REDRAW_EVERY if self.on_terminal else _LINE_EVERY):
            return
        self._shown_at = now
        if self.on_terminal:
            self._erase()
            _tell(self._stream, one_line(words))
            self._drawn = True
        else:
            self.line(words)

    def line(self, words: str) -> None:
        """Write a line that stays."""
        self.clear()
        _tell(self._stream, legible_lines(words) + "\n")

    def ask(self, question: str) -> bool | None:
        """Whether the user says yes; None where nobody can be asked. Ctrl+C at the question interrupts."""
        if not (self.on_terminal and sys.stdin is not None and sys.stdin.isatty()):
            return None
        self.clear()
        _tell(self._stream, f"{one_line(question)} [y/N] ")
        with self.waiting():
            return sys.stdin.readline().strip().casefold() in ("y", "yes")

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While this lasts, nothing is computed but waited for: the first Ctrl+C interrupts, with no check to come."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def clear(self) -> None:
        """Erase the drawn line."""
        if self._drawn:
            self._erase()
            self._drawn = False

    def _erase(self) -> None:
        if isinstance(self._stream, ToTerminal):
            self._stream.erase()
        else:
            _tell(self._stream, _ERASED)

    def partial(self, result: object) -> None:
        """Drop partial results, which the command prints."""

    def notice(self, sentence: str) -> None:
        """Write the sentence on a line of its own."""
        self.line(sentence)

    def check(self) -> None:
        """Raise Stopped after Ctrl+C."""
        if self._stop:
            raise Stopped

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """While this lasts, the first Ctrl+C stops the work at its next check."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self._stop:
                raise KeyboardInterrupt
            self._stop = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _words(progress: Progress) -> str:
    what = progress.what or "Working"
    if not progress.total:
        return f"{progress.done:,} {what}…" if progress.done and not what[:1].isupper() else f"{what}…"
    left = f", {time_left(progress.seconds_left)}" if progress.seconds_left is not None else ""
    if what == "windows":  # their number is known once the text was read
        return f"{percent(progress.fraction) if progress.done else '0%'} read{left}"
    share = f"{progress.done:,} of {progress.total:,}"
    # "12 of 300 texts", but "Training: 12 of 300".
    return f"{what}: {share}{left}" if what[:1].isupper() else f"{share} {what}{left}"


def count(number: int, one: str, several: str = "") -> str:
    """A number with its noun: "1 window", "1,204 windows"; `several` is an irregular plural."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
