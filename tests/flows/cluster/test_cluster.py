"""Runs on a Ray cluster of two nodes with a core each, some of which are lost during a run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from app.core.answer_table import AnswerTable
from app.core.errors import SpanlightError
from app.core.library import FileState, Library
from app.core.models import Head
from app.core.report import Progress, Silent, Stopped
from app.flows.answer_table.export import export_documents, export_table
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import save_table
from app.flows.cluster import run
from app.flows.cluster.plan import find_documents
from app.flows.cluster.rows import Row, number_columns
from app.flows.cluster.run import ask_documents, configure_ray, latest_rows
from app.flows.cluster.texts import classify_texts_on_cluster, find_texts, write_classes
from app.flows.csv_files import Table
from app.flows.heads.classify_batch import classify_table
from app.flows.library.update import update
from app.flows.workspace import Workspace, open_workspace
from app.settings.paths import Paths, default_paths
from tests.conftest import ROOT
from tests.helpers.small_models import small_checkpoint

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1200),
    # Ray's own threads end with it after a stop.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster"),
]
QUIET = Silent()
COLUMNS = number_columns(columns_of(["Who stole the tarts?", "Is the queen happy?"]))
MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NUMBER = re.compile(rb"\b\d\.\d{4,}(?:e-\d+)?")


def comparable(path: Path) -> bytes:
    """A file without the times of reading, its probabilities to four decimals.

    Which of two kinds of product a process computes with follows from their times (models/encoder/linears.py).
    """
    return NUMBER.sub(lambda found: b"%.4f" % float(found[0]), MOMENT.sub(b"", path.read_bytes()))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for number in range(24):
        words = f"The knave of hearts stole {number} tarts. The king was not happy about it.\n\n"
        (folder / f"{number:02}.txt").write_text(words * (1 + number % 3))
    (folder / "broken.docx").write_bytes(b"PK\3\4 nothing")
    (folder / "empty.txt").write_text("  ")
    return folder


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    home = tmp_path_factory.mktemp("home")
    workspace = open_workspace(
        Paths(home / "config", home / "data", home / "logs", default_paths().resources)
    )
    workspace.settings.device, workspace.settings.precision = "cpu", "float32"
    yield workspace
    workspace.close()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without a core, and two nodes with one core each."""
    configure_ray()
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_worker_niceness", "0")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.removable = [made.add_node(num_cpus=1) for _ in range(2)]
    yield made
    made.shutdown()


class Heard(Silent):
    """Remembers the progress, and does something once so many documents are done."""

    def __init__(self, after: int = 10**9, then: Callable[[], object] = lambda: None) -> None:
        self.steps: list[Progress] = []
        self._after, self._then = after, then

    def progress(self, progress: Progress) -> None:
        self.steps.append(progress)

    def check(self) -> None:
        if self.steps and self.steps[-1].total and self.steps[-1].done >= self._after:
            self._after = 10**9
            self._then()


def ask(workspace: Workspace, folder: Path, out: Path, address: str, model: Path, report: Any = QUIET) -> Any:
    items = find_documents(workspace, str(folder), QUIET)
    return ask_documents(workspace, COLUMNS, items, str(out), address, report, model=str(model))


def together(workspace: Workspace, folder: Path, out: Path) -> list[Row]:
    return list(latest_rows(find_documents(workspace, str(folder), QUIET), str(out), QUIET))


def exported(rows: list[Row], path: Path) -> bytes:
    documents = [(row.file, {cell.column: cell for cell in row.cells}) for row in rows]
    export_documents(COLUMNS, documents, path, QUIET)
    return comparable(path)


