from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.kinds import KINDS
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.documents.epub import resolve
from app.documents.orders import Read
from app.documents.reader import read
from tests.helpers import flowing
from tests.helpers.books import CONTAINER, book, chapter, navigation, ncx, packed_book, point
from tests.helpers.flowing import outline, parts_of

WORDS = "The knave stole the tarts."
ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
    '<enc:EncryptedData><enc:EncryptionMethod Algorithm="{method}"/><enc:CipherData>'
    '<enc:CipherReference URI="{part}"/></enc:CipherData></enc:EncryptedData></encryption>'
)
AES = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"


def opened(data: bytes) -> Opened:
    return flowing.opened(data, "a.epub", Kind.EPUB)


def lines(data: bytes) -> list[str]:
    return outline(parts_of(opened(data)))


def test_chapters_in_the_order_of_the_spine() -> None:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="a" href="text/1.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="text/2.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="text/3.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="p" href="p.svg" media-type="image/svg+xml"/></manifest>'
        '<spine><itemref idref="c"/><itemref idref="p"/><itemref idref="none"/><itemref idref="a"/></spine></package>'
    )
    chapters = [chapter("<p>one</p>"), chapter("<p>two</p>"), chapter("<p>three</p>")]
    assert lines(book(chapters, package=package)) == ["paragraph | three", "paragraph | one"]


def test_titles_of_the_navigation_become_headings() -> None:
    nav = navigation(
        '<li><a href="1.xhtml">Chapter 1:  The start</a></li>'
        '<li><a href="2.xhtml">Second</a><ol><li><a href="3.xhtml#a">One</a></li><li><a href="3.xhtml#b">Two</a></li>'
        '</ol></li><li><a href="4.xhtml">III. The End</a></li><li><a href="4.xhtml">III: The end</a></li>'
        "<li><span>no link</span></li>"
    )
    chapters = [
        chapter("<h2>CHAPTER 1 – The Start</h2><p>It was dark.</p><h3>A part</h3><p>Words.</p>"),
        chapter("<p>No heading here.</p>"),
        chapter("<p><b>One</b></p><p>first</p><p>TWO</p><p>second</p>"),
        chapter("<ul><li>III. The End</li><li>x</li></ul><p>III</p><h1>The End</h1><p>They lived.</p>"),
    ]
    assert lines(book(chapters, nav=nav)) == [
        "heading1 | CHAPTER 1 – The Start", "paragraph | It was dark.", "heading4 | A part", "paragraph | Words.",
        "heading1 | Second", "paragraph | No heading here.", "heading2 | One", "paragraph | first", "heading2 | TWO",
        "paragraph | second", "item1 • | III. The End", "item1 • | x", "heading1 | III", "heading2 | The End",
        "paragraph | They lived.",
    ]  # fmt: skip


def test_titles_of_epub_2() -> None:
    toc = ncx(point("Part <!-- not shown -->One", "text/1.xhtml", point("In %41 room", "text/a%20b.xhtml")))
    package = (
        '<package><manifest><item id="a" href="text/1.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="t" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
        '<spine toc="t"><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    data = book(
        [chapter("<h3>Part One</h3><p>a</p>")],
        package=package,
        toc=toc,
        more={"OEBPS/text/a b.xhtml": chapter("<p>b")},
    )
    assert lines(data) == ["heading1 | Part One", "paragraph | a", "heading2 | In %41 room", "paragraph | b"]


def test_elements_that_are_empty_in_xml_hold_nothing() -> None:
    inside = f'<p><a id="x" href="y"/>{WORDS}<br/></p><script src="a.js"/><div/><p>More.</p>'
    found = opened(book([chapter(inside)]))
    assert found.document.text == f"{WORDS}\n\nMore."
    assert not found.blocks[0].styles


def test_a_place_is_told_by_part_and_chapter() -> None:
    nav = navigation(
        '<li><a href="1.xhtml">Part One</a><ol><li><a href="2.xhtml">Chapter 2</a></li></ol></li>'
    )
    found = opened(book([chapter("<p>a</p>"), chapter(f"<h1>Chapter 2</h1><p>{WORDS}</p>")], nav=nav))
    at = found.document.text.index(WORDS)
    assert found.heading_at(at) == "Part One > Chapter 2"
    assert found.heading_at(0) == "Part One"
    assert (found.place_at(at), found.page_at(at), found.line_at(at)) == ("", None, None)


