"""Zips with models in them: sound ones of every make, and hostile ones, each refused before anything is unpacked."""

from __future__ import annotations

import json
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.models.disk import archive as archives
from app.models.disk.archive import holds_model, is_zip, open_archive
from app.models.disk.card import read_card
from app.models.disk.copying import Meter, files_of

Spoil = Callable[[zipfile.ZipFile], object]
STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED


def packed(
    folder: Path,
    target: Path,
    below: str = "",
    more: Spoil = lambda _: None,
    names: Iterable[str] = (),
    method: int = DEFLATED,
) -> Path:
    """A zip of a folder's files, `below` before their names; `more` puts further entries in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that stand twice
        with zipfile.ZipFile(target, "w", method) as file:
            for name in names or sorted(path.name for path in folder.iterdir()):
                file.write(folder / name, below + name)
            more(file)
    return target


def unpacked(path: Path, target: Path) -> tuple[tuple[str, int, str], ...]:
    target.mkdir()
    with open_archive(path) as archive:
        return archive.unpack(target, Meter(Silent(), "Unpacking", archive.size))


def refusal(path: Path, target: Path) -> SpanlightError:
    """The error for a zip that is refused; nothing is written but inside `target`."""
    before = set(path.parent.rglob("*"))
    with pytest.raises(SpanlightError) as caught:
        unpacked(path, target)
    assert "\n" not in caught.value.message
    assert caught.value.message.endswith(".") and caught.value.hint.endswith(".")
    written = set(path.parent.rglob("*")) - before - {target}
    assert all(each.is_relative_to(target) for each in written)
    return caught.value


@pytest.mark.parametrize("below", ["", "reader/", "my model 2/"])
@pytest.mark.parametrize("method", [STORED, DEFLATED])
def test_a_model_is_unpacked_from_the_top_or_from_one_folder(
    reader: Path, tmp_path: Path, below: str, method: int
) -> None:
    (reader / "README.md").write_text("# Reader")
    path = packed(reader, tmp_path / "x.zip", below, method=method)
    done = unpacked(path, tmp_path / "out")
    assert {name for name, _, _ in done} == set(files_of(reader))
    for name, size, _ in done:
        assert (tmp_path / "out" / name).read_bytes() == (reader / name).read_bytes()
        assert (tmp_path / "out" / name).stat().st_size == size
    assert read_card(tmp_path / "out").heads == read_card(reader).heads


def test_only_known_files_are_unpacked(reader: Path, tmp_path: Path) -> None:
    def more(file: zipfile.ZipFile) -> None:
        for name in (
            "pytorch_model.bin", "modeling.py", "onnx/model.onnx", "__MACOSX/._config.json", ".git/config",
            "1_Pooling/config.json", "adapter_model.safetensors", "sub/model.safetensors", ".DS_Store",
            "__MACOSX/reader/._config.json", "__MACOSX/reader/._model.safetensors",
        ):  # fmt: skip
            file.writestr(name, b"x")

    path = packed(reader, tmp_path / "x.zip", more=more)
    unpacked(path, tmp_path / "out")
    assert {each.name for each in (tmp_path / "out").rglob("*")} == set(files_of(reader))


def test_shards_are_taken_that_the_index_names(reader: Path, tmp_path: Path) -> None:
    (reader / "model.safetensors").rename(reader / "model-00001-of-00001.safetensors")
    header = (reader / "model-00001-of-00001.safetensors").read_bytes()
    names = [
        name for name in json.loads(header[8 : 8 + struct.unpack("<Q", header[:8])[0]]) if name[0] != "_"
    ]
    index = {"weight_map": dict.fromkeys(names, "model-00001-of-00001.safetensors")}
    (reader / "model.safetensors.index.json").write_text(json.dumps(index))
    path = packed(
        reader, tmp_path / "x.zip", "a/", lambda file: file.writestr("a/training.safetensors", b"x")
    )
    done = {name for name, _, _ in unpacked(path, tmp_path / "out")}
    assert done == set(files_of(reader))
    assert "training.safetensors" not in done
    read_card(tmp_path / "out")


def test_a_zip_with_something_before_it_is_read(reader: Path, tmp_path: Path) -> None:
    path = packed(reader, tmp_path / "x.zip")
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())
    assert unpacked(path, tmp_path / "out")


# Hostile and broken ones


def entry(name: str, mode: int = 0o644, data: bytes = b"x") -> Spoil:
    def put(file: zipfile.ZipFile) -> None:
        told = zipfile.ZipInfo(name)
        told.external_attr = mode << 16
        file.writestr(told, data)

    return put


def two_models(file: zipfile.ZipFile) -> None:
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        file.writestr(f"second/{name}", b"x")


def many(file: zipfile.ZipFile) -> None:
    for number in range(archives.MOST_ENTRIES + 1):
        file.writestr(f"{number}", b"")


HOSTILE: dict[str, tuple[Spoil, str]] = {
    "traversal": (entry("../outside.json"), "outside of it"),
    "traversal further in": (entry("a/../../outside.json"), "outside of it"),
    "absolute": (entry("/tmp/outside.json"), "outside of it"),
    "drive letter": (entry("C:/outside.json"), "outside of it"),
    "drive letter without slash": (entry("c:outside.json"), "outside of it"),
    "other stream": (entry("config.json:evil"), "outside of it"),
    "backslashes": (entry("..\\outside.json"), "outside of it"),
    "network path": (entry("\\\\server\\share\\x.json"), "outside of it"),
    "symbolic link": (entry("README.md", stat.S_IFLNK | 0o777, b"/etc/passwd"), "outside of it"),
    "linked folder": (entry("sub", stat.S_IFLNK | 0o777, b".."), "outside of it"),
    "device": (entry("LICENSE", stat.S_IFCHR | 0o666), "outside of it"),
    "pipe": (entry("LICENSE", stat.S_IFIFO | 0o666), "outside of it"),
    "newline in a name": (entry("a\nb"), "outside of it"),
    "same name twice": (entry("config.json"), "two files of one name"),
    "same name in capitals": (entry("CONFIG.json"), "two files of one name"),
    "several models": (two_models, "holds several models: one at its top, second"),
    "too many entries": (many, "more than 10,000 files"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zip_is_refused_before_anything_is_unpacked(
    reader: Path, tmp_path: Path, kind: str
) -> None:
    more, said = HOSTILE[kind]
    path = packed(reader, tmp_path / "x.zip", more=more)
    assert said in refusal(path, tmp_path / "out").message
    assert list((tmp_path / "out").iterdir()) == []


def test_a_bomb_is_refused(reader: Path, tmp_path: Path) -> None:
    (reader / "model.safetensors").write_bytes(bytes(20 * 2**20))
    fault = refusal(packed(reader, tmp_path / "x.zip"), tmp_path / "out")
    assert "far more than a model" in fault.message
    assert list((tmp_path / "out").iterdir()) == []


def lie(path: Path, name: str, offset: int, value: int, kind: str = "<I") -> None:
    """Change a number in a file's entry of the directory (APPNOTE 4.3.12)."""
    data = bytearray(path.read_bytes())
    at = data.rindex(name.encode()) - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    struct.pack_into(kind, data, at + offset, value)
    path.write_bytes(data)


