"""Web pages to text and blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Table
from app.documents.html import decode_html, read_html
from app.documents.plain_text import decode
from tests.helpers.flowing import cells, checked, outline, styles

read = checked(read_html)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<title>Not shown</title><h1> One\n two</h1>loose <p>a\t b\n\n c &amp; &eacute;</p>d<div>e<p>f</div>g",
            "One two\n\nloose\n\na b c & é\n\nd\n\ne\n\nf\n\ng",
        ),
        ("<p>a<br>\n b<br/><br>c<br></p><p><br></p><h2>d<br><br>e</h2>", "a\nb\n\nc\n\nd\ne"),
        ("<pre><div>a</div><div>b</div></pre>", "a\nb"),
        # A line break between Chinese or Japanese words is no blank.
        ("<p>漢字\n  かな\nLatin\n漢<b>\n字</b> 白</p>", "漢字かな Latin 漢字 白"),
        # No-break spaces stay, but not at the ends.
        ("<p>&nbsp;a&nbsp; b&nbsp;</p><p>&nbsp;</p><p>&#8203;</p>", "a\xa0 b"),
        ("<div>" * 30_000 + "deep" + "<b>" * 15_000 + "x", "deepx"),
        # Nothing is loaded, and addresses are not shown.
        (
            "<base href='http://a.invalid/'><link rel=stylesheet href='file:///etc/passwd'><img src='http://a/b.png'>"
            "<object data='file:///etc/hostname'>x</object><p>words <a href='http://c/'>here</a></p>",
            "words here",
        ),
    ],
)
def test_words(page: str, text: str) -> None:
    assert read(page).text == text


def test_what_is_never_shown() -> None:
    parts = read(
        "<body><script>a()</script><style>b{}</style><template>c</template><noscript>d</noscript><p hidden>e</p>"
        "<p style='color:red; DISPLAY : none'>f</p><p aria-hidden=true>seen</p><!-- g --><svg><text>h</text></svg>"
        "<select><option>i</select><textarea>j</textarea><img alt=k><dialog>l</dialog><iframe src='http://x/'>m</iframe>"
        "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>"
    )
    assert parts.text == "seen\n\n漢"


def test_styles() -> None:
    parts = read(
        "<p><b>bold </b>and <i>slanted<strong> both</strong></i> <a href=x> link</a> <a name=y>none</a> <code>c</code>"
        "<s>d</s><u>e</u><sup>f</sup><sub>g</sub> <span style='font-weight: 700'>h</span> <b> </b><q>i</q></p>"
    )
    assert parts.text == "bold and slanted both link none cdefg h “i”"
    assert styles(parts) == [
        ("strong", "bold"), ("emphasis", "slanted both"), ("strong", "both"), ("link", "link"), ("code", "c"),
        ("struck", "d"), ("underlined", "e"), ("raised", "f"), ("lowered", "g"), ("strong", "h"),
    ]  # fmt: skip
    assert styles(read("<h2><b>All</b></h2>")) == []  # a heading is strong as it is
    assert styles(read("<h2><b>Some</b> more</h2>")) == [("strong", "Some")]


def test_lists() -> None:
    parts = read(
        "<ul><li>a<ul><li><p>b</p><p>c</p></ul><li>d</ul><ol start=3><li>e<li value=9>f<li>g</ol>"
        "<ol type=i reversed><li>h<li>i</ol><ol type=A start=27><li>j</ol><ul style='list-style: none'><li>k</ul>"
        "<dl><dt>l<dd>m</dl><blockquote>n<blockquote><p>o</blockquote><ul><li>p</ul></blockquote>"
    )
    assert outline(parts) == [
        "item1 • | a", "item2 ◦ | b", "item2 | c", "item1 • | d", "item1 3. | e", "item1 9. | f", "item1 10. | g",
        "item1 ii. | h", "item1 i. | i", "item1 AA. | j", "item1 | k", "paragraph | l", "item1 | m", "quote1 | n",
        "quote2 | o", "item1 • | p",
    ]  # fmt: skip
    assert parts.text.startswith("a\nb\nc\nd\ne\n")


def test_code_keeps_its_lines_without_its_margin() -> None:
    parts = read("<pre>\n\n    if <b>x</b>:  \n        y\n\n    z\n</pre><p>end<pre>  art\n /\n</pre>")
    assert outline(parts) == ["code | if x:\n    y\n\nz", "paragraph | end", "code |  art\n/"]
    assert styles(parts) == [("strong", "x")]


def test_a_table() -> None:
    parts = read(
        "<p>before<table><tbody><tr><th>Name<th colspan=2>Size</tr><tr><td rowspan=2>a<td>1<td>2</tr>"
        "<tr><td><td>4</tr></tbody><caption>Sizes</caption></table>after"
    )
    assert parts.text == "before\n\nSizes\n\nName\tSize\na\t1\t2\n\t4\n\nafter"
    assert parts.tables == (Table(3, 3, 1, {(0, 1): (1, 2), (1, 0): (2, 1)}),)
    assert cells(parts, 0)[2, 2] == "4"


def test_cells_with_blocks_of_their_own() -> None:
    parts = read("<table><tr><th>h<th>i<tr><td><p>a<p>b<ul><li>c</ul><td>d<br>e<h4>f</h4></table>")
    assert outline(parts) == [
        "cell 0:0,0 | h", "cell 0:0,1 | i", "cell 0:1,0 | a", "cell 0:1,0 | b", "item1 0:1,0 • | c",
        "cell 0:1,1 | d\ne",
        "heading4 0:1,1 | f",
    ]  # fmt: skip


def test_a_table_in_a_table_is_laid_flat() -> None:
    parts = read("<table><tr><th>a<th>b<tr><td>c<table><tr><td>d<td>e</table><td>f</table>")
    assert cells(parts, 0) == {(0, 0): "a", (0, 1): "b", (1, 0): "c\nd\ne", (1, 1): "f"}


def test_tables_that_only_place_things_are_none() -> None:
    parts = read("<table><tr><td>menu<td><h1>Title</h1><table><tr><td>a<td>b</table></table>")
    assert outline(parts) == ["paragraph | menu", "heading1 | Title", "cell 0:0,0 | a", "cell 0:0,1 | b"]
    assert read("<table><tr><td><p>all of it</table>").tables == ()
    assert read("<p>a<table><tr><td><td></table>").tables == ()
    assert read("<table role=presentation><tr><td>a<td>b</table>").text == "a\n\nb"


def test_merged_cells_of_absurd_sizes() -> None:
    parts = read(
        "<table><tr><td rowspan=99999999 colspan=99999999>a<td>b<tr><td>c<td rowspan=0>d<tr><td>e</table>"
    )
    assert parts.tables == (Table(3, 1000, 0, {(0, 0): (3, 1000)}),)
    assert read("<table><tr><td colspan=100>title<tr><td>a<td>b</table>").tables == (
        Table(2, 2, 0, {(0, 0): (1, 2)}),
    )


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("\ufeff<p>é".encode(), "é"),
        ("<meta charset=utf-8><p>é".encode(), "é"),
        ("<meta charset=iso-8859-1><p>é’".encode("cp1252"), "é’"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><p>日本語".encode("cp932"),
            "日本語",
        ),
        ("<meta charset=gb2312><p>汉字".encode("gb18030"), "汉字"),
        ("<?xml version='1.0' encoding='windows-1251'?><p>слово".encode("cp1251"), "слово"),
        ("<meta charset=iso-8859-1><p>really UTF-8: é 日".encode(), "really UTF-8: é 日"),
        ("<meta charset=rot13><p>né".encode(), "né"),
        ("<meta charset=utf-16><p>é".encode(), "é"),
        ("\ufeff<p>é".encode("utf-16-le"), "é"),
        ("<meta charset=nonsense-9><p>très déjà élève".encode("cp1252"), "très déjà élève"),
    ],
)
def test_encodings(page: bytes, shown: str) -> None:
    assert read(page).text == shown


TAGS = st.sampled_from(
    "p div ul ol li dl dt dd blockquote pre h1 h3 table thead tr td th caption b i a code br hr span sup q".split()
)
PIECES = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.sampled_from(
        ["<td colspan=3>", "<td rowspan=2>", "<td rowspan=0>", "<th colspan=2 rowspan=3>", "<a href=x>"]
    ),
    st.text("ab \n\t\xa0漢字\u200b😀&\x00\u2028", max_size=6),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_page_makes_sound_blocks(page: str) -> None:
    try:
        read("<meta charset=utf-8>" + page + "<p>end")
    except SpanlightError as fault:
        pytest.fail(str(fault))


@pytest.mark.parametrize(
    "name",
    [
        "rot13", "idna", "punycode", "zlib_codec", "hex", "base64", "bz2", "uu", "quopri", "unicode_escape",
        "raw_unicode_escape", "undefined", "charmap", "mbcs", "palmos", "hz", "cp037",
    ],
)  # fmt: skip
def test_what_is_no_pages_encoding_counts_as_undeclared(name: str) -> None:
    for words in (b"tr\xe8s d\xe9j\xe0 \xe9l\xe8ve", b"xn--\xff. \\ud800 \\N{x \xe9"):
        page = b"<meta charset=" + name.encode() + b"><p>" + words
        assert decode_html(page, "page.html") == decode(page, "page.html")
