from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.core.text import Replacement
from app.documents.blocks import Blocks
from app.documents.mail.mail import Attached, Body, Mail, MailWriter, short, when
from app.documents.mail.mime import decoded
from app.documents.parts import Parts
from tests.documents.test_reader import word_file
from tests.helpers import flowing
from tests.helpers.books import book, chapter
from tests.helpers.flowing import outline, parts_of
from tests.helpers.mails import SENT, mail
from tests.helpers.small_pdfs import Page, lines, small_pdf

WORDS = "The knave stole the tarts."
HEAD = [
    "heading1 | Lunch", "cell 0:0,0 | From", "cell 0:0,1 | Ann Smith <ann@example.org>", "cell 0:1,0 | To",
    "cell 0:1,1 | Bob <bob@example.org>", "cell 0:2,0 | Date",
    f"cell 0:2,1 | {when(parsedate_to_datetime(SENT))}",
]  # fmt: skip


def opened(data: bytes) -> Opened:
    return flowing.opened(data, "a.eml", Kind.EML)


def shown(data: bytes) -> list[str]:
    return outline(parts_of(opened(data)))


def raw(head: bytes, body: bytes) -> bytes:
    return b"From: a@example.org\nSubject: s\nMIME-Version: 1.0\n" + head + b"\n\n" + body


def words_of(data: bytes) -> str:
    found = opened(data)
    return found.document.text.partition("a@example.org\n\n")[2]


def test_head_text_and_quotes() -> None:
    data = bytes(mail("Hi Bob,\n\nat noon.\n\n> Where?\n"))
    assert shown(data) == [*HEAD, "paragraph | Hi Bob,", "paragraph | at noon.", "quote1 | Where?"]
    assert opened(data).heading_at(10) == "Lunch"


def test_a_row_of_the_head_is_read_with_its_label() -> None:
    found = opened(bytes(mail(WORDS)))
    assert found.document.view is not None
    words = "Ann Smith <ann@example.org>"
    start = found.document.text.index(f"From\t{words}")
    before, behind = found.document.view.replacements_in(start, start + len(f"From\t{words}") + 1)
    assert (before, behind) == (
        Replacement(4, 5, ": "),
        Replacement(5 + len(words), 5 + len(words), "."),
    )


def test_a_date_is_written_with_its_zone_unless_that_is_this_computers() -> None:
    here = datetime(2021, 3, 4, 10, 0, 7).astimezone()
    assert when(here) == when(here.replace(tzinfo=None)) == "2021-03-04 10:00"
    hours = -5 if here.utcoffset() != timedelta(hours=-5) else 3
    there = here.replace(tzinfo=timezone(timedelta(hours=hours, minutes=30)))
    assert when(there) == f"2021-03-04 10:00 {'-04:30' if hours < 0 else '+03:30'}"
    found = opened(b"From: a@x.org\nDate: %s\n\nwords" % f"{there:%a, %d %b %Y %H:%M:%S %z} (there)".encode())
    assert f"Date\t{when(there)}\n" in found.document.text
    assert "Date\tnext week\n" in opened(b"From: a@x.org\nDate: next week\n\nwords").document.text


def test_plain_text_rather_than_html_unless_it_is_blank() -> None:
    assert shown(bytes(mail("plain", html="<p>rich")))[len(HEAD) :] == ["paragraph | plain"]
    assert shown(bytes(mail(" \n", html="<h1>T</h1><p>rich")))[len(HEAD) :] == [
        "heading3 | T",
        "paragraph | rich",
    ]
    page = "<p>a<blockquote>b</blockquote><table><tr><th>x<th>y<tr><td>1<td>2</table>"
    assert shown(bytes(mail(html=page)))[len(HEAD) :] == [
        "paragraph | a", "quote1 | b", "cell 1:0,0 | x", "cell 1:0,1 | y", "cell 1:1,0 | 1", "cell 1:1,1 | 2",
    ]  # fmt: skip


