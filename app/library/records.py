"""Dataclasses as rows of SQLite tables, whose columns have the names of their fields, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, Generic, TypeVar, get_type_hints

from app.core.text import Span

KindT = TypeVar("KindT")


class Record(Generic[KindT]):
    """The columns that hold the named fields of a dataclass, or all but those `without` a column.

    A Span takes two columns: `span` is in `start` and `end`, `shown_span` in `shown_start` and `shown_end`; both are
    NULL where there is none. The caller converts the values of `packed` fields.
    """

    def __init__(
        self,
        kind: type[KindT],
        names: Sequence[str] = (),
        *,
        without: Sequence[str] = (),
        packed: Sequence[str] = (),
    ) -> None:
        hints = get_type_hints(kind) | dict.fromkeys(packed, object)
        known = [each.name for each in fields(kind) if each.name not in without]  # type: ignore[arg-type]
        self._kind = kind
        self._kinds = {name: hints[name] for name in names or known}
        self._loaders = {name: _loader(kind) for name, kind in self._kinds.items()}
        self.columns = tuple(column for name in self._kinds for column in self._columns_of(name))
        self.column_list = ", ".join(f'"{column}"' for column in self.columns)

    def values(self, one: KindT, **instead: Any) -> list[Any]:
        """The columns' values for an object; those of some fields may be given `instead`."""
        found: list[Any] = []
        for name, kind in self._kinds.items():
            value = instead.get(name, getattr(one, name))
            found += bounds(value) if kind in _SPANS else [to_sqlite(value)]
        return found

    def fields(self, row: Sequence[Any]) -> dict[str, Any]:
        """The fields' values in a row of the columns, by name."""
        left = iter(row)
        return {name: load(left) for name, load in self._loaders.items()}

    def load(self, row: Sequence[Any], **others: Any) -> KindT:
        """The object in a row of the columns; `others` are the fields that have no column."""
        return self._kind(**self.fields(row), **others)

    def _columns_of(self, name: str) -> tuple[str, ...]:
        if self._kinds[name] not in _SPANS:
            return (name,)
        before = name.removesuffix("span")
        return f"{before}start", f"{before}end"


_SPANS = (Span, Span | None)


def _loader(kind: Any) -> Callable[[Iterator[Any]], Any]:
    """The function that takes the value of a field of this kind from the columns that are left of a row."""
    if kind in _SPANS:
        return lambda left: span_of(next(left), next(left))
    if kind in (object, int, float):
        return next
    if kind is bool or (isinstance(kind, type) and issubclass(kind, Enum)):
        return lambda left: kind(from_sqlite(next(left)))
    return lambda left: from_sqlite(next(left))


def insert(table: str, columns: Sequence[str], conflict: str = "") -> str:
    """The statement that inserts a row; `conflict` is SQLite's clause for one that is there already (OR IGNORE)."""
    names, slots = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
    return f"INSERT {conflict} INTO {table} ({names}) VALUES ({slots})"


def bounds(span: Span | None) -> tuple[int | None, int | None]:
    """The values of two columns for a span."""
    return (span.start, span.end) if span is not None else (None, None)


def span_of(start: int | None, end: int | None) -> Span | None:
    """The span in two columns."""
    return Span(start, end) if start is not None and end is not None else None


def to_sqlite(value: Any) -> Any:
    """A value as it is stored in SQLite: a text that is not valid UTF-8 (a file's name, say) is stored as bytes."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def from_sqlite(value: Any) -> Any:
    """The value that `to_sqlite` stored."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
