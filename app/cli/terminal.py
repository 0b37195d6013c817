"""The terminal for commands: parsers, printing, and progress on standard error."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from dataclasses import asdict
from io import TextIOWrapper
from types import FrameType
from typing import Any, NoReturn, TextIO, cast

from app.core import about
from app.core.arguments import did_you_mean
from app.core.errors import SpanlightError
from app.core.legible import legible, legible_lines
from app.core.models import PRECISIONS
from app.core.plain import json_of
from app.core.report import Progress, Stopped
from app.core.wording import duration, percent, time_left
from app.flows.batches import BatchDone

# Adds a subcommand's arguments, and runs it.
Action = tuple[Callable[[argparse.ArgumentParser], None], Callable[..., None]]
_QUIET_SECONDS = 1.0  # on a terminal
_LINE_EVERY = 30.0  # elsewhere: shorter work writes nothing to a log
_REDRAW_EVERY = 0.1
# In characters: longer than any path or sentence of ours.
_LONGEST_LINE = 5_000
_LARGEST_NUMBER = 10**9
# The signals that stop the work: Ctrl+C, the end that another program asks for, and the closing of the terminal.
_STOP_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_ERASE_LINE = "\r\x1b[K"
# The escape sequences of `marked`, the only ones that reach the terminal.
_MARKUP = re.compile(r"(\x1b\[1;4m|\x1b\[0m)")
_UNKNOWN = re.compile(r"unrecognized arguments:(?: [^-]\S*)* (--?[^\s=]+)")
# From Python 3.14 on, argparse's own "maybe you meant" may stand between the choice and the list.
_NO_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises SpanlightError instead of printing errors and ending the process."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # From Python 3.14 on argparse colours its help, but `ToTerminal` would show the colour codes as text.
        self.color = False

    def error(self, message: str) -> NoReturn:
        """Raise SpanlightError with argparse's error as a sentence, and the nearest known option or choice."""
        near, see = self._suggestion(message), f"See {self.prog} --help."
        raise SpanlightError(
            f"{message[:1].upper()}{message[1:].rstrip('.')}.", f"{near} {see}" if near else see
        )

    def print_help(self, file: Any = None) -> None:
        """Print the help; raises OSError if it cannot be written, which argparse would hide."""
        print(self.format_help(), end="", file=file)

    def _suggestion(self, message: str) -> str:
        """Suggest the known option or choice nearest to the one in argparse's error; empty if that has a suggestion."""
        if found := _UNKNOWN.search(message):
            return did_you_mean(found[1], self._option_string_actions)
        if found := _NO_CHOICE.search(message):
            return did_you_mean(found[1], [each.strip(" '\"") for each in found[2].split(",")])
        return ""


class SubcommandParser(Parser):
    """The parser of a command whose first word names a subcommand; without one it is `list`, if there is a `list`.

    `subcommands` has a description of each. The function that runs the one from `action_of` becomes the parsed
    `action`.
    """

    def __init__(
        self,
        command: str,
        description: str,
        subcommands: dict[str, str],
        action_of: Callable[[str], Action],
    ) -> None:
        width = max(10, *(len(name) + 2 for name in subcommands))
        listed = "\n".join(f"  {name:<{width}}{what}" for name, what in subcommands.items())
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
        self._command, self._subcommands, self._action_of = command, subcommands, action_of

    def parse_intermixed_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """Parse the subcommand and its arguments, with the function that runs it as `action`."""
        rest = list(sys.argv[1:] if args is None else args)
        at = next((n for n, each in enumerate(rest) if not each.startswith("-")), None)
        if at is None and {"-h", "--help"} & set(rest):
            return super().parse_args(rest)
        if at is None and "list" not in self._subcommands:
            known = " or ".join(self._subcommands)
            raise SpanlightError(f"{self._command} needs a word: {known}.", f"See {self.prog} --help.")
        word = rest.pop(at) if at is not None else "list"
        if word not in self._subcommands:
            near, see = did_you_mean(word, self._subcommands), f"See {self.prog} --help."
            raise SpanlightError(f"{self._command} knows no word “{word}”.", f"{near} {see}" if near else see)
        what = self._subcommands[word].partition(" (")[0]
        parser = new_parser(f"{self._command} {word}", f"{what[:1].upper()}{what[1:]}.")
        add_arguments, action = self._action_of(word)
        add_arguments(parser)
        found = parser.parse_intermixed_args(rest, namespace)
        found.action = action
        return found


def new_parser(command: str, description: str, epilog: str = "") -> Parser:
    """Create a command's parser with the arguments that all commands take."""
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
    """Add the arguments that choose a model and where it runs."""
    parser.add_argument("--model", default="", metavar="NAME_OR_FOLDER", help="the model that reads")
    parser.add_argument("--device", default="", metavar="auto|cpu|cuda|mps", help="where the model runs")
    parser.add_argument("--precision", choices=PRECISIONS, default="", help="what it computes in")


