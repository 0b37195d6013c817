"""Who may import whom: read from the source of every file of app/, function bodies included."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parent.parent / "app"
FILES = sorted(APP.rglob("*.py"))

# A page imports what all pages share, never another page.
PAGES = tuple(
    f"app.ui.{page}"
    for page in ("ask", "table", "teach", "heads", "inspect", "models", "history", "settings", "about")
)
# Every room with the modules it may import from other rooms (a name stands for all below it).
ROOMS: dict[str, tuple[str, ...]] = {
    "app.core": (),
    "app.settings": ("app.core",),
    "app.documents": ("app.core",),
    "app.library": ("app.core",),
    "app.models": ("app.core",),
    "app.tasks": ("app.core",),
    "app.training": (
        "app.core",
        "app.tasks",
        "app.models.compute.classes",
        "app.models.compute.mean",
        "app.models.compute.peak",
        "app.models.compute.processor",
        "app.models.disk.config",
        "app.models.disk.heads",
    ),
    "app.engine": ("app.core", "app.models", "app.tasks", "app.training"),
    "app.flows": (
        "app.core",
        "app.settings",
        "app.documents",
        "app.library",
        "app.models",
        "app.engine",
        "app.training.examples",  # training's plain data
        "app.training.linear",
        "app.training.metrics",
        "app.training.running_text",
        "app.training.tagged",
        "app.training.verdicts",
    ),
    "app.cli": ("app.core", "app.settings", "app.flows"),
    "app.cli.main": ("app.core", "app.settings", "app.flows", "app.cli", "app.bench.command"),
    "app.ui.kit": ("app.core", "app.settings", "app.flows"),
    "app.ui.document": ("app.core", "app.flows", "app.ui.kit"),
    **dict.fromkeys(PAGES, ("app.core", "app.settings", "app.flows", "app.ui.document", "app.ui.kit")),
    "app.ui.window": ("app.core", "app.settings", "app.flows", "app.ui"),
    # What measures Spanlight may look at all of it.
    "app.bench": ("app",),
    "app.__main__": (
        "app.core.about",
        "app.core.errors",
        "app.core.arguments",
        "app.core.system_libraries",
        "app.settings.paths",
        "app.cli",
        "app.flows.early",
        "app.flows.second_start",
        "app.ui.window.start",
        "app.ui.window.check",
        "app.ui.window.last_words",
    ),
}
FORBIDDEN = {
    "app.flows": (
        "app.models.compute.loader",
        "app.models.compute.forward",
        "app.models.compute.classes",
        "app.documents.spreadsheet",  # read in the documents process only
    )
}

# Third-party packages and those parts of the standard library that only some places may touch.
TORCH = (
    "app.models.compute.classes",
    "app.models.compute.device",
    "app.models.compute.faults",
    "app.models.compute.forward",
    "app.models.compute.graphics",
    "app.models.compute.loader",
    "app.models.compute.mean",
    "app.models.compute.peak",
    "app.models.compute.processor",
    "app.models.encoder",
    "app.models.inside",
    "app.training",
    "app.engine.importing",
    "app.engine.process",
    "app.engine.trial",
    "app.bench.profiling",
    # Run by their path in another interpreter.
    "app.bench.reference",
    "app.bench.reference_once",
    "app.bench.reference_training",
)
NETWORK = ("app.models.download",)
ONLY_IN: dict[str, tuple[str, ...]] = {
    "torch": TORCH,
    "transformers": TORCH,
    "tokenizers": (*TORCH, "app.tasks"),
    "safetensors": (*TORCH, "app.models"),
    "numpy": (*TORCH, "app.tasks", "app.library.index", "app.library.vectors"),
    "PySide6": ("app.ui", "app.bench"),
    "shiboken6": ("app.ui", "app.bench"),
    "platformdirs": ("app.settings.paths",),
    "sqlite3": ("app.library",),
    "pypdfium2": ("app.documents",),
    "tesserocr": ("app.documents",),
    "docx": ("app.documents",),
    "lxml": ("app.documents",),
    "python_calamine": ("app.documents",),
    "selectolax": ("app.documents",),
    "markdown_it": ("app.documents",),
    "charset_normalizer": ("app.documents",),
    "oxmsg": ("app.documents",),
    "olefile": ("app.documents",),
    "py3langid": ("app.documents",),
    "openpyxl": (
        "app.documents.spreadsheet",
        "app.flows.answer_table.export",
        "app.flows.rows",
        "app.flows.teach.datasets",
    ),
    # On a cluster only: the extra that brings them is in no installer.
    "ray": ("app.flows.cluster.run", "app.bench.cluster"),
    "pyarrow": ("app.flows.cluster",),
    "pickle": ("app.engine.child",),  # reads what another process of ours sent, and only plain values of it
    "a name made while running": (
        "app.engine.importing",  # tries all modules
        "app.ui.window.trials",  # the same
        "app.ui.window.idle",  # has a list of them
        "app.bench.run",  # the same
    ),
    "urllib": NETWORK,
    "http": NETWORK,
    # A second start speaks to the window that is open, on this computer.
    "socket": (*NETWORK, "app.flows.second_start"),
    "ssl": NETWORK,
    "ftplib": NETWORK,
    "requests": NETWORK,
    "httpx": NETWORK,
    "httpx2": NETWORK,
    "truststore": NETWORK,
    "huggingface_hub": NETWORK,
}


@dataclass(frozen=True)
class Import:
    """One name imported: by which module, which, and on which line."""

    by: str
    name: str
    line: int

    def __str__(self) -> str:
        return f"{self.by.replace('.', '/')}.py:{self.line} imports {self.name}"


def module_of(file: Path) -> str:
    parts = file.relative_to(APP.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file): file for file in FILES}


def below(name: str, roots: tuple[str, ...]) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def room_of(module: str) -> str | None:
    rooms = [room for room in ROOMS if below(module, (room,))]
    return max(rooms, key=len, default=None)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement of a module, without the expressions in it, which are ten times as many."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, field, ()):
            yield node
            yield from statements(node)


def imports_of(module: str, source: str) -> list[Import]:
    """Every import of a module's source, relative ones resolved; `from package import module` names the module."""
    tree = ast.parse(source)
    found = []
    has_calls = "import_module" in source or "__import__" in source
    for node in ast.walk(tree) if has_calls else statements(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")[: -node.level]
                base = ".".join([*package, base] if base else package)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                names.append(whole if whole in MODULES or not below(base, ("app",)) else base)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
            "__import__",
            "import_module",
        ):
            first = node.args[0] if node.args else None
            names = [str(first.value) if isinstance(first, ast.Constant) else "a name made while running"]
        found += [Import(module, name, node.lineno) for name in names]  # type: ignore[attr-defined]
    return found


