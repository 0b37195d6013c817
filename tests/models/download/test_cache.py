"""The Hugging Face cache: where it is, what it holds, and what is deleted with a model."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.network import Network
from app.core.offers import Passport, RemoteFile
from app.models.download.cache import (
    blob_of,
    cache_folder,
    cache_size,
    cached_bytes,
    cached_file,
    etag_of,
    forget,
    forget_partials,
    partial_of,
    snapshot_of,
    storage_of,
)
from tests.helpers.children import POSIX

FIRST, SECOND = "1" * 40, "2" * 40
NAME = "owner/reader"


ENVIRONMENTS: list[dict[str, str]] = [
    {},
    {"HF_HOME": "/a/home"},
    {"HF_HUB_CACHE": "/a/cache", "HF_HOME": "/b"},
    {"HUGGINGFACE_HUB_CACHE": "/a/older"},
    {"XDG_CACHE_HOME": "/a/xdg"},
    {"HF_HOME": "~/hugging"},
    {"HF_HOME": "$SOMEWHERE/hugging", "SOMEWHERE": "/s"},
]
THEIRS = """
import importlib, json, os, sys
from huggingface_hub import constants
clean = dict(os.environ)
for environ in json.loads(sys.argv[1]):
    os.environ.clear()
    os.environ.update(clean | environ)
    print(importlib.reload(constants).HF_HUB_CACHE)
"""


def test_the_standard_cache_is_huggingface_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    command = [sys.executable, "-c", THEIRS, json.dumps(ENVIRONMENTS)]
    theirs = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    for environ, folder in zip(ENVIRONMENTS, theirs, strict=True):
        with monkeypatch.context() as patched:
            for name, value in environ.items():
                patched.setenv(name, value)
            assert str(cache_folder(Network())) == folder
    assert cache_folder(Network(cache="/mine")) == Path("/mine")


class Cache:
    """A cache with two commits of one repository: their weights are the same, their configs differ."""

    def __init__(self, folder: Path) -> None:
        self.network = Network(cache=str(folder))
        self.folder = folder
        self.weights = RemoteFile("model.safetensors", 1000, sha256="a" * 64)
        self.configs = {
            FIRST: RemoteFile("config.json", 10, blob="b" * 40),
            SECOND: RemoteFile("config.json", 20, blob="c" * 40),
        }
        for commit, config in self.configs.items():
            for file in (self.weights, config):
                self.put(commit, file)

    def put(self, commit: str, file: RemoteFile) -> None:
        blob = blob_of(self.folder, NAME, file)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(b"x" * file.size)
        entry = snapshot_of(self.folder, NAME, commit) / file.name
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.symlink_to(Path("..") / ".." / "blobs" / blob.name)

    def passport(self, commit: str) -> Passport:
        return Passport(NAME, commit, "https://x", None, (self.weights, self.configs[commit]))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def forgotten(network: Network, commit: str, files: tuple[str, ...] | None = None) -> int:
    """Delete a commit's files; the bytes that this was announced to free."""
    announced = cache_size(NAME, commit, network, files)
    forget(NAME, commit, network, files)
    return announced


@POSIX
def test_a_deleted_commit_leaves_what_another_needs(cache: Cache) -> None:
    refs = storage_of(cache.folder, NAME) / "refs"
    refs.mkdir()
    (refs / "main").write_text(FIRST)
    (refs / "other").write_text(SECOND)
    assert forgotten(cache.network, FIRST) == 10
    assert not snapshot_of(cache.folder, NAME, FIRST).exists() and not (refs / "main").exists()
    assert cached_file(cache.folder, NAME, SECOND, cache.weights) and (refs / "other").exists()
    assert forgotten(cache.network, SECOND) == 1020
    assert not storage_of(cache.folder, NAME).exists()
    assert forgotten(cache.network, SECOND) == 0


@POSIX
def test_only_the_named_files_are_deleted(cache: Cache) -> None:
    forget(NAME, FIRST, cache.network)
    assert forgotten(cache.network, SECOND, ("config.json", "../../../x")) == 20
    assert forgotten(cache.network, SECOND, ()) == 0
    assert cached_file(cache.folder, NAME, SECOND, cache.weights)
    assert cached_file(cache.folder, NAME, SECOND, cache.configs[SECOND]) is None


