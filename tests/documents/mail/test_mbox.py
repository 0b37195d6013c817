from __future__ import annotations

import mailbox
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.documents.mail import mbox
from app.documents.orders import Read
from app.documents.reader import read
from tests.helpers import flowing
from tests.helpers.mails import mail, mailbox_of


def opened(data: bytes, name: str = "a.mbox") -> Opened:
    return flowing.opened(data, name, Kind.MBOX)


def subjects(found: Opened) -> list[str]:
    return [each.span.of(found.document.text) for each in found.headings if each.level == 1]


def test_every_mail_has_its_heading_head_and_number() -> None:
    mails = [bytes(mail(f"words {number}", subject=f"Mail {number}")) for number in range(3)]
    found = opened(mailbox_of(mails), "Inbox")
    assert subjects(found) == ["Mail 0", "Mail 1", "Mail 2"]
    text = found.document.text
    for number in range(3):
        at = text.index(f"words {number}")
        assert (found.place_at(at), found.heading_at(at)) == (f"mail {number + 1}", f"Mail {number}")
    assert (found.place_at(0), len(found.tables)) == ("mail 1", 3)


def test_as_pythons_own_mailbox_writes_it(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    for number in range(3):
        box.add(mail("From here on\n\nFrom: there\n", subject=f"Mail {number}"))
    box.flush()
    found = opened((tmp_path / "box").read_bytes())
    assert subjects(found) == ["Mail 0", "Mail 1", "Mail 2"]
    assert found.document.text.count("From here on") == 3


def test_lines_that_only_look_like_a_beginning_stay() -> None:
    words = b"From: a@x.org\nSubject: s\n\nFrom the start\n\nFrom here\nwe go\n>From there\n"
    found = opened(b"From a Thu Mar  4 10:00:00 2021\n" + words + b"\nFrom b\r\nSubject: t\r\n\r\nlast")
    assert subjects(found) == ["s", "t"]
    assert "From the start\n\nFrom here\nwe go\nFrom there" in found.document.text


def test_a_large_one_is_read_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.documents.reader.LARGEST_IN_MEMORY", 100)
    path = tmp_path / "a.mbox"
    path.write_bytes(mailbox_of([bytes(mail("words", subject=f"Mail {number}")) for number in range(5)]))
    found = read(Read(str(path)), Silent())
    assert len(subjects(found)) == 5
    assert found.document.text == opened(path.read_bytes()).document.text


def test_beyond_the_limits_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mailbox_of([bytes(mail("words " * 100, subject=f"Mail {number}")) for number in range(5)])
    monkeypatch.setattr(mbox, "MOST_MAILS", 2)
    found = opened(data)
    assert subjects(found) == ["Mail 0", "Mail 1"]
    assert found.notes == ("2 of 5 mails are shown.",)
    monkeypatch.setattr(mbox, "LONGEST_MAIL", 300)
    found = opened(data)
    assert "Of very large mails the beginning is shown." in found.notes


@settings(max_examples=10)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_as_many_mails_as_there_are(texts: list[str]) -> None:
    mails = [
        bytes(mail("".join(filter(str.isprintable, words)), subject=str(n))) for n, words in enumerate(texts)
    ]
    found = opened(mailbox_of(mails))
    assert subjects(found) == [str(number) for number in range(len(texts))]
    for number, heading in enumerate(each for each in found.headings if each.level == 1):
        assert found.place_at(heading.span.start) == f"mail {number + 1}"
