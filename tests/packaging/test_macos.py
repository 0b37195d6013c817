"""What macOS is told of Spanlight, held against what Spanlight opens."""

from __future__ import annotations

import plistlib
import subprocess
import sys
from typing import Any

import pytest

from app.core.about import COPYRIGHT, NAME, VERSION
from app.core.kinds import ENDINGS
from tests.conftest import ROOT
from tests.helpers.scripts import script

macos = script("macos/info_plist.py")
# The types that macOS itself has for these suffixes (UTCoreTypes), and the one that is declared here.
TYPES = {
    "pdf": "com.adobe.pdf",
    "png": "public.png",
    "jpg": "public.jpeg",
    "jpeg": "public.jpeg",
    "tif": "public.tiff",
    "tiff": "public.tiff",
    "docx": "org.openxmlformats.wordprocessingml.document",
    "docm": "org.openxmlformats.wordprocessingml.document.macroenabled",
    "odt": "org.oasis-open.opendocument.text",
    "rtf": "public.rtf",
    "pptx": "org.openxmlformats.presentationml.presentation",
    "pptm": "org.openxmlformats.presentationml.presentation.macroenabled",
    "ppsx": "org.openxmlformats.presentationml.slideshow",
    "odp": "org.oasis-open.opendocument.presentation",
    "xlsx": "org.openxmlformats.spreadsheetml.sheet",
    "xlsm": "org.openxmlformats.spreadsheetml.sheet.macroenabled",
    "xls": "com.microsoft.excel.xls",
    "ods": "org.oasis-open.opendocument.spreadsheet",
    "csv": "public.comma-separated-values-text",
    "tsv": "public.tab-separated-values-text",
    "html": "public.html",
    "htm": "public.html",
    "xhtml": "public.xhtml",
    "txt": "public.plain-text",
    "epub": "org.idpf.epub-container",
    "eml": "com.apple.mail.email",
}


@pytest.fixture(scope="module")
def info() -> dict[str, Any]:
    return plistlib.loads(plistlib.dumps(macos.info_plist()))


def test_it_says_what_the_app_says(info: dict[str, Any]) -> None:
    assert info["CFBundleIdentifier"] == "app.spanlight.Spanlight"
    assert info["CFBundleShortVersionString"] == info["CFBundleVersion"] == VERSION
    assert (info["CFBundleName"], info["NSHumanReadableCopyright"]) == (NAME, COPYRIGHT)
    assert info["NSHighResolutionCapable"] is True
    assert info["LSArchitecturePriority"] == ["arm64"]


def test_it_opens_every_kind_that_is_read(info: dict[str, Any]) -> None:
    opened = {each for kind in info["CFBundleDocumentTypes"] for each in kind["LSItemContentTypes"]}
    suffixes = {
        each: declared["UTTypeIdentifier"]
        for declared in info["UTImportedTypeDeclarations"]
        for each in declared["UTTypeTagSpecification"]["public.filename-extension"]
    }
    known = TYPES | suffixes
    assert {known[ending] for ending in [*ENDINGS, "txt"]} == opened
    assert suffixes.keys() == set(ENDINGS) - set(TYPES)


def test_it_is_offered_and_never_the_default(info: dict[str, Any]) -> None:
    for kind in info["CFBundleDocumentTypes"]:
        assert (kind["CFBundleTypeRole"], kind["LSHandlerRank"]) == ("Viewer", "Alternate")


@pytest.mark.parametrize(
    ("tags", "oldest"),
    [
        ([], "11.0"),
        ([["py3-none-any"], ["cp311-cp311-manylinux_2_28_x86_64"]], "11.0"),
        ([["cp311-none-macosx_10_9_universal2"], ["cp311-none-macosx_13_0_universal2"]], "13.0"),
        ([["cp311-none-macosx_12_3_arm64", "cp311-none-macosx_14_0_arm64"]], "12.3"),
        ([["cp311-none-macosx_9_0_arm64"], ["cp311-none-macosx_15_0_x86_64"]], "11.0"),
    ],
)
def test_the_oldest_system_is_the_one_that_all_libraries_run_on(tags: list[list[str]], oldest: str) -> None:
    assert macos.minimum_system(tags) == oldest


def test_the_wheels_that_are_here_tell_their_tags() -> None:
    assert any("py3-none-any" in tags for tags in macos.wheel_tags())


def test_a_signed_bundle_may_do_what_pytorch_and_python_do() -> None:
    with (ROOT / "packaging" / "macos" / "entitlements.plist").open("rb") as file:
        entitlements = plistlib.load(file)
    assert set(entitlements.values()) == {True}
    assert {name.rpartition(".")[2] for name in entitlements} == {
        "allow-jit",
        "allow-unsigned-executable-memory",
        "disable-library-validation",
    }


@pytest.mark.skipif(sys.platform == "darwin", reason="there it would build")
def test_elsewhere_the_build_says_where_it_runs() -> None:
    done = subprocess.run(
        ["bash", str(ROOT / "packaging" / "macos" / "build.sh")], capture_output=True, text=True
    )
    assert done.returncode == 1 and "Apple chip" in done.stderr
