"""A text file whose very long lines are broken on its page: its own lines are told all the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Opened
from app.core.text import Document
from app.documents.plain_text import read_plain_text
from app.ui.document.text.long_lines import added, as_shown, broken


def read(text: str) -> Opened:
    parts = read_plain_text(text.encode(), "a.txt")
    return Opened(
        Document(parts.text, view=parts.view), headings=parts.headings, lines=parts.lines, sha256="ab" * 32
    )


def test_behind_a_line_without_blanks_lines_are_those_of_the_file() -> None:
    text = "x" * 300_000 + "\n" + "a\n" * 50 + "The tide is high at noon.\n"
    opened = as_shown(read(text), broken(text)[0])
    shown = opened.document.text
    assert len(shown) > len(text)
    assert [opened.line_at(shown.index(words)) for words in ("x", "a", "tide")] == [1, 2, 52]
    assert opened.line_at(299_999) == 1 and opened.sha256 == ""
    assert opened.document.view is None, "its places are others than in the file"


def test_no_lines_are_told_of_a_page_that_shows_something_else() -> None:
    opened = as_shown(read("One\ntwo\n"), "One\ntwo and more\n")
    assert not opened.lines and opened.document.text == "One\ntwo and more\n"


@given(st.lists(st.text("ab .\u0301", max_size=40)), st.integers(4, 12))
def test_every_line_that_was_broken_is_known(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    shown, _ = broken(text, limit)
    breaks = added(text, limit)
    assert len(shown) == len(text) + len(breaks)
    # Without those line ends the page says what the file says, blanks and line ends aside.
    places = {at + before for before, at in enumerate(breaks)}
    assert all(shown[at] == "\n" for at in places)
    left = "".join(each for at, each in enumerate(shown) if at not in places)
    assert left.replace("\n", " ") == text.replace("\n", " ")
