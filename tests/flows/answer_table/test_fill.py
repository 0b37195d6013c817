from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.answer_table import AnswerTable, Cell, CellState
from app.core.corrections import Verdict
from app.core.errors import EngineLost, SpanlightError
from app.core.layout import SOME_PICTURES
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Progress, Silent, Stopped
from app.core.requests import ModelChoice, Question
from app.flows.answer_table.export import export_table
from app.flows.answer_table.fill import _cost, fill
from app.flows.answer_table.tables import judge
from app.flows.workspace import Workspace
from tests.flows.answer_table.conftest import QUESTIONS, TEXTS, put
from tests.flows.fake_engine import READER, FakeEngine, FakeShelf, fake_workspace
from tests.helpers.children import Listener

Make = Callable[..., AnswerTable]


def by_file(
    workspace: Workspace, library: Library, found: dict[tuple[str, int], Cell]
) -> dict[str, list[Cell]]:
    return {
        Path(file.path).name: [cell for (sha256, _), cell in sorted(found.items()) if sha256 == file.sha256]
        for file in workspace.library.files(library)
        if file.sha256
    }


def test_every_cell_is_read_and_kept_with_its_place(
    workspace: Workspace, library: Library, make: Make
) -> None:
    table, heard = make(), Listener()
    done = fill(workspace, table, heard)
    assert (done.read, done.before, done.failed) == (6, 0, 0)
    found = workspace.tables.cells(table)
    first, second = by_file(workspace, library, found).values()
    assert [cell.state for cell in first] == [CellState.ANSWER, CellState.ANSWER, CellState.ABSENT]
    assert [cell.state for cell in second] == [CellState.ANSWER, CellState.ABSENT, CellState.ABSENT]
    notice = first[1].answer
    assert notice is not None and notice.span.of(TEXTS["first.txt"]) == notice.text == "60"
    assert (notice.sentence, notice.page, notice.page_label) == ("🦉 The notice is 60 days.", 1, "iii")
    assert (first[1].model, first[2].answer, first[2].no_answer) == ("reader", None, 0.9)
    assert {(cell.sha256, cell.column): cell for cell in heard.partials} == found
    assert [step.done for step in heard.told] == list(range(7))
    assert heard.told[-1] == Progress(6, 6, "cells", 0.0)


def test_words_of_low_confidence_are_kept_as_such(workspace: Workspace, make: Make) -> None:
    table = make("Perhaps it is Anna?")
    fill(workspace, table, Silent())
    states = {(cell.state, cell.words) for cell in workspace.tables.cells(table).values()}
    assert states == {(CellState.LOW_CONFIDENCE, "Anna")}


def test_a_stopped_one_goes_on_and_reads_nothing_twice(
    workspace: Workspace, make: Make, engine: FakeEngine
) -> None:
    table = make()
    with pytest.raises(Stopped):
        fill(workspace, table, Listener(lambda heard: len(heard.partials) == 4))
    assert len(workspace.tables.cells(table)) == len(engine.requests) == 4
    done = fill(workspace, table, Silent())
    assert (done.read, done.before, len(engine.requests)) == (2, 4, 6)
    assert fill(workspace, table, Silent()).read == 0 and len(engine.requests) == 6


def test_a_file_read_in_part_is_told_apart_and_asked_again_once_more_of_it_is_read(
    workspace: Workspace, library: Library, make: Make, engine: FakeEngine
) -> None:
    name, text = "cut.txt", "The landlord is Anna."
    gap = SOME_PICTURES.filled(n=1, pages="2 pages")
    put(workspace, library, name, text, gap)
    table = make()
    assert fill(workspace, table, Silent()).in_part == 2
    before = by_file(workspace, library, workspace.tables.cells(table))[name]
    assert [cell.state for cell in before] == [CellState.ANSWER, *[CellState.ABSENT_IN_PART] * 2]
    assert {(cell.reason, cell.reason.pattern) for cell in before} == {(gap, gap.pattern)}  # type: ignore[attr-defined]
    judge(workspace, before[2].sha256, before[2].column, Verdict.NOT_THERE, Silent())
    engine.requests.clear()
    again = fill(workspace, table, Silent())
    assert (again.read, again.in_part, engine.requests) == (0, 2, [])
    workspace.library.read_again(
        {file.text for file in workspace.library.files(library) if file.path.endswith(name)}
    )
    put(workspace, library, name, f"{text} The notice is 60 days.", content=text)
    done = fill(workspace, table, Silent())
    assert (done.read, done.before, done.in_part) == (2, 7, 1)
    after = by_file(workspace, library, workspace.tables.cells(table))[name]
    assert [cell.words for cell in after] == ["Anna", "60", ""]
    assert [cell.reason for cell in after] == ["", "", gap], "the person has judged the last one"


