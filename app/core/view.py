"""Views of documents: a table's headers are read before each cell, a section's headings before each window.

The added words are never part of an answer, whose words and positions are the document's own.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.core.sentences import item_starts
from app.core.text import Replacement, Span, View

# Longer headers than this many code points are cut: they are repeated before every cell.
_LONGEST_HEADER = 64
_LONGEST_HEADING = 80
# In a table of words only, the values are at least this many times as long as the names of the columns.
_NAMED_LONGER = 1.5
_MOST_COMPARED = 200
# Further rows that are marked as headers count as ordinary rows.
_MOST_HEADER_ROWS = 6
# At most this many cells that reach down over a row are repeated in it.
_MOST_ABOVE = 8
# A row of more than `_WIDE_ROW` code points, headers included, repeats its first cell every `_NAMED_AGAIN` ones.
_WIDE_ROW = 700
_NAMED_AGAIN = 500
# Wider lines are not rows of a typed table.
_MOST_COLUMNS = 100
_LONGEST_LINE = 20_000
# Tables of a typed text after this many cells are not recognised.
_MOST_CELLS = 200_000
# How a number begins.
NUMBER = re.compile(r"[-+(−–±~<>≤≥]?\s?[$€£¥]?\s?[-−]?\.?\d")
_YEAR = re.compile(r"(?:19|20)\d\d\b")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SEPARATOR = re.compile(r"[|\t]")
_RULE = re.compile(r"--|==|:-|-:|\|-\|")
_MARKED = re.compile(r"(#{1,6})[ \t]+(\S[^\n]{0,200})")
_ENDS_SENTENCE = tuple(".,;:!。，；：！،؛")
STOPS = ".:;!?…。！？：；"

Cells = Sequence[Sequence[Span | None]]
# A row's cells by column, in order.
Row = dict[int, Span]
# Merged cells that reach down into further rows, by column: the row after their last one, and their words.
_Above = dict[int, tuple[int, str]]
Merged = Mapping[tuple[int, int], tuple[int, int]]
Headings = tuple[tuple[int, str], ...]


def replacements_of_table(text: str, cells: Cells, header_rows: int | None = None) -> Iterator[Replacement]:
    """Yield `replacements_of_rows` of a table given as rows of equal width, in which None is an empty cell."""
    rows = [{column: span for column, span in enumerate(row) if span} for row in cells]
    return replacements_of_rows(text, rows, max(map(len, cells), default=0), header_rows)


def replacements_of_rows(
    text: str,
    rows: Sequence[Row],
    columns: int,
    header_rows: int | None = None,
    merged: Merged | None = None,
) -> Iterator[Replacement]:
    """Yield the replacements of a table: each cell is read with its column's headers, each row with its section.

    Rows leave out empty cells; `merged` maps a cell (row, column) to the numbers of rows and columns it spans, all of
    which it applies to. Without `header_rows` the first row is a header if it looks like one. In several header rows
    without merged cells, a cell applies to the empty ones after it. A cell alone in its row is the heading of the
    section below. A wide row repeats its first cell.
    """
    merged = merged or {}
    if header_rows is None or header_rows >= len(rows):
        header_rows = int(has_header(text, rows, columns))
    header_rows = min(header_rows, _MOST_HEADER_ROWS)
    headers = _headers(text, rows[:header_rows], columns, merged)
    pairs = not header_rows and columns == 2 and all(len(row) == 2 or 0 in row for row in rows if row)
    narrow = _WIDE_ROW - sum(len(header) + 4 for header in headers.values())
    section = ""
    above: _Above = {}
    for number, row in enumerate(rows):
        if not row:
            continue
        above = {column: cell for column, cell in above.items() if cell[0] > number}
        first = next(iter(row))
        # A header may be repeated at the head of a page.
        if number < header_rows or (header_rows == 1 and _is_same(text, row, rows[0])):
            yield from _replacements_of_row(text, row, {}, "", {}, pairs)
            continue
        is_section = (
            columns > 1 and len(row) == 1 and not (first or above or merged.get((number, 0), (1, 1))[0] > 1)
        )
        if is_section:
            section = _cut(row[0].of(text)).rstrip(":")
            yield from _replacements_of_row(text, row, {}, "", {}, pairs)
            continue
        is_wide = row[next(reversed(row))].end - row[first].start > narrow
        yield from _replacements_of_row(text, row, headers, section, above, pairs, is_wide)
        for column, span in row.items() if merged else ():
            down, _ = merged.get((number, column), (1, 1))
            if down > 1 and len(above) < _MOST_ABOVE:
                above[column] = number + down, _cut(span.of(text))


def _replacements_of_row(
    text: str,
    row: Row,
    headers: Mapping[int, str],
    section: str,
    above: _Above,
    pairs: bool,
    is_wide: bool = False,
) -> Iterator[Replacement]:
    reaching_down = sorted(above)
    before, behind_name, name = -1, 0, ""
    for column, span in row.items():
        header = headers.get(column, "")
        opening = f"{header}: " if header and header != span.of(text).strip() else ""
        while reaching_down and reaching_down[0] < column:
            opening = f"{_under(headers, reaching_down[0], above)}. {opening}"
            name = name or above[reaching_down[0]][1]
            reaching_down.pop(0)
        if before < 0:
            name = name or _cut(span.of(text))
            if section:
                opening = f"{section}, {opening}"
                name = f"{section}, {name}"
            start = _line_start(text, span.start)
            if opening or start < span.start:
                yield Replacement(start, span.start, opening)
        else:
            if is_wide and behind_name > _NAMED_AGAIN:
                opening = f"{name}. {opening}"
                behind_name = 0
            stop = " " if text[before - 1] in STOPS else ": " if pairs else ". "
            yield Replacement(before, span.start, stop + opening)
        before = span.end
        behind_name += len(opening) + len(span) + 2
    last = "".join(f". {_under(headers, column, above)}" for column in reaching_down)
    if text[before - 1] in STOPS:
        last = last[1:]
    if last or text[before - 1] not in STOPS:
        last += "."
    end = _line_end(text, before)
    if last or end > before:
        yield Replacement(before, end, last)


def _under(headers: Mapping[int, str], column: int, above: _Above) -> str:
    header = headers.get(column, "")
    return f"{header}: {above[column][1]}" if header else above[column][1]


def _line_start(text: str, point: int) -> int:
    """Return the start of the bars before a row's first cell; `point` if there are none."""
    start = point
    while start and text[start - 1] in " \t|":
        start -= 1
    return start if "|" in text[start:point] and (not start or text[start - 1] == "\n") else point


