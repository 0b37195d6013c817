"""Reads mails that Outlook saved (.msg; MS-OXMSG) with python-oxmsg."""

from __future__ import annotations

import io
import struct
from functools import partial

from olefile import OleFileIO
from oxmsg.domain import constants, encodings, model
from oxmsg.properties import Properties
from oxmsg.storage import Storage

from app.core.errors import SpanlightError
from app.core.kinds import KINDS
from app.core.layout import Kind
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.mail.mail import DEEPEST, Attached, Body, Mail, MailWriter, ReadFile, short, when
from app.documents.mail.mime import decoded, parse, tried
from app.documents.package import damaged_beyond_reading
from app.documents.parts import Parts

_PROPERTIES = "__properties_version1.0"
# The properties of a mail in a mail have a shorter head (MS-OXMSG, section 2.4.1.2).
_INNER_HEAD = 24
_INNER = f"__substg1.0_{constants.PID_ATTACH_DATA_BINARY:04X}{constants.PTYP_OBJECT:04X}"
_OLDEST = 1980  # the year of dates that are none
# Packed rich text (MS-OXRTFCP, sections 2.1.3.1 and 3.1.3): its head, how that says what follows, how far back a
# reference leads, and what comes before the text.
_RICH_HEAD, _PACKED, _PLAIN, _WINDOW = struct.Struct("<2I4sI"), b"LZFu", b"MELA", 4096
_BEFORE = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def read_msg(data: bytes, name: str, report: Report, read_file: ReadFile) -> Parts:
    """The text, headings, blocks and tables of a mail that Outlook saved, and of its attachments, as `MailWriter` does.

    Raises SpanlightError for what is damaged or no mail, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the mail")))
    storage = tried(lambda: _storage(data), None)
    report.check()
    if storage is None:
        raise damaged_beyond_reading(name)
    if not any(stream.name == _PROPERTIES for stream in storage.streams):
        raise SpanlightError(
            Message("“{name}” is no mail that Outlook saved.", name=name),
            Message("Open it in the program that wrote it, and save it as PDF or as text."),
        )
    writer = MailWriter(Blocks(), report, read_file)
    writer.add(_Item(storage, model.MSG_HDR_OFFSET).mail())
    return writer.blocks.parts(writer.notes)


def _storage(data: bytes) -> Storage | None:
    """The file's content, all of which is read; None where its directory claims more than the file has."""
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
        """The item as a mail, with its plain text, else its HTML, else its rich text."""
        headers = self._text(constants.PID_TRANSPORT_MESSAGE_HEADERS)
        sent = parse(headers.encode("utf-8", "replace")) if headers else None
        head = dict(sent.head if sent is not None else ())
        own = {
            "From": self._sender(),
            "To": self._text(constants.PID_DISPLAY_TO).rstrip("\0"),
            "Cc": self._text(constants.PID_DISPLAY_CC).rstrip("\0"),
            "Date": self._date(),
        }
        attached = tuple(
            _Item(each, model.ATTACH_HDR_OFFSET).attached(depth)
            for each in self._storage.iter_attachment_storages()
        )
        lines = tuple((label, " ".join((head.get(label) or words).split())) for label, words in own.items())
        return Mail(" ".join(self._text(constants.PID_SUBJECT).split()), lines, self._bodies(), attached)

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

    def _bodies(self) -> tuple[Body, ...]:
        if (plain := self._text(constants.PID_BODY)).strip():
            return (Body(plain),)
        if (page := self._page()).strip():
            return (Body(page, is_html=True),)
        packed = _stream(self._storage, constants.PID_RTF_COMPRESSED, constants.PTYP_BINARY)
        rich = unpacked(packed)
        return (Body(rich=rich),) if rich else ()

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
            date = tried(partial(self._properties.date_prop_value, identifier), None)
            if date is not None and date.year > _OLDEST:
                return tried(partial(when, date), "")
        return ""


def _stream(storage: Storage, identifier: int, kind: int) -> bytes:
    """The bytes of a property; none without it."""
    return tried(lambda: storage.property_stream_bytes(identifier, kind), b"")


def unpacked(data: bytes) -> bytes:
    """Unpack rich text that Outlook compressed (MS-OXRTFCP): empty if it is damaged, cut if it is very long."""
    if len(data) < _RICH_HEAD.size:
        return b""
    size, length, kind, _ = _RICH_HEAD.unpack_from(data)
    if kind != _PACKED:
        return data[_RICH_HEAD.size :][:length] if kind == _PLAIN else b""
    text = bytearray(_BEFORE)
    most = len(_BEFORE) + min(length, KINDS[Kind.RTF].most)
    at, end = _RICH_HEAD.size, min(len(data), size + 4)
    while at < end and len(text) < most:
        kinds, at = data[at], at + 1
        for number in range(8):
            if at >= end:
                break
            if not kinds >> number & 1:
                text += data[at : at + 1]
                at += 1
                continue
            reference, at = int.from_bytes(data[at : at + 2], "big"), at + 2
            back = (len(text) - (reference >> 4)) % _WINDOW
            if not back or back > len(text):  # the end, or damage
                return bytes(text[len(_BEFORE) : most])
            for _ in range((reference & 15) + 2):
                text.append(text[-back])
    return bytes(text[len(_BEFORE) : most])
