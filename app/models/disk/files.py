"""Which files of a checkpoint are copied; all others are ignored."""

from __future__ import annotations

from pathlib import Path

from app.core.errors import SpanlightError
from app.models.disk.card import CONFIG, TOKENIZER, TOKENIZER_CONFIG
from app.models.disk.notes import NOTES
from app.models.disk.vocabulary_files import VOCABULARY_FILES
from app.models.disk.weights import INDEX, LONGEST_JSON, SINGLE, read_weights

SPECIAL_TOKENS = "special_tokens_map.json"
SETTINGS = (CONFIG, TOKENIZER, TOKENIZER_CONFIG, SPECIAL_TOKENS, NOTES, *VOCABULARY_FILES)
LONGEST_TEXT, MOST_TEXTS = 2 * 2**20, 8
# Far above any model of these families.
LARGEST_MODEL = 64 * 10**9


def is_text(name: str) -> bool:
    """Whether a file of this name is a text about the model or its licence."""
    lower = name.casefold()
    return lower == "readme.md" or lower.startswith(("license", "licence"))


def longest(name: str) -> int:
    """The maximum size in bytes of a file of this name."""
    if is_text(name):
        return LONGEST_TEXT
    return LONGEST_JSON if name in (*SETTINGS, INDEX) else LARGEST_MODEL


def files_of(folder: Path) -> tuple[str, ...]:
    """The names of a checkpoint folder's files to copy: weights, settings, and texts that are not too long.

    Raises SpanlightError if its weights are missing or incomplete.
    """
    weights = [path.name for path in read_weights(folder).files]
    if weights != [SINGLE]:
        weights.append(INDEX)
    settings = [name for name in SETTINGS if (folder / name).is_file()]
    if TOKENIZER in settings:
        settings = [name for name in settings if name not in VOCABULARY_FILES]
    try:
        texts = sorted(
            path.name
            for path in folder.iterdir()
            if is_text(path.name) and path.is_file() and path.stat().st_size <= LONGEST_TEXT
        )
        total = sum((folder / name).stat().st_size for name in weights)
    except OSError as fault:
        raise SpanlightError(
            f"{folder.name} cannot be read: {fault.strerror}.", "Check the folder's permissions."
        ) from fault
    if total > LARGEST_MODEL:
        raise SpanlightError(
            f"{folder.name} is larger than any model that Spanlight reads.", "Choose a smaller one."
        )
    return (*settings, *weights, *texts[:MOST_TEXTS])
