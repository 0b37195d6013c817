"""Print the text of a document as it is read."""

from __future__ import annotations

import argparse

from app.cli.reading import FORMATS, add_reading_arguments, read_file, recognised_values
from app.cli.terminal import TerminalReport, new_parser, print_json
from app.core.layout import Opened
from app.core.recognition import recognition_of
from app.flows.workspace import Workspace

_EPILOG = (
    FORMATS
    + """
The text is what questions are asked of: newlines are LF, a blank line stands between paragraphs, a
table has one line a row and tabs between its cells. Positions, here and in ask, count its Unicode
code points from 0, end not included.

--json prints {"document", "kind", "text", "pages", "headings", "notes", "sha256", "size"}. pages
lists each page's {"page", "label", "start", "end", "width", "height", "recognised"} (none but for a PDF
or a picture; the label is the number printed on the page, as far as the PDF tells it, the sizes are in
points; recognised is null for a page with a text of its own, else {"languages", "confidence", "unsure"},
unsure being [start, end] of words to be compared with the picture), headings
each heading's {"text", "level", "page", "line", "start", "end"}, the line being that of a plain text
or Markdown file.
"""
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `text`."""
    parser = new_parser("text", "Print the text of a document as it is read.", _EPILOG)
    parser.add_argument("file", metavar="FILE", help="what to read; - is standard input")
    add_reading_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print the text of one document."""
    opened = read_file(arguments.file, arguments, workspace, report)
    if arguments.json:
        print_json(text_values(opened))
    else:
        text = opened.document.text
        print(text, end="" if text.endswith("\n") else "\n")


def text_values(opened: Opened) -> dict[str, object]:
    """Return what `text --json` prints."""
    text = opened.document.text
    return {
        "document": opened.document.path or opened.document.name,
        "kind": opened.kind.value,
        "text": text,
        "pages": [
            {
                "page": number,
                "label": page.label,
                "start": page.span.start,
                "end": page.span.end,
                "width": page.width,
                "height": page.height,
                "recognised": recognised_values(recognition_of(opened, page.span)),
            }
            for number, page in enumerate(opened.pages, start=1)
        ],
        "headings": [
            {
                "text": " ".join(heading.span.of(text).split()),
                "level": heading.level,
                "page": opened.page_at(heading.span.start),
                "line": opened.line_at(heading.span.start),
                "start": heading.span.start,
                "end": heading.span.end,
            }
            for heading in opened.headings
        ],
        "notes": list(opened.notes),
        "sha256": opened.sha256,
        "size": opened.size,
    }
