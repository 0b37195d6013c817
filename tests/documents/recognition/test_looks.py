"""The size of letters, their base, and which are bold are told by their pixels."""

from __future__ import annotations

import re

import pytest

from app.documents.recognition.ink import corrected
from app.documents.recognition.looks import with_looks
from app.documents.recognition.rules import Rule, in_cells, without_rules
from app.documents.recognition.words import PagePicture, RecognisedWord, Row, letters_of, word_of
from tests.helpers.scans import SCALE, seen, shown
from tests.helpers.small_pdfs import Words

LINES = [
    ("A line of the usual text", 10.0, ""),
    ("Heading of the page", 14.0, "-Bold"),
    ("and more of it", 10.0, ""),
]


def drawn(font: str, off: float = 0.0) -> tuple[PagePicture, list[RecognisedWord]]:
    """Three lines with letters half their size apart, and their words `off` points from their base."""
    words, told = list[Words](), list[RecognisedWord]()
    for number, (text, size, style) in enumerate(LINES):
        words += [
            Words(letter, 20 + 0.5 * size * at, 25 + 25 * number, size, font + style)
            for at, letter in enumerate(text)
            if letter != " "
        ]
        for found in re.finditer(r"\S+", text):
            left, right = (20 + 0.5 * size * at for at in found.span())
            told.append(seen(found[0], left, right, 25 + 25 * number + off, not found.start(), size=size))
    return shown(words), told


@pytest.mark.parametrize("font", ["Helvetica", "Times"])
@pytest.mark.parametrize("off", [0.0, 1.0])
def test_a_heading_is_larger_and_bold(font: str, off: float) -> None:
    picture, told = drawn(font, off)
    looks = with_looks(picture, told)
    assert [word.text for word in looks] == [word.text for word in told]
    sizes = {word.text: word.size for word in looks}
    assert sizes["usual"] == sizes["more"]
    assert sizes["Heading"] / sizes["usual"] == pytest.approx(1.4, abs=0.08)
    assert {word.text for word in looks if word.bold} == set(LINES[1][0].split())
    assert looks[0].base == pytest.approx(25 * SCALE, abs=1.5)


def test_a_letter_of_which_tesseract_is_not_sure_stays_where_it_is_as_high_as_others() -> None:
    words = [Words(each, 20 + 30 * at, 50, 10) for at, each in enumerate(("A", "full", "line"))]
    picture = shown(words, b"70 44 2 2 re f")
    others = [seen(each.text, each.x, each.x + 20, 50, False, size=10) for each in words[1:]]
    told = [seen("A", 20, 25, size=10, sure=0), *others]
    assert [word.text for word in with_looks(picture, told)] == ["A", "full", "line"]
    speck = seen("i", 69, 74, size=10, sure=0)
    kept = with_looks(shown([], b"70 52 2 2 re f"), [speck, *others])
    assert [word.text for word in kept] == ["full", "line"] and kept[0].begins_line


@pytest.mark.parametrize("pattern", [b"\0", b"\xff", b"\0\xff"])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 60), (60, 1), (60, 60)])
@pytest.mark.parametrize("left", [-90, -3, 58])
@pytest.mark.parametrize("base", [-30, 0, 90])
def test_words_may_be_anywhere_in_or_beside_any_picture(
    pattern: bytes, width: int, height: int, left: int, base: int
) -> None:
    pixels = (pattern * width * height)[: width * height]
    picture = PagePicture(width, height, width, pixels, 1.0, 0, (1, 0, 0, 1, 0, 0))
    words = []
    for size in (0.1, 12):
        row = Row((0, base), (9, base), size)
        for at, (text, wide) in enumerate((("I", 4), ('"', 0), ("of", 20), ("|l", -3), ("-", 200))):
            letters = letters_of(text, left + 16 * at, left + 16 * at + wide)
            word = word_of(letters, row, 0, not at)
            assert word is not None
            words.append(word)
    bare, rules = without_rules(picture)
    looks = with_looks(bare, list(corrected(bare, words)))
    grid = [*rules, Rule(0, 0, 0, 0), Rule(-9, 5, 99, 6), Rule(5, -9, 6, 99)]
    assert sorted(word.text for word in in_cells(bare, looks, grid)) == sorted(word.text for word in looks)
    texts = {word.text for word in words}
    assert {word.text for word in with_looks(picture, words)} <= texts