def _line_end(text: str, point: int) -> int:
    """Return the end of the bars after a row's last cell; `point` if there are none."""
    end = point
    while end < len(text) and text[end] in " \t|":
        end += 1
    return end if "|" in text[point:end] and text[end : end + 1] in ("\n", "") else point


def _is_same(text: str, row: Row, other: Row) -> bool:
    return row.keys() == other.keys() and all(row[c].of(text) == other[c].of(text) for c in row)


def has_header(text: str, rows: Sequence[Row], columns: int) -> bool:
    """Whether a table's first row names its columns; the first column may have no name.

    No name is long, and none is a number, except a year whose column has no years.
    """
    if len(rows) < 2 or len(rows[0]) < columns - 1 or columns - 1 not in rows[0]:
        return False
    names = {column: span.of(text).strip() for column, span in rows[0].items()}
    if len(set(names.values())) < len(names) or any(len(name) > _LONGEST_HEADER for name in names.values()):
        return False
    if len(names) < columns and (0 in names or columns < 2):
        return False
    numbered = {column for column, name in names.items() if NUMBER.match(name)}
    if not all(_YEAR.match(names[column]) for column in numbered):
        return False
    # “Group A” above “Group B” names no column.
    if 0 in names and 0 in rows[1] and text.startswith(f"{names[0].partition(' ')[0]} ", rows[1][0].start):
        return False
    values: dict[int, list[str]] = {}
    for row in rows[1:_MOST_COMPARED]:
        for column, span in row.items():
            values.setdefault(column, []).append(span.of(text).strip())
    if any(_YEAR.match(value) for column in numbered for value in values.get(column, ())):
        return False
    if len(names) < columns or any(all(map(NUMBER.match, each)) for each in values.values()):
        return True
    # Words above words: a name is shorter than its values, or a value occurs in several rows.
    lengths = [len(value) for each in values.values() for value in each]
    return columns > 2 and (
        sum(lengths) * len(names) >= _NAMED_LONGER * sum(map(len, names.values())) * len(lengths)
        or any(len(set(each)) < len(each) for each in values.values())
    )


