"""The window's modules are imported without their sources being read a second time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

# linecache keeps what was read as source.
READ = """
import linecache, app.ui.window.start, shibokensupport.feature as feature
print(feature._mod_uses_pyside.__name__, *(name for name in linecache.cache if name.endswith(".py")))
"""


def test_no_source_is_read_and_kept() -> None:
    done = subprocess.run([sys.executable, "-c", READ], cwd=ROOT, capture_output=True, text=True, timeout=60)
    answering, *read = done.stdout.split()
    assert answering == "_never", done.stderr
    assert [name for name in read if (ROOT / "app") in Path(name).parents] == []
