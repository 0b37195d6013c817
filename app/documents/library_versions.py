"""The versions of the libraries that read documents."""

from __future__ import annotations


def library_versions() -> dict[str, str]:
    """By name; raises ImportError if one is missing."""
    import charset_normalizer
    import lxml.etree
    import markdown_it
    import pypdfium2.version as pdf

    return {
        "pdfium": f"{pdf.PDFIUM_INFO} (pypdfium2 {pdf.PYPDFIUM_INFO})",
        "lxml": ".".join(str(part) for part in lxml.etree.LXML_VERSION),
        "markdown-it": markdown_it.__version__,
        "charset-normalizer": charset_normalizer.__version__,
    }
