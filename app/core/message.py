"""Texts for a person that the window can translate: nothing below the window knows the language they are shown in."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.core.plain import json_of

_STORED = "\x1e"  # begins a stored message; a text that itself begins with it is stored like a message
_LONGEST = 100_000  # characters of a stored message


class NamedFormatter(string.Formatter):
    """A formatter whose patterns name their values and cannot access attributes or items of them.

    A pattern may come from a process that a malicious file has taken over.
    """

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the value of this name, and the name; raises KeyError for an unknown one."""
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a value; raises ValueError for a width that no sentence needs."""
        if re.search(r"\d{3}", format_spec):
            raise ValueError(f"too wide: {format_spec:.20}")
        return str(format(value, format_spec))


_formatter = NamedFormatter()


class Message(str):
    """English text, with the pattern and the values that it was made from.

    `Message("{n:,} file in {folder}", "{n:,} files in {folder}", n=3, folder="Letters")`: the patterns are literals,
    which Qt Linguist's lupdate collects, and format strings if there are values. The second one, `several`, is for any
    number `n` other than 1. A value may itself be a message.
    """

    pattern: str
    several: str
    values: Mapping[str, object]

    def __new__(cls, pattern: str, several: str = "", /, **values: object) -> Message:
        """Fill the values into the pattern for `n`."""
        chosen = several if several and values.get("n") != 1 else pattern
        message = super().__new__(cls, _formatter.vformat(chosen, (), values) if values else chosen)
        message.pattern, message.several, message.values = pattern, several, values
        return message

    def filled(self, **values: object) -> Message:
        """Return a message with the same patterns and these values."""
        return Message(self.pattern, self.several, **values)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, object]]:
        """Return the arguments that pickle rebuilds the message from."""
        return (self.pattern, self.several), dict(self.values)


def shipped(text: str) -> str:
    """Return a text of the bundled resources as a message; packaging/translations.py collects these for translation."""
    return Message(text) if text else ""


def joined(texts: Iterable[str], between: str = ", ") -> str:
    """Join texts, any of which may be messages: the items of a list, or whole sentences separated by spaces."""
    values = {f"text{number}": text for number, text in enumerate(texts)}
    if not any(isinstance(text, Message) for text in values.values()):
        return between.join(values.values())
    return Message(between.join(f"{{{name}}}" for name in values), **values)


def stored(text: str) -> str:
    """Return a text as a database stores it: a message by its patterns and its values, which are numbers and texts."""
    if not isinstance(text, Message) and not text.startswith(_STORED):
        return text
    return _STORED + json_of(_plain(text), ensure_ascii=False)


def restored(text: str) -> str:
    """Return the text or message that `stored` was given; anything that it cannot have made is returned unchanged.

    The text is untrusted: it may come from a model's notes, say.
    """
    if not text.startswith(_STORED) or len(text) > _LONGEST:
        return text
    try:
        restored = _unplain(json.loads(text[len(_STORED) :]))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        return text
    return restored if isinstance(restored, str) else text


def _plain(value: object) -> object:
    if isinstance(value, Message):
        return [value.pattern, value.several, {name: _plain(each) for name, each in value.values.items()}]
    return value


def _unplain(value: object) -> object:
    match value:
        case [str(pattern), str(several), dict(values)]:
            values = {name: _unplain(each) for name, each in values.items()}
            longest = max((len(str(each)) for each in values.values()), default=0)
            if longest * max(len(pattern), len(several)) > 10 * _LONGEST:
                raise ValueError("longer than a message")
            # A translation of either pattern is filled with the same values, so the first one must fit them too.
            Message(pattern, **values)
            return Message(pattern, several, **values)
        case str() | int() | float() | None:
            return value
    raise ValueError(f"not a stored message: {value!r:.80}")
