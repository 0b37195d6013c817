"""`python3 -m tests [--all] [pytest's arguments]`: what the tests need is installed, then they run.

Without `--all` the whole suite leaves out bench, packaging and what is marked as long, and takes a quarter of the
examples of each property.
`python3 -m tests --soak MINUTES` uses the window for so long instead, and fails where something grows
(`tests/hostile/soak.py`).
"""

from __future__ import annotations

import os
import sys

# The whole suite is shared out over processes, a module to each at a time. A fifth of the time tests wait for other
# processes: so there is one more than cores, but not more than four, which would need much memory. Modules keep
# the order of tests/conftest.py: slow ones with few tests would else come last, when others have nothing left.
PROCESSES = min(4, (os.cpu_count() or 1) + 1)
PARALLEL = ("-n", str(PROCESSES), "--dist", "loadscope", "--no-loadscope-reorder")
SHORT = ("-m", "not long", "--ignore", "tests/bench", "--ignore", "tests/packaging")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> int:
    """Run the tests, or the soak; pytest's exit code, or 1 for a soak that found a fault and 2 for no minutes."""
    sys.path.insert(0, ROOT)
    from app.__main__ import prepare

    system = ("windows", "xvfb") if sys.platform.startswith("linux") else ()
    extras = ("test", "cluster") if "--all" in sys.argv else ("test",)
    code = prepare("tests", sys.argv[1:], extras, system)
    if code is not None:
        return code
    # Every worker, and every process that a test starts, would compile a thousand modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.chdir(ROOT)
    if "--soak" in sys.argv:
        return run_soak(sys.argv[sys.argv.index("--soak") + 1 :])
    import pytest

    given = [each for each in sys.argv[1:] if each != "--all"]
    chosen: list[str] = []
    # A few tests are sooner run by one process than by several that each import PyTorch first.
    if all(each.startswith("-") for each in given):
        chosen = [*PARALLEL, *(() if "--all" in sys.argv else SHORT)]
    if "--all" in sys.argv:
        os.environ.setdefault("HYPOTHESIS_PROFILE", "thorough")
    return int(pytest.main([*chosen, *given]))


def run_soak(given: list[str]) -> int:
    """Run the soak for the given minutes; its exit code."""
    try:
        (minutes,) = map(float, given)
    except ValueError:
        print("A soak needs its minutes: python3 -m tests --soak 30", file=sys.stderr)
        return 2
    from tests.hostile.soak import soak

    return soak(minutes)


if __name__ == "__main__":
    sys.exit(main())
