from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.chapters import LONGEST, find_chapters


def found(text: str) -> list[str]:
    return [heading.span.of(text) for heading in find_chapters(text)]


def test_a_row_of_numbers_makes_chapters() -> None:
    text = "Chapter 1\n\nWords.\n\nChapter 2: More\n\nWords.\n\nChapter 3.\n\nWords.\n"
    assert found(text) == ["Chapter 1", "Chapter 2: More", "Chapter 3."]
    assert found(text.replace("\n\n", "\n")) == []  # nothing stands by itself
    assert found(text.replace("3", "5")) == []
    assert found(text.replace("Chapter 2", "Section 2")) == []


def test_a_row_may_begin_in_words_and_again() -> None:
    parts = [
        "Capítulo primero. Uno",
        "Capítulo II. Dos",
        "Capítulo III. Tres\ny cuatro",
        "Capítulo primero. Más",
    ]
    text = "\n\nwords\n\n".join([*parts, "Capítulo II. Y más", "words"])
    assert found(text) == [*parts, "Capítulo II. Y más"]


def test_texts_that_were_joined_keep_their_own_chapters() -> None:
    one = [f"Chapter {number}. One" for number in range(1, 6)]
    other = [f"Letter {number}" for number in range(1, 5)]
    ending = [f"Appendix {number}" for number in range(1, 4)]
    assert found("\n\nwords\n\n".join([*other, *one, *ending, "words"])) == [*other, *one, *ending]
    inside = [*one[:2], *(f"Step {number}" for number in range(1, 4)), *one[2:]]
    assert found("\n\nwords\n\n".join([*inside, "words"])) == one


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("=== One ===\nwords\n  === Two (2) ===  \nwords", ["One", "Two (2)"]),
        ("==> a.txt <==\nwords\n\n==> b = c.txt <==\nwords", ["a.txt", "b = c.txt"]),
        ("*** START ***\n\nChapter 1\n\nx\n\nChapter 2\n\nx\n\nChapter 3\n\nx\n\n*** THE END ***\n",
         ["START", "Chapter 1", "Chapter 2", "Chapter 3", "THE END"]),
        ("=== One ===\nwords", []),
        ("* * *\nwords\n*** ***\n===========\n-- 1 --\n--- 2 ---\n", []),
        ("===One===\nwords\n### Two ###\n", ["One", "Two"]),
        ("____ Name ____\n____ Date ____\n___name___\n", []),
        ("***bold words***\nwords\n***more of them***\n+++ one+++\n+++two +++\n", []),
        ("-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n", []),
        ("*** a **\n=== b\n+++ c ---\n**d**\n--- e ---", []),
    ],
)  # fmt: skip
def test_titles_between_marks(text: str, titles: list[str]) -> None:
    assert found(text) == titles


def test_bare_numbers_go_on_with_the_row_in_capitals_only() -> None:
    text = "\n\nwords\n\n".join(
        ["PART I. ONE", "I.", "II.", "PART II. TWO", "PART III. THREE", "IV. FOUR", "V. Five\n", "words"]
    )
    assert found(text) == ["PART I. ONE", "PART II. TWO", "PART III. THREE", "IV. FOUR"]


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"Figure {number}. A picture" for number in range(1, 9)),
        "\n\n".join(f"{number}. an item of a list" for number in range(1, 9)),
        "\n\n".join(f"Chapter {number} is a long one" for number in range(1, 9)),
        "\n\n".join(f"Chapter {number}. {'words ' * LONGEST}" for number in range(1, 9)),
        "In 12. of May\n\nIn 13. of May\n\nIn 14. of May",
        "",
    ],
)
def test_other_rows_are_none(text: str) -> None:
    assert found(text) == []


@given(st.text("Chapter 123IV.\n =*<>", max_size=200))
def test_headings_lie_in_the_text_and_in_order(text: str) -> None:
    headings = find_chapters(text)
    assert [each.span for each in headings] == sorted({each.span for each in headings})
    for each in headings:
        assert each.span.of(text).strip() == each.span.of(text) != ""
