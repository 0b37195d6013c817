"""What the Windows installer installs and its uninstaller deletes, read from a bundle's folder.

`python3 packaging/windows/files.py BUNDLE FOLDER` writes into FOLDER `install.nsh`, `uninstall.nsh` and `about.nsh`,
which spanlight.nsi takes in.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path, PurePosixPath, PureWindowsPath

HERE = Path(__file__).resolve().parent
# Windows' 259 for a whole path, less the usual folder with a person's name of 36 letters in it.
LONGEST = 180
FORBIDDEN = set('<>:"\\|?*')
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


def listed(bundle: Path) -> list[PurePosixPath]:
    """All files below `bundle`, in order.

    Raises ValueError where one cannot be on Windows: its path is too long, a name is not allowed, two differ by case.
    """
    files = sorted(
        PurePosixPath(path.relative_to(bundle).as_posix()) for path in bundle.rglob("*") if path.is_file()
    )
    for file in files:
        if len(str(file)) > LONGEST:
            raise ValueError(f"{file} is longer than {LONGEST} characters: a Windows path has 260 in all.")
        for part in file.parts:
            bad = FORBIDDEN & set(part) or part.split(".")[0].lower() in RESERVED or part[-1] in ". "
            if bad or any(ord(letter) < 32 for letter in part):
                raise ValueError(f"{file} has a name that Windows does not allow.")
    twice = [name for name, times in Counter(str(file).lower() for file in files).items() if times > 1]
    if twice:
        raise ValueError(f"{twice[0]} is there twice, with other capitals.")
    if PurePosixPath("spanlight.exe") not in files:
        raise ValueError(f"There is no spanlight.exe in {bundle}: this is no bundle for Windows.")
    return files


def folders(files: list[PurePosixPath]) -> list[PurePosixPath]:
    """The folders that hold these files, each after all that lie inside it."""
    held = {parent for file in files for parent in file.parents if parent.name}
    return sorted(held, key=lambda folder: (-len(folder.parts), folder))


def quoted(words: str) -> str:
    """A string of the installer's language; in it a dollar sign begins a variable."""
    return '"' + words.replace("$", "$$").replace('"', '$\\"') + '"'


def on_windows(path: PurePosixPath) -> str:
    return str(PureWindowsPath(path))


def install_list(bundle: Path, files: list[PurePosixPath]) -> str:
    """The lines that put each file in its place."""
    lines: list[str] = []
    folder: PurePosixPath | None = None
    for file in sorted(files, key=lambda each: (each.parent, each)):
        if file.parent != folder:
            folder = file.parent
            target = "" if not folder.name else "\\" + on_windows(folder)
            lines.append(f'SetOutPath "$INSTDIR{quoted(target)[1:]}')
        # The source is taken as it stands, the name that it gets is a string with variables.
        lines.append(f'File "/oname={quoted(file.name)[1:]} "{bundle / file}"')
    return "\n".join(lines) + "\n"


def uninstall_list(files: list[PurePosixPath]) -> str:
    """The lines that delete each file, and then each folder that nothing is left in."""
    lines = [f'Delete "$INSTDIR\\{quoted(on_windows(file))[1:]}' for file in files]
    lines += [f'RMDir "$INSTDIR\\{quoted(on_windows(folder))[1:]}' for folder in folders(files)]
    return "\n".join(lines) + "\n"


def about(size: int) -> str:
    """What installer and list of programs say of Spanlight; `size` is of all files together, in bytes."""
    places = [str(HERE), str(HERE.parent.parent)]
    sys.path[:0] = places
    try:
        from version_info import four_numbers

        from app.core.about import COPYRIGHT, NAME, PUBLISHER, SUMMARY, VERSION
    finally:
        for place in places:
            sys.path.remove(place)
    said = {
        "NAME": NAME,
        "VERSION": VERSION,
        "VERSION_FOUR": ".".join(map(str, four_numbers())),
        "PUBLISHER": PUBLISHER,
        "COPYRIGHT": COPYRIGHT,
        "SUMMARY": SUMMARY,
        "SIZE_KB": str(-(-size // 1024)),
    }
    return "".join(f"!define {name} {quoted(words)}\n" for name, words in said.items())


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    bundle, target = Path(arguments[0]).resolve(), Path(arguments[1])
    try:
        files = listed(bundle)
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1
    size = sum((bundle / file).stat().st_size for file in files)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("install.nsh", install_list(bundle, files)),
        ("uninstall.nsh", uninstall_list(files)),
        ("about.nsh", about(size)),
    ):
        # With its mark, by which the compiler knows the encoding.
        (target / name).write_text(text, encoding="utf-8-sig")
    print(f"{len(files)} files, {size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
