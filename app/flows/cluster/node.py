"""A node's work: documents read and asked, and texts classified, by the flows of one machine."""

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
from app.flows.ask.recognise import scans
from app.flows.batches import GroupReport
from app.flows.cluster.rows import Item, Row
from app.flows.cluster.store import is_address, opened_at
from app.flows.heads.classify_batch import classify_texts
from app.flows.library.update import Refused, refused, sha256_of, without_words
from app.flows.workspace import Workspace
from app.library.ledger import Content
from app.models.disk.installed import fingerprint
from app.models.disk.locks import Lock
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings

_QUIET = Silent()
# How the name of a node's folder begins. The lock beside it, which is there before it, is held while it is used.
_HOME = "spanlight-node-"
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Shipped:
    """What a node needs to compute as the computer does that began the run.

    `fingerprint` tells whether a folder holds the model; `adjustments` is the file of what readers were adjusted to.
    """

    head: Head
    name: str
    folder: str
    fingerprint: str
    device: str
    precision: str
    adjustments: bytes = b""
    version: str = VERSION


def shipped(workspace: Workspace, card: ModelCard, head: Head, device: str) -> Shipped:
    """What nodes need for a model with a head; raises SpanlightError where its files cannot be read."""
    try:
        adjustments = workspace.paths.adjustments_file.read_bytes()
    except OSError:
        adjustments = b""
    settings = workspace.settings
    chosen = device or settings.device
    on_cpu, precision = chosen in ("auto", "cpu"), settings.precision
    return Shipped(
        head,
        card.name,
        card.folder,
        fingerprint(Path(card.folder)),
        "cpu" if on_cpu else chosen,  # a GPU is Ray's to give
        "float32" if on_cpu and precision == "auto" else precision,  # nodes may be of several kinds
        adjustments,
    )


@contextmanager
def node(needs: Shipped, files: Callable[[], dict[str, bytes]]) -> Iterator[Node]:
    """A node with a folder of its own, removed at the end; `files` gives the model where the node has it not.

    Raises SpanlightError where the node has another Spanlight, or the model cannot be used.
    """
    if needs.version != VERSION:
        raise SpanlightError(
            f"A node has Spanlight {VERSION}, this computer {needs.version}.", "Install the same on all."
        )
    with _home() as home:
        config, data, logs = (home / name for name in ("config", "data", "logs"))
        for folder in (config, data, logs):
            folder.mkdir()
        paths = Paths(config, data, logs, default_paths().resources)
        if needs.adjustments:
            paths.adjustments_file.write_bytes(needs.adjustments)
        settings = Settings(device=needs.device, precision=needs.precision)
        workspace = Workspace(settings, paths)
        try:
            yield Node(workspace, str(_model(needs, paths, files)), needs.head)
        finally:
            workspace.close()


@contextmanager
def _home() -> Iterator[Path]:
    """A folder that nobody else reads; those of killed nodes, which may hold words of documents, are deleted."""
    home = Path(tempfile.gettempdir()) / f"{_HOME}{uuid4().hex}"
    lock = _lock_of(home)
    lock.take()
    try:
        home.mkdir(0o700)
        for left in home.parent.glob(f"{_HOME}*/"):
            with suppress(OSError):
                if left.lstat().st_uid == home.stat().st_uid and (of_left := _lock_of(left)).take():
                    shutil.rmtree(left, ignore_errors=True)
                    of_left.release()
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        with suppress(OSError):
            lock.release()


def _lock_of(home: Path) -> Lock:
    return Lock(home.with_name(f"{home.name}.lock"))


def _model(needs: Shipped, paths: Paths, files: Callable[[], dict[str, bytes]]) -> Path:
    """The model's folder: the one that was named, the bundled one of its name, or one made of the shipped files."""
    for folder in (Path(needs.folder), paths.starter_models / needs.name):
        with suppress(SpanlightError):
            if fingerprint(folder) == needs.fingerprint:
                return folder
    folder = paths.models / needs.name
    folder.mkdir(parents=True)
    for name, data in files().items():
        (folder / name).write_bytes(data)
    if fingerprint(folder) != needs.fingerprint:
        raise SpanlightError(f"The files of {needs.name} changed when they were shipped.", "Start it again.")
    return folder


