"""Spanlight's icon in every form that a system asks for, drawn by Qt from the SVGs.

`python3 packaging/desktop/icons.py FOLDER` writes `hicolor/` (PNG at each size of the icon theme, and the SVG),
`spanlight.ico` (Windows), `spanlight.icns` (macOS) and `spanlight-side.bmp` (beside the Windows installer's last page).
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

HERE = Path(__file__).resolve().parent
ICON = HERE.parent.parent / "resources" / "icons" / "spanlight.svg"
# Small sizes have drawings of their own, whose edges lie on pixels; 24 is 22 with a pixel around it.
SMALL = {
    16: (HERE / "spanlight-16.svg", 0),
    22: (HERE / "spanlight-22.svg", 0),
    24: (HERE / "spanlight-22.svg", 1),
}

HICOLOR = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICO = (16, 24, 32, 48, 64, 128, 256)
# The system draws no margin of its own, so that an icon without one looks larger than its neighbours.
MAC_MARGIN = 0.07
# Type and edge in pixels: 16, 16@2x, 32, 32@2x, 128, 128@2x, 256, 256@2x, 512, 512@2x. The two that are no PNG hold
# packed ARGB, since PNG under their older names is not shown for the icon of an application.
ICNS_ARGB = ((b"ic04", 16), (b"ic05", 32))
ICNS_PNG = (
    (b"ic11", 32),
    (b"ic12", 64),
    (b"ic07", 128),
    (b"ic13", 256),
    (b"ic08", 256),
    (b"ic14", 512),
    (b"ic09", 512),
    (b"ic10", 1024),
)


def picture(edge: int, margin: float = 0.0) -> QImage:
    """The icon, `edge` pixels wide and high, with `margin` of them left free at each side (as a share of the edge)."""
    source, free = SMALL.get(edge, (ICON, 0))
    around = free + edge * margin
    image = QImage(edge, edge, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(source)).render(painter, QRectF(around, around, edge - 2 * around, edge - 2 * around))
    painter.end()
    return image.convertToFormat(QImage.Format.Format_ARGB32)


def encoded(image: QImage, kind: str = "PNG") -> bytes:
    """The image as a PNG file, or as one of another kind."""
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind)
    return bytes(held.data())


def rows(image: QImage) -> list[bytes]:
    """The image's lines from above, four bytes a pixel: blue, green, red, alpha."""
    width = image.width() * 4
    whole = bytes(image.constBits())
    stride = image.bytesPerLine()
    return [whole[y * stride : y * stride + width] for y in range(image.height())]


def bitmap(image: QImage) -> bytes:
    """The image as an icon's bitmap: a header for twice the height, lines from below, and the mask of what is clear."""
    edge = image.width()
    header = struct.pack("<IiiHHIIiiII", 40, edge, edge * 2, 1, 32, 0, 0, 0, 0, 0, 0)
    lines = rows(image)[::-1]
    mask = b""
    for line in lines:
        clear = "".join("0" if alpha else "1" for alpha in line[3::4])
        padded = clear.ljust(-(-edge // 32) * 32, "0")
        mask += int(padded, 2).to_bytes(len(padded) // 8, "big")
    return header + b"".join(lines) + mask


def ico(images: Iterable[QImage]) -> bytes:
    """A Windows icon of these square images; those of 256 pixels are held as PNG, as Windows does.

    Format: ICONDIR and ICONDIRENTRY of the Windows SDK.
    """
    held = [(image.width(), encoded(image) if image.width() >= 256 else bitmap(image)) for image in images]
    place = 6 + 16 * len(held)
    directory = struct.pack("<HHH", 0, 1, len(held))
    for edge, data in held:
        directory += struct.pack("<BBBBHHII", edge % 256, edge % 256, 0, 0, 1, 32, len(data), place)
        place += len(data)
    return directory + b"".join(data for _, data in held)


def packed(channel: bytes) -> bytes:
    """A channel in icns's run-length packing.

    A byte below 128 announces that many literal bytes and one more; another one, less 125, how often the next is meant.
    """
    out, literal, place = bytearray(), bytearray(), 0

    def flush() -> None:
        for start in range(0, len(literal), 128):
            piece = literal[start : start + 128]
            out.append(len(piece) - 1)
            out.extend(piece)
        literal.clear()

    while place < len(channel):
        run = 1
        while run < 130 and channel[place : place + 1] == channel[place + run : place + run + 1]:
            run += 1
        if run >= 3:
            flush()
            out += bytes((run + 125, channel[place]))
        else:
            literal += channel[place : place + run]
        place += run
    flush()
    return bytes(out)


def argb(image: QImage) -> bytes:
    """The image as icns's `ARGB` data: alpha, red, green and blue, each packed by itself."""
    whole = b"".join(rows(image))
    return b"ARGB" + b"".join(packed(whole[channel::4]) for channel in (3, 2, 1, 0))


def icns() -> bytes:
    """The macOS icon with all types that an application's icon set has, for plain and for dense screens."""
    parts = [(kind, argb(picture(edge))) for kind, edge in ICNS_ARGB]
    parts += [(kind, encoded(picture(edge, MAC_MARGIN if edge >= 64 else 0.0))) for kind, edge in ICNS_PNG]
    body = b"".join(kind + struct.pack(">I", len(data) + 8) + data for kind, data in parts)
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def side() -> QImage:
    """The picture beside the Windows installer's last page, at twice the size that it has on a plain screen."""
    image = QImage(328, 628, QImage.Format.Format_RGB32)
    image.fill(QColor("#2b3038"))
    painter = QPainter(image)
    painter.drawImage(72, 180, picture(184))
    painter.end()
    return image


def write(folder: Path) -> list[Path]:
    """Write all icons below `folder`; their paths."""
    files = {
        folder / "hicolor" / f"{edge}x{edge}" / "apps" / "spanlight.png": encoded(picture(edge))
        for edge in HICOLOR
    }
    files[folder / "hicolor" / "scalable" / "apps" / "spanlight.svg"] = ICON.read_bytes()
    files[folder / "spanlight.ico"] = ico(picture(edge) for edge in ICO)
    files[folder / "spanlight.icns"] = icns()
    files[folder / "spanlight-side.bmp"] = encoded(side(), "BMP")
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(files)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    application = QGuiApplication.instance() or QGuiApplication(["icons"])
    for path in write(Path(arguments[0])):
        print(path)
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
