"""Asks many documents on a Ray cluster, or runs any other tasks of actors there; Ray is imported only here."""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from app.core.answer_table import Column
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.flows.cluster.node import Node, NodeSetup, model_files, node_setup, open_node
from app.flows.cluster.rows import Row, RunSpec, SourceFile, merge_rows, number_columns, pending
from app.flows.cluster.store import INSTALL_HINT, Storage, rows_table
from app.flows.network.network import refuse_offline
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow

_log = logging.getLogger(__name__)

# The address of a cluster that is started on this computer for one run.
LOCAL = "local"
# More threads per actor hardly speed it up, and more actors take memory.
_MOST_THREADS = 4
# Documents per task, which is the unit of work that is lost with an actor; and roughly the number of tasks.
_FEWEST_PER_TASK, _MOST_PER_TASK, _TASKS = 4, 64, 500
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run did: documents or texts `read` now, those read `before`, how many of `read` failed, and seconds."""

    read: int
    before: int
    failed: int
    seconds: float


def require_ray(address: str = LOCAL) -> None:
    """Raise SpanlightError where Ray is not installed, or the address is empty."""
    if not address.strip():
        raise SpanlightError(
            Message("The cluster has no address."), Message("Give auto, local, or its address.")
        )
    if find_spec("ray") is None:
        raise SpanlightError(Message("--cluster needs Ray, which is not installed."), INSTALL_HINT)


def ask_documents(
    workspace: Workspace,
    columns: Sequence[Column],
    sources: Sequence[SourceFile],
    place: str,
    address: str,
    report: Report,
    *,
    over: str = "",
    model: str = "",
    device: str = "",
) -> RunResult:
    """Ask documents each question on a cluster; the rows of each finished task are written into the folder `place`.

    `address` is LOCAL, "auto" for the cluster that this computer belongs to, or that of a head node. Documents with a
    row of the same model and questions are not read again unless they have changed, so a run that was stopped or lost
    continues when it is called again. A document that cannot be read gets a row with the reason, and is read again only
    where that may have changed. Raises SpanlightError for faults of the cluster, the model or the folder; Stopped when
    cancelled.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, model)
    setup = node_setup(workspace, card, Head.QUESTION_ANSWERING, device)
    storage, spec = Storage(place), run_spec(workspace, columns, card, setup, over)
    left, number = pending(sources, storage.summaries(report), spec.digest)
    storage.sweep()
    size = max(_FEWEST_PER_TASK, min(_MOST_PER_TASK, len(left) // _TASKS))
    tasks = [left[at : at + size] for at in range(0, len(left), size)]
    arguments = (storage.place, spec, number, uuid4().hex[:8])
    store_spec = partial(storage.write_spec, spec)
    done = run_tasks(workspace, _Reader, tasks, len(left), setup, arguments, address, report, store_spec)
    return replace(done, before=len(sources) - len(left))


def latest_rows(sources: Sequence[SourceFile], place: str, report: Report) -> Iterator[Row]:
    """Yield the row of each document as it was last asked, sorted by path."""
    storage = Storage(place)
    paths = {source.path for source in sources}
    return merge_rows(storage.shards(report), storage.spec().digest, paths.__contains__)


def run_spec(
    workspace: Workspace, columns: Sequence[Column], card: ModelCard, setup: NodeSetup, over: str
) -> RunSpec:
    """The spec of a run; its commit includes the device, the precision and the adjustments of the calibration."""
    commit = f"{setup.fingerprint}-{setup.device}-{setup.precision}"
    adjusted = [repr(workspace.adjustment(folder)) for folder in (card.folder, card.finder) if folder]
    if any(each != "None" for each in adjusted):
        commit += f"-{hashlib.sha256(''.join(adjusted).encode()).hexdigest()[:8]}"
    return RunSpec(number_columns(columns), card.name, commit, over)


class Actor(ABC):
    """A Ray actor, with a node in its process, that writes a Parquet file for each task."""

    UNIT = Message("documents")

    def __init__(self, setup: NodeSetup, files: Sequence[Any]) -> None:
        # Otherwise the processes that are spawned here would import the script of Ray's worker.
        vars(sys.modules["__main__"]).pop("__file__", None)
        self._setup, self._files, self._stack = setup, files, ExitStack()
        self._node: Node | None = None

    def __del__(self) -> None:
        """End its processes: Ray deletes the object before it ends the actor's own process."""
        self._stack.close()

    def __call__(self, task: pyarrow.Table) -> dict[str, list[Any]]:
        """Carry out a task: how many documents or texts are done, how many of them failed, and the fault that ends it.

        The fault is returned as text, since Ray buries an exception's message among many of its own.
        """
        done, failed, fault, hint = 0, 0, "", ""
        try:
            if self._node is None:
                self._node = self._stack.enter_context(open_node(self._setup, self._fetch_files))
            done, failed = self.work(task.to_pylist(), self._node)
        except SpanlightError as error:
            fault, hint = str(error.message), str(error.hint)
        return {"done": [done], "failed": [failed], "fault": [fault], "hint": [hint]}

    def _fetch_files(self) -> dict[str, bytes]:
        """Fetch the model's files from Ray's object store, which only a node without the model needs."""
        import ray

        found: dict[str, bytes] = ray.get(self._files[0])
        return found

    @abstractmethod
    def work(self, items: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Write the file of a task, unless an actor that was lost had written it; return how many are done and failed.

        `items` are the task's as plain values.
        """


class _Reader(Actor):
    """Reads and asks documents."""

    def __init__(
        self, setup: NodeSetup, files: Sequence[Any], place: str, spec: RunSpec, run: int, prefix: str
    ) -> None:
        super().__init__(setup, files)
        self._storage, self._spec, self._run, self._prefix = Storage(place), spec, run, prefix

    def work(self, items: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Write the rows of documents."""
        sources, spec = [SourceFile(**values) for values in items], self._spec
        digest = hashlib.sha256("\0".join(source.path for source in sources).encode()).hexdigest()[:24]
        name = f"{self._prefix}-{digest}.parquet"
        if self._storage.has(name):
            rows = list(map(Row.from_plain, self._storage.rows(name)))
        else:
            rows = [node.row(source, spec.columns, spec.digest, self._run) for source in sources]
            self._storage.write(name, rows_table(rows, spec))
        return len(rows), sum(row.has_failed for row in rows)


def run_tasks(
    workspace: Workspace,
    actor: type[Actor],
    tasks: Sequence[Sequence[Any]],
    total: int,
    setup: NodeSetup,
    arguments: tuple[Any, ...],
    address: str,
    report: Report,
    on_connected: Callable[[], object] = lambda: None,
) -> RunResult:
    """Distribute tasks over a pool of actors. Raises as `ask_documents` does.

    Each task is a sequence of dataclasses; all tasks together stand for `total` documents or texts. `arguments` are
    those of the actor besides its setup and the model's files.
    """
    began, done, failed = time.perf_counter(), 0, 0
    if not tasks:
        on_connected()
        return RunResult(0, 0, 0, 0.0)
    if address != LOCAL:
        refuse_offline(workspace, Message("Switch that off to reach a cluster, or use --cluster local."))
    with _connect(address, report) as threads:
        import pyarrow
        import ray
        from ray.data import ActorPoolStrategy

        on_connected()
        files = [ray.put(model_files(setup.folder))]
        dataset = ray.data.from_arrow(
            [pyarrow.Table.from_pylist(list(map(asdict, task))) for task in tasks]
        ).map_batches(
            actor,
            fn_constructor_args=(setup, files, *arguments),
            batch_size=None,
            batch_format="pyarrow",
            compute=ActorPoolStrategy(min_size=1),
            num_cpus=threads,
            num_gpus=int(setup.device == "cuda"),
        )
        for found in _stream(dataset, report):
            for fault, hint in zip(found["fault"], found["hint"], strict=True):
                if fault:
                    raise SpanlightError(fault, hint)
            done += sum(found["done"])
            failed += sum(found["failed"])
            report.progress(_progress(actor.UNIT, done, total, failed, time.perf_counter() - began))
    return RunResult(done, 0, failed, time.perf_counter() - began)


def _progress(unit: str, done: int, total: int, failed: int, seconds: float) -> Progress:
    rate = 60 * done / max(seconds, 1e-9)
    what = Message("{what}, {failed:,} failed, {rate:,.0f} a minute", what=unit, failed=failed, rate=rate)
    return Progress(done, total, what, (total - done) / rate * 60 if done else None)


def _stream(dataset: Any, report: Report) -> Iterator[dict[str, list[Any]]]:
    """Yield the tasks' results as they end; iterating in a thread leaves this one free to call `report.check`."""
    results: queue.SimpleQueue[dict[str, list[Any]] | BaseException | None] = queue.SimpleQueue()

    def iterate() -> None:
        try:
            for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
                results.put(batch.to_pydict())
            results.put(None)
        except BaseException as fault:
            results.put(fault)

    threading.Thread(target=iterate, name="ray", daemon=True).start()
    while True:
        report.check()
        try:
            result = results.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if result is None:
            return
        if isinstance(result, BaseException):
            raise _error_for(result) from result
        yield result


def _error_for(fault: BaseException) -> BaseException:
    """The SpanlightError for one of Ray's errors; any other exception itself."""
    from ray.exceptions import RayError

    if not isinstance(fault, RayError):
        return fault
    _log.error("the cluster broke off", exc_info=fault)
    reason = str(fault).strip().rpartition("\n")[2].rstrip(".")
    return SpanlightError(
        Message("The work on the cluster broke off: {reason}.", reason=reason),
        Message("Check that its nodes have Spanlight; started again, it goes on from there."),
    )


def configure_ray(address: str = LOCAL) -> None:
    """Set the environment variables that Ray reads when it is imported.

    By default Ray reports its use to its makers, logs at length what one sentence says here, reconnects by itself after
    a stop, and spends a quarter of an hour on an address where nobody answers.
    """
    if address != LOCAL:
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")  # each takes half a minute
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_IGNORE_UNHANDLED_ERRORS"] = "1"
    os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"


@contextmanager
def _connect(address: str, report: Report) -> Iterator[int]:
    """Connect to a cluster, for LOCAL a new one; gives the number of threads that an actor can have on every node.

    Raises SpanlightError where it cannot be reached.
    """
    configure_ray(address)
    if address == LOCAL:
        # Ray's workers have their script's folder on the path, not this source tree.
        root = str(Path(__file__).parents[3])
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    import ray

    logging.getLogger("ray").setLevel(logging.CRITICAL)
    options = {"include_dashboard": False} if address == LOCAL else {}
    report.progress(Progress(0, 0, Message("Connecting to the cluster")))
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except (ConnectionError, OSError, RuntimeError, ValueError) as fault:
        raise SpanlightError(
            Message("The cluster “{address}” cannot be reached.", address=address),
            Message("Check its address, and that it has this computer's releases of Ray and Python."),
        ) from fault
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        cores = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
        yield min([_MOST_THREADS, *filter(None, cores)])
    finally:
        ray.shutdown()
