"""Licences in words."""

from __future__ import annotations

import pytest

from app.core.licences import licence_in_words


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("apache-2.0", "Apache 2.0"),
        ("MIT", "MIT"),
        ("cc-by-4.0", "CC BY 4.0"),
        ("cc-by-nc-sa-4.0", "CC BY-NC-SA 4.0"),
        ("cc-by-sa", "CC BY-SA"),
        ("CC BY-SA 4.0", "CC BY-SA 4.0"),
        ("Apache-2.0; learnt partly from data offered for research",) * 2,
        ("llama3", "llama3"),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_a_licence_is_written_as_people_know_it(stated: str, words: str) -> None:
    assert licence_in_words(stated) == words
