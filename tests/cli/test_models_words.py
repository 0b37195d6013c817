"""The words of `models` that need no network: list, offered, use, import, remove, offline, network."""

from __future__ import annotations

import argparse
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from app.cli.models.command import WORDS
from app.cli.models.words import few, task, task_word
from app.core import about
from app.core.models import Head
from app.core.offers import OfferedModel
from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path / "home", monkeypatch, capsys)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "small-reader")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "small-moods", head=Head.CLASSIFICATION)


def put(terminal: Terminal, folder: Path, name: str = "") -> Path:
    return Path(shutil.copytree(folder, terminal.models / (name or folder.name)))


def test_help_names_every_word(terminal: Terminal) -> None:
    said = terminal("models", "--help")
    assert said.code == 0
    assert all(f"\n  {word} " in said.out for word in WORDS)
    assert all(terminal("models", word, "--help").code == 0 for word in WORDS)
    assert f"usage: {about.command()} models download" in terminal("models", "download", "--help").out


def test_a_word_that_is_none_is_told_in_a_sentence(terminal: Terminal) -> None:
    said = terminal("models", "install")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"models knows no word “install”. See {about.command()} models --help.\n"
    assert terminal("models", "list", "extra").code == 2
    assert terminal("models", "offered", "--unknown").code == 2


def test_no_word_is_list(terminal: Terminal) -> None:
    assert terminal("models").out == terminal("models", "list").out
    assert terminal("models", "--json").json == terminal("models", "list", "--json").json
    assert terminal("models", "--json", "list").json == terminal("models", "list", "--json").json


def test_list_tells_what_each_model_is_and_which_task_uses_it(terminal: Terminal, reader: Path) -> None:
    put(terminal, reader)
    said = terminal("models")
    assert (said.code, said.err) == (0, "")
    own = next(part for part in said.out.split("\n\n") if part.startswith("small-reader\n"))
    for line in (
        "  Heads: question-answering",
        "  Not used yet",
        f"  {terminal.models / 'small-reader'}",
    ):
        assert f"{line}\n" in own + "\n"
    starter = next(part for part in said.out.split("\n\n") if part.startswith("starter-entities\n"))
    assert "  Labels: LOC, MISC, ORG, PER\n" in starter
    assert "  Origin: comes along with Spanlight\n" in starter
    assert "  Used by: names\n" in starter
    # Nothing that a person adds is used before it is chosen.
    assert "Used by" not in own


def test_list_for_programs(terminal: Terminal, reader: Path) -> None:
    put(terminal, reader)
    broken = put(terminal, reader, "broken")
    (broken / "model.safetensors").write_bytes(b"no weights")
    values = terminal("models", "--json").json
    own = next(model for model in values["models"] if model["name"] == "small-reader")
    assert own["used_by"] == []
    assert own["last_used"] == ""
    assert own["heads"] == ["question-answering"]
    assert {
        "labels",
        "languages",
        "licence",
        "size",
        "parameters",
        "measured",
        "source",
        "repository",
    } <= own.keys()
    assert set(values["refused"]) == {str(broken)}
    said = terminal("models").out
    assert f"Not usable: {broken}\n" in said


def test_measures_kept_stand_in_the_list(terminal: Terminal) -> None:
    measured = terminal("models", "measure", "starter-sentiment", "--limit", "3", "--json")
    assert measured.code == 0, measured.err
    own = next(m for m in terminal("models", "--json").json["models"] if m["name"] == "starter-sentiment")
    assert own["measures"][0]["examples"] == 3
    assert own["measures"][0]["figures"] == measured.json["figures"]
    assert own["last_used"]
    assert "  Measured here on " in terminal("models").out
    # What others would do here is told by it.
    said = terminal("models", "offered", "--task", "classify").out
    assert ", going by Spanlight sentiment measured here." in said
    assert "measured here" not in terminal("models", "offered", "--task", "ask").out


