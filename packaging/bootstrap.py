"""The set-up behind `python3 -m app` and `python3 -m tests`: what is missing is installed, then the work starts.

Loaded by its path, from source trees only. It keeps to a syntax that an old Python can read, because it is
here that such a Python is told what is wrong.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing costs more than all the rest here
if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OLDEST = (3, 11)
# Set for the process that the set-up hands over to, so that no mistake can make it go round in circles.
HANDED_OVER = "SPANLIGHT_HANDED_OVER"


def ensure(
    module: str, argv: Sequence[str], extras: Sequence[str] = (), system: Sequence[str] = ()
) -> int | None:
    """See to it that `python3 -m <module>` finds all it needs; the exit code when the work was done elsewhere.

    `extras` are names of optional dependencies in pyproject.toml, `system` the system's libraries and programs:
    `windows`, `xvfb`. None says that this process may go on itself. On POSIX a hand-over does not return.
    """
    if sys.version_info < OLDEST:
        return refuse_python(module, argv)
    sys.path.insert(0, HERE)
    try:
        from bootstrapping.environment import Environment
    finally:
        sys.path.remove(HERE)
    wanted = ("app", *extras)
    environment = Environment(ROOT)
    handed_over = os.environ.pop(HANDED_OVER, "")
    here = environment.is_this()
    if not here:
        if handed_over:
            sys.stderr.write("%s does not work here. Delete it and start again.\n" % environment.folder)
            return 1
        # An environment of the person's own that has everything is taken as it is; a plain Python is asked only
        # where there is no .venv, because asking takes longer.
        own = sys.prefix != sys.base_prefix
        if (own or not environment.is_ready(wanted, ())) and not environment.unmet(wanted):
            return None
    elif environment.moved_on():
        # The Python below the environment was replaced (a new release of the system): it is made afresh from outside.
        os.unlink(environment.stamp)
        return hand_over(getattr(sys, "_base_executable", sys.executable), module, argv, "")
    if handed_over:
        system = ()  # seen to, or asked for, a moment ago
    if environment.is_ready(wanted, system):
        return None if here else hand_over(environment.python, module, argv)
    from bootstrapping.setting_up import set_up

    code = set_up(environment, wanted, system)
    if code is not None:
        return code
    return None if here else hand_over(environment.python, module, argv)


def refuse_python(module: str, argv: Sequence[str]) -> int:
    """Say that this Python is too old, and name one that is here and is not."""
    import shutil
    import subprocess

    version = "%d.%d" % sys.version_info[:2]
    sys.stderr.write("Spanlight needs Python 3.11 or newer; this is Python %s.\n" % version)
    for minor in (13, 12, 11, 14):
        name = "python3.%d" % minor
        found = shutil.which(name)
        if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            sys.stderr.write(
                "Run it with the newer one that is here: %s -m %s\n" % (name, " ".join([module, *argv]))
            )
            break
    else:
        sys.stderr.write(
            "Install a newer one (https://www.python.org/downloads/) and run the same command with it.\n"
        )
    return 2


def hand_over(python: str, module: str, argv: Sequence[str], mark: str = "1") -> int:
    """Run `module` with another Python: in place of this process on POSIX, as its child on Windows."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    by_name = spec is not None and spec.name == module + ".__main__"
    target = ["-m", module] if by_name else [os.path.join(ROOT, module)]
    command = [python, *target, *argv]
    variables = dict(os.environ)
    variables[HANDED_OVER] = mark
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        import subprocess

        return subprocess.call(command, env=variables)
    os.execve(python, command, variables)
