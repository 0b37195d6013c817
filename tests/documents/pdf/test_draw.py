"""Pages drawn: the exact part at the exact scale, and ink where the characters' boxes say it is."""

from __future__ import annotations

import hashlib
import os
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import Picture
from app.core.report import Silent
from app.documents.orders import Draw
from app.documents.pdf.document import read_pdf
from app.documents.pdf.draw import MOST_PIXELS, OpenPdfs
from tests.helpers.small_pdfs import Page, Words, locked_pdf, small_pdf

WHITE = (255, 255, 255)


def draw(
    path: Path, scale: float, part: tuple[int, int, int, int], page: int = 0, password: str = ""
) -> Picture:
    with closing(OpenPdfs()) as desk:
        return desk.draw(Draw(str(path), page, scale, *part, password))


def colour(picture: Picture, x: int, y: int) -> tuple[int, int, int]:
    """Blue, green and red of a pixel."""
    place = 4 * (y * picture.width + x)
    blue, green, red = picture.pixels[place : place + 3]
    return blue, green, red


def rows(picture: Picture) -> list[bytes]:
    width = 4 * picture.width
    return [picture.pixels[width * row : width * (row + 1)] for row in range(picture.height)]


@pytest.fixture
def square(tmp_path: Path) -> Path:
    """A page of 200 x 100 points with a red square, 40 points wide, 30 from the left and 20 from the top."""
    path = tmp_path / "square.pdf"
    path.write_bytes(small_pdf([Page(width=200, height=100, drawing=b"1 0 0 rg 30 40 40 40 re f")]))
    return path


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
def test_the_part_that_is_asked_for_is_drawn_at_its_scale(square: Path, scale: float) -> None:
    left, top = round(30 * scale), round(20 * scale)
    picture = draw(square, scale, (left - 2, top - 3, 10, 12))
    assert (picture.width, picture.height, len(picture.pixels)) == (10, 12, 480)
    for x, y in product(range(10), range(12)):
        assert colour(picture, x, y) == ((0, 0, 255) if x >= 2 and y >= 3 else WHITE), (x, y)


def test_beyond_the_page_the_picture_is_white(square: Path) -> None:
    picture = draw(square, 1.0, (-20, -20, 240, 140))
    assert colour(picture, 0, 0) == colour(picture, 239, 139) == WHITE
    assert colour(picture, 51, 41) == (0, 0, 255)


@pytest.mark.parametrize("scale", [1.0, 1.37, 2.5])
def test_parts_put_side_by_side_are_the_whole(tmp_path: Path, scale: float) -> None:
    path = tmp_path / "words.pdf"
    path.write_bytes(small_pdf([Page([Words("The tide is highest at noon.", 20, 50)], width=220, height=90)]))
    width, height = round(220 * scale), round(90 * scale)
    whole = rows(draw(path, scale, (0, 0, width, height)))
    middle = width // 3
    left = rows(draw(path, scale, (0, 0, middle, height)))
    right = rows(draw(path, scale, (middle, 0, width - middle, height)))
    assert [one + two for one, two in zip(left, right, strict=True)] == whole
    assert len(set(whole)) > 5


def test_letters_have_grey_edges_not_coloured_ones(tmp_path: Path) -> None:
    path = tmp_path / "words.pdf"
    path.write_bytes(small_pdf([Page([Words("sailing", 10, 30)], width=80, height=40)]))
    pixels = draw(path, 2.0, (0, 0, 160, 80)).pixels
    assert pixels[0::4] == pixels[1::4] == pixels[2::4]
    assert len(set(pixels[0::4])) > 10


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (-50, 330, 110, 440)])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_the_ink_lies_in_the_boxes_of_the_characters(
    tmp_path: Path, rotation: int, crop: tuple[float, float, float, float] | None, angle: int
) -> None:
    path, scale = tmp_path / "words.pdf", 4.0
    word = Words("Mighty", 90, 80, angle=angle)
    path.write_bytes(
        small_pdf([Page([word], width=200, height=160, rotation=rotation, crop=crop, left=-70, bottom=300)])
    )
    (page,) = read_pdf(str(path), path.name, "", Silent()).pages
    assert page.characters.strip() == "Mighty"
    width, height = round(page.width * scale), round(page.height * scale)
    picture = draw(path, scale, (0, 0, width, height))
    ink = np.frombuffer(picture.pixels, np.uint8).reshape(height, width, 4)[:, :, 1] < 128
    assert ink.sum() > 300
    covered = np.zeros_like(ink)
    for number, character in enumerate(page.characters.rstrip()):
        left, top, right, bottom = (round(scale * edge) for edge in page.boxes[4 * number : 4 * number + 4])
        inside = np.zeros_like(ink)
        inside[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2] = True
        assert (ink & inside).sum() > 20, character
        covered |= inside
    assert not (ink & ~covered).any()


