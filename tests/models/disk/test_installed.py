from __future__ import annotations

import json
import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.core.offers import Origin, Source
from app.models.disk import installed, records
from app.models.disk.card import card_from, read_card
from app.models.disk.installed import Shelf
from app.models.disk.notes import ORIGIN, write_origin
from app.models.disk.records import Uses
from app.models.disk.weights import Weights, header_length, parse_header
from app.settings.paths import default_paths
from tests.helpers.hostile import CONFIGS, MARKER, READ, everything_below
from tests.helpers.refusals import check_refusal
from tests.helpers.small_models import small_checkpoint

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


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


def test_whole_models_are_listed_folder_by_folder_and_broken_ones_refused(shelf: Shelf) -> None:
    assert [card.name for card in shelf.cards()] == ["moods", "zebra", "first-reader"]
    ((folder, fault),) = shelf.refused.items()
    assert Path(folder).name == "broken"
    assert "ends before its own header" in fault.message


def test_a_model_is_found_by_its_name_or_its_folder_or_the_installed_ones_are_named(
    shelf: Shelf, tmp_path: Path
) -> None:
    assert shelf.find("zebra", QA).family == "distilbert"
    assert shelf.find(" Zebra ", QA).name == "zebra"
    elsewhere = small_checkpoint(tmp_path / "elsewhere", "electra")
    assert shelf.find(str(elsewhere), QA).family == "electra"
    with pytest.raises(SpanlightError, match="There is no model 'unicorn'") as caught:
        shelf.find("unicorn", QA)
    assert caught.value.hint == "Installed: zebra, first-reader."
    with pytest.raises(SpanlightError, match="moods cannot answer questions"):
        shelf.find("moods", QA)
    with pytest.raises(SpanlightError, match="ends before its own header"):
        shelf.find("broken", QA)
    for name in ("~nobody-of-this-name", "a" * 5_000, "a\0b", ".", ""):
        with pytest.raises(SpanlightError):
            shelf.find(name, QA)
    small_checkpoint(tmp_path / "starter" / "moods")  # of two of one name the one with the head is meant
    assert shelf.find("moods", QA).folder == str(tmp_path / "starter" / "moods")
    assert shelf.find("moods", CLASSIFY).folder == str(tmp_path / "own" / "moods")


def test_the_default_is_the_starter_then_the_first_with_the_head(tmp_path: Path, shelf: Shelf) -> None:
    assert shelf.default(QA).name == "zebra"
    assert shelf.default(CLASSIFY).name == "moods"
    came_along = Shelf([tmp_path / "own", tmp_path / "starter"], starters=tmp_path / "starter")
    assert came_along.default(QA).name == "first-reader"
    assert came_along.default(CLASSIFY).name == "moods"


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
    (tmp_path / "own" / "zebra" / "tokenizer_config.json").write_text('{"model_max_length": 64}')
    assert shelf.find("zebra", QA).max_length == 64
    whole = tmp_path / "own" / "zebra" / "model.safetensors"
    broken = tmp_path / "starter" / "broken" / "model.safetensors"
    shutil.copy(tmp_path / "starter" / "first-reader" / "model.safetensors", broken)
    assert "broken" in [card.name for card in shelf.cards()]
    assert shelf.refused == {}
    os.truncate(whole, 1000)
    assert "zebra" not in [card.name for card in shelf.cards()]
    shutil.rmtree(whole.parent)
    assert [card.name for card in shelf.cards()] == ["moods", "broken", "first-reader"]


def test_every_heads_ability_is_in_plain_words(shelf: Shelf, tmp_path: Path) -> None:
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


def linked(folder: Path, target: Path) -> Path:
    """A model folder whose files are links, as one in the Hugging Face cache is installed."""
    folder.mkdir(parents=True)
    for file in target.iterdir():
        (folder / file.name).symlink_to(file)
    return folder


