"""Reads mails that Outlook saved (.msg; MS-OXMSG) with python-oxmsg."""

from __future__ import annotations

import io
from email.utils import format_datetime

from olefile import OleFileIO
from oxmsg.domain import constants, encodings, model
from oxmsg.properties import Properties
from oxmsg.storage import Storage

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.mail.mail import DEEPEST, Attached, Body, Mail, MailWriter, ReadFile, short
from app.documents.mail.mime import decoded, parse, tried
from app.documents.parts import Parts

_PROPERTIES = "__properties_version1.0"
# The properties of a mail in a mail have a shorter head (MS-OXMSG, section 2.4.1.2).
_INNER_HEAD = 24
_INNER = f"__substg1.0_{constants.PID_ATTACH_DATA_BINARY:04X}{constants.PTYP_OBJECT:04X}"
_OLDEST = 1980  # the year of dates that are none


def read_msg(data: bytes, name: str, report: Report, read_file: ReadFile) -> Parts:
    """The text, headings, blocks and tables of a mail that Outlook saved, and of its attachments, as `MailWriter` does.

    Text that is only in Outlook's rich text is left out, and a note says so. Raises SpanlightError for what is damaged
    or no mail, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the mail")))
    storage = tried(lambda: _storage(data), None)
    report.check()
    if storage is None:
        raise SpanlightError(
            Message("“{name}” is damaged: nothing of its text could be read.", name=name),
            Message("Get it again from where it came."),
        )
    if not any(stream.name == _PROPERTIES for stream in storage.streams):
        raise SpanlightError(
            Message("“{name}” is no mail that Outlook saved.", name=name),
            Message("Open it in the program that wrote it, and save it as PDF or as text."),
        )
    writer = MailWriter(Blocks(), report, read_file)
    mail = _Item(storage, model.MSG_HDR_OFFSET).mail()
    writer.add(mail)
    if not mail.bodies and _stream(storage, constants.PID_RTF_COMPRESSED, constants.PTYP_BINARY):
        writer.notes[Message("The mail has its text only as rich text, which is not read.")] = None
    return writer.blocks.parts(writer.notes)


def _storage(data: bytes) -> Storage | None:
    """What the file holds, all of which is read; None where that would be more than the file has."""
    with OleFileIO(io.BytesIO(data)) as ole:
        if sum(entry.size for entry in ole.direntries if entry is not None) > 2 * len(data):
            return None
        return Storage.from_ole(ole)


class _Item:
    """A mail or an attachment by its properties; each of them may be missing or damaged."""

    def __init__(self, storage: Storage, head: int) -> None:
        self._storage = storage
        self._properties = Properties(storage, head)

    def mail(self, depth: int = 1) -> Mail:
        """The item as a mail, its plain text rather than its HTML."""
        headers = self._text(constants.PID_TRANSPORT_MESSAGE_HEADERS)
        sent = parse(headers.encode("utf-8", "replace")) if headers else None
        head = dict(sent.head if sent is not None else ())
        own = {
            "From": self._sender(),
            "To": self._text(constants.PID_DISPLAY_TO).rstrip("\0"),
            "Cc": self._text(constants.PID_DISPLAY_CC).rstrip("\0"),
            "Date": self._date(),
        }
        plain, page = self._text(constants.PID_BODY), self._page()
        bodies = [Body(plain)] if plain.strip() else [Body(page, is_html=True)] if page.strip() else []
        attached = tuple(
            _Item(each, model.ATTACH_HDR_OFFSET).attached(depth)
            for each in self._storage.iter_attachment_storages()
        )
        lines = tuple((label, " ".join((head.get(label) or words).split())) for label, words in own.items())
        return Mail(" ".join(self._text(constants.PID_SUBJECT).split()), lines, tuple(bodies), attached)

    def attached(self, depth: int) -> Attached:
        """The item as an attachment."""
        names = (
            constants.PID_ATTACH_LONG_FILENAME,
            constants.PID_ATTACH_FILENAME,
            constants.PID_DISPLAY_NAME,
        )
        name = next(filter(None, (short(self._text(each)) for each in names)), "attachment")
        inner = next((each for each in self._storage.storages if each.name == _INNER), None)
        if inner is None:
            return Attached(
                name, _stream(self._storage, constants.PID_ATTACH_DATA_BINARY, constants.PTYP_BINARY)
            )
        mail = _Item(inner, _INNER_HEAD).mail(depth + 1) if depth <= DEEPEST else Mail()
        return Attached(short(mail.subject) or name, mail)

    def _text(self, identifier: int) -> str:
        wide = _stream(self._storage, identifier, constants.PTYP_STRING)
        if wide:
            return wide.decode("utf-16-le", "replace")
        narrow = _stream(self._storage, identifier, constants.PTYP_STRING8)
        return decoded(narrow, self._encoding(constants.PID_MESSAGE_CODEPAGE)) if narrow else ""

    def _page(self) -> str:
        found = _stream(self._storage, constants.PID_HTML, constants.PTYP_BINARY)
        if found:
            return decoded(found, self._encoding(constants.PID_INTERNET_CODEPAGE))
        return self._text(constants.PID_BODY_HTML)

    def _encoding(self, identifier: int) -> str:
        page = tried(lambda: self._properties.int_prop_value(identifier), None)
        return tried(lambda: encodings.encoding_from_codepage(page) if page is not None else "", "")

    def _sender(self) -> str:
        name = self._text(constants.PID_SENDER_NAME) or self._text(constants.PID_SENT_REPRESENTING_NAME)
        addresses = (
            self._text(constants.PID_SENDER_SMTP_ADDRESS),
            self._text(constants.PID_SENDER_EMAIL_ADDRESS),
        )
        address = next((each for each in addresses if "@" in each), "")
        return f"{name} <{address}>" if name and address and name != address else name or address

    def _date(self) -> str:
        for identifier in (constants.PID_CLIENT_SUBMIT_TIME, constants.PID_MESSAGE_DELIVERY_TIME):
            date = tried(lambda identifier=identifier: self._properties.date_prop_value(identifier), None)  # type: ignore[misc]
            if date is not None and date.year > _OLDEST:
                return tried(lambda date=date: format_datetime(date), "")  # type: ignore[misc]
        return ""


def _stream(storage: Storage, identifier: int, kind: int) -> bytes:
    """The bytes of a property; none without it."""
    return tried(lambda: storage.property_stream_bytes(identifier, kind), b"")
