"""Remarks on addresses while they are typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.network import (
    Remark,
    endpoint_remark,
    feed_remark,
    host_of,
    is_own_computer,
    is_web_address,
    proxy_remark,
    without_password,
)

Look = Callable[[str], Remark]
GOOD = {
    endpoint_remark: [
        "", "  ", "https://huggingface.co", "HTTPS://Mirror.Example.org/", "https://mirror.example.org:8443/hub",
        "https://10.0.0.7", "https://[2001:db8::1]:8443", " https://huggingface.co ", "http://localhost:8080",
        "http://127.0.0.1:5000/x", "http://[::1]:80",
    ],
    proxy_remark: [
        "", "proxy:3128", "http://proxy.example.org:8080", "https://proxy", "me@proxy:80", "http://10.0.0.1:3128/",
    ],
    feed_remark: [
        "", " ", "https://example.org/feed.json", "https://example.org", " https://[2001:db8::1]:8443/f?x=1&y=%20 ",
        "http://127.0.0.1:8000/f", "http://localhost/f", "http://[::1]/f",
    ],
}  # fmt: skip
BAD = {
    endpoint_remark: [
        "huggingface.co", "ftp://huggingface.co", "https://", "https:///x", "https://a b", "https://a.org/x y",
        "https://a.org?x=1", "https://a.org/#top", "https://me:secret@a.org", "https://a.org:0", "https://a.org:70000",
        "https://a.org:x", "file:///etc/passwd", "https://-a.org", "https://[::1", "javascript:alert(1)", "https://.org",
    ],
    proxy_remark: [
        "socks5://proxy:1080", "http://", "a b", "proxy:0", "proxy:99999", "http://proxy/path", "ftp://x",
    ],
    feed_remark: [
        "http://example.org/f", "http://127.0.0.1.example.org/", "http://localhost@example.org/", "ftp://a.org",
        "file:///etc/x", "javascript:alert(1)", "https://me:secret@a.org/f", "https://a b", "https://a.org:0/",
        "https://a.org/\u202e", "feed",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("look", "typed"), [(look, typed) for look in GOOD for typed in GOOD[look]])
def test_a_good_address_needs_no_words(look: Look, typed: str) -> None:
    assert look(typed) == Remark()
    assert look is not feed_remark or not typed.strip() or is_web_address(typed.strip(), local=True)


@pytest.mark.parametrize(("look", "typed"), [(look, typed) for look in BAD for typed in BAD[look]])
def test_what_cannot_be_used_is_said_in_one_sentence(look: Look, typed: str) -> None:
    remark = look(typed)
    assert (
        remark.bad
        and remark.words.endswith(".")
        and "\n" not in remark.words
        and "secret" not in remark.words
    )
    assert look is not feed_remark or not is_web_address(typed, local=True)


@pytest.mark.parametrize(
    ("look", "typed", "word"),
    [
        (endpoint_remark, "http://mirror.example.org", "https"),
        (proxy_remark, "http://me:secret@proxy:8080", "password"),
    ],
)
def test_what_can_be_used_may_be_warned_of(look: Look, typed: str, word: str) -> None:
    remark = look(typed)
    assert not remark.bad
    assert word in remark.words and "secret" not in remark.words


@given(st.text(max_size=80))
def test_whatever_is_typed_is_looked_at(typed: str) -> None:
    for remark in (endpoint_remark(typed), proxy_remark(typed)):
        assert remark.words or not remark.bad


@given(
    st.from_regex(r"[a-z0-9]{1,12}(\.[a-z0-9]{1,8}){0,3}", fullmatch=True),
    st.integers(-5, 70_000),
    st.sampled_from(["https", "http"]),
)
def test_ports_decide(host: str, port: int, scheme: str) -> None:
    good = 0 < port < 65536
    assert endpoint_remark(f"{scheme}://{host}:{port}").bad is not good
    assert proxy_remark(f"{scheme}://{host}:{port}").bad is not good


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("", ""),
        ("proxy:1", "proxy:1"),
        ("me@proxy:1", "proxy:1"),
        ("http://me:secret@proxy:1", "http://proxy:1"),
        ("http://me:se@cret@proxy:1/", "http://proxy:1/"),
        ("http://me:se/cret@proxy:1", "http://proxy:1"),
    ],
)
def test_a_password_is_not_shown(address: str, shown: str) -> None:
    assert without_password(address) == shown


@given(st.text())
def test_only_web_addresses_are_web_addresses(typed: str) -> None:
    assert not is_web_address(typed) or typed.startswith("https://")
    assert (
        host_of(typed) == without_password(typed)
        or is_web_address(typed.strip(), local=True)
        or typed.startswith("http")
    )


def test_the_computer_in_an_address() -> None:
    assert host_of("https://Example.org:8443/f?x") == "example.org" and host_of("x") == "x"
    assert host_of("https://me:secret@example.org") == "https://example.org"
    assert is_own_computer("http://[::1]:80/f") and not is_own_computer("https://example.org/localhost")