def test_an_origin_file_says_where_a_model_came_from(tmp_path: Path) -> None:
    cache = small_checkpoint(tmp_path / "cache" / "blobs")
    folder = linked(tmp_path / "own" / "tarts", cache)
    small_checkpoint(tmp_path / "own" / "by-hand")
    small_checkpoint(tmp_path / "starter" / "first")
    write_origin(
        folder,
        Origin(Source.HUB, "Org/tarts", "c0ffee", licence="apache-2.0", languages=("en", "de"), linked=True),
    )
    shelf = Shelf([tmp_path / "own", tmp_path / "starter"], tmp_path / "starter")
    by_hand, tarts, first = shelf.cards()
    assert (tarts.source, tarts.repository, tarts.licence) == ("hub", "Org/tarts", "apache-2.0")
    assert tarts.languages == ("en", "de")
    assert (by_hand.source, by_hand.repository, first.source) == ("", "", "starter")
    for name in ("Org/tarts", "org/TARTS", "tarts"):
        assert shelf.find(name, QA).folder == str(folder)
    with pytest.raises(SpanlightError, match="There is no model 'other/tarts'"):
        shelf.find("other/tarts", QA)
    (cache / "spanlight.json").write_text(json.dumps({"licence": "MIT", "languages": ["fr"]}))
    (folder / "spanlight.json").symlink_to(cache / "spanlight.json")
    tarts = shelf.find("tarts", QA)
    assert (tarts.licence, tarts.languages) == ("MIT", ("fr",)), "a person's own notes come before the mark"


@pytest.mark.parametrize("source", [Source.HUB, Source.FOLDER])
@pytest.mark.parametrize("gone", ["config.json", "model.safetensors", "tokenizer.json"])
def test_dangling_links_are_reported_with_the_next_step(tmp_path: Path, source: Source, gone: str) -> None:
    cache = small_checkpoint(tmp_path / "cache")
    (cache / "README.md").write_text("tarts")
    folder = linked(tmp_path / "own" / "tarts", cache)
    write_origin(folder, Origin(source, linked=True))
    shelf = Shelf([tmp_path / "own"])
    assert len(shelf.cards()) == 1
    (cache / "README.md").unlink()
    assert len(shelf.cards()) == 1, "nothing is read from it"
    (cache / gone).unlink()
    assert shelf.cards() == ()
    ((where, fault),) = shelf.refused.items()
    assert where == str(folder)
    check_refusal(fault, folder, "The files")
    assert ("Download it again" if source is Source.HUB else "import it again") in fault.hint
    with pytest.raises(SpanlightError) as caught:
        shelf.find("tarts", QA)
    assert caught.value is fault
    shutil.copytree(small_checkpoint(tmp_path / "again"), cache, dirs_exist_ok=True)
    assert [card.name for card in shelf.cards()] == ["tarts"]


def test_a_malformed_origin_and_a_folder_being_built_do_not_count(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "tarts")
    (folder / ORIGIN).write_text("{")
    half = small_checkpoint(tmp_path / ".hearts.part")
    write_origin(half, Origin(Source.HUB))
    shelf = Shelf([tmp_path])
    assert shelf.cards() == ()
    assert list(shelf.refused) == [str(folder)]


def test_the_bundled_quick_reader_finds_passages_for_slower_english_readers(tmp_path: Path) -> None:
    own, starters = tmp_path / "own", tmp_path / "starter"
    english = {"languages": ["en"]}
    for name, positions, notes in (
        ("slow", 4096, english),
        ("quick", 64, english),
        ("german", 4096, {"languages": ["de"]}),
        ("both", 4096, {"languages": ["en", "de"]}),
        ("unknown", 4096, None),
        ("named", 4096, english | {"finder": "quick"}),
    ):
        small_checkpoint(own / name, positions=positions, notes=notes)
    small_checkpoint(own / "judge", head=CLASSIFY, positions=4096, notes=english)
    elsewhere = small_checkpoint(tmp_path / "elsewhere", positions=4096, notes=english)
    quick = small_checkpoint(starters / "reader-quick", positions=64, notes=english)
    found = {card.name: card.finder for card in Shelf([own, starters], starters).cards()}
    assert found.pop("slow") == str(quick)
    assert found.pop("named") == str(own / "quick")
    assert not any(found.values())
    assert Shelf([own], starters).find(str(elsewhere), QA).finder == str(quick)
    shutil.rmtree(quick)
    for shelf in (Shelf([own, starters], starters), Shelf([own])):
        assert shelf.find("slow", QA).finder == ""
        assert not shelf.refused


def test_the_starters_say_their_language(tmp_path: Path) -> None:
    starters = default_paths({"SPANLIGHT_HOME": str(tmp_path)}).starter_models
    cards = Shelf([starters], starters).cards()
    assert len(cards) >= 4
    for card in cards:
        assert card.languages == ("en",)
        assert card.source == "starter"


