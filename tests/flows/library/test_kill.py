"""An update that is killed at any moment loses nothing and does nothing twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.library import FileState, Library
from app.core.report import Silent
from app.flows.library import update as update_module
from app.flows.library.update import update
from app.flows.workspace import Workspace
from tests.flows.fake_engine import fake_workspace
from tests.helpers.children import POSIX
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import everything_of, give_vectors, have_their_own, linked

pytestmark = POSIX
VECTORS = "some-32"
WORDS = "apple banana cherry date elderberry fig grape 猫 狗 über naïve 2.1.5".split()
UPDATER = """
import sys
from pathlib import Path
from app.core.report import Silent
from app.flows.library import update as update_module
from tests.flows.fake_engine import fake_workspace
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import give_vectors
home, processes = sys.argv[1:]
if processes != "real":
    update_module.Documents = lambda logs: documents_here()
workspace = fake_workspace(Path(home))
if __name__ == "__main__":
    library = workspace.library.library("docs")
    print("begun", flush=True)
    update_module.update(workspace, library, Silent())
    give_vectors(workspace.library, "some-32")
    print("ended", flush=True)
"""


def disturbed(docs: Path, chance: random.Random) -> None:
    """Write, change, copy, move and delete some of the files."""
    for _ in range(12):
        path = docs / str(chance.randrange(4)) / f"{chance.randrange(12)}.{chance.choice(['txt', 'md'])}"
        path.parent.mkdir(parents=True, exist_ok=True)
        there = sorted(each for each in docs.rglob("*") if each.is_file())
        deed = chance.choice(["write", "write", "write", "copy", "move", "delete"])
        if deed == "write" or not there:
            path.write_text(" ".join(chance.choices(WORDS, k=chance.randrange(1, 900))), "utf-8")
        elif deed == "copy":
            path.write_bytes(chance.choice(there).read_bytes())
        elif deed == "move":
            os.replace(chance.choice(there), path)
        else:
            chance.choice(there).unlink()


def killed(home: Path, script: Path, processes: str, after: float) -> bool:
    """Start an update and kill it after so many seconds; returns whether it had not ended by itself."""
    updater = subprocess.Popen(
        [sys.executable, str(script), str(home), processes], stdout=subprocess.PIPE, text=True
    )
    assert updater.stdout is not None
    assert updater.stdout.readline() == "begun\n"
    time.sleep(after)
    updater.send_signal(signal.SIGKILL)
    said = updater.stdout.read()
    updater.wait()
    return "ended" not in said


def present(workspace: Workspace, library: Library) -> dict[str, Any]:
    """All of the index but files that are gone, of which one made in one go knows nothing."""
    found = everything_of(workspace.library, library, *WORDS)
    found["files"] = [file for file in found["files"] if file.state is not FileState.GONE]
    return found


@pytest.mark.parametrize(
    ("processes", "kills"),
    [("here", 5), ("real", 1), pytest.param("here", 100, marks=pytest.mark.long)],
)
def test_the_index_equals_one_made_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: str, kills: int
) -> None:
    monkeypatch.setattr(update_module, "Documents", lambda logs: documents_here())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    script, docs = tmp_path / "updater.py", tmp_path / "docs"
    script.write_text(UPDATER)
    docs.mkdir()
    chance = random.Random(kills)
    with_kills, fresh = fake_workspace(tmp_path / "one"), fake_workspace(tmp_path / "fresh")
    library = linked(with_kills, docs)
    broken_off, longest = 0, 0.6 if processes == "here" else 1.0
    for _ in range(kills):
        disturbed(docs, chance)
        in_time = killed(tmp_path / "one", script, processes, chance.uniform(0, longest))
        broken_off += in_time
        longest *= 1 if in_time else 0.5  # a fast computer is done sooner
        # What a reader sees meanwhile is whole.
        for file in with_kills.library.files(library, [FileState.READ]):
            assert len(with_kills.library.opened(file).document.text.split()) == file.words
        assert have_their_own(with_kills.library, library, VECTORS)
    assert broken_off > kills // 5 or processes == "real"  # one kill may come late
    update(with_kills, library, Silent())
    give_vectors(with_kills.library, VECTORS)
    again = linked(fresh, docs)
    update(fresh, again, Silent())
    expected = present(fresh, again)
    assert expected["passages"] and all(file.state is FileState.READ for file in expected["files"])
    assert present(with_kills, library) == expected
    assert have_their_own(with_kills.library, library, VECTORS)
    assert with_kills.library.without_vectors(VECTORS, 1) == []
    assert replace(library, number=0) == replace(again, number=0)
    for workspace in (with_kills, fresh):
        workspace.close()
