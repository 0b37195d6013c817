"""`python3 -m tests [pytest's arguments]`: what the tests need is installed, then they run."""

from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> int:
    """Run the tests; pytest's exit code."""
    sys.path.insert(0, ROOT)
    from app.__main__ import prepare

    system = ("windows", "xvfb") if sys.platform.startswith("linux") else ()
    code = prepare("tests", sys.argv[1:], ("test",), system)
    if code is not None:
        return code
    import pytest

    os.chdir(ROOT)
    return int(pytest.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
