"""The zip file of an Office, OpenDocument or EPUB document, checked before it is unpacked, and the XML of its parts."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from lxml import etree
from lxml.etree import _Element as Element

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.documents.parts import Parts
from app.documents.sniff import LOCKED, OLE

MOST_ENTRIES = 10_000
MOST_BYTES = 500_000_000
# Deflate compresses 1032 : 1 at best; Word's own files stay far below this limit, zip bombs far above it.
MOST_RATIO = 250
_SMALL = 10_000_000  # parts smaller than this may have any ratio
_PIECE = 1 << 16
_LONGEST_PROLOG = 1 << 20
_ENTRY = b"PK\x01\x02"
_LOCAL = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")  # PKWARE APPNOTE 4.3.7
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship of a part: its identifier, the last word of its type, and the part that it leads to."""

    identifier: str
    kind: str
    target: str


def guarded_parser() -> etree.XMLParser:
    """A parser that goes on after faults, expands no entity, fetches nothing, and leaves comments out."""
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )


@dataclass
class Package:
    """The parts of a zip file by their names; `damaged` tells whether something is missing or cut off."""

    name: str
    report: Report
    file: zipfile.ZipFile | None
    raw: bytes
    # Of a file without its directory: where each part begins, and how it is compressed.
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    damaged: bool = False

    @property
    def names(self) -> Collection[str]:
        """The names of all parts."""
        return self.places.keys() if self.file is None else self.file.NameToInfo.keys()

    def relations(self, part: str) -> list[Relation]:
        """The relationships of a part of an Office Open XML file, or of the file itself ("") within it."""
        folder, file = posixpath.split(part)
        found = []
        for relation in children(self.xml(posixpath.join(folder, "_rels", f"{file}.rels"))):
            target = attribute(relation, "Target") or ""
            if target and attribute(relation, "TargetMode") != "External":
                kind = (attribute(relation, "Type") or "").rpartition("/")[2]
                name = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
                found.append(Relation(attribute(relation, "Id") or "", kind, name))
        return found

    def main_part(self, usual: str) -> str:
        """The name of an Office Open XML file's main part; the usual one if nothing names it."""
        return next((each.target for each in self.relations("") if each.kind == "officeDocument"), usual)

    def raw_part(self, part: str) -> bytes:
        """A part's unpacked bytes, as far as it is not damaged; none for a missing part."""
        return b"".join(self._pieces(part)) if part in self.names else b""

    def xml(self, part: str) -> Element | None:
        """The root of an XML part as far as it can be parsed; None for a missing or empty part.

        Raises SpanlightError if the part declares a document type or entities, which no Office program writes.
        """
        if part not in self.names:
            return None
        if not self._has_plain_prolog(part):
            self.damaged = True
            return None
        data = b"".join(self._pieces(part))
        parser = guarded_parser()
        self.report.check()
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            root = None
        self.damaged |= root is None or len(parser.error_log) > 0
        return root

    def _has_plain_prolog(self, part: str) -> bool:
        """Whether there is no document type before the part's first element; False without any element."""
        begun = False

        def begin(*_: object) -> None:
            nonlocal begun
            begun = True

        def refuse(*_: object) -> None:
            raise SpanlightError(
                Message(
                    "“{name}” holds declarations that no document needs, and was not opened.",
                    name=self.name,
                ),
                Message("Open it in the program that wrote it and save it anew, if you trust it."),
            )

        parser = expat.ParserCreate()
        parser.StartElementHandler = begin
        parser.StartDoctypeDeclHandler = refuse
        parser.EntityDeclHandler = refuse
        read = 0
        try:
            for piece in self._pieces(part):
                parser.Parse(piece, False)
                read += len(piece)
                if begun or read > _LONGEST_PROLOG:
                    break
        except (expat.ExpatError, ValueError, LookupError):
            pass  # the error may be after the first element
        return begun

    def _pieces(self, part: str) -> Iterator[bytes]:
        """A part's unpacked bytes, up to where it is damaged."""
        if self.file is None:
            yield from self._pieces_without_directory(part)
            return
        try:
            with self.file.open(part) as file:
                while piece := file.read(_PIECE):
                    self.report.check()
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error):
            self.damaged = True

    def _pieces_without_directory(self, part: str) -> Iterator[bytes]:
        offset, method = self.places[part]
        if method == zipfile.ZIP_STORED:
            end = self.raw.find(b"PK", offset)
            yield self.raw[offset : end if end >= 0 else len(self.raw)]
            return
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        count = 0
        try:
            while offset < len(self.raw) and not unpacker.eof:
                self.report.check()
                piece = unpacker.decompress(
                    unpacker.unconsumed_tail or self.raw[offset : offset + _PIECE], 1 << 20
                )
                if not unpacker.unconsumed_tail:
                    offset += _PIECE
                count += len(piece)
                if count > MOST_BYTES:
                    raise _too_large(self.name)
                yield piece
        except zlib.error:
            pass


