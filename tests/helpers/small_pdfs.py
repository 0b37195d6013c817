"""Small PDFs, written byte for byte: text of the standard fonts at given places, on pages of any size and rotation.

Some are under a password, by the first kind of the standard security handler: RC4 with 40 bits (ISO 32000-1, 7.6.3).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

_CODES = [code for code in range(33, 256) if chr(code) not in "()\\"]


@dataclass(frozen=True)
class Words:
    """Words at a place of the page: `x` from its left edge, and `y` of the baseline from its upper edge, in points.

    Both count in the media box before the page is rotated. `angle` turns the words against the clock, in degrees;
    `invisible` text is there to be read and not drawn, as a scanner's program writes it. A character beyond ASCII gets
    a code of a font with a ToUnicode map; `unmapped` characters get one of a font without.
    """

    text: str
    x: float = 72
    y: float = 72
    size: float = 12
    font: str = "Helvetica"
    angle: float = 0
    invisible: bool = False
    unmapped: bool = False


@dataclass(frozen=True)
class Page:
    """A page: its words in the order they are written, its size, rotation, crop box and any raw operators."""

    words: Sequence[Words] = ()
    width: float = 612
    height: float = 792
    rotation: int = 0
    crop: tuple[float, float, float, float] | None = None
    left: float = 0
    bottom: float = 0
    drawing: bytes = b""


@dataclass
class _Font:
    """A font's object: its codes above ASCII with what each stands for."""

    base: str
    mapped: bool
    codes: dict[str, int] = field(default_factory=dict)


def lines(
    text: str, x: float = 72, y: float = 72, leading: float = 14, size: float = 12, font: str = "Helvetica"
) -> list[Words]:
    """The lines of a text, one below the other."""
    return [
        Words(line, x, y + row * leading, size, font)
        for row, line in enumerate(text.split("\n"))
        if line.strip()
    ]


def small_pdf(
    pages: Sequence[Page],
    outline: Sequence[tuple[str, int, int]] = (),
    labels: Sequence[str] = (),
    *,
    view: str = "/Fit",
) -> bytes:
    """A PDF's bytes; `outline` holds bookmarks as (title, page from 0, level from 1), `labels` one prefix a page.

    `view` is what each bookmark shows of its page.
    """
    fonts: dict[str, _Font] = {}
    contents = [_content(page, fonts) for page in pages]
    objects: list[bytes] = [b"", b""]  # the catalogue and the page tree are numbers 1 and 2
    resources = b"<< /Font << "
    for name, font in fonts.items():
        objects += _font_objects(font, len(objects) + 1)
        resources += f"/{name} {len(objects)} 0 R ".encode()
    resources += b">> >>"
    kids = []
    for page, content in zip(pages, contents, strict=True):
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        right, top = page.left + page.width, page.bottom + page.height
        entries = f"/MediaBox [{page.left} {page.bottom} {right} {top}] /Rotate {page.rotation}"
        if page.crop:
            entries += " /CropBox [{} {} {} {}]".format(*page.crop)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {entries} /Contents {len(objects)} 0 R /Resources ".encode()
            + resources
            + b" >>"
        )
        kids.append(len(objects))
    catalogue = "/Type /Catalog /Pages 2 0 R"
    if outline:
        catalogue += f" /Outlines {len(objects) + 1} 0 R"
        objects += _outline_objects(outline, kids, len(objects) + 1, view)
    if labels:
        pairs = " ".join(f"{index} << /P {_hexed(label)} >>" for index, label in enumerate(labels))
        catalogue += f" /PageLabels << /Nums [{pairs}] >>"
    objects[0] = f"<< {catalogue} >>".encode()
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{listed}] >>".encode()
    return pdf_of(objects)


