"""What a finished bundle holds: the packages in it, and the licences of all of it."""

from __future__ import annotations

import shutil
from importlib.metadata import packages_distributions
from pathlib import Path

import licences
from PyInstaller.archive.readers import CArchiveReader

from bundling.system_libraries import system_libraries


def write_licences(bundle: Path, application: Path | None = None) -> None:
    """Write the list of licences into a bundle, and one text of them all beside it.

    `application` is the .app of macOS, which PyInstaller has made of the same files by then: it gets the list too.
    """
    names, extras = distributions(bundle), list(system_libraries(bundle))
    written = licences.write(names, extras, bundle / "_internal" / "resources")
    if application is not None:
        shutil.copy(written, application / "Contents" / "Resources" / "resources")
    licences.write_text(names, extras, bundle.parent)


def distributions(bundle: Path) -> list[str]:
    """The names of the distributions that have a module in a bundle."""
    program = next(path for path in bundle.iterdir() if path.is_file() and path.stem.lower() == "spanlight")
    archive = CArchiveReader(str(program))
    modules = archive.open_embedded_archive(
        next(name for name in archive.toc if name.lower().endswith(".pyz"))
    )
    tops = {name.partition(".")[0] for name in modules.toc}
    tops |= {path.name.partition(".")[0] for path in (bundle / "_internal").iterdir()}
    by_package = packages_distributions()
    return sorted({name for top in tops for name in by_package.get(top, ())})
