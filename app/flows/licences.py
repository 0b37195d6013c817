"""The licences of all components: from the list that is written when Spanlight is bundled, else as installed.

Those installed are read from the packages' own files, and from an index of the parts that no package describes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.core.licences import DATA, KINDS, LIBRARY, MODEL, Component, LicenceText
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Report, Silent
from app.flows.workspace import Workspace
from app.library.database import sqlite_version
from app.settings.paths import Paths

FILE = "licences.json"
_RULE = "=" * 80
# What a component may lack.
_OPTIONAL = ("version", "licence", "page", "note")
OWN = "spanlight"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRAS = re.compile(r"^[A-Za-z0-9._-]+\s*\[([^\]]*)\]")
_EXTRA_MARKER = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
# SPDX identifiers of the usual values of licence fields and classifiers.
_SPDX = {
    "apache 2.0 license": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit license": "MIT",
    "bsd license": "BSD-3-Clause",
    "bsd": "BSD-3-Clause",
    "python software foundation license": "PSF-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
}
_LONGEST_NAME = 120
_BUILT_IN = "Built into it"

_log = logging.getLogger(__name__)


def licences(workspace: Workspace, report: Report) -> tuple[Component, ...]:
    """Spanlight itself, then its components, sorted by name; an unreadable list in the resources is ignored.

    Raises SpanlightError where the index of the parts that no package describes is missing too; Stopped when cancelled.
    """
    file = workspace.paths.resources / FILE
    try:
        return from_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as fault:
        _log.warning("%s not read: %r", FILE, fault)
    try:
        return installed_components(workspace.paths, report=report)
    except FileNotFoundError as fault:
        raise SpanlightError(
            Message("The list of licences is missing."), Message("Install Spanlight again.")
        ) from fault


def to_json(found: Iterable[Component]) -> str:
    """Serialise components to JSON; a text that several share is written once."""
    texts: dict[str, str] = {}
    rows = []
    for one in found:
        texts_of_one = []
        for text in one.texts:
            key = hashlib.sha256(text.text.encode("utf-8")).hexdigest()[:16]
            texts[key] = text.text
            texts_of_one.append({"names": list(text.names), "text": key})
        stated = {name: value for name in _OPTIONAL if (value := getattr(one, name))}
        rows.append({"name": one.name, **stated, "kind": one.kind, "texts": texts_of_one})
    return json_of({"components": rows, "texts": texts}, ensure_ascii=False, indent=1) + "\n"


def from_json(written: str) -> tuple[Component, ...]:
    """The inverse of `to_json`; raises ValueError, KeyError or TypeError for anything else."""
    values: Any = json.loads(written)
    texts = values["texts"]
    return tuple(
        Component(
            name=str(row["name"]),
            **{name: str(row.get(name, "")) for name in _OPTIONAL},
            kind=row["kind"] if row.get("kind") in KINDS else LIBRARY,
            texts=tuple(
                LicenceText(tuple(str(name) for name in text["names"]), str(texts[text["text"]]))
                for text in row["texts"]
            ),
        )
        for row in values["components"]
    )


def as_text(found: Iterable[Component]) -> str:
    """All components as one plain text, separated by rules."""
    return f"\n\n{_RULE}\n\n".join(one.whole_text() for one in found) + "\n"


def write_file(target: Path, words: str) -> None:
    """Write a file in UTF-8 with LF, creating its folder; raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(words, encoding="utf-8", newline="\n")


def installed_components(
    paths: Paths, names: Iterable[str] | None = None, report: Report | None = None
) -> tuple[Component, ...]:
    """Spanlight, then, sorted by name, the packages, the parts that no package describes, the models and the examples.

    `names` are packages; None means all that Spanlight needs at run time. Raises Stopped when cancelled.
    """
    report = report or Silent()
    packages: dict[str, _Package] = {}
    for name in required_packages(paths) if names is None else names:
        report.check()
        try:
            packages[_normalised_name(name)] = _Package(metadata.distribution(name))
        except metadata.PackageNotFoundError:
            continue
    parts = list(_undescribed_parts(paths, packages))
    found = [
        Component(
            one.read.metadata["Name"],
            one.read.version,
            licence_of(one.read),
            _homepage(one.read),
            texts=(
                *(() if one.has_licence_text() else _licence_texts(paths, licence_of(one.read))),
                *one.texts,
            ),
        )
        for one in packages.values()
    ]
    own = Component(NAME, VERSION, "Apache-2.0", texts=_licence_texts(paths, "Apache-2.0"))
    rest = sorted((*found, *parts, *_bundled_pages(paths)), key=lambda one: one.name.casefold())
    return (own, *rest)


