"""tokenizer.json checked for what it could do to the program, and against the weights, before it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.core.errors import SpanlightError
from app.models.disk.weights import DAMAGED

TOKENIZER = "tokenizer.json"
KINDS = ("WordPiece", "BPE", "Unigram", "WordLevel")
MOST_PARTS, MOST_ADDED = 64, 20_000
LONGEST_PATTERN, LONGEST_ADDED, LONGEST_WORD = 1_000, 256, 10_000
# By how much all replacements together may lengthen a text.
MOST_GROWTH = 256
CHANGED = "Do not use this model, or fetch a whole copy of it from where it is known."


def check_tokenizer(tokenizer: Mapping[str, Any], rows: int, name: str) -> None:
    """Refuse a tokenizer.json whose tokens are not those of the weights, or that could stall or fill the computer.

    `rows` counts the word embeddings, `name` is what a message calls the model. Raises SpanlightError.
    """
    model, added = tokenizer.get("model"), tokenizer.get("added_tokens") or []
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(model, dict) or not isinstance(vocabulary, (dict, list)):
        raise SpanlightError(f"{TOKENIZER} of {name} has no vocabulary.", DAMAGED)
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else list(range(len(vocabulary)))
    if isinstance(added, list) and all(isinstance(token, dict) for token in added):
        ids += [token.get("id") for token in added]
    else:
        ids = []
    if not ids or not all(type(i) is int and i >= 0 for i in ids):
        raise SpanlightError(f"{TOKENIZER} of {name} has a malformed vocabulary.", DAMAGED)
    if max(ids) >= rows:
        raise SpanlightError(
            f"The tokenizer of {name} knows {_count(max(ids) + 1)} tokens, its weights only {rows:,}.",
            "Tokenizer and weights do not belong together.",
        )
    _check_added(added, name)
    _check_model(model, name)
    _check_parts(tokenizer, name)


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "far more"


def _check_added(added: list[dict[str, Any]], name: str) -> None:
    contents = [token.get("content") for token in added]
    if len(added) > MOST_ADDED or not all(
        isinstance(content, str) and 0 < len(content) <= LONGEST_ADDED for content in contents
    ):
        raise SpanlightError(f"{TOKENIZER} of {name} adds tokens that no model has.", CHANGED)


def _check_model(model: Mapping[str, Any], name: str) -> None:
    longest = model.get("max_input_chars_per_word", 100)
    known = "type" not in model or model["type"] in KINDS
    if not known or type(longest) is not int or not 0 < longest <= LONGEST_WORD:
        raise SpanlightError(f"{TOKENIZER} of {name} cuts words in a way that is not known.", CHANGED)
    if model.get("dropout"):
        raise SpanlightError(
            f"The tokenizer of {name} cuts words at random, so that no answer could be had twice.",
            "Fetch a version of the model that was saved for use, not for training.",
        )


def _check_parts(tokenizer: Mapping[str, Any], name: str) -> None:
    """Refuse steps before and after the vocabulary that are too many, or could make a long text of a short one."""
    growth = 1
    steps = [tokenizer.get(key) for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    for number, part in enumerate(_parts(steps)):
        pattern, content = part.get("pattern"), part.get("content", part.get("prepend", ""))
        texts = pattern.values() if isinstance(pattern, dict) else [pattern]
        if number >= MOST_PARTS or any(
            isinstance(text, str) and len(text) > LONGEST_PATTERN for text in texts
        ):
            raise SpanlightError(f"{TOKENIZER} of {name} takes more steps than any model's.", CHANGED)
        if isinstance(content, str) and part.get("type") in ("Replace", "Prepend"):
            growth *= max(1, len(content))
        if growth > MOST_GROWTH:
            raise SpanlightError(f"{TOKENIZER} of {name} makes texts longer without end.", CHANGED)


def _parts(values: list[Any]) -> Iterator[dict[str, Any]]:
    """Every object that has a type, however deep; the nesting of JSON that was read is limited."""
    left = list(values)
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if "type" in value:
                yield value
            left += value.values()
        elif isinstance(value, list):
            left += value
