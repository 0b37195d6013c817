"""The window's modules are imported without their sources being read a second time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

# linecache keeps what was read as source.
READ = "import linecache, app.ui.window.start; print(*(name for name in linecache.cache if name.endswith('.py')))"


def test_no_source_is_read_and_kept() -> None:
    done = subprocess.run([sys.executable, "-c", READ], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert [name for name in done.stdout.split() if (ROOT / "app") in Path(name).parents] == []


def test_the_bindings_still_ask_where_we_answer() -> None:
    code = "import app.ui.window.sources, shibokensupport.feature as f; print(f._mod_uses_pyside.__name__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "_never", done.stderr