def whole_number(least: int) -> Callable[[str], int]:
    """Return a parser of arguments that are whole numbers from `least` to a billion."""

    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is not a whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is less than {least}")
        if number > _LARGEST_NUMBER:
            raise argparse.ArgumentTypeError(f"{shortened(value)} is more than {_LARGEST_NUMBER:,}")
        return number

    return read


zero_or_more, at_least_one = whole_number(0), whole_number(1)


def probability(value: str) -> float:
    """Parse an argument that is a number from 0 to 1."""
    try:
        number = float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value} is not a number") from None
    if not 0 <= number <= 1:
        meant = f": for {number:g}%, write {number / 100:g}" if 1 < number <= 100 else ""
        raise argparse.ArgumentTypeError(f"{value} is not between 0 and 1{meant}")
    return number


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    print(json_of(value, indent=2, ensure_ascii=False))


def print_result(as_json: bool, values: object, words: str) -> None:
    """Print the values as JSON, or the words otherwise."""
    print_json(values) if as_json else print(words)


def print_batch(done: BatchDone, noun: str, action: str, as_json: bool) -> None:
    """Print how many items of a batch were processed, and how many of them by an earlier run."""
    before = f", {done.finished_before:,} of them before" if done.finished_before else ""
    print_result(
        as_json, asdict(done), f"{count(done.rows, noun)} {action}{before}, in {duration(done.seconds)}."
    )


def one_line(text: str) -> str:
    """Return the text on one line, legible: no document and no model's label can control the terminal or flood it."""
    return legible(text, _LONGEST_LINE)


def shortened(text: str, most: int = 72) -> str:
    """Return the beginning of a text on one line, with an ellipsis if it is longer than `most` characters."""
    return legible(text, most)


def marked(text: str) -> str:
    """Return the text bold and underlined if standard output is a terminal."""
    return f"\x1b[1;4m{text}\x1b[0m" if sys.stdout.isatty() else text


class ToTerminal(TextIOWrapper):
    """A stream to a terminal that passes no control sequences but our own: no text, label or file name controls it."""

    def write(self, text: str) -> int:
        """Write a text, made legible except for the sequences of `marked`."""
        parts = _MARKUP.split(text)
        shown = "".join(
            part if _MARKUP.fullmatch(part) else legible_lines(part, len(part) + 1) for part in parts
        )
        super().write(shown)
        return len(text)

    def erase(self) -> None:
        """Erase the current line, if the stream can be written."""
        with suppress(OSError, ValueError):
            super().write(_ERASE_LINE)
            self.flush()