def test_offered_for_people(terminal: Terminal) -> None:
    said = terminal("models", "offered", "tinyroberta")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "deepset/tinyroberta-squad2"
    f1 = "F1 82.0 on SQuAD 2.0 as its authors report"
    assert f"  For answering questions; says when the text does not answer; {f1}" in lines
    assert "  RoBERTa, 81.5 million parameters, up to 512 tokens, 328 MB" in lines
    assert "  Languages: English. Licence: cc-by-4.0" in lines
    assert lines[-1] == "1 model of 35"
    assert terminal("models", "offered", "unicorn").out == "None of the offered models is like that.\n"


def test_offered_for_programs(terminal: Terminal) -> None:
    values = terminal("models", "offered", "--task", "names", "--json").json
    assert values["total"] == 35
    assert values["models"]
    for model in values["models"]:
        assert model["heads"] == ["token-classification"]
        assert OfferedModel.__dataclass_fields__.keys() | {"installed", "suits"} == model.keys()
        assert model["installed"] == ""
    small = terminal("models", "offered", "--largest", "100", "--json").json["models"]
    assert small and all(model["size"] <= 10**8 for model in small)
    assert len(terminal("models", "offered", "--licence", "free", "--json").json["models"]) < 35
    assert len(terminal("models", "offered", "--language", "German", "--json").json["models"]) < 35


@pytest.mark.parametrize(
    ("word", "head"),
    [
        ("ask", Head.QUESTION_ANSWERING),
        ("Classify", Head.CLASSIFICATION),
        ("fill", Head.MASKED_WORDS),
        ("follow", Head.NEXT_SENTENCE),
        ("next", Head.NEXT_SENTENCE),
        ("names", Head.TOKEN_CLASSIFICATION),
        ("tokens", Head.TOKEN_CLASSIFICATION),
        *((head.value, head) for head in Head),
    ],
)
def test_tasks_are_said_in_plain_words_or_as_heads(word: str, head: Head) -> None:
    assert task(word) is head
    assert task(task_word(head)) is head


def test_a_task_that_is_none_is_told(terminal: Terminal) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        task("sing")
    said = terminal("models", "use", "sing", "reader-quick")
    assert said.code == 2
    assert "there is no task sing: it is one of ask, classify, fill, follow, names" in said.err


