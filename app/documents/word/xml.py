"""Elements and values in the XML of a Word document, in its usual and its strict form."""

from __future__ import annotations

from collections.abc import Iterator

from app.documents.package import Element, attribute, child, integer, local

_TRANSPARENT = frozenset("sdt sdtContent customXml ins moveTo smartTag".split())


def content(parent: Element) -> Iterator[Element]:
    """The element's children, with those inside content controls, custom XML and tracked insertions in their place."""
    for each in parent:
        if local(each) in _TRANSPARENT:
            yield from content(each)
        else:
            yield each


def value(element: Element | None, name: str) -> str | None:
    """The `val` of the first child of a name; None without one."""
    return attribute(child(element, name), "val")


def number(element: Element | None, name: str) -> int | None:
    """The `val` of the first child of a name as an integer; None without one."""
    return integer(value(element, name))


def switch(element: Element | None, name: str) -> bool | None:
    """Whether a property is switched on or off; None if it is not mentioned."""
    found = child(element, name)
    if found is None:
        return None
    return (attribute(found, "val") or "true").lower() not in ("0", "false", "off", "none")