def set_up_streams() -> None:
    """Have output to programs encoded in UTF-8, and output to a terminal in its own encoding by `ToTerminal`."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, TextIOWrapper):
            continue
        if not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="replace")
        elif type(stream) is TextIOWrapper:  # the interpreter's own stream, to be replaced only once
            encoding, buffered = stream.encoding, stream.line_buffering
            setattr(
                sys, name, ToTerminal(stream.detach(), encoding, errors="replace", line_buffering=buffered)
            )


def end_with(sentence: str, code: int) -> int:
    """Write the last sentence on standard error, on one line; returns the exit code.

    A very long sentence is cut in the middle, as what follows a long name says what is wrong with it.
    """
    if len(sentence) > _LONGEST_LINE:
        half = _LONGEST_LINE // 2 - 1
        sentence = f"{sentence[:half]}…{sentence[-half:]}"
    _write_quietly(sys.stderr, one_line(sentence) + "\n")
    return code


def _write_quietly(stream: TextIO, words: str) -> None:
    """Write words; they are lost if the stream cannot be written, as no work depends on them."""
    with suppress(OSError, ValueError):
        stream.write(words)
        stream.flush()


def output_error() -> SpanlightError | None:
    """Return the error if standard output cannot be written (disk full, stream closed), and drop the rest of it."""
    try:
        sys.stdout.flush()
    except OSError as fault:
        discard_output()
        reason = fault.strerror or "the system refused"
        return SpanlightError(f"Standard output could not be written: {reason}.", "Write it elsewhere.")
    return None


def discard_output() -> None:
    """Redirect standard output to nowhere, so that the interpreter reports no error when it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Output:
    """Standard output that calls a function before each write."""

    def __init__(self, stream: TextIO, before: Callable[[], None]) -> None:
        self._stream, self._before = stream, before

    def write(self, text: str) -> int:
        """Call the function, and write the text."""
        self._before()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class TerminalReport:
    """A Report that shows progress on standard error, and stops at Ctrl+C, SIGTERM and SIGHUP.

    On a terminal one line is redrawn from the first second on; elsewhere a line is written every half minute.
    `on_terminal` is whether standard error is a terminal. A second such signal interrupts at once.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.on_terminal = stream.isatty()
        self._started = time.monotonic()
        self._shown_at = _QUIET_SECONDS - _REDRAW_EVERY if self.on_terminal else 0.0
        self._drawn = False
        self._stopped_by = 0

    @property
    def stopped_code(self) -> int:
        """The exit code of stopped work: 128 plus the signal's number, 130 for Ctrl+C."""
        return 128 + (self._stopped_by or signal.SIGINT)

    def progress(self, progress: Progress) -> None:
        """Show the progress, unless something was shown just now."""
        self.draw(_progress_in_words(progress))

    def draw(self, words: str) -> None:
        """Show the words as progress, unless something was shown just now."""
        now = time.monotonic() - self._started
        if now - self._shown_at < (_REDRAW_EVERY if self.on_terminal else _LINE_EVERY):
            return
        self._shown_at = now
        if self.on_terminal:
            self._erase()
            _write_quietly(self._stream, one_line(words))
            self._drawn = True
        else:
            self.line(words)

    def line(self, words: str) -> None:
        """Write a line that stays."""
        self.clear()
        _write_quietly(self._stream, legible_lines(words) + "\n")

    def ask(self, question: str) -> bool | None:
        """Ask a question; returns whether the user says yes, None if nobody can be asked. Ctrl+C interrupts."""
        if not (self.on_terminal and sys.stdin is not None and sys.stdin.isatty()):
            return None
        self.clear()
        _write_quietly(self._stream, f"{one_line(question)} [y/N] ")
        with self.waiting():
            return sys.stdin.readline().strip().casefold() in ("y", "yes")

    def require_consent(self, arguments: argparse.Namespace, question: str, refusal: str, hint: str) -> None:
        """Ask whether the person agrees, unless --yes was given; raises SpanlightError, the `refusal`, if not.

        It has the `hint` where nobody could be asked, as with --json.
        """
        if arguments.yes:
            return
        agrees = None if arguments.json else self.ask(question)
        if not agrees:
            raise SpanlightError(refusal, "" if agrees is False else hint)

    def waiting(self) -> AbstractContextManager[None]:
        """Let the first signal interrupt within this context, in which input is awaited and `check` is not called."""
        return self._handling_signals(at_once=True)

    def printing(self) -> AbstractContextManager[Any]:
        """Erase the drawn line before anything is printed within this context."""
        return redirect_stdout(cast("TextIO", _Output(sys.stdout, self.clear)))

    def clear(self) -> None:
        """Erase the drawn line."""
        if self._drawn:
            self._erase()
            self._drawn = False

    def _erase(self) -> None:
        if isinstance(self._stream, ToTerminal):
            self._stream.erase()
        else:
            _write_quietly(self._stream, _ERASE_LINE)

    def partial(self, result: object) -> None:
        """Ignore partial results."""

    def notice(self, sentence: str) -> None:
        """Write the sentence on a line of its own."""
        self.line(sentence)

    def check(self) -> None:
        """Raise Stopped after a signal to stop."""
        if self._stopped_by:
            raise Stopped

    def stopping(self) -> AbstractContextManager[None]:
        """Let the first signal within this context stop the work at its next `check`."""
        return self._handling_signals(at_once=False)

    @contextmanager
    def _handling_signals(self, *, at_once: bool) -> Iterator[None]:
        def stop(number: int, frame: FrameType | None) -> None:
            interrupts, self._stopped_by = at_once or self._stopped_by, number
            if interrupts:
                raise KeyboardInterrupt

        # A program that nohup started goes on without its terminal.
        handled = [n for n in _STOP_SIGNALS if n == signal.SIGINT or signal.getsignal(n) != signal.SIG_IGN]
        before = [(number, signal.signal(number, stop)) for number in handled]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)


def _progress_in_words(progress: Progress) -> str:
    what = progress.what or "Working"
    if not progress.total:
        return f"{progress.done:,} {what}…" if progress.done and not what[:1].isupper() else f"{what}…"
    left = f", {time_left(progress.seconds_left)}" if progress.seconds_left is not None else ""
    if what == "windows" or progress.document >= 0:  # windows, whose number is known once the texts were read
        share = f"{percent(progress.fraction) if progress.done else '0%'} read{left}"
        return share if what == "windows" else f"{share}. {what}"
    share = f"{progress.done:,} of {progress.total:,}"
    # "12 of 300 texts", but "Training: 12 of 300".
    return f"{what}: {share}{left}" if what[:1].isupper() else f"{share} {what}{left}"


def count(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 window", "1,204 windows"; `several` is an irregular plural."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