class _Package:
    """A package's metadata, with the licence texts that none of its parts has claimed."""

    def __init__(self, package: metadata.Distribution) -> None:
        self.read = package
        self.texts = _texts(package)

    def has_licence_text(self) -> bool:
        """Whether it includes the text of a licence."""
        return any(_BUILT_IN not in text.names for text in self.texts)

    def has(self, pattern: str) -> bool:
        """Whether one of its files matches a pattern; "" always matches."""
        return not pattern or any(file.match(pattern) for file in self.read.files or ())

    def texts_named(self, beginning: str) -> tuple[LicenceText, ...]:
        """Its texts with names that begin like this."""
        return tuple(one for one in self.texts if any(name.startswith(beginning) for name in one.names))


def required_packages(paths: Paths) -> tuple[str, ...]:
    """The names of all installed packages that Spanlight needs at run time, directly and indirectly."""
    open_ones = [(line, frozenset[str]()) for line in _own_requirements(paths)]
    seen: set[tuple[str, frozenset[str]]] = set()
    names: dict[str, str] = {}
    while open_ones:
        line, extras = open_ones.pop()
        match = _NAME.match(line)
        _, _, marker = line.partition(";")
        wanted = _EXTRA_MARKER.findall(marker)
        if match is None or (wanted and not extras & set(wanted)):
            continue
        try:
            # Packages for other systems are not installed, so markers need not be evaluated.
            package = metadata.distribution(match[0])
        except metadata.PackageNotFoundError:
            continue
        inside = _EXTRAS.match(line)
        requested = frozenset(one.strip() for one in inside[1].split(",")) if inside else frozenset[str]()
        key = _normalised_name(match[0])
        if (key, requested) in seen:
            continue
        seen.add((key, requested))
        names.setdefault(key, package.metadata["Name"] or match[0])
        open_ones += [(each, requested) for each in package.requires or ()]
    return tuple(sorted(names.values(), key=str.casefold))


def licence_of(package: metadata.Distribution) -> str:
    """A package's licence as an SPDX expression, else as the package words it; empty if it states none."""
    fields = package.metadata
    stated = (fields["License-Expression"] or "").strip()
    if not stated:
        line = (fields["License"] or "").strip()
        stated = line if "\n" not in line and len(line) <= _LONGEST_NAME else ""
    if not stated or stated.casefold() == "unknown":
        classified = [
            one.split(" :: ")[-1] for one in fields.get_all("Classifier") or () if "License ::" in one
        ]
        return " AND ".join(dict.fromkeys(_SPDX.get(one.casefold(), one) for one in classified))
    return _SPDX.get(stated.casefold(), stated)


