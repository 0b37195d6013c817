from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.models.installed import Shelf
from tests.helpers.small_models import small_checkpoint

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    small_checkpoint(tmp_path / "own" / "zebra", "distilbert")
    small_checkpoint(tmp_path / "own" / "moods", head=CLASSIFY)
    small_checkpoint(tmp_path / "starter" / "first-reader")
    small_checkpoint(tmp_path / "starter" / "broken")
    (tmp_path / "starter" / "broken" / "model.safetensors").write_bytes(b"")
    (tmp_path / "starter" / "notes").mkdir()
    (tmp_path / "starter" / "README").write_text("models that come along")
    shutil.copytree(tmp_path / "own" / "zebra", tmp_path / "own" / ".being-written")
    return Shelf([tmp_path / "own", tmp_path / "starter", tmp_path / "nowhere"])


def test_whole_models_are_listed_folder_by_folder_and_broken_ones_are_told_apart(shelf: Shelf) -> None:
    assert [card.name for card in shelf.cards()] == ["moods", "zebra", "first-reader"]
    ((folder, fault),) = shelf.refused.items()
    assert Path(folder).name == "broken"
    assert "ends before its own header" in fault.message


def test_a_model_is_found_by_its_name_or_its_folder(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf.find("zebra", QA).family == "distilbert"
    assert shelf.find(" Zebra ", QA).name == "zebra"
    elsewhere = small_checkpoint(tmp_path / "elsewhere", "electra")
    assert shelf.find(str(elsewhere), QA).family == "electra"


def test_what_is_not_there_is_answered_with_what_is(shelf: Shelf) -> None:
    with pytest.raises(SpanlightError, match="There is no model 'unicorn'") as caught:
        shelf.find("unicorn", QA)
    assert caught.value.hint == "Installed: zebra, first-reader."
    with pytest.raises(SpanlightError, match="moods cannot answer questions"):
        shelf.find("moods", QA)
    with pytest.raises(SpanlightError, match="ends before its own header"):
        shelf.find("broken", QA)


def test_of_two_models_of_one_name_the_one_with_the_head_is_meant(shelf: Shelf, tmp_path: Path) -> None:
    small_checkpoint(tmp_path / "starter" / "moods")
    assert shelf.find("moods", QA).folder == str(tmp_path / "starter" / "moods")
    assert shelf.find("moods", CLASSIFY).folder == str(tmp_path / "own" / "moods")


def test_the_default_is_the_first_with_the_head(shelf: Shelf) -> None:
    assert shelf.default(QA).name == "zebra"
    assert shelf.default(CLASSIFY).name == "moods"


def test_an_empty_shelf_says_where_models_go(tmp_path: Path) -> None:
    shelf = Shelf([tmp_path / "models"])
    assert shelf.cards() == ()
    with pytest.raises(SpanlightError, match="No model that can answer questions is installed") as caught:
        shelf.default(QA)
    assert str(tmp_path / "models") in caught.value.hint
    with pytest.raises(SpanlightError) as caught:
        shelf.find("any", CLASSIFY)
    assert "No model for this is installed" in caught.value.hint


def test_changes_on_the_disk_are_seen(shelf: Shelf, tmp_path: Path) -> None:
    before = shelf.cards()
    assert shelf.cards()[1] is before[1], "what has not changed is not read again"
    (tmp_path / "own" / "zebra" / "spanlight.json").write_text(json.dumps({"description": "striped"}))
    assert shelf.find("zebra", QA).description == "striped"
    whole = tmp_path / "own" / "zebra" / "model.safetensors"
    broken = tmp_path / "starter" / "broken" / "model.safetensors"
    shutil.copy(tmp_path / "starter" / "first-reader" / "model.safetensors", broken)
    assert "broken" in [card.name for card in shelf.cards()]
    assert shelf.refused == {}
    os.truncate(whole, 1000)
    assert "zebra" not in [card.name for card in shelf.cards()]
    shutil.rmtree(whole.parent)
    assert [card.name for card in shelf.cards()] == ["moods", "broken", "first-reader"]


def test_every_head_is_told_in_plain_words(shelf: Shelf, tmp_path: Path) -> None:
    said = {}
    for head in Head:
        with pytest.raises(SpanlightError) as caught:
            Shelf([tmp_path / "nowhere"]).default(head)
        said[head] = caught.value.message
    assert said[Head.MASKED_WORDS] == "No model that can fill in words is installed."
    assert len(set(said.values())) == len(Head)
    both = (Head.MASKED_WORDS, Head.NEXT_SENTENCE)
    small_checkpoint(tmp_path / "own" / "taught", head=both)
    with pytest.raises(SpanlightError, match="taught cannot find names") as caught:
        shelf.find("taught", Head.TOKEN_CLASSIFICATION)
    assert caught.value.hint == "It can fill in words and tell what follows; choose another model for this."
