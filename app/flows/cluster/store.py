"""A folder of Parquet files, on a disk or on shared storage by its address: written whole, listed, read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.message import Message
from app.core.plain import json_of
from app.flows.cluster.rows import ANSWER_COLUMNS, ROW_COLUMNS, SHORT, Asked, Item, Part, Row
from app.flows.library.folders import SUFFIXES
from app.settings.files import sweep

EXTRA = Message("Install it into Spanlight's environment: pip install 'spanlight[cluster]'")
_RUN = "_run.json"
# What stands in no address as it is, or would end it: people and storage name files with it.
_UNSAFE = re.compile(rb"[^\w%/?:@!$&'()*+,;=~.-]")
# What is behind the name of a file in that of the folder that it is brought together from.
ROWS = ".rows"


def is_address(path: str) -> bool:
    """Whether a path names shared storage, such as s3://bucket/folder."""
    return "://" in path


class Unreachable(SpanlightError):
    """A place that cannot be reached, read or written."""


@dataclass(frozen=True, slots=True)
class Groups:
    """A Parquet file: its columns, those of texts among them, and how many rows each row group has."""

    columns: tuple[str, ...]
    texts: tuple[str, ...]
    rows: tuple[int, ...]


class Storage:
    """Files below a folder, or an address, by pyarrow.

    Raises Unreachable, and SpanlightError where pyarrow is missing.
    """

    def __init__(self, place: str) -> None:
        if find_spec("pyarrow") is None:
            raise SpanlightError(Message("Parquet files need pyarrow, which is not installed."), EXTRA)
        from pyarrow import ArrowException, fs

        self.place = place if is_address(place) else str(Path(place).absolute())
        try:
            if is_address(place):
                scheme, _, rest = place.partition("://")
                host, slash, path = rest.partition("/")
                path = _UNSAFE.sub(lambda one: b"%%%02X" % one[0][0], path.encode()).decode()
                self._files, self._folder = fs.FileSystem.from_uri(f"{scheme}://{host}{slash}{path}")
            else:
                self._files, self._folder = fs.LocalFileSystem(), self.place
        except (OSError, ValueError, ArrowException) as fault:
            raise Unreachable(
                Message("“{place}” cannot be reached: {reason}.", place=place, reason=_reason(fault)),
                Message("Check the address."),
            ) from fault

    def documents(self, suffixes: Collection[str] = SUFFIXES) -> Iterator[Item]:
        """The files below it by their whole paths: of the kinds that a library takes, without hidden ones."""
        folder, mark, query = self.place.partition("?")
        if not folder.endswith("/"):
            folder += "/"
        for info in self._listed(recursive=True):
            below = info.path.removeprefix(self._folder).strip("/")
            hidden = any(part.startswith((".", "~$")) for part in below.split("/"))
            if not hidden and info.extension.lower() in suffixes:
                path = info.path
                if is_address(self.place):
                    path = f"{folder}{below.replace('%', '%25').replace('?', '%3F')}{mark}{query}"
                yield Item(path, info.size or 0, info.mtime_ns or 1)

    def names(self) -> list[str]:
        """The names of the Parquet files directly in it, in order."""
        return sorted(
            info.base_name
            for info in self._listed(recursive=False)
            if info.extension == "parquet" and not info.base_name.startswith((".", "_"))
        )

    def _listed(self, *, recursive: bool) -> list[Any]:
        from pyarrow import fs

        selector = fs.FileSelector(self._folder, allow_not_found=True, recursive=recursive)
        with self._faults(Message("“{place}” could not be listed", place=self.place)):
            return [info for info in self._files.get_file_info(selector) if info.type == fs.FileType.File]

    def item(self) -> Item:
        """The file at the address itself; of one that is not there, reading it says so."""
        with self._faults(Message("“{place}” could not be looked at", place=self.place)):
            info = self._files.get_file_info(self._folder)
            return Item(self.place, info.size or 0, info.mtime_ns or 1)

    def open(self, name: str = "") -> BinaryIO:
        """A file in it for reading, or the one at the address itself; raises OSError."""
        path = f"{self._folder}/{name}" if name else self._folder
        found: BinaryIO = self._files.open_input_file(path)
        return found

    def has(self, name: str) -> bool:
        """Whether there is a file of this name in it."""
        with self._faults(Message("“{place}” could not be looked at", place=self.place)):
            return bool(self._files.get_file_info(f"{self._folder}/{name}").is_file)

    def rows(self, name: str, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The rows of a Parquet file, of these columns if they are named; raises SpanlightError for something else."""
        from pyarrow import parquet

        failed = Message("“{file}” could not be read", file=f"{self.place}/{name}")
        with self._faults(failed), self.open(name) as file:
            found: list[dict[str, Any]] = parquet.read_table(
                file, columns=list(columns) if columns else None
            ).to_pylist()
            return found

    def groups(self) -> Groups:
        """The columns and row groups of the Parquet file at the address itself; raises SpanlightError."""
        import pyarrow as arrow
        from pyarrow import parquet

        with self._faults(Message("“{file}” could not be read", file=self.place)), self.open() as file:
            found = parquet.ParquetFile(file)
            schema, about = found.schema_arrow, found.metadata
            texts = [
                each.name
                for each in schema
                if arrow.types.is_string(each.type) or arrow.types.is_large_string(each.type)
            ]
            rows = [about.row_group(at).num_rows for at in range(about.num_row_groups)]
            return Groups(tuple(schema.names), tuple(texts), tuple(rows))

    def part_of(self, group: int, first: int, rows: int) -> Any:
        """Some rows of a row group of the Parquet file at the address itself, as a table of pyarrow."""
        with self._faults(Message("“{file}” could not be read", file=self.place)):
            return _row_group(self.item(), group).slice(first, rows)

    def short_rows(self) -> Iterator[dict[str, Any]]:
        """The columns `SHORT` of all rows of documents."""
        for name in self.names():
            yield from self.rows(name, SHORT)

    def parts(self) -> list[Part]:
        """The files of documents' rows, to be read one after another; empty ones are left out."""
        firsts = {name: [row["path"] for row in self.rows(name, ("path",))] for name in self.names()}
        return [Part(min(paths), partial(self.rows, name)) for name, paths in firsts.items() if paths]

    def write(self, name: str, table: Any) -> None:
        """Write a table as a Parquet file that is there whole or not at all; raises SpanlightError."""
        from pyarrow import parquet

        with self._writing(name) as file:
            parquet.write_table(table, file, compression="zstd")

    def sweep(self) -> None:
        """Delete what killed processes left half written, as far as it is on a disk."""
        if not is_address(self.place):
            sweep(Path(self.place))

    def write_run(self, asked: Asked) -> None:
        """Keep what is asked, for whoever reads the folder."""
        with self._writing(_RUN) as file:
            file.write(json_of(asked.plain(), indent=1).encode())

    def run(self) -> Asked:
        """What was asked last; raises SpanlightError where the folder holds no answers."""
        try:
            with self.open(_RUN) as file:
                return Asked.from_plain(json.loads(file.read()))
        except (OSError, KeyError, TypeError, ValueError) as fault:
            raise SpanlightError(
                Message("“{place}” holds no answers of a cluster.", place=self.place),
                Message("Name the folder that the cluster wrote, with its file {name}.", name=_RUN),
            ) from fault

    @contextmanager
    def _writing(self, name: str) -> Iterator[BinaryIO]:
        part = f"{self._folder}/.{name}.{uuid4().hex}.part"
        with self._faults(Message("“{file}” could not be written", file=f"{self.place}/{name}")):
            self._files.create_dir(self._folder, recursive=True)
            try:
                with self._files.open_output_stream(part) as file:
                    yield file
                self._files.move(part, f"{self._folder}/{name}")
            except BaseException:
                with suppress(OSError):
                    self._files.delete_file(part)
                raise

    @contextmanager
    def _faults(self, failed: Message) -> Iterator[None]:
        from pyarrow import ArrowException

        try:
            yield
        except (OSError, ArrowException) as fault:
            raise Unreachable(
                Message("{failed}: {reason}.", failed=failed, reason=_reason(fault)),
                Message("Free some space, check the permissions, or name another folder."),
            ) from fault


@lru_cache(maxsize=1)
def _row_group(item: Item, group: int) -> Any:
    """A row group of a Parquet file, kept for its other parts: it is read whole."""
    from pyarrow import parquet

    with Storage(item.path).open() as file:
        return parquet.ParquetFile(file).read_row_group(group)


def opened_at(address: str) -> BinaryIO:
    """A document at an address for reading; raises OSError, and SpanlightError where it cannot be reached."""
    return Storage(address).open()


def documents_table(rows: Sequence[Row], asked: Asked) -> Any:
    """The rows of documents as a table of pyarrow."""
    import pyarrow as arrow

    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    answer = arrow.struct([(name, kinds[kind]) for name, kind in ANSWER_COLUMNS.items()])
    columns = [(name, kinds[kind]) for name, kind in ROW_COLUMNS.items()]
    schema = arrow.schema([*columns, ("answers", arrow.list_(answer))])
    return arrow.Table.from_pylist([row.plain(asked) for row in rows], schema)


def _reason(fault: BaseException) -> str:
    """Why something failed, on one line: pyarrow's own words name its source files."""
    if isinstance(fault, OSError) and fault.errno:
        return reason_of(OSError(fault.errno, os.strerror(fault.errno)))
    return str(fault).partition("\n")[0].rstrip(".") or type(fault).__name__