def _own_requirements(paths: Paths) -> list[str]:
    """The requirements in the source tree's pyproject.toml, else those of the installed package."""
    try:
        values = tomllib.loads((paths.resources.parent / "pyproject.toml").read_text(encoding="utf-8"))
        if values["project"]["name"] == OWN:
            return [str(line) for line in values["project"]["dependencies"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        return metadata.requires(OWN) or []
    except metadata.PackageNotFoundError:
        _log.warning("what Spanlight needs is not told by its package: the list of licences is short")
        return []


def _texts(package: metadata.Distribution) -> tuple[LicenceText, ...]:
    """The texts of a package's licence files, without duplicates, and the libraries in its bill of materials."""
    texts: dict[str, list[str]] = {}
    for file in package.files or ():
        within = _licence_name(file)
        if within is None:
            continue
        try:
            written = Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
        except OSError as fault:
            _log.warning("the licence %s was not read: %s", file, fault)
            continue
        if file.suffix == ".json":
            within, written = _BUILT_IN, _libraries_built_in(written)
        if written.strip():
            texts.setdefault(written.replace("\r\n", "\n").strip("\n"), []).append(within)
    # The package's own comes first: its path is the shortest.
    ordered = sorted(texts.items(), key=lambda item: (item[1][0].count("/"), item[1][0] == _BUILT_IN))
    return tuple(LicenceText(tuple(names), text) for text, names in ordered)


def _licence_name(file: PurePosixPath) -> str | None:
    """The name of a licence file within its package; None for any other file."""
    folder, *rest = file.parts
    if not folder.endswith(".dist-info") or not rest:
        return None
    if rest[0] in ("licenses", "license_files") and len(rest) > 1:
        return "/".join(rest[1:])
    if rest[0] == "sboms" and file.suffix == ".json":
        return file.name
    return file.name if len(rest) == 1 and _LICENCE_FILE.match(file.name) else None


def _libraries_built_in(written: str) -> str:
    """The libraries in a bill of materials (CycloneDX), one per line; empty if it cannot be read."""
    try:
        rows = json.loads(written)["components"]
        lines = {
            f"{row['name']} {row.get('version', '')}: {_stated_licences(row) or 'not stated'}" for row in rows
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    title = "Libraries built into it, with the licences that its bill of materials states:"
    return "\n".join([title, "", *sorted(lines, key=str.casefold)]) if lines else ""


def _stated_licences(row: dict[str, object]) -> str:
    listed = row.get("licenses")
    names = []
    for one in listed if isinstance(listed, list) else ():
        named = one.get("license") or {}
        names.append(one.get("expression") or named.get("id") or named.get("name") or "")
    return " AND ".join(name for name in names if name)


def _licence_texts(paths: Paths, licence: str) -> tuple[LicenceText, ...]:
    """The bundled texts of the licences that an expression names."""
    found = []
    for name in dict.fromkeys(re.findall(r"[A-Za-z0-9.-]+", licence)):
        file = paths.resources / "licences" / f"{name}.txt"
        if file.is_file():
            found.append(LicenceText((name,), file.read_text(encoding="utf-8").strip("\n")))
    return tuple(found)


def _undescribed_parts(paths: Paths, packages: dict[str, _Package]) -> Iterator[Component]:
    """The undescribed parts of the installed packages; they claim their texts from the packages."""
    folder = paths.resources / "licences"
    rows = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))["part"]
    taken: set[LicenceText] = set()
    for row in rows:
        of = packages.get(_normalised_name(row.get("of", "")))
        if row.get("of") and (of is None or not of.has(row.get("has", ""))):
            continue
        texts = [
            LicenceText((name.removesuffix(".txt"),), (folder / name).read_text(encoding="utf-8").strip("\n"))
            for name in row.get("texts", ())
        ]
        package, _, beginning = row.get("from", "").partition(": ")
        bringing = packages.get(_normalised_name(package))
        given = bringing.texts_named(beginning) if bringing is not None else ()
        taken.update(text for text in given if all(name.startswith(beginning) for name in text.names))
        # Its own licence first.
        own = row["name"].casefold()
        texts += sorted(given, key=lambda text: not any(Path(name).stem == own for name in text.names))
        version = {
            "of": of.read.version if of is not None else "",
            "python": platform.python_version(),
            "sqlite": sqlite_version(),
            "pdfium": _pdfium_version(),
        }.get(row["version"], "")
        page, note = row.get("page", ""), row.get("note", "")
        yield Component(row["name"], version, row["licence"], page, note, texts=tuple(texts))
    for one in packages.values():
        one.texts = tuple(text for text in one.texts if text not in taken)


def _pdfium_version() -> str:
    """The version of pypdfium2's PDFium, from its version.json; empty where there is none."""
    try:
        for file in metadata.files("pypdfium2") or ():
            if file.name == "version.json" and "raw" in str(file.parent):
                version = json.loads(Path(str(file.locate())).read_text(encoding="utf-8"))
                return ".".join(str(version[key]) for key in ("major", "minor", "build", "patch"))
    except (OSError, ValueError, KeyError, metadata.PackageNotFoundError):
        pass
    return ""


def _bundled_pages(paths: Paths) -> Iterator[Component]:
    """The bundled models, samples and examples, with their README pages."""
    for card in sorted(paths.starter_models.glob("*/README.md")):
        try:
            notes = json.loads((card.parent / "spanlight.json").read_text(encoding="utf-8"))
            licence = str(notes.get("licence", ""))
        except (OSError, ValueError, AttributeError):
            licence = ""
        yield _component_of_page(card, card.parent.name, licence, MODEL)
    for folder, name, licence in (
        (paths.example_sets, "Examples with known answers", "CC BY-SA 4.0, CC BY 4.0, others by source"),
        (paths.samples, "Samples", "Apache-2.0, one in the public domain"),
    ):
        if (folder / "README.md").is_file():
            yield _component_of_page(folder / "README.md", name, licence, DATA)


def _component_of_page(page: Path, name: str, licence: str, kind: str) -> Component:
    text = page.read_text(encoding="utf-8", errors="replace").strip("\n")
    return Component(name, licence=licence, kind=kind, texts=(LicenceText((page.name,), text),))


def _homepage(package: metadata.Distribution) -> str:
    """The address of a package's home page."""
    labelled = [one.partition(",") for one in package.metadata.get_all("Project-URL") or ()]
    pages = {label.strip().casefold(): page.strip() for label, _, page in labelled}
    for label in ("homepage", "home", "source", "source code", "repository", "code", "documentation"):
        if label in pages:
            return pages[label]
    return (package.metadata["Home-page"] or next(iter(pages.values()), "")).strip()


def _normalised_name(name: str) -> str:
    """A package's name normalised for comparison (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).casefold()
