from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.requests import TextToFill
from app.core.text import blanks_in
from app.flows.heads.fill import fill, load_filler
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
    assert load_filler(workspace, Silent()).card is FILLER


def test_a_text_without_blanks_never_reaches_the_model(tmp_path: Path) -> None:
    engine = FakeEngine()
    with pytest.raises(SpanlightError, match="no blank"):
        fill(fake_workspace(tmp_path, engine), TextToFill("a cup", ()), Silent())
    with pytest.raises(SpanlightError, match="no model"):
        fill(fake_workspace(tmp_path, engine), TextToFill("__", blanks_in("__")), Silent(), model="other")
    assert engine.requests == []