def _headers(text: str, rows: Sequence[Row], columns: int, merged: Merged) -> dict[int, str]:
    """Return each column's header: its cells from top to bottom, without repetitions."""
    parts: dict[int, dict[str, None]] = {}
    covered = any(number < len(rows) for number, _ in merged)
    below: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        last = ""
        below = {column: cell for column, cell in below.items() if cell[0] > number}
        reach = 0
        for column in range(columns):
            if column in row:
                last = " ".join(row[column].of(text).split())
                down, across = merged.get((number, column), (1, 1))
                reach = column + across
                if down > 1:
                    below.update(dict.fromkeys(range(column, reach), (number + down, last)))
            elif column in below:
                last = below[column][1]
                reach = column + 1
            # A header above others applies to the empty cells after it; the first column takes none from elsewhere.
            elif column >= reach and (covered or number + 1 == len(rows) or not column):
                last = ""
            if last:
                parts.setdefault(column, {})[last] = None
    return {column: _cut(" ".join(words)).rstrip(":") for column, words in parts.items()}


def _cut(words: str, longest: int = _LONGEST_HEADER) -> str:
    """Return words on one line, cut between words to at most `longest` code points."""
    words = " ".join(words[: 4 * longest].split())
    return words if len(words) <= longest else words[:longest].rsplit(" ", 1)[0]


def nested_headings(
    headings: Iterable[tuple[int, int, str]], captions: Iterable[tuple[Span, str]] = ()
) -> Headings:
    """Build `View.headings` from headings (start, level, words): at each the path of nested headings, innermost last.

    A table's caption applies to the table's span, below the headings there.
    """
    over: dict[int, str] = {}
    path: list[tuple[int, str]] = []
    for point, level, words in headings:
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, _cut(words, _LONGEST_HEADING).rstrip(":")))
        over[point] = " > ".join(words for _, words in path)
    found = View(headings=tuple(over.items()))
    for span, words in captions:
        sections = found.heading_at(span.start)
        caption = _cut(words, _LONGEST_HEADING).rstrip(":")
        over[span.start] = f"{sections} > {caption}" if sections else caption
        over.setdefault(span.end, found.heading_at(span.end))
    return tuple(sorted(over.items()))


def caption_of(above: Sequence[str]) -> str:
    """Return a table's title and unit: the last, short ones of the paragraphs `above` it.

    Neither sentences nor paragraphs with cells of a table count.
    """
    short: list[str] = []
    for words in reversed(above):
        if not 0 < len(words) <= _LONGEST_HEADING or words.endswith((".", "!", "?", ";", ",")):
            break
        if _SEPARATOR.search(words) or not any(map(str.isalnum, words)):
            break
        short.insert(0, words)
    return " ".join(" ".join(short).split())


def view_of_text(text: str, headings: Iterable[tuple[int, str]] = (), *, tables: bool = True) -> View:
    """Build the view of a plain text: paragraphs are blocks, and with `tables` lines with “|” or tabs are table rows.

    Without `headings`, titles marked with “#” are used, or else short separate lines above other text.
    """
    bounds = {match.end() for match in _PARAGRAPH.finditer(text)}.union(item_starts(text))
    replacements: list[Replacement] = []
    captions: list[tuple[Span, str]] = []
    for rows, rules in _typed_tables(text) if tables else ():
        filled = [column for row in rows for column, cell in enumerate(row) if len(cell)]
        left, columns = min(filled, default=0), max(filled, default=-1) + 1
        table = [{column - left: cell for column, cell in enumerate(row) if len(cell)} for row in rows]
        is_marked = bool(rules) and rules[0].start < rows[1][0].start
        found = replacements_of_rows(text, table, columns - left, 1 if is_marked else None)
        replacements += sorted([*found, *(Replacement(rule.start, rule.end, "") for rule in rules)])
        bounds.update(cell.start for row in table for cell in row.values())
        start = text.rfind("\n", 0, rows[0][0].start) + 1
        line_above = text.rfind("\n", 0, max(0, start - 1)) + 1
        above = text[max(line_above, start - 2 * _LONGEST_HEADING) : start].strip()
        if (caption := caption_of([above])) and not above.startswith("#"):
            captions.append((Span(start, rows[-1][-1].end), caption))
    marked = [(point, 1, words) for point, words in headings] or list(_headings(text))
    return View(tuple(replacements), array("i", sorted(bounds)), nested_headings(marked, captions))


