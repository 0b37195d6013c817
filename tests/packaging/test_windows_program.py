"""Spanlight's programs on Windows: what their files say of them, and their streams where there is no console."""

from __future__ import annotations

import sys

import pytest

from app.core.about import COPYRIGHT, NAME, PUBLISHER, VERSION
from tests.helpers.scripts import script

version_info = script("windows/version_info.py")


@pytest.mark.parametrize(
    ("program", "called"), [("spanlight.exe", "spanlight.exe"), ("spanlight-console.exe", "spanlight.com")]
)
def test_the_version_resource_says_what_the_app_says(program: str, called: str) -> None:
    said = version_info.strings(program)
    assert said["OriginalFilename"] == called
    assert (said["ProductName"], said["CompanyName"]) == (NAME, PUBLISHER)
    assert said["FileVersion"] == said["ProductVersion"] == VERSION
    assert said["LegalCopyright"] == COPYRIGHT


@pytest.mark.parametrize(
    ("version", "numbers"), [("0.1.0", (0, 1, 0, 0)), ("2.13", (2, 13, 0, 0)), ("1.2.3-rc.4", (1, 2, 3, 4))]
)
def test_windows_counts_four_numbers(
    version: str, numbers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version_info, "VERSION", version)
    assert version_info.four_numbers() == numbers


def test_without_a_console_printing_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    at_start = script("hooks/at_start.py")
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    at_start._give_streams()
    given = (sys.stdin, sys.stdout, sys.stderr)
    try:
        print("nothing is there to read it")
        assert sys.stdin.read() == ""
        at_start._give_streams()
        assert (sys.stdin, sys.stdout, sys.stderr) == given
    finally:
        for stream in given:
            stream.close()
