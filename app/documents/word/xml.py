"""Names and values in the XML of a Word document, in its usual and its strict form."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element as Element

_TRANSPARENT = frozenset("sdt sdtContent customXml ins moveTo smartTag".split())


def local(element: Element) -> str:
    """The element's name without its namespace; empty for a non-element."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def content(parent: Element) -> Iterator[Element]:
    """The element's children, with those inside content controls, custom XML and tracked insertions in their place."""
    for each in parent:
        if local(each) in _TRANSPARENT:
            yield from content(each)
        else:
            yield each


def child(element: Element | None, name: str) -> Element | None:
    """The first child of a name."""
    if element is None:
        return None
    return next((each for each in element if local(each) == name), None)


def attribute(element: Element | None, name: str) -> str | None:
    """An attribute by its name without a namespace."""
    if element is None:
        return None
    for key, value in element.attrib.items():
        qualified = str(key)
        if qualified[qualified.rfind("}") + 1 :] == name:
            return str(value)
    return None


def value(element: Element | None, name: str) -> str | None:
    """The `val` of the first child of a name; None without one."""
    return attribute(child(element, name), "val")


def number(element: Element | None, name: str) -> int | None:
    """The `val` of the first child of a name as an integer; None without one."""
    return integer(value(element, name))


def integer(text: str | None) -> int | None:
    """An integer of a reasonable size, or None."""
    try:
        return int(text) if text and len(text) < 12 else None
    except ValueError:
        return None


def switch(element: Element | None, name: str) -> bool | None:
    """Whether a property is switched on or off; None if it is not mentioned."""
    found = child(element, name)
    if found is None:
        return None
    return (attribute(found, "val") or "true").lower() not in ("0", "false", "off", "none")
