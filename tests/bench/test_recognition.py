"""What recognition is measured by: wrong characters, places of words, and pictures like a scanner's."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from app.bench import recognition
from app.bench.plan import BenchPlan
from app.bench.recognition import (
    _errors,
    _first_of_each,
    _in_order,
    _on_pdf,
    _overlap,
    _placed,
    _spoilt,
    _tiff,
    _Word,
    measure,
)
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.documents.pdf.document import read_pdf

LETTERS = st.text(alphabet="abc ", max_size=9)


def distance(one: str, other: str) -> int:
    """Compute the edit distance step by step."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        before, row = row, [number]
        for at, another in enumerate(other):
            row.append(min(before[at] + (letter != another), before[at + 1] + 1, row[at] + 1))
    return row[-1]


@given(LETTERS, LETTERS)
def test_errors_are_the_edit_distance(one: str, other: str) -> None:
    assert _errors(one, other) == pytest.approx(distance(one, other) / max(1, len(one)))


def test_words_are_in_the_originals_order() -> None:
    own = [_Word("right", 100, 0, 140, 10), _Word("left", 0, 0, 40, 10), _Word("below", 0, 20, 50, 30)]
    seen = [
        _Word("be", 0, 21, 20, 30),
        _Word("low", 21, 21, 50, 30),
        _Word("left", 1, 1, 40, 10),
        _Word("right", 101, 0, 139, 9),
        _Word("more", 142, 0, 160, 10),
    ]
    assert [word.letters for word in _in_order(own, seen)] == ["right", "left", "be", "low"]
    assert _in_order([], seen) == []


def test_a_word_is_in_its_place_where_more_than_half_of_both_boxes_is_shared() -> None:
    word = _Word("a", 0, 0, 10, 10)
    assert _overlap(word, word) == 1 and _overlap(word, _Word("b", 10, 0, 20, 10)) == 0
    assert _placed([word, _Word("c", 50, 0, 60, 10)], [_Word("d", 1, 1, 10, 10)]) == 0.5


def test_pictures_become_the_pages_of_one_file_and_are_spoilt() -> None:
    image = QImage(101, 60, QImage.Format.Format_Grayscale8)
    image.fill(255)
    parts = read_pdf(_tiff([image, image], 200), "a.tiff", "", Silent())
    assert [round(page.width, 1) for page in parts.pages] == [36.4, 36.4]
    bad = _spoilt(image)
    assert (bad.width(), bad.height()) == (101, 60)
    assert len(set(bytes(bad.constBits()))) > 20
    assert recognition._file(image, True).startswith(b"\xff\xd8\xff")


def test_the_first_questions_of_each_document_are_asked_on_pdfs(tmp_path: Path) -> None:
    answers = [{"text": "two", "answer_start": 4}]
    rows = [
        {"id": at, "document": name, "question": "How many?", "kind": "fact", "answers": answers}
        for at, name in enumerate(("a", "a", "b", "c"))
    ]
    file = tmp_path / "questions.jsonl.xz"
    file.write_bytes(lzma.compress("\n".join(map(json.dumps, rows)).encode()))
    found = list(_first_of_each(file, "document", {"a", "c"}, 1))
    assert [row["id"] for row in found] == [0, 3]
    assert list(_first_of_each(tmp_path / "none.jsonl", "document", {"a"}, 1)) == []
    asked = _on_pdf(found[0])
    assert (asked["file"], asked["answers"], asked["places"]) == ("a.pdf", ["two"], [[4, 7]])


def test_without_documents_it_is_said_what_is_missing() -> None:
    with pytest.raises(SpanlightError, match="PDFs"):
        measure(None, BenchPlan(("recognition",)), Silent())  # type: ignore[arg-type]