def test_attachments_are_listed_and_those_of_a_kind_that_is_read_follow() -> None:
    message = mail(
        WORDS,
        files={
            "notes.docx": word_file("In Word."),
            "photo.png": b"\x89PNG\r\n" + bytes(2000),
            "../../etc/list.txt": b"Milk\n\nBread",
            "a.pdf": small_pdf([Page(lines("In a PDF."))]),
            "b.epub": book([chapter("<h1>One</h1><p>In a book.</p>")]),
            "empty.txt": b"",
        },
    )
    message.add_attachment(mail("In a mail.", subject="Inner"))
    found = shown(bytes(message))
    assert [line.rpartition(" | ")[2] for line in found if line.startswith("cell 0:3,1")] == [
        "notes.docx (37 kB)",
        "photo.png (2.0 kB, not read)",
        "list.txt (11 bytes)",
        f"a.pdf ({found[len(HEAD) + 4].rpartition('(')[2]}",
        f"b.epub ({found[len(HEAD) + 5].rpartition('(')[2]}",
        "empty.txt (0 bytes, not read)",
        "Inner (mail)",
    ]
    assert [line for line in found[len(HEAD) :] if not line.startswith("cell")] == [
        f"paragraph | {WORDS}", "heading2 | Attachment: notes.docx", "heading3 | Tarts", "paragraph | In Word.",
        "heading2 | Attachment: list.txt", "paragraph | Milk", "paragraph | Bread", "heading2 | Attachment: a.pdf",
        "paragraph | In a PDF.", "heading2 | Attachment: b.epub", "heading3 | One", "paragraph | In a book.",
        "heading2 | Attachment: Inner", "paragraph | In a mail.",
    ]  # fmt: skip
    document = opened(bytes(message))
    text = document.document.text
    assert document.heading_at(text.index("In Word")) == "Lunch > Attachment: notes.docx > Tarts"
    assert document.heading_at(text.index("In a mail")) == "Lunch > Attachment: Inner"


def test_mails_in_mails_are_read_three_deep() -> None:
    inner = mail("depth 6")
    for depth in range(5, 0, -1):
        outer = mail(f"depth {depth}")
        outer.add_attachment(inner)
        inner = outer
    text = opened(bytes(inner)).document.text
    assert "depth 4" in text and "depth 5" not in text
    packed = bytes(mail("depth 6"))
    for depth in range(5, 0, -1):
        packed = bytes(mail(f"depth {depth}", files={"m.eml": packed}))
    text = opened(packed).document.text
    assert "depth 4" in text and "depth 5" not in text and "not read" in text


def test_only_so_much_is_read() -> None:
    names = "abcd"
    message = Mail("Lunch", attached=tuple(Attached(f"{name}.txt", b"words " * 20) for name in names))
    for limits, read_names, note in (
        ({"files_left": 2}, "ab", "Attachments beyond"),
        ({"bytes_left": 300}, "ab", "Attachments beyond"),
        ({"text_left": 300}, "ab", ""),
    ):
        writer = MailWriter(Blocks(), Silent(), lambda data, _: Parts(data.decode().strip()), **limits)
        writer.add(message)
        text = writer.blocks.parts().text
        assert [name for name in names if f"Attachment: {name}.txt" in text] == list(read_names)
        assert text.count("not read") == 2
        assert all(each.startswith(note) for each in writer.notes) and bool(writer.notes) == bool(note)
    writer = MailWriter(Blocks(), Silent(), lambda data, _: Parts(""), text_left=10)
    writer.add(Mail("Lunch", bodies=(Body("0123456789abc"),)))
    assert writer.blocks.parts().text == "Lunch\n\n0123456789" and writer.is_full
    assert [*writer.notes] == ["The mail is too long: its beginning is shown."]


