"""The version resource of Spanlight's two Windows programs, for PyInstaller's description of the bundle."""

from __future__ import annotations

from app.core.about import COPYRIGHT, NAME, PUBLISHER, VERSION


def four_numbers() -> tuple[int, int, int, int]:
    """The version as Windows counts it."""
    numbers = [int(number) for number in VERSION.replace("-", ".").split(".") if number.isdigit()]
    first, second, third, fourth = [*numbers, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def strings(program: str) -> dict[str, str]:
    """What Windows shows of the program's file, by the names of its string table."""
    return {
        "CompanyName": PUBLISHER,
        "FileDescription": NAME,
        "FileVersion": VERSION,
        "InternalName": "spanlight",
        "LegalCopyright": COPYRIGHT,
        # The one for terminals gets its last name when the installer is made.
        "OriginalFilename": program.replace("-console.exe", ".com"),
        "ProductName": NAME,
        "ProductVersion": VERSION,
    }


def version_resource(program: str) -> object:
    """PyInstaller's `version=` for the EXE that is named `program`; English, Unicode. Needs PyInstaller on Windows."""
    from PyInstaller.utils.win32.versioninfo import (
        FixedFileInfo,
        StringFileInfo,
        StringStruct,
        StringTable,
        VarFileInfo,
        VarStruct,
        VSVersionInfo,
    )

    table = [StringStruct(name, value) for name, value in strings(program).items()]
    return VSVersionInfo(
        ffi=FixedFileInfo(
            filevers=four_numbers(), prodvers=four_numbers(), mask=0x3F, OS=0x40004, fileType=1
        ),
        kids=[
            StringFileInfo([StringTable("040904B0", table)]),
            VarFileInfo([VarStruct("Translation", [0x0409, 1200])]),
        ],
    )
