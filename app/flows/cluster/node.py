"""The work of a cluster's node: it reads and asks documents, and classifies texts, as one machine does."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from uuid import uuid4

from app.core.about import VERSION
from app.core.answer_table import Cell, CellState, Column
from app.core.errors import NotStarted, SpanlightError
from app.core.files import reason_of
from app.core.layout import Opened
from app.core.library import FileState, LibraryFile
from app.core.locks import Lock
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Silent
from app.core.results import Classification
from app.core.tables import class_columns, class_values
from app.documents.orders import Read
from app.engine.child import ChildBug
from app.flows.answer_table.fill import read_cell
from app.flows.ask.question import with_view
from app.flows.ask.read import document_from_stream
from app.flows.ask.recognise import scan_reader
from app.flows.batches import GroupReport
from app.flows.cluster.rows import Row, SourceFile
from app.flows.cluster.store import Storage, Unreachable, is_address
from app.flows.heads.classify_batch import classify_texts
from app.flows.library.update import Refusal, library_notes, refusal_for, refusal_without_text, sha256_of
from app.flows.workspace import Workspace
from app.library.ledger import Content, file_reason
from app.models.disk.installed import fingerprint
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings

_QUIET = Silent()
# The prefix of nodes' folders. A node creates the lock beside its folder first, and holds it while it runs.
_PREFIX = "spanlight-node-"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a node needs to compute as the computer that began the run does.

    `fingerprint` identifies the model; `adjustments` is the content of the file with readers' adjusted calibrations.
    """

    head: Head
    name: str
    folder: str
    fingerprint: str
    device: str
    precision: str
    adjustments: bytes = b""
    version: str = VERSION


def node_setup(workspace: Workspace, card: ModelCard, head: Head, device: str) -> NodeSetup:
    """The setup of nodes for a model's head; raises SpanlightError where the model's files cannot be read."""
    try:
        adjustments = workspace.paths.adjustments_file.read_bytes()
    except OSError:
        adjustments = b""
    settings = workspace.settings
    chosen = device or settings.device
    on_cpu, precision = chosen in ("auto", "cpu"), settings.precision
    return NodeSetup(
        head,
        card.name,
        card.folder,
        fingerprint(Path(card.folder)),
        "cpu" if on_cpu else chosen,  # Ray assigns GPUs
        "float32" if on_cpu and precision == "auto" else precision,  # the nodes' processors may differ
        adjustments,
    )


@contextmanager
def open_node(setup: NodeSetup, fetch_files: Callable[[], dict[str, bytes]]) -> Iterator[Node]:
    """Open a node with a folder of its own, which is removed at the end.

    `fetch_files` is called for the model's files, by name, where the node does not have them. Raises SpanlightError
    where the node has another version of Spanlight, or the model cannot be used.
    """
    if setup.version != VERSION:
        raise SpanlightError(
            f"A node has Spanlight {VERSION}, this computer {setup.version}.", "Install the same on all."
        )
    with _home() as home:
        config, data, logs = (home / name for name in ("config", "data", "logs"))
        for folder in (config, data, logs):
            folder.mkdir()
        paths = Paths(config, data, logs, default_paths().resources)
        if setup.adjustments:
            paths.adjustments_file.write_bytes(setup.adjustments)
        settings = Settings(device=setup.device, precision=setup.precision)
        workspace = Workspace(settings, paths)
        try:
            yield Node(workspace, str(_model_folder(setup, paths, fetch_files)), setup.head)
        finally:
            workspace.close()


@contextmanager
def _home() -> Iterator[Path]:
    """Create a private folder, and delete those of killed nodes, which may hold words of documents."""
    home = Path(tempfile.gettempdir()) / f"{_PREFIX}{uuid4().hex}"
    lock = _lock_of(home)
    lock.take()
    try:
        home.mkdir(0o700)
        for other in home.parent.glob(f"{_PREFIX}*/"):
            with suppress(OSError):
                if other.lstat().st_uid == home.stat().st_uid and (abandoned := _lock_of(other)).take():
                    shutil.rmtree(other, ignore_errors=True)
                    abandoned.release()
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        with suppress(OSError):
            lock.release()


def _lock_of(home: Path) -> Lock:
    return Lock(home.with_name(f"{home.name}.lock"))


def _model_folder(setup: NodeSetup, paths: Paths, fetch_files: Callable[[], dict[str, bytes]]) -> Path:
    """Find the model in the folder of its name, or among the bundled ones; otherwise write the fetched files."""
    for folder in (Path(setup.folder), paths.starter_models / setup.name):
        with suppress(SpanlightError):
            if fingerprint(folder) == setup.fingerprint:
                return folder
    folder = paths.models / setup.name
    folder.mkdir(parents=True)
    for name, data in fetch_files().items():
        (folder / name).write_bytes(data)
    if fingerprint(folder) != setup.fingerprint:
        raise SpanlightError(f"The files of {setup.name} changed when they were shipped.", "Start it again.")
    return folder


