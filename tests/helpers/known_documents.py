"""The documents in resources/check: the same sentences in every kind that Spanlight reads, written byte for byte.

`python -m tests.helpers.known_documents FOLDER` writes them anew.
"""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

from tests.helpers.scans import grey, png
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

TITLE = "The lighthouse at Skerravoe"
PARAGRAPHS = (
    (
        "The lighthouse at Skerravoe was built in 1847 by Agnes Thorburn, who had",
        "never seen the sea before. Her workers called it “Long Peg”, and so does",
        "everybody on the island to this day.",
    ),
    (
        "Its lamp is lit every evening at dusk. On a clear night it can be seen from",
        "forty kilometres away. Until 1931 the keeper carried two hundred litres of",
        "oil up the stairs each week; since then the lamp has been electric.",
    ),
)

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def known_documents() -> dict[str, bytes]:
    """The content of each file by its name."""
    whole = [" ".join(paragraph) for paragraph in PARAGRAPHS]
    return {
        "lighthouse.txt": "\n\n".join((TITLE, *whole, "")).encode(),
        "lighthouse.md": "\n\n".join((f"# {TITLE}", *("\n".join(each) for each in PARAGRAPHS), "")).encode(),
        "lighthouse.html": _page(whole).encode(),
        "lighthouse.docx": _word(whole),
        "lighthouse.pdf": small_pdf([_sheet()]),
        "lighthouse.png": png(*grey(_sheet(), 120), dpi=120),
    }


def _page(paragraphs: list[str]) -> str:
    body = "\n".join(f"<p>{each}</p>" for each in paragraphs)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{TITLE}</title></head>\n'
        f"<body>\n<h1>{TITLE}</h1>\n{body}\n</body>\n</html>\n"
    )


def _word(paragraphs: list[str]) -> bytes:
    heading = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>{TITLE}</w:t></w:r></w:p>'
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in paragraphs)
    main = f"{_TYPES}.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{heading}{body}</w:body></w:document>',
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, xml in parts.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}'.encode())
    return data.getvalue()


def _sheet() -> Page:
    words = [Words(TITLE, y=90, size=18, font="Helvetica-Bold")]
    for number, paragraph in enumerate(PARAGRAPHS):
        words += lines("\n".join(paragraph), y=126 + 62 * number, leading=15)
    return Page(words, height=792)


if __name__ == "__main__":
    for name, content in known_documents().items():
        (Path(sys.argv[1]) / name).write_bytes(content)
