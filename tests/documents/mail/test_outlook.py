from __future__ import annotations

import struct
from datetime import UTC, datetime

import pytest

from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.documents.mail.mail import when
from app.documents.mail.outlook import unpacked
from app.documents.orders import Read
from app.documents.reader import read
from tests.documents.test_reader import word_file
from tests.helpers import flowing
from tests.helpers.flowing import outline, parts_of
from tests.helpers.mails import Storage, binary, compound, outlook_parts, wide

HEAD = [
    "heading1 | Lunch", "cell 0:0,0 | From", "cell 0:0,1 | Ann Smith <ann@example.org>", "cell 0:1,0 | To",
    "cell 0:1,1 | Bob", "cell 0:2,0 | Date", f"cell 0:2,1 | {when(datetime(2021, 3, 4, 9, tzinfo=UTC))}",
]  # fmt: skip


def opened(root: Storage) -> Opened:
    return flowing.opened(compound(root), "a.msg", Kind.MSG)


def shown(root: Storage) -> list[str]:
    return outline(parts_of(opened(root)))


def test_head_and_text() -> None:
    assert shown(outlook_parts("Hello.\r\n\r\n> Hi")) == [*HEAD, "paragraph | Hello.", "quote1 | Hi"]
    page = "<p>Grüße <b>aus</b> Köln</p>".encode()
    assert shown(outlook_parts(html=page)) == [*HEAD, "paragraph | Grüße aus Köln"]
    assert shown(outlook_parts("plain", html=page)) == [*HEAD, "paragraph | plain"]


def test_what_the_mail_was_sent_with_comes_first() -> None:
    headers = "From: Ann <a@x.org>\r\nTo: Bob <b@x.org>\r\nDate: Fri, 05 Mar 2021 10:00:00 +0100\r\n\r\n"
    found = shown(outlook_parts("Hello.") | wide(0x007D, headers))
    assert found[2] == "cell 0:0,1 | Ann <a@x.org>" and found[4] == "cell 0:1,1 | Bob <b@x.org>"
    assert found[6].startswith("cell 0:2,1 | 2021-03-05 10:00")


def test_attachments_and_mails_in_it() -> None:
    inner = outlook_parts("Inner text.", subject="Inside", head=24)
    files = {"notes.docx": word_file("In Word."), "p.png": b"\x89PNG\r\n" + bytes(9000)}
    found = shown(outlook_parts("Hello.", files=files, inner=[inner]))
    assert [line for line in found if line.startswith("cell 0:3,1")] == [
        "cell 0:3,1 | notes.docx (37 kB)",
        "cell 0:3,1 | p.png (9.0 kB, not read)",
        "cell 0:3,1 | Inside (mail)",
    ]
    assert [line for line in found if not line.startswith("cell")][1:] == [
        "paragraph | Hello.",
        "heading2 | Attachment: notes.docx",
        "heading3 | Tarts",
        "paragraph | In Word.",
        "heading2 | Attachment: Inside",
        "paragraph | Inner text.",
    ]


def test_old_encodings_and_missing_properties() -> None:
    old = {"__substg1.0_1000001E": "Größe für Änderung".encode("cp1252")}
    assert "Größe für Änderung" in opened(outlook_parts() | old).document.text
    bare: Storage = {"__properties_version1.0": b""}
    assert opened(bare | wide(0x1000, "words")).document.text == "(no subject)\n\nwords"


# The examples of MS-OXRTFCP, sections 3.1.1 and 3.1.2, the second of a reference that runs into what it writes.
PACKED = {
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0":
        rb"{\rtf1\ansi\ansicpg1252\pard hello world}" b"\r\n",
    "1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0": rb"{\rtf1 WXYZWXYZWXYZWXYZWXYZ}",
}  # fmt: skip


def test_rich_text_is_unpacked() -> None:
    for packed, text in PACKED.items():
        assert unpacked(bytes.fromhex(packed)) == text
        for at in range(len(packed) // 2):  # whatever is left of it
            unpacked(bytes.fromhex(packed)[:at])
    assert unpacked(struct.pack("<2I4sI", 20, 5, b"MELA", 0) + b"{\\rtf}") == b"{\\rtf"
    found = opened(outlook_parts() | binary(0x1009, bytes.fromhex(next(iter(PACKED)))))
    assert found.document.text.endswith("\n\nhello world")


def test_what_is_no_mail_is_refused() -> None:
    with pytest.raises(SpanlightError, match="is no mail that Outlook saved"):
        opened({"WordDocument": b"words"})
    with pytest.raises(SpanlightError, match="is damaged"):
        read(Read("", "a.msg", data=compound(outlook_parts("words"))[:1000]), Silent())
    with pytest.raises(SpanlightError, match="an old Word file"):
        read(Read("", "a.doc", data=compound({"WordDocument": b"words"})), Silent())
