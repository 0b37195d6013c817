"""The subcommands of `models` that need no network: list, offered, use, import, remove, offline, network."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.cli.models.command import SUBCOMMANDS
from app.cli.models.words import label_list, task, task_word
from app.core import about
from app.core.models import Head
from app.core.offers import OfferedModel
from app.library.corrections import Corrections
from app.models.disk.installed import fingerprint
from app.settings.settings import Settings
from tests.helpers.corrections import correction
from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import Terminal


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
    assert all(f"\n  {word} " in said.out for word in SUBCOMMANDS)
    assert all(terminal("models", word, "--help").code == 0 for word in SUBCOMMANDS)
    assert f"usage: {about.command()} models download" in terminal("models", "download", "--help").out


def test_the_verdicts_on_a_reader_are_told(terminal: Terminal, reader: Path) -> None:
    folder = put(terminal, reader)
    assert " so far" not in terminal("models").out
    corrections = Corrections(terminal.models.parent / "corrections.sqlite3")
    corrections.put(correction(model="small-reader", weights=fingerprint(folder)))
    corrections.close()
    line = "  Its probabilities are adjusted from 50 verdicts on: 1 so far\n"
    assert terminal("models").out.count(line) == 1
    values = {model["name"]: model["verdicts"] for model in terminal("models", "--json").json["models"]}
    assert values["small-reader"] == 1 and values["reader-careful"] == 0


def test_list(terminal: Terminal, reader: Path) -> None:
    put(terminal, reader)
    broken = put(terminal, reader, "broken")
    (broken / "model.safetensors").write_bytes(b"no weights")
    said = terminal("models")
    assert (said.code, said.err) == (0, "")
    assert said.out == terminal("models", "list").out
    own = next(part for part in said.out.split("\n\n") if part.startswith("small-reader\n"))
    for line in ("  Heads: question-answering", "  Not used yet", f"  {terminal.models / 'small-reader'}"):
        assert f"{line}\n" in own + "\n"
    assert "Used by" not in own, "nothing that a person adds is used before it is chosen"
    starter = next(part for part in said.out.split("\n\n") if part.startswith("starter-entities\n"))
    assert "  Labels: LOC, MISC, ORG, PER\n" in starter
    assert "  Origin: comes along with Spanlight\n" in starter
    assert "  Used by: names\n" in starter
    assert f"Not usable: {broken}\n" in said.out
    values = terminal("models", "--json").json
    assert values == terminal("models", "list", "--json").json == terminal("models", "--json", "list").json
    own = next(model for model in values["models"] if model["name"] == "small-reader")
    assert (own["used_by"], own["last_used"], own["heads"]) == ([], "", ["question-answering"])
    assert {"labels", "languages", "licence", "size", "parameters", "measured", "source"} <= own.keys()
    assert set(values["refused"]) == {str(broken)}


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


def test_offered(terminal: Terminal) -> None:
    lines = terminal("models", "offered", "tinyroberta").out.splitlines()
    assert lines[0] == "deepset/tinyroberta-squad2"
    f1 = "F1 82.0 on SQuAD 2.0 as its authors report"
    assert f"  For answering questions; says when the text does not answer; {f1}" in lines
    assert "  RoBERTa, 81.5 million parameters, up to 512 tokens, 328 MB" in lines
    assert "  Languages: English. Licence: cc-by-4.0" in lines
    assert lines[-1] == "1 model of 35"
    assert terminal("models", "offered", "unicorn").out == "None of the offered models is like that.\n"
    values = terminal("models", "offered", "--task", "names", "--json").json
    assert values["total"] == 35
    assert {tuple(model["heads"]) for model in values["models"]} == {("token-classification",)}
    for model in values["models"]:
        assert OfferedModel.__dataclass_fields__.keys() | {"installed", "suits"} == model.keys()
        assert model["installed"] == ""
    for option in (("--largest", "100"), ("--licence", "free"), ("--language", "German")):
        assert 0 < len(terminal("models", "offered", *option, "--json").json["models"]) < 35


def test_tasks_are_said_in_plain_words_or_as_heads() -> None:
    said = {
        Head.QUESTION_ANSWERING: ["ask"],
        Head.CLASSIFICATION: ["Classify"],
        Head.MASKED_WORDS: ["fill"],
        Head.NEXT_SENTENCE: ["follow", "next"],
        Head.TOKEN_CLASSIFICATION: ["names", "tokens"],
    }
    for head, words in said.items():
        assert {task(word) for word in (*words, head.value, task_word(head))} == {head}


def test_few_labels() -> None:
    assert label_list(("a", "b")) == "a, b"
    assert label_list(tuple("abcdefg")) == "a, b, c, d, e, f, g"
    assert label_list(tuple("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert label_list(("O", "B-PER", "I-PER", "B-LOC", "I-LOC")) == "PER, LOC"
    assert label_list(("war, peace", "sport")) == "war, peace; sport"
    assert label_list(("a\x1b[2J", "b")) == "a [2J, b"


def test_use_chooses_and_takes_it_back(terminal: Terminal, reader: Path) -> None:
    put(terminal, reader)
    assert terminal("models", "use", "ask").out == "ask       reader-careful (automatic)\n"
    said = terminal("models", "use", "ask", "small-reader")
    assert (said.code, said.out) == (0, "ask       small-reader (chosen)\n")
    assert terminal.settings.models == {"question-answering": "small-reader"}
    assert "  Used by: ask\n" in terminal("models").out
    told = terminal("models", "use", "--json").json["tasks"]
    assert {each["task"] for each in told} == {"ask", "classify", "fill", "follow", "names", "search"}
    assert told[0] == {"task": "ask", "model": "small-reader", "chosen": True}
    said = terminal("models", "use", "question-answering", "--automatic")
    assert said.out == "ask       reader-careful (automatic)\n"
    assert terminal.settings.models == {}


def test_what_cannot_be_used_changes_nothing(terminal: Terminal) -> None:
    for arguments in ("ask nothing-of-that-name", "--automatic", "ask reader-quick --automatic"):
        said = terminal("models", "use", *arguments.split())
        assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1), arguments
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
    values = terminal("models", "import", str(classifier), "--json")
    assert (values.code, values.json["model"]["name"]) == (0, "small-moods")


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


def test_how_the_network_is_reached(terminal: Terminal) -> None:
    def change(settings: Settings) -> None:
        settings.endpoint, settings.proxy = "https://mirror.example/", "http://me:secret@proxy:1"

    said = terminal("models", "network").out
    assert "Models come from https://huggingface.co\n" in said
    assert "Token: none is sent\n" in said
    assert said.endswith("\nNo request was made.\n")
    terminal.change(change)
    values = terminal("models", "network", "--json").json
    assert (values["endpoint"], values["proxy"]) == ("https://mirror.example", "http://proxy:1")
    assert (values["offline"], values["use_token"], values["requests"]) == (False, False, 0)
    assert "Proxy: http://proxy:1\n" in terminal("models", "network").out
