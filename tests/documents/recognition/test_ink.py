"""Marks that Tesseract mistakes are told by their pixels: bullets, single quotation marks, rules of tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.documents.recognition.ink import corrected
from app.documents.recognition.words import PagePicture, RecognisedWord, letters_of
from tests.helpers.scans import seen, shown
from tests.helpers.small_pdfs import Words

SIZE = 12


def told(picture: PagePicture, *words: RecognisedWord) -> list[tuple[str, bool]]:
    return [(word.text, word.begins_line) for word in corrected(picture, words)]


def test_a_bullet_is_told_from_letters() -> None:
    picture = shown([Words("one", 40, 50, SIZE)], b"1 J 4 w 22 54 m 22.01 54 l S")  # a disc
    assert told(picture, seen("e", 20, 24), seen("one", 40, 60, 50, False)) == [("•", True), ("one", False)]
    assert told(picture, seen("one", 40, 60)) == [("•", True), ("one", False)], "Tesseract left it out"
    letter = shown([Words("e", 20, 50, SIZE), Words("one", 40, 50, SIZE)])
    assert told(letter, seen("e", 20, 26.7)) == [("e", True)]
    assert told(letter, seen("one", 40, 60)) == [("one", True)]


@pytest.mark.parametrize(("drawn", "read", "wanted"), [("'", '"', "'"), ('"', '"', '"'), ("'", "“", "‘")])
@pytest.mark.parametrize("after", ["They", "went"])
def test_a_quotation_mark_of_one_stroke_is_single(drawn: str, read: str, wanted: str, after: str) -> None:
    mark, width = Words(drawn, 20, 50, SIZE), 2.3 if drawn == "'" else 4.3
    picture = shown([mark, Words(after, 20 + width + 0.6, 50, SIZE)])
    assert told(picture, seen(read, 20, 20 + width)) == [(wanted, True)]


def test_a_capital_that_was_taken_for_a_bar_ends_on_the_base_line() -> None:
    assert told(shown([Words("I", 20, 50, SIZE)]), seen("|", 20, 23.3)) == [("I", True)]
    assert told(shown([Words("|", 20, 50, SIZE)]), seen("|", 20, 23.1)) == [("|", True)]


def test_a_rule_is_no_letter_and_parts_words() -> None:
    table = [Words("only", 20, 50, SIZE), Words("74.0", 60, 50, SIZE)]
    picture = shown(table, b"0.5 w 50 20 m 50 90 l S")
    word = seen("only|74.0", 20, 85)
    parts = [*letters_of("only", 83, 175), *letters_of("|", 206, 211), *letters_of("74.0", 250, 350)]
    assert told(picture, replace(word, letters=tuple(parts))) == [("only", True), ("74.0", False)]
    rule = replace(word, letters=tuple(parts[4:5]))
    assert told(picture, rule, seen("74.0", 60, 85, 50, False)) == [("74.0", True)]
    drawn = shown([Words("l", 20, 36, SIZE), Words("l", 20, 50, SIZE)])
    assert told(drawn, seen("l", 20, 22.6)) == [("l", True)], "letters below each other"
    dark = shown([], b"0 30 300 40 re f 1 g 20 50 1 8 re f")
    assert told(dark, seen("l", 20, 22.6)) == [("l", True)], "light letters on a dark ground"


def test_a_word_where_nothing_is_drawn_is_none() -> None:
    picture = shown([Words("one", 20, 50, SIZE)])
    assert told(picture, seen("—", 60, 72), seen("one", 20, 40, 50, False)) == [("one", True)]
