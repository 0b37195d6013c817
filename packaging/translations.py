"""Collects the window's texts into the translations of Qt Linguist, and compiles these.

    python packaging/translations.py

Run it after a text of the window was changed, translate in `resources/translations/*.ts` what is unfinished there (with
Qt Linguist: pyside6-linguist), and run it again. A new language is a name in `app/ui/kit/translation.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
_TOOLS = Path(PySide6.__file__).parent


def collect(file: Path) -> None:
    """Bring the file of a language up to date with the texts in `app`; what is not used any more is dropped."""
    rooms = (room for room in sorted((ROOT / "app").iterdir()) if room.name not in ("bench", "cli"))
    sources = [str(each.relative_to(ROOT)) for room in rooms for each in sorted(room.rglob("*.py"))]
    _run(
        "lupdate", *sources, "-tr-function-alias", "tr+=Message", "-locations", "none", "-no-obsolete",
        "-disable-heuristic", "similartext", "-source-language", "en", "-ts", str(file),
    )  # fmt: skip


def compile(file: Path, target: Path) -> None:
    """Write the form that the window loads."""
    _run("lrelease", "-nounfinished", str(file), "-qm", str(target))


def _run(tool: str, *arguments: str) -> None:
    found = next((each for each in (_TOOLS / tool, _TOOLS / f"{tool}.exe") if each.exists()), None)
    if found is None:
        raise SystemExit(f"{tool} is not in {_TOOLS}: install PySide6-Essentials.")
    subprocess.run([str(found), *arguments, "-silent"], cwd=ROOT, check=True)


def main() -> int:
    """Update and compile every language but English, whose texts stand in the code."""
    sys.path.insert(0, str(ROOT))
    from app.ui.kit.translation import LANGUAGES

    FOLDER.mkdir(exist_ok=True)
    for language in LANGUAGES.keys() - {"en"}:
        file = FOLDER / f"spanlight_{language}.ts"
        collect(file)
        compile(file, file.with_suffix(".qm"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
