"""Which languages a model reads."""

from __future__ import annotations

import pytest

from app.core.languages import is_named, language, languages, reads
from app.core.message import Message


@pytest.mark.parametrize(
    ("codes", "code", "reading"),
    [
        (("en",), "en", True),
        (("en",), "de", False),
        (("en", "de"), "de", True),
        (("multi",), "de", True),
        (("en", "multi"), "ja", True),
        ((), "de", True),
        (("nb",), "no", True),
        (("no",), "nn", True),
        (("da",), "no", False),
    ],
)
def test_what_a_model_reads(codes: tuple[str, ...], code: str, reading: bool) -> None:
    assert reads(codes, code) is reading


def test_names() -> None:
    assert language("ka") == "Georgian" and is_named("ka")
    assert language("xx") == "xx" and not is_named("xx") and not is_named("multi")
    assert isinstance(language("ka"), Message) and not isinstance(language("xx"), Message)


def test_several_are_listed_or_counted() -> None:
    assert languages(("en", "xx")) == "English, xx" and isinstance(languages(("en", "xx")), Message)
    assert languages(("en", "de", "fr", "es")) == "4 languages" and languages(()) == ""
