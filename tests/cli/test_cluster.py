"""--cluster in the terminal without Ray itself, and imported tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Stopped
from app.flows.cluster.node import Node
from app.flows.cluster.run import RunResult
from tests.conftest import ROOT
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import AsJson, Command

LOCAL = ("--cluster", "local")


def test_without_ray_one_sentence_says_what_to_install(
    command: Command, fill_table: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.run.find_spec", lambda name: None)
    rows = tmp_path / "rows"
    texts = ("classify", "--file", "texts.parquet", "--output", str(rows))
    for code, out, err in (fill_table(rows, *LOCAL), command(*texts, *LOCAL)):
        assert (code, out) == (2, "") and err.startswith("--cluster needs Ray, which is not installed.")
        assert "pip install 'spanlight[cluster]'" in err
    assert not rows.exists()


@pytest.mark.parametrize("read", ["questions", "over", "file"])
def test_what_is_read_is_never_overwritten(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """A list of questions, a list of documents and a file of texts, each also named as the output."""
    monkeypatch.setattr("app.cli.cluster.require_ray", lambda address: None)
    monkeypatch.setattr("app.cli.cluster.find_texts", lambda *given, **more: None)
    given = {"questions": tmp_path / "q.csv", "over": tmp_path / "list.csv", "file": tmp_path / "t.csv"}
    for path in given.values():
        path.write_text(str(folder / "first.txt"))
    output = ("--output", str(given[read]), *LOCAL)
    if read == "file":
        code, out, err = command("classify", "--file", str(given["file"]), *output)
    else:
        code, out, err = command("table", str(given["questions"]), "--over", str(given["over"]), *output)
    assert (code, out) == (2, "") and err.startswith("The output would overwrite what is read.")
    assert given[read].read_text() == str(folder / "first.txt")


def test_a_dry_run_tells_documents_and_hours_and_needs_no_ray(
    command: Command, as_json: AsJson, folder: Path, questions: str
) -> None:
    arguments = ("table", questions, "--over", str(folder), *LOCAL, "--dry-run")
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first == "2 documents, 39 bytes; 2 questions each."
    assert second.startswith("One machine like this one: about ")
    assert second.endswith(", by 2 documents that were measured now.")
    values = as_json(*arguments)
    assert (values["documents"], values["bytes"], values["measured"]) == (2, 39, 2) and values["hours"] >= 0


def test_an_exported_table_is_taken_in(
    command: Command, fill_table: Command, questions: str, tmp_path: Path
) -> None:
    exported = tmp_path / "out.jsonl"
    assert fill_table(exported)[0] == 0
    code, out, err = command("table", "import", str(exported), "--name", "Again")
    assert (code, out, err) == (0, "4 answers of 2 documents are in the table “Again”.\n", "")
    engine = FakeEngine()
    again = tmp_path / "again.jsonl"
    code, _, _ = command(
        "table", questions, "--over", "Leases", "--output", str(again), "--name", "Again", engine=engine
    )
    assert code == 0 and not engine.requests
    assert again.read_bytes() == exported.read_bytes()


class Here:
    """Does the tasks of a run in this process, until a number of them is done."""

    def __init__(self) -> None:
        self.tasks, self.most, self.is_reached = 0, 10**9, True

    def __call__(
        self,
        workspace: Any,
        actor: Any,
        tasks: Any,
        total: int,
        setup: Any,
        arguments: Any,
        address: str,
        report: Any,
        on_connected: Callable[[], object] = lambda: None,
    ) -> RunResult:
        if not self.is_reached:
            raise SpanlightError("The cluster cannot be reached.", "Check its address.")
        on_connected()
        here, done, failed = actor(setup, [], *arguments), 0, 0
        head = Head.QUESTION_ANSWERING if "Reader" in actor.__name__ else Head.CLASSIFICATION
        node = Node(workspace, setup.name, head)
        for task in tasks:
            if self.tasks == self.most:
                raise Stopped
            read, broken = here.work(list(map(asdict, task)), node)
            done, failed, self.tasks = done + read, failed + broken, self.tasks + 1
        return RunResult(done, 0, failed, 0.1)


@pytest.fixture
def without_cluster(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Do the driver's whole work without Ray: tasks are done in this process."""
    pytest.importorskip("pyarrow")
    here = Here()
    for name in ("run", "texts"):
        monkeypatch.setattr(f"app.flows.cluster.{name}.run_tasks", here)
    monkeypatch.setattr("app.flows.cluster.run.find_spec", lambda name: True)
    monkeypatch.setattr("app.flows.cluster.node.fingerprint", lambda folder: "c0ffee")
    return here


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx"])
def test_the_file_of_a_cluster_is_that_of_one_machine(
    command: Command, fill_table: Command, folder: Path, tmp_path: Path, without_cluster: Here, ending: str
) -> None:
    (folder / "broken.docx").write_bytes(b"PK\3\4 nothing")
    one, many = tmp_path / f"one{ending}", tmp_path / f"many{ending}"
    assert fill_table(one)[0] == 0
    done = "3 documents done, in 0.1 seconds. 1 document failed, with the reason.\n"
    assert fill_table(many, *LOCAL) == (0, done, "")
    if ending == ".xlsx":
        sheets = [list(load_workbook(path)["Table"].values) for path in (one, many)]
        assert sheets[0] == sheets[1]
    else:
        moments = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
        assert moments.sub(b"", one.read_bytes()) == moments.sub(b"", many.read_bytes())
        assert b"Anna" in many.read_bytes()
    code, out, _ = fill_table(many, *LOCAL)
    assert code == 0 and out.startswith("0 documents done, 3 before,")
    code, out, _ = command("table", "import", str(many), "--name", "Again")
    assert (code, out) == (0, "4 answers of 3 documents are in the table “Again”.\n")


