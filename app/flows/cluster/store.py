"""Parquet files and documents in a folder, on a disk or at an address on shared storage."""

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

from app.core.atomic import sweep
from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Report
from app.flows.cluster.rows import (
    ANSWER_COLUMNS,
    ROW_COLUMNS,
    SUMMARY_COLUMNS,
    Row,
    RunSpec,
    Shard,
    SourceFile,
)
from app.flows.library.folders import SUFFIXES

INSTALL_HINT = Message("Install it into Spanlight's environment: pip install 'spanlight[cluster]'")
# The folder of the rows that become OUT.csv is OUT.csv.rows.
ROWS_SUFFIX = ".rows"
_SPEC_FILE = "_run.json"
# Bytes that an address cannot hold unescaped, though names of files do.
_UNSAFE = re.compile(rb"[^\w%/?:@!$&'()*+,;=~.-]")


def is_address(path: str) -> bool:
    """Whether a path names shared storage, such as s3://bucket/folder."""
    return "://" in path


class Unreachable(SpanlightError):
    """A place that cannot be reached, read or written."""


@dataclass(frozen=True, slots=True)
class ParquetLayout:
    """A Parquet file's columns, those of strings among them, and the number of rows in each row group."""

    columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    group_rows: tuple[int, ...]


class Storage:
    """A folder or a file at a path or an address, through pyarrow.

    Raises Unreachable, and SpanlightError where pyarrow is missing.
    """

    def __init__(self, place: str) -> None:
        if find_spec("pyarrow") is None:
            raise SpanlightError(Message("Parquet files need pyarrow, which is not installed."), INSTALL_HINT)
        from pyarrow import ArrowException, fs

        self.place = place if is_address(place) else str(Path(place).absolute())
        try:
            if is_address(place):
                scheme, _, rest = place.partition("://")
                host, slash, path = rest.partition("/")
                path = _UNSAFE.sub(lambda one: b"%%%02X" % one[0][0], path.encode()).decode()
                self._files, self._path = fs.FileSystem.from_uri(f"{scheme}://{host}{slash}{path}")
            else:
                self._files, self._path = fs.LocalFileSystem(), self.place
        except (OSError, ValueError, ArrowException) as fault:
            raise Unreachable(
                Message("“{place}” cannot be reached: {reason}.", place=place, reason=_reason(fault)),
                Message("Check the address."),
            ) from fault

    def documents(self, suffixes: Collection[str] = SUFFIXES) -> Iterator[SourceFile]:
        """The files anywhere below the folder that have one of these extensions; hidden ones are left out."""
        folder, mark, query = self.place.partition("?")
        if not folder.endswith("/"):
            folder += "/"
        for info in self._list(recursive=True):
            below = info.path.removeprefix(self._path).strip("/")
            hidden = any(part.startswith((".", "~$")) for part in below.split("/"))
            if not hidden and info.extension.lower() in suffixes:
                path = info.path
                if is_address(self.place):
                    path = f"{folder}{below.replace('%', '%25').replace('?', '%3F')}{mark}{query}"
                yield SourceFile(path, info.size or 0, info.mtime_ns or 1)

    def names(self) -> list[str]:
        """The names of the Parquet files directly in the folder, sorted."""
        return sorted(
            info.base_name
            for info in self._list(recursive=False)
            if info.extension == "parquet" and not info.base_name.startswith((".", "_"))
        )

    def _list(self, *, recursive: bool) -> list[Any]:
        from pyarrow import fs

        selector = fs.FileSelector(self._path, allow_not_found=True, recursive=recursive)
        with self._faults(Message("“{place}” could not be listed", place=self.place)):
            return [info for info in self._files.get_file_info(selector) if info.type == fs.FileType.File]

    def file(self) -> SourceFile:
        """The file at the path itself; a missing one has no size, and reading it fails later."""
        with self._faults(Message("“{place}” could not be looked at", place=self.place)):
            info = self._files.get_file_info(self._path)
            return SourceFile(self.place, info.size or 0, info.mtime_ns or 1)

    def open(self, name: str = "") -> BinaryIO:
        """Open a file of the folder for reading, or the file at the path itself; raises OSError."""
        path = f"{self._path}/{name}" if name else self._path
        found: BinaryIO = self._files.open_input_file(path)
        return found

    def has(self, name: str) -> bool:
        """Whether the folder has a file of this name."""
        with self._faults(Message("“{place}” could not be looked at", place=self.place)):
            return bool(self._files.get_file_info(f"{self._path}/{name}").is_file)

    def rows(self, name: str, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The rows of a Parquet file in the folder, with all columns or with these."""
        from pyarrow import parquet

        failed = Message("“{file}” could not be read", file=f"{self.place}/{name}")
        with self._faults(failed), self.open(name) as file:
            found: list[dict[str, Any]] = parquet.read_table(
                file, columns=list(columns) if columns else None
            ).to_pylist()
            return found

    def layout(self) -> ParquetLayout:
        """The columns and row groups of the Parquet file at the path itself."""
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
            return ParquetLayout(tuple(schema.names), tuple(texts), tuple(rows))

    def read_slice(self, group: int, first: int, rows: int) -> Any:
        """Some rows of a row group of the Parquet file at the path itself, as a pyarrow table."""
        with self._faults(Message("“{file}” could not be read", file=self.place)):
            return _row_group(self.file(), group).slice(first, rows)

    def summaries(self, report: Report) -> Iterator[dict[str, Any]]:
        """The `SUMMARY_COLUMNS` of every row in the folder."""
        for name in self.names():
            report.check()
            yield from self.rows(name, SUMMARY_COLUMNS)

    def shards(self, report: Report) -> list[Shard]:
        """The folder's files with rows in them."""
        found = []
        for name in self.names():
            report.check()
            if paths := [row["path"] for row in self.rows(name, ("path",))]:
                found.append(Shard(min(paths), partial(self.rows, name)))
        return found

    def write(self, name: str, table: Any) -> None:
        """Write a pyarrow table as a Parquet file, which appears whole or not at all."""
        from pyarrow import parquet

        with self._writing(name) as file:
            parquet.write_table(table, file, compression="zstd")

    def sweep(self) -> None:
        """Delete what killed processes left half written in a folder on a disk."""
        if not is_address(self.place):
            sweep(Path(self.place))

    def write_spec(self, spec: RunSpec) -> None:
        """Store the spec of the run beside its rows."""
        with self._writing(_SPEC_FILE) as file:
            file.write(json_of(spec.plain(), indent=1).encode())

    def spec(self) -> RunSpec:
        """The spec of the last run; raises SpanlightError where the folder has none."""
        try:
            with self.open(_SPEC_FILE) as file:
                return RunSpec.from_plain(json.loads(file.read()))
        except (OSError, KeyError, TypeError, ValueError) as fault:
            raise SpanlightError(
                Message("“{place}” holds no answers of a cluster.", place=self.place),
                Message("Name the folder that the cluster wrote, with its file {name}.", name=_SPEC_FILE),
            ) from fault

    @contextmanager
    def _writing(self, name: str) -> Iterator[BinaryIO]:
        part = f"{self._path}/.{name}.{uuid4().hex}.part"
        with self._faults(Message("“{file}” could not be written", file=f"{self.place}/{name}")):
            self._files.create_dir(self._path, recursive=True)
            try:
                with self._files.open_output_stream(part) as file:
                    yield file
                self._files.move(part, f"{self._path}/{name}")
            except BaseException:
                with suppress(OSError):
                    self._files.delete_file(part)
                raise

    @contextmanager
    def _faults(self, failed: Message) -> Iterator[None]:
        """Raise Unreachable, which says what has `failed`, for errors of the system and of pyarrow."""
        from pyarrow import ArrowException

        try:
            yield
        except (OSError, ArrowException) as fault:
            raise Unreachable(
                Message("{failed}: {reason}.", failed=failed, reason=_reason(fault)),
                Message("Free some space, check the permissions, or name another folder."),
            ) from fault


@lru_cache(maxsize=1)
def _row_group(file: SourceFile, group: int) -> Any:
    """A row group of a Parquet file as a pyarrow table, cached since several slices are taken from it in turn."""
    from pyarrow import parquet

    with Storage(file.path).open() as opened:
        return parquet.ParquetFile(opened).read_row_group(group)


def rows_table(rows: Sequence[Row], spec: RunSpec) -> Any:
    """Rows of documents as a pyarrow table."""
    import pyarrow as arrow

    types = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    answer = arrow.struct([(name, types[kind]) for name, kind in ANSWER_COLUMNS.items()])
    columns = [(name, types[kind]) for name, kind in ROW_COLUMNS.items()]
    schema = arrow.schema([*columns, ("answers", arrow.list_(answer))])
    return arrow.Table.from_pylist([row.plain(spec) for row in rows], schema)


def _reason(fault: BaseException) -> str:
    """Why something failed, on one line: pyarrow's own messages name its source files."""
    if isinstance(fault, OSError) and fault.errno:
        return reason_of(OSError(fault.errno, os.strerror(fault.errno)))
    return str(fault).partition("\n")[0].rstrip(".") or type(fault).__name__
