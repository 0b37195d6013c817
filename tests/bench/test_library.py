"""The benchmark of libraries, on a small one."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.bench.library import build, look_up, measure, memory_of, rank_of, workspace_at
from app.bench.library_texts import SETS, LibraryQuestion, question_sets, write_documents
from app.bench.plan import BenchPlan
from app.bench.texts import QUESTIONS_FILE, pool
from app.core.report import Silent
from app.flows.library.embed import Meaning
from tests.bench.test_anytime import rows, write
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.libraries import linked, stored

WORDS = 20_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with question files of two kinds, and paragraphs of others."""
    folder = tmp_path / "data" / "qa"
    folder.mkdir(parents=True)
    write(folder / QUESTIONS_FILE, [{**row, "title": "Alpha's_article"} for row in rows("alpha", 12)])
    write(folder / "qa_train-other.jsonl.xz", rows("beta", 60))
    (docqa := folder.parent / "docqa").mkdir()
    text = "The notice period is thirty days."
    with lzma.open(docqa / "documents.jsonl.xz", "wt") as file:
        file.write(json.dumps({"id": "lease", "title": "Brightwater lease", "text": text}))
    answer = {"text": "thirty", "answer_start": text.index("thirty")}
    question = {"id": "1", "document": "lease", "question": "Days of notice, thirty?", "answers": [answer]}
    write(docqa / "questions_dev.jsonl.xz", [question])
    return folder.parent


def test_a_library_is_measured(tmp_path: Path, data: Path) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    part = measure(workspace, BenchPlan(("library",), data=str(data), words=WORDS, questions=4), Silent())
    figures = {row.what: row.value for row in part.rows}
    assert [figures[f"as written: recall at {most}, BM25"] for most in (1, 8, 20, 100)] == [100] * 4
    assert figures["in own words: F1 over the library"] == 100
    assert figures["in own words: F1 with the document alone"] == 100
    # Of these the last is answered wrong, with a probability of 0.05; the others have 0.8.
    assert figures["all: F1 over the library"] == 80
    assert figures["right best answers, of 5 questions that have an answer"] == 4
    assert figures["right answers given, of these 4"] == 4
    assert figures["wrong answers given to 6 questions"] == 0
    assert figures["its calibration error"] == pytest.approx(17)
    assert figures["words indexed in a second"] > 0
    assert 0 < figures["the index without vectors, to the text"]
    assert {each["kind"] for each in part.details["answered"]} == {
        "as written",
        "in own words",
        "with the document's name",
    }
    assert not (tmp_path / "data" / "library").exists(), "nothing of it stays"
    assert not workspace.library.libraries()


def test_a_known_answer_is_where_the_index_says_it(tmp_path: Path, data: Path) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    with workspace_at(workspace, tmp_path / "home") as own:
        plan = BenchPlan(("library",), data=str(data), words=WORDS)
        built = build(own, plan, Silent(), tmp_path / "documents")
        index, library = own.library, built.library
        for golds in built.golds.values():
            for gold in golds:
                words = index.body(gold.text)[0]
                assert tuple(span.of(words) for span in gold.answers) == gold.asked.references
        gold = built.golds["as written"][0]
        passages = list(index.search(gold.asked.question, library, 100))
        assert rank_of(index, library, gold, passages) == 0
        assert rank_of(index, library, replace(gold, text=0), passages) == 100
        (found,) = look_up(own, library, "as written", [gold, replace(gold, text=0)], Silent())
        assert (found.questions, found.shares) == (2, (0.5, 0.5, 0.5, 0.5))


def test_documents_have_the_words_that_were_asked_for(tmp_path: Path, data: Path) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    texts = pool(str(data), workspace.paths)
    real = [("One", "A first text."), ("One", "A second text."), ("Two", "A third text.")]
    size = write_documents(tmp_path / "made", real, texts, WORDS, 12, 1)
    files = list((tmp_path / "made").iterdir())
    assert len(files) == 12
    assert {file.suffix for file in files} == {".txt", ".md", ".html"}
    assert (tmp_path / "made" / "One.txt").read_text() == "A first text.\n\nA second text."
    words = sum(len(file.read_text().split()) for file in files)
    assert WORDS * 0.9 < words < WORDS * 1.2
    assert size == pytest.approx(sum(file.stat().st_size for file in files), rel=0.05)


def test_questions_with_a_name_end_with_it(data: Path) -> None:
    workspace = fake_workspace(data, FakeEngine())
    sets = question_sets(pool(str(data), workspace.paths), data / "qa")
    assert list(sets) == [SETS[0].name, SETS[3].name, SETS[4].name]
    (asked,) = sets["with the document's name"]
    assert asked == LibraryQuestion(
        "Days of notice, thirty in Brightwater lease?",
        "Brightwater lease",
        "The notice period is thirty days.",
        (("thirty", 21),),
    )


def test_the_memory_of_an_index_is_that_of_its_vectors_too(tmp_path: Path) -> None:
    workspace, vectors, width = fake_workspace(tmp_path / "home"), "wide-20000", 20_000
    index, library = workspace.library, linked(workspace, tmp_path)
    stored(index, library, {f"/d/{at}.txt": f"Text {at}." for at in range(500)})
    passages = [passage for passage, _ in index.without_vectors(vectors, 500)]
    index.put_vectors(vectors, passages, np.full((500, width), width**-0.5, dtype=np.float32))
    meaning = Meaning(np.full(width, width**-0.5, dtype=np.float32), vectors, 1.0)
    folder = workspace.paths.library
    workspace.close()
    plain, taken = (memory_of(folder, library, [("text", each)]) for each in (None, meaning))
    if plain is not None and taken is not None:  # the system tells it
        assert taken - plain > 0.9 * 500 * width