def pdf_of(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF's bytes with these objects, numbered from 1, which is the catalogue, and more entries of its trailer."""
    data = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
    return bytes(data + b"startxref\n%d\n%%%%EOF\n" % start)


def _content(page: Page, fonts: dict[str, _Font]) -> bytes:
    parts = [page.drawing]
    for words in page.words:
        turn = math.radians(words.angle)
        cosine, sine = math.cos(turn), math.sin(turn)
        x, y = page.left + words.x, page.bottom + page.height - words.y
        parts.append(
            f"BT {cosine:.6f} {sine:.6f} {-sine:.6f} {cosine:.6f} {x:.3f} {y:.3f} Tm"
            f"{' 3 Tr' if words.invisible else ' 0 Tr'}".encode()
        )
        for name, codes in _pieces(words, fonts):
            parts.append(f"/{name} {words.size} Tf <{codes.hex()}> Tj".encode())
        parts.append(b"ET")
    return b"\n".join(parts)


def _pieces(words: Words, fonts: dict[str, _Font]) -> list[tuple[str, bytes]]:
    """The words' codes, cut where another font is needed: (font's name, its codes)."""
    pieces: list[tuple[str, bytes]] = []
    for character in words.text:
        plain = " " <= character <= "~" and not words.unmapped
        name, code = _code(character, words, fonts, plain)
        if pieces and pieces[-1][0] == name:
            pieces[-1] = (name, pieces[-1][1] + bytes([code]))
        else:
            pieces.append((name, bytes([code])))
    return pieces


def _code(character: str, words: Words, fonts: dict[str, _Font], plain: bool) -> tuple[str, int]:
    if plain:
        name = words.font.replace("-", "")
        fonts.setdefault(name, _Font(words.font, mapped=False))
        return name, ord(character)
    number = 0
    while True:
        name = f"{words.font.replace('-', '')}{'U' if words.unmapped else 'M'}{number}"
        font = fonts.setdefault(name, _Font(words.font, mapped=not words.unmapped))
        if character in font.codes or len(font.codes) < len(_CODES):
            return name, font.codes.setdefault(character, _CODES[len(font.codes) % len(_CODES)])
        number += 1


def _font_objects(font: _Font, first: int) -> list[bytes]:
    """The objects of a font, itself the last of them."""
    base = f"/Type /Font /Subtype /Type1 /BaseFont /{font.base}"
    if not font.codes:
        return [f"<< {base} /Encoding /WinAnsiEncoding >>".encode()]
    if not font.mapped:
        names = " ".join(f"{code} /g{code}" for code in font.codes.values())
        return [f"<< {base} /Encoding << /Type /Encoding /Differences [{names}] >> >>".encode()]
    pairs = "\n".join(
        f"<{code:02x}> <{character.encode('utf-16-be').hex()}>" for character, code in font.codes.items()
    )
    widths = " ".join("600" for _ in range(256))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Small def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(font.codes)} beginbfchar\n{pairs}\nendbfchar\n"
        "endcmap end end"
    ).encode()
    return [
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        f"<< {base} /FirstChar 0 /LastChar 255 /Widths [{widths}] /ToUnicode {first} 0 R >>".encode(),
    ]


def _hexed(text: str) -> str:
    return "<" + ("\ufeff" + text).encode("utf-16-be").hex() + ">"


def _outline_objects(
    outline: Sequence[tuple[str, int, int]], kids: Sequence[int], root: int, view: str
) -> list[bytes]:
    """The outline's root and its items, each with its parent and neighbours."""
    parents = []
    above: list[int] = []  # the last item of each level
    for place, (_, _, level) in enumerate(outline):
        del above[level - 1 :]
        parents.append(above[-1] if above else -1)
        above.append(place)

    def number(place: int) -> int:
        return root + 1 + place

    def family(parent: int) -> str:
        own = [place for place, each in enumerate(parents) if each == parent]
        return f" /First {number(own[0])} 0 R /Last {number(own[-1])} 0 R /Count {len(own)}" if own else ""

    objects = [f"<< /Type /Outlines{family(-1)} >>".encode()]
    for place, (title, page, _) in enumerate(outline):
        own = [other for other, parent in enumerate(parents) if parent == parents[place]]
        before, after = [other for other in own if other < place], [other for other in own if other > place]
        entries = f"/Title {_hexed(title)} /Parent {number(parents[place])} 0 R{family(place)}"
        entries += f" /Dest [{kids[page]} 0 R {view}]"
        entries += f" /Prev {number(before[-1])} 0 R" if before else ""
        entries += f" /Next {number(after[0])} 0 R" if after else ""
        objects.append(f"<< {entries} >>".encode())
    return objects


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_MAY_DO_ALL = b"\xfc\xff\xff\xff"
_ID = b"0123456789abcdef"


def locked_pdf(words: str, password: str, owner: str = "owner", handler: str = "Standard") -> bytes:
    """A page that says `words` and opens with either password; any opens it where `password` is empty."""
    user = (password.encode() + _PAD)[:32]
    by_owner = _rc4(hashlib.md5((owner.encode() + _PAD)[:32]).digest()[:5], user)
    key = hashlib.md5(user + by_owner + _MAY_DO_ALL + _ID).digest()[:5]
    content = f"BT /F 14 Tf 72 700 Td ({words}) Tj ET".encode()
    # Each object has a key of its own, made with its number.
    content = _rc4(hashlib.md5(key + (4).to_bytes(3, "little") + b"\0\0").digest()[:10], content)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Filter /%s /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
        % (handler.encode(), by_owner.hex().encode(), _rc4(key, _PAD).hex().encode()),
    ]
    identity = _ID.hex().encode()
    return pdf_of(bodies, b"/Encrypt 6 0 R /ID [<%s> <%s>]" % (identity, identity))


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for place in range(256):
        other = (other + state[place] + key[place % len(key)]) % 256
        state[place], state[other] = state[other], state[place]
    out, one, other = bytearray(), 0, 0
    for byte in data:
        one = (one + 1) % 256
        other = (other + state[one]) % 256
        state[one], state[other] = state[other], state[one]
        out.append(byte ^ state[(state[one] + state[other]) % 256])
    return bytes(out)
