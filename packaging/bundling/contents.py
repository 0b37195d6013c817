"""What goes into the bundle besides what is found by following imports, and what stays out.

What is left out was found by tracing what a run of `spanlight --check` imports, and that command, run inside the
bundle, is what proves that nothing is missing.
"""

from __future__ import annotations

import importlib.util
import sys
from fnmatch import fnmatch
from pathlib import Path

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

# The families of app/models/families.py as transformers names its folders, and what those import.
FAMILIES = frozenset(
    "albert auto bert deberta deberta_v2 distilbert electra mobilebert mpnet roberta xlm_roberta".split()
)
# Asked for by way of its metadata at run time.
DISTRIBUTIONS = """
    torch transformers tokenizers safetensors numpy huggingface-hub tqdm regex packaging filelock pyyaml httpx2
    PySide6-Essentials pypdfium2 python-calamine tesserocr
""".split()
# Other programs' parts, which are tried for and done without; tools for building and testing; parts of transformers
# for other work than a forward pass.
EXCLUDED = """
    IPython PIL brotli click fsspec functorch h2 hf_xet matplotlib networkx pandas pydantic pygments rich scipy
    tensorboard torch.utils.tensorboard torchaudio torchvision typer
    app.bench
    _pytest docx ensurepip hypothesis idlelib lib2to3 mypy pip pkg_resources pydoc_data pytest ruff setuptools tkinter
    torch.test readline py
    transformers.cli transformers.data transformers.pipelines transformers.trainer
""".split()
# Its wheel for Linux holds JBIG-KIT, which is under the GPL; the system's program `tesseract` is used in its place.
EXCLUDED_ON_LINUX = "tesserocr".split()
# Files of packages that are not used: Qt for screens without a desktop, for QML and for the network, its words in
# languages that the window has not, its kinds of pictures that no document has; parts of lxml beside the reading of
# XML; sources, and lists that packages are made by.
_UNUSED = """
    PySide6/*translations/[!q]* PySide6/*translations/qt[!b]* PySide6/*translations/qtbase_[!de]*
    PySide6/*translations/qtbase_d[!e]* PySide6/*translations/qtbase_e[!s]*
    */*Qt6Qml* */*Qt6Quick* */*Qt6VirtualKeyboard* */*Qt6Pdf* */*Qt6Egl*
    */plugins/egldeviceintegrations/* */plugins/generic/* */plugins/networkinformation/* */plugins/tls/*
    */plugins/platforms/*qeglfs* */plugins/platforms/*qlinuxfb* */plugins/platforms/*qminimal*
    */plugins/platforms/*qv* */plugins/platforms/*qdirect2d* */plugins/wayland-shell-integration/lib[!x]*
    */plugins/imageformats/*qpdf* */plugins/imageformats/*qtga* */plugins/imageformats/*qtiff*
    */plugins/imageformats/*qwbmp* */plugins/imageformats/*qicns*
    lxml/html/_difflib* lxml/html/diff* lxml/objectify* lxml/includes/* lxml/isoschematron/*
    *.c *.h *.pxd *.pxi *.pyx *.dist-info/licenses/* *.dist-info/RECORD *.dist-info/INSTALLER *.dist-info/sboms/*
""".split()
# Of the build machine's own libraries those come along that Python needs, which differ from one Linux to another, and
# the small ones of X11 that desktops lack; all others (glibc, X11, GL, fonts, D-Bus) are the system's.
_HOST = tuple(
    """
    libpython libssl libcrypto libsqlite3 libffi libbz2 liblzma libz. libexpat libuuid libmpdec libxcb- libxkbcommon-x11
    """.split()
)


def datas(root: Path) -> list[tuple[str, str]]:
    """Files and their folders in the bundle: the resources, packages' metadata, and the detector of languages.

    README's pictures stay out, and the texts of licences, which stand whole in licences.json (bundling/held.py).
    """
    found = [
        (str(each), "resources" if each.is_file() else f"resources/{each.name}")
        for each in sorted((root / "resources").iterdir())
        if each.name not in ("pictures", "licences")
    ]
    for name in (each for each in DISTRIBUTIONS if each not in _excluded_here()):
        found += copy_metadata(name)
    return found + collect_data_files("py3langid")


def hidden_imports() -> list[str]:
    """Modules that are imported by name: the pages of the window, the commands, the children's handlers."""
    return collect_submodules("app", filter=lambda name: not name.startswith("app.bench"))


def excluded() -> list[str]:
    """Modules that stay out, among them all models of transformers but those that Spanlight reads."""
    spec = importlib.util.find_spec("transformers")
    assert spec is not None and spec.origin
    models = (Path(spec.origin).parent / "models").iterdir()
    others = [
        f"transformers.models.{each.name}" for each in models if each.is_dir() and each.name not in FAMILIES
    ]
    return [*EXCLUDED, *_excluded_here(), *sorted(others)]


def _excluded_here() -> list[str]:
    return EXCLUDED_ON_LINUX if sys.platform == "linux" else []


def is_wanted(name: str) -> bool:
    """Whether a file of this name goes into the bundle."""
    name = name.replace("\\", "/")
    if any(fnmatch(name, pattern) for pattern in _UNUSED):
        return False
    is_host_library = "/" not in name and name.startswith("lib") and ".so" in name
    return not is_host_library or name.startswith(_HOST)
