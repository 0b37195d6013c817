"""Questions as they are sent to the model process, what is prepared for them, and which answers are shown."""

from __future__ import annotations

import os
import time
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Kind
from app.core.report import Progress, Report, Silent
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span, View
from app.documents.orders import Read
from app.flows.ask.document_process import Documents
from app.flows.ask.question import LEAST_PROBABILITY, ask, select_answers
from tests.conftest import DATA
from tests.flows.fake_engine import READER, FakeEngine, fake_workspace
from tests.helpers.children import Listener

TEXT = "The tide is high at noon, or at one. Of the two it is noon ✓. The US swims. Nobody swims — at night."
FILES = sorted(path.name for path in (DATA / "documents").glob("*")) if DATA.is_dir() else ["none"]
# One of each kind; the others take long.
SHORT = {"none", "alice.txt", "qed-tacl-paper.pdf", "scanned-letter-no-text-layer.pdf", "gitmoji-guide.md"}
SHORT |= {"rfc9110-http-semantics.html", "asvs-4.0.3-fr.docx"}
MOST_SECONDS = 60.0
MOST_MEMORY = 1_000_000_000
KINDS = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".txt": Kind.TEXT,
    ".md": Kind.MARKDOWN,
    ".htm": Kind.HTML,
    ".html": Kind.HTML,
}


def found(*words: str, likely: float = 0.2, document: int = 0) -> tuple[Answer, ...]:
    return tuple(
        Answer(document, Span(TEXT.index(word), TEXT.index(word) + len(word)), word, likely, 5.0, 1.0)
        for word in words
    )


class Telling(FakeEngine):
    """Reports what it was given, progress and readings, and returns the last of them."""

    def __init__(self, *told: Progress | Reading) -> None:
        super().__init__()
        self._told = told

    def run(self, request: object, choice: object, report: Report) -> Any:
        for one in self._told[:-1]:
            if isinstance(one, Progress):
                report.progress(one)
            else:
                report.partial(one)
        return self._told[-1]


def words(answers: tuple[Answer, ...], most: int = 5) -> list[str]:
    return [answer.text for answer in select_answers(answers, (Document(TEXT), Document(TEXT)), most)]


def test_nothing_is_listed_twice_from_one_sentence() -> None:
    assert words(found("noon", "at one", "night", "Nobody")) == ["noon", "night"]
    both = (*found("noon"), *found("noon", document=1))
    assert words(both) == ["noon", "noon"], "of two documents"


def test_items_without_a_stop_are_listed_each() -> None:
    text = "Heating is included\nThe lift is serviced by Otis"
    answers = tuple(
        Answer(0, Span(text.index(word), text.index(word) + len(word)), word, 0.3, 5.0, 1.0)
        for word in ("Heating", "Otis", "lift")
    )
    document = Document(text, view=View(bounds=array("i", [0, text.index("The")])))
    assert [answer.text for answer in select_answers(answers, (document,), 5)] == ["Heating", "Otis"]


def test_what_is_not_listed_takes_no_place_of_the_others() -> None:
    assert words(found("noon", "at one", "high", "night", "US"), 2) == ["noon", "night"]


def test_what_is_next_to_impossible_is_not_listed() -> None:
    assert words((*found("noon"), *found("night", likely=0.049), *found("US", likely=0.05))) == ["noon", "US"]


@pytest.mark.parametrize(
    ("place", "says"), [("Of the", 0), ("—", 0), ("it is", 0), ("✓", 1), ("US", 1), ("two", 1)]
)
def test_what_says_nothing_is_not_listed(place: str, says: int) -> None:
    assert words(found("high", place)) == ["high", *([place] if says else [])]
    assert words(found(place)) == [place], "the best words stay whatever they are"


SPANS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.floats(0, 1)).filter(
        lambda s: s[0] < s[1]
    ),
    min_size=1,
    max_size=8,
)


@given(SPANS)
def test_the_best_stays_and_the_others_keep_their_order(spans: list[tuple[int, int, float]]) -> None:
    answers = tuple(Answer(0, Span(a, b), TEXT[a:b], likely, 5.0, 1.0) for a, b, likely in spans)
    kept = select_answers(answers, (Document(TEXT),), 5)
    assert kept[0] == answers[0] and all(answer.probability >= LEAST_PROBABILITY for answer in kept[1:])
    places = [answers.index(answer) for answer in kept]
    assert places == sorted(places)
    assert not any(one.span.overlaps(other.span) for at, one in enumerate(kept) for other in kept[:at])
    assert select_answers(kept, (Document(TEXT),), 5) == kept


def test_what_is_found_meanwhile_is_listed_so_as_well(tmp_path: Path) -> None:
    many = Reading(found("noon", "at one"), True, 0.1, 0.5, 1, 1, 0.1)
    report = Listener()
    last = ask(fake_workspace(tmp_path, Telling(many, many)), Question("When?", (Document(TEXT),)), report)
    assert report.partials == [last] and [answer.text for answer in last.answers] == ["noon"]


def test_what_the_quick_reader_read_alone_tells_nothing_of_the_careful_ones_speed(tmp_path: Path) -> None:
    reading = Reading(found("noon"), True, 0.1, 0.5, 32, 32, 0.3, model="reader-quick", quick=True)
    engine = Telling(Progress(32, 32, "windows"), reading)
    workspace = fake_workspace(tmp_path, engine, None, replace(READER, finder="/m/reader-quick"))
    workspace.settings.reading_speed = 5.0
    said = ask(workspace, Question("When?", (Document(TEXT),), quick=True), Silent())
    assert said.finder == said.model == "reader-quick"
    assert workspace.settings.reading_speed == 5.0


