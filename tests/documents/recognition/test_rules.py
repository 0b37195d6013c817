"""Rules are found and taken out of a picture without the letters that touch them, and tell the cells of a table."""

from __future__ import annotations

import pytest

from app.documents.recognition.rules import Rule, in_cells, without_rules
from app.documents.recognition.words import PagePicture, RecognisedWord
from tests.helpers.scans import SCALE, seen, shown
from tests.helpers.small_pdfs import Words

SIZE = 12
UNDERLINE = b"0.8 w 20 48 m 120 48 l S"  # from 2 points under the base line on
WORDS = [Words("plausible query", 22, 50, SIZE)]


def dark(picture: PagePicture) -> int:
    return sum(each < 128 for each in picture.pixels)


def points(rule: Rule) -> list[int]:
    return [round(each / SCALE) for each in rule]


def at(text: str, left: float, base: float, begins_line: bool = False) -> RecognisedWord:
    """A word that is as wide as its letters."""
    return seen(text, left, left + 5 * len(text), base, begins_line)


def test_an_underline_is_taken_out_and_the_letters_that_reach_into_it_stay() -> None:
    plain = shown(WORDS)
    bare, rules = without_rules(shown(WORDS, UNDERLINE))
    assert [points(rule) for rule in rules] == [[20, 52, 120, 53]]
    assert abs(dark(bare) - dark(plain)) < 0.02 * dark(plain)
    missing = sum(one < 128 <= other for one, other in zip(plain.pixels, bare.pixels, strict=True))
    assert missing < 0.01 * dark(plain), "descenders are whole"


@pytest.mark.parametrize(
    "drawing",
    [b"", b"20 40 120 30 re f", b"3 w 20 48 m 40 48 l S", b"0.8 w 20 20 m 90 80 l S"],
    ids=["words", "a dark area", "a dash", "a slanting line"],
)
def test_other_things_are_no_rules(drawing: bytes) -> None:
    picture = shown(WORDS, drawing)
    assert without_rules(picture) == (picture, [])


def test_a_table_loses_its_rules_where_they_cross_too() -> None:
    grid = b"0.6 w 20 80 m 200 80 l 20 60 m 200 60 l 20 40 m 200 40 l S 20 80 m 20 40 l 100 80 m 100 40 l S"
    bare, rules = without_rules(shown([], grid))
    assert sorted(points(rule) for rule in rules)[0] == [20, 20, 20, 60] and len(rules) == 5
    assert not dark(bare)


def test_a_picture_of_more_rules_than_tables_have_is_left_as_it_is() -> None:
    width, scale = 600, 0.3
    dashes, blank = (b"\0" * 12 + b"\xff" * 3) * (width // 15), b"\xff" * width * 7
    for rows, is_bare in ((10, True), (75, False)):
        pixels = (blank + dashes) * rows + blank
        picture = PagePicture(
            width, len(pixels) // width, width, pixels, scale, 0, (scale, 0, 0, scale, 0, 0)
        )
        bare, rules = without_rules(picture)
        assert (len(rules), dark(bare) == 0) == ((400, True) if is_bare else (0, False))


def grid(tops: list[int], lefts: list[int]) -> list[Rule]:
    """The rules of a table, in points."""
    level = [Rule(lefts[0], top, lefts[-1], top + 1) for top in tops]
    upright = [Rule(left, tops[0], left + 1, tops[-1]) for left in lefts]
    return [Rule(*(round(each * SCALE) for each in rule)) for rule in (*level, *upright)]


def told(words: list[RecognisedWord], rules: list[Rule]) -> list[str]:
    """The words, and a bar before each that begins a cell."""
    return ["|" * word.begins_cell + word.text for word in in_cells(shown([]), words, rules)]


def test_the_words_of_a_table_follow_each_other_cell_by_cell() -> None:
    words = [
        at("before", 20, 15, True),
        at("wrapped", 25, 35, True), at("short", 110, 35),
        at("text", 25, 48, True),
        at("one", 25, 75, True), at("two", 110, 75),
        at("after", 20, 98, True),
    ]  # fmt: skip
    rules = grid([22, 60, 90], [20, 100, 200])
    assert told(words, rules) == ["before", "|wrapped", "text", "|short", "|one", "|two", "|after"]
    assert told(words, []) == [word.text for word in words]


def test_rows_without_a_rule_between_them_stay_rows() -> None:
    words = [
        at("Name", 25, 20, True), at("F1", 110, 20),
        *(at(text, left, base, left < 100) for base, pair in ((40, "ab"), (54, "cd"), (68, "ef"))
          for text, left in zip(pair, (25, 110), strict=True)),
    ]  # fmt: skip
    rules = grid([8, 26, 80], [20, 100, 200])
    assert told(words, rules) == ["|Name", "|F1", "|a", "|b", "|c", "|d", "|e", "|f"]
