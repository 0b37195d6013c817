"""--cluster in the terminal, as far as it goes without Ray, and tables that are taken in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import Command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Leases"
    folder.mkdir()
    (folder / "first.txt").write_text("The landlord is Anna.")
    (folder / "second.md").write_text("The tenant is Ben.")
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "checks.txt"
    path.write_text("1. Who is Anna?\n2. Who is Ben?\n")
    return str(path)


@pytest.fixture
def no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.flows.cluster.run.find_spec", lambda name: None)


@pytest.mark.usefixtures("no_ray")
def test_without_ray_one_sentence_says_what_to_install(
    command: Command, folder: Path, questions: str, tmp_path: Path
) -> None:
    said = "--cluster needs Ray, which is not installed."
    rows = tmp_path / "rows"
    table = ("table", questions, "--over", str(folder), "--output", str(rows), "--cluster", "local")
    texts = ("classify", "--file", "texts.parquet", "--output", str(rows), "--cluster", "local")
    for arguments in (table, texts):
        code, out, err = command(*arguments)
        assert (code, out) == (2, "") and err.startswith(said) and "pip install 'spanlight[cluster]'" in err
    assert not rows.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("table", "Q", "--over", "X", "--dry-run"), "--dry-run goes with --cluster."),
        (("table", "Q", "--cluster", "local"), "--over is missing."),
        (("table", "Q", "--over", "X", "--cluster", "local"), "--output is missing."),
        (
            ("table", "Q", "--over", "X", "--output", "Y", "--cluster", "local", "--beside"),
            "--beside and --anew",
        ),
        (("table", "Q", "R"), "R is one argument too many."),
        (("table", "import", "R", "--over", "X"), "R is one argument too many."),
        (("table", "import", "/no/such/results.jsonl"), "holds no answers"),
        (("classify", "text", "--cluster", "local"), "--cluster goes with --file."),
        (("classify", "--file", "F", "--cluster", "local"), "--cluster goes with --file and --output"),
    ],
)
def test_bad_input_is_one_sentence(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr("app.flows.cluster.store.find_spec", lambda name: None)  # as without pyarrow
    code, out, err = command(*arguments)
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert said in err or ("holds no answers" in said and "need pyarrow" in err)


def test_a_dry_run_tells_documents_and_hours_and_needs_no_ray(
    command: Command, folder: Path, questions: str
) -> None:
    arguments = ("table", questions, "--over", str(folder), "--cluster", "local", "--dry-run")
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first == "2 documents, 39 bytes; 2 questions each."
    assert second.startswith("One machine like this one: about ")
    assert second.endswith(", by 2 documents that were measured now.")
    code, out, _ = command(*arguments, "--json")
    values = json.loads(out)
    assert code == 0 and (values["documents"], values["bytes"], values["measured"]) == (2, 39, 2)
    assert values["hours"] >= 0


def test_an_exported_table_is_taken_in(
    command: Command, folder: Path, questions: str, tmp_path: Path
) -> None:
    exported = tmp_path / "out.jsonl"
    assert command("table", questions, "--over", str(folder), "--output", str(exported))[0] == 0
    code, out, err = command("table", "import", str(exported), "--name", "Again")
    assert (code, out, err) == (0, "4 answers of 2 documents are in the table “Again”.\n", "")
    engine = FakeEngine()
    again = tmp_path / "again.jsonl"
    code, _, _ = command(
        "table", questions, "--over", "Leases", "--output", str(again), "--name", "Again", engine=engine
    )
    assert code == 0 and not engine.requests
    assert again.read_bytes() == exported.read_bytes()


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
