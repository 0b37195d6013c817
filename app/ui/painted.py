"""The window as `python -m app` opens it, told when it was painted, and left: `python -m app.ui.painted`.

Standard output gets the reading of `time.monotonic` when the whole first page stood on the screen and the window was
ready for input. Nothing of the person's is touched: the caller gives SPANLIGHT_HOME.
"""

from __future__ import annotations

import os
import sys
import time

from app.__main__ import open_window, prepare


def tell() -> None:
    """Print the time and leave at once: whatever the window would begin next is nobody's."""
    os.write(1, f"{time.monotonic()!r}\n".encode("ascii"))
    os._exit(0)


if __name__ == "__main__":
    system = ("windows",) if sys.platform.startswith("linux") else ()
    code = prepare("app", [], system=system)
    sys.exit(open_window([], tell) if code is None else code)
