"""The small vocabularies are what the app's own readers take, whatever the family."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from app.flows.check.families import write_vocabulary
from app.models.disk.card import check_tokenizer
from app.models.disk.vocabulary_files import make_tokenizer
from app.models.families import FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tokenizer_is_made_of_each(tmp_path: Path, family: str) -> None:
    tokens, padding = write_vocabulary(tmp_path, family)
    made = tmp_path / "tokenizer.json"
    content = made.read_bytes() if made.exists() else make_tokenizer(tmp_path, family)
    tokenizer = Tokenizer.from_buffer(content)
    assert tokenizer.get_vocab_size() == tokens
    assert "pad" in tokenizer.id_to_token(padding).lower()
    check_tokenizer(json.loads(content), tokens, family)
    text = "The lamp, lit at 7!"
    found = tokenizer.encode(text)
    unknown = [piece for piece in found.tokens if "unk" in piece.lower()]
    assert not unknown and len(found.tokens) > 10
    assert max(last for _, last in found.offsets) == len(text)


def test_only_deberta_comes_with_its_tokenizer_made(tmp_path: Path) -> None:
    for family in FAMILIES:
        write_vocabulary(tmp_path / family, family)
    assert [path.parent.name for path in tmp_path.rglob("tokenizer.json")] == ["deberta"]
