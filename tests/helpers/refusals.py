"""What every refusal must be: one sentence and a hint, in plain words, nobody's disk in it."""

from __future__ import annotations

import re
from pathlib import Path

from app.core.errors import SpanlightError

# Words of the libraries that read models.
RAW = re.compile(
    r"Traceback|Error\b|Exception|torch\.|nn\.|transformers\.|safetensors_rust|from_pretrained|size mismatch|"
    r"state_dict|expected .* (to be|got)|\bNone\b|PosixPath|line \d+ column"
)


def check_refusal(fault: SpanlightError, folder: Path, said: str = "") -> None:
    """Fail where the fault of a folder is not one sentence and a hint that a person can read."""
    for text in (fault.message, fault.hint):
        assert text
        assert text.isprintable(), text
        assert text.endswith("."), text
        assert len(text) < 300
        assert not RAW.search(text), text
        assert str(folder.parent) not in text
    assert said in fault.message, fault.message
    # A full stop within is one of a file's or a weight's name, never the end of a sentence.
    assert not re.search(r"[.!?] [A-Z]", fault.message), fault.message