@pytest.mark.parametrize(
    ("quick", "finder", "named"),
    [(False, "/m/reader-quick", True), (True, "/m/reader-quick", False), (False, "", False)],
)
def test_a_reading_names_the_quick_reader_that_found_for_it(
    tmp_path: Path, quick: bool, finder: str, named: bool
) -> None:
    first = Reading(found("noon"), True, 0.1, 0.5, 30, 900, 0.1, complete=False, model="reader-quick")
    last = Reading(found("noon"), True, 0.1, 0.5, 12, 12, 0.3, model="reader", quick=True, windows_whole=900)
    engine = Telling(first, Progress(60, 60, "windows"), last)
    card = replace(READER, finder=finder, parameters=100)
    quick_card = replace(READER, name="reader-quick", parameters=10)
    workspace, report = fake_workspace(tmp_path, engine, None, card, quick_card), Listener()
    said = ask(workspace, Question("When?", (Document(TEXT),), quick=quick), report)
    assert said.finder == ("reader-quick" if named else "") and said.share_of_text == pytest.approx(12 / 900)
    work = 384 * (12 * 100 + (48 * 10 if named else 0))
    assert workspace.settings.reading_speed == pytest.approx(work / 0.3), "both readers' work counts"
    assert said.judged_whole == named, "passages that a quicker reader found stand for the whole text"
    if named:
        partial = report.partials[0]
        assert partial.finder == "reader-quick" and not partial.judged_whole
        stopped = partial.stopped(Progress(30, 60, "windows"), 0.2)
        assert (stopped.share_read, stopped.share_of_text) == (0.5, None), "of the passages to be read"


@pytest.mark.parametrize(("length", "tokens"), [(2000, 690), (400, 0), (10_000, 384 * 2)])
def test_the_speed_of_reading_is_that_of_the_tokens_read(tmp_path: Path, length: int, tokens: int) -> None:
    engine = Telling(Reading((), False, 0.9, 0.5, 2, 2, 0.5))
    workspace = fake_workspace(tmp_path, engine, None, replace(READER, parameters=100))
    ask(workspace, Question("When?", (Document("tide " * (length // 5)),)), Silent())
    assert workspace.settings.reading_speed == tokens * 100 / 0.5, "too few tokens tell nothing"


def test_a_slow_reading_lowers_the_speed_little_and_a_fast_one_raises_it_at_once(tmp_path: Path) -> None:
    seconds = iter((1.0, 10.0, 0.5, *[5.0] * 30))

    class Engine(FakeEngine):
        def run(self, request: object, choice: object, report: object) -> Reading:
            return Reading((), False, 0.9, 0.5, 2, 2, next(seconds))

    workspace = fake_workspace(tmp_path, Engine(), None, replace(READER, parameters=100))
    speeds = []
    for _ in range(33):
        ask(workspace, Question("When?", (Document("tide " * 2_000),)), Silent())
        speeds.append(workspace.settings.reading_speed / (384 * 2 * 100))
    assert speeds[:3] == pytest.approx([1, 0.82, 2]) and speeds[-1] == pytest.approx(0.2, rel=0.02)


def test_a_text_that_was_typed_is_read_with_its_tables_and_headings(tmp_path: Path) -> None:
    engine = FakeEngine()
    text = "Airports\n\nThese are some of them.\n\nTown | Size\nKiruna | 611\n"
    read = View(headings=((0, "Read"),))
    ask(
        fake_workspace(tmp_path, engine),
        Question("611?", (Document(text), Document(text, view=read))),
        Silent(),
    )
    (question,) = engine.requests
    assert isinstance(question, Question)
    typed, opened = (document.view for document in question.documents)
    assert typed and len(typed.replacements) == 5 and typed.heading_at(20) == "Airports"
    assert opened == read


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SHORT else pytest.mark.long) for name in FILES]
)
def test_opens_within_the_limits(shared_data: Path, name: str) -> None:
    path = shared_data / "documents" / name
    documents = Documents()
    try:
        # The process's own start is no part of what the file takes.
        documents.read(Read("", "a.txt", data=b"words"), Silent())
        began = time.monotonic()
        opened = documents.read(Read(str(path), name), Silent())
        seconds = time.monotonic() - began
        memory = _peak(documents.pids[0])
    finally:
        documents.close()
    assert seconds < MOST_SECONDS
    assert memory < MOST_MEMORY
    assert opened.kind is KINDS[path.suffix]
    scan = "no-text-layer" in name
    assert bool(opened.document.text.strip()) is not scan
    assert any("pictures of pages" in note for note in opened.notes) is scan
    assert bool(opened.pages) is (opened.kind is Kind.PDF)
    assert bool(opened.blocks) is (opened.kind in (Kind.HTML, Kind.MARKDOWN, Kind.DOCX))
    assert "\r" not in opened.document.text
    assert "\0" not in opened.document.text


def _peak(pid: int | None) -> int:
    """The most memory that a process has had, in bytes; 0 where the system does not tell."""
    status = Path(f"/proc/{pid or os.getpid()}/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
