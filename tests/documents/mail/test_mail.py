from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.documents.blocks import Blocks
from app.documents.mail.mail import add_plain
from tests.helpers.flowing import check_parts, outline


def lines(text: str, *, flowed: bool = False, joined: bool = False) -> list[str]:
    blocks = Blocks()
    add_plain(text, blocks, flowed=flowed, joined=joined)
    parts = blocks.parts()
    check_parts(parts)
    return outline(parts)


def test_lines_stay_and_empty_lines_part_paragraphs() -> None:
    assert lines("Hi,\r\n\r\nfirst line\r\nsecond  line\n \n\nBye") == [
        "paragraph | Hi,",
        "paragraph | first line\nsecond line",
        "paragraph | Bye",
    ]


def test_quotes_are_as_deep_as_their_marks() -> None:
    assert lines("On Monday Bob wrote:\n> Where?\n> > And when?\n>> Now\n>\n> Here.\nFine.") == [
        "paragraph | On Monday Bob wrote:",
        "quote1 | Where?",
        "quote2 | And when?\nNow",
        "quote1 | Here.",
        "paragraph | Fine.",
    ]


def test_all_below_an_original_message_is_a_quote() -> None:
    for words in (
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "-----Mensaje original-----",
    ):
        assert lines(f"Yes.\n{words}\nFrom: Bob\n\nCome?\n> Who?") == [
            "paragraph | Yes.",
            f"quote1 | {words}\nFrom: Bob",
            "quote1 | Come?",
            "quote2 | Who?",
        ]


def test_flowed_lines_are_joined() -> None:
    text = "one \ntwo\nthree\n> a \n> b\n-- \nAnn\n  stuffed"
    assert lines(text, flowed=True) == [
        "paragraph | one two\nthree",
        "quote1 | a b",
        "paragraph | --\nAnn\nstuffed",
    ]
    assert lines("Donau \ndampf", flowed=True, joined=True) == ["paragraph | Donaudampf"]


def test_columns_keep_their_blanks() -> None:
    assert lines("Tea      2\nCoffee   3") == ["code | Tea      2\nCoffee   3"]


@given(st.text(alphabet=st.sampled_from("> \n-a\t\r|é"), max_size=80), st.booleans(), st.booleans())
def test_any_text_keeps_its_letters(text: str, flowed: bool, joined: bool) -> None:
    found = "".join(lines(text, flowed=flowed, joined=joined))
    assert found.count("é") == text.count("é")
