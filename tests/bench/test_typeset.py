"""A text becomes a PDF whose headings, items and tables are recognised when it is read."""

from __future__ import annotations

import pytest

from app.bench.typeset import typeset
from app.core.report import Silent
from app.documents.pdf.document import read_pdf

TEXT = """Berths of the harbour
The council has decided what follows from this table for every ship that comes here.

Kind of ship | Berth
Ferries | Customs house
Fishing boats | Quay seven

Exceptions

- Ships of the navy stay where they are & are not asked.
- Others leave."""


@pytest.mark.parametrize("ruled", [True, False])
def test_a_text_is_set_with_headings_and_tables(ruled: bool) -> None:
    parts = read_pdf(typeset(TEXT, ruled=ruled), "a.pdf", "", Silent())
    assert "Kind of ship\tBerth\nFerries\tCustoms house\nFishing boats\tQuay seven" in parts.text
    titles = [heading.span.of(parts.text) for heading in parts.headings]
    assert titles == ["Berths of the harbour", "Exceptions"]
    assert "stay where they are & are not asked." in parts.text and "- Ships" not in parts.text