def test_cells_of_an_older_spanlight_are_asked_again_where_a_part_was_not_read(
    workspace: Workspace, library: Library, make: Make, engine: FakeEngine, tmp_path: Path
) -> None:
    file = put(workspace, library, "cut.txt", "The landlord is Anna.", "The rest is damaged.")
    table = make()
    absent = Cell(table.columns[2].number, file.sha256, CellState.ABSENT, None, 0.9, "reader", 1.0)
    workspace.tables.put(absent)
    export_table(workspace, table, tmp_path / "before.jsonl", Silent())
    assert "not in the text" not in (tmp_path / "before.jsonl").read_text()
    fill(workspace, table, Silent())
    now = workspace.tables.cell(absent.column, absent.sha256)
    assert now is not None and (now.state, now.reason) == (CellState.ABSENT_IN_PART, "The rest is damaged.")


def test_the_time_left_counts_what_is_read() -> None:
    english = LibraryFile(1, "a.txt", FileState.READ, size=6_000, words=1_000)
    chinese = replace(english, size=6_000, words=40)
    assert _cost(english) == _cost(chinese) == 1_050
    long = replace(english, size=900_000, words=150_000)
    assert _cost(long) == _cost(replace(long, words=900_000)) < 8 * _cost(english)


def test_only_new_questions_and_changed_files_are_read(
    workspace: Workspace, library: Library, make: Make, engine: FakeEngine
) -> None:
    table = make()
    fill(workspace, table, Silent())
    before = workspace.tables.cells(table)
    old = by_file(workspace, library, before)["second.txt"]
    judge(workspace, old[0].sha256, old[0].column, Verdict.RIGHT, Silent())
    put(workspace, library, "second.txt", "The landlord is Ben.")
    table = replace(table, columns=make("Where is Ben?", name="other").columns + table.columns)
    table = workspace.tables.save(table, library)
    engine.requests.clear()
    fill(workspace, table, Silent())
    asked = [(each.text, each.documents[0].name) for each in engine.requests if isinstance(each, Question)]
    assert asked == [
        ("Where is Ben?", "second.txt"),
        *((question, "second.txt") for question in QUESTIONS),
        ("Where is Ben?", "first.txt"),
    ]
    now = workspace.tables.cells(table)
    stays = now[old[0].sha256, old[0].column]
    assert stays.verdict is Verdict.RIGHT, "it is back when the file is"
    new = by_file(workspace, library, now)["second.txt"]
    assert [cell.verdict for cell in new] == [Verdict.NONE] * 4


def test_what_is_on_the_screen_comes_first_and_equal_files_are_read_once(
    workspace: Workspace, library: Library, make: Make, engine: FakeEngine
) -> None:
    put(workspace, library, "copy.txt", TEXTS["second.txt"])
    copy = put(workspace, library, "third.txt", "Another one.")
    table = make("Who is Anna?")
    fill(workspace, table, Silent(), first=["0" * 64, copy.sha256])
    asked = [each.documents[0].name for each in engine.requests if isinstance(each, Question)]
    assert asked == ["third.txt", "copy.txt", "first.txt"]


def test_the_shortest_file_comes_first_among_those_on_the_screen_and_among_the_others(
    workspace: Workspace, library: Library, make: Make, engine: FakeEngine
) -> None:
    seen = [put(workspace, library, f"{name}.txt", f"{name} " * n) for name, n in (("long", 90), ("mid", 50))]
    for name, n in (("aa", 40), ("bb", 30)):
        put(workspace, library, f"{name}.txt", f"{name} " * n)
    fill(workspace, make("Who is Anna?"), Silent(), first=[file.sha256 for file in seen])
    asked = [each.documents[0].name for each in engine.requests if isinstance(each, Question)]
    assert asked == ["mid.txt", "long.txt", "second.txt", "first.txt", "bb.txt", "aa.txt"]


