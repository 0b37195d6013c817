"""Reads a SentencePiece model file without its library, and builds parts of tokenizer.json from it.

Format: a Protocol Buffers message (SentencePiece, Kudo and Richardson 2018, sentencepiece_model.proto): field 1 repeats
the pieces (1 text, 2 score, 3 kind), field 2 holds how it was trained (3 kind of model, 40 id of the unknown piece),
field 3 how texts are normalised (2 a precompiled map).
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.weights import DAMAGED, read_file

LONGEST = 64 * 2**20
UNIGRAM = 1
_BLANK = "▁"


@dataclass(frozen=True, slots=True)
class SentencePieces:
    """The pieces with their scores in order of their ids, the unknown piece's id, and the normaliser's map."""

    pieces: tuple[tuple[str, float], ...]
    unknown: int
    charsmap: bytes


def read_sentence_pieces(path: Path) -> SentencePieces:
    """A unigram model's pieces. Raises SpanlightError if the file is damaged, too large, or of another kind."""
    data = read_file(path, LONGEST)
    try:
        return _read(data, path.name)
    except (ValueError, IndexError, struct.error) as error:
        raise SpanlightError(Message("{file} is no SentencePiece model.", file=path.name), DAMAGED) from error


def _read(data: bytes, name: str) -> SentencePieces:
    pieces: list[tuple[str, float]] = []
    kind, unknown, charsmap = UNIGRAM, 0, b""
    for field, value in _fields(data):
        if field == 1:
            pieces.append(_piece(_bytes(value)))
        elif field == 2:
            trained = dict(_fields(_bytes(value)))
            kind, unknown = _integer(trained.get(3, UNIGRAM)), _integer(trained.get(40, 0))
        elif field == 3:
            charsmap = _bytes(dict(_fields(_bytes(value))).get(2, b""))
    if kind != UNIGRAM:
        raise SpanlightError(
            Message(
                "{name} splits words by merging pairs, which no family that Spanlight reads does.", name=name
            ),
            Message("Save the tokenizer again with transformers, which writes tokenizer.json."),
        )
    if not pieces or not 0 <= unknown < len(pieces):
        raise ValueError("no pieces")
    return SentencePieces(tuple(pieces), unknown, charsmap)


def _piece(data: bytes) -> tuple[str, float]:
    fields = dict(_fields(data))
    score = fields.get(2, 0.0)
    if not isinstance(score, float) or not isfinite(score):
        raise ValueError("a piece without a score")
    return _bytes(fields.get(1, b"")).decode("utf-8"), score


def _fields(data: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """The fields of a message: integers, 32-bit floats, and length-delimited bytes; others are skipped."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
        elif wire == 1:
            at += 8
        elif wire == 2:
            length, at = _varint(data, at)
            if at + length > len(data):
                raise ValueError("cut off")
            yield key >> 3, data[at : at + length]
            at += length
        elif wire == 5:
            yield key >> 3, struct.unpack_from("<f", data, at)[0]
            at += 4
        else:
            raise ValueError("no such wire type")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number without an end")


def _bytes(value: int | float | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number where bytes belong")
    return value


def _integer(value: int | float | bytes) -> int:
    if not isinstance(value, int):
        raise ValueError("no whole number")
    return value


def unigram(
    family: str, found: SentencePieces, *, lower: bool, accents: bool
) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, Any]]:
    """Model, normaliser and pre-tokenizer of tokenizer.json, as transformers sets them for a family.

    `lower` lower-cases texts, `accents` keeps accents where the family may drop them (ALBERT).
    """
    pieces, unknown = list(found.pieces), found.unknown
    if family == "xlm-roberta":
        # fairseq put its own four tokens first and the mask last, and dropped SentencePiece's own three.
        first = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
        pieces, unknown = [*first, *pieces[3:], ("<mask>", 0.0)], 3
    model = {
        "type": "Unigram",
        "unk_id": unknown,
        "vocab": [[text, score] for text, score in pieces],
        "byte_fallback": False,
    }
    split: dict[str, Any] = {
        "type": "Metaspace", "replacement": _BLANK, "prepend_scheme": "always", "split": True,
    }  # fmt: skip
    if family != "deberta-v2":
        split = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, split]}
    return model, _normaliser(family, found.charsmap, lower=lower, accents=accents), split


def _normaliser(family: str, charsmap: bytes, *, lower: bool, accents: bool) -> dict[str, Any] | None:
    steps: list[dict[str, Any]] = []
    if family == "albert":
        steps += [_replace({"String": quotes}, '"') for quotes in ("``", "''")]
        steps += [] if accents else [{"type": "NFKD"}, {"type": "StripAccents"}]
    if lower:
        steps.append({"type": "Lowercase"})
    if family == "deberta-v2":
        steps.append({"type": "Strip", "strip_left": True, "strip_right": True})
    if charsmap:
        steps.append(
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")}
        )
    if family != "xlm-roberta":
        steps.append(_replace({"Regex": " {2,}"}, " "))
    return {"type": "Sequence", "normalizers": steps} if steps else None


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}
