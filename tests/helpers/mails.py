"""Small mails: as they are sent, in a mailbox, and as Outlook saves them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from email.message import EmailMessage

SENT = "Thu, 04 Mar 2021 10:00:00 +0100"


def mail(
    words: str = "",
    *,
    subject: str = "Lunch",
    html: str = "",
    files: Mapping[str, bytes] | None = None,
    sender: str = "Ann Smith <ann@example.org>",
) -> EmailMessage:
    """A mail with a text, HTML or both, and files attached."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = "Bob <bob@example.org>"
    message["Date"] = SENT
    message["Subject"] = subject
    message["Message-ID"] = "<1@example.org>"
    if words or not html:
        message.set_content(words)
    if html and words:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    for name, data in (files or {}).items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def mailbox_of(mails: Sequence[bytes]) -> bytes:
    """A mailbox of mails, in which lines that would begin one are marked."""
    found = []
    for each in mails:
        lines = (
            b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in each.split(b"\n")
        )
        found.append(
            b"From ann@example.org Thu Mar  4 10:00:00 2021\n" + b"\n".join(lines).rstrip(b"\n") + b"\n\n"
        )
    return b"".join(found)


Storage = dict[str, "bytes | Storage"]
_END, _FREE, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF
_SECTOR, _SMALL, _LEAST = 512, 64, 4096


def compound(root: Storage) -> bytes:
    """A compound file (MS-CFB) of streams and storages by their names."""
    entries: list[tuple[str, int, int, int, bytes]] = []  # name, type, next one, first child, bytes

    def place(storage: Storage) -> int:
        first = before = _NONE
        for name, inside in storage.items():
            number = len(entries)
            is_stream = isinstance(inside, bytes)
            entries.append(
                (name, 2 if is_stream else 1, _NONE, _NONE, inside if isinstance(inside, bytes) else b"")
            )
            if before == _NONE:
                first = number
            else:
                entries[before] = (*entries[before][:2], number, *entries[before][3:])
            before = number
            if isinstance(inside, dict):
                entries[number] = (*entries[number][:3], place(inside), b"")
        return first

    entries.append(("Root Entry", 5, _NONE, _NONE, b""))
    entries[0] = ("Root Entry", 5, _NONE, place(root), b"")
    sectors: list[bytes] = []
    fat: list[int] = []

    def put(data: bytes) -> int:
        if not data:
            return _END
        first = len(sectors)
        for at in range(0, len(data), _SECTOR):
            sectors.append(data[at : at + _SECTOR].ljust(_SECTOR, b"\0"))
            fat.append(len(sectors))
        fat[-1] = _END
        return first

    small, small_fat, starts = b"", list[int](), dict[int, int]()
    for number, (*_, data) in enumerate(entries):
        if len(data) >= _LEAST:
            starts[number] = put(data)
        elif data:
            starts[number] = len(small_fat)
            count = -(-len(data) // _SMALL)
            small += data.ljust(count * _SMALL, b"\0")
            small_fat += [*range(len(small_fat) + 1, len(small_fat) + count), _END]
    starts[0] = put(small)
    small_table = put(
        struct.pack(f"<{len(small_fat)}I", *small_fat).ljust(-(-len(small_fat) // 128) * _SECTOR, b"\xff")
    )
    directory = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0")
        + struct.pack("<HBB3I", 2 * len(name) + 2, kind, 1, _NONE, after, child)
        + bytes(36)
        + struct.pack("<IQ", starts.get(number, _END), len(small) if not number else len(data))
        for number, (name, kind, after, child, data) in enumerate(entries)
    )
    begin = put(directory)
    tables = 1
    while len(fat) + tables > tables * 128:
        tables += 1
    first_table = len(fat)
    fat += [_FAT] * tables
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(tables * _SECTOR, b"\xff")
    head = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    )
    head += struct.pack("<9I", 0, tables, begin, 0, _LEAST, small_table, -(-len(small_fat) // 128), _END, 0)
    head += struct.pack("<109I", *range(first_table, first_table + tables), *[_FREE] * (109 - tables))
    return head + b"".join(sectors) + table


def properties(head: int, numbers: Mapping[int, int], dates: Mapping[int, int] | None = None) -> bytes:
    """A stream of properties that stand in it: numbers of 32 bits, and dates."""
    found = bytes(head)
    for identifier, value in numbers.items():
        found += struct.pack("<HHIQ", 0x0003, identifier, 6, value)
    for identifier, value in (dates or {}).items():
        found += struct.pack("<HHIQ", 0x0040, identifier, 6, value)
    return found


def wide(identifier: int, words: str) -> Storage:
    """A property of text."""
    return {f"__substg1.0_{identifier:04X}001F": words.encode("utf-16-le")}


def binary(identifier: int, data: bytes) -> Storage:
    """A property of bytes."""
    return {f"__substg1.0_{identifier:04X}0102": data}


def outlook_parts(
    words: str = "",
    *,
    subject: str = "Lunch",
    html: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    inner: Sequence[Storage] = (),
    head: int = 32,
) -> Storage:
    """A mail as Outlook saves it, as the parts of a compound file; `inner` are mails attached to it."""
    date = 132_593_220_000_000_000  # 4 March 2021, 9:00 UTC, in tenths of a microsecond since 1601
    found: Storage = {"__properties_version1.0": properties(head, {0x3FDE: 65001}, {0x0039: date})}
    found |= (
        wide(0x0037, subject)
        | wide(0x0C1A, "Ann Smith")
        | wide(0x5D01, "ann@example.org")
        | wide(0x0E04, "Bob")
    )
    found |= (wide(0x1000, words) if words else {}) | (binary(0x1013, html) if html else {})
    number = 0
    for name, data in (files or {}).items():
        found[f"__attach_version1.0_#{number:08X}"] = {
            "__properties_version1.0": properties(8, {0x3705: 1}),
            **wide(0x3707, name),
            **binary(0x3701, data),
        }
        number += 1
    for each in inner:
        found[f"__attach_version1.0_#{number:08X}"] = {
            "__properties_version1.0": properties(8, {0x3705: 5}),
            "__substg1.0_3701000D": each,
        }
        number += 1
    return found
