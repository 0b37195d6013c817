"""Reads mails in the Internet Message Format (RFC 5322, MIME), and files with one of them (.eml)."""

from __future__ import annotations

import email
from collections.abc import Callable, Iterator
from email.header import decode_header
from email.message import Message as MimeMessage
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from typing import TypeVar

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.html import encoding_of
from app.documents.mail.mail import DEEPEST, Attached, Body, Mail, MailWriter, ReadFile, short, when
from app.documents.parts import Parts
from app.documents.plain_text import decode

_HEAD = ("From", "To", "Cc", "Date")
# Longer ones are lists of addresses.
_LONGEST_HEADER = 5_000
_MOST_PARTS = 2_000
_T = TypeVar("_T")


def read_eml(data: bytes, name: str, report: Report, read_file: ReadFile) -> Parts:
    """The text, headings, blocks and tables of a mail in a file, and of its attachments, as `MailWriter` adds them.

    Raises SpanlightError for what is damaged or nested too deep, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the mail")))
    writer = MailWriter(Blocks(), report, read_file)
    mail = parse(data)
    if mail is None:
        raise SpanlightError(
            Message("“{name}” is damaged, or nested deeper than any mail, and was not opened.", name=name),
            Message("Open it in a mail program, and save the part that matters."),
        )
    writer.add(mail)
    return writer.blocks.parts(writer.notes)


def parse(data: bytes) -> Mail | None:
    """The mail in these bytes; None if it cannot be read, as one whose parts are nested too deep."""
    return tried(lambda: mail_of(email.message_from_bytes(data, policy=_Policy())), None)


class _Policy(Compat32):
    """Cuts long headers, whose parameters and addresses take time that grows with the square of their length.

    The older of the package's policies: the newer one's parsers of structured headers drop what they do not understand,
    fail at some, and take minutes for others.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _LONGEST_HEADER + 1]


def _inner(part: MimeMessage) -> list[MimeMessage]:
    """The parts of a part."""
    inner = part.get_payload() if part.is_multipart() else []
    return [each for each in inner if isinstance(each, MimeMessage)]


def mail_of(parsed: MimeMessage, depth: int = 1) -> Mail:
    """The Mail of a parsed message, with its plain text, or its HTML if it has no other."""
    bodies: list[Body] = []
    attached: list[Attached] = []
    encrypted = False
    for part in _leaves(parsed):
        kind = part.get_content_type()
        name = short(_in_words(tried(part.get_filename, None) or ""))
        if kind == "message/rfc822":
            if inner := _inner(part):
                mail = mail_of(inner[0], depth + 1) if depth <= DEEPEST else Mail(header(inner[0], "Subject"))
                attached.append(Attached(name or short(mail.subject) or "(no subject)", mail))
            continue
        data = part.get_payload(decode=True)
        content = data if isinstance(data, bytes) else b""
        encrypted |= kind == "application/pgp-encrypted" or "enveloped" in _parameter(part, "smime-type")
        # A damaged part of several parts has none, but a text.
        is_text = kind in ("text/plain", "text/html") or kind.startswith("multipart/")
        is_text &= part.get_content_disposition() != "attachment"
        if is_text and not name:
            flowed, joined = _parameter(part, "format") == "flowed", _parameter(part, "delsp") == "yes"
            text = decoded(content, tried(part.get_content_charset, None) or "")
            bodies.append(Body(text, kind == "text/html", flowed, joined))
        elif name or not part.get("Content-ID"):  # pictures within the text have no name as a rule
            attached.append(Attached(name or kind, content))
    head = {label: header(parsed, label) for label in _HEAD}
    head["Date"] = tried(lambda: when(parsedate_to_datetime(head["Date"])), head["Date"])
    return Mail(header(parsed, "Subject"), tuple(head.items()), tuple(bodies), tuple(attached), encrypted)


def _parameter(part: MimeMessage, name: str) -> str:
    """A parameter of a part's type, in lower case; empty without one."""
    return tried(lambda: str(part.get_param(name, "")).lower(), "")


def _leaves(parsed: MimeMessage) -> Iterator[MimeMessage]:
    """The parts of a mail that have no parts themselves, in order, one of each set of alternatives."""
    stack, count = [parsed], 0
    while stack and count < _MOST_PARTS:
        part = stack.pop()
        count += 1
        inner = _inner(part)
        if not inner or part.get_content_type() == "message/rfc822":
            yield part
        elif part.get_content_type() == "multipart/alternative":
            stack.append(_preferred(inner))
        else:
            stack += reversed(inner)


def _preferred(alternatives: list[MimeMessage]) -> MimeMessage:
    """The alternative that is read: plain text that is not blank, else HTML with or without pictures, else the last."""
    for part in alternatives:
        if part.get_content_type() == "text/plain" and (part.get_payload(decode=True) or b"").strip():  # type: ignore[union-attr]
            return part
    for kind in ("text/html", "multipart/related", "multipart/mixed"):
        for part in alternatives:
            if part.get_content_type() == kind:
                return part
    return alternatives[-1]


def header(parsed: MimeMessage, name: str) -> str:
    """A header's words, decoded, on one line; empty without one."""
    raw = next((value for key, value in parsed.raw_items() if key.lower() == name.lower()), "")
    return _in_words(str(raw))


def _in_words(raw: str) -> str:
    """A header's value on one line, with encoded words (RFC 2047) decoded."""
    line = raw if raw.isascii() else decoded(raw.encode("utf-8", "surrogateescape"), "")
    line = " ".join((line[:_LONGEST_HEADER] + "…" * (len(line) > _LONGEST_HEADER)).split())
    if "=?" not in line:
        return line
    words = tried(lambda: "".join(_chunk(chunk, charset) for chunk, charset in decode_header(line)), line)
    return " ".join(words.split())


def _chunk(chunk: bytes | str, charset: str | None) -> str:
    """The characters of a chunk that `decode_header` returns."""
    if isinstance(chunk, str):
        return chunk
    return decoded(chunk, charset) if charset else chunk.decode("raw-unicode-escape")


def decoded(data: bytes, charset: str) -> str:
    """The characters of a mail's text: UTF-8 if it is valid and not ASCII, else as declared, else as guessed."""
    declared = encoding_of(charset) if charset else ""
    try:
        return data.decode("utf-8") if not declared or not data.isascii() else data.decode(declared)
    except UnicodeDecodeError:
        pass
    try:
        # What is declared as ASCII and is not may be anything.
        return data.decode(declared) if declared and charset.lower() != "us-ascii" else decode(data, "")
    except (UnicodeDecodeError, SpanlightError):
        return data.decode(declared or "latin-1", "replace")


def tried(call: Callable[[], _T], otherwise: _T) -> _T:
    """The result of a call, or `otherwise` if it fails: the mail libraries raise whatever damaged mails cause."""
    try:
        return call()
    except MemoryError:
        raise
    except Exception:
        return otherwise
