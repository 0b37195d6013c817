from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.models import SHOWN_HEADS, Head
from app.core.offers import OfferedModel
from app.models.disk.catalog import read_catalogue
from app.models.families import FAMILIES
from tests.conftest import ROOT

SHIPPED = ROOT / "resources" / "models.json"
ENTRIES: list[dict[str, Any]] = json.loads(SHIPPED.read_bytes())["models"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["repository"])
def test_what_is_shipped_is_valid(entry: dict[str, Any]) -> None:
    assert entry.keys() <= OfferedModel.__dataclass_fields__.keys()
    (model,) = (each for each in read_catalogue(SHIPPED) if each.repository == entry["repository"])
    assert re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", model.repository)
    assert re.fullmatch(r"[0-9a-f]{40}|", model.commit)
    assert model.heads and set(model.heads) <= set(FAMILIES[model.family].heads_known)
    assert model.languages and all(re.fullmatch(r"[a-z]{2,3}|multi", each) for each in model.languages)
    assert (Head.QUESTION_ANSWERING in model.heads) == (model.no_answer is not None)
    lines = (model.title, model.line, model.licence, *model.labels)
    assert all(line and line.isprintable() and line == " ".join(line.split()) for line in lines)
    assert type(model.size) is type(model.max_length) is int and model.max_length > 0
    assert model.source == f"https://huggingface.co/{model.repository}"
    assert date(2026, 1, 1) <= date.fromisoformat(model.checked)
    assert 4e6 <= model.parameters <= 6e8
    # Weights of four bytes each, or of two, and a tokenizer of at most 20 MB.
    assert any(0 <= model.size - width * model.parameters <= 20e6 for width in (4, 2))
    assert len(model.line) <= 140
    assert model.line.endswith(".")
    assert len(model.labels) == len(set(model.labels))
    assert model.squad2_f1 == 0 or (model.no_answer and 60 <= model.squad2_f1 <= 95)


def test_the_shipped_catalogue_is_in_order() -> None:
    models = read_catalogue(SHIPPED)
    assert [model.repository for model in models] == [entry["repository"] for entry in ENTRIES]
    assert 25 <= len(models) <= 40
    assert len({model.repository.casefold() for model in models}) == len(models)
    keys = [(list(Head).index(model.heads[0]), model.size) for model in models]
    assert keys == sorted(keys)


def test_there_is_something_for_every_head_size_and_kind_of_language() -> None:
    models = read_catalogue(SHIPPED)
    for head in SHOWN_HEADS:
        assert [model for model in models if head in model.heads], head
    readers = [model for model in models if Head.QUESTION_ANSWERING in model.heads]
    assert {model.no_answer for model in readers} == {True, False}
    assert min(model.size for model in readers) < 1e8 < 1e9 < max(model.size for model in readers)
    for head in (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS, Head.TOKEN_CLASSIFICATION):
        spoken = [model.languages for model in models if head in model.heads]
        assert ("en",) in spoken, head
        assert any(languages == ("multi",) or len(languages) > 3 for languages in spoken), head


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"models": [{"heads": ["next-word"]}]}', b"\xff", b"[" * 100_000, None]
)
def test_a_file_that_is_no_catalogue_is_told(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpanlightError, match=r"The catalogue models\.json cannot be read\."):
        read_catalogue(file)