def test_the_progress_of_each_cell_is_told_with_the_time_left(workspace: Workspace, make: Make) -> None:
    class Windows(FakeEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Any) -> Any:
            report.progress(Progress(0, 0, "Loading Reader"))
            for done in (10, 60, 30):
                time.sleep(0.005)
                report.progress(Progress(done, 100, "windows"))
            return super().run(request, choice, report)

    workspace.__dict__["engine"], heard = Windows(), Listener()
    fill(workspace, make("Who is Anna?"), heard)
    told = [(step.done, step.total, step.part) for step in heard.told]
    assert told == [
        (0, 2, 0.0), (0, 2, 0.1), (0, 2, 0.6), (0, 2, 0.6),
        (1, 2, 0.0), (1, 2, 0.1), (1, 2, 0.6), (1, 2, 0.6), (2, 2, 0.0),
    ]  # fmt: skip
    left = [step.seconds_left for step in heard.told]
    assert left[:2] == [None, None], "the time that loading took tells nothing of reading"
    assert all(0 < seconds < 60 for seconds in left[2:-1] if seconds is not None) and left[-1] == 0.0
    assert None not in left[2:] and heard.told[-2].fraction == 0.8


def test_two_processes_that_fill_one_table_read_no_cell_twice(
    workspace: Workspace, library: Library, make: Make, tmp_path: Path, engine: FakeEngine
) -> None:
    table = make()
    other = fake_workspace(tmp_path / "home", FakeEngine())
    reads = threading.Thread(target=lambda: fill(other, table, Silent()))

    class Interrupted(Listener):
        def partial(self, result: object) -> None:
            super().partial(result)
            if len(self.partials) == 1:
                reads.start()
                while not other.engine.requests:  # type: ignore[attr-defined]
                    time.sleep(0.002)

    heard = Interrupted()
    fill(workspace, table, heard)
    reads.join()
    asked = [*engine.requests, *other.engine.requests]  # type: ignore[attr-defined]
    assert len({(each.text, each.documents) for each in asked}) == len(asked) == 6
    assert {(cell.sha256, cell.column): cell for cell in heard.partials} == workspace.tables.cells(table)
    other.close()


def test_a_reader_that_breaks_down_over_one_cell_goes_on_with_the_others(
    workspace: Workspace, make: Make
) -> None:
    broken = True

    def before(request: object) -> None:
        if broken and isinstance(request, Question) and "60" in request.text:
            raise EngineLost("The model process ran out of memory.", "Ask again.", -9)

    workspace.__dict__["engine"] = FakeEngine(before)
    table, heard = make(), Listener()
    done = fill(workspace, table, heard)
    assert (done.read, done.failed) == (4, 2)
    failed = [cell for cell in heard.partials if cell.state is CellState.FAILED]
    assert {cell.reason for cell in failed} == {"The model process ran out of memory. Ask again."}
    assert len(workspace.tables.cells(table)) == 4
    broken = False
    assert fill(workspace, table, Silent()).read == 2


def test_cells_of_another_model_are_read_anew_if_asked_for_unless_judged(
    workspace: Workspace, make: Make, engine: FakeEngine
) -> None:
    class Named(FakeEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Any) -> Any:
            return replace(super().run(request, choice, report), model="better")

    table = make()
    fill(workspace, table, Silent())
    ((sha256, column), *_) = workspace.tables.cells(table)
    judge(workspace, sha256, column, Verdict.RIGHT, Silent())
    better = replace(READER, name="better")
    other = workspace.__dict__
    other["engine"], other["shelf"] = Named(), FakeShelf(READER, better)
    assert fill(workspace, table, Silent(), model="better").read == 0
    kept = workspace.tables.cell(column, sha256)
    assert fill(workspace, table, Silent(), model="better", anew=True).read == 5
    found = workspace.tables.cells(table)
    assert found.pop((sha256, column)) == kept and kept is not None and kept.verdict is Verdict.RIGHT
    assert {cell.model for cell in found.values()} == {"better"}
    assert fill(workspace, table, Silent(), model="better", anew=True).read == 0
    judge(workspace, sha256, column, Verdict.NONE, Silent())
    assert fill(workspace, table, Silent(), model="better", anew=True).read == 1


def test_without_a_reader_or_a_library_the_reason_is_told(
    workspace: Workspace, library: Library, make: Make
) -> None:
    table = make()
    workspace.library.remove(library)
    with pytest.raises(SpanlightError, match="The library of the table “Checks” was removed"):
        fill(workspace, table, Silent())
