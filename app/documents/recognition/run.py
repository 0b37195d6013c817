"""Carries out an order to recognise the text of pages."""

from __future__ import annotations

from pathlib import Path, PurePath

from app.core.report import Report
from app.documents.orders import Recognise
from app.documents.pdf.document import open_pdf
from app.documents.pdf.draw import require_same
from app.documents.recognition.engine import Recogniser


def recognise(recogniser: Recogniser, order: Recognise, report: Report) -> None:
    """Send each page's number with its text as a partial result.

    Raises SpanlightError for a file that has changed, and with PasswordNeeded as `open_pdf` does; Stopped when the
    report says so.
    """
    if order.path:
        require_same(order, Path(order.path))
    name = order.name or PurePath(order.path).name
    document = open_pdf(order.data or order.path, name, order.password)
    try:
        for number in order.pages:
            report.check()
            if 0 <= number < len(document):
                page = recogniser.recognise(document, number, report.check)
                report.partial((number, page.to_bytes()))
    finally:
        document.close()
