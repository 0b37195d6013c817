"""Collects the window's texts into the translations of Qt Linguist, and compiles these.

    python packaging/translations.py

Run it after a text of the window was changed, translate in `resources/translations/*.ts` what is unfinished there (with
Qt Linguist: pyside6-linguist), and run it again. A new language is a name in `app/ui/kit/translation.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
_TOOLS = Path(PySide6.__file__).parent


def collect(file: Path) -> None:
    """Bring the file of a language up to date with the texts in `app`; what is not used any more is dropped."""
    rooms = (room for room in sorted((ROOT / "app").iterdir()) if room.name not in ("bench", "cli"))
    sources = [str(each.relative_to(ROOT)) for room in rooms for each in sorted(room.rglob("*.py"))]
    with tempfile.TemporaryDirectory() as folder:
        # lupdate reads source code: what the resources say is written as such.
        shipped = Path(folder) / "shipped.py"
        shipped.write_text("".join(f"tr({json.dumps(text)})\n" for text in shipped_texts()), "utf-8")
        _run(
            "lupdate", *sources, str(shipped), "-tr-function-alias", "tr+=Message", "-locations", "none",
            "-no-obsolete", "-disable-heuristic", "similartext", "-source-language", "en", "-ts", str(file),
        )  # fmt: skip


def shipped_texts() -> Iterator[str]:
    """What the resources tell a person about models, samples and sets of examples: `app.core.message.shipped`."""
    resources = ROOT / "resources"
    yield from (model["line"] for model in json.loads((resources / "models.json").read_bytes())["models"])
    for notes in sorted((resources / "models").glob("*/spanlight.json")):
        yield from filter(None, [json.loads(notes.read_bytes()).get("description", "")])
    for sample in sorted((resources / "samples").glob("*.toml")):
        yield tomllib.loads(sample.read_text("utf-8"))["title"]
    for row in tomllib.loads((resources / "examples" / "sets.toml").read_text("utf-8"))["set"]:
        yield from (row["title"], row["line"])


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
