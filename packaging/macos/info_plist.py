"""What macOS is told of Spanlight: the contents of Info.plist, for PyInstaller's description of the bundle."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable

from app.core.about import COPYRIGHT, NAME, VERSION

IDENTIFIER = "app.spanlight.Spanlight"
MARKDOWN = "net.daringfireball.markdown"
MAILBOX, OUTLOOK = f"{IDENTIFIER}.mailbox", f"{IDENTIFIER}.outlook-mail"
# Kinds of files that macOS knows only where a program that edits them is installed, if at all: their types, what they
# are called, what they are to macOS, their suffixes, and their types on the Internet.
IMPORTED = (
    (MARKDOWN, "Markdown document", "public.plain-text", ("md", "markdown", "mdown"), "text/markdown"),
    (MAILBOX, "Mailbox", "public.data", ("mbox",), "application/mbox"),
    (OUTLOOK, "Outlook mail", "public.data", ("msg",), "application/vnd.ms-outlook"),
)
# What a person calls them, and the types of them.
DOCUMENTS = (
    ("PDF document", ("com.adobe.pdf",)),
    ("Picture", ("public.png", "public.jpeg", "public.tiff")),
    (
        "Word document",
        (
            "org.openxmlformats.wordprocessingml.document",
            "org.openxmlformats.wordprocessingml.document.macroenabled",
        ),
    ),
    ("OpenDocument text", ("org.oasis-open.opendocument.text",)),
    ("Rich text", ("public.rtf",)),
    (
        "Presentation",
        (
            "org.openxmlformats.presentationml.presentation",
            "org.openxmlformats.presentationml.presentation.macroenabled",
            "org.openxmlformats.presentationml.slideshow",
            "org.oasis-open.opendocument.presentation",
        ),
    ),
    ("EPUB book", ("org.idpf.epub-container",)),
    ("Mail", ("com.apple.mail.email", MAILBOX, OUTLOOK)),
    (
        "Spreadsheet",
        (
            "org.openxmlformats.spreadsheetml.sheet",
            "org.openxmlformats.spreadsheetml.sheet.macroenabled",
            "com.microsoft.excel.xls",
            "org.oasis-open.opendocument.spreadsheet",
        ),
    ),
    ("Table as text", ("public.comma-separated-values-text", "public.tab-separated-values-text")),
    ("Markdown document", (MARKDOWN,)),
    ("Web page", ("public.html", "public.xhtml")),
    ("Plain text", ("public.plain-text",)),
)
# The first macOS that runs on Apple's chips.
OLDEST = (11, 0)


def info_plist() -> dict[str, object]:
    """Info.plist's keys beside those that PyInstaller writes itself."""
    return {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundlePackageType": "APPL",
        "CFBundleShortVersionString": VERSION,
        "CFBundleVersion": VERSION,
        "CFBundleDevelopmentRegion": "en",
        "NSHumanReadableCopyright": COPYRIGHT,
        "NSPrincipalClass": "NSApplication",
        "NSHighResolutionCapable": True,
        # The window follows the system into dark.
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": minimum_system(wheel_tags()),
        "LSArchitecturePriority": ["arm64"],
        "LSRequiresNativeExecution": True,
        "CFBundleDocumentTypes": [
            # Offered in "Open with"; what opens these files stays what it is.
            {
                "CFBundleTypeName": name,
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": list(types),
            }
            for name, types in DOCUMENTS
        ],
        "UTImportedTypeDeclarations": [
            {
                "UTTypeIdentifier": identifier,
                "UTTypeDescription": name,
                "UTTypeConformsTo": [above],
                "UTTypeTagSpecification": {
                    "public.filename-extension": list(suffixes),
                    "public.mime-type": [mime],
                },
            }
            for identifier, name, above, suffixes, mime in IMPORTED
        ],
    }


def wheel_tags() -> list[list[str]]:
    """The tags of each installed library's wheel."""
    tags = []
    for distribution in importlib.metadata.distributions():
        wheel = distribution.read_text("WHEEL") or ""
        tags.append(re.findall(r"^Tag: (\S+)$", wheel, flags=re.MULTILINE))
    return tags


def minimum_system(tags: Iterable[Iterable[str]]) -> str:
    """The oldest macOS that all libraries run on, told by their wheels' tags; each may name several."""
    oldest = OLDEST
    for each in tags:
        found = re.findall(r"macosx_(\d+)_(\d+)_(?:arm64|universal2)", " ".join(each))
        if found:
            oldest = max(oldest, min((int(major), int(minor)) for major, minor in found))
    return f"{oldest[0]}.{oldest[1]}"
