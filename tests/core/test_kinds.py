"""Kinds of plain text by file name: prose, code, logs."""

from __future__ import annotations

import pytest

from app.core.kinds import CODE, LOGS, PROSE, is_code, is_monospaced


@pytest.mark.parametrize(
    "name",
    ["main.go", "a/b/Server.JAVA", "values.yaml", "data.json", "thesis.tex", "Makefile", "CMakeLists.txt"],
)
def test_code_is_told_by_its_name(name: str) -> None:
    assert is_code(name) and is_monospaced(name)


@pytest.mark.parametrize("name", ["", "notes.txt", "guide.rst", "go", "py", "a.py.txt", "Node"])
def test_prose_is_no_code(name: str) -> None:
    assert not is_code(name) and not is_monospaced(name)


def test_a_log_is_set_like_code_but_its_tabs_separate_columns() -> None:
    assert is_monospaced("server.log") and not is_code("server.log")


def test_no_ending_is_of_two_sorts() -> None:
    every = (*PROSE, *LOGS, *CODE)
    assert len(set(every)) == len(every) and all(each == each.lower().strip(".") for each in every)
