"""The icons: every size of every container holds the drawing, and small sizes are crisp."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QImageReader

from tests.conftest import ROOT
from tests.helpers.scripts import script

icons = script("desktop/icons.py")


def unpacked(data: bytes, pixels: int) -> tuple[bytes, int]:
    """`pixels` bytes of icns's run-length packing, and where the next channel begins."""
    out, place = b"", 0
    while len(out) < pixels:
        head = data[place]
        if head < 128:
            out += data[place + 1 : place + 2 + head]
            place += 2 + head
        else:
            out += data[place + 1 : place + 2] * (head - 125)
            place += 2
    return out, place


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(1, 300)), max_size=12))
def test_what_is_packed_comes_back(runs: list[tuple[int, int]]) -> None:
    channel = b"".join(bytes([value]) * times for value, times in runs)
    assert unpacked(icons.packed(channel), len(channel)) == (channel, len(icons.packed(channel)))


@given(st.binary(max_size=700))
def test_what_does_not_repeat_is_packed_too(channel: bytes) -> None:
    assert unpacked(icons.packed(channel), len(channel))[0] == channel


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes."""
    target = tmp_path_factory.mktemp("icons")
    command = [sys.executable, str(ROOT / "packaging" / "desktop" / "icons.py"), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert all(Path(line).is_file() for line in done.stdout.splitlines())
    return target


def centre_is_lit(image: QImage) -> bool:
    """Whether the line in the middle is amber at both its ends and nowhere beyond, and the corner is clear."""
    colours = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
    amber = [x / image.width() for x, colour in enumerate(colours) if colour.red() > 200 > colour.blue()]
    return 0.1 < min(amber) < 0.25 and 0.75 < max(amber) < 0.9 and image.pixelColor(0, 0).alpha() < 128


@pytest.mark.parametrize("edge", [16, 22, 24, 32, 48, 64, 128, 256, 512])
def test_every_size_of_the_icon_theme_is_there(folder: Path, edge: int) -> None:
    image = QImage(str(folder / "hicolor" / f"{edge}x{edge}" / "apps" / "spanlight.png"))
    assert (image.width(), image.height()) == (edge, edge)
    assert image.hasAlphaChannel() and centre_is_lit(image)


def test_the_scalable_one_is_the_drawing_itself(folder: Path) -> None:
    drawn = folder / "hicolor" / "scalable" / "apps" / "spanlight.svg"
    assert drawn.read_bytes() == (ROOT / "resources" / "icons" / "spanlight.svg").read_bytes()


@pytest.mark.parametrize("edge", [16, 22, 24])
def test_small_sizes_have_sharp_lines(folder: Path, edge: int) -> None:
    """Down the middle of a small icon, behind its rim, every pixel has a colour of the drawing: none is a blend."""
    image = QImage(str(folder / "hicolor" / f"{edge}x{edge}" / "apps" / "spanlight.png"))
    drawn = {"#1f2328", "#4a515b", "#a7adb5", "#ffd97a", "#e08a12"}
    middle = [image.pixelColor(edge * 3 // 8, y) for y in range(edge)]
    assert {colour.name() for colour in middle if colour.alpha() == 255} == drawn
    assert {colour.alpha() for colour in middle} <= {0, 255}


def test_the_windows_icon_holds_every_size(folder: Path) -> None:
    path = folder / "spanlight.ico"
    data = path.read_bytes()
    zero, kind, count = struct.unpack("<HHH", data[:6])
    assert (zero, kind, count) == (0, 1, 7)
    entries = [struct.unpack("<BBBBHHII", data[6 + 16 * n : 22 + 16 * n]) for n in range(count)]
    assert [entry[0] or 256 for entry in entries] == [16, 24, 32, 48, 64, 128, 256]
    assert entries[-1][7] + entries[-1][6] == len(data)
    assert data[entries[-1][7] :].startswith(b"\x89PNG")
    reader = QImageReader(str(path))
    assert reader.imageCount() == count
    for number, entry in enumerate(entries):
        assert reader.jumpToImage(number)
        image, drawn = reader.read(), icons.picture(entry[0] or 256)
        assert icons.rows(image.convertToFormat(QImage.Format.Format_ARGB32)) == icons.rows(drawn)


def test_the_mac_icon_holds_every_type(folder: Path) -> None:
    data = (folder / "spanlight.icns").read_bytes()
    assert data[:4] == b"icns" and struct.unpack(">I", data[4:8])[0] == len(data)
    parts: dict[str, bytes] = {}
    place = 8
    while place < len(data):
        kind, size = struct.unpack(">4sI", data[place : place + 8])
        parts[kind.decode()] = data[place + 8 : place + size]
        place += size
    edges = {"ic04": 16, "ic05": 32, "ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256}
    edges |= {"ic14": 512, "ic09": 512, "ic10": 1024}
    assert parts.keys() == edges.keys()
    for kind, edge in edges.items():
        if kind in ("ic04", "ic05"):
            assert parts[kind].startswith(b"ARGB")
            rest, channels = parts[kind][4:], []
            for _ in range(4):
                channel, length = unpacked(rest, edge * edge)
                channels.append(channel)
                rest = rest[length:]
            assert not rest
            alpha, red, green, blue = channels
            pixels = bytes(byte for pixel in zip(blue, green, red, alpha, strict=True) for byte in pixel)
            assert pixels == b"".join(icons.rows(icons.picture(edge)))
        else:
            image = QImage.fromData(parts[kind])
            assert (image.width(), image.height()) == (edge, edge) and centre_is_lit(image)


def test_without_a_folder_it_tells_how_it_is_called() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "desktop" / "icons.py")], capture_output=True, text=True
    )
    assert done.returncode == 2 and "FOLDER" in done.stderr
