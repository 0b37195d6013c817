from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.settings.settings import Settings, adopt_changes, copied, load, save


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "config" / "settings.json"
    settings = Settings(
        theme="dark",
        device="cpu",
        models={"question-answering": "größe", "fill-mask": "words"},
        last_view="ask",
        splitters={"ask": [300, 200]},
        ask_top_k=8,
        ask_threshold=0.7,
        ask_reading="every",
        ask_scope="library:3",
        names_joining="max",
    )
    save(settings, path)
    assert load(path) == settings
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]
    assert load(tmp_path / "none.json") == Settings()


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xfe", b"", b"[" * 100_000])
def test_broken_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    assert load(path) == Settings()
    assert not path.exists()
    assert (tmp_path / "settings.json.broken").read_bytes() == content


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "light", "from_a_later_version": {"a": 1}}')
    settings = load(path)
    settings.theme = "dark"
    save(settings, path)
    assert json.loads(path.read_text())["from_a_later_version"] == {"a": 1}
    assert load(path).theme == "dark"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "pink"),
        ("theme", []),
        ("device", 3),
        ("ask_threshold", 1.5),
        ("ask_threshold", "0.5"),
        ("ask_top_k", 0),
        ("ask_top_k", True),
        ("ask_top_k", "5"),
        ("splitters", [1]),
        ("ask_reading", "all"),
        ("names_joining", "best"),
        ("names_joining", []),
        ("models", ["reader"]),
        ("models", {"question-answering": 3}),
        ("models", None),
    ],
)
def test_a_value_of_the_wrong_kind_counts_as_absent(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({name: value, "last_view": "classify"}))
    settings = load(path)
    assert getattr(settings, name) == getattr(Settings(), name)
    assert settings.last_view == "classify"


OLD_MODELS = {"reader_model": "old", "classifier_model": "moods", "models": {"question-answering": "new"}}
NEW_MODELS = {"question-answering": "new", "classification": "moods"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"splitters": {"good": [1, 2], "bad": [1, "2"], "worse": 4}}, {"splitters": {"good": [1, 2]}}),
        # As older versions wrote them: a value of the newer kind counts more, wherever it stands.
        ({"reader_model": "mine", "classifier_model": ""}, {"models": {Head.QUESTION_ANSWERING: "mine"}}),
        (OLD_MODELS, {"models": NEW_MODELS}),
        (dict(reversed(OLD_MODELS.items())), {"models": NEW_MODELS}),
        ({"ask_quick": True, "ask_every": False}, {"ask_reading": "quick"}),
        ({"ask_quick": False, "ask_every": True}, {"ask_reading": "every"}),
        ({"ask_quick": False, "ask_every": "yes"}, {"ask_reading": "usual"}),
        ({"ask_quick": True, "ask_reading": "every"}, {"ask_reading": "every"}),
    ],
)
def test_what_can_be_read_of_other_values_is_read(
    tmp_path: Path, written: dict[str, object], expected: dict[str, object]
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(written))
    settings = load(path)
    assert settings == replace(Settings(welcomed=True), **expected)
    save(settings, path)
    assert not {"reader_model", "ask_quick"} & json.loads(path.read_text()).keys()
    assert load(path) == settings


def test_a_refused_write_is_a_plain_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpanlightError, match="could not be written"):
        save(Settings(), tmp_path / "file" / "settings.json")


def test_what_another_spanlight_has_written_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    save(Settings(models={"fill-mask": "a", "question-answering": "b"}, others={"newer": 1}), path)
    window, terminal = load(path), load(path)
    before = copied(window)
    terminal.offline, terminal.models = True, {"question-answering": "c"}
    save(terminal, path)
    window.theme = "dark"
    window.models["text-classification"] = "d"
    save(window, path, before)
    found = load(path)
    assert (found.offline, found.theme, found.others) == (True, "dark", {"newer": 1})
    assert found.models == {"question-answering": "c", "text-classification": "d"}
    before = copied(window)
    save(Settings(theme="light", models={"fill-mask": "theirs"}), path)
    window.theme, window.models["fill-mask"] = "system", "ours"  # what both changed is as the last one says
    save(window, path, before)
    assert (load(path).theme, load(path).models["fill-mask"]) == ("system", "ours")


@pytest.mark.parametrize("content", [None, b"{", b"[]", b""])
def test_of_a_file_that_is_gone_or_broken_nothing_is_taken_up_and_it_is_written_whole(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "settings.json"
    if content is not None:
        path.write_bytes(content)
    settings = Settings(theme="dark")
    assert adopt_changes(settings, path, Settings()) == () and settings == Settings(theme="dark")
    before = copied(settings)
    settings.offline = True
    if content is not None:
        path.write_bytes(content)
    save(settings, path, before)
    assert (load(path).theme, load(path).offline) == ("dark", True)


def test_a_copy_does_not_change_with_the_settings() -> None:
    settings = Settings()
    kept = copied(settings)
    settings.models["fill-mask"], settings.splitters["one"] = "a", [1, 2]
    settings.recent_files.append("b")
    settings.others["c"] = 1
    assert kept == Settings()


def test_what_was_chosen_elsewhere_is_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    ours, before = Settings(theme="dark", models={"a": "mine"}), Settings()
    save(Settings(theme="light", offline=True, models={"b": "theirs"}), path)
    assert set(adopt_changes(ours, path, before)) == {"offline", "models"}
    assert (ours.theme, ours.offline, ours.models) == ("dark", True, {"a": "mine", "b": "theirs"})
    assert adopt_changes(ours, path, before) == ()
    save(ours, path, before)
    assert (load(path).theme, load(path).offline) == ("dark", True)