@pytest.mark.parametrize(
    ("page", "scale", "part"),
    [
        (1, 1.0, (0, 0, 10, 10)),
        (-1, 1.0, (0, 0, 10, 10)),
        (0, 0.0, (0, 0, 10, 10)),
        (0, float("nan"), (0, 0, 10, 10)),
        (0, 1.0, (0, 0, 0, 10)),
        (0, 1.0, (0, 0, 10, MOST_PIXELS + 1)),
    ],
)
def test_what_is_no_picture_is_a_fault_of_ours(
    square: Path, page: int, scale: float, part: tuple[int, int, int, int]
) -> None:
    with pytest.raises(ValueError, match=r"not a picture|no page"):
        draw(square, scale, part, page)


def test_a_page_beyond_all_size_is_told(square: Path) -> None:
    with pytest.raises(SpanlightError, match="Page 1 is too large to be drawn at this size"):
        draw(square, 1e9, (0, 0, 10, 10))


def test_a_file_that_changed_is_drawn_anew(square: Path) -> None:
    order = Draw(str(square), 0, 1.0, 0, 0, 200, 100)
    with closing(OpenPdfs()) as desk:
        assert colour(desk.draw(order), 50, 40) == (0, 0, 255)
        square.write_bytes(small_pdf([Page(width=200, height=100, drawing=b"0 0 1 rg 30 40 40 40 re f")]))
        os.utime(square, (1_000_000_000, 1_000_000_000))
        assert colour(desk.draw(order), 50, 40) == (255, 0, 0)
        square.unlink()
        with pytest.raises(SpanlightError, match="is no longer where it was"):
            desk.draw(order)


def test_a_file_that_must_be_what_it_was_is_drawn_only_then(square: Path) -> None:
    digest, now = hashlib.sha256(square.read_bytes()).hexdigest(), square.stat()
    order = Draw(str(square), 0, 1.0, 0, 0, 200, 100, "", now.st_mtime_ns, now.st_size, digest)
    with closing(OpenPdfs()) as desk:
        assert colour(desk.draw(order), 50, 40) == (0, 0, 255)
        os.utime(square, (1_000_000_000, 1_000_000_000))
        assert colour(desk.draw(order), 50, 40) == (0, 0, 255), "touched only"
        square.write_bytes(small_pdf([Page(width=200, height=100, drawing=b"0 0 1 rg 30 40 40 40 re f")]))
        for _ in range(2):
            with pytest.raises(SpanlightError, match="has changed since it was opened"):
                desk.draw(order)
            # Nor when the file as it is now was opened in another tab.
            digest, now = hashlib.sha256(square.read_bytes()).hexdigest(), square.stat()
            again = Draw(str(square), 0, 1.0, 0, 0, 200, 100, "", now.st_mtime_ns, now.st_size, digest)
            assert colour(desk.draw(again), 50, 40) == (255, 0, 0)


def test_many_files_and_pages_are_drawn_in_turn(tmp_path: Path) -> None:
    """More than are held open at once: each comes out as itself, the first time and again."""
    shades = [round(0.1 + 0.05 * number, 2) for number in range(12)]
    for name in "abcde":
        pages = [Page(width=20, height=20, drawing=f"{shade} g 0 0 20 20 re f".encode()) for shade in shades]
        (tmp_path / f"{name}.pdf").write_bytes(small_pdf(pages))
    with closing(OpenPdfs()) as desk:
        for _ in range(2):
            for name, number in product("abcde", range(12)):
                picture = desk.draw(Draw(str(tmp_path / f"{name}.pdf"), number, 1.0, 5, 5, 1, 1))
                assert abs(colour(picture, 0, 0)[0] - 255 * shades[number]) <= 1


def test_a_locked_file_is_drawn_with_its_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_pdf("high tide", "moon"))
    with pytest.raises(PasswordNeeded):
        draw(path, 1.0, (0, 0, 100, 100))
    picture = draw(path, 1.0, (60, 60, 100, 60), password="moon")
    assert any(byte < 128 for byte in picture.pixels[0::4])


def test_pages_of_real_files_are_drawn(shared_data: Path) -> None:
    for name, page in (
        ("qed-tacl-paper.pdf", 0),
        ("scanned-letter-no-text-layer.pdf", 0),
        ("asvs-3.0.1-hebrew.pdf", 5),
    ):
        picture = draw(shared_data / "documents" / name, 1.5, (0, 0, 900, 1200), page)
        shades = set(picture.pixels[1::4])
        assert 255 in shades
        assert min(shades) < 90, name
