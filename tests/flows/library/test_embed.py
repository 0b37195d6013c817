"""Vectors of a library's passages: computed once, resumed, replaced with the model, and searched besides words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.errors import SpanlightError
from app.core.library import Library
from app.core.locks import Lock
from app.core.models import Head, ModelCard
from app.core.report import Report, Silent, Stopped
from app.core.requests import ModelChoice, TextsToEmbed
from app.flows.library.embed import Meaning, embed, meaning_of, vectors_in_use, vectors_name
from app.flows.library.libraries import libraries
from app.flows.library.search import ask_library, find_excerpts
from app.flows.workspace import Workspace
from app.settings.paths import Paths
from app.settings.settings import Settings
from tests.helpers.children import Listener
from tests.helpers.libraries import stored
from tests.helpers.windows import FakeShelf

# Words that mean the same, to the fake model.
MEANINGS = (("refund", "money", "back"), ("oil", "lubricant"), ("lease", "rent"), ("whale", "sea"))
WIDTH = len(MEANINGS) + 1
FILLER = "It was so. " * 60  # a passage's length


class Engine:
    """Gives a text the direction of the meanings of its words; fails while it has a fault."""

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.folders: set[str] = set()
        self.fault: SpanlightError | None = None

    def run(self, request: Any, choice: ModelChoice, report: Report) -> Any:
        report.check()
        assert isinstance(request, TextsToEmbed)
        if self.fault is not None:
            raise self.fault
        self.embedded += request.texts
        self.folders.add(choice.folder)
        rows = np.array([_meaning(text) for text in request.texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def close(self) -> None:
        pass


def _meaning(text: str) -> list[float]:
    words = re.findall(r"\w+", text.lower())
    return [float(sum(words.count(one) for one in alike)) for alike in MEANINGS] + [0.01]


def encoder(folder: Path, weights: bytes, name: str = "encoder") -> ModelCard:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(weights)
    return ModelCard(name, str(folder), "bert", (Head.EMBEDDINGS,), width=WIDTH)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    paths = Paths(tmp_path / "config", tmp_path / "data", tmp_path / "logs", tmp_path / "resources")
    shelf = FakeShelf(encoder(tmp_path / "m", b"one"))
    opened = Workspace(Settings(), paths, shelf, Engine())  # type: ignore[arg-type]
    yield opened
    opened.close()


TEXTS = {
    "/d/shop.txt": f"Whoever is not content gets a refund. {FILLER}",
    "/d/motor.txt": f"A motor takes lubricant each month. {FILLER}",
    "/d/flat.txt": f"The lease ends in May. {FILLER}",
    "/d/book.txt": "A whale was seen. " * 400,
}


@pytest.fixture
def library(workspace: Workspace) -> Library:
    library = workspace.library.save(Library(0, "Papers", ("/d",)))
    stored(workspace.library, library, TEXTS)
    return library


def engine_of(workspace: Workspace) -> Engine:
    engine = workspace.engine
    assert isinstance(engine, Engine)
    return engine


def status_of(workspace: Workspace) -> tuple[int, int]:
    ((_, status),) = libraries(workspace, Silent())
    return status.embedded, status.passages


def test_every_passage_gets_its_vector_once_and_what_was_broken_off_goes_on(
    workspace: Workspace, library: Library
) -> None:
    engine, index = engine_of(workspace), workspace.library
    with pytest.raises(Stopped):
        embed(workspace, Listener(lambda report: len(report.told) == 2))
    first, total = status_of(workspace)
    assert 0 < first == len(engine.embedded) < total
    report = Listener()
    assert embed(workspace, report) == total - first
    assert status_of(workspace) == (total, total)
    assert len(engine.embedded) == len(set(enumerate(engine.embedded))) == total
    assert (report.told[0].done, report.told[0].total) == (0, total - first)
    assert (report.told[-1].done, report.told[-1].total) == (total - first, total - first)
    assert {each.what for each in report.told} == {"passages"} and report.told[-1].seconds_left == 0
    assert embed(workspace, Silent()) == 0 and len(engine.embedded) == total
    stored(index, library, TEXTS | {"/d/new.txt": "A new one."})
    assert embed(workspace, Silent()) == 1 and engine.embedded[-1] == "A new one."


def test_with_another_model_vectors_are_made_anew_while_the_old_ones_serve(
    workspace: Workspace, library: Library, tmp_path: Path
) -> None:
    engine, index = engine_of(workspace), workspace.library
    embed(workspace, Silent())
    (old,) = workspace.shelf.cards()
    copy = encoder(tmp_path / "copy", b"one")
    assert vectors_name(copy) == vectors_name(old) == vectors_in_use(workspace)
    new = encoder(tmp_path / "new", b"two", "newer")
    workspace.shelf.models = (old, new)  # type: ignore[attr-defined]
    workspace.settings.models[Head.EMBEDDINGS] = "newer"
    assert vectors_in_use(workspace) == vectors_name(new) != vectors_name(old)
    assert status_of(workspace)[0] == 0
    with pytest.raises(Stopped):
        embed(workspace, Listener(lambda report: len(report.told) == 2))
    found = meaning_of(workspace, "oil", library, Silent())
    assert found is not None and (found.vectors, found.share) == (vectors_name(old), 1.0)
    embed(workspace, Silent())
    found = meaning_of(workspace, "oil", library, Silent())
    assert found is not None and (found.vectors, found.share) == (vectors_name(new), 1.0)
    assert engine.folders == {old.folder, new.folder}
    names = [file.name for file in workspace.paths.library.glob("vectors-*")]
    assert names == [f"vectors-{vectors_name(new)}"]
    assert index.count_vectors(vectors_name(old)) == (0, status_of(workspace)[1])


def test_a_passage_is_found_by_its_meaning_beside_those_that_share_words(
    workspace: Workspace, library: Library
) -> None:
    index = workspace.library
    question = "Can I have my money back, and when does a motor need it?"

    def files(meaning: Meaning | None = None) -> list[str]:
        found = find_excerpts(index, question, library, meaning)
        return [Path(index.file_of(excerpt.text, library).path).name for excerpt in found]

    assert files() == ["motor.txt"]
    assert meaning_of(workspace, question, library, Silent()) is None, "no passage has a vector yet"
    embed(workspace, Silent())
    found = meaning_of(workspace, question, library, Silent())
    assert found is not None and files(found)[:2] == ["motor.txt", "shop.txt"]
    assert files(replace(found, share=0.0)) == ["motor.txt"]
    question = "Xyzzy?"
    assert files() == []
    assert files(found)[0] == "shop.txt", "by meaning alone, as no passage has a word"


def test_without_a_model_or_with_one_that_fails_words_are_searched_alone(
    workspace: Workspace, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(workspace)
    embed(workspace, Silent())
    engine.fault = SpanlightError("The model is broken.", "Fetch it again.")
    reading = ask_library(workspace, "Xyzzy?", library, Silent())
    assert not reading.reading.answered and reading.passages == 0
    stored(workspace.library, library, TEXTS | {"/d/new.txt": "A new one."})
    with pytest.raises(SpanlightError, match="broken"):
        embed(workspace, Silent())
    workspace.shelf.models = ()  # type: ignore[attr-defined]
    assert embed(workspace, Silent()) == 0
    assert vectors_in_use(workspace) == "" and status_of(workspace)[0] == 0
    assert meaning_of(workspace, "oil", library, Silent()) is None
    assert ask_library(workspace, "Xyzzy?", library, Silent()).passages == 0


def test_one_process_at_a_time_gives_vectors(workspace: Workspace, library: Library) -> None:
    lock = Lock(workspace.paths.library / "embed.lock")
    assert lock.take()
    assert embed(workspace, Silent()) == 0 and not engine_of(workspace).embedded
    lock.release()
    assert embed(workspace, Silent()) > 0
