"""Sentences for a person, which the window can translate: no room below it knows in which language they are shown."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.core.plain import json_of

_STORED = "\x1e"  # before a stored message; a text that begins with it itself is stored as a message is
_LONGEST = 100_000  # characters of a stored message


class NamedFormatter(string.Formatter):
    """Fills a pattern with values by their names alone.

    A pattern may come from a process that a file has taken over: it must not look into its values.
    """

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of this name, and the name; raises KeyError where there is none."""
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        """The value in this format; raises ValueError for one that is wider than any sentence needs."""
        if re.search(r"\d{3}", format_spec):
            raise ValueError(f"too wide: {format_spec:.20}")
        return str(format(value, format_spec))


_filling = NamedFormatter()


class Message(str):
    """English text, with the pattern and the values that it was made from.

    `Message("{n:,} file in {folder}", "{n:,} files in {folder}", n=3, folder="Letters")`: the patterns are literals,
    which Qt Linguist's lupdate collects, and format strings where there are values. The second, `several`, is that for
    any number `n` but 1. A value may be a message itself.
    """

    pattern: str
    several: str
    values: Mapping[str, object]

    def __new__(cls, pattern: str, several: str = "", /, **values: object) -> Message:
        """Put the values into the pattern for `n`."""
        chosen = several if several and values.get("n") != 1 else pattern
        message = super().__new__(cls, _filling.vformat(chosen, (), values) if values else chosen)
        message.pattern, message.several, message.values = pattern, several, values
        return message

    def filled(self, **values: object) -> Message:
        """The message of the same patterns with these values."""
        return Message(self.pattern, self.several, **values)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, object]]:
        """What pickle makes it anew from."""
        return (self.pattern, self.several), dict(self.values)


def shipped(text: str) -> str:
    """A text of our own resources, such as a sample's title, as a message; packaging/translations.py collects them."""
    return Message(text) if text else ""


def joined(texts: Iterable[str], between: str = ", ") -> str:
    """Texts in a row, of which any may be messages: the items of a list, or whole sentences with blanks between."""
    values = {f"text{number}": text for number, text in enumerate(texts)}
    if not any(isinstance(text, Message) for text in values.values()):
        return between.join(values.values())
    return Message(between.join(f"{{{name}}}" for name in values), **values)


def stored(text: str) -> str:
    """A text as a database keeps it: of a message its patterns and values, which must be numbers and texts."""
    if not isinstance(text, Message) and not text.startswith(_STORED):
        return text
    return _STORED + json_of(_plain(text), ensure_ascii=False)


def restored(text: str) -> str:
    """The text or the message that `stored` made this of; what it did not make is returned as it is.

    A stranger may have written it, in a model's notes, say.
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
            # Whichever is that for `n`, a translation is one of the first, and filled with the same.
            Message(pattern, **values)
            return Message(pattern, several, **values)
        case str() | int() | float() | None:
            return value
    raise ValueError(f"nothing that was stored: {value!r:.80}")
