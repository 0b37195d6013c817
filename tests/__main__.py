"""`python3 -m tests [--all] [pytest's arguments]`: what the tests need is installed, then they run.

Without `--all` the whole suite leaves out bench, packaging and what is marked as long.
"""

from __future__ import annotations

import os
import sys

# The whole suite is shared out over the cores, a module to a process; more than four processes need much memory.
# Modules keep their order: slow ones with few tests would else come last, when other processes have nothing left.
PARALLEL = ("-n", "auto", "--maxprocesses", "4", "--dist", "loadscope", "--no-loadscope-reorder")
SHORT = ("-m", "not long", "--ignore", "tests/bench", "--ignore", "tests/packaging")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> int:
    """Run the tests; pytest's exit code."""
    sys.path.insert(0, ROOT)
    from app.__main__ import prepare

    system = ("windows", "xvfb") if sys.platform.startswith("linux") else ()
    code = prepare("tests", sys.argv[1:], ("test",), system)
    if code is not None:
        return code
    # Every worker, and every process that a test starts, would compile a thousand modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    import pytest

    os.chdir(ROOT)
    given = [each for each in sys.argv[1:] if each != "--all"]
    chosen: list[str] = []
    # A few tests are sooner run by one process than by several that each import PyTorch first.
    if all(each.startswith("-") for each in given):
        chosen = [*PARALLEL, *(() if "--all" in sys.argv else SHORT)]
    return int(pytest.main([*chosen, *given]))


if __name__ == "__main__":
    sys.exit(main())
