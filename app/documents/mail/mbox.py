"""Reads the mails of a mailbox in one file (.mbox; RFC 4155) one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.mail.mail import MailWriter, ReadFile
from app.documents.mail.mime import parse
from app.documents.parts import Parts

# How many mails of one file are shown, and how many bytes of one mail.
MOST_MAILS, LONGEST_MAIL = 20_000, 50_000_000
_BEGINS = b"From "
_FIELD = re.compile(rb">?From |[!-9;-~]+:")
# Lines of a mail's text that would begin a mail are marked so.
_MARKED = re.compile(rb">+From ")
_CHECK_EVERY = 1 << 16


def read_mbox(source: bytes | str, name: str, report: Report, read_file: ReadFile) -> Parts:
    """The mails of a mailbox in its bytes or at a path, each with its attachments, as `MailWriter` adds them.

    What is beyond the limits on their number, on a mail's size and on the text of all is left out, and a note says so.
    Raises SpanlightError if there is no mail, and Stopped when the report says so.
    """
    writer = MailWriter(Blocks(), report, read_file)
    total = len(source) if isinstance(source, bytes) else Path(source).stat().st_size
    done = shown = unread = 0
    cut = False
    for lines, size, is_whole in _mails(_lines(source), report):
        report.progress(Progress(done, max(total, done), Message("Reading the mailbox")))
        done += size
        if shown == MOST_MAILS or writer.is_full:
            unread += 1
            continue
        mail = parse(b"".join(lines))
        if mail is None:
            unread += 1
            continue
        cut |= not is_whole
        writer.add(mail)
        shown += 1
    if not shown:
        raise SpanlightError(
            Message("“{name}” holds no mail that can be read.", name=name),
            Message("Get it again from where it came."),
        )
    if unread:
        note = Message("{shown:,} of {all:,} mails are shown.", shown=shown, all=shown + unread)
        writer.notes[note] = None
    if cut:
        writer.notes[Message("Of very large mails the beginning is shown.")] = None
    return writer.blocks.parts(writer.notes)


def _lines(source: bytes | str) -> Iterator[bytes]:
    """The lines with their ends; a very long one comes in several parts."""
    if isinstance(source, str):
        with Path(source).open("rb") as file:
            while line := file.readline(_CHECK_EVERY):
                yield line
        return
    at = 0
    while at < len(source):
        end = source.find(b"\n", at, at + _CHECK_EVERY)
        end = end + 1 if end >= 0 else min(len(source), at + _CHECK_EVERY)
        yield source[at:end]
        at = end


def _mails(lines: Iterable[bytes], report: Report) -> Iterator[tuple[list[bytes], int, bool]]:
    """Each mail's lines without its “From …” line, its size in bytes, and whether these are all of its lines.

    A mail begins with a line “From …” at the start of the file or after an empty line, if a header follows.
    """
    mail: list[bytes] = []
    size = kept = count = 0
    is_blank = True
    held = b""
    for line in lines:
        count += 1
        if count % _CHECK_EVERY == 0:
            report.check()
        if held:
            if _FIELD.match(line):
                if size:
                    yield mail, size, size == kept
                mail, size, kept = [], 0, 0
            else:
                size, kept = size + len(held), kept + len(held)
                mail.append(held)
            held = b""
        if line.startswith(_BEGINS) and is_blank:
            held = line
            continue
        is_blank = not line.strip()
        size += len(line)
        if kept < LONGEST_MAIL:
            kept += len(line)
            mail.append(line[1:] if _MARKED.match(line) else line)
    if size:
        yield mail, size, size == kept