class Node:
    """Reads documents, asks them, and classifies texts with one model, in the processes of a workspace of its own."""

    def __init__(self, workspace: Workspace, model: str, head: Head) -> None:
        self.workspace, self.model = workspace, model
        # The fault of a model that cannot be loaded is not that of the first document.
        workspace.engine.load(workspace.choose(head, model, "", _QUIET), head, _QUIET)

    def row(self, item: Item, columns: Sequence[Column], asked: str, run: int = 0) -> Row:
        """A document with its answers; what cannot be read is a row with its reason. Raises NotStarted."""
        try:
            sha256, found = self._read(item)
        except (OSError, ValueError) as fault:
            why = reason_of(fault, Message("its name is at fault"))
            reason = Message("“{file}” could not be read: {reason}.", file=item.path, reason=why)
            found = Refused(FileState.FAILED, reason, Content("", item.size, 0))
        except SpanlightError as fault:
            found = refused(fault, Content("", item.size, 0), was_hashed=False)
        if found is None:
            return Row(_line(item, FileState.READ, sha256), asked, run, same=True)
        if isinstance(found, Refused):
            content = found.content
            item = replace(item, size=content.size, modified=content.modified)
            return Row(_line(item, found.state, content.sha256, found.reason), asked, run)
        cells = tuple(self._cell(column, sha256, found) for column in columns)
        text = found.document.text
        file = replace(
            _line(item, FileState.READ, sha256),
            kind=found.kind,
            pages=len(found.pages),
            words=len(text.split()),
            language=found.language,
        )
        if any(cell.state is CellState.FAILED for cell in cells):
            file = replace(file, modified=0)
        return Row(file, asked, run, cells)

    def _read(self, item: Item) -> tuple[str, Opened | Refused | None]:
        """The document's SHA-256 and itself, or why it has no text; None where its bytes are those that are known."""
        there = Content("", item.size, item.modified)
        is_local = not is_address(item.path)
        if is_local:
            Path(item.path).stat()
            sha256 = sha256_of(item.path, _QUIET.check)
        else:
            digest = hashlib.sha256()
            with opened_at(item.path) as stream:
                while piece := stream.read(_PIECE):
                    digest.update(piece)
            sha256 = digest.hexdigest()
        if sha256 and sha256 == item.known:
            return sha256, None
        try:
            if is_local:
                order = Read(item.path, Path(item.path).name, words_only=True)
                opened = scans(self.workspace).read(order, _QUIET)
            else:
                with opened_at(item.path) as stream:
                    name = PurePosixPath(item.path.partition("?")[0]).name
                    opened = document_from_stream(self.workspace, stream, name, _QUIET)
        except (SpanlightError, ChildBug) as fault:
            return sha256, refused(fault, there, was_hashed=bool(sha256))
        without = without_words(opened)
        if without is not None:
            return sha256, replace(without, content=replace(there, sha256=opened.sha256 or sha256))
        return opened.sha256 or sha256, replace(opened, document=with_view(opened.document))

    def _cell(self, column: Column, sha256: str, opened: Opened) -> Cell:
        """The cell of a column; of a document over which the reader fails, one that has failed."""
        try:
            return read_cell(self.workspace, column, sha256, opened, _QUIET, model=self.model)
        except NotStarted:
            raise
        except SpanlightError as fault:
            reason = str(fault)
        except ChildBug:
            reason = Message("It crashes Spanlight; this is a bug.")
        return Cell(column.number, sha256, CellState.FAILED, reason=reason)

    def classes(self, texts: Sequence[str]) -> list[list[str]]:
        """The values under the columns of the classes for each text, empty ones for a text of blanks."""
        card = self.workspace.find_model(Head.CLASSIFICATION, self.model)
        width = len(class_columns((), card.labels, card.problem))
        choice = self.workspace.choose(Head.CLASSIFICATION, self.model, "", _QUIET)
        found: list[list[str]] = []

        def take(_: None, item: Classification | None) -> None:
            found.append(class_values(item) if item is not None else [""] * width)

        whole = GroupReport(_QUIET, len(texts), "")
        classify_texts(self.workspace, ((None, text) for text in texts), choice, whole, take)
        return found


def _line(item: Item, state: FileState, sha256: str, reason: str = "") -> LibraryFile:
    return LibraryFile(0, item.path, state, str(reason), item.size, item.modified, sha256)


def shipped_files(folder: str) -> dict[str, bytes]:
    """The files that a model is read from, by their names."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
