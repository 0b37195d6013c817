"""The start: a window, or the command line when a subcommand is given.

Spawned processes import this file again, and a Python too old for Spanlight must be able to read it
to be told so: it imports nothing heavy and keeps to plain syntax.
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
    """What a person types to start Spanlight."""
    from app.core.about import command

    return command()


def usage() -> str:
    """What `--help` prints."""
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


def meant(word: str, known: Iterable[str]) -> str:
    """A question after the known word that a mistyped one is near to, with a blank behind; empty without one."""
    from app.core.arguments import did_you_mean

    question = did_you_mean(word, known)
    return question and question + " "


def complain(message: str) -> int:
    """One sentence on standard error, without what steers a terminal; the exit code of an input error."""
    try:
        sys.stderr.write("".join(each if each.isprintable() else " " for each in message) + "\n")
    except OSError:  # nobody can be told
        pass
    return 2


def complain_on_the_desktop(message: str) -> int:
    """The same, and in a window of its own where Spanlight was started from a menu: nobody reads its standard error."""
    began = any(os.environ.get(name) for name in ("DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"))
    unread = not sys.stderr.isatty() and (began or not sys.platform.startswith("linux"))
    if getattr(sys, "frozen", False) and unread:
        try:
            from app.ui.window.last_words import show

            show(message)
        except Exception:  # Qt itself may be what is missing
            pass
    return complain(message)


def say(words: str) -> int:
    """Words on standard output; 0, also where nobody reads on, 2 where it cannot be written."""
    try:
        print(words, flush=True)
    except OSError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            return complain(f"Standard output could not be written: {fault.strerror}.")
    return 0


def fill_streams() -> None:
    """Put the null device where a standard stream is closed: the next file that is opened would take its number.

    Standard output is then one that cannot be written, and what prints something says so.
    """
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8"))


def prepare(
    module: str, argv: list[str], extras: tuple[str, ...] = (), system: tuple[str, ...] = ()
) -> int | None:
    """Install what `module` lacks, from a source tree; the exit code when the work was done elsewhere.

    None says that this process has everything it needs. An installed Spanlight comes without the
    set-up, because its installer has done that work.
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
    """Open the window on the files named in `argv`; its exit code. `painted` is called once all of it is painted."""
    if "-h" in argv or "--help" in argv:
        return say(usage())
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
    try:
        claim = claim_or_hand_over(default_paths().data, files)
    except SpanlightError as fault:
        return complain_on_the_desktop(str(fault))
    if claim is None:  # the window that is open has them
        return 0
    # Walked again and again while modules are imported, though nothing of them ever goes: a tenth of the start. The
    # window collects by itself (ui/window/cycle_collector.py).
    gc.disable()
    from app.ui.window.start import main as start

    return start(files, claim, painted)


def tell_painted() -> None:
    """Print what `time.monotonic` says and leave at once: whatever the window would begin next is nobody's."""
    import time

    os.write(1, f"{time.monotonic()!r}\n".encode("ascii"))
    os._exit(0)


def not_whole(fault: Exception, tell: Callable[[str], int] = complain) -> int:
    """Say what of Spanlight, or of the system, is missing; raises the fault again where it is of another kind."""
    try:
        from app.core.system_libraries import broken_installation

        words = broken_installation(fault)
    except ImportError as worse:
        return tell(f"Spanlight is not whole: {worse.name or worse} is missing. Install it again.")
    if words is None:
        raise fault
    return tell(str(words))


def main(argv: list[str] | None = None) -> int:
    """Run the window or one command; the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    fill_streams()
    in_terminal = bool(arguments) and (arguments[0] in COMMANDS or arguments[0].startswith("--"))
    try:
        return run(arguments)
    except (ImportError, FileNotFoundError) as fault:
        return not_whole(fault, complain if in_terminal else complain_on_the_desktop)


def run(arguments: list[str]) -> int:
    """Do what the arguments say; the exit code. Raises ImportError where a part of Spanlight is missing."""
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V"):
        from app.core.about import NAME, VERSION

        return say(f"{NAME} {VERSION}")
    if first in ("--help", "-h"):
        return say(usage())
    options = ("--window", "--check", "--painted")
    if first.startswith("-") and first not in options:
        near = meant(first, ["--help", "--version", *options[:2]])
        return complain(f"There is no option {first}. {near}{start_command()} --help lists what there is.")
    # Desktops hand over files as addresses, too; the window says where one is not there.
    known = first in ("", *options) or first in COMMANDS or first.lower().startswith("file:/")
    if not known and not os.path.exists(first):
        return complain(
            f"{first} is neither a command ({', '.join(COMMANDS)}) nor a file that exists. "
            f"{meant(first, COMMANDS)}{start_command()} --help tells more."
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
    if first == "--painted":  # for `bench`: when the first page stood there, ready for input
        return open_window([], tell_painted)
    return open_window(arguments)


if __name__ == "__main__":
    # Run by its path, from any folder: python3 .../spanlight/app
    if not __package__ and not getattr(sys, "frozen", False):
        sys.path[0] = ROOT
    # Processes that a bundle starts of itself do not come this far: packaging/hooks/at_start.py.
    sys.exit(main())