class Node:
    """Reads and asks documents, or classifies texts, with one model in the processes of its own workspace."""

    def __init__(self, workspace: Workspace, model: str, head: Head) -> None:
        self.workspace, self.model = workspace, model
        # A model that cannot be loaded fails here, and is not blamed on the first document.
        workspace.engine.load(workspace.choose(head, model, "", _QUIET), head, _QUIET)

    def row(self, source: SourceFile, columns: Sequence[Column], asked: str, run: int = 0) -> Row:
        """A document's row with its answers, or with the reason why it could not be read. Raises NotStarted."""
        file, opened = self.read(source)
        if opened is None:
            return Row(file, asked, run, same=file.state is FileState.READ)
        cells = self.answers(file, opened, columns)
        if any(cell.state is CellState.FAILED for cell in cells):
            file = replace(file, modified=0)
        return Row(file, asked, run, cells)

    def read(self, source: SourceFile) -> tuple[LibraryFile, Opened | None]:
        """Read a document: its entry in the ledger, and the document with its view.

        The document is None where it has no text, and where its bytes are the known ones: then it is not read.
        """
        there, sha256 = Content("", source.size, source.modified), ""
        refusal: Refusal | None
        try:
            # A document at an address is fetched once, unless its bytes may be the known ones.
            if source.known_sha256 or not is_address(source.path):
                sha256 = _sha256(source.path)
            if sha256 and sha256 == source.known_sha256:
                return _entry(source.path, FileState.READ, replace(there, sha256=sha256)), None
            opened = self._open(source.path)
            there = replace(there, sha256=opened.sha256 or sha256)
            refusal = refusal_without_text(opened)
            if refusal is not None:
                refusal = replace(refusal, content=there)
        except (OSError, ValueError) as fault:
            why = reason_of(fault, Message("its name is at fault"))
            reason = Message("“{file}” could not be read: {reason}.", file=source.path, reason=why)
            refusal = Refusal(FileState.FAILED, reason, replace(there, modified=0))
        except (SpanlightError, ChildBug) as fault:
            was_read = is_address(source.path) and not isinstance(fault, Unreachable)
            refusal = refusal_for(fault, there, was_hashed=was_read or bool(sha256))
        if refusal is not None:
            return _entry(source.path, refusal.state, refusal.content, refusal.reason), None
        file = replace(
            _entry(source.path, FileState.READ, there),
            reason=file_reason(replace(opened, notes=library_notes(opened))),
            kind=opened.kind,
            pages=len(opened.pages),
            words=len(opened.document.text.split()),
            language=opened.language,
        )
        return file, replace(opened, document=with_view(opened.document))

    def _open(self, path: str) -> Opened:
        if not is_address(path):
            return scan_reader(self.workspace).read(Read(path, Path(path).name, words_only=True), _QUIET)
        with Storage(path).open() as stream:
            name = PurePosixPath(path.partition("?")[0]).name
            return document_from_stream(self.workspace, stream, name, _QUIET)

    def answers(self, file: LibraryFile, opened: Opened, columns: Sequence[Column]) -> tuple[Cell, ...]:
        """Ask a document the question of each column. Raises NotStarted."""
        return tuple(self._cell(column, file, opened) for column in columns)

    def _cell(self, column: Column, file: LibraryFile, opened: Opened) -> Cell:
        try:
            return read_cell(self.workspace, column, file, opened, _QUIET, model=self.model)
        except NotStarted:
            raise
        except SpanlightError as fault:
            reason = str(fault)
        except ChildBug:
            reason = Message("It crashes Spanlight; this is a bug.")
        return Cell(column.number, file.sha256, CellState.FAILED, reason=reason)

    def classes(self, texts: Sequence[str]) -> list[list[str]]:
        """Each text's values under the columns of the classes, all empty for a blank text."""
        card = self.workspace.find_model(Head.CLASSIFICATION, self.model)
        width = len(class_columns((), card.labels, card.problem))
        choice = self.workspace.choose(Head.CLASSIFICATION, self.model, "", _QUIET)
        found: list[list[str]] = []

        def take(_: None, item: Classification | None) -> None:
            found.append(class_values(item) if item is not None else [""] * width)

        whole = GroupReport(_QUIET, len(texts), "")
        classify_texts(self.workspace, ((None, text) for text in texts), choice, whole, take)
        return found


def _sha256(path: str) -> str:
    """The SHA-256 of a document's bytes, empty where a local file cannot be read; raises OSError for a missing one."""
    if not is_address(path):
        Path(path).stat()
        return sha256_of(path, _QUIET.check)
    digest = hashlib.sha256()
    with Storage(path).open() as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _entry(path: str, state: FileState, content: Content, reason: str = "") -> LibraryFile:
    return LibraryFile(0, path, state, str(reason), content.size, content.modified, content.sha256)


def model_files(folder: str) -> dict[str, bytes]:
    """The contents of the files in a model's folder, by name."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
