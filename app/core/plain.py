"""JSON: dataclasses read from it with every type checked, and the only function that writes it."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import math
import types
import typing
from typing import Any, TypeVar

ValueT = TypeVar("ValueT")


def from_plain(kind: type[ValueT], value: Any) -> ValueT:
    """Rebuild a value of type `kind` from the JSON of its `dataclasses.asdict`; unknown keys are ignored.

    Raises ValueError if a value has another type, or a value without a default is missing.
    """
    result: ValueT = _converted(kind, value)
    return result


def _converted(kind: Any, value: Any) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in parts:
            return None
        (kind,) = [part for part in parts if part is not type(None)]
        return _converted(kind, value)
    if origin is tuple:
        values = checked(list, value)
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(_converted(parts[0], each) for each in values)
        return tuple(_converted(part, each) for part, each in zip(parts, values, strict=True))
    if origin is dict:
        return {
            _converted(parts[0], key): _converted(parts[1], each)
            for key, each in checked(dict, value).items()
        }
    if dataclasses.is_dataclass(kind):
        return _of_class(kind, checked(dict, value))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as fault:
            raise ValueError("a number is too large") from fault
    return checked(kind, value)


def _of_class(kind: Any, values: dict[str, Any]) -> Any:
    kinds = _hints(kind)
    known = [field.name for field in dataclasses.fields(kind) if field.name in values]
    try:
        return kind(**{name: _converted(kinds[name], values[name]) for name in known})
    except TypeError as fault:
        raise ValueError(str(fault)) from fault


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def checked(kind: Any, value: Any) -> Any:
    """Return the value if its type is exactly `kind`; raises ValueError otherwise."""
    if type(value) is not kind:
        raise ValueError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value


def json_of(value: object, **options: Any) -> str:
    """Return the JSON of plain values; `options` are those of `json.dumps`.

    NaN and infinities become null: JSON has neither, and other programs reject them.
    """
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, **options)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
