"""A finished bundle made smaller: what its libraries hold for debuggers only is taken out (Linux)."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

# elf(5): the kinds of segments and of dynamic entries that are looked at here.
_LOAD, _DYNAMIC = 1, 2
_NULL, _STRTAB, _RPATH, _RUNPATH = 0, 5, 15, 29
_SEGMENT = "<IIQQQQQQ"


def elf_files(folder: Path) -> Iterator[Path]:
    """Programs and libraries below a folder, links aside."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def strip(folder: Path) -> int:
    """Strip all libraries below a folder that still load afterwards; the number of bytes saved.

    Where a library was patched after it was linked (as wheels are, to find what they bring along) `strip` may move its
    segments off their pages; such a one stays as it was. The program itself stays too: its modules are tacked on to it.
    """
    saved = 0
    for path in elf_files(folder):
        if ".so" not in path.name:
            continue
        smaller = path.with_name(path.name + ".stripped")
        done = subprocess.run(
            ["strip", "--strip-unneeded", "-o", str(smaller), str(path)], capture_output=True, check=False
        )
        if done.returncode == 0 and is_aligned(smaller) and smaller.stat().st_size < path.stat().st_size:
            saved += path.stat().st_size - smaller.stat().st_size
            shutil.copymode(path, smaller)
            smaller.replace(path)
        smaller.unlink(missing_ok=True)
    return saved


def forget_search_paths(folder: Path) -> int:
    """Take out of all programs and libraries below a folder where on the machine that made them they looked for others.

    A path that begins beside the library itself ($ORIGIN) stays. The number of files changed.
    """
    return sum(_forget_search_path(path) for path in elf_files(folder))


def _forget_search_path(library: Path) -> bool:
    data = bytearray(library.read_bytes())
    segments = list(_segments(data))
    at, size = next(((where, size) for kind, where, _, size, _ in segments if kind == _DYNAMIC), (0, 0))
    entries = [struct.unpack_from("<QQ", data, place) for place in range(at, at + size, 16)]
    strings = next((value for tag, value in entries if tag == _STRTAB), 0)
    names = next(
        (
            strings - to + where
            for kind, where, to, size, _ in segments
            if kind == _LOAD and to <= strings < to + size
        ),
        0,
    )
    kept = []
    for tag, value in entries:
        begins = names + value
        if tag in (_RPATH, _RUNPATH) and data[begins : begins + 1] == b"/":
            data[begins : data.index(b"\0", begins)] = bytes(data.index(b"\0", begins) - begins)
        else:
            kept.append((tag, value))
    if len(kept) == len(entries):
        return False
    kept += [(_NULL, 0)] * (len(entries) - len(kept))
    for place, (tag, value) in zip(range(at, at + size, 16), kept, strict=True):
        struct.pack_into("<QQ", data, place, tag, value)
    library.write_bytes(data)
    return True


def _segments(data: bytes | bytearray) -> Iterator[tuple[int, int, int, int, int]]:
    """Kind, place in the file, address, size in the file and alignment of each segment of a 64-bit file."""
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for entry in range(at, at + size * count, size):
        kind, _, offset, address, _, held, _, align = struct.unpack_from(_SEGMENT, data, entry)
        yield kind, offset, address, held, align


def is_aligned(library: Path) -> bool:
    """Whether each segment of a 64-bit library lies in the file where the loader can map it (elf(5), p_align)."""
    segments = _segments(library.read_bytes())
    return not any(
        kind == _LOAD and align > 1 and (address - offset) % align
        for kind, offset, address, _, align in segments
    )
