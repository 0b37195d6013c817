"""A finished bundle made smaller: what its libraries hold for debuggers only is taken out (Linux)."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

_LOAD = 1


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


def is_aligned(library: Path) -> bool:
    """Whether each segment of a 64-bit library lies in the file where the loader can map it (elf(5), p_align)."""
    data = library.read_bytes()
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for entry in range(at, at + size * count, size):
        kind, _, offset, address = struct.unpack_from("<IIQQ", data, entry)
        align = struct.unpack_from("<Q", data, entry + 48)[0]
        if kind == _LOAD and align > 1 and (address - offset) % align:
            return False
    return True