def test_overlapping_entries_are_refused(reader: Path, tmp_path: Path) -> None:
    path = packed(reader, tmp_path / "x.zip", more=lambda file: file.writestr("zz.safetensors", b"x" * 50))
    with zipfile.ZipFile(path) as file:
        place = file.getinfo("model.safetensors").header_offset
    lie(path, "zz.safetensors", 42, place + 10)
    assert "far more than a model" in refusal(path, tmp_path / "out").message


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        *(("model.safetensors", size, "damaged") for size in (100, 0, 10**6)),
        ("config.json", 2**31, "far more than a model"),
    ],
)
def test_a_file_of_another_length_than_the_directory_says_is_refused(
    reader: Path, tmp_path: Path, name: str, size: int, said: str
) -> None:
    path = packed(reader, tmp_path / "x.zip", names=[*files_of(reader)][::-1])
    lie(path, name, 24, size)
    assert said in refusal(path, tmp_path / "out").message


@pytest.mark.parametrize("flag", [0x1, 0x41, 0x2000])
def test_an_encrypted_zip_is_refused(reader: Path, tmp_path: Path, flag: int) -> None:
    path = packed(reader, tmp_path / "x.zip", names=[*files_of(reader)][::-1])
    lie(path, "model.safetensors", 8, flag, "<H")
    assert "password" in refusal(path, tmp_path / "out").message


