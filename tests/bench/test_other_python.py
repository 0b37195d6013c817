from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.bench.other_python import OtherPython
from app.bench.reference_client import SCRIPT, Reference
from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from tests.helpers.children import gone
from tests.helpers.fake_models import Noted
from tests.helpers.fake_python import fake_python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")


def test_the_reference_is_loaded_and_asked(tmp_path: Path) -> None:
    noted = Noted()
    with Reference(fake_python(tmp_path), noted) as reference:
        told = reference.load("/models/reader", "cpu")
        assert told.title == "transformers 4.57.6 with torch 2.0, float32 on cpu"
        found = reference.read([("Who stole tarts?", "He stole tarts. " * 50), ("Where?", "Here.")])
    assert (found.windows, found.peak) == (3, 4 * 10**9)
    assert found.seconds == pytest.approx(0.302)
    assert (found.answers[0][0].start, found.answers[0][0].end, found.answers[0][0].text) == (9, 14, "tarts")
    assert noted.notices == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('No space left')", "ended: No space left."),
        ("sys.exit(3)", "ended: exit code 3."),
        ("print('hello', flush=True); sys.stdin.read()", "is not a Python that can be measured."),
        ("print('[1]', flush=True); sys.stdin.read()", "is not a Python that can be measured."),
        ('print(\'{"error": "No pipeline."}\', flush=True); sys.stdin.read()', "No pipeline."),
        ("import os; os.kill(os.getpid(), 9)", "most likely because memory ran out."),
    ],
)
def test_what_goes_wrong_is_one_sentence(tmp_path: Path, body: str, said: str) -> None:
    with (
        pytest.raises(SpanlightError, match="venv old") as fault,
        Reference(fake_python(tmp_path, body), Silent()) as reference,
    ):
        reference.load("/models/reader", "cpu")
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_stop_ends_it_whatever_it_does(tmp_path: Path) -> None:
    noted = Noted(stop_at=3)
    began = time.monotonic()
    with (
        pytest.raises(Stopped),
        OtherPython(fake_python(tmp_path, "import time; time.sleep(60)"), SCRIPT, noted) as it,
    ):
        pid = it.pid
        it.ask({"do": "load"})
    assert time.monotonic() - began < 10
    assert gone(pid), "it is ended"


def test_it_is_isolated_and_reaches_no_network(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text(
        "import json, os, sys\n"
        "print(json.dumps({'path': sys.path, 'offline': os.environ['HF_HUB_OFFLINE']}), flush=True)\n"
    )
    with OtherPython(sys.executable, script, Silent()) as it:
        told = it.receive()
    assert told["offline"] == "1"
    assert str(tmp_path) not in told["path"]


def test_the_real_script_says_what_is_missing(tmp_path: Path) -> None:
    """Run in an interpreter without the libraries, which are hidden from this one."""
    body = "import runpy; sys.modules['torch'] = None; runpy.run_path(sys.argv[2], run_name='__main__')"
    with (
        pytest.raises(SpanlightError, match="torch is not installed in"),
        Reference(fake_python(tmp_path, body), Silent()) as reference,
    ):
        reference.load("/models/reader", "cpu")


def test_the_real_script_ends_with_its_parent() -> None:
    code = (
        "import sys, time\n"
        "from app.core.report import Silent\n"
        "from app.bench.reference_client import SCRIPT\n"
        "from app.bench.other_python import OtherPython\n"
        "print(OtherPython(sys.executable, SCRIPT, Silent()).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert gone(pid), "it ends with its parent"
