"""A web page to text and blocks; nothing that it names is ever loaded."""

from __future__ import annotations

from app.core.layout import BlockKind
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.html.encoding import decode_html
from app.documents.html.walk import Walk
from app.documents.parts import Parts


def read_html(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a web page, as a browser without scripts or styles shows it.

    Scripts, hidden parts, pictures and forms' fields are left out. Raises SpanlightError for bytes that are not text,
    and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), "Reading the page"))
    text = decode_html(data, name)
    report.check()
    blocks = Blocks()
    add_html(text, blocks, report)
    return blocks.parts()


def add_html(
    text: str, blocks: Blocks, report: Report, level: int = 0, kind: BlockKind | None = None
) -> None:
    """Add what a page, or a piece of one, shows; `kind` and `level` are of the block that it stands in, if any."""
    Walk(blocks, report, kind, level).page(text)
    blocks.end()
