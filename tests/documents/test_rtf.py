"""Rich text to text and blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.text import Document
from app.documents.parts import Parts
from app.documents.rtf import read_rtf
from tests.helpers.flowing import cells, checked, outline, styles

REAL = Path(__file__).parent / "real"
FONTS = (
    r"{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fnil\fcharset204 Arial Cyr;}{\f2\fnil\fcharset128 MS Gothic;}}"
)


read = checked(read_rtf)


def text(body: str | bytes, head: str = r"\ansi\ansicpg1252\deff0" + FONTS) -> Parts:
    return read(rb"{\rtf1" + head.encode() + b" " + (body.encode() if isinstance(body, str) else body) + b"}")


def test_paragraphs_lines_and_special_characters() -> None:
    parts = text(
        r"\pard one\line two\tab x\par three\~\emdash\_\{\}\\\bullet\ldblquote a\rdblquote\par\par four\page five"
    )
    assert parts.text == "one\ntwo x\n\nthree\u00a0—\u2011{}\\•“a”\n\nfour\n\nfive"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (r"gr\'fc\'dfe", "grüße"),
        (r"\f1 \'cf\'f0\'e8\'e2\'e5\'f2 \f0 \'e9", "Привет é"),
        (r"{\f1 \'cf}\'cf", "ПÏ"),
        (r"\f2 \'83\'65\'83X\'83g", "テスト"),
        (b"\\f2 \x83\x65\x83X\x83\r\ng", "テスト"),
        (b"\\f1 \xcf\xf0\xe8", "При"),
        (r"\f2 \'95\\ x", "表 x"),
        (r"\u8217?\u-3841?\u26085\'93", "’\ufffd日"),
        (r"\uc2\u8364ab\u8364\'80\'81{\uc0\u8364}x\uc1", "€€€x"),
        (r"\u-10179?\u-8704? \u55296?x", "\U0001f600 \ufffdx"),
        (r"\f9 \'e9\plain \'e9", "éé"),
        (r"\f77777777777 x\u99999999999999 ?y\u y\uc y\u-99999?\u128512?", "x\ufffdyyy\ufffd\U0001f600"),
    ],
)
def test_code_pages_and_escapes(body: str | bytes, words: str) -> None:
    assert text(body).text == words


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (r"\ansi\ansicpg1251\deff0{\fonttbl{\f0 Arial;}}", "Й"),
        (r"\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset204 Arial;}}", "Й"),
        (r"\ansi\ansicpg99999\deff0", "É"),
        (r"\ansi\ansicpg\deff{\fonttbl\f0\fcharset89 x;}", "É"),
        (r"\mac", "…"),
        (r"\pc", "╔"),
        (r"\ansi\ansicpg10000", "…"),
        (r"\ansi\deff0{\fonttbl{\f0\fcharset78 Osaka;}}", "ﾉ"),
        ("", "É"),
    ],
)
def test_the_code_page_of_words_without_a_font(head: str, words: str) -> None:
    assert text(r"\'c9", head).text == words


def test_what_is_not_shown_is_left_out() -> None:
    parts = text(
        r"{\info{\title no}{\author no}}{\stylesheet{\s1 no;}}{\*\generator no;}{\header no\par}{\footer no}"
        r"{\*\unknown no}"
        r"a{\v no\par}b{\deleted no}c\v no\v0 d\deleted no\deleted0 e\v no\plain f{\*\annotation no}"
        r"{\pict\pngblip 89504e470d0a}g"
        r"{\field{\*\fldinst HYPERLINK {"
        r'"http://no"}}{\fldrslt link}}{\object{\*\objdata 0105}{\result no}}.'
    )
    assert parts.text == "a\n\nbcdefglink."


def test_binary_data_is_skipped() -> None:
    assert text(b"a{\\pict\\bin5 }}\\{{}b\\bin3 xyzc").text == "abc"
    assert text(b"a\\bin999999999 b").text == "a"
    assert text(b"a{\\pict\\binx b}\\bin\\binary c").text == "ac"


def test_headings_by_outline_level_and_by_style() -> None:
    named = r"{\s1\outlinelevel0\snext0 heading 1;}{\s5\outlinelevel9 x;}{\cs3\outlinelevel0 x;}"
    head = r"\ansi{\stylesheet{\ql Normal;}" + named + "}"
    parts = text(
        r"\pard\s1 One\par\pard\plain a\par\pard\outlinelevel2 Deep\par again\par\pard\s5 b\par\pard\s3 c\par",
        head,
    )
    assert outline(parts) == [
        "heading1 | One", "paragraph | a", "heading3 | Deep", "heading3 | again", "paragraph | b", "paragraph | c",
    ]  # fmt: skip
    opened = Opened(Document(parts.text), headings=parts.headings)
    assert [opened.heading_at(parts.text.index(word)) for word in ("a\n", "b", "c")] == [
        "One",
        "again",
        "again",
    ]


def test_list_labels_are_markers() -> None:
    parts = text(
        r"\pard{\listtext\pard\plain\f0 1.\tab}\pard\ls1 one\par{\pntext\f0\'B7\tab}two\par"
        r"{\listtext\u-3929 ?\tab}three\par"
        r"{\listtext 9.}\par four"
    )
    assert outline(parts) == ["item1 1. | one", "item1 • | two", "item1 ▪ | three", "paragraph | four"]


def test_notes_stand_after_the_text() -> None:
    parts = text(
        r"a{\super\chftn}{\footnote\pard {\super\chftn} first\par more}b{\footnote\ftnalt second}.\par c"
    )
    assert outline(parts) == [
        "paragraph | a1b2.",
        "paragraph | c",
        "item1 1. | first more",
        "item1 2. | second",
    ]
    assert styles(parts) == [("raised", "1"), ("raised", "2")]


def test_tables() -> None:
    parts = text(
        r"before\par\trowd\trhdr\cellx1\cellx2\pard\intbl Tide\cell Height\cell\row"
        r"\trowd\cellx1\cellx2\pard\intbl High\par twice\cell\cell\row\pard\intbl {Low}\cell 1 m\cell{\trowd\row}"
        r"\pard after\par\trowd x\intbl\cell y\cell\row\pard z"
    )
    paragraphs = [each for each in outline(parts) if not each.startswith("cell")]
    assert paragraphs == ["paragraph | before", "paragraph | after", "paragraph | z"]
    assert cells(parts, 0) == {
        (0, 0): "Tide", (0, 1): "Height", (1, 0): "High\ntwice", (2, 0): "Low", (2, 1): "1 m",
    }  # fmt: skip
    assert cells(parts, 1) == {(0, 0): "x", (0, 1): "y"}
    assert parts.tables[0].header_rows == 1
    assert any("Height: " in one.words for one in parts.view.replacements)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(SpanlightError, match="nested deeper"):
        text("{" * 100_000)


def test_files_that_other_programs_wrote() -> None:
    word = outline(read((REAL / "word.rtf").read_bytes()))
    assert word[:4] == [
        "paragraph | A short ordered list:",
        "item1 1. | one",
        "item1 2. | two",
        "item1 3. | three",
    ]
    assert word[-1] == "item1 3. | c"
    czech = read((REAL / "wordpad.rtf").read_bytes())
    assert czech.text.startswith(
        "Článek týdne\n\nČást svitku s textem Knihy Izajáš\n\nSvitky od Mrtvého moře"
    )
    pages = read((REAL / "pages.rtf").read_bytes())
    assert cells(pages, 0)[0, 1] == "Header B" and cells(pages, 0)[3, 2] == "C3"
    assert pages.text.startswith("Hier steht normaler Text") and pages.text.endswith("wieder normaler Text.")


PIECES = st.sampled_from(
    [
        *(
            rf"\{word} "
            for word in "plain par cell row trowd intbl pard outlinelevel0 f2 f1 line v bin2".split()
        ),
        *("{", "}", r"{\footnote ", r"{\listtext ", r"\'e9", r"\u8364?", "words", " ", r"\*", "é"),
    ]
)


@given(st.lists(PIECES, max_size=30))
def test_any_order_of_words_is_read(pieces: list[str]) -> None:
    text("".join(pieces))


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn", "Zl", "Zp"]), max_size=40
    )
)
def test_every_character_comes_back(words: str) -> None:
    units = words.encode("utf-16-le")
    codes = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    escaped = "".join(f"\\u{code - 0x10000 if code >= 0x8000 else code}?" for code in codes)
    assert text(f"a{escaped}z").text.split() == f"a{words}z".replace("\ufeff", "").split()
