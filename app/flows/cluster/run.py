"""Questions to very many documents, and classes of very many texts, on a Ray cluster; Ray is imported only here."""

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
from app.flows.cluster.node import Node, Shipped, node, shipped, shipped_files
from app.flows.cluster.rows import Asked, Item, Row, numbered, row_of, together, unread
from app.flows.cluster.store import EXTRA, Storage, documents_table
from app.flows.network.online import refuse_offline
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow

_log = logging.getLogger(__name__)

# The address of a cluster that is made of this computer for a run.
LOCAL = "local"
# Threads of an actor where its node has so many: more of them answer little faster, and more actors take memory.
_MOST_THREADS = 4
# Documents of a task, which is what is computed again where an actor was lost: a few, but no more tasks than these.
_LEAST_A_TASK, _MOST_A_TASK, _TASKS = 4, 64, 500
_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did: documents or texts `read` now and `before`, `failed` of them; seconds."""

    read: int
    before: int
    failed: int
    seconds: float


def require_ray(address: str = LOCAL) -> None:
    """Raises SpanlightError where Ray is not installed, or an address is empty."""
    if not address.strip():
        raise SpanlightError(
            Message("The cluster has no address."), Message("Give auto, local, or its address.")
        )
    if find_spec("ray") is None:
        raise SpanlightError(Message("--cluster needs Ray, which is not installed."), EXTRA)


def ask_documents(
    workspace: Workspace,
    columns: Sequence[Column],
    items: Sequence[Item],
    place: str,
    address: str,
    report: Report,
    *,
    over: str = "",
    model: str = "",
    device: str = "",
) -> Ran:
    """Ask documents each question on a cluster; each task's rows are written into the folder `place` when it is done.

    `address` is LOCAL, "auto" for the cluster that this computer belongs to, or where a head node listens. Documents
    that rows of the same model and questions tell of are not read again unless they changed, so that a run that was
    stopped, killed or lost goes on when it is called again. What cannot be read is a row with its reason, and is read
    again only where that may have changed. Raises SpanlightError where the cluster, the model or the folder is at
    fault; Stopped when cancelled.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, model)
    needs = shipped(workspace, card, Head.QUESTION_ANSWERING, device)
    storage, asked = Storage(place), asked_of(workspace, columns, card, needs, over)
    left, number = unread(items, storage.short_rows(), asked.digest)
    storage.sweep()
    size = max(_LEAST_A_TASK, min(_MOST_A_TASK, len(left) // _TASKS))
    some = (left[at : at + size] for at in range(0, len(left), size))
    tasks = [Task(each, len(each)) for each in some]
    more = (storage.place, asked, number, uuid4().hex[:8])
    begin = partial(storage.write_run, asked)
    ran = run_tasks(workspace, _Reader, tasks, needs, more, address, report, begin)
    return replace(ran, before=len(items) - len(left))


def bring_together(items: Sequence[Item], place: str) -> Iterator[Row]:
    """The rows of documents as they were asked last, one each, by path."""
    storage = Storage(place)
    wanted = {item.path for item in items}
    return together(storage.parts(), storage.run().digest, wanted.__contains__)


def asked_of(
    workspace: Workspace, columns: Sequence[Column], card: ModelCard, needs: Shipped, over: str
) -> Asked:
    """What a run asks: the questions, numbered from 1, and the reader.

    Its commit tells the device and the precision that it computes with, and what its calibration is adjusted to.
    """
    commit = f"{needs.fingerprint}-{needs.device}-{needs.precision}"
    adjusted = [repr(workspace.adjustment(folder)) for folder in (card.folder, card.finder) if folder]
    if any(each != "None" for each in adjusted):
        commit += f"-{hashlib.sha256(''.join(adjusted).encode()).hexdigest()[:8]}"
    return Asked(numbered(columns), card.name, commit, over)


class Actor(ABC):
    """A node in an actor's process, which writes a Parquet file for each task."""

    WHAT = Message("documents")

    def __init__(self, needs: Shipped, files: Sequence[Any]) -> None:
        # Processes that are spawned here would import what Ray's worker began with.
        vars(sys.modules["__main__"]).pop("__file__", None)
        self._needs, self._files, self._stack = needs, files, ExitStack()
        self._node: Node | None = None

    def __del__(self) -> None:
        """End its processes: Ray deletes what an actor has made before it ends it."""
        self._stack.close()

    def __call__(self, tasks: pyarrow.Table) -> dict[str, list[Any]]:
        """How many documents or texts of a task were read, how many failed, and what ends the run.

        The last comes as words: Ray keeps no more than those of an exception, among many of its own.
        """
        done, failed, fault, hint = 0, 0, "", ""
        try:
            if self._node is None:
                self._node = self._stack.enter_context(node(self._needs, partial(_fetched, self._files)))
            done, failed = self.work(tasks.to_pylist(), self._node)
        except SpanlightError as error:
            fault, hint = str(error.message), str(error.hint)
        return {"done": [done], "failed": [failed], "fault": [fault], "hint": [hint]}

    @abstractmethod
    def work(self, rows: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Do a task, the plain values of its rows, unless that was done before the actor was lost."""


class _Reader(Actor):
    """Reads documents, and asks them."""

    def __init__(
        self, needs: Shipped, files: Sequence[Any], place: str, asked: Asked, run: int, name: str
    ) -> None:
        super().__init__(needs, files)
        self._storage, self._asked, self._run, self._name = Storage(place), asked, run, name

    def work(self, rows: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Write the rows of documents."""
        items, asked = [Item(**values) for values in rows], self._asked
        digest = hashlib.sha256("\0".join(item.path for item in items).encode()).hexdigest()[:24]
        name = f"{self._name}-{digest}.parquet"
        if self._storage.has(name):
            found = list(map(row_of, self._storage.rows(name)))
        else:
            found = [node.row(item, asked.columns, asked.digest, self._run) for item in items]
            self._storage.write(name, documents_table(found, asked))
        return len(found), sum(row.has_failed for row in found)


def _fetched(files: Sequence[Any]) -> dict[str, bytes]:
    """A model's files that were shipped as an object; it is fetched only where they are missing."""
    import ray

    found: dict[str, bytes] = ray.get(files[0])
    return found


@dataclass(frozen=True, slots=True)
class Task:
    """What an actor does at once: Items or Slices, and how many documents or texts these stand for."""

    rows: Sequence[Any]
    size: int


def run_tasks(
    workspace: Workspace,
    actor: type[Actor],
    tasks: Sequence[Task],
    needs: Shipped,
    more: tuple[Any, ...],
    address: str,
    report: Report,
    begin: Callable[[], object] = lambda: None,
) -> Ran:
    """Have a pool of actors do tasks; each counts how many documents or texts it has done, and how many have failed.

    `more` is what the actors are made with beside the model; `begin` is called once the cluster is reached.
    """
    began, done, failed = time.perf_counter(), 0, 0
    total = sum(task.size for task in tasks)
    if not tasks:
        begin()
        return Ran(0, 0, 0, 0.0)
    if address != LOCAL:
        refuse_offline(workspace, Message("Switch that off to reach a cluster, or use --cluster local."))
    with _connected(address, report) as threads:
        import pyarrow
        import ray
        from ray.data import ActorPoolStrategy

        begin()
        files = [ray.put(shipped_files(needs.folder))]
        on_gpu = needs.device == "cuda"
        dataset = ray.data.from_arrow(
            [pyarrow.Table.from_pylist(list(map(asdict, task.rows))) for task in tasks]
        ).map_batches(
            actor,
            fn_constructor_args=(needs, files, *more),
            batch_size=None,
            batch_format="pyarrow",
            compute=ActorPoolStrategy(min_size=1),
            num_cpus=threads,
            num_gpus=1 if on_gpu else 0,
        )
        for found in _streamed(dataset, report):
            for fault, hint in zip(found["fault"], found["hint"], strict=True):
                if fault:
                    raise SpanlightError(fault, hint)
            done += sum(found["done"])
            failed += sum(found["failed"])
            report.progress(_progress(actor.WHAT, done, total, failed, time.perf_counter() - began))
    return Ran(done, 0, failed, time.perf_counter() - began)


def _progress(what: str, done: int, total: int, failed: int, seconds: float) -> Progress:
    rate = 60 * done / max(seconds, 1e-9)
    what = Message("{what}, {failed:,} failed, {rate:,.0f} a minute", what=what, failed=failed, rate=rate)
    return Progress(done, total, what, (total - done) / rate * 60 if done else None)


def _streamed(dataset: Any, report: Report) -> Iterator[dict[str, list[Any]]]:
    """What the tasks give as they end; `report.check` is called meanwhile, which Ray would keep waiting."""
    found: queue.SimpleQueue[dict[str, list[Any]] | BaseException | None] = queue.SimpleQueue()

    def stream() -> None:
        try:
            for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
                found.put(batch.to_pydict())
            found.put(None)
        except BaseException as fault:
            found.put(fault)

    threading.Thread(target=stream, name="ray", daemon=True).start()
    while True:
        report.check()
        try:
            one = found.get(timeout=_EVERY)
        except queue.Empty:
            continue
        if one is None:
            return
        if isinstance(one, BaseException):
            raise _fault_of(one) from one
        yield one


def _fault_of(fault: BaseException) -> BaseException:
    """The error for what Ray ended with; a fault of another kind as it is."""
    from ray.exceptions import RayError

    if not isinstance(fault, RayError):
        return fault
    _log.error("the cluster broke off", exc_info=fault)
    reason = str(fault).strip().rpartition("\n")[2].rstrip(".")
    return SpanlightError(
        Message("The work on the cluster broke off: {reason}.", reason=reason),
        Message("Check that its nodes have Spanlight; started again, it goes on from there."),
    )


def set_up_ray(address: str = LOCAL) -> None:
    """Set what Ray looks up in the environment, before it is imported.

    Left alone, Ray reports its use to its makers, logs at length what one sentence says here, reconnects by itself
    after a stop, and tries an address where nobody answers for a quarter of an hour.
    """
    if address != LOCAL:
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")  # each takes half a minute
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_IGNORE_UNHANDLED_ERRORS"] = "1"
    os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"


@contextmanager
def _connected(address: str, report: Report) -> Iterator[int]:
    """A connection to a cluster, which for LOCAL is made for it; gives the threads that an actor may have on any node.

    Raises SpanlightError where it cannot be reached.
    """
    set_up_ray(address)
    if address == LOCAL:
        # Ray's workers know where its script lies, not this source tree.
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
        cores = [int(one["Resources"].get("CPU", 0)) for one in ray.nodes() if one["Alive"]]
        yield max(1, min(_MOST_THREADS, *(number for number in cores if number), _MOST_THREADS))
    finally:
        ray.shutdown()
