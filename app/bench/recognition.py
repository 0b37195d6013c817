"""Measure how well and how fast text in pictures is recognised, on pages of real PDFs drawn like scans."""

from __future__ import annotations

import json
import random
import re
import struct
import tempfile
import time
import unicodedata
import zlib
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from math import cos, radians, sin
from pathlib import Path
from statistics import mean, median
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPainter, QTransform

from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow
from app.bench.typeset import typeset
from app.core.errors import SpanlightError
from app.core.layout import Opened, PageText
from app.core.report import Progress, Quiet, Report
from app.core.rows import read_rows
from app.documents.orders import Draw, Read, Recognise
from app.flows.ask.read import read_document
from app.flows.measure.evaluate_documents import evaluate_documents
from app.flows.measure.plan import Plan
from app.flows.workspace import Workspace

# Dots per inch, and pages of each document.
_DPI, _PAGES = (150, 200, 300), 2
# The effects of an office scanner: skew in degrees, share of noise, JPEG quality.
_SKEW, _NOISE, _QUALITY = 2.0, 0.25, 40
_FEWEST_LETTERS = 600
_QUESTIONS = 12
_LONGEST = 20  # pages; longer documents are not asked
# Texts with tables to be set as PDFs, and whether their cells have rules.
_TEXTS = {"business-03": True, "health-10": True, "specs-10": False}
_OVERLAP = 0.5
_TIMED = 200
# A word may end with U+0002, the engine's hyphen at a line's end. Then signs that count as the same.
_WORD = re.compile(r"[^\s\x02]+\x02?")
_ALIKE = str.maketrans(
    {
        "\x02": "-",
        **dict.fromkeys("‘’`´", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("–—−‐‑", "-"),
        **dict.fromkeys("●▪■∙·", "•"),
    }
)
_NOTE = (
    "Words are compared in the original's order, a recognised one where the original's word is that it lies on; "
    "quotation marks, dashes and bullets of all kinds count as one. Clean pages "
    f"are as drawn; spoilt ones are skewed by {_SKEW:g} degrees, noisy, and saved as JPEG of quality {_QUALITY}. "
    "Words where the original has none, most of them in its pictures and drawings, are counted by themselves."
)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word and its box in points of the upright page."""

    letters: str
    left: float
    top: float
    right: float
    bottom: float


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure errors, places and speed at each resolution, and answers on recognised text."""
    folder = Path(plan.data) / "documents"
    if not plan.data or not folder.is_dir():
        raise SpanlightError(
            "Recognition is measured on PDFs, which are not there.",
            "Name the folder that holds documents and questions with --data FOLDER.",
        )
    originals = list(_english(workspace, folder, report))
    pages = [(opened, page) for opened in originals for page in _some(opened, plan.repeats or _PAGES)]
    if not pages:
        raise SpanlightError("There is no English PDF with text there.", "Name another folder with --data.")
    rows: list[BenchRow] = []
    for dpi in _DPI:
        for spoilt in (False, True):
            rows += _rows(workspace, pages, dpi, spoilt, report)
    rows += _asked(workspace, plan, folder, originals, report)
    notes = (f"{len(pages)} pages of {len(originals)} documents.", _NOTE)
    return BenchPart("recognition", "Recognising text in pictures", tuple(rows), notes)


def _english(workspace: Workspace, folder: Path, report: Report) -> Iterator[Opened]:
    for path in sorted(folder.glob("*.pdf")):
        report.check()
        opened = read_document(workspace, path, Quiet(report), recognise=0)
        if opened.language == "en" and opened.document.text.strip():
            yield opened


def _some(opened: Opened, number: int) -> list[int]:
    """Return pages that are spread over a document and full of text."""
    full = [at for at, page in enumerate(opened.pages) if len(page.characters) >= _FEWEST_LETTERS]
    return (
        [full[len(full) * (2 * at + 1) // (2 * number)] for at in range(number)]
        if len(full) >= number
        else full
    )


def _rows(
    workspace: Workspace, pages: Sequence[tuple[Opened, int]], dpi: int, spoilt: bool, report: Report
) -> Iterator[BenchRow]:
    errors, placed, others, seconds = [], [], [], []
    how = f"{dpi} dpi, {'skewed, noisy, JPEG' if spoilt else 'clean'}"
    for done, (opened, number) in enumerate(pages):
        report.progress(Progress(done, len(pages), how))
        report.check()
        data = _file(_drawn(workspace, opened, number, dpi, report), spoilt)
        began = time.perf_counter()
        found = _recognised(workspace, data, report)
        seconds.append(time.perf_counter() - began)
        original, skew = opened.pages[number], _SKEW if spoilt else 0.0
        own = list(_words(original))
        seen = list(_words(found))
        ordered = _in_order(own, [_turned(word, original, -skew) for word in seen])
        found_text = " ".join(word.letters for word in ordered)
        errors.append(_errors(" ".join(word.letters for word in own), found_text))
        others.append(1 - len(ordered) / max(1, len(seen)))
        placed.append(_placed([_turned(word, original, skew) for word in own], seen))
    yield BenchRow(f"{how}: characters that are wrong", 100 * mean(errors), "%", worst=100 * max(errors))
    yield BenchRow(f"{how}: words in their place", 100 * mean(placed), "%", more_is_better=True)
    yield BenchRow(f"{how}: words where the original has none", 100 * mean(others), "%")
    if dpi == _TIMED:
        yield BenchRow(f"{how}: pages a minute", 60 / median(seconds), "pages/min", more_is_better=True)


def _drawn(workspace: Workspace, opened: Opened, number: int, dpi: int, report: Report) -> QImage:
    page, scale = opened.pages[number], dpi / 72
    size = round(page.width * scale), round(page.height * scale)
    picture = workspace.documents.draw(Draw(opened.document.path, number, scale, 0, 0, *size), Quiet(report))
    image = QImage(picture.pixels, *size, 4 * size[0], QImage.Format.Format_RGB32)
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    grey.setDotsPerMeterX(round(dpi / 0.0254))
    grey.setDotsPerMeterY(round(dpi / 0.0254))
    return grey


def _file(image: QImage, spoilt: bool) -> bytes:
    """Return the picture as a PNG file, or spoilt as a scanner's JPEG file."""
    if spoilt:
        image = _spoilt(image)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "JPG" if spoilt else "PNG", _QUALITY if spoilt else 90)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _spoilt(image: QImage) -> QImage:
    width, height = image.width(), image.height()
    turned = QImage(width, height, QImage.Format.Format_RGB32)
    turned.fill(0xFFFFFFFF)
    turned.setDotsPerMeterX(image.dotsPerMeterX())
    turned.setDotsPerMeterY(image.dotsPerMeterY())
    painter = QPainter(turned)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    around = QTransform().translate(width / 2, height / 2).rotate(_SKEW).translate(-width / 2, -height / 2)
    painter.setTransform(around)
    painter.drawImage(0, 0, image)
    painter.resetTransform()
    painter.setOpacity(_NOISE)
    specks = random.Random(width * height).randbytes(width * height)
    painter.drawImage(0, 0, QImage(specks, width, height, width, QImage.Format.Format_Grayscale8))
    painter.end()
    return turned.convertToFormat(QImage.Format.Format_Grayscale8)


def _recognised(workspace: Workspace, data: bytes, report: Report) -> PageText:
    """Recognise the page in a picture file."""
    taken = _Taken(report)
    name, folder = "scan", str(workspace.paths.recognition)
    workspace.documents.recognise(Recognise("", (0,), folder, name, data=data), taken)
    order = Read("", name, data=data, recognised=tuple(taken.pages))
    return workspace.documents.read(order, Quiet(report)).pages[0]


class _Taken(Quiet):
    """A Report that keeps the recognised pages."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.pages: list[tuple[int, bytes]] = []

    def partial(self, result: object) -> None:
        assert isinstance(result, tuple)
        self.pages.append(result)


def _words(page: PageText) -> Iterator[_Word]:
    for found in _WORD.finditer(page.characters):
        drawn = [
            page.boxes[4 * at : 4 * at + 4]
            for at in range(*found.span())
            if page.boxes[4 * at + 2] > page.boxes[4 * at]
        ]
        if drawn:
            lefts, tops, rights, bottoms = zip(*drawn, strict=True)
            letters = unicodedata.normalize("NFKC", found.group().translate(_ALIKE))
            yield _Word(letters, min(lefts), min(tops), max(rights), max(bottoms))


def _turned(word: _Word, page: PageText, degrees: float) -> _Word:
    """Return the word with the bounding box of its box after turning the page about its middle."""
    if not degrees:
        return word
    x, y, turn = page.width / 2, page.height / 2, radians(degrees)
    corners = [(left - x, top - y) for left in (word.left, word.right) for top in (word.top, word.bottom)]
    xs = [x + cos(turn) * across - sin(turn) * down for across, down in corners]
    ys = [y + sin(turn) * across + cos(turn) * down for across, down in corners]
    return replace(word, left=min(xs), top=min(ys), right=max(xs), bottom=max(ys))


def _in_order(own: Sequence[_Word], seen: Sequence[_Word]) -> list[_Word]:
    """Return the recognised words that lie on the page's own words, in the order of those."""
    placed: list[tuple[int, float, _Word]] = []
    for word in seen:
        shared = [_shared(word, other) for other in own]
        if (most := max(shared, default=0.0)) > 0:
            placed.append((shared.index(most), word.left, word))
    return [word for *_, word in sorted(placed, key=lambda each: each[:2])]


def _errors(original: str, found: str) -> float:
    """Return the edit distance, divided by the original's length (bit-parallel; Hyyrö 2003)."""
    if not original:
        return float(len(found))
    places: dict[str, int] = {}
    for at, letter in enumerate(original):
        places[letter] = places.get(letter, 0) | 1 << at
    last, up, down, distance = 1 << (len(original) - 1), (1 << len(original)) - 1, 0, len(original)
    whole = up
    for letter in found:
        same = places.get(letter, 0)
        level = (((same & up) + up) ^ up) | same | down
        more, less = (down | ~(level | up)) & whole, up & level
        distance += bool(more & last) - bool(less & last)
        more, less = (more << 1 | 1) & whole, less << 1 & whole
        up, down = (less | ~(level | more)) & whole, more & level
    return distance / len(original)


def _placed(own: Sequence[_Word], seen: Sequence[_Word]) -> float:
    """Return the share of words whose box has an intersection over union of more than half with a recognised one."""
    good = sum(any(_overlap(word, other) > _OVERLAP for other in seen) for word in own)
    return good / max(1, len(own))


def _overlap(one: _Word, other: _Word) -> float:
    area = sum((each.right - each.left) * (each.bottom - each.top) for each in (one, other))
    return _shared(one, other) / max(1e-9, area - _shared(one, other))


def _shared(one: _Word, other: _Word) -> float:
    """Return the area of the boxes' intersection."""
    wide = min(one.right, other.right) - max(one.left, other.left)
    high = min(one.bottom, other.bottom) - max(one.top, other.top)
    return wide * high if wide > 0 and high > 0 else 0.0


def _asked(
    workspace: Workspace, plan: BenchPlan, folder: Path, originals: Sequence[Opened], report: Report
) -> Iterator[BenchRow]:
    """Measure how often answers are right on scans and on their originals: PDFs, and texts set as PDFs."""
    most = plan.questions or _QUESTIONS
    with tempfile.TemporaryDirectory() as made:
        file = Path(plan.data) / "questions" / "documents.jsonl"
        short = [opened for opened in originals if len(opened.pages) <= _LONGEST]
        asked = list(_first_of_each(file, "file", {opened.document.name for opened in short}, most))
        yield from _answers(workspace, plan, asked, short, Path(made) / "pdfs", "PDFs", report)
        texts = Path(plan.data) / "docqa"
        typeset_in = Path(made) / "originals"
        typeset_in.mkdir()
        set_texts = list(_typeset(workspace, texts / "documents.jsonl.xz", typeset_in, report))
        names = {opened.document.name.removesuffix(".pdf") for opened in set_texts}
        rows = _first_of_each(texts / "questions_dev.jsonl.xz", "document", names, most)
        asked = list(map(_on_pdf, rows))
        yield from _answers(
            workspace, plan, asked, set_texts, Path(made) / "texts", "texts set as PDFs", report
        )


def _first_of_each(file: Path, key: str, names: Container[str], most: int) -> Iterator[dict[str, Any]]:
    """Yield the first `most` rows of a file about each of the named documents."""
    rows = [row.values for row in read_rows(file) if row.values[key] in names] if file.is_file() else []
    for _, group in groupby(rows, key=lambda row: row[key]):
        yield from islice(group, most)


def _typeset(workspace: Workspace, file: Path, folder: Path, report: Report) -> Iterator[Opened]:
    """Yield some texts with tables, set as PDFs."""
    for name, ruled in _TEXTS.items() if file.is_file() else ():
        text = next((row.values["text"] for row in read_rows(file) if row.id == name), "")
        if text:
            (folder / f"{name}.pdf").write_bytes(typeset(text, ruled=ruled))
            yield read_document(workspace, folder / f"{name}.pdf", Quiet(report), recognise=0)


def _on_pdf(row: dict[str, Any]) -> dict[str, Any]:
    """Turn a question on a text into one on the PDF of that name, in which its answers have other places."""
    answers = [answer["text"] for answer in row["answers"]]
    starts = [answer["answer_start"] for answer in row["answers"]]
    places = [[start, start + len(text)] for start, text in zip(starts, answers, strict=True)]
    return {
        "id": row["id"],
        "file": f"{row['document']}.pdf",
        "question": row["question"],
        "kind": row["kind"],
        "answers": answers,
        "starts": starts,
        "places": places,
    }


def _answers(
    workspace: Workspace,
    plan: BenchPlan,
    asked: Sequence[dict[str, Any]],
    originals: Sequence[Opened],
    scans: Path,
    what: str,
    report: Report,
) -> Iterator[BenchRow]:
    """Count the answers that are right on the originals, and those of them that are right on their scans."""
    if not asked:
        return
    scans.mkdir()
    for opened in originals:
        drawn = [_drawn(workspace, opened, at, _TIMED, report) for at in range(len(opened.pages))]
        (scans / opened.document.name).write_bytes(
            _tiff(drawn, _TIMED)
        )  # recognised as a TIFF by its content
    right: list[set[object]] = []
    for folder in (Path(originals[0].document.path).parent, scans):
        questions, predictions = scans / "questions.jsonl", scans / "predictions.jsonl"
        questions.write_text("\n".join(map(json.dumps, asked)), "utf-8")
        evaluate_documents(
            workspace,
            Plan((questions, folder), predictions=predictions),
            Quiet(report),
            model=plan.model,
            device=plan.device,
        )
        rows = map(json.loads, predictions.read_text("utf-8").splitlines())
        right.append({row["id"] for row in rows if row["right"]})
    own, seen = right
    yield BenchRow(f"{what}: right of {len(asked)} answers", float(len(own)), "", more_is_better=True)
    yield BenchRow(f"of these on {_TIMED} dpi, clean", float(len(own & seen)), "", more_is_better=True)
    if own:
        yield BenchRow("that is", 100 * len(own & seen) / len(own), "%", more_is_better=True)


def _tiff(images: Sequence[QImage], dpi: int) -> bytes:
    """Return a TIFF file of grey pages, each compressed as one strip."""
    data, link = bytearray(b"II*\0\0\0\0\0"), 4
    for image in images:
        width, height, stride = image.width(), image.height(), image.bytesPerLine()
        pixels = bytes(image.constBits())
        packed = zlib.compress(
            b"".join(pixels[stride * row : stride * row + width] for row in range(height)), 1
        )
        start, ratio = len(data), len(data) + len(packed)
        data += packed + struct.pack("<II", dpi, 1)
        data += bytes(len(data) % 2)
        struct.pack_into("<I", data, link, len(data))
        entries = ((256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 8), (262, 3, 1), (273, 4, start),
                   (277, 3, 1), (278, 4, height), (279, 4, len(packed)), (282, 5, ratio), (283, 5, ratio))  # fmt: skip
        data += struct.pack("<H", len(entries))
        for tag, kind, value in entries:
            data += struct.pack("<HHII", tag, kind, 1, value)
        link = len(data)
        data += bytes(4)
    return bytes(data)