def test_other_ways_of_packing_pickles_alone_and_models_too_deep_in_are_refused(
    reader: Path, tmp_path: Path
) -> None:
    def said(path: Path) -> str:
        return refusal(path, path.with_suffix("")).message

    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "does not unpack" in said(packed(reader, tmp_path / f"{method}.zip", method=method))
    for below in ("a/b/", "a/b/c/"):
        path = packed(reader, tmp_path / f"{len(below)}.zip", below)
        assert "holds no model" in said(path)
    (reader / "model.safetensors").rename(reader / "pytorch_model.bin")
    pickled = packed(reader, tmp_path / "pickled.zip")
    assert "only as pytorch_model.bin, a format that can carry programs" in said(pickled)


def test_a_damaged_checksum_is_refused(reader: Path, tmp_path: Path) -> None:
    path = packed(reader, tmp_path / "x.zip", method=STORED)
    data = bytearray(path.read_bytes())
    at = data.index((reader / "model.safetensors").read_bytes()[-64:])
    data[at] ^= 0xFF
    path.write_bytes(data)
    assert "damaged" in refusal(path, tmp_path / "out").message


@given(cut=st.floats(0, 1), flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(1, 255)), max_size=4))
def test_whatever_is_done_to_a_zip_it_is_whole_or_refused(
    originals: dict[object, Path],
    tmp_path_factory: pytest.TempPathFactory,
    cut: float,
    flips: list[tuple[float, int]],
) -> None:
    folder = tmp_path_factory.mktemp("zip")
    source = next(iter(originals.values()))
    path = packed(
        source, folder / "x.zip", names=["config.json", "tokenizer_config.json", "model.safetensors"]
    )
    data = bytearray(path.read_bytes())
    if flips:
        for where, what in flips:
            data[int(where * len(data))] ^= what
    else:
        data = data[: int(cut * len(data))]
    path.write_bytes(data)
    try:
        done = unpacked(path, folder / "out")
    except SpanlightError as fault:
        assert "\n" not in fault.message
        assert fault.hint
    else:
        for name, _, _ in done:
            assert (folder / "out" / name).read_bytes() == (source / name).read_bytes()
    assert {each.name for each in folder.iterdir()} <= {"x.zip", "out"}


def test_a_huge_directory_is_not_read(reader: Path, tmp_path: Path) -> None:
    path = packed(reader, tmp_path / "x.zip")
    data = path.read_bytes()
    # A directory said to be 2 GB long, in a file as long (sparse).
    end = bytearray(data[-22:])
    struct.pack_into("<II", end, 12, 2**31 - 1, 0)
    with path.open("wb") as file:
        file.write(data[:-22])
        file.seek(2**31 - 1)
        file.write(end)
    try:
        assert "damaged" in refusal(path, tmp_path / "out").message
    finally:
        path.unlink()


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "gone.zip", tmp_path / "out").message


# Found by content


def test_zips_are_recognised_by_their_content(reader: Path, tmp_path: Path) -> None:
    path = packed(reader, tmp_path / "model.bin", "x/")
    assert is_zip(path) and holds_model(path)
    (tmp_path / "text.zip").write_text("no zip at all")
    assert not is_zip(tmp_path / "text.zip") and not holds_model(tmp_path / "text.zip")
    assert not is_zip(tmp_path / "gone.zip") and not is_zip(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.zip")  # nobody ever writes to it
        assert not is_zip(tmp_path / "pipe.zip") and not holds_model(tmp_path / "pipe.zip")
    with zipfile.ZipFile(tmp_path / "lease.docx", "w") as file:
        file.writestr("[Content_Types].xml", "<x/>")
        file.writestr("word/document.xml", "<x/>")
    assert is_zip(tmp_path / "lease.docx")
    assert not holds_model(tmp_path / "lease.docx")


def test_a_hostile_zip_still_counts_as_a_model_so_that_its_fault_is_reported(
    reader: Path, tmp_path: Path
) -> None:
    assert holds_model(packed(reader, tmp_path / "x.zip", more=entry("../x")))
    assert not holds_model(packed(reader, tmp_path / "y.zip", names=["config.json"]))
    (tmp_path / "z.zip").write_bytes(b"PK\x03\x04" + os.urandom(200))
    assert not holds_model(tmp_path / "z.zip")