def test_protected_words_are_refused_and_protected_fonts_are_not() -> None:
    for method, part, is_refused in (
        (AES, "OEBPS/text/1.xhtml", True),
        (AES, "OEBPS/text/%31.xhtml", True),
        (AES, "OEBPS/font.otf", False),
        ("http://www.idpf.org/2008/embedding", "OEBPS/font.otf", False),
    ):
        more = {"META-INF/encryption.xml": ENCRYPTED.format(method=method, part=part)}
        data = book([chapter(f"<p>{WORDS}</p>")], more=more)
        if is_refused:
            with pytest.raises(SpanlightError, match="protected against copying"):
                opened(data)
        else:
            assert opened(data).document.text == WORDS


def test_what_is_missing_is_told() -> None:
    nowhere = '<item id="b" href="nowhere.xhtml" media-type="application/xhtml+xml"/>'
    package = (
        f'<package><manifest><item id="a" href="text/1.xhtml" media-type="application/xhtml+xml"/>{nowhere}</manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    found = opened(book([chapter(f"<p>{WORDS}</p>")], package=package))
    assert (found.document.text, len(found.notes)) == (WORDS, 1)
    whole = book([chapter(f"<p>{WORDS}</p>"), chapter("<p>x</p>")])
    missing = packed_book({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": "<package/>"})
    with pytest.raises(SpanlightError, match="holds no text"):
        opened(missing)
    with pytest.raises(SpanlightError, match="is not an EPUB book"):
        opened(packed_book({"a.txt": WORDS}))
    with pytest.raises(SpanlightError, match="damaged"):
        opened(packed_book({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": b"\0\1"}))
    cut = opened(whole[: whole.rindex(b"PK\x01\x02") - 30])
    assert WORDS in cut.document.text
    assert cut.notes == ("The file is damaged: what could be read of it is shown.",)


def test_a_book_without_a_container_or_a_type() -> None:
    data = packed_book(
        {
            "x/b.opf": '<package><manifest><item id="a" href="c.html" media-type="text/html"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "x/c.html": f"<p>{WORDS}",
        }
    )
    assert opened(data).document.text == WORDS
    assert read(Read("", "b", data=data), Silent()).kind is Kind.EPUB  # by its content
    assert opened(data.replace(b"mimetype", b"nametype")).document.text == WORDS  # by its name


def test_a_book_that_is_too_long_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    chapters = [chapter(f"<p>{WORDS} {number}</p>") for number in range(5)]
    monkeypatch.setattr("app.documents.epub.MOST_TEXT", 3 * len(WORDS))
    found = opened(book(chapters))
    assert found.document.text.count(WORDS) == 3
    assert found.notes == ("The book is too long: 3 of its 5 parts are shown.",)
    page = KINDS[Kind.HTML]._replace(most=len(chapters[0]))
    monkeypatch.setitem(KINDS, Kind.HTML, page)
    assert len(opened(book([chapters[0], chapter("x" * 1000)])).notes) == 1


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_reference_leads_out_of_the_book(base: str, href: str) -> None:
    part, _ = resolve(base, href)
    if href.partition("#")[0]:
        assert not part.startswith("/") and ".." not in part.split("/")


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=40)), max_size=6))
def test_any_titles_and_words_fit(chapters: list[tuple[str, str]]) -> None:
    def shown(words: str) -> str:
        return "".join(each for each in words if each.isprintable() and each not in "<&")

    nav = navigation(
        "".join(
            f'<li><a href="{number}.xhtml">{shown(title)}</a></li>'
            for number, (title, _) in enumerate(chapters, 1)
        )
    )
    pages = [chapter(f"<h2>{shown(title)}</h2><p>{shown(words)}</p>") for title, words in chapters]
    found = opened(book([*pages, chapter(f"<p>{WORDS}</p>")], nav=nav))
    assert found.document.text.endswith(WORDS)
    for heading in found.headings:
        assert found.heading_at(heading.span.start)
