"""Files read by the real documents process, and what it says of those that it does not read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.report import Silent
from app.documents.orders import Read
from app.flows.ask.document_process import Documents

WORDS = "The knave stole the tarts."


def opened(documents: Documents, path: Path | str) -> Opened:
    """The document of a file; another file must be read after it."""
    found = documents.read(Read(str(path), Path(path).name), Silent())
    reads_on(documents)
    return found


def refusal(documents: Documents, path: Path | str) -> str:
    """The sentence that is said of a file; another file must be read after it."""
    began = time.monotonic()
    with pytest.raises(SpanlightError) as caught:
        documents.read(Read(str(path), Path(path).name), Silent())
    assert time.monotonic() - began < 20
    assert caught.value.message.endswith(".")
    assert caught.value.hint.endswith(".")
    assert "Traceback" not in caught.value.message
    reads_on(documents)
    return caught.value.message


def reads_on(documents: Documents) -> None:
    """A good file is read."""
    assert documents.read(Read("", "good.txt", data=WORDS.encode()), Silent()).document.text == WORDS
