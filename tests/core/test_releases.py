"""The feed of releases: how versions compare, and what is accepted and refused."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from app.core import about
from app.core.errors import SpanlightError
from app.core.legible import legible_lines
from app.core.releases import (
    FORMAT,
    MOST_BYTES,
    ReleaseFile,
    file_for_computer,
    is_preview,
    newest,
    parse_feed,
    this_computer,
    version_key,
)
from tests.helpers.feeds import DIGEST, feed, file, release

NUMBER = st.integers(0, 30).map(str)
VERSIONS = st.builds(
    lambda numbers, pre, post, dev: ".".join(numbers) + pre + post + dev,
    st.lists(NUMBER, min_size=1, max_size=4),
    st.just("") | st.builds(str.__add__, st.sampled_from(["a", "b", "rc"]), NUMBER),
    st.just("") | NUMBER.map(".post{}".format),
    st.just("") | NUMBER.map(".dev{}".format),
)


@given(VERSIONS, VERSIONS)
def test_versions_are_ordered_as_pep_440_has_it(one: str, other: str) -> None:
    ours, theirs = (version_key(one), version_key(other)), (Version(one), Version(other))
    assert (ours[0] < ours[1]) == (theirs[0] < theirs[1]) and (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert is_preview(one) == theirs[0].is_prerelease


def test_our_own_version_is_one() -> None:
    version_key(about.VERSION)


@pytest.mark.parametrize(
    "text", ["", "1.", "v1", "1.0-1", "1.0 ", "1\n", "１.0", "1.0+local", "1!1", "1" * 9, "1.\u202e0"]
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError):
        version_key(text)
    with pytest.raises(SpanlightError, match="does not announce"):
        parse_feed(feed(release(text)))


def test_a_feed_as_it_is_meant() -> None:
    found = parse_feed(feed(release(files=[file(more=1)], more="x"), release("0.1.5"), more=[1]))
    (first, second) = found.releases
    assert (first.version, first.day, first.notes, second.files) == (
        "0.2.0",
        date(2027, 5, 3),
        "Quicker.",
        (),
    )
    assert first.files == (ReleaseFile("linux", "x86_64", "deb", file()["address"], 310_000_000, DIGEST),)
    assert first.files[0].name == "spanlight_0.2.0_amd64.deb"


@pytest.mark.parametrize(
    ("own", "versions", "expected"),
    [
        ("0.1.0", ["0.1.0", "0.0.9"], None),
        ("0.1.0", [], None),
        ("0.1.0", ["0.2.0", "0.10.0", "0.9.0"], "0.10.0"),
        ("0.1.0", ["0.2.0rc1", "0.2.0.dev3"], None),
        ("0.2.0rc1", ["0.2.0rc2", "0.1.9"], "0.2.0rc2"),
        ("0.2.0rc1", ["0.2.0rc2", "0.2.0"], "0.2.0"),
        ("0.1", ["0.1.0"], None),
        ("0.1.0", ["0.1.0.post1"], "0.1.0.post1"),
    ],
)
def test_the_newest(own: str, versions: list[str], expected: str | None) -> None:
    found = newest(parse_feed(feed(*map(release, versions))), own)
    assert (found.version if found else None) == expected


FILES = [
    file(),
    file(kind="archive", address="https://a.org/x.tar.xz"),
    file(machine="arm64", address="https://a.org/arm.deb"),
    file(system="windows", kind="installer", address="https://a.org/x.exe"),
    file(system="any", machine="any", kind="wheel", address="https://a.org/x.whl"),
]


@pytest.mark.parametrize(
    ("computer", "name"),
    [
        (("linux", "x86_64", ("deb", "archive")), "spanlight_0.2.0_amd64.deb"),
        (("linux", "x86_64", ("archive",)), "x.tar.xz"),
        (("linux", "arm64", ("deb", "archive")), "arm.deb"),
        (("linux", "riscv64", ("deb", "archive")), None),
        (("windows", "x86_64", ("installer", "archive")), "x.exe"),
        (("macos", "arm64", ("dmg", "archive")), None),
        (("linux", "riscv64", ("wheel",)), "x.whl"),
        (("plan9", "mips", ()), None),
    ],
)
def test_the_file_for_a_computer(computer: tuple[str, str, tuple[str, ...]], name: str | None) -> None:
    (found,) = parse_feed(feed(release(files=FILES))).releases
    file = file_for_computer(found, *computer)
    assert (file.name if file else None) == name


def test_files_for_systems_of_later_days_are_left_out() -> None:
    later = [file(kind="flatpak"), file(machine="riscv128"), file(system="haiku"), file()]
    (found,) = parse_feed(feed(release(files=later))).releases
    assert len(found.files) == 1


def test_a_newer_format_is_told_as_such() -> None:
    with pytest.raises(SpanlightError, match="newer form"):
        parse_feed(json.dumps({"format": FORMAT + 1, "everything": "else"}).encode())


HOSTILE = [
    b"", b"<html></html>", b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 200_000,
    b'{"format":1,"releases":' + b"[" * 200_000,
    b'{"format":1,"x":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    b'{"format": 1' + b"0" * 5000 + b"}", b'{"format": NaN}', b'{"format": true, "releases": []}',
    b'{"format": "1", "releases": []}', b'{"format": 0, "releases": []}', b'{"format": -1, "releases": []}',
    feed(releases={}), feed(releases="x"), feed(releases=[1]), feed(releases=[[]]), feed(releases=[None]),
    feed() + b" " * MOST_BYTES, feed(*[release()] * 1001),
    feed({"version": "0.2.0"}), feed(release(version=2)), feed(release(version=["0.2.0"])),
    *(feed(release(date=day)) for day in ("", "soon", "2027-13-01", "2027-02-30", "20270503", "2027-W01-1", 7, None)),
    *(feed(release(page=page)) for page in (
        "", "x", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "http://example.org/", "ftp://a.org/",
        "https://", "https://me:secret@a.org/", "https://a.org/\u202egpj", "https://a.org/ x", "https://a.org/\n",
        "https://a.org/\"onclick", "https://a.org\\@b.org/", "//a.org", "https://a.org:99999/", "https://а.org/",
        "HTTPS:a",
        "https://a.org/" + "x" * 3000, 7, None, "http://127.0.0.1/", "https://a.org/<b>", "smb://a/b", "spanlight:x",
    )),
    feed(release(notes=7)), feed(release(notes=None)), feed(release(files={})), feed(release(files=[7])),
    feed(release(files=[file()] * 101)),
    *(feed(release(files=[file(**wrong)])) for wrong in (
        {"size": 0}, {"size": -1}, {"size": 1.5}, {"size": 2**50}, {"size": True}, {"sha256": "x"},
        {"sha256": DIGEST + "0"}, {"sha256": DIGEST.upper()}, {"address": "http://a.org/x"},
        {"address": "https://a.org/"}, {"address": "x"}, {"kind": 7},
    )),
]  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_feed_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(SpanlightError, match="does not announce versions") as told:
        parse_feed(data)
    assert told.value.hint and len(str(told.value)) < 200


@given(st.text())
def test_notes_come_without_what_steers_a_screen(notes: str) -> None:
    (found,) = parse_feed(feed(release(notes=notes))).releases
    assert found.notes == legible_lines(notes, 20_000).strip() and len(found.notes) <= 20_000


def test_notes_stay_what_they_are_otherwise() -> None:
    notes = "New:\r\n- <b>tables</b> & more\n\n\n\n- ναί 👩‍👧 \x1b[31mred\u202eevil\u2066\x07\n"
    (found,) = parse_feed(feed(release(notes=notes + "x" * 30_000))).releases
    assert found.notes.startswith("New:\n- <b>tables</b> & more\n\n\n\n- ναί 👩‍👧  [31mredevil \nxxx")


KEYS = st.sampled_from(["version", "date", "page", "notes", "files", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner),
)


@given(JSON)
def test_anything_is_a_feed_or_a_sentence(told: Any) -> None:
    for whole in (told, {"format": 1, "releases": told}, {"format": 1, "releases": [told]}):
        try:
            found = parse_feed(json.dumps(whole).encode())
        except SpanlightError:
            continue
        assert all(version_key(each.version) and each.page.startswith("https://") for each in found.releases)


def test_a_feed_of_this_computer_may_name_its_own_pages() -> None:
    own = feed(release(page="http://127.0.0.1:8000/", files=[file(address="http://localhost/x.deb")]))
    assert parse_feed(own, local=True).releases
    with pytest.raises(SpanlightError):
        parse_feed(feed(release(page="http://192.168.0.1/")), local=True)


@pytest.mark.parametrize(
    ("platform", "machine", "frozen", "dpkg", "expected"),
    [
        ("linux", "x86_64", True, "/usr/bin/dpkg", ("linux", "x86_64", ("deb", "archive"))),
        ("linux", "aarch64", True, None, ("linux", "arm64", ("archive",))),
        ("win32", "AMD64", True, None, ("windows", "x86_64", ("installer", "archive"))),
        ("darwin", "arm64", True, None, ("macos", "arm64", ("dmg", "archive"))),
        ("linux", "x86_64", False, "/usr/bin/dpkg", ("linux", "x86_64", ("wheel",))),
        ("freebsd14", "amd64", True, None, ("freebsd14", "x86_64", ())),
    ],
)
def test_this_computer(
    monkeypatch: pytest.MonkeyPatch, platform: str, machine: str, frozen: bool, dpkg: Any, expected: Any
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("shutil.which", lambda name: dpkg)
    assert this_computer() == expected
