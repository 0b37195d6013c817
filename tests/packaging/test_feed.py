"""The feed of releases made from built files, read back as the app reads it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.releases import file_for_computer, newest, parse_feed
from tests.conftest import ROOT

NAMES = {
    "spanlight_0.2.0_amd64.deb": ("linux", "x86_64", "deb"),
    "spanlight-0.2.0-linux-x86_64.tar.xz": ("linux", "x86_64", "archive"),
    "spanlight-0.2.0-linux-aarch64.tar.xz": ("linux", "arm64", "archive"),
    "spanlight-0.2.0-windows-x86_64.exe": ("windows", "x86_64", "installer"),
    "spanlight-0.2.0-macos-arm64.dmg": ("macos", "arm64", "dmg"),
    "spanlight-0.2.0-py3-none-any.whl": ("any", "any", "wheel"),
}


def make(*arguments: str | Path, version: str = "0.2.0") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, ROOT / "packaging" / "feed.py", "--version", version]
    addresses = [
        "--page",
        f"https://example.org/{version}",
        "--base-url",
        f"https://example.org/dl/{version}/",
    ]
    return subprocess.run([*command, *addresses, *arguments], cwd="/", capture_output=True, timeout=60)


@pytest.fixture
def built(tmp_path: Path) -> list[Path]:
    for name in NAMES:
        (tmp_path / name).write_bytes(name.encode() * 7)
    return [tmp_path / name for name in NAMES]


def test_what_was_built_is_read_back(built: list[Path], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Quicker – and “smaller”.\n", encoding="utf-8")
    done = make(*built, "--date", "2027-05-03", "--notes", tmp_path / "notes.txt")
    assert done.returncode == 0, done.stderr
    found = parse_feed(done.stdout)
    release = newest(found, "0.1.0")
    assert (
        release is not None and release.notes == "Quicker – and “smaller”." and release.date == "2027-05-03"
    )
    for file in release.files:
        data = (tmp_path / file.name).read_bytes()
        assert (file.system, file.machine, file.kind) == NAMES[file.name]
        assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
        assert file.address == f"https://example.org/dl/0.2.0/{file.name}"
    deb = file_for_computer(release, "linux", "x86_64", ("deb", "archive"))
    assert len(release.files) == len(NAMES) and deb is not None and deb.kind == "deb"


def test_a_release_is_added_to_an_older_feed_and_replaces_its_own_earlier_try(
    built: list[Path], tmp_path: Path
) -> None:
    old = tmp_path / "old.json"
    wheel = tmp_path / "spanlight-0.10.0-py3-none-any.whl"
    wheel.write_bytes(b"x")
    old.write_bytes(make(built[0]).stdout)
    old.write_bytes(make(wheel, "--onto", old, version="0.10.0").stdout)
    found = parse_feed(make(*built, "--onto", old).stdout)
    assert [(each.version, len(each.files)) for each in found.releases] == [
        ("0.10.0", 1),
        ("0.2.0", len(NAMES)),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [("spanlight-0.3.0-py3-none-any.whl", "is not of version"), ("notes.pdf", "does not tell")],
)
def test_files_that_are_none_of_a_release_are_refused(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    done = make(tmp_path / name)
    assert done.returncode == 2 and not done.stdout and words in done.stderr.decode()


def test_two_of_a_kind_and_what_cannot_be_read_are_refused(built: list[Path], tmp_path: Path) -> None:
    again = tmp_path / "again" / built[0].name
    again.parent.mkdir()
    again.write_bytes(b"x")
    assert b"the same kind" in make(built[0], again).stderr
    assert make(tmp_path / "spanlight_0.2.0_arm64.deb").returncode == 2
    old = tmp_path / "old.json"
    old.write_text(json.dumps({"format": 99}))
    assert b"newer form" in make(built[0], "--onto", old).stderr
    assert make(built[0], version="latest").returncode == 2
    empty = tmp_path / "spanlight_0.2.0_arm64.deb"
    empty.write_bytes(b"")
    assert make(empty).returncode == 2
