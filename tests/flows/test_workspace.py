from __future__ import annotations

import io
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document
from app.flows.ask.question import ask
from app.flows.ask.read import document_from_stream, read_document
from app.flows.models.installed import installed
from app.flows.samples import ASK, CLASSIFY, samples
from app.flows.workspace import open_workspace
from app.settings.paths import default_paths
from app.settings.settings import Settings
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.children import Listener
from tests.helpers.small_models import small_checkpoint

DOCUMENT = Document("The knave stole the tarts.")


def test_a_fresh_workspace_starts_no_process(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    workspace = open_workspace(paths)
    assert not workspace.engine.alive
    workspace.settings.theme = "dark"
    workspace.save_settings()
    workspace.close()
    assert open_workspace(paths).settings.theme == "dark"


def test_what_is_kept_is_its_owners_and_nothing_is_left_half_written(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    left = [folder / ".words.txt.x.part" for folder in (paths.config, paths.drafts, paths.library)]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("thought deleted")
        os.utime(path, (0, 0))
    workspace = open_workspace(paths)
    assert not any(path.exists() for path in left)
    if os.name == "posix":
        for folder in (paths.config, paths.data, paths.logs):
            assert folder.stat().st_mode & 0o777 == 0o700
    left[1].write_text("by a process that was killed meanwhile")
    os.utime(left[1], (0, 0))
    workspace.close()
    assert not left[1].exists()


def test_closing_ends_the_documents_process(tmp_path: Path) -> None:
    workspace = open_workspace(default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")}))
    (tmp_path / "one.txt").write_text("One.", "utf-8")
    assert read_document(workspace, tmp_path / "one.txt", Silent()).document.text == "One."
    assert workspace.documents.pids[0] is not None
    workspace.close()
    assert workspace.documents.pids == (None, None)


def test_own_models_stand_before_those_that_come_along(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    small_checkpoint(paths.models / "mine")
    (paths.models / "broken").mkdir()
    (paths.models / "broken" / "config.json").write_text("{")
    workspace = open_workspace(paths)
    assert installed(workspace)[0].name == "mine"
    assert [Path(folder).name for folder in workspace.shelf.refused] == ["broken"]
    # Nothing that a person adds is used before it is chosen.
    assert workspace.find_model(Head.QUESTION_ANSWERING).name == "reader-careful"
    workspace.settings.models[Head.QUESTION_ANSWERING] = "mine"
    assert workspace.find_model(Head.QUESTION_ANSWERING).name == "mine"
    with pytest.raises(SpanlightError):
        workspace.find_model(Head.CLASSIFICATION, "mine")


def test_listing_mends_what_a_killed_process_left(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    small_checkpoint(paths.models / ".mine.old")  # killed while its successor was put into place
    small_checkpoint(paths.models / ".other.part" / "other")
    assert "mine" in [card.name for card in installed(open_workspace(paths))]
    assert [path.name for path in paths.models.iterdir()] == ["mine"]


def test_a_chosen_model_that_is_gone_is_told_of_once(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, settings=Settings(models={"question-answering": "gone"}))
    report = Listener()
    for _ in range(2):
        ask(workspace, Question("Where are the tarts?", (DOCUMENT,)), report)
    assert report.notices == ["The model chosen for this, gone, cannot be used now: reader is used instead."]


def test_which_model_reads(tmp_path: Path) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(
        tmp_path, engine, Settings(device="cpu", models={"question-answering": "gone"})
    )
    ask(workspace, Question("Where are the tarts?", (DOCUMENT,)), Silent())
    ask(workspace, Question("Where are the tarts?", (DOCUMENT,)), Silent(), model="reader", device="cuda")
    chosen = [(choice.folder, choice.device) for choice in engine.choices if choice]
    assert chosen == [("/models/reader", "cpu"), ("/models/reader", "cuda")]
    with pytest.raises(SpanlightError, match="There is no model"):
        ask(workspace, Question("Where?", (DOCUMENT,)), Silent(), model="gone")


def test_a_models_finder_is_handed_on_with_it(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path)
    card = replace(workspace.shelf.default(Head.QUESTION_ANSWERING), finder="/models/quick")
    workspace.shelf.default = lambda head: card  # type: ignore[method-assign]
    choice = workspace.choose(Head.QUESTION_ANSWERING, "", "cpu", Silent())
    assert (choice.folder, choice.finder) == (card.folder, "/models/quick")


def test_samples_that_come_along(tmp_path: Path) -> None:
    found = samples(default_paths({"SPANLIGHT_HOME": str(tmp_path)}))
    asked = [sample for sample in found if sample.kind == ASK]
    classified = [sample for sample in found if sample.kind == CLASSIFY]
    assert len(asked) >= 6
    assert len(classified) == 3
    assert len({sample.title for sample in found}) == len(found)
    for sample in found:
        assert sample.source
        assert sample.text == sample.text.strip("\n")
        assert "\r" not in sample.text
    for sample in asked:
        assert 2 <= len(sample.questions) <= 4
        assert all(question.endswith("?") for question in sample.questions)


def test_a_broken_sample_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "resources" / "samples"
    folder.mkdir(parents=True)
    (folder / "a.toml").write_text('title = "A"\nkind = "ask"\ntext = "x"\n')
    (folder / "b.toml").write_text("title = ")
    (folder / "c.toml").write_text('title = "C"\nkind = "sing"\ntext = "x"\n')
    (folder / "d.toml").write_text('title = "D"\nkind = "ask"\n')
    home = default_paths({"SPANLIGHT_HOME": str(tmp_path)})
    paths = replace(home, resources=tmp_path / "resources")
    assert [sample.title for sample in samples(paths)] == ["A"]


class Endless(io.RawIOBase):
    def read(self, size: int = -1, /) -> bytes:
        assert size > 0
        return b"tarts " * (size // 6 + 1)


def test_no_more_is_read_of_an_endless_stream_than_a_file_may_hold(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path)
    with pytest.raises(SpanlightError, match="at most 64 MB"):
        document_from_stream(workspace, Endless(), "standard input", Silent())  # type: ignore[arg-type]


def test_two_spanlights_keep_each_others_choices(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    window, terminal = open_workspace(paths), open_workspace(paths)
    terminal.settings.offline = True
    terminal.save_settings()
    window.settings.theme = "dark"
    window.save_settings()
    window.settings.geometry = "later"
    window.save_settings()
    found = open_workspace(paths).settings
    assert (found.offline, found.theme, found.geometry) == (True, "dark", "later")


def test_settings_are_saved_whole_while_another_thread_changes_them(tmp_path: Path) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that the threads change by turns in the midst of a save
    workspace = open_workspace(default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")}))
    workspace.settings.models = {str(number): "a" for number in range(500)}
    over = threading.Event()

    def change() -> None:
        number = 500
        while not over.is_set():
            workspace.settings.models[str(number)] = workspace.settings.models.pop(str(number - 500), "a")
            number += 1

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(20):
            workspace.save_settings()
    finally:
        sys.setswitchinterval(interval)
        over.set()
        changing.join()
