"""Model folders made to harm, by the thousand: every place of every file of a sound one, with every odd value in it.

Single cases with the sentence that refuses each are in `tests.helpers.hostile`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from app.models.disk.config_keys import CODE, DANGEROUS, KEYS, ONLY
from tests.helpers.cards import Edit, header_of

CONFIG, TOKENIZER, LENGTHS = "config.json", "tokenizer.json", "tokenizer_config.json"
NOTES, ORIGIN, MODULES, POOLING = "spanlight.json", "origin.json", "modules.json", "1_Pooling/config.json"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"

# A value as it stands in a file: what JSON has no word for, and numbers that Python would write otherwise.
ODD_NUMBERS = (
    "1" + "0" * 400,
    "-1" + "0" * 400,
    "1" * 5_000,
    "1e999",
    "-1e999",
    "5e-324",
    "1e308",
    "NaN",
    "Infinity",
)
ODD_VALUES = (
    *ODD_NUMBERS,
    *("0", "-1", "1.5", "-0.0", "2147483648", "9223372036854775808", "1e-45", "true", "false", "null"),
    *(
        '""',
        '"a"',
        '"1"',
        '"nan"',
        '"\\u0000"',
        '"\\ud800"',
        '"\\u202e\\u001b[2J"',
        '"../../x"',
        '"/etc/passwd"',
    ),
    *("[]", "[[]]", "[null]", "{}", '{"": {}}', '{"type": 1}', '{"a": 1, "a": 2}', "[" * 200 + "]" * 200),
    *('"' + "a" * 100_000 + '"', "[" + "0," * 10_000 + "0]", "[" * 100_000, '{"a":' * 5_000),
)


class Case(NamedTuple):
    """A change of a sound folder, and what it is called."""

    name: str
    edit: Edit


class Raw(str):
    """A piece of JSON that is written as it is."""


def dumped(value: Any) -> str:
    """The JSON of a value that may hold `Raw`, and pairs in place of an object."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list) and value and all(isinstance(each, tuple) for each in value):
        return "{" + ", ".join(f"{json.dumps(key)}: {dumped(each)}" for key, each in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumped, value)) + "]"
    return json.dumps(value)


