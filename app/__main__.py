"""The entry point: opens the window, or runs the command that is named.

Imports nothing heavy and keeps to plain syntax: spawned processes import this file again, and a Python too old for
Spanlight must be able to read it, to say so.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOOTSTRAP = os.path.join(ROOT, "packaging", "bootstrap.py")
COMMANDS = {
    "ask": "answer a question about files, folders or a library",
    "library": "keep folders indexed, to ask all of their files at once",
    "text": "print the text of a document as it is read",
    "classify": "give texts their class probabilities",
    "fill": "find words for the blanks of a text",
    "next": "tell how likely one passage continues another",
    "tokens": "find the names in texts and documents",
    "inspect": "look into a model at work on a text",
    "evaluate": "measure a model on labelled examples",
    "bench": "measure how fast Spanlight is on this computer",
    "teach": "teach a classifier your own labels, from a table",
    "train": "train a model from examples",
    "models": "see, get, choose, measure and remove models",
    "history": "look through what was asked before",
    "table": "ask many documents a list of questions",
    "export": "write answers from the history to a file",
    "updates": "ask whether there is a newer version",
}


def start_command() -> str:
    """Return what a person types to start Spanlight."""
    from app.core.about import command

    return command()


def usage() -> str:
    """Return what `--help` prints."""
    commands = "\n".join(f"  {name:<10}{what}" for name, what in COMMANDS.items())
    start = start_command()
    return (
        f"usage: {start + ' [--window] [FILE ...]':<40}open the window\n"
        f"       {start + ' COMMAND ...':<40}work in the terminal\n"
        f"       {start + ' --check [--json]':<40}see whether all of it works here\n"
        f"       {start} --version | --help\n\n"
        "Answers questions about your own documents by lighting up the exact words of the answer,\n"
        "and classifies text with its class probabilities shown.\n\n"
        f"commands:\n{commands}\n\n"
        f"{start} COMMAND --help tells more about one of them."
    )


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return "Did you mean ...? " with the known word nearest to a mistyped one; empty if none is near."""
    from app.core.arguments import did_you_mean

    question = did_you_mean(word, known)
    return question and question + " "


def complain(message: str) -> int:
    """Write a sentence to standard error, without control characters; returns the exit code of an input error."""
    try:
        sys.stderr.write("".join(each if each.isprintable() else " " for each in message) + "\n")
    except OSError:  # there is nowhere to write it
        pass
    return 2


def complain_on_the_desktop(message: str) -> int:
    """Complain, also in a small window if Spanlight was started from a menu, where nobody reads standard error."""
    from_menu = any(os.environ.get(name) for name in ("DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"))
    unread = not sys.stderr.isatty() and (from_menu or not sys.platform.startswith("linux"))
    if getattr(sys, "frozen", False) and unread:
        try:
            from app.ui.window.last_words import show

            show(message)
        except Exception:  # Qt itself may be what is missing
            pass
    return complain(message)


def is_given(argument: str) -> bool:
    """Return whether an argument is a file that exists, or a URL, as desktops also pass files."""
    return argument.lower().startswith("file:/") or os.path.exists(argument)


def print_words(words: str) -> int:
    """Print words; returns the exit code: 0, even if the reader has gone, or 2 if they cannot be written."""
    try:
        print(words, flush=True)
    except OSError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            return complain(f"Standard output could not be written: {fault.strerror}.")
    return 0


def replace_closed_streams() -> None:
    """Replace closed standard streams by the null device, as the next file to be opened would take their numbers.

    Standard output is then not writable, so that printing to it raises an error.
    """
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8"))


def prepare(
    module: str, argv: list[str], extras: tuple[str, ...] = (), system: tuple[str, ...] = ()
) -> int | None:
    """In a source tree, install what `module` lacks, and run it in the new environment; returns that exit code.

    Returns None if this process has everything it needs. An installed Spanlight comes without the set-up, as its
    installer has done that work.
    """
    if getattr(sys, "frozen", False) or not os.path.exists(BOOTSTRAP):
        return None
    import importlib.util

    spec = importlib.util.spec_from_file_location("spanlight_bootstrap", BOOTSTRAP)
    if spec is None or spec.loader is None:
        return complain(f"{BOOTSTRAP} cannot be read. Get the code once more.")
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    code: int | None = bootstrap.ensure(module, argv, extras, system)
    return code


