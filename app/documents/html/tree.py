"""What the tree of a web page tells before it is walked: how deep it is, and which of its tables are tables."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

# The parser's time grows with the square of how deep blocks are nested; browsers stop at some hundreds.
_DEEPEST = 2000
_NESTING = re.compile(
    r"<(/?)(?:div|section|article|blockquote|ul|ol|dl|details|center|main|aside|figure|fieldset|form|header|footer"
    r"|nav|address|hgroup|dir|menu|table)\b[^>]*>",
    re.IGNORECASE,
)


def flattened(text: str) -> str:
    """The page without the start tags of blocks that are nested deeper than any that a person wrote."""
    if text.count("<") < _DEEPEST:
        return text
    depth = 0

    def flatten(found: re.Match[str]) -> str:
        nonlocal depth
        if found[1]:
            depth = max(0, depth - 1)
            return found[0]
        depth += 1
        return found[0] if depth <= _DEEPEST else "<p>"

    return _NESTING.sub(flatten, text)


def children_of(node: LexborNode) -> list[LexborNode]:
    """The node's children, text and comments too."""
    children = []
    child = node.child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def is_header(row: LexborNode) -> bool:
    """Whether a row is of its table's head: it stands in one, or all of its cells are headings."""
    parent = row.parent
    if parent is not None and parent.tag == "thead":
        return True
    cells = [child.tag for child in children_of(row) if child.tag in ("td", "th")]
    return bool(cells) and all(tag == "th" for tag in cells)


def layout_tables(root: LexborNode) -> tuple[set[int], int]:
    """Tables that only place things on the page (by `mem_id`), and how many nodes there are.

    These are tables that say so, that hold one cell, or that hold other tables and have neither header cells nor a
    caption.
    """
    layout: set[int] = set()
    cells: dict[int, int] = {}
    holding: set[int] = set()
    real: set[int] = set()
    total = 0
    stack: list[tuple[LexborNode, int]] = [(root, 0)]
    while stack:
        node, table = stack.pop()
        total += 1
        tag = node.tag
        if tag == "-text":
            continue
        if tag == "table":
            holding.add(table)
            table = node.mem_id
            cells[table] = 0
            if node.attributes.get("role") in ("presentation", "none"):
                layout.add(table)
        elif tag in ("td", "th"):
            cells[table] = cells.get(table, 0) + 1
        if tag in ("th", "caption"):
            real.add(table)
        child = node.child
        while child is not None:
            stack.append((child, table))
            child = child.next
    layout |= {table for table, count in cells.items() if count <= 1 and table not in real}
    return layout | ((holding & cells.keys()) - real), total