def test_any_error_of_one_folder_is_reported_and_the_others_stay(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [card.name for card in shelf.cards()]
    shutil.copytree(tmp_path / "own" / "zebra", tmp_path / "own" / "odd")
    read = installed.read_card

    def raising(folder: Path) -> ModelCard:
        if Path(folder).name == "odd":
            raise OverflowError("int too large to convert to float")
        return read(folder)

    monkeypatch.setattr(installed, "read_card", raising)
    assert [card.name for card in shelf.cards()] == before
    fault = shelf.refused[str(tmp_path / "own" / "odd")]
    check_refusal(fault, tmp_path / "own" / "odd", "odd cannot be read: its files hold what no model's do")
    with pytest.raises(SpanlightError, match="odd cannot be read"):
        shelf.find("odd", QA)


@pytest.mark.parametrize("case", READ)
def test_a_hostile_checkpoint_is_refused_by_reading_it(reader: Path, case: str) -> None:
    edit, said = READ[case]
    edit(reader)
    before = everything_below(reader.parent)
    began = time.perf_counter()
    with pytest.raises(SpanlightError) as caught:
        read_card(reader)
    assert time.perf_counter() - began < 5
    check_refusal(caught.value, reader, said)
    assert everything_below(reader.parent) == before
    assert not (reader.parent / MARKER).exists()


# Their size is told by the repository and bounded where it is fetched; the others are files of this computer.
NOT_FETCHED = [case for case in CONFIGS if case.startswith(("endless", "a config that"))]


@pytest.mark.parametrize("case", [case for case in CONFIGS if case not in NOT_FETCHED])
def test_a_hostile_config_is_refused_before_anything_is_downloaded(reader: Path, case: str) -> None:
    path, (edit, said) = reader / "model.safetensors", CONFIGS[case]
    weights = Weights(parse_header(path.read_bytes(), path.stat().st_size))
    edit(reader)
    with pytest.raises(SpanlightError) as caught:
        card_from("reader", (reader / "config.json").read_bytes(), weights)
    check_refusal(caught.value, reader, said)


def test_a_card_is_read_from_config_and_header_alone(reader: Path) -> None:
    path = reader / "model.safetensors"
    whole, size = path.read_bytes(), path.stat().st_size
    length = header_length(whole[:8], size)
    weights = Weights(parse_header(whole[: 8 + length], size))
    config = (reader / "config.json").read_bytes()
    told = card_from("reader", config, weights, tokenizer_config=b'{"model_max_length": 100}')
    card = read_card(reader)
    assert told.folder == ""
    assert told.max_length == told.window == 100
    assert (told.heads, told.labels, told.parameters, told.dtype) == (
        card.heads, card.labels, card.parameters, card.dtype,
    )  # fmt: skip
    assert told.size == size - 8 - length + len(config)
    with pytest.raises(SpanlightError, match="ends before its own header"):
        parse_header(whole[: 7 + length], size)


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "uses.json"


def test_the_file_is_written_at_most_once_a_minute_for_a_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    clock = Clock()

    def write(path: Path, data: bytes) -> None:
        writes.append(data)
        write_atomic(path, data)

    monkeypatch.setattr(records, "write_atomic", write)
    uses = Uses(path, clock)
    for seconds, expected in ((0, 1), (59, 1), (60, 2), (61, 2), (-3600, 3)):  # the clock may be set back
        clock.now = BEGIN + timedelta(seconds=seconds)
        uses.used("a")
        assert len(writes) == expected, seconds
    uses.used("b")
    assert len(writes) == 4


def test_two_processes_keep_each_others_times(path: Path) -> None:
    window, terminal = Uses(path, Clock()), Uses(path, Clock())
    window.used("a")
    terminal.used("b")
    window.used("c")
    assert all(uses.last(folder) for uses in (window, terminal) for folder in "abc")
    assert window.last("z") == "" and Uses(path).last("a") == "2026-03-01T12:00:00+00:00"
    terminal.forget("a")
    window.used("d")
    assert window.last("a") == "" and terminal.last("d")


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"a": "yesterday"}', b'{"a": 1}', b"\xff", b"7"])
def test_a_broken_file_costs_the_times_never_the_work(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    uses = Uses(path, Clock())
    assert uses.last("a") == ""
    uses.used("b")
    assert uses.last("b")


def test_a_disk_error_is_ignored(path: Path) -> None:
    path.parent.write_bytes(b"a file")
    uses = Uses(path, Clock())
    uses.used("a")
    uses.forget("a")
    assert uses.last("a") == ""
