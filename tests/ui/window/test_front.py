"""What is sent to a window manager; test_second_start.py has a real one."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.window.front import _Event, come_to_front, end_message, time_of


@pytest.mark.parametrize(
    ("startup_id", "time"),
    [("host-7-name_TIME12345", 12345), ("a_TIME4294967295", 4294967295), ("", 0), ("a_TIME", 0), ("a_TIME1x", 0)],
)  # fmt: skip
def test_the_time_of_a_click_is_in_its_id(startup_id: str, time: int) -> None:
    assert time_of(startup_id) == time


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_the_end_of_a_start_is_told_in_pieces_of_twenty_bytes(startup_id: str) -> None:
    pieces = list(end_message(startup_id))
    assert {len(piece) for piece in pieces} == {20}
    whole = b"".join(pieces).rstrip(b"\0").decode()
    assert whole.startswith('remove: ID="') and whole.endswith('"')
    plain = whole[len('remove: ID="') : -1].replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")
    assert plain == startup_id


def test_an_event_is_as_large_as_xlib_reads() -> None:
    assert ctypes.sizeof(_Event) >= 24 * ctypes.sizeof(ctypes.c_long)


def test_without_a_screen_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert not come_to_front(7, "x_TIME1")
