from __future__ import annotations

import copy
import json
import logging
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.models.disk.catalog import read_catalogue, read_entry
from app.models.families import FAMILIES
from tests.conftest import ROOT

SHIPPED = ROOT / "resources" / "models.json"
ENTRIES: list[dict[str, Any]] = json.loads(SHIPPED.read_bytes())["models"]
READER: dict[str, Any] = next(each for each in ENTRIES if each["heads"] == ["question-answering"])


def write(path: Path, entries: list[Any]) -> Path:
    file = path / "models.json"
    file.write_text(json.dumps({"models": entries}))
    return file


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["repository"])
def test_what_is_shipped_is_valid(entry: dict[str, Any]) -> None:
    model = read_entry(entry)
    assert model.family in FAMILIES
    assert set(model.heads) <= set(FAMILIES[model.family].heads_known)
    assert model.licence
    assert model.source == f"https://huggingface.co/{model.repository}"
    assert date(2026, 1, 1) <= date.fromisoformat(model.checked)
    assert 4e6 <= model.parameters <= 6e8
    # Weights of four bytes each, or of two, and a tokenizer of at most 20 MB.
    assert any(0 <= model.size - width * model.parameters <= 20e6 for width in (4, 2))
    assert len(model.line) <= 140
    assert model.line.endswith(".")
    assert len(model.labels) == len(set(model.labels))
    assert model.squad2_f1 == 0 or (model.no_answer and 60 <= model.squad2_f1 <= 95)


def test_the_shipped_catalogue_is_in_order_and_nothing_of_it_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    models = read_catalogue(SHIPPED)
    assert not caplog.records
    assert [model.repository for model in models] == [entry["repository"] for entry in ENTRIES]
    assert 25 <= len(models) <= 40
    assert len({model.repository.casefold() for model in models}) == len(models)
    keys = [(list(Head).index(model.heads[0]), model.size) for model in models]
    assert keys == sorted(keys)


def test_there_is_something_for_every_head_size_and_kind_of_language() -> None:
    models = read_catalogue(SHIPPED)
    for head in Head:
        assert [model for model in models if head in model.heads], head
    readers = [model for model in models if Head.QUESTION_ANSWERING in model.heads]
    assert {model.no_answer for model in readers} == {True, False}
    assert min(model.size for model in readers) < 1e8 < 1e9 < max(model.size for model in readers)
    for head in (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS, Head.TOKEN_CLASSIFICATION):
        spoken = [model.languages for model in models if head in model.heads]
        assert ("en",) in spoken, head
        assert any(languages == ("multi",) or len(languages) > 3 for languages in spoken), head


WRONG = {
    "no repository": ("repository", None),
    "a repository without an owner": ("repository", "bert"),
    "a way out of the folder": ("repository", "../models"),
    "an address": ("repository", "https://evil.example/a"),
    "no title": ("title", ""),
    "two lines": ("line", "a\nb"),
    "steering the terminal": ("line", "a\x1b[2Jb"),
    "an unknown head": ("heads", ["next-word"]),
    "no head": ("heads", []),
    "heads in one word": ("heads", "question-answering"),
    "an unknown family": ("family", "llama"),
    "a size in words": ("size", "300 MB"),
    "no size": ("size", 0),
    "a size below nothing": ("size", -1),
    "a size with a point": ("size", 1.5),
    "true for a number": ("parameters", True),
    "no languages": ("languages", []),
    "a language in words": ("languages", ["English"]),
    "no licence": ("licence", ""),
    "no source": ("source", ""),
    "no day": ("checked", "last week"),
    "a short commit": ("commit", "abc"),
    "a reader that says nothing of silence": ("no_answer", None),
    "a label that is a number": ("labels", [1]),
    "something unknown": ("quality", "the best"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_malformed_entry_is_logged_and_left_out(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    field, value = WRONG[what]
    entry = copy.deepcopy(READER)
    entry["repository"] = "somebody/else"
    if value is None:
        entry.pop(field, None)
    else:
        entry[field] = value
    found = read_catalogue(write(tmp_path, [entry, READER]))
    assert [model.repository for model in found] == [READER["repository"]]
    assert "entry 0 left out" in caplog.text


@pytest.mark.parametrize("entry", [None, 1, "text", [], {}])
def test_an_entry_of_another_kind_is_left_out(entry: Any, tmp_path: Path) -> None:
    assert len(read_catalogue(write(tmp_path, [entry, READER]))) == 1


def test_a_repeated_entry_is_left_out_whatever_its_case(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    again = READER | {"repository": READER["repository"].upper()}
    assert len(read_catalogue(write(tmp_path, [READER, again]))) == 1
    assert "twice" in caplog.text


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"models": {}}', b"\xff", b"[" * 100_000, None])
def test_a_file_that_is_no_catalogue_is_told(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpanlightError, match=r"The catalogue models\.json cannot be read\."):
        read_catalogue(file)
