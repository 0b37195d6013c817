"""Exports answers as W3C Web Annotations (https://www.w3.org/TR/annotation-model/)."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Sequence
from mimetypes import guess_type
from pathlib import Path

from app.core.about import NAME, VERSION
from app.core.corrections import Correction
from app.core.days import iso
from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.plain import json_of
from app.flows.history.export_text import Corrections

_MEDIA_TYPES = {
    Kind.TEXT: "text/plain",
    Kind.MARKDOWN: "text/markdown",
    Kind.HTML: "text/html",
    Kind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Kind.ODT: "application/vnd.oasis.opendocument.text",
    Kind.RTF: "application/rtf",
    Kind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    Kind.ODP: "application/vnd.oasis.opendocument.presentation",
    Kind.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Kind.XLS: "application/vnd.ms-excel",
    Kind.ODS: "application/vnd.oasis.opendocument.spreadsheet",
    Kind.CSV: "text/csv",
    Kind.PDF: "application/pdf",
    Kind.EPUB: "application/epub+zip",
    Kind.EML: "message/rfc822",
    Kind.MBOX: "application/mbox",
    Kind.MSG: "application/vnd.ms-outlook",
}
# Terms that the annotation vocabulary does not have.
_CONTEXT = [
    "http://www.w3.org/ns/anno.jsonld",
    {name: f"urn:spanlight:{name}" for name in ("probability", "sha256", "verdict", "rightWords")},
]


def web_annotations(entries: Sequence[Entry], corrections: Corrections) -> str:
    """An AnnotationCollection with all entries on its first page, as JSON-LD.

    Each annotation's bodies are the question, the answer, its confidence, and the person's correction as an assessment,
    with the verdict and the right words as the table has them. Its target is the document, with the place by
    TextPositionSelector (code points of the document's text as Spanlight reads it), by TextQuoteSelector, and in a PDF
    by the page (RFC 8118) refined by the quote. With low confidence the nearest words replace the answer, and are
    assessed as such; without an answer the target has no place.
    """
    items = [_annotation(entry, corrections.get((entry.sha256, entry.question))) for entry in entries]
    named = iri_of(*(str(item["id"]) for item in items))
    page = {"id": f"{named}#page", "type": "AnnotationPage", "startIndex": 0, "items": items}
    whole = {
        "@context": _CONTEXT,
        "id": named,
        "type": "AnnotationCollection",
        "label": "Questions and answers",
        "generator": _software(),
        "total": len(items),
        "first": page,
    }
    return json_of(whole, indent=2, ensure_ascii=False) + "\n"


def iri_of(*parts: str) -> str:
    """An IRI that is derived from these parts."""
    text = "\n".join(parts).encode("utf-8", "backslashreplace").decode("utf-8")
    return uuid.uuid5(uuid.NAMESPACE_URL, f"urn:spanlight\n{text}").urn


def entry_iri(entry: Entry) -> str:
    """The IRI of an entry."""
    return iri_of(entry.sha256, entry.path, repr(entry.asked), entry.question)


def _annotation(entry: Entry, correction: Correction | None) -> dict[str, object]:
    shown = entry.shown
    answer: dict[str, object] = _textual_body(entry.words, "replying")
    answer["probability"] = shown.probability if shown else entry.no_answer_probability
    target: dict[str, object] = {
        "type": "SpecificResource",
        "source": _source(entry),
        "state": {"type": "TimeState", "sourceDate": iso(entry.asked)},
    }
    if shown is not None:
        target["selector"] = _selectors(entry, shown)
    bodies = [_textual_body(entry.question, "questioning"), answer, _textual_body(entry.likely, "assessing")]
    if correction is not None:
        bodies.append(_assessment(entry, correction))
    annotation: dict[str, object] = {
        "id": entry_iri(entry),
        "type": "Annotation",
        "motivation": "questioning",
        "created": iso(entry.asked),
        "generator": _software(),
        "body": bodies,
        "target": target,
    }
    if entry.model:
        annotation["creator"] = {"type": "Software", "name": entry.model}
    return annotation


def _assessment(entry: Entry, correction: Correction) -> dict[str, object]:
    """The person's correction as a body with its own creator and time."""
    assessment = _textual_body(correction.verdict_in_words(entry.shown_span), "assessing")
    assessment |= {"creator": {"type": "Person"}, "created": iso(correction.judged)}
    assessment["verdict"] = correction.verdict_on(entry.shown_span)
    if correction.words:
        assessment["rightWords"] = correction.words
    return assessment


def _textual_body(value: str, purpose: str) -> dict[str, object]:
    return {"type": "TextualBody", "value": value, "format": "text/plain", "purpose": purpose}


def _source(entry: Entry) -> dict[str, object]:
    digest = base64.urlsafe_b64encode(bytes.fromhex(entry.sha256)).decode("ascii").rstrip("=")
    # A text without a file is named by its digest (RFC 6920).
    place = Path(entry.path).absolute().as_uri() if entry.path else f"ni:///sha-256;{digest}"
    return {
        "id": place,
        "type": "Text",
        "format": _MEDIA_TYPES.get(entry.kind) or _picture_type(entry.name),
        "label": entry.name,
        "sha256": entry.sha256,
    }


def _picture_type(name: str) -> str:
    """The media type of a picture, by its name where that tells one."""
    found, _ = guess_type(name)
    return found if found is not None and found.startswith("image/") else "image/*"


def _selectors(entry: Entry, answer: KeptAnswer) -> list[dict[str, object]]:
    quote: dict[str, object] = {
        "type": "TextQuoteSelector",
        "exact": answer.text,
        "prefix": answer.before,
        "suffix": answer.after,
    }
    position: dict[str, object] = {
        "type": "TextPositionSelector",
        "start": answer.span.start,
        "end": answer.span.end,
    }
    selectors = [position, quote]
    if entry.kind is Kind.PDF and answer.page is not None:
        selectors.append(
            {
                "type": "FragmentSelector",
                "conformsTo": "http://tools.ietf.org/rfc/rfc3778",
                "value": f"page={answer.page}",
                "refinedBy": quote,
            }
        )
    return selectors


def _software() -> dict[str, str]:
    return {"type": "Software", "name": f"{NAME} {VERSION}"}
