"""Converts an OpenDocument text (.odt) or presentation (.odp) to text and blocks."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import Blocks
from app.documents.opendocument.flow import Flow
from app.documents.opendocument.styles import OpenStyles
from app.documents.parts import Parts
from app.documents.slides import LINE_BREAK, notes_heading, parts_of_slides, slide_heading
from app.documents.word.xml import Element, attribute, child, local
from app.documents.word.zip import Package, damaged_beyond_reading, encrypted, open_package

# What the master repeats on each slide, and on each page of notes.
_OF_MASTER = frozenset(("date-time", "footer", "header", "page-number", "page"))


def read_odt(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of an OpenDocument text, with foot- and endnotes after the text.

    Tracked deletions, hidden words and sections, headers and footers, comments and pictures are left out. A damaged
    file is read as far as possible, and a note says so. Raises SpanlightError for a file that is unsafe, encrypted or
    not an OpenDocument text, and Stopped when the report says so.
    """
    package = _open(data, name, report)
    body, styles = _body(package, "text")
    blocks = Blocks()
    flow = Flow(blocks, styles, report)
    total = len(body)
    for done, each in enumerate(body):
        if done % 100 == 0:
            report.progress(Progress(done, total, Message("Reading the document")))
        flow.element(each)
    blocks.end()
    flow.add_notes()
    return _checked(blocks.parts(_notes(package)), package)


def read_odp(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a presentation: its slides in order, each with its notes.

    A slide's title comes first, then its frames, shapes and tables in the order in which a screen reader takes them.
    Hidden slides are read and marked; the master's own words, dates, footers, numbers, comments, charts and pictures
    are left out. Raises as `read_odt`.
    """
    package = _open(data, name, report)
    body, styles = _body(package, "presentation")
    blocks = Blocks()
    flow = Flow(blocks, styles, report, slides=True)
    slides = [each for each in body if local(each) == "page"]
    for number, slide in enumerate(slides, start=1):
        report.progress(Progress(number - 1, len(slides), Message("Reading the slides")))
        frames = [each for each in slide if _is_own(each)]
        title = next((each for each in frames if attribute(each, "class") == "title"), None)
        hidden = styles.is_hidden_page(attribute(slide, "style-name"))
        slide_heading(blocks, number, [] if title is None else _title(flow, title), hidden=hidden)
        for frame in frames:
            if frame is not title:
                flow.element(frame)
        notes = child(slide, "notes")
        shown = [each for each in notes if _is_own(each)] if notes is not None else []
        if any(text.strip() for each in shown for text in each.itertext()):
            notes_heading(blocks)
            for each in shown:
                flow.element(each)
    flow.add_notes()
    return _checked(parts_of_slides(blocks, _notes(package)), package)


def _open(data: bytes, name: str, report: Report) -> Package:
    report.progress(Progress(0, len(data), Message("Opening the document")))
    package = open_package(data, name, report)
    if b"encryption-data" in package.raw_part("META-INF/manifest.xml"):
        raise encrypted(name)
    return package


def _body(package: Package, kind: str) -> tuple[Element, OpenStyles]:
    """The element that holds the words, and the styles."""
    root = package.xml("content.xml")
    body = child(child(root, "body"), kind)
    if body is None:
        if package.damaged or root is None:
            raise damaged_beyond_reading(package.name)
        raise SpanlightError(
            Message("“{name}” is not what its type says.", name=package.name),
            Message("Open a file that LibreOffice can open."),
        )
    return body, OpenStyles(root, package.xml("styles.xml"))


def _notes(package: Package) -> list[str]:
    return [Message("The file is damaged: what could be read of it is shown.")] if package.damaged else []


def _checked(parts: Parts, package: Package) -> Parts:
    if package.damaged and not parts.text:
        raise damaged_beyond_reading(package.name)
    return parts


def _is_own(frame: Element) -> bool:
    """Whether a frame is the slide's own, and no empty place for words."""
    return attribute(frame, "class") not in _OF_MASTER and attribute(frame, "placeholder") != "true"


def _title(flow: Flow, frame: Element) -> Iterator[tuple[str, Styles]]:
    """A frame's words in a row."""
    for paragraph in frame.iter():
        if local(paragraph) in ("p", "h"):
            yield from flow.words(paragraph)
            yield LINE_BREAK, PLAIN
