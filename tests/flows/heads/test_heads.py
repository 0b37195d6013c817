from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import PassagePairs, TextToFill
from app.core.text import blanks_in
from app.flows.heads.heads import fill, follow, load_head, read_pairs
from app.settings.settings import Settings
from tests.flows.fake_engine import FILLER, FakeEngine, fake_workspace


def test_a_text_goes_to_the_model_of_its_head(tmp_path: Path) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(tmp_path, engine)
    text = "a ___ cup of ___"
    request = TextToFill(text, blanks_in(text), ("big", ""))
    found = fill(workspace, request, Silent(), device="cpu")
    assert [blank.span for blank in found.blanks] == list(blanks_in(text))
    assert engine.requests == [request]
    (choice,) = engine.choices
    assert choice is not None and (choice.folder, choice.device) == (FILLER.folder, "cpu")
    assert load_head(workspace, Head.MASKED_WORDS, Silent()).card is FILLER


def test_what_cannot_be_done_never_reaches_the_model(tmp_path: Path) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(tmp_path, engine)
    with pytest.raises(SpanlightError, match="no blank"):
        fill(workspace, TextToFill("a cup", ()), Silent())
    with pytest.raises(SpanlightError, match="no model"):
        fill(workspace, TextToFill("__", blanks_in("__")), Silent(), model="other")
    with pytest.raises(SpanlightError, match="The first passage is empty"):
        follow(workspace, PassagePairs(((" ", "b"),)), Silent())
    assert engine.requests == []


PAIR = PassagePairs((("The king sat.", "Then he rose."),))


def test_pairs_go_to_the_chosen_model(tmp_path: Path) -> None:
    engine = FakeEngine()
    settings = Settings(device="cpu", models={Head.NEXT_SENTENCE.value: "follower"})
    workspace = fake_workspace(tmp_path, engine, settings)
    assert follow(workspace, PAIR, Silent()).items[0].probability == 0.9
    follow(workspace, PAIR, Silent(), model="follower", device="cuda")
    assert [(choice.folder, choice.device) for choice in engine.choices if choice] == [
        ("/models/follower", "cpu"),
        ("/models/follower", "cuda"),
    ]
    assert load_head(workspace, Head.NEXT_SENTENCE, Silent()).card.name == "follower"
    with pytest.raises(SpanlightError, match="There is no model"):
        follow(workspace, PAIR, Silent(), model="reader")


def test_pairs_of_a_file_can_be_told_to_a_tokenizer(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text('{"first": "a\\ud800b", "second": "c"}\n\n{"first": "d", "second": "e", "id": 7}\n')
    assert read_pairs(source).pairs == (("a\ufffdb", "c"), ("d", "e"))
