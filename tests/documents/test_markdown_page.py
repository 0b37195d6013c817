"""Markdown to text and blocks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Kind, Opened, Style, Table
from app.core.text import Document
from app.documents.markdown_page import read_markdown
from app.documents.parts import Parts
from tests.helpers.flowing import cells, checked, outline, styles

read = checked(read_markdown)


def test_paragraphs_and_headings() -> None:
    parts = read("# One\n\nTwo\n===\n\nwrapped\nline  \nbroken\\\nagain\n\n---\n\n###### Six `x` ######\n")
    assert parts.text == "One\n\nTwo\n\nwrapped line\nbroken\nagain\n\nSix x"
    assert [heading.level for heading in parts.headings] == [1, 1, 6]


def test_styles() -> None:
    parts = read(
        "*a* **b _c_** `d` ~~e~~ [f *g*](http://x/) <http://y/> ![not shown](z.png) H<sub>2</sub>O<br>i &amp; \\*"
    )
    assert parts.text == "a b c d e f g http://y/ H2O\ni & *"
    assert styles(parts) == [
        ("emphasis", "a"), ("strong", "b c"), ("emphasis", "c"), ("code", "d"), ("struck", "e"), ("link", "f g"),
        ("emphasis", "g"), ("link", "http://y/"), ("lowered", "2"),
    ]  # fmt: skip


def test_lists_and_quotes() -> None:
    parts = read(
        "* a\n  * b\n\n    more\n* c\n\n3. d\n4. e\n   - f\n\n- [ ] g\n- [x] h\n\n> i\n>> j\n> - k\n\n1. # l\n2. m\n"
    )
    assert outline(parts) == [
        "item1 • | a", "item2 ◦ | b", "item2 | more", "item1 • | c", "item1 3. | d", "item1 4. | e", "item2 ◦ | f",
        "item1 ☐ | g", "item1 ☑ | h", "quote1 | i", "quote2 | j", "item1 • | k", "heading1 | l", "item1 2. | m",
    ]  # fmt: skip


def test_code_and_a_table() -> None:
    parts = read("```python\nif x:\n\n    y\n```\n\n    indented\n      more\n")
    assert outline(parts) == ["code | if x:\n\n    y", "code | indented\n  more"]
    parts = read("a\n\n| N | **S** |\n|---|:-:|\n| x | 1 |\n|  | `2\\|` |\n\nb")
    assert parts.text == "a\n\nN\tS\nx\t1\n\t2|\n\nb"
    assert parts.tables == (Table(3, 2, 1),)
    assert cells(parts, 0)[1, 0] == "x"


def test_html_inside() -> None:
    parts = read(
        "<div align=center>\n\n# T\n\n</div>\n\n<p>one <b>two</b></p>\n\n"
        "* <kbd>k</kbd> <a id=x></a>l\n\n<!-- no -->\n"
    )
    assert outline(parts) == ["heading1 | T", "paragraph | one two", "item1 • | k l"]
    assert styles(parts) == [("strong", "two"), ("code", "k")]
    assert read("<script>\nalert(1)\n</script>\n\nx").text == "x"
    assert cells(read("<table><tr><th>a<th>b</table>\n\nx"), 0) == {(0, 0): "a", (0, 1): "b"}


def test_what_stands_before_the_text() -> None:
    parts = read("---\ntitle: A title\ndate: 2024-01-02\n---\n\n# Head\n")
    assert outline(parts) == ["code | title: A title\ndate: 2024-01-02", "heading1 | Head"]
    assert outline(read("---\n\nwords\n\n---\n\n# Head\n")) == ["paragraph | words", "heading1 | Head"]


def test_nesting_is_read_as_deep_as_people_write() -> None:
    parts = read(">" * 80 + " end")
    assert (parts.blocks[0].level, parts.notes) == (80, ())
    assert read("begin\n\n" + "[" * 50_000 + "\n\nend").text.endswith("[\n\nend")


@pytest.mark.parametrize("marks", [">", "> ", "- ", "1. ", "> - ", "* 2) > "])
def test_what_is_nested_too_deep_is_kept_and_told(marks: str) -> None:
    parts = read("begin\n\n" + marks * 3000 + "*deep* words\n\nend")
    assert [block.span.of(parts.text) for block in parts.blocks] == ["begin", "deep words", "end"]
    assert styles(parts) == [("emphasis", "deep")]
    assert parts.notes == ("What is nested more than 90 deep is shown as plain paragraphs.",)


def test_of_what_is_nested_too_deep_no_line_is_lost() -> None:
    items = "".join(" " * (2 * depth) + f"- item {depth}\n" for depth in range(300))
    parts = read(items + "- last\n\nend")
    assert parts.text.split() == [
        word for depth in range(300) for word in ("item", str(depth))
    ] + ["last", "end"]  # fmt: skip
    assert parts.blocks[-2].level == 1
    deep = ">" * 200
    parts = read(f"{deep}one\n{deep}\n{deep}two\nlazy\n\n> three\n")
    words = ["one", "two lazy", "three"]
    assert [block.span.of(parts.text) for block in parts.blocks] == words


def lines_of(parts: Parts, *words: str) -> list[int | None]:
    opened = Opened(Document(parts.text), Kind.MARKDOWN, lines=parts.lines)
    return [opened.line_at(parts.text.index(word)) for word in words]


def test_lines_are_those_of_the_file() -> None:
    parts = read(
        "---\ntitle: t\nauthor: ada\n---\n\nTwo\nlines\n===\n\n* wrapped  \n  broken\\\n  again `over\n  two`"
        " behind [a\n  link](x\n  'y') after\n\n```\n\n  code\n\n  more\n```\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n> quoted\n\n    indented\n      deeper\r\n"
    )
    words = "title author Two lines wrapped broken again behind link after code more".split()
    assert lines_of(parts, *words) == [2, 3, 6, 7, 10, 11, 12, 13, 14, 15, 19, 21]
    assert lines_of(parts, "a\tb", "c\td", "quoted", "indented", "deeper") == [24, 26, 28, 30, 31]
    assert lines_of(read("\n\nx\n\n<div>\n<b>y</b>\n</div>\nz\n\nw"), "x", "y", "w") == [3, 5, 10]


LINES = st.sampled_from(
    ["# h", "text", "- a", "  - b", "1. c", "> q", "```", "    code", "| a | b |", "|---|---|", "| c |", "", "---",
     "===", "<div>", "</div>", "<table><tr><td>x", "**b", "b**", "![i](j)", "[l](m)", "`c`", "漢", "😀", "<b>",
     "- [ ] t"]
)  # fmt: skip


NUMBERED = st.sampled_from(
    ["# %s", "%s", "- %s", "  - %s", "1. %s", "> %s", "```", "    %s", "| %s | b |", "|---|---|", "", "---", "===",
     "%s  ", "%s\\", "[%s](x", "'y') %s", "*%s", "%s*", "`%s", "`", "![i](j) %s", "k: %s", "- [ ] %s"]
)  # fmt: skip


@given(st.lists(NUMBERED, max_size=30))
def test_any_word_is_in_its_line(kinds: list[str]) -> None:
    lines = [kind.replace("%s", f"w{number}x") for number, kind in enumerate(kinds, start=1)]
    parts = read("\n".join(lines))
    opened = Opened(Document(parts.text), Kind.MARKDOWN, lines=parts.lines)
    styled = {place for block in parts.blocks for style in block.styles if style.style is Style.CODE
              for place in range(style.span.start + 1, style.span.end)}  # fmt: skip
    for word in re.finditer(r"w(\d+)x", parts.text):
        if word.start() not in styled:  # what of a line is in code is not told where that goes over lines
            assert opened.line_at(word.start()) == int(word[1])


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_any_text_makes_sound_blocks(text: str) -> None:
    read(text + "\n\nend\n")