@pytest.fixture(scope="module")
def one_machine(
    workspace: Workspace, folder: Path, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What one machine writes of the same documents, by the file's ending."""
    library = workspace.library.save(Library(0, "Documents", (str(folder),)))
    update(workspace, library, QUIET)
    table = save_table(workspace, AnswerTable(0, "Checks", library.number, COLUMNS), QUIET)
    fill(workspace, table, QUIET, model=str(model))
    written = {}
    for ending in (".csv", ".jsonl"):
        path = tmp_path_factory.mktemp("out") / f"one{ending}"
        export_table(workspace, table, path, QUIET)
        written[ending] = comparable(path)
    return written


def is_whole(
    workspace: Workspace, folder: Path, out: Path, one_machine: dict[str, bytes], tmp_path: Path
) -> bool:
    """Whether the rows are those of one machine, each document once."""
    rows = together(workspace, folder, out)
    assert len({row.key for row in rows}) == len(rows) == 26
    return all(exported(rows, tmp_path / f"many{ending}") == one for ending, one in one_machine.items())


def actors() -> list[int]:
    """The process ids of the actors that read documents."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                command = (path / "cmdline").read_bytes()
            except OSError:
                continue
            if command.startswith(b"ray::MapWorker"):
                found.append(int(path.name))
    return found


def test_two_nodes_write_what_one_machine_does_and_lose_nothing(
    cluster: Any,
    workspace: Workspace,
    folder: Path,
    model: Path,
    one_machine: dict[str, bytes],
    tmp_path: Path,
) -> None:
    """An actor is killed by its process id, then a node is removed; a second run finds nothing left to do."""
    out, killed = tmp_path / "out", []

    def harm() -> None:
        killed.append(actors()[0])
        os.kill(killed[0], signal.SIGKILL)
        threading.Timer(3, cluster.remove_node, (cluster.removable[0],)).start()

    heard = Heard(4, harm)
    ran = ask(workspace, folder, out, cluster.address, model, heard)
    assert killed and (ran.read, ran.before) == (26, 0) and ran.failed == 2
    assert heard.steps[-1].done == heard.steps[-1].total == 26
    assert "2 failed" in heard.steps[-1].what and "a minute" in heard.steps[-1].what
    assert is_whole(workspace, folder, out, one_machine, tmp_path)
    reasons = {Path(row.file.path).name: row.file for row in together(workspace, folder, out)}
    assert reasons["broken.docx"].state is FileState.FAILED and reasons["broken.docx"].reason
    assert reasons["empty.txt"].state is FileState.NO_TEXT
    again = ask(workspace, folder, out, cluster.address, model)
    assert (again.read, again.before) == (0, 26)


DRIVER = """
import sys
from pathlib import Path
from tests.flows.cluster import test_cluster as here
from app.flows.workspace import open_workspace
if __name__ == "__main__":
    home, folder, out, address, model = sys.argv[1:]
    paths = here.Paths(*(Path(home) / n for n in ("c", "d", "l")), here.default_paths().resources)
    workspace = open_workspace(paths)
    workspace.settings.device = "cpu"
    class Tell(here.Silent):
        def progress(self, progress):
            print(progress.done, progress.total, flush=True)
    here.ask(workspace, Path(folder), Path(out), address, Path(model), Tell())
"""


def test_a_killed_driver_goes_on_and_another_model_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
    cluster: Any,
    workspace: Workspace,
    folder: Path,
    model: Path,
    one_machine: dict[str, bytes],
    tmp_path: Path,
) -> None:
    out, script = tmp_path / "out", tmp_path / "driver.py"
    script.write_text(DRIVER)
    driver = subprocess.Popen(
        [
            sys.executable,
            str(script),
            str(tmp_path / "home"),
            str(folder),
            str(out),
            cluster.address,
            str(model),
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    for line in driver.stdout:
        done, total = map(int, line.split())
        if total and done >= 4:
            break
    driver.kill()
    driver.wait()
    (out / ".half.parquet.0.part").write_bytes(b"PAR1")  # as a killed actor leaves it
    before = len(together(workspace, folder, out))
    assert 4 <= before < 26
    ran = ask(workspace, folder, out, cluster.address, model)
    assert (ran.read, ran.before) == (26 - before, before)
    assert is_whole(workspace, folder, out, one_machine, tmp_path)
    changed, setup, files = folder / "00.txt", run.node_setup, run.model_files
    was = changed.read_bytes()
    os.utime(changed, ns=(1, 10**18))
    try:
        with monkeypatch.context() as away:  # the nodes lack the model: its files are shipped
            away.setattr(run, "node_setup", lambda *given: replace(setup(*given), folder="/nowhere"))
            away.setattr(run, "model_files", lambda _: files(str(model)))
            assert ask(workspace, folder, out, cluster.address, model).read == 1
        assert is_whole(workspace, folder, out, one_machine, tmp_path)
    finally:
        changed.write_bytes(was)
    other = small_checkpoint(tmp_path / "other", seed=8)
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    items = [item for item in find_documents(workspace, str(folder), QUIET) if item.path.endswith("01.txt")]
    ran = ask_documents(workspace, COLUMNS, items, str(out), cluster.address, QUIET, model=str(other))
    assert (ran.read, ran.before) == (1, 0)
    (row,) = latest_rows(items, str(out), QUIET)
    assert {cell.model for cell in row.cells} == {"other"}


def test_a_full_disk_and_a_stop_end_a_run_in_one_sentence(
    cluster: Any, workspace: Workspace, folder: Path, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        ask(workspace, folder, out, cluster.address, model, Heard(4, stop))
    left = len(together(workspace, folder, out))
    assert 4 <= left < 26
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root makes a small disk")
    try:
        with pytest.raises(SpanlightError, match="disk is full"):
            ask(workspace, folder, small / "out", cluster.address, model)
    finally:
        subprocess.run(["umount", str(small)], check=False)


TEXTS = [f"The {number}th film was good, and not at all bad." for number in range(700)]


def test_texts_get_the_classes_of_one_machine_and_a_second_run_computes_nothing(
    cluster: Any, workspace: Workspace, tmp_path: Path
) -> None:
    import pyarrow
    from pyarrow import parquet

    classifier = str(small_checkpoint(tmp_path / "classes", head=Head.CLASSIFICATION))
    source, out = tmp_path / "texts.parquet", tmp_path / "out"
    table = pyarrow.table({"number": range(len(TEXTS)), "text": [*TEXTS[:-1], None]})
    parquet.write_table(table, source, row_group_size=600)
    texts = find_texts(workspace, str(source), "", QUIET, model=classifier)
    assert texts.total == 700 and [each.rows for each in texts.slices] == [512, 88, 100]
    ran = classify_texts_on_cluster(workspace, texts, str(out), cluster.address, QUIET, model=classifier)
    assert (ran.read, ran.before) == (700, 0)
    write_classes(texts, str(out), tmp_path / "many.csv", QUIET)
    rows = tuple((str(at), text) for at, text in enumerate([*TEXTS[:-1], ""]))
    one = Table(("number", "text"), rows, 1)
    classify_table(workspace, one, tmp_path / "one.csv", QUIET, model=classifier)
    assert comparable(tmp_path / "many.csv") == comparable(tmp_path / "one.csv")
    ran = classify_texts_on_cluster(workspace, texts, str(out), cluster.address, QUIET, model=classifier)
    assert (ran.read, ran.before) == (0, 700)
    (typed,) = {str(each) for each in parquet.read_schema(out / texts.slices[0].name).types[4:]}
    assert typed == "double"