@POSIX
def test_targets_of_links_outside_the_cache_stay(cache: Cache, tmp_path: Path) -> None:
    other = tmp_path / "mine.txt"
    other.write_bytes(b"mine")
    (snapshot_of(cache.folder, NAME, FIRST) / "README.md").symlink_to(other)
    assert forgotten(cache.network, FIRST) == 10
    assert other.read_bytes() == b"mine"


@POSIX
def test_bytes_with_another_hard_link_are_not_freed(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").hardlink_to(blob_of(cache.folder, NAME, cache.weights))
    forget(NAME, FIRST, cache.network)
    assert forgotten(cache.network, SECOND) == 20
    assert (tmp_path / "model.safetensors").stat().st_size == 1000


def test_entries_that_are_files_are_deleted_too(tmp_path: Path) -> None:
    network = Network(cache=str(tmp_path))
    entry = snapshot_of(tmp_path, NAME, FIRST) / "config.json"
    entry.parent.mkdir(parents=True)
    entry.write_bytes(b"x" * 30)
    config = RemoteFile("config.json", 30, blob="b" * 40)
    assert cached_file(tmp_path, NAME, FIRST, config) == entry
    assert forgotten(network, FIRST) == 30 and not storage_of(tmp_path, NAME).exists()


@POSIX
def test_cached_bytes_include_unfinished_files(cache: Cache) -> None:
    passport = cache.passport(SECOND)
    assert cached_bytes(passport, cache.network) == 1020
    forget(NAME, FIRST, cache.network)
    forget(NAME, SECOND, cache.network)
    assert cached_bytes(passport, cache.network) == 0
    partial = partial_of(cache.folder, NAME, cache.weights)
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"x" * 300)
    other = partial.with_name("f" * 64 + ".incomplete")
    other.write_bytes(b"x")
    assert cached_bytes(passport, cache.network) == 300
    forget_partials(passport, cache.network)
    assert not partial.exists() and other.exists()
    partial.write_bytes(b"x" * 5000)
    assert cached_bytes(passport, cache.network) == 1000


@POSIX
def test_complete_files_without_an_entry_are_deleted_with_the_unfinished(cache: Cache) -> None:
    passport = cache.passport(FIRST)
    weights, config = (blob_of(cache.folder, NAME, file) for file in passport.files)
    forget_partials(passport, cache.network)
    assert weights.exists() and config.exists()  # entries lead to both
    (snapshot_of(cache.folder, NAME, FIRST) / "config.json").unlink()
    before = replace(passport, files=(cache.weights, replace(cache.configs[FIRST], cached=True)))
    forget_partials(before, cache.network)
    assert config.exists()
    (snapshot_of(cache.folder, NAME, FIRST) / "model.safetensors").unlink()
    forget_partials(passport, cache.network)
    assert not config.exists() and weights.exists()  # the other commit's entry leads to them
    (snapshot_of(cache.folder, NAME, SECOND) / "model.safetensors").unlink()
    forget_partials(passport, cache.network)
    assert not weights.exists()


def test_a_file_of_another_size_does_not_count(tmp_path: Path) -> None:
    blob = blob_of(tmp_path, NAME, RemoteFile("config.json", 5, blob="b" * 40))
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"1234")
    assert cached_file(tmp_path, NAME, FIRST, RemoteFile("config.json", 5, blob="b" * 40)) is None
    assert cached_file(tmp_path, NAME, FIRST, RemoteFile("config.json", 4, blob="b" * 40)) == blob


@given(st.text(max_size=20), st.text(max_size=45), st.text(max_size=70))
def test_no_path_is_outside_the_cache(name: str, commit: str, etag: str) -> None:
    for place in (
        lambda: storage_of(Path("/cache"), name),
        lambda: snapshot_of(Path("/cache"), NAME, commit),
        lambda: blob_of(Path("/cache"), NAME, RemoteFile("x", 1, sha256=etag)),
    ):
        try:
            found = place()
        except ValueError:
            continue
        assert Path("/cache") in found.parents and ".." not in found.parts


def test_a_file_without_a_checksum_has_no_path() -> None:
    file = RemoteFile("config.json", 1)
    with pytest.raises(ValueError, match="no checksum"):
        etag_of(file)
    assert etag_of(replace(file, blob="0" * 40)) == "0" * 40
    assert etag_of(replace(file, sha256="a" * 64, blob="0" * 40)) == "a" * 64