def test_few_labels() -> None:
    assert few(("a", "b")) == "a, b"
    assert few(tuple("abcdefg")) == "a, b, c, d, e, f, g"
    assert few(tuple("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert few(("O", "B-PER", "I-PER", "B-LOC", "I-LOC")) == "PER, LOC"
    assert few(("war, peace", "sport")) == "war, peace; sport"
    assert few(("a\x1b[2J", "b")) == "a [2J, b"


def test_use_chooses_and_takes_it_back(terminal: Terminal, reader: Path) -> None:
    put(terminal, reader)
    assert terminal("models", "use", "ask").out == "ask       reader-careful (automatic)\n"
    said = terminal("models", "use", "ask", "small-reader")
    assert (said.code, said.out) == (0, "ask       small-reader (chosen)\n")
    assert terminal.settings.models == {"question-answering": "small-reader"}
    assert "  Used by: ask\n" in terminal("models").out
    told = terminal("models", "use", "--json").json["tasks"]
    assert {each["task"] for each in told} == {"ask", "classify", "fill", "follow", "names"}
    assert told[0] == {"task": "ask", "model": "small-reader", "chosen": True}
    said = terminal("models", "use", "question-answering", "--automatic")
    assert said.out == "ask       reader-careful (automatic)\n"
    assert terminal.settings.models == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "nothing-of-that-name"),
        ("ask", "starter-sentiment"),  # without the head
        ("--automatic",),
        ("ask", "reader-quick", "--automatic"),
    ],
)
def test_what_cannot_be_used_changes_nothing(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    said = terminal("models", "use", *arguments)
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert terminal.settings.models == {}


def test_import_a_folder_use_it_and_remove_it(terminal: Terminal, classifier: Path) -> None:
    said = terminal("models", "import", str(classifier), "--name", "moods")
    assert said.code == 0, said.err
    assert said.out.startswith("Installed as moods, for classifying texts, in ")
    assert terminal.installed() == ["moods"]
    assert "  Origin: imported from a folder, " in terminal("models").out
    assert terminal("models", "use", "classify", "moods").code == 0
    said = terminal("models", "remove", "moods")
    assert said.code == 2
    assert said.err == "Nothing was removed. Add --yes to remove it.\n"
    assert "  It is chosen for: classify\n" in said.out
    assert terminal.installed() == ["moods"]
    values = terminal("models", "remove", "moods", "--json")
    assert (values.code, values.json["removed"], values.json["chosen_for"]) == (2, False, ["classification"])
    said = terminal("models", "remove", "moods", "--yes")
    assert said.code == 0, said.err
    assert said.out.endswith("Removed.\n")
    assert (terminal.installed(), terminal.settings.models) == ([], {})


def test_import_a_zip(terminal: Terminal, reader: Path, tmp_path: Path) -> None:
    file = tmp_path / "reader.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in reader.iterdir():
            archive.write(path, f"reader/{path.name}")
    values = terminal("models", "import", str(file), "--json")
    assert values.code == 0, values.err
    assert values.json["model"]["name"] == "reader"
    assert terminal.installed() == ["reader"]


def test_what_is_no_model_is_refused_in_a_sentence_and_leaves_nothing(
    terminal: Terminal, reader: Path, tmp_path: Path
) -> None:
    hostile = Path(shutil.copytree(reader, tmp_path / "hostile"))
    config = json.loads((hostile / "config.json").read_text())
    (hostile / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "evil.Model"}}))
    pickled = tmp_path / "pickled"
    pickled.mkdir()
    (pickled / "config.json").write_text("{}")
    (pickled / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    for path in (hostile, pickled, tmp_path / "nothing", tmp_path):
        said = terminal("models", "import", str(path))
        assert (said.code, said.out) == (2, ""), path
        assert len(said.err.splitlines()) == 1
    said = terminal("models", "import", str(reader), "--name", "../outside")
    assert said.code == 2
    assert terminal.installed() == []
    assert not (terminal.models.parent / "outside").exists()


def test_starters_stay(terminal: Terminal) -> None:
    said = terminal("models", "remove", "reader-quick", "--yes")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("reader-quick comes along with Spanlight and cannot be removed.")
    assert terminal("models", "remove", "reader-quick").err == said.err
    assert terminal("models", "remove", "no-such-model", "--yes").code == 2


def test_the_offline_switch(terminal: Terminal) -> None:
    assert terminal("models", "offline").out == "Online: models can be looked up and downloaded.\n"
    assert terminal("models", "offline", "on").out == "Offline: nothing is asked of the network.\n"
    assert terminal.settings.offline
    assert terminal("models", "offline", "--json").json == {"offline": True}
    assert terminal("models", "network").out.startswith("Offline: nothing is asked of the network.\n")
    assert terminal("models", "offline", "off", "--json").json == {"offline": False}
    assert not terminal.settings.offline
    assert terminal("models", "offline", "maybe").code == 2


def test_how_the_network_is_reached(terminal: Terminal) -> None:
    def change(settings: object) -> None:
        for name, value in {
            "endpoint": "https://mirror.example/",
            "proxy": "http://me:secret@proxy:1",
        }.items():
            setattr(settings, name, value)

    said = terminal("models", "network").out
    assert "Models come from https://huggingface.co\n" in said
    assert "Token: none is sent\n" in said
    assert said.endswith("\nNo request was made.\n")
    terminal.change(change)
    values = terminal("models", "network", "--json").json
    assert values["endpoint"] == "https://mirror.example"
    assert values["proxy"] == "http://proxy:1"
    assert "Proxy: http://proxy:1\n" in terminal("models", "network").out
    assert (values["offline"], values["use_token"], values["requests"], values["entries"]) == (
        False,
        False,
        0,
        [],
    )


def test_devices(terminal: Terminal) -> None:
    values = terminal("models", "devices", "--json")
    assert values.code == 0, values.err
    assert any(option["key"] == "cpu" and option["usable"] for option in values.json["options"])


def test_precision_is_for_this_once(terminal: Terminal) -> None:
    said = terminal("classify", "a good film", "--device", "cpu", "--precision", "float32", "--json")
    assert said.code == 0, said.err
    assert terminal.settings.precision == "auto"
    said = terminal("classify", "a good film", "--precision", "float8")
    assert (said.code, said.out) == (2, "")
    assert "float8" in said.err
