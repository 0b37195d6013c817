from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.legible import legible, legible_lines
from app.core.models import family_title, model_title
from app.core.name_types import plain_type
from app.core.wording import first_words

ANY = st.text(st.characters(exclude_categories=()))


@given(ANY, st.integers(2, 60))
def test_a_name_is_one_line_of_what_can_be_seen(text: str, most: int) -> None:
    line = legible(text, most)
    assert len(line) <= most and line == line.strip() and len(line.splitlines()) <= 1
    assert not set(line) & set("\x00\x07\x1b\x7f\x9b\u200b\u200e\u202a\u202e\u2066\u2069\ufeff\u00ad\u2028")
    line.encode("utf-8")  # no half of a pair
    assert legible(line, most) == line


@given(st.text(st.characters(categories=("L", "M", "N", "P", "S", "Zs")), max_size=200))
def test_words_in_any_script_stay(text: str) -> None:
    assert legible_lines(text) == text
    assert legible(text, 1000) == " ".join(text.split())


@given(ANY)
def test_lines_stay_lines(text: str) -> None:
    shown = legible_lines(text)
    assert shown.count("\n") == text.count("\n") and shown.count("\t") == text.count("\t")
    assert not set(shown) & set("\r\x1b\x9b\u202e\u2067")
    assert legible_lines(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("report\u202efdp.exe", "reportfdp.exe"),
        ("\x1b[2Jgone\r\nnext", "[2Jgone next"),
        ("ad\u200dmin\u200b", "admin"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\udcffb", "a\ufffdb"),
        ("", ""),
    ],
)
def test_what_hides_and_turns_goes_and_what_scripts_need_stays(text: str, shown: str) -> None:
    assert legible(text) == shown


def test_a_name_of_a_megabyte_is_cut() -> None:
    name = "x" * 1_000_000
    assert len(legible(name)) == 200 and legible(name).endswith("…")
    assert len(legible_lines(name)) == 100_000


def test_names_of_models_and_of_what_they_tell_are_legible() -> None:
    hostile = "a\u202eb\x1b[31m\n" + "c" * 1000
    for shown in (model_title(hostile), family_title(hostile), plain_type(hostile), first_words(hostile)):
        assert shown.isprintable() and len(shown) <= 200
