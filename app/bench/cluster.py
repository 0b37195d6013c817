"""Measure how many documents a minute one, two and four nodes of a Ray cluster read, and the driver's memory."""

from __future__ import annotations

import os
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow
from app.bench.texts import long_questions, pool
from app.cli.terminal import count
from app.core.models import Head
from app.core.report import Progress, Quiet, Relay, Report
from app.flows.answer_table.questions import columns_of
from app.flows.cluster.node import Node
from app.flows.cluster.plan import find_documents
from app.flows.cluster.rows import SourceFile, number_columns, pending
from app.flows.cluster.run import ask_documents, configure_ray, require_ray
from app.flows.workspace import Workspace

_NODES = (1, 2, 4)
_DOCUMENTS, _QUESTIONS = 48, 2
_ASKED = ("Who wrote it?", "When was it published?", "What is it about?", "Where was it?")
_WORDS, _SEED = 600, 13
_IDS = 100_000


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure documents a minute with nodes of one core each, compared with this machine with one thread.

    Rates count from the end of the first task to the end of the last one, so that starting is left out. Raises
    SpanlightError if Ray is not installed, Stopped when cancelled.
    """
    require_ray()
    columns = number_columns(columns_of(_ASKED[: plan.questions or _QUESTIONS]))
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    with tempfile.TemporaryDirectory(prefix="spanlight-") as folder:
        items = _documents(workspace, Path(folder) / "documents", plan.repeats or _DOCUMENTS, report)
        with _one_thread(workspace):
            here = Node(workspace, plan.model, Head.QUESTION_ANSWERING)
            pace = _Pace(report)
            for done, item in enumerate(items, 1):
                here.row(item, columns, "")
                pace.progress(Progress(done, len(items), "documents"))
            alone = pace.rate
        workspace.engine.end()
        rows = [BenchRow("this machine, one thread", alone, "documents/min", more_is_better=True)]
        for nodes in _NODES:
            pace = _Pace(report)
            with _cluster(nodes) as address:
                out = str(Path(folder) / f"rows-{nodes}")
                ask_documents(workspace, columns, items, out, address, pace, model=plan.model, device="cpu")
            what = f"{nodes} node{'s' if nodes > 1 else ''} of one core"
            rows.append(BenchRow(what, pace.rate, "documents/min", alone, more_is_better=True))
    rows.append(BenchRow("driver's memory for a million documents", _memory() / 1e6, "MB"))
    return BenchPart(
        "cluster",
        f"A Ray cluster: {len(items)} documents, each asked {count(len(columns), 'question')}",
        tuple(rows),
        ("The ratio is to this machine. With more nodes than free cores they wait for each other.",),
        model=card.name,
        device="CPU",
    )


def _documents(workspace: Workspace, folder: Path, number: int, report: Report) -> list[SourceFile]:
    """Write `number` documents of bundled paragraphs, and return their files."""
    folder.mkdir()
    for at, placed in enumerate(long_questions(pool("", workspace.paths), _WORDS, number, _SEED)):
        (folder / f"{at:04}.txt").write_text(placed.document.text, "utf-8")
    return find_documents(workspace, str(folder), Quiet(report))


class _Pace(Relay):
    """A Report that records when each document was done."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._steps: list[tuple[float, int]] = []

    def progress(self, progress: Progress) -> None:
        if progress.done:
            self._steps.append((time.perf_counter(), progress.done))
        super().progress(progress)

    @property
    def rate(self) -> float:
        """Documents a minute, not counting those done at the first report."""
        (began, first), (ended, last) = self._steps[0], self._steps[-1]
        return 60 * (last - first) / max(ended - began, 1e-9)


@contextmanager
def _one_thread(workspace: Workspace) -> Iterator[None]:
    """Let the model process compute with one thread in float32 in this context, as a node of one core does."""
    workspace.engine.end()
    before, precision = os.environ.get("OMP_NUM_THREADS"), workspace.settings.precision
    os.environ["OMP_NUM_THREADS"], workspace.settings.precision = "1", "float32"
    try:
        yield
    finally:
        workspace.settings.precision = precision
        os.environ.pop("OMP_NUM_THREADS")
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before


@contextmanager
def _cluster(nodes: int) -> Iterator[str]:
    """Start a cluster on this computer, a head without a core and nodes of one core each, and yield its address."""
    configure_ray()
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            made.add_node(num_cpus=1)
        yield made.address
    finally:
        made.shutdown()


def _memory() -> float:
    """Estimate the bytes that a million documents take in the driver when a run resumes, from fewer."""
    tracemalloc.start()
    try:
        items = [SourceFile(f"/shared/documents/folder-{at % 100}/{at:07}.pdf", at, 2) for at in range(_IDS)]
        # As if read from Parquet, where every row has strings of its own.
        rows = (
            {
                "path": f"{item.path}",
                "size": at,
                "modified": 1,
                "sha256": f"{at:064}",
                "asked": "x",
                "run": 1,
            }
            for at, item in enumerate(items)
        )
        pending(items, rows, "x")
        return tracemalloc.get_traced_memory()[1] * 1_000_000 / _IDS
    finally:
        tracemalloc.stop()