def open_package(data: bytes, name: str, report: Report) -> Package:
    """The parts of an Office file after its directory was checked; nothing is unpacked yet.

    A truncated file without its directory is searched for its parts. Raises SpanlightError for an encrypted file, for
    one with more than 10,000 entries, more than 500 MB unpacked or compressed tighter than 250 : 1, for names that lead
    out of the file, and for what is not a zip file.
    """
    if data.startswith(OLE):
        raise _old_or_encrypted(data, name)
    # Counted before the directory is read, which creates an object for each.
    if data.count(_ENTRY) > MOST_ENTRIES:
        raise SpanlightError(
            Message(
                "“{name}” holds more than {most:,} packed files, which no document does.",
                name=name,
                most=MOST_ENTRIES,
            ),
            Message("Unpack it with another program, and open the files that matter."),
        )
    try:
        file = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error, EOFError):
        return _salvaged(data, name, report)
    total = 0
    for entry in file.infolist():
        total += entry.file_size
        if entry.flag_bits & _ENCRYPTED:
            raise encrypted(name)
        _check_name(entry.filename, name)
        packed_tight = entry.file_size > MOST_RATIO * max(1, entry.compress_size)
        if total > MOST_BYTES or (entry.file_size > _SMALL and packed_tight):
            raise _too_large(name)
    return Package(name, report, file, data)


def _salvaged(data: bytes, name: str, report: Report) -> Package:
    """What can be found in a zip file without its directory."""
    places: dict[str, tuple[int, int]] = {}
    offset = data.find(_LOCAL)
    found = 0
    while 0 <= offset <= len(data) - _LOCAL_HEADER.size and found < MOST_ENTRIES:
        found += 1
        report.check()
        _, _, flags, method, *_, length, extra = _LOCAL_HEADER.unpack_from(data, offset)
        start = offset + _LOCAL_HEADER.size
        entry = data[start : start + length].decode("utf-8", "replace")
        if flags & _ENCRYPTED:
            raise encrypted(name)
        if method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _check_name(entry, name)
            places.setdefault(entry, (start + length + extra, method))
        offset = data.find(_LOCAL, start)
    if not places:
        raise damaged_beyond_reading(name)
    return Package(name, report, None, data, places, damaged=True)


def _check_name(entry: str, name: str) -> None:
    if entry.startswith(("/", "\\")) or ":" in entry or ".." in entry.replace("\\", "/").split("/"):
        raise SpanlightError(
            Message(
                "“{name}” holds files that would be unpacked outside of it, and was not opened.", name=name
            ),
            Message("Open it in the program that wrote it and save it anew, if you trust it."),
        )


def whole_or_noted(parts: Parts, package: Package) -> Parts:
    """What was read of a file, with a note where it is damaged. Raises SpanlightError if nothing was."""
    if not package.damaged:
        return parts
    if not parts.text:
        raise damaged_beyond_reading(package.name)
    return replace(
        parts,
        notes=(Message("The file is damaged: what could be read of it is shown."), *parts.notes),
    )


def damaged_beyond_reading(name: str) -> SpanlightError:
    """The error for a file from which nothing can be read."""
    return SpanlightError(
        Message("“{name}” is damaged: nothing of its text could be read.", name=name),
        Message("Get it again from where it came."),
    )


def _too_large(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” would unpack to far more than a document, and was not opened.", name=name),
        Message("If you trust it, open it in the program that wrote it and save it as plain text."),
    )


def encrypted(name: str) -> SpanlightError:
    """The error for a file that is protected with a password."""
    return SpanlightError(
        Message(
            "“{name}” is protected with a password, which only the program that set it can take off.",
            name=name,
        ),
        Message("Open it there, save a copy without a password, and open that."),
    )


def _old_or_encrypted(data: bytes, name: str) -> SpanlightError:
    if LOCKED in data:
        return encrypted(name)
    return SpanlightError(
        Message("“{name}” is of an old Office that is not read.", name=name),
        Message("Open it in a newer one and save it anew, as .docx or .pptx."),
    )


def local(element: Element) -> str:
    """The element's name without its namespace; empty for a non-element."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def children(element: Element | None, *names: str) -> Iterator[Element]:
    """The children of these names, in any namespace, or all of them; none of no element."""
    if element is not None:
        yield from element.iterchildren(*(f"{{*}}{name}" for name in names))


def within(element: Element | None, *names: str) -> Iterator[Element]:
    """An element and all within it that have one of these names, in the order of the file; none of no element."""
    if element is not None:
        yield from element.iter(*(f"{{*}}{name}" for name in names))


def child(element: Element | None, name: str) -> Element | None:
    """The first child of a name."""
    return next(children(element, name), None)


def attribute(element: Element | None, name: str) -> str | None:
    """An attribute by its name without a namespace."""
    if element is None:
        return None
    for key, value in element.attrib.items():
        qualified = str(key)
        if qualified[qualified.rfind("}") + 1 :] == name:
            return str(value)
    return None


def integer(text: str | None) -> int | None:
    """An integer of a reasonable size, or None."""
    try:
        return int(text) if text and len(text) < 12 else None
    except ValueError:
        return None


def count_of(element: Element, name: str, most: int) -> int:
    """A count in an attribute, from 1, which it is without the attribute, to `most`."""
    return max(1, min(integer(attribute(element, name)) or 1, most))