def _typed_tables(text: str) -> Iterator[tuple[list[list[Span]], list[Span]]]:
    """Yield tables of at least two rows and columns, each with the rules between its rows."""
    rows: list[list[Span]] = []
    rules: list[Span] = []
    separator, end, cells = "", 0, 0
    for line, mark in _lines_with_separators(text):
        between = text[end : min(line.start, end + _LONGEST_LINE)]
        is_ruled = mark == "|" and _is_rule(between) and "\n\n" not in between
        follows = bool(rows) and mark == separator and (line.start == end + 1 or is_ruled)
        if follows and is_ruled:
            rules.append(Span(end + 1, line.start - 1))
        if follows and mark == "|" and _is_rule(line.of(text)):
            rules.append(line)
        else:
            row = _cells(text, line, mark)
            # Rows below the first may leave out their last cells.
            if not (follows and 0 < len(row) <= len(rows[0])):
                if len(rows) > 1:
                    yield rows, rules
                rows, rules = [], []
            if row:
                rows.append(row)
            cells += len(row)
            if cells > _MOST_CELLS:
                break
        separator, end = mark, line.end
    if len(rows) > 1:
        yield rows, rules


def _is_rule(line: str) -> bool:
    return not line.strip(" \t\n|:=+-") and _RULE.search(line) is not None


def _lines_with_separators(text: str) -> Iterator[tuple[Span, str]]:
    """Yield the lines with a bar, or else with a tab between words, each with its separator."""
    at = 0
    while found := _SEPARATOR.search(text, at):
        start = text.rfind("\n", at, found.start()) + 1 or at
        end = text.find("\n", found.start())
        end = len(text) if end < 0 else end
        at = end + 1
        if end - start > _LONGEST_LINE:
            continue
        line = text[start:end]
        if "|" in line:
            yield Span(start, end), "|"
        elif "\t" in line.strip():
            yield Span(start, end), "\t"


def _cells(text: str, line: Span, separator: str) -> list[Span]:
    """Return the cells of a line, without white space around their words; none if they are too few or too many."""
    start, words = line.start, line.of(text)
    if separator == "|":
        inner = words.strip()
        start += words.index(inner)
        words = inner
        if len(inner) > 1 and inner[0] == inner[-1] == "|":
            start, words = start + 1, inner[1:-1]
    if not 0 < words.count(separator) < _MOST_COLUMNS:
        return []
    cells = []
    for part in words.split(separator):
        bare = part.strip()
        first = start + (part.index(bare) if bare else 0)
        cells.append(Span(first, first + len(bare)))
        start += len(part) + 1
    return cells


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, level and words of headings: titles marked with “#”, else separate lines."""
    marked = list(_marked_titles(text)) if "#" in text else []
    return iter(marked) if len(marked) > 1 else _lone_lines(text)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _PARAGRAPH.finditer(text):
        yield at, gap.start()
        at = gap.end()
    yield at, len(text)


def _marked_titles(text: str) -> Iterator[tuple[int, int, str]]:
    for start, _ in _paragraphs(text):
        if text.startswith("#", start) and (title := _MARKED.match(text, start)):
            yield start, len(title[1]), title[2].rstrip("# \t")


def _lone_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield separate lines above other text, like headings; of several in a row, as in a list, only the last."""
    title: tuple[int, int, str] | None = None
    for start, end in _paragraphs(text):
        line = text[start:end] if end - start <= 2 * _LONGEST_HEADING else ""
        is_title = _is_title(line)
        if title and not is_title:
            yield title
        title = (start, 1, line.strip()) if is_title else None


def _is_title(line: str) -> bool:
    words = line.strip()
    return (
        "\n" not in words
        and 2 < len(words) <= _LONGEST_HEADING
        and "|" not in words
        and "\t" not in words
        and not words.endswith(_ENDS_SENTENCE)
        and (words[0].isdigit() or (words[0].isalpha() and not words[0].islower()))
    )
