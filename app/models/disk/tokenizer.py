"""Checks a tokenizer.json before the tokenizers library gets it, which accepts whatever a file says."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Mapping, Sized
from math import prod
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.weights import DAMAGED

TOKENIZER = "tokenizer.json"
KINDS = ("WordPiece", "BPE", "Unigram", "WordLevel")
MOST_STEPS, MOST_VALUES, MOST_ADDED = 64, 4_000, 20_000
LONGEST_PATTERN, LONGEST_ADDED, LONGEST_WORD, LONGEST_ENTRY = 1_000, 256, 10_000, 1_000
# A million pieces, more than any model has, of ten letters each; the library keeps some 300 bytes for a letter.
MOST_LETTERS = 10_000_000
# By how much all steps together may lengthen a text, and how many tokens a template may set around it.
MOST_GROWTH, MOST_AROUND = 4_096, 64
# Letters of all added tokens, after the steps that these go through themselves.
MOST_ADDED_LETTERS = 2**26
# The keys under which a step holds other steps, and the key of its table of characters and their replacements.
_WITHIN, _CHARACTERS = ("normalizers", "pretokenizers", "processors", "decoders"), "precompiled_charsmap"
# By how much a step may lengthen a text: a compatibility decomposition has up to 18 characters (Unicode Standard Annex
# 15); a byte becomes up to two characters, with a blank before them; a mark is set before each word.
_GROWTH = {"NFKC": 18, "NFKD": 18, "ByteLevel": 3, "Metaspace": 2}
# Parts of a regular expression that may match nothing, so that its replacement goes between any two characters.
_EMPTY = ("*", "?", "|", "^", "$", "(", "{0", "{,", "\\b", "\\B", "\\A", "\\z", "\\Z", "\\G", "\\K")
CHANGED = Message("Do not use this model, or fetch a complete copy of it from a source you trust.")


def check_tokenizer(tokenizer: Mapping[str, Any], rows: int, name: str) -> None:
    """Refuse a tokenizer.json that does not match the weights, or that could stall or exhaust the computer.

    `rows` counts the word embeddings, `name` is the model's name in messages. Raises SpanlightError.
    """
    model, added = tokenizer.get("model"), tokenizer.get("added_tokens") or []
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(model, dict) or not isinstance(vocabulary, (dict, list)):
        raise SpanlightError(Message("tokenizer.json of {name} has no vocabulary.", name=name), DAMAGED)
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else list(range(len(vocabulary)))
    if isinstance(added, list) and all(isinstance(token, dict) for token in added):
        ids += [token.get("id") for token in added]
    else:
        ids = []
    if not ids or not all(type(i) is int and i >= 0 for i in ids):
        raise SpanlightError(
            Message("tokenizer.json of {name} has a malformed vocabulary.", name=name),
            DAMAGED,
        )
    if max(ids) >= rows:
        raise SpanlightError(
            Message(
                "The tokenizer of {name} knows {known} tokens, its weights only {rows:,}.",
                name=name,
                known=_count(max(ids) + 1),
                rows=rows,
            ),
            Message("Tokenizer and weights do not belong together."),
        )
    _check_model(model, vocabulary, name)
    _check_size(tokenizer, name)
    growth = _check_growth(tokenizer, name)
    _check_added(added, growth, name)


def _count(number: int) -> str:
    return Message("{number:,}", number=number) if number < 10**15 else Message("far more")


def _check_model(model: Mapping[str, Any], vocabulary: dict[str, int] | list[Any], name: str) -> None:
    longest = model.get("max_input_chars_per_word", 100)
    known = "type" not in model or model["type"] in KINDS
    marks = [value for key, value in model.items() if isinstance(value, str) and key != "type"]
    cuts = type(longest) is int and 0 < longest <= LONGEST_WORD and _longest(marks) <= LONGEST_ADDED
    if not known or not cuts:
        raise SpanlightError(
            Message("tokenizer.json of {name} cuts words in a way that is not known.", name=name),
            CHANGED,
        )
    if model.get("dropout"):
        raise SpanlightError(
            Message(
                "The tokenizer of {name} cuts words at random, so that no answer could be had twice.",
                name=name,
            ),
            Message("Fetch a version of the model that was saved for use, not for training."),
        )
    if isinstance(vocabulary, list):
        vocabulary = [piece[0] if isinstance(piece, list) and piece else None for piece in vocabulary]
    if not all(isinstance(entry, str) for entry in vocabulary):
        raise SpanlightError(
            Message("tokenizer.json of {name} has a malformed vocabulary.", name=name),
            DAMAGED,
        )
    if _longest(vocabulary) > LONGEST_ENTRY or sum(map(len, vocabulary)) > MOST_LETTERS:
        raise SpanlightError(
            Message("tokenizer.json of {name} has words that no model has.", name=name),
            CHANGED,
        )


def _check_size(tokenizer: Mapping[str, Any], name: str) -> None:
    """Refuse more, longer or larger values around the vocabulary than any tokenizer has."""
    left = [value for key, value in tokenizer.items() if key not in ("model", "added_tokens")]
    seen = 0
    while left:
        value = left.pop()
        seen += 1
        within: Collection[Any] = ()
        if isinstance(value, dict):
            within = [*value, *(each for key, each in value.items() if key != _CHARACTERS)]
        elif isinstance(value, list):
            within = value
        too_long = isinstance(value, str) and len(value) > LONGEST_PATTERN
        too_large = type(value) is int and not 0 <= value < 2**31
        if too_long or too_large or seen + len(left) + len(within) > MOST_VALUES:
            raise SpanlightError(
                Message(
                    "tokenizer.json of {name} has larger settings than any model's.",
                    name=name,
                ),
                CHANGED,
            )
        left += within


def _check_growth(tokenizer: Mapping[str, Any], name: str) -> int:
    """Refuse steps that could blow up a short text, or too many; returns by how much those before may lengthen one."""
    before = [*_steps_of(tokenizer, "normalizer", name), *_steps_of(tokenizer, "pre_tokenizer", name)]
    after = _steps_of(tokenizer, "post_processor", name)
    _steps_of(tokenizer, "decoder", name)
    growth = prod(map(_growth, before))
    if growth > MOST_GROWTH or prod(map(_template_growth, after)) > MOST_AROUND:
        raise SpanlightError(
            Message("tokenizer.json of {name} makes texts longer without end.", name=name),
            CHANGED,
        )
    return growth


def _steps_of(tokenizer: Mapping[str, Any], kind: str, name: str) -> list[dict[str, Any]]:
    """The steps of a kind, nested ones included; one without a type is refused, as the library would guess."""
    left = [tokenizer.get(kind)]
    found: list[dict[str, Any]] = []
    while left:
        step = left.pop()
        if step is None:
            continue
        if not isinstance(step, dict) or not isinstance(step.get("type"), str):
            raise SpanlightError(
                Message("tokenizer.json of {name} has a step that is not known.", name=name),
                CHANGED,
            )
        found.append(step)
        left += [each for key in _WITHIN if isinstance(step.get(key), list) for each in step[key]]
        if len(found) + len(left) > MOST_STEPS:
            raise SpanlightError(
                Message("tokenizer.json of {name} takes more steps than any model's.", name=name),
                CHANGED,
            )
    return found


def _growth(step: Mapping[str, Any]) -> int:
    """By how much a step before the vocabulary may lengthen a text: a factor, 1 for not at all."""
    content, characters = step.get("content", step.get("prepend", "")), step.get(_CHARACTERS, "")
    growth = _GROWTH.get(step["type"], 1)
    if isinstance(content, str):
        growth *= max(1, len(content) + _matches_nothing(step.get("pattern")))
    if isinstance(characters, str) and characters:
        growth *= max(1, _longest_replacement(characters))
    return growth


def _matches_nothing(pattern: object) -> bool:
    """Whether a pattern may match between two characters."""
    if not isinstance(pattern, dict):
        return False
    string, regex = pattern.get("String"), pattern.get("Regex")
    return string == "" or (isinstance(regex, str) and (not regex or any(sign in regex for sign in _EMPTY)))


def _longest_replacement(characters: str) -> int:
    """The most bytes that a SentencePiece table replaces one character by, 0 for a damaged table.

    Its first four bytes are the length of its index, which the replacements follow, each ended by a zero byte.
    """
    try:
        table = base64.b64decode(characters)
    except ValueError:
        return 0
    return _longest(table[4 + int.from_bytes(table[:4], "little") :].split(b"\0"))


def _template_growth(step: Mapping[str, Any]) -> int:
    """How many tokens and texts a template makes of one text, 1 for any other step."""
    templates = [step[key] for key in ("single", "pair") if isinstance(step.get(key), (list, str))]
    special = step.get("special_tokens")
    tokens = special.values() if isinstance(special, dict) else special if isinstance(special, list) else ()
    ids = [token["ids"] for token in tokens if isinstance(token, dict) and isinstance(token.get("ids"), list)]
    return max(1, _longest(templates)) * max(1, _longest(ids))


def _check_added(added: list[dict[str, Any]], growth: int, name: str) -> None:
    texts = [text for token in added if isinstance(text := token.get("content"), str) and text]
    sound = len(texts) == len(added) <= MOST_ADDED and _longest(texts) <= LONGEST_ADDED
    if not sound or growth * sum(map(len, texts)) > MOST_ADDED_LETTERS:
        raise SpanlightError(
            Message("tokenizer.json of {name} adds tokens that no model has.", name=name),
            CHANGED,
        )


def _longest(values: Iterable[Sized]) -> int:
    return max(map(len, values), default=0)