@pytest.mark.parametrize(
    ("head", "body", "words"),
    [
        (b"Content-Type: text/plain; charset=iso-8859-1", b"Gr\xfc\xdfe", "Grüße"),
        (b"Content-Type: text/plain; charset=iso-8859-1", "Grüße".encode(), "Grüße"),  # it is not
        (b"Content-Type: text/plain; charset=us-ascii", "Größe für Änderung".encode("cp1252"), "Größe für Änderung"),
        (b"Content-Type: text/plain; charset=utf-8", b"Gr\xfc\xdfe", "Gr\ufffd\ufffde"),
        (b"Content-Type: text/plain; charset=nonsense", "Grüße".encode(), "Grüße"),
        (b"Content-Type: text/plain; charset*=us-ascii''utf-8", "Grüße".encode(), "Grüße"),
        (b"Content-Type: text/plain; charset=idna", b"words", "words"),
        (b"Content-Type: text/plain", "Größe für Änderung".encode("cp1252"), "Größe für Änderung"),
        (b"Content-Type: text/plain; charset=iso-2022-jp", "日本語".encode("iso-2022-jp"), "日本語"),
        (b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", b"R3LDvMOfZQ==", "Grüße"),
        (b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable", b"Gr=C3=BC=\n=C3=9Fe",
         "Grüße"),
        (b"Content-Type: text/html; charset=utf-8", "<p>Gr&uuml;ße".encode(), "Grüße"),
        (b"Content-Type: text/plain; format=flowed", b"one \ntwo", "one two"),
        (b"Content-Type: multipart/mixed", b"no boundary", "no boundary"),
        (b"Content-Type: nonsense; ;;;==", b"words", "words"),
        (b"Content-Type: text/plain; a*=x; a*0=y; charset=iso-8859-1", b"words", "words"),
        (b"X: y", b"no type", "no type"),
    ],
)  # fmt: skip
def test_characters(head: bytes, body: bytes, words: str) -> None:
    assert words_of(raw(head, body)) == words


@pytest.mark.parametrize(
    ("head", "subject", "sender"),
    [
        (
            "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: =?iso-8859-1?q?J=FCrgen?= <j@x.org>",
            "Grüße",
            "Jürgen <j@x.org>",
        ),
        ("Subject: Grüße\nFrom: Jürgen <j@x.org>", "Grüße", "Jürgen <j@x.org>"),
        ("Subject:\n\tfolded\n over lines\nFrom: a@x.org, b@x.org", "folded over lines", "a@x.org, b@x.org"),
        ("Subject: =?utf-8?b?broken\nFrom: <<<>>>,,;:", "=?utf-8?b?broken", "<<<>>>,,;:"),
        (
            "Subject: =?x-nonsense?q?a=C3=A9?= =?utf-8?q?=FF?=\nFrom: a@x.org (Ann)",
            "aé\ufffd",
            "a@x.org (Ann)",
        ),
        ("Subject: \u202e\nFrom: Ann (at work <a@x.org>", "(no subject)", "Ann (at work <a@x.org>"),
    ],
)
def test_heads(head: str, subject: str, sender: str) -> None:
    for encoding in ("utf-8", "cp1252"):
        try:
            data = f"{head}\n\nwords".encode(encoding)
        except UnicodeEncodeError:
            continue
        found = opened(data)
        assert found.heading_at(0) == subject
        row = found.document.text.partition("From\t")[2].partition("\n")[0]
        assert row == sender


def test_parts_in_order_and_encrypted_ones() -> None:
    message = mail("first")
    message.make_mixed()
    footer = EmailMessage()
    footer.set_content("the list's footer")
    message.attach(footer)
    assert opened(bytes(message)).document.text.endswith("first\n\nthe list's footer")
    found = opened(
        raw(b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", b"x")
    )
    assert found.notes == ("A mail is encrypted: only its head can be read.",)


def test_what_is_nested_too_deep_is_refused() -> None:
    deep = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3000))
    with pytest.raises(SpanlightError, match="nested deeper"):
        opened(raw(deep.partition(b"\n")[0], deep.partition(b"\n")[2]))


@given(
    st.binary(max_size=60),
    st.sampled_from(["", "utf-8", "us-ascii", "iso-8859-15", "gb2312", "x-unknown", "utf-7"]),
)
def test_any_bytes_are_characters(data: bytes, charset: str) -> None:
    assert isinstance(decoded(data, charset), str)


@given(st.text(max_size=40))
def test_names_have_no_folders(name: str) -> None:
    assert not {"/", "\\", "\n"} & set(short(name))


@given(st.text(max_size=60), st.text(max_size=200), st.text(max_size=40))
def test_any_words_come_back(subject: str, words: str, attached: str) -> None:
    def plain(text: str) -> str:
        return "".join(each for each in text if each.isprintable() or each == "\n")

    message = mail(
        plain(words), subject=plain(subject).replace("\n", " "), files={"a.txt": plain(attached).encode()}
    )
    found = opened(bytes(message))
    for letter in plain(words).split():
        assert letter.lstrip(">") in found.document.text or ">" in letter
