"""A bundle compared with the source: a folder with a fake program stands in for the bundle."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from app.bench import bundle
from app.bench.plan import BenchPlan
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.workspace import Workspace
from tests.flows.fake_engine import fake_workspace

PROGRAM = """#!{python} -I
import sys, time
if sys.argv[1] == "--painted":
    print(time.monotonic())
elif sys.argv[1] == "ask" and open(sys.argv[2]).read():
    print("noon")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "spanlight"
    (folder / "_internal" / "resources").mkdir(parents=True)
    (folder / "_internal" / "resources" / "weights").write_bytes(bytes(3_000_000))
    path = folder / "spanlight"
    path.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return fake_workspace(tmp_path / "home")


@pytest.fixture
def ours(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace this Spanlight's own command by the fake program too, as two starts of the real one take seconds."""
    monkeypatch.setattr(bundle, "own_command", lambda: [str(program)])


def test_both_are_timed_in_turn_and_the_size_is_told(workspace: Workspace, program: Path, ours: None) -> None:
    part = bundle.measure(workspace, BenchPlan(("bundle",), repeats=3, bundle=str(program)), Silent())
    window, answer, size = part.rows
    assert len(part.details["painted"][0]) == len(part.details["painted"][1]) == 3
    assert window.ratio and answer.ratio and window.worst
    assert size.value == pytest.approx(3.0, abs=0.1) and size.unit == "MB"
    assert str(program) in part.notes[0]


def test_what_is_no_bundle_is_refused_with_what_to_give(workspace: Workspace, tmp_path: Path) -> None:
    for named in ("", str(tmp_path / "none")):
        with pytest.raises(SpanlightError, match=r"No bundle was named|is no program"):
            bundle.measure(workspace, BenchPlan(("bundle",), bundle=named), Silent())