@cache
def all_imports() -> list[Import]:
    """Every import of app/; not read when pytest collects, which every worker does."""
    return [
        found for module, file in MODULES.items() for found in imports_of(module, file.read_text("utf-8"))
    ]


def test_every_file_has_its_room() -> None:
    homeless = [module for module in MODULES if room_of(module) is None and module not in ("app", "app.ui")]
    assert not homeless


def test_rooms_import_only_what_they_may() -> None:
    wrong = []
    for found in all_imports():
        if not below(found.name, ("app",)):
            continue
        room = room_of(found.by)
        assert room is not None, found
        allowed = below(found.name, (room, *ROOMS[room])) and not below(found.name, FORBIDDEN.get(room, ()))
        if not allowed:
            wrong.append(str(found))
    assert not wrong, "\n".join(wrong)


def test_packages_are_imported_only_in_their_places() -> None:
    wrong = [
        str(found)
        for found in all_imports()
        if (places := ONLY_IN.get(found.name.split(".")[0])) is not None and not below(found.by, places)
    ]
    assert not wrong, "\n".join(wrong)


def test_core_needs_the_standard_library_only() -> None:
    wrong = [
        str(found)
        for found in all_imports()
        if below(found.by, ("app.core", "app.__main__"))
        and found.name.split(".")[0] not in sys.stdlib_module_names | {"app"}
    ]
    assert not wrong, "\n".join(wrong)


def test_only_known_packages_are_imported() -> None:
    known = sys.stdlib_module_names | ONLY_IN.keys() | {"app"}
    assert not [str(found) for found in all_imports() if found.name.split(".")[0] not in known]


def test_no_file_imports_itself_through_others() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in all_imports():
        if found.name in MODULES and found.name != found.by:
            graph[found.by].add(found.name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


def test_nothing_imports_the_start() -> None:
    assert not [
        str(found) for found in all_imports() if below(found.name, ("app.__main__", "tests", "packaging"))
    ]


def test_what_another_interpreter_runs_needs_nothing_of_the_app() -> None:
    apart = tuple(name for name in TORCH if name.startswith("app.bench.reference"))
    assert apart
    assert not [str(found) for found in all_imports() if below(found.name, apart)]
    assert not [
        str(found) for found in all_imports() if below(found.by, apart) and below(found.name, ("app",))
    ]


def test_package_files_are_empty() -> None:
    assert not [str(file) for file in FILES if file.name == "__init__.py" and file.read_text("utf-8").strip()]


def test_every_folder_is_a_package() -> None:
    folders = {folder for file in FILES for folder in file.parents if folder.is_relative_to(APP)}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").exists()]


def test_files_stay_readable() -> None:
    assert not [str(file) for file in FILES if len(file.read_text("utf-8").splitlines()) > 600]


def test_no_services_at_module_level() -> None:
    """A call bound to a public name at module level must not make one of the services."""
    services = "Workspace|Engine|Shelf|Paths|Settings|QApplication|open_workspace|load"
    made = re.compile(rf"^\w.* = \(?\s*([\w.]+\.)?({services})\(", re.MULTILINE)
    assert made.search("x = 1\nengine: Engine = client.Engine(1)") and not made.search("    x = Engine(1)")
    assert not [module for module, file in MODULES.items() if made.search(file.read_text("utf-8"))]


@pytest.mark.parametrize(
    ("module", "source", "name"),
    [
        ("app.core.text", "import app.flows.ask.question", "app.flows.ask.question"),
        ("app.core.text", "def f():\n    from app.ui.kit.jobs import Job", "app.ui.kit.jobs"),
        ("app.core.text", "from ..models import card", "app.models"),
        (
            "app.core.text",
            "try:\n    pass\nexcept OSError:\n    match x:\n        case 1:\n            import torch",
            "torch",
        ),
        ("app.core.text", "if a:\n    pass\nelif b:\n    pass\nelse:\n    import torch", "torch"),
        ("app.core.text", "if TYPE_CHECKING:\n    import torch", "torch"),
        ("app.core.text", "import importlib\nimportlib.import_module('torch')", "torch"),
        ("app.core.text", "from importlib import import_module\nimport_module('torch')", "torch"),
    ],
)
def test_the_reader_of_imports_sees_them_all(module: str, source: str, name: str) -> None:
    assert any(below(found.name, (name,)) for found in imports_of(module, source))
