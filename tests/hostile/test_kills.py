"""What is killed at any moment loses nothing that it has told, does nothing twice, and leaves nothing half written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from app.core.answer_table import AnswerTable
from app.core.corrections import Verdict
from app.core.library import FileState, Library
from app.core.models import Head, ModelCard
from app.core.report import Silent
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import judge, save_table
from app.flows.library import update as update_module
from app.flows.library.embed import vectors_name
from app.flows.library.update import update
from app.flows.teach import reader
from app.flows.teach.reader import teach_reader, unfinished, versions
from app.flows.workspace import Workspace
from app.library.answer_tables import AnswerTables
from tests.conftest import ROOT
from tests.flows.fake_engine import fake_workspace
from tests.flows.teach.test_reader import NUMBER, content, weights
from tests.helpers.children import POSIX, Listener
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import everything_of, give_vectors, have_their_own, linked, stored
from tests.helpers.teaching import corrections, reader_workspace
from tests.library.test_answer_tables import a_cell

pytestmark = POSIX
QUIET = Silent()
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a script in a session of its own."""

    def start(script: str, *arguments: object) -> subprocess.Popen[str]:
        file = tmp_path / "script.py"
        file.write_text(script, encoding="utf-8")
        return subprocess.Popen(
            [sys.executable, str(file), *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def killed(process: subprocess.Popen[str], lines: int = 1, after: float = 0.0) -> list[str]:
    """Kill a process, and its children, some seconds after it has told so many lines; returns all that it told."""
    with process:
        assert process.stdout is not None
        told = [line for _ in range(lines) if (line := process.stdout.readline())]
        time.sleep(after)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return [*map(str.strip, told), *process.stdout.read().splitlines()]


WRITER = """
import sys
from pathlib import Path
from app.core.corrections import Verdict
from tests.library.test_answer_tables import AnswerTables, a_cell, a_table
store = AnswerTables(Path(sys.argv[1]))
table = a_table(store, "Who?")
for at in range(100_000):
    cell = a_cell(table, f"{at:064}")
    store.put(cell)
    store.judge(cell.column, cell.sha256, Verdict.RIGHT, "", None, 1.0)
    print(at, flush=True)
"""


def test_a_store_of_tables_holds_whole_cells_only(tmp_path: Path, start: Start) -> None:
    file = tmp_path / "tables.sqlite3"
    told = len(killed(start(WRITER, file), 30, 0.003))
    with closing(AnswerTables(file)) as store:
        ((table, _),) = store.tables()
        found = store.cells(table)
        for at in range(told):
            expected = replace(a_cell(table, f"{at:064}"), verdict=Verdict.RIGHT, judged=1.0)
            assert found.pop((expected.sha256, expected.column)) == expected
        assert len(found) <= 2
        for cell in found.values():
            assert replace(cell, verdict=Verdict.NONE, judged=0.0) == a_cell(table, cell.sha256)


QUESTIONS = ("Who wrote it?", "How many days?", "Is it Anna?", "When?")
FILLER = """
import sys, time
from pathlib import Path
from app.core.report import Silent
from app.engine.client import Engine
from app.flows.answer_table.fill import fill
from app.flows.answer_table.tables import tables
from tests.flows.fake_engine import FakeEngine, fake_workspace
class Told:
    def run(self, request, choice, report):
        time.sleep(0.002)
        print(request.documents[0].name, request.text, flush=True)
        return super().run(request, choice, report)
class Fake(Told, FakeEngine):
    pass
class Real(Told, Engine):
    pass
if __name__ == "__main__":
    home = Path(sys.argv[1])
    if sys.argv[2] == "fake":
        workspace = fake_workspace(home, Fake())
    else:
        from tests.helpers.teaching import reader_workspace
        workspace = reader_workspace(home, Real(home / "engine.log"))
    (table,) = tables(workspace, Silent())
    print("begun", flush=True)
    fill(workspace, table, Silent())
    print("ended", flush=True)
"""


@pytest.mark.parametrize(
    ("engine", "kills"),
    [
        ("fake", 2),
        ("real", 1),
        pytest.param("fake", 100, marks=pytest.mark.long),
        pytest.param("real", 20, marks=[pytest.mark.long, pytest.mark.timeout(1200)]),
    ],
)
def test_a_table_equals_one_filled_in_one_go(tmp_path: Path, start: Start, engine: str, kills: int) -> None:
    chance = random.Random(kills)
    number = (40 if engine == "fake" else 8) + 3 * kills
    texts = {f"/docs/{at}.txt": f"Text {at} is by Anna, of {at} days." for at in range(number)}
    make = fake_workspace if engine == "fake" else reader_workspace
    with_kills, fresh = make(tmp_path / "one"), make(tmp_path / "fresh")
    tables = []
    for workspace in (with_kills, fresh):
        library = linked(workspace, tmp_path)
        files = stored(workspace.library, library, texts)
        table = AnswerTable(0, "Checks", library.number, columns_of(QUESTIONS))
        tables.append(save_table(workspace, table, QUIET))
    asked: list[str] = []
    for _ in range(kills):
        # The model process takes seconds to start, and then is as fast as the fake.
        lines = 1 if engine == "fake" else 2
        _, *some = killed(start(FILLER, tmp_path / "one", engine), lines, chance.uniform(0, 0.06))
        asked += some
        file = files[chance.choice(list(texts))]
        judge(with_kills, file.sha256, chance.choice(tables[0].columns).number, Verdict.RIGHT, QUIET)
        assert "ended" not in some, "it is done before it was killed often enough"
    done = fill(with_kills, tables[0], QUIET)
    fill(fresh, tables[1], QUIET)
    found, expected = (
        {
            key: (cell.state, cell.words, cell.span, pytest.approx(cell.no_answer, abs=1e-4))
            for key, cell in workspace.tables.cells(table).items()
        }
        for workspace, table in zip((with_kills, fresh), tables, strict=True)
    )
    assert found == expected and len(found) == len(texts) * len(QUESTIONS)
    assert done.before + done.read == len(found)
    assert len(asked) - len(set(asked)) <= kills, "only the cell that was being read"
    assert any(cell.verdict is Verdict.RIGHT for cell in with_kills.tables.cells(tables[0]).values())
    for workspace in (with_kills, fresh):
        workspace.close()


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
update_module._MANY_PASSAGES = 20
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


def present(workspace: Workspace, library: Library) -> dict[str, Any]:
    """All of the index but files that are gone, of which one made in one go knows nothing."""
    found = everything_of(workspace.library, library, *WORDS)
    found["files"] = [file for file in found["files"] if file.state is not FileState.GONE]
    return found


@pytest.mark.parametrize(
    ("processes", "kills"),
    [("here", 3), ("real", 1), pytest.param("here", 100, marks=pytest.mark.long)],
)
def test_the_index_equals_one_made_in_one_go(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch, processes: str, kills: int
) -> None:
    monkeypatch.setattr(update_module, "Documents", lambda logs: documents_here())
    docs = tmp_path / "docs"
    docs.mkdir()
    chance = random.Random(kills)
    with_kills, fresh = fake_workspace(tmp_path / "one"), fake_workspace(tmp_path / "fresh")
    library = linked(with_kills, docs)
    broken_off, longest = 0, 0.6 if processes == "here" else 1.0
    for _ in range(kills):
        disturbed(docs, chance)
        process = start(UPDATER, tmp_path / "one", processes)
        in_time = "ended" not in killed(process, 1, chance.uniform(0, longest))
        broken_off += in_time
        longest *= 1 if in_time else 0.5  # a fast computer is done sooner
        # What a reader sees meanwhile is whole.
        for file in with_kills.library.files(library, [FileState.READ]):
            assert len(with_kills.library.opened(file).document.text.split()) == file.words
        assert have_their_own(with_kills.library, library, VECTORS)
    assert broken_off > kills // 5 or processes == "real"  # one kill may come late
    update(with_kills, library, QUIET)
    give_vectors(with_kills.library, VECTORS)
    again = linked(fresh, docs)
    update(fresh, again, QUIET)
    expected = present(fresh, again)
    assert expected["passages"] and all(file.state is FileState.READ for file in expected["files"])
    assert present(with_kills, library) == expected
    assert have_their_own(with_kills.library, library, VECTORS)
    assert with_kills.library.without_vectors(VECTORS, 1) == []
    assert replace(library, number=0) == replace(again, number=0)
    for workspace in (with_kills, fresh):
        workspace.close()


EMBEDDER = """
import sys, time
from pathlib import Path
import numpy as np
from app.core.models import Head, ModelCard
from app.core.report import Silent
from app.flows.library import embed as module
from tests.flows.fake_engine import fake_workspace
from tests.helpers.libraries import vector_of
module._MOST_BATCH = 8
class Encoder:
    def run(self, request, choice, report):
        time.sleep(0.002)
        print(*(text.split()[1] for text in request.texts), flush=True)
        return np.array([vector_of(text) for text in request.texts])
home, folder = sys.argv[1:]
encoder = ModelCard("encoder", folder, "bert", (Head.EMBEDDINGS,), width=32)
workspace = fake_workspace(Path(home), Encoder(), None, encoder)
print("begun", flush=True)
module.embed(workspace, Silent())
print("ended", flush=True)
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.long)])
def test_every_passage_gets_its_own_vector_once(tmp_path: Path, start: Start, kills: int) -> None:
    chance, home, folder = random.Random(kills), tmp_path / "home", tmp_path / "encoder"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    vectors = vectors_name(ModelCard("encoder", str(folder), "bert", (Head.EMBEDDINGS,), width=32))
    workspace, number = fake_workspace(home), 50 + 60 * kills
    library, index = linked(workspace, tmp_path), workspace.library
    stored(index, library, {f"/docs/{at}.txt": f"Text {at} is by Anna." for at in range(number)})
    kept: set[str] = set()
    have = 0
    for _ in range(kills):
        _, *requests = killed(start(EMBEDDER, home, folder), 2, chance.uniform(0, 0.03))
        assert "ended" not in requests, "it is done before it was killed often enough"
        *before, last = (request.split() for request in requests)
        assert kept.isdisjoint((*last, *(each for request in before for each in request)))
        kept.update(each for request in before for each in request)
        least = have + sum(map(len, before))
        have, total = index.count_vectors(vectors, library)
        # The last ones may have been stored before the kill, or not.
        assert least <= have <= least + len(last) and total == number
    assert have_their_own(index, library, vectors)
    give_vectors(index, vectors)
    assert have_their_own(index, library, vectors) and index.without_vectors(vectors, 1) == []
    workspace.close()


TEACHER = """\
import sys
from math import inf
from pathlib import Path
from app.core.report import Silent
from app.engine.client import Engine
from app.flows.teach import reader
from tests.helpers.teaching import corrections, reader_workspace

class Told(Silent):
    def partial(self, result):
        print(result.step, flush=True)

class ToldAll(Told):
    def progress(self, progress):
        print(progress.what, flush=True)

if __name__ == "__main__":
    home = Path(sys.argv[1])
    reader._CHECKPOINT_SECONDS = 0.0
    workspace = reader_workspace(home, Engine(home / "engine.log"))
    reader.teach_reader(workspace, ToldAll() if "all" in sys.argv else Told(), corrections=corrections(20))
    workspace.close()
"""


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_teaching_is_killed_at_thirty_moments(tmp_path: Path, start: Start) -> None:
    home, chance = tmp_path / "home", random.Random(9)
    workspace = reader_workspace(home)
    base = workspace.find_model(Head.QUESTION_ANSWERING).folder
    was, (told, _) = content(base), start(TEACHER, home, "all").communicate()
    kills = begun = 0
    while kills < 30:
        before = {version.name for version in versions(workspace, QUIET)}
        process = start(TEACHER, home, "all")
        killed(process, 1 + chance.randrange(len(told.splitlines())), chance.uniform(0, 0.3))
        kills += process.returncode == -signal.SIGKILL
        assert content(base) == was
        found = versions(workspace, QUIET)
        assert not workspace.shelf.refused and before <= {version.name for version in found}
        for version in found:
            assert all(torch.isfinite(part).all() for part in weights(version.folder).values())
        begun += unfinished(workspace, QUIET) is not None
    assert begun > 10
    last = teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert weights(last.folder).keys() == weights(base).keys() and content(base) == was
    assert unfinished(workspace, QUIET) is None and not workspace.paths.teaching.exists()
    workspace.close()


@pytest.mark.timeout(240)
@pytest.mark.parametrize("step", [9, *(pytest.param(step, marks=pytest.mark.long) for step in (1, 24))])
def test_a_killed_teaching_leaves_the_base_and_goes_on(
    tmp_path: Path, start: Start, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_CHECKPOINT_SECONDS", 0.0)
    home = tmp_path / "home"
    workspace = reader_workspace(home)
    was = content(workspace.find_model(Head.QUESTION_ANSWERING).folder)
    killed(start(TEACHER, home), step)
    assert content(workspace.find_model(Head.QUESTION_ANSWERING).folder) == was
    begun = unfinished(workspace, QUIET)
    assert begun is not None and begun.corrections == NUMBER and begun.step >= step - 1
    watched = Listener()
    found = teach_reader(workspace, watched)
    assert found.corrections == NUMBER and versions(workspace, QUIET) == (found,)
    assert not watched.partials or watched.partials[0].step == begun.step + 1
    assert content(workspace.find_model(Head.QUESTION_ANSWERING).folder) == was
    workspace.close()