def test_a_stopped_run_goes_on_with_the_same_command(
    fill_table: Command, folder: Path, tmp_path: Path, without_cluster: Here
) -> None:
    for at in range(9):
        (folder / f"more{at}.txt").write_text("Ben.")
    without_cluster.most = 2
    assert fill_table(tmp_path / "rows", *LOCAL)[0] == 130
    without_cluster.most = 10**9
    assert fill_table(tmp_path / "rows", *LOCAL)[1].startswith("3 documents done, 8 before,")
    (folder / "more0.txt").write_text("Anna.")
    assert fill_table(tmp_path / "rows", *LOCAL)[1].startswith("1 document done, 10 before,")


def test_a_run_that_finds_no_cluster_leaves_the_answers_before_it(
    command: Command, fill_table: Command, questions: str, tmp_path: Path, without_cluster: Here
) -> None:
    rows = tmp_path / "rows"
    assert fill_table(rows, *LOCAL)[0] == 0
    Path(questions).write_text("Who else is Anna?\n")
    without_cluster.is_reached = False
    code, _, err = fill_table(rows, *LOCAL)
    assert code == 2 and err.startswith("The cluster cannot be reached.")
    code, out, _ = command("table", "import", str(rows), "--name", "Before")
    assert (code, out) == (0, "4 answers of 2 documents are in the table “Before”.\n")


@pytest.mark.usefixtures("without_cluster")
def test_a_folder_named_from_below_is_the_library_that_is_there(
    command: Command,
    as_json: AsJson,
    fill_table: Command,
    folder: Path,
    questions: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fill_table(tmp_path / "a.csv")[0] == 0
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    rows = str(tmp_path / "rows")
    assert command("table", questions, "--over", "..", "--output", rows, *LOCAL)[0] == 0
    assert command("table", "import", rows, "--name", "Again")[0] == 0
    tables = as_json("table", "list")["tables"]
    assert {table["library"] for table in tables} == {"Leases"} and len(tables) == 2


def test_another_device_is_another_run(fill_table: Command, tmp_path: Path, without_cluster: Here) -> None:
    for device, before in (("cpu", 0), ("cuda", 0), ("cpu", 2)):
        code, out, _ = fill_table(tmp_path / "rows", *LOCAL, "--json", "--device", device)
        assert code == 0 and json.loads(out)["before"] == before


def test_texts_of_parquet_files_are_classified(
    command: Command, tmp_path: Path, without_cluster: Here
) -> None:
    import pyarrow
    from pyarrow import parquet

    (tmp_path / "texts").mkdir()
    for at, words in enumerate(("This is good.", "This is bad.")):
        table = pyarrow.table({"n": [at], "text": [words], "note": ["x"]})
        parquet.write_table(table, tmp_path / "texts" / f"{at}.parquet")
    out = tmp_path / "out.csv"
    arguments = ("classify", "--file", str(tmp_path / "texts"), "--output", str(out), *LOCAL)
    code, _, err = command(*arguments)
    assert code == 2 and "has 2 columns of texts. Name the one to classify with --column." in err
    code, _, err = command(*arguments, "--column", "words")
    assert code == 2 and "has no column of texts “words”. Its columns of texts are: text, note." in err
    assert command(*arguments, "--column", "text")[:2] == (0, "2 texts done, in 0.1 seconds.\n")
    lines = out.read_text("utf-8").splitlines()
    assert lines[0] == "n,text,note,label,probability,probability negative,probability positive"
    assert [line.split(",")[:4] for line in lines[1:]] == [
        ["0", "This is good.", "x", "positive"],
        ["1", "This is bad.", "x", "negative"],
    ]


def test_nothing_of_ray_is_imported_without_a_cluster(tmp_path: Path) -> None:
    for name in ("ray", "pyarrow"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('imported')\n")
    work = (
        "import sys; from app.cli.main import main; import app.cli.cluster;"
        "code = main(['table', 'list']) or main(['classify', '--help']);"
        "assert not {'ray', 'pyarrow'} & sys.modules.keys(); sys.exit(code)"
    )
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
        "SPANLIGHT_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        [sys.executable, "-c", work], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
