"""Makes a PDF of a picture's file: its pixels stay compressed as they are, and are decoded when they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.message import Message
from app.documents.images.jpeg import jpeg_page
from app.documents.images.png import png_page
from app.documents.images.shown import Damaged, ShownPage, Unknown
from app.documents.images.tiff import tiff_pages

_PNG, _JPEG, _TIFFS = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", (b"II*\x00", b"MM\x00*")
# A picture that does not say how large it is gets the longer side of a sheet of A4, in points.
_LONG_SIDE = 842.0
_LEAST_DPI, _MOST_DPI = 100.0, 2400.0
_MOST_POINTS = 14_400.0
_MOST_PIXELS = 150_000_000
# What EXIF calls 1, 3, 6 and 8, in degrees clockwise; mirrored ones are as these.
_TURNS = {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}


def is_picture_file(head: bytes) -> bool:
    """Whether a file begins like a picture that can be read."""
    return head.startswith((_PNG, _JPEG, *_TIFFS))


def pdf_of_picture(data: bytes, name: str) -> bytes:
    """The PDF of a PNG, JPEG or TIFF file. Raises SpanlightError for one that is damaged or of a rare kind."""
    try:
        pages = list(_pages(data))
        if not pages or any(not page.width or not page.height for page in pages):
            raise Damaged
        for page in pages:
            if page.width * page.height > _MOST_PIXELS:
                raise SpanlightError(
                    Message(
                        "“{name}” has {n:,.0f} million pixels, and a picture may have at most {most:,.0f} million.",
                        name=name,
                        n=page.width * page.height / 1e6,
                        most=_MOST_PIXELS / 1e6,
                    ),
                    Message("Save it smaller, and open that."),
                )
        return _Writer().write(pages)
    except Unknown as fault:
        raise SpanlightError(
            Message(
                "“{name}” is a picture of a kind that is not read here: {kind}.", name=name, kind=fault.kind
            ),
            Message("Save it as plain PNG or JPEG, and open that."),
        ) from fault
    except (Damaged, IndexError, ValueError, OverflowError) as fault:
        raise SpanlightError(
            Message("“{name}” is a damaged picture.", name=name), Message("Get or save the file again.")
        ) from fault


def _pages(data: bytes) -> Iterator[ShownPage]:
    if data.startswith(_PNG):
        yield png_page(data)
    elif data.startswith(_JPEG):
        yield jpeg_page(data)
    else:
        yield from tiff_pages(data)


@dataclass(slots=True)
class _Writer:
    """Writes a PDF of pages with pictures on them."""

    objects: list[bytes] = field(default_factory=lambda: [b"", b""])

    def write(self, pages: list[ShownPage]) -> bytes:
        kids = [self._page(page) for page in pages]
        self.objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
        listed = b" ".join(b"%d 0 R" % kid for kid in kids)
        self.objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), listed)
        parts, places, length = [b"%PDF-1.7\n"], [], 9
        for number, each in enumerate(self.objects, start=1):
            places.append(length)
            parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, each))
            length += len(parts[-1])
        entries = b"".join(b"%010d 00000 n \n" % place for place in places)
        count = len(self.objects) + 1
        parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, entries))
        parts.append(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, length))
        return b"".join(parts)

    def _page(self, page: ShownPage) -> int:
        across, down = _points_per_pixel(page)
        width, height = across * page.width, down * page.height
        drawn, named = [], []
        for number, part in enumerate(page.parts):
            head = part.head
            if part.mask:
                head += b"/SMask %d 0 R" % self._stream(*part.mask)
            named.append(b"/P%d %d 0 R" % (number, self._stream(head, part.data)))
            place = (part.width * across, part.height * down, part.left * across)
            bottom = height - (part.top + part.height) * down
            drawn.append(b"q %.4f 0 0 %.4f %.4f %.4f cm /P%d Do Q" % (*place, bottom, number))
        content = self._stream(b"", b"\n".join(drawn))
        turn = _TURNS.get(page.orientation, 0)
        return self._add(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.4f %.4f]/Rotate %d/Contents %d 0 R/Resources<</XObject<<%s>>>>>>"
            % (width, height, turn, content, b" ".join(named))
        )

    def _stream(self, head: bytes, data: bytes) -> int:
        return self._add(b"<<%s/Length %d>>\nstream\n%s\nendstream" % (head, len(data), data))

    def _add(self, content: bytes) -> int:
        self.objects.append(content)
        return len(self.objects)


def _points_per_pixel(page: ShownPage) -> tuple[float, float]:
    across, down = page.dpi
    if all(_LEAST_DPI <= one <= _MOST_DPI for one in page.dpi) and 0.4 < across / down < 2.5:
        steps = 72 / across, 72 / down
        if max(steps[0] * page.width, steps[1] * page.height) <= _MOST_POINTS:
            return steps
    step = _LONG_SIDE / max(page.width, page.height)
    return step, step
