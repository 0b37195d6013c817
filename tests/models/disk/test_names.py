"""Names of model folders: valid on every file system; none is hidden, clashes or leads elsewhere."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.models.disk.names import MOST_BYTES, MOST_LETTERS, check_name, free_name, key_of, safe_name

# Everything that Python can hold: lone surrogates, NUL, controls, marks on their own.
ANY_TEXT = st.text(st.characters(), max_size=120)
WINDOWS_RESERVED = {"con", "prn", "aux", "nul", "conin$", "conout$"}
WINDOWS_RESERVED |= {port + digit for port in ("com", "lpt") for digit in "0123456789¹²³"}


@given(ANY_TEXT)
@example("con")
@example("NUL.txt")
@example("com1 .model")
@example("LPT¹")
@example("...")
@example("a" * 79 + ".b")
@example("é" * 200)
@example("\U0001f600" * 60)
@example("a/../../b")
@example("C:\\models")
@example("e" + "\u0301" * 300)
@example("\u202egnp.exe")
def test_a_safe_name_is_one_on_every_system(wanted: str) -> None:
    name = safe_name(wanted)
    assert name
    assert len(name) <= MOST_LETTERS + len("model-")
    assert len(name.encode("utf-8")) <= MOST_BYTES + len("model-")
    assert name == unicodedata.normalize("NFC", name)
    assert not name.startswith((".", "-", "~", " "))
    assert not name.endswith((".", " "))
    assert not set(name) & set('<>:"/\\|?*')
    assert all(unicodedata.category(letter)[0] != "C" for letter in name)
    assert name.split(".")[0].strip().lower() not in WINDOWS_RESERVED
    assert Path(name).name == name
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["tinyroberta-squad2", "bert-base-NER", "my reader 2", "checkpoint-500", "模型", "lecteur-été", "a.b"],
)
def test_an_ordinary_name_stays_as_it_is(name: str) -> None:
    assert safe_name(name) == name
    assert check_name(f" {name} ") == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../x", "con", "a:b", ".hidden", "-r", "x" * 200, "a\0b"]
)
def test_an_invalid_name_is_refused_with_a_valid_one(name: str) -> None:
    with pytest.raises(SpanlightError) as caught:
        check_name(name)
    assert "cannot be called" in caught.value.message
    assert safe_name(name) in caught.value.hint


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=6), ANY_TEXT)
def test_a_free_name_clashes_with_none_that_is_taken(wanted: str, taken: list[str], other: str) -> None:
    name = free_name(wanted, [*taken, safe_name(wanted).upper()], other)
    assert key_of(name) not in {key_of(each) for each in (*taken, safe_name(wanted).upper())}
    assert safe_name(name) == name


@given(ANY_TEXT, ANY_TEXT)
def test_a_free_name_is_the_first_of_those_wanted(wanted: str, other: str) -> None:
    assume(key_of(safe_name(wanted)) != key_of(safe_name(other)))
    assert free_name(wanted, [], other) == safe_name(wanted)
    assert free_name(wanted, [safe_name(wanted)], other) == safe_name(other)


def test_names_that_are_taken_get_a_number() -> None:
    assert free_name("reader", ["Reader"]) == "reader-2"
    assert free_name("reader", ["READER", "reader-2", "reader-3"]) == "reader-4"
    long = "x" * MOST_LETTERS
    assert free_name(long, [long]).endswith("x-2")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Reader", "reader"), ("été", unicodedata.normalize("NFD", "ÉTÉ")), ("Straße", "STRASSE")],
)
def test_names_that_some_file_system_takes_for_one_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)
