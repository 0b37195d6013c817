"""Rows of a cluster: their keys, the documents that are left to read, and merging."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from app.core.answer_table import Cell, CellState, Column, ColumnType
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.core.text import Span
from app.flows.cluster.rows import SUMMARY_COLUMNS, Row, RunSpec, Shard, SourceFile, merge_rows, pending

COLUMNS = (Column(1, "Who is Anna?"), Column(2, "When was it?", ColumnType.DATE))
SPEC = RunSpec(COLUMNS, "reader", "c0ffee", "/docs")


def row(path: str, run: int = 1, *, sha256: str = "aa", modified: int = 7, **more: Any) -> Row:
    file = LibraryFile(0, path, FileState.READ, size=5, modified=modified, sha256=sha256, words=3)
    answer = KeptAnswer(Span(4, 8), "Anna", 0.75, "It is Anna.", page=2, page_label="ii", line=None)
    cells = (
        Cell(1, sha256, CellState.ANSWER, answer, 0.25, "reader", 5.0),
        Cell(2, sha256, CellState.ABSENT, None, 0.9, "reader", 5.0),
    )
    return replace(Row(file, SPEC.digest, run, cells), **more)


def shard(*rows: Row) -> Shard:
    values = [each.plain(SPEC) for each in rows]
    return Shard(min(each.file.path for each in rows), lambda: values)


def test_a_row_survives_json() -> None:
    one = row("/docs/a.txt")
    values = json.loads(json.dumps(one.plain(SPEC)))
    assert Row.from_plain(values) == one
    assert values["answers"][0]["question"] == "Who is Anna?"
    assert values["key"] == one.key and len(one.key) == 64
    assert RunSpec.from_plain(json.loads(json.dumps(SPEC.plain()))) == SPEC


def test_how_a_question_was_read_survives_and_earlier_rows_are_read_without_it() -> None:
    one = row("/docs/a.txt")
    respelt = replace(one, cells=tuple(replace(cell, read_as="Who is Anna?") for cell in one.cells))
    assert Row.from_plain(respelt.plain(SPEC)) == respelt
    earlier = respelt.plain(SPEC)
    for answer in earlier["answers"]:
        del answer["read_as"]
    assert Row.from_plain(earlier) == one


def test_lone_surrogates_do_not_break_a_row() -> None:
    one = row("/docs/a.txt")
    answer = one.cells[0].answer
    odd = replace(one, cells=(replace(one.cells[0], answer=replace(answer, text="A\ud800")),))
    text = odd.plain(SPEC)["answers"][0]["text"]
    assert text.startswith("A\ufffd") and text.encode()


@pytest.mark.parametrize(
    "changed",
    [
        replace(SPEC, commit="another"),
        replace(SPEC, columns=COLUMNS[:1]),
        replace(SPEC, columns=COLUMNS[::-1]),
    ],
)
def test_another_model_or_other_questions_make_another_key(changed: RunSpec) -> None:
    assert changed.digest != SPEC.digest
    assert row("/docs/a.txt").key != row("/docs/a.txt", asked=changed.digest).key


def test_the_key_is_of_path_and_bytes_and_of_nothing_else() -> None:
    one = row("/docs/a.txt")
    assert one.key == row("/docs/a.txt", 99, modified=8).key
    assert one.key != row("/docs/b.txt").key and one.key != row("/docs/a.txt", sha256="bb").key
    assert replace(SPEC, model="renamed", over="/elsewhere").digest == SPEC.digest


def summary(one: Row) -> dict[str, Any]:
    return {name: one.plain(SPEC)[name] for name in SUMMARY_COLUMNS}


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        ([], ""),  # new
        ([row("/docs/a.txt")], None),  # read as it is
        ([row("/docs/a.txt", asked="other")], ""),  # asked something else
        ([row("/docs/a.txt", modified=6)], "aa"),  # another time: perhaps the same bytes
        ([row("/docs/a.txt", modified=0)], ""),  # failed for now
        ([row("/docs/a.txt", 2), row("/docs/a.txt", 1, modified=6)], None),  # the latest counts
        ([row("/docs/a.txt", 1), row("/docs/a.txt", 2, modified=0)], ""),
        ([row("/docs/a.txt", modified=6), row("/docs/a.txt", 2, same=True)], None),
    ],
)
def test_only_what_is_new_or_changed_is_left(rows: list[Row], known: str | None) -> None:
    item = SourceFile("/docs/a.txt", 5, 7)
    left, number = pending([item], map(summary, rows), SPEC.digest)
    assert number == max((each.run for each in rows), default=0) + 1
    assert left == ([] if known is None else [replace(item, known_sha256=known)])


def test_documents_come_together_by_path_each_once() -> None:
    shards = [
        shard(row("/docs/d.txt"), row("/docs/b.txt")),
        shard(row("/docs/a.txt"), row("/docs/c.txt", 3)),
        shard(row("/docs/c.txt", 2, sha256="older"), row("/docs/b.txt")),
        shard(row("/docs/e.txt", asked="other")),
    ]
    found = list(merge_rows(shards, SPEC.digest))
    assert [each.file.path[-5] for each in found] == ["a", "b", "c", "d"]
    assert found[2].file.sha256 == "aa"
    assert [each.file.path[-5] for each in merge_rows(shards, SPEC.digest, lambda path: "b" in path)] == ["b"]


def test_a_file_with_another_time_keeps_its_answers() -> None:
    touched = row("/docs/a.txt", 2, modified=9, same=True, cells=())
    (found,) = merge_rows([shard(row("/docs/a.txt")), shard(touched)], SPEC.digest)
    assert found.file.modified == 9 and found.cells == row("/docs/a.txt").cells
    assert not list(merge_rows([shard(touched)], SPEC.digest))


def test_a_shard_is_read_when_it_is_due_and_not_before() -> None:
    read: list[str] = []

    def lazily(name: str) -> Shard:
        def values() -> list[dict[str, Any]]:
            read.append(name)
            return [row(f"/docs/{name}{at}").plain(SPEC) for at in range(3)]

        return Shard(f"/docs/{name}0", values)

    found = merge_rows([lazily(name) for name in "cab"], SPEC.digest)
    assert next(found).file.path == "/docs/a0"
    assert read == ["a"]
    assert len(list(found)) == 8 and read == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("one", "failed"),
    [
        (row("/a"), False),
        (replace(row("/a"), cells=(Cell(1, "aa", CellState.FAILED, reason="It broke."),)), True),
        (Row(LibraryFile(0, "/a", FileState.LOCKED, "It needs a password."), "x", 1), True),
    ],
)
def test_what_counts_as_failed(one: Row, failed: bool) -> None:
    assert one.has_failed is failed