def open_window(argv: list[str], painted: Callable[[], object] | None = None) -> int:
    """Open the window on the files named in `argv`; returns the exit code. `painted` is called once it is painted."""
    if "-h" in argv or "--help" in argv:
        return print_words(usage())
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        return complain(
            "There is no screen here to open a window on. "
            f'Ask in the terminal instead: {start_command()} ask FILE --question "..."'
        )
    from pathlib import Path

    from app.core.arguments import path_of
    from app.core.errors import SpanlightError
    from app.flows.second_start import claim_or_hand_over
    from app.settings.paths import default_paths

    files = [Path(path_of(argument)) for argument in argv if not argument.startswith("-")]
    for file in files:
        if not os.path.exists(file):
            complain(f"There is no file {file}.")
    try:
        claim = claim_or_hand_over(default_paths().data, files)
    except SpanlightError as fault:
        return complain_on_the_desktop(str(fault))
    if claim is None:  # the window that is open already has taken the files
        return 0
    # While modules are imported, the collector would walk over objects that stay for good: a tenth of the start. The
    # window collects garbage itself (ui/window/cycle_collector.py).
    gc.disable()
    from app.ui.window.start import main as start

    return start(files, claim, painted)


def print_time_painted() -> None:
    """Print `time.monotonic()` and exit at once, as nobody needs what the window would do next."""
    import time

    os.write(1, f"{time.monotonic()!r}\n".encode("ascii"))
    os._exit(0)


def report_broken_installation(fault: Exception, tell: Callable[[str], int] = complain) -> int:
    """Say what is missing of Spanlight or the system; returns the exit code. Raises any other exception again."""
    try:
        from app.core.system_libraries import installation_error

        words = installation_error(fault)
    except ImportError as worse:
        return tell(f"Spanlight is not whole: {worse.name or worse} is missing. Install it again.")
    if words is None:
        raise fault
    return tell(str(words))


def main(argv: list[str] | None = None) -> int:
    """Run the window or a command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    replace_closed_streams()
    in_terminal = bool(arguments) and (arguments[0] in COMMANDS or arguments[0].startswith("--"))
    try:
        return run(arguments)
    except (ImportError, FileNotFoundError) as fault:
        return report_broken_installation(fault, complain if in_terminal else complain_on_the_desktop)


def run(arguments: list[str]) -> int:
    """Carry out the arguments; returns the exit code. Raises ImportError if a part of Spanlight is missing."""
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V"):
        from app.core.about import NAME, VERSION

        return print_words(f"{NAME} {VERSION}")
    if first in ("--help", "-h"):
        return print_words(usage())
    options = ("--window", "--check", "--painted")
    if first.startswith("-") and first not in options:
        near = suggestion(first, ["--help", "--version", *options[:2]])
        return complain(f"There is no option {first}. {near}{start_command()} --help lists what there is.")
    known = first in ("", *options) or first in COMMANDS or is_given(first)
    # Beside files that exist, a missing one is opened too: the window says that it is not there.
    is_named_like_file = any(mark in first for mark in "./\\")
    if not known and not (is_named_like_file and any(map(is_given, arguments[1:]))):
        return complain(
            f"{first} is neither a command ({', '.join(COMMANDS)}) nor a file that exists. "
            f"{suggestion(first, COMMANDS)}{start_command()} --help tells more."
        )
    system = () if first in COMMANDS or not sys.platform.startswith("linux") else ("windows",)
    code = prepare("app", arguments, system=system)
    if code is not None:
        return code
    if first in COMMANDS:
        from app.flows.early import begin

        early = begin(arguments)
        from app.cli.main import main as command_line

        return command_line(arguments, early)
    if first == "--check":
        from app.cli.check import main as check
        from app.ui.window.check import start_window

        return check(arguments[1:], start_window)
    if first == "--painted":  # for `bench`: the time when the first page is ready for input
        return open_window([], print_time_painted)
    return open_window(arguments)


if __name__ == "__main__":
    # Run by its path, from any folder: python3 .../spanlight/app
    if not __package__ and not getattr(sys, "frozen", False):
        sys.path[0] = ROOT
    # Processes that a bundle starts from itself do not get here: packaging/hooks/at_start.py.
    sys.exit(main())
