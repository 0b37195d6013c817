"""Asking a library: which passages are read, and where in the files the answers are."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.layout import Kind, PageText, Recognised
from app.core.library import Library, LibraryReading
from app.core.report import Progress, Report, Silent
from app.core.requests import Question
from app.core.results import Answer, Outcome, Reading
from app.core.text import Span, View
from app.flows.library.search import ask_library, find_excerpts, remember_found
from app.library.index import Index
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.children import Listener
from tests.helpers.libraries import make_older, opened_text, stored

FILLER = "Nothing is said of it here, nor anywhere near, by anybody at all. " * 30


def fill(index: Index, folder: Path, **texts: str) -> Library:
    """A library of plain texts by the names of their files."""
    library = index.save(Library(0, "Papers", (str(folder),)))
    stored(index, library, {str(folder / f"{name}.txt"): text for name, text in texts.items()})
    return library


class Told(FakeEngine):
    """Gives these answers, each at the first place of its words in every passage that has them."""

    def __init__(self, **answers: float) -> None:
        super().__init__()
        self._answers = answers

    def run(self, request: object, choice: object, report: Report) -> Reading:
        assert isinstance(request, Question)
        self.requests.append(request)
        found = [
            Answer(number, Span(at, at + len(words)), words, chance, 10 * chance, 0.0)
            for words, chance in self._answers.items()
            for number, document in enumerate(request.documents)
            if (at := document.text.find(words)) >= 0
        ]
        found.sort(key=lambda answer: -answer.rank)
        sure = min(1.0, sum(answer.probability for answer in found))
        return Reading(tuple(found), sure >= 0.5, 1 - sure, 0.5, 1, 1, 0.0, model="told", device="CPU")


class Careful(Told):
    """Reads one of the copies only."""

    def run(self, request: object, choice: object, report: Report) -> Reading:
        reading = super().run(request, choice, report)
        return Reading(reading.answers[:1], True, 0.1, 0.5, 1, 1, 0.0, model="told", device="CPU")


def places(found: LibraryReading) -> list[tuple[str, Span]]:
    return [(Path(each.file.path).stem, each.answer.span) for each in found.found]


@pytest.mark.parametrize("name", ["tarts", "queen"])
def test_answers_stand_where_the_file_says_them(tmp_path: Path, name: str) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    said = f"👩\u200d👧 e\u0301 It was the {name} that the knave took. "
    texts = {"one": f"{FILLER}\n\n{said}\n\n{FILLER}", "two": FILLER}
    library = fill(workspace.library, tmp_path, **texts)
    found = ask_library(workspace, f"Did the knave take the {name}?", library, Silent())
    (only,) = found.found
    assert Path(only.file.path).stem == "one"
    assert only.answer.span.of(texts["one"]) == only.answer.text == name
    assert name in only.answer.sentence
    assert found.reading.outcome is Outcome.ANSWER
    assert found.reading.answers[0].text == name


def test_an_answer_says_that_its_words_were_recognised(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, Told(knave=0.9))
    text, path = "The knave took the tarts.", str(tmp_path / "scan.pdf")
    page = PageText(
        100.0, 100.0, Span(0, len(text)), recognised=Recognised("en", array("B", [96] * len(text)))
    )
    read = replace(opened_text(text, path, Kind.PDF), pages=(page,))
    index = workspace.library
    library = index.save(Library(0, "Papers", (str(tmp_path),)))
    index.leave(library, index.record_walk(library, [(path, read.size, read.modified)]))
    index.put(index.files(library)[0], read, View())
    [found] = ask_library(workspace, "Who took the tarts?", library, Silent()).found
    assert found.recognised == "Text recognised, English, 96% sure"


def test_words_in_several_files_have_the_probability_of_their_best_place(tmp_path: Path) -> None:
    class Split(Told):
        def run(self, request: object, choice: object, report: Report) -> Reading:
            reading = super().run(request, choice, report)
            shares = (0.6, 0.05, 0.3)
            answers = [replace(one, probability=p) for one, p in zip(reading.answers, shares, strict=True)]
            return replace(reading, answers=tuple(answers), answered=True)

    workspace = fake_workspace(tmp_path, Split(tarts=0.5, cakes=0.3))
    texts = {
        "one": f"The knave stole tarts, they say. {FILLER}",
        "two": f"What the knave stole is known: tarts! {FILLER}",
        "three": f"Did the knave steal cakes? {FILLER}",
    }
    library = fill(workspace.library, tmp_path, **texts)
    found = ask_library(workspace, "What did the knave steal?", library, Silent())
    assert [answer.text for answer in found.reading.answers] == ["tarts", "tarts", "cakes"]
    assert [answer.probability for answer in found.reading.answers] == pytest.approx([0.6, 0.6, 0.3])
    assert [each.answer.probability for each in found.found] == pytest.approx([0.6, 0.6, 0.3])


def test_a_sentence_is_listed_once(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, Told(tarts=0.4, noon=0.3, cakes=0.2))
    texts = {"one": f"The knave stole tarts at noon. {FILLER}", "two": f"Did he steal cakes? {FILLER}"}
    library = fill(workspace.library, tmp_path, **texts)
    found = ask_library(workspace, "What did the knave steal?", library, Silent(), top_k=2)
    assert [answer.text for answer in found.reading.answers] == ["tarts", "cakes"]


def test_a_copy_of_the_sentence_is_a_place_of_its_own(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, Careful(tarts=0.9))
    said = "In the end the knave stole the tarts."
    texts = {f"copy {number}": f"{number} {FILLER * number}\n\n{said}\n\n{FILLER}" for number in range(4)}
    library = fill(workspace.library, tmp_path, **texts, other=f"A knave stole horses. {FILLER}")
    found = ask_library(workspace, "What did the knave steal?", library, Silent())
    assert sorted(places(found)) == sorted(
        (name, Span(at := text.index("tarts"), at + 5)) for name, text in texts.items()
    )
    assert all(answer.probability == 0.9 for answer in found.reading.answers)
    assert len(ask_library(workspace, "What did the knave steal?", library, Silent(), top_k=2).found) == 2


def test_the_words_of_a_cell_are_not_looked_for_elsewhere(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, Careful(**{"12": 0.9}))
    texts = {"one": f"{FILLER}\n\nknave\t12\tking\n\n{FILLER}", "two": f"The knave ate 3121 tarts. {FILLER}"}
    library = fill(workspace.library, tmp_path, **texts)
    found = ask_library(workspace, "How many has the knave?", library, Silent())
    assert [name for name, _ in places(found)] == ["one"]


def test_progress_names_the_file_that_is_read(tmp_path: Path) -> None:
    class Slow(Told):
        def run(self, request: object, choice: object, report: Report) -> Reading:
            report.progress(Progress(0, 9, "windows"))
            report.progress(Progress(1, 9, "windows", document=0))
            return super().run(request, choice, report)

    workspace = fake_workspace(tmp_path, Slow(tarts=0.9))
    library = fill(workspace.library, tmp_path, one=f"The knave stole the tarts. {FILLER}")
    heard = Listener()
    ask_library(workspace, "What did the knave steal?", library, heard)
    assert [each.what for each in heard.told] == ["windows", "Reading one.txt"]


@pytest.mark.parametrize("question", ["Who wrote about zebras?", "xylophone quartz?", "???"])
def test_a_library_without_an_answer_says_so(tmp_path: Path, question: str) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    library = fill(workspace.library, tmp_path, one=FILLER, two=f"Another text. {FILLER}")
    found = ask_library(workspace, question, library, Silent())
    assert found.reading.outcome is Outcome.ABSENT
    assert found.status.read == 2


def test_a_question_that_no_file_answers_is_in_no_documents_history(tmp_path: Path) -> None:
    question = "What was stolen?"
    for chance, kept in ((0.1, 0), (0.9, 1)):
        workspace = fake_workspace(tmp_path / str(kept), Told(tarts=chance))
        library = fill(workspace.library, tmp_path, one=f"The tarts were stolen. {FILLER}")
        found = ask_library(workspace, question, library, Silent())
        found = replace(found, reading=replace(found.reading, absent=0.5))
        remember_found(workspace, Question(question, ()), found, Silent())
        assert len(workspace.history.entries()) == kept


def test_a_file_is_found_by_its_name(tmp_path: Path) -> None:
    index = Index(tmp_path / "library")
    said = "Notice is given in writing, and the notice period is {} days."
    texts = {name: f"{said.format(days)} {FILLER}" for name, days in (("Ashford", 30), ("Brightwater", 60))}
    library = fill(index, tmp_path, **{f"{name}_lease": text for name, text in texts.items()})
    for name, text in texts.items():
        first, *_ = find_excerpts(index, f"What is the notice period in the {name} lease?", library)
        assert index.body(first.text)[0] == text


def test_unsure_words_have_low_confidence_unless_a_threshold_is_given(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, Told(tarts=0.3, cakes=0.25))
    library = fill(workspace.library, tmp_path, one=f"Tarts? tarts were stolen. Or cakes were. {FILLER}")
    question = "What was stolen?"
    found = ask_library(workspace, question, library, Silent())
    assert found.reading.outcome is Outcome.LOW_CONFIDENCE
    assert [answer.text for answer in found.reading.answers] == ["tarts", "cakes"]
    found = ask_library(workspace, question, library, Silent(), threshold=0.5)
    assert found.reading.outcome is Outcome.ANSWER


def test_nothing_to_ask_is_said(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path, FakeEngine())
    library = workspace.library.save(Library(0, "Papers", (str(tmp_path),)))
    with pytest.raises(SpanlightError, match="empty"):
        ask_library(workspace, " ", library, Silent())
    with pytest.raises(SpanlightError, match="has been read yet"):
        ask_library(workspace, "Who?", library, Silent())


def test_a_library_of_an_older_spanlight_is_asked_at_once(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path / "home", Told(tarts=0.9))
    library = fill(workspace.library, tmp_path, one="The knave stole the tarts.", two=FILLER)
    workspace.library.close()
    make_older(workspace.paths.library)
    found = ask_library(workspace, "Who stole the tarts?", library, Silent())
    assert [name for name, _ in places(found)] == ["one"]
    assert found.status.read == 2