def places(value: Any, most: int = 12) -> Iterator[tuple[Any, ...]]:
    """The path of every value within a value; of long lists and large objects only of the first `most`."""
    yield ()
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for number, (key, each) in enumerate(pairs):
        if number < most:
            yield from ((key, *rest) for rest in places(each, most))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a value with another one at a path; an object's missing key is added."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    key, *rest = path
    copy[key] = changed(copy[key], tuple(rest), new) if rest else new
    return copy


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of a value without what stands at a path of at least one step."""
    *above, key = path
    inner = value
    for step in above:
        inner = inner[step]
    copy = dict(inner) if isinstance(inner, dict) else list(inner)
    del copy[key]
    return changed(value, tuple(above), copy)


def read(folder: Path, name: str) -> Any:
    """The JSON of a file of a sound folder: of the weights their header; an example where the folder has none."""
    if name == WEIGHTS:
        return header_of(folder / name)[0]
    path = folder / name
    return json.loads(path.read_text("utf-8")) if path.is_file() else EXAMPLES[name]


def write(folder: Path, name: str, text: str) -> None:
    """Write JSON that is none, or an odd one, as a file of a folder: for the weights as their header."""
    path, content = folder / name, text.encode("utf-8", "surrogatepass")
    path.parent.mkdir(exist_ok=True)
    if name == WEIGHTS:
        content = struct.pack("<Q", len(content)) + content + header_of(path)[1]
    if name == INDEX:
        (folder / WEIGHTS).rename(folder / "model-00001-of-00001.safetensors")
    path.write_bytes(content)


EXAMPLES: dict[str, Any] = {
    NOTES: {
        "description": "Reads.",
        "licence": "MIT",
        "languages": ["en"],
        "window": 384,
        "stride": 128,
        "calibration": {
            "temperature": 1.5, "offset": 0.5, "per_log_window": 0.1, "answer_temperature": 2.0, "threshold": 0.5,
            "absent": 0.2, "long": -1.0, "table": -1.0, "share": 0.3, "share_long": 0.4, "share_table": -0.4,
            "paragraph_threshold": 0.4,
        },
        "class_temperature": 1.2,
        "measured": {"dev": {"f1": 80.0}},
        "reliability": {"tables": [{"questions": 3, "said": 0.5, "right": 0.5}] * 10},
        "finder": "reader-quick",
        "pooling": "mean",
    },
    ORIGIN: {
        "source": "hub",
        "repository": "org/reader",
        "commit": "0" * 40,
        "endpoint": "https://huggingface.co",
        "path": "/somewhere",
        "added": "2026-01-01T00:00:00+00:00",
        "linked": False,
        "cache": "/nowhere",
        "licence": "mit",
        "languages": ["en"],
        "sizes": {"config.json": 10},
        "checksums": {"config.json": "0" * 64},
    },
    MODULES: [{"idx": 0, "type": "sentence_transformers.models.Transformer"}, {"type": "a.Pooling"}],
    POOLING: {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True},
    INDEX: {"metadata": {"total_size": 10}, "weight_map": {"qa_outputs.bias": "model-00001-of-00001.safetensors"}},
}  # fmt: skip
FILES = (CONFIG, TOKENIZER, LENGTHS, NOTES, ORIGIN, MODULES, POOLING, WEIGHTS, INDEX)


def cases(sound: Path) -> Iterator[Case]:
    """Thousands of changes of a sound folder."""
    for name in FILES:
        yield from _odd_values(name, read(sound, name))
        yield from _odd_files(name, dumped(read(sound, name)))
    yield from _headers(read(sound, WEIGHTS))


def _odd_values(name: str, value: Any) -> Iterator[Case]:
    """Every value of a file replaced by every odd one, left out, and standing twice."""
    paths = [*places(value)]
    if name == CONFIG:
        keys = {key for family in KEYS.values() for key in family} | CODE | DANGEROUS | set(ONLY)
        paths += [(key,) for key in sorted(keys - set(value))]
    for path in paths:
        where = f"{name} {'.'.join(map(str, path))}"
        for number, odd in enumerate(ODD_VALUES):
            edit = _writing(name, lambda path=path, odd=odd: changed(value, path, Raw(odd)))
            yield Case(f"{where} is {odd[:20]} ({number})", edit)
        there = not path or name != CONFIG or path[0] in value
        if path and there:
            yield Case(f"{where} is left out", _writing(name, lambda path=path: without(value, path)))
    if isinstance(value, dict):
        for key, each in value.items():
            pair = key, each
            yield Case(f"{name} {key} twice", _writing(name, lambda pair=pair: [*value.items(), pair]))


def _odd_files(name: str, text: str) -> Iterator[Case]:
    """A file cut off, turned round, in other encodings, empty, without end."""
    step = max(1, len(text) // 40)
    for end in range(0, len(text), step):
        yield Case(f"{name} cut at {end}", _writing(name, Raw(text[:end])))
        yield Case(f"{name} with a zero at {end}", _writing(name, Raw(text[:end] + "\0" + text[end + 1 :])))
        yield Case(
            f"{name} with half a character at {end}", _writing(name, Raw(text[:end] + "\ud800" + text[end:]))
        )
    for odd, whole in {
        "behind a mark": "\ufeff" + text, "twice": text * 2, "with more": text + "}", "reversed": text[::-1],
        "of blanks": " " * 1_000_000, "of lists": "[" * 1_000_000,
        "of empty lists": '{"a": [' + "[]," * 1_000_000 + "0]}",
    }.items():  # fmt: skip
        yield Case(f"{name} {odd}", _writing(name, Raw(whole)))
    if name != WEIGHTS:
        for encoding in ("utf-16", "utf-32", "utf-7", "cp1252"):
            content = text.encode(encoding, "replace")
            yield Case(f"{name} in {encoding}", lambda folder, content=content: _put(folder / name, content))


def _headers(header: dict[str, Any]) -> Iterator[Case]:
    """Weights whose header lies: about places, sizes, kinds of numbers, names, and its own length."""
    names = [name for name in header if name != "__metadata__"]
    for name in (names[0], names[-1], "qa_outputs.bias"):
        entry = header[name]
        first, last = entry["data_offsets"]
        for field, values in {
            "data_offsets": [
                [0, last], [first + 4, last + 4], [first, last + 1], [last, first], [first, 2**63], [-4, last], [first],
                [first, last, last], [float(first), float(last)], [first, first], [str(first), str(last)],
            ],
            "shape": [
                [2**62, 2**62], [2**31, 2**31, 4], [-1], [-1, -2], [0], [], [1] * 9, [2.0], ["2"], [True], [[2]], None,
            ],
            "dtype": ["F64", "F16", "I64", "I8", "BOOL", "F4", "f32", "", "BF16 ", 7, None, ["F32"]],
        }.items():  # fmt: skip
            for odd in values:
                yield Case(
                    f"{name}: {field} is {odd}", _writing(WEIGHTS, changed(header, (name, field), odd))
                )
        for other in (
            "",
            "__metadata__",
            name + "\0",
            name.upper(),
            "../" + name,
            "a" * 100_000,
            "\u202e" + name,
        ):
            pairs = [(other if key == name else key, each) for key, each in header.items()]
            yield Case(f"{name} is called {other[:20]!a}", _writing(WEIGHTS, pairs))
        pairs = [*header.items(), ("copy", entry)]
        yield Case(f"{name} stands twice at one place", _writing(WEIGHTS, pairs))
    for one, other in pairwise(names):
        swapped = header | {one: header[other], other: header[one]}
        yield Case(f"{one} and {other} change places", _writing(WEIGHTS, swapped))
    for length in (0, 1, 7, 8, 2**16, 2**24, 2**24 + 1, 2**32, 2**63, 2**64 - 1):
        yield Case(
            f"a header of {length} bytes by its own word",
            lambda folder, length=length: _put(
                folder / WEIGHTS, struct.pack("<Q", length) + (folder / WEIGHTS).read_bytes()[8:]
            ),
        )
    for size in (0, 1, 7, 8, 9, 100, 1_000, 10_000):
        yield Case(
            f"weights of {size} bytes",
            lambda folder, size=size: _put(folder / WEIGHTS, (folder / WEIGHTS).read_bytes()[:size]),
        )


def _writing(name: str, value: Any) -> Edit:
    """Write a value, or what a function without arguments makes when it is time."""
    return lambda folder: write(folder, name, dumped(value() if callable(value) else value))


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
