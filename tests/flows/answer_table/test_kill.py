"""A table whose filling is killed at any moment loses no cell and no verdict, and reads no cell twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.core.answer_table import AnswerTable
from app.core.corrections import Verdict
from app.core.report import Silent
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import cells, judge, save_table
from tests.flows.fake_engine import fake_workspace
from tests.helpers.children import POSIX
from tests.helpers.libraries import linked, stored

pytestmark = POSIX
QUESTIONS = ("Who wrote it?", "How many days?", "Is it Anna?", "When?")
FILLER = """
import sys, time
from pathlib import Path
from app.core.report import Silent
from app.flows.answer_table.fill import fill
from app.flows.answer_table.tables import tables
from tests.flows.fake_engine import FakeEngine, fake_workspace
class Slow(FakeEngine):
    def run(self, request, choice, report):
        time.sleep(0.002)
        print(request.documents[0].name, request.text, flush=True)
        return super().run(request, choice, report)
workspace = fake_workspace(Path(sys.argv[1]), Slow())
(table,) = tables(workspace, Silent())
print("begun", flush=True)
fill(workspace, table, Silent())
print("ended", flush=True)
"""


def killed(home: Path, script: Path, after: float) -> tuple[list[str], bool]:
    """Start to fill the table and kill that after so many seconds; what was asked, and whether it had not ended."""
    filler = subprocess.Popen([sys.executable, str(script), str(home)], stdout=subprocess.PIPE, text=True)
    assert filler.stdout is not None
    assert filler.stdout.readline() == "begun\n"
    time.sleep(after)
    filler.send_signal(signal.SIGKILL)
    said = filler.stdout.read().splitlines()
    filler.wait()
    return [line for line in said if line != "ended"], "ended" not in said


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.long)])
def test_a_table_equals_one_filled_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    script, chance = tmp_path / "filler.py", random.Random(kills)
    script.write_text(FILLER)
    texts = {f"/docs/{at}.txt": f"Text {at} is by Anna, of {at} days." for at in range(40 + 3 * kills)}
    with_kills, fresh = fake_workspace(tmp_path / "one"), fake_workspace(tmp_path / "fresh")
    tables = []
    for workspace in (with_kills, fresh):
        library = linked(workspace, tmp_path)
        files = stored(workspace.library, library, texts)
        table = AnswerTable(0, "Checks", library.number, columns_of(QUESTIONS))
        tables.append(save_table(workspace, table, Silent()))
    asked: list[str] = []
    judged = 0
    for _ in range(kills):
        some, in_time = killed(tmp_path / "one", script, chance.uniform(0, 0.06))
        asked += some
        file = files[chance.choice(list(texts))]
        judge(with_kills, file.sha256, chance.choice(tables[0].columns).number, Verdict.RIGHT, Silent())
        judged += 1
        assert in_time, "it is done before it was killed often enough"
    done = fill(with_kills, tables[0], Silent())
    fill(fresh, tables[1], Silent())
    found, expected = (
        {key: (cell.state, cell.answer) for key, cell in cells(workspace, table, Silent()).items()}
        for workspace, table in zip((with_kills, fresh), tables, strict=True)
    )
    assert found == expected and len(found) == len(texts) * len(QUESTIONS)
    assert done.before + done.read == len(found)
    assert len(asked) - len(set(asked)) <= judged, "only the cell that was being read"
    assert any(cell.verdict is Verdict.RIGHT for cell in cells(with_kills, tables[0], Silent()).values())
    for workspace in (with_kills, fresh):
        workspace.close()
