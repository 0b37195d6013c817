"""The limits of the download process."""

from __future__ import annotations

import subprocess
import sys

from app.core.memory_limit import OUT_OF_MEMORY
from app.models.download.process import MEMORY
from tests.conftest import ROOT

EAT = f"""
import time
from app.models.download.process import start_downloader
start_downloader()
held = bytearray(b"x") * {MEMORY // 2}
print(len(held), flush=True)
held += bytearray(b"x") * {MEMORY}
time.sleep(5)
"""


def test_its_memory_is_limited() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EAT], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == f"{MEMORY // 2}\n"
    assert done.returncode == OUT_OF_MEMORY or "MemoryError" in done.stderr
