"""Files of rows: JSON Lines that a killed run appends to when it is resumed, and tables as CSV, XLSX or JSON Lines."""

from __future__ import annotations

import errno
import io
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.files import file_to_write, lines_of, open_regular, reason_of
from app.core.locks import held
from app.core.message import Message
from app.core.plain import json_of
from app.core.rows import read_rows, row_of
from app.core.tables import csv_lines, harmless

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

FORMATS = (".csv", ".xlsx", ".jsonl")
_MOST_CHARACTERS = 32_767  # of a spreadsheet's cell
# Characters that XML, and so a spreadsheet, cannot hold.
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ROW_START = b'{"id": '


def check_rows(path: Path, names: tuple[str, ...]) -> Collection[str]:
    """Return the keys of a file's rows; raises SpanlightError unless all have texts under these names and own ids."""
    seen: dict[str, int] = {}
    for row in read_rows(path):
        for name in names:
            row.text(name, path)
        if row.key in seen:
            raise SpanlightError(
                Message(
                    "Lines {first} and {second} of {file} have the same id {id}.",
                    first=seen[row.key],
                    second=row.line,
                    file=path.name,
                    id=row.key,
                ),
                Message("Give every row an id of its own."),
            )
        seen[row.key] = row.line
    return seen


class RowFile:
    """A JSON Lines file that rows are appended to; `finished` has the keys of the rows that it has already.

    Every row begins with its id and has a value under `result`. A last line that a killed run left incomplete is cut
    off. Raises SpanlightError where the file holds something else or cannot be written, Busy where another process
    appends to it.
    """

    def __init__(self, path: Path, result: str) -> None:
        self._path = path
        self._result = result
        with ExitStack() as stack:
            try:
                file_to_write(path)  # a device or a pipe cannot be resumed, and some never end
                stack.enter_context(lock_output(path))
                self._file = stack.enter_context(path.open("ab", buffering=0))
            except (OSError, ValueError) as fault:
                raise _write_error(path, fault) from fault
            self.finished = self._read_finished()
            self._closing = stack.pop_all()

    def __enter__(self) -> RowFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def append(self, row: dict[str, object]) -> None:
        """Write a row unbuffered, so that it survives a kill of this process."""
        line = memoryview(dumps(row).encode("utf-8") + b"\n")
        try:
            while line:
                line = line[self._file.write(line) :]  # a nearly full disk takes only a part
        except OSError as fault:
            raise _write_error(self._path, fault) from fault

    def _read_finished(self) -> set[str]:
        keys: set[str] = set()
        good = 0
        with open_regular(self._path) as raw, BufferedReader(raw) as file:
            for number, line in enumerate(lines_of(file, self._path.name), start=1):
                if not line.endswith(b"\n"):
                    if not (line.startswith(_ROW_START) or _ROW_START.startswith(line)):
                        raise self._not_ours(number)
                    break
                row = row_of(line, number, self._path)
                if "id" not in row.values or self._result not in row.values:
                    raise self._not_ours(number)
                keys.add(row.key)
                good += len(line)
        self._file.truncate(good)
        return keys

    def _not_ours(self, number: int) -> SpanlightError:
        return SpanlightError(
            Message(
                "Line {number} of {file} is not a result, so there is nothing to go on with.",
                number=number,
                file=self._path.name,
            ),
            Message("Give another name for the output."),
        )


def lock_output(path: Path) -> AbstractContextManager[None]:
    """Hold a lock that keeps other processes of Spanlight from writing this file or folder.

    Raises Busy, which names the process that holds it, and SpanlightError where the lock file cannot be written.
    """
    output = path.absolute()
    return held(
        output.parent / f".{output.name}.lock",
        Message("Another process is writing “{name}”", name=path.name),
        Message("Wait until it is done, or write elsewhere."),
    )


def refuse_same_file(source: Path, output: Path) -> None:
    """Raise SpanlightError if the output would overwrite the source."""
    if output.exists() and source.exists() and output.samefile(source):
        raise SpanlightError(
            Message("The output would overwrite what is read."), Message("Give another name for the output.")
        )


def refuse_unwritable(path: Path) -> None:
    """Raise SpanlightError if a file of this name cannot be written, before the work is done for it."""
    try:
        if file_to_write(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except (OSError, ValueError) as fault:
        raise _write_error(path, fault) from fault


def _write_error(path: Path, fault: OSError | ValueError) -> SpanlightError:
    reason = reason_of(fault, Message("its name is at fault"))
    return SpanlightError(
        Message("“{file}” could not be written: {reason}.", file=str(path), reason=reason),
        Message("Free some space, check the folder's permissions, or write elsewhere."),
    )


def dumps(value: object) -> str:
    """Write JSON on one line without escaping other scripts, except for characters that UTF-8 cannot hold."""
    line = json_of(value, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json_of(value)
    return line


def require_format(path: Path, formats: Sequence[str] = FORMATS) -> str:
    """Return the extension of a file to write; raises SpanlightError if it is not one of these."""
    kind = path.suffix.lower()
    if kind not in formats:
        raise SpanlightError(
            Message("Tables cannot be written as “{file}”.", file=path.name),
            Message(
                "End the name with {endings} or {last}.", endings=", ".join(formats[:-1]), last=formats[-1]
            ),
        )
    return kind


def rows_as(kind: str, heads: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """Rows of values as CSV, or as JSON Lines for ".jsonl"."""
    return b"".join(lines_as(kind, heads, rows))


def lines_as(kind: str, heads: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """Yield the lines of `rows_as`."""
    if kind == ".csv":
        yield csv_lines([heads]).encode("utf-8-sig", "replace")
        for row in rows:
            yield csv_lines([[csv_value(each) for each in row]]).encode("utf-8", "replace")
    else:
        for row in rows:
            yield f"{dumps(dict(zip(heads, row, strict=True)))}\n".encode()


def csv_value(one: object) -> str:
    """A value as text for a CSV file, fractions with six decimals."""
    if one is None:
        return ""
    return f"{one:.6f}" if isinstance(one, float) else str(one)


def write_sheet(
    book: Workbook,
    name: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[tuple[object, bool]]],
    widths: Sequence[int],
) -> None:
    """Write a sheet with bold, frozen headers and rows of values, each with whether it is plain instead of pale.

    A value is a text, a number, a date, or one of these with its number format.
    """
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "B2"
    for at, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(at)].width = width
    wrapped = Alignment(wrap_text=True, vertical="top")
    bold, pale = Font(bold=True), Font(italic=True, color="777777")

    def cells(values: Iterable[tuple[object, bool]], font: Font | None) -> Iterator[object]:
        for words, plain in values:
            value, form = words if isinstance(words, tuple) else (words, "General")
            cell = WriteOnlyCell(sheet, sheet_text(value) if isinstance(value, str) else value)
            cell.number_format = form
            cell.alignment = wrapped
            if font is not None or not plain:
                cell.font = font or pale
            yield cell

    sheet.append(cells(((head, True) for head in heads), bold))
    for row in rows:
        sheet.append(cells(row, None))


def sheet_text(words: str) -> str:
    """Text that a cell of a spreadsheet can hold."""
    return harmless(_NOT_XML.sub(" ", words))[:_MOST_CHARACTERS]


def bytes_of(book: Workbook) -> bytes:
    """The bytes of the workbook's file."""
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()
