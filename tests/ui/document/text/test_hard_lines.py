"""Which line ends of a text only break its prose into lines, and what becomes of them on a page that is edited."""

from __future__ import annotations

from itertools import pairwise
from textwrap import fill

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Span
from app.ui.document.text.hard_lines import NO_BLANK, RunningProse, prose_width, run_on, soft_ends

HARBOUR = (
    "The harbour wall was inspected on Tuesday, and the engineers say that two of the cracks have grown since the"
    " spring of this year. They want to close the quay for the whole winter, which the fishermen would hardly accept"
    " without any compensation. The council will hear both of them in December."
)
LETTER = f"Dear Bob,\n\n{fill(HARBOUR, 72)}\n\n{fill(HARBOUR[110:], 72)}\n\nBest wishes\nAnn\n"
GERMAN = fill(
    "Die Hafenmauer wurde am Dienstag geprüft, und nach dem Bericht der Ingenieure sind zwei der Risse seit dem"
    " Frühjahr gewachsen. Der Kai soll deshalb den ganzen Winter über gesperrt werden, was die Fischer ohne eine"
    " Entschädigung kaum hinnehmen würden. Der Stadtrat wird im Dezember beide Seiten anhören.",
    70,
)
HEBREW = fill(
    "הקיר של הנמל נבדק ביום שלישי והמהנדסים אומרים ששניים מהסדקים גדלו מאז האביב של השנה הזאת " * 4, 64
)


def prose(text: str) -> str:
    """The text as a page shows it."""
    return run_on(text, soft_ends(text, prose_width(text)))


@pytest.mark.parametrize("width", [55, 64, 72, 80, 96])
@pytest.mark.parametrize("paragraph", [HARBOUR, f"  {HARBOUR}", f"1. {HARBOUR}", HARBOUR.upper()])
def test_a_paragraph_runs_on(paragraph: str, width: int) -> None:
    assert prose(fill(paragraph, width, drop_whitespace=True)) == paragraph


@pytest.mark.parametrize("text", [GERMAN, HEBREW])
def test_it_does_in_other_languages(text: str) -> None:
    assert prose(text) == text.replace("\n", " ")


def test_only_the_prose_of_a_text_runs_on() -> None:
    assert prose(LETTER) == f"Dear Bob,\n\n{HARBOUR}\n\n{HARBOUR[110:]}\n\nBest wishes\nAnn\n"


def test_paragraphs_without_a_blank_line_between_them_stay_apart() -> None:
    indented = "\n".join(fill(HARBOUR, 72, initial_indent="  ") for _ in range(4))
    assert prose(indented) == "\n".join([f"  {HARBOUR}"] * 4)
    close = "\n".join([fill(HARBOUR, 72)] * 4)
    assert prose(close) == "\n".join([HARBOUR] * 4)


def test_lines_of_two_paragraphs_are_known_by_those_of_the_longer_ones() -> None:
    two = fill(HARBOUR[:100], 72)
    assert two.count("\n") == 1
    assert prose(two) == two, "by itself it tells nothing"
    assert prose(f"{LETTER}\n{two}\n").endswith(f"\n{HARBOUR[:100]}\n")


VERSE = """Shall I compare thee to a summer's day? Thou art more lovely
And more temperate: rough winds do shake the darling buds of May,
And summer's lease hath all too short a date; sometime too hot
The eye of heaven shines, and often is his gold complexion dimm'd;
And every fair from fair sometime declines, by chance or nature's
Changing course untrimm'd; but thy eternal summer shall not fade,
"""
SMALL_VERSE = """the tide comes in with all the boats and lanterns,
the tide goes out and leaves the stones,
nobody on the quay remembers
what the grey water has sung to the harbour wall,
and still we come
and wait for it in the rain
"""
CODE = '''def read(path: Path, name: str, report: Report) -> Opened:
    """The document in a file, as it is read from its path by name."""
    with open(path, encoding="utf-8") as file: text = file.read()
    parts = read_plain_text(text, name, report, silent=True, once=True)
    return Opened(Document(parts.text, name), lines=parts.lines, size=1)
'''


def numbered(line: str) -> str:
    """Nine lines that differ in a digit."""
    return "".join(line.replace("#", str(at)) for at in range(9))


LOG = numbered("2026-11-27 10:0#:11 reader INFO the request was answered by the reader in # seconds\n")
TABLE = numbered("Harbour number #, closed in winter, 12# boats, 3#,500 euros a year in fees\n")
SETTINGS = numbered("setting# = a value that is long enough to fill the line, number #\n")
FIELDS = numbered("Name #: the words of this field are as long as in the other fields\n")
ITEMS = numbered("- the words of this item are as long as those of all the other items #\n")
SENTENCES = numbered("Sentence number # stands on a line of its own and ends on the same line.\n")
COLUMNS = numbered("harbour #     closed in the winter     and open in the summer of each year\n")
QUOTED = "".join(f"> {line}\n" for line in fill(HARBOUR, 70).split("\n"))
INDENTED = "".join(f"    {line}\n" for line in fill(HARBOUR, 68).split("\n"))
RAGGED = "\n".join(HARBOUR.replace(". ", ".\n").replace(", ", ",\n").split("\n"))
ADDRESS = (
    "Harbour Office of the City of Saint Michael and its Islands\n"
    "12 Long Quay Street, Upper Harbour District, Building Four\n"
)
FIGURES = "".join(
    f"{at} {at * 7} {at * 13} {at * 101} {at * 997} {at * 3001} {at * 7001} {at * 9001} {at * 12007}\n"
    for at in range(50, 60)
)


@pytest.mark.parametrize(
    "text",
    [
        VERSE, SMALL_VERSE, CODE, LOG, TABLE, SETTINGS, FIELDS, ITEMS, SENTENCES, COLUMNS, QUOTED, INDENTED, RAGGED,
        ADDRESS, FIGURES, HARBOUR, "", "\n\n",
    ],
)  # fmt: skip
def test_other_lines_are_left_alone(text: str) -> None:
    assert prose(text) == text
    among = f"{LETTER}\n{text}\n"
    assert prose(among) == f"{prose(LETTER)}\n{text}\n", "in a text of prose too"


def test_a_text_whose_words_are_broken_is_left_alone() -> None:
    broken = "\n\n".join(
        fill(HARBOUR, 60).replace("and the engineers", "and the en-\ngineers") for _ in range(5)
    )
    broken = broken.replace("compensation", "compen-\nsation").replace("December", "Decem-\nber")
    assert prose(broken) == broken


@pytest.mark.parametrize("dash", ["-", "--", "—", "–"])
def test_no_blank_is_shown_behind_a_dash(dash: str) -> None:
    text = fill(f"{HARBOUR} It is well", 72) + f"{dash}\nknown"
    at = len(text) - len("\nknown")
    assert run_on(text, [at]).endswith(f"well{dash}{NO_BLANK}known")
    assert run_on(f"It is well {dash}\nknown", [11 + len(dash)]) == f"It is well {dash} known"
    assert run_on("It is well \nknown", [11]) == f"It is well {NO_BLANK}known"


@given(
    st.lists(
        st.sampled_from([*HARBOUR.split(), "-", "1.", "\n\n", "\n", "\t", "  ", "{", "é👩"]), max_size=300
    )
)
def test_only_line_ends_are_shown_otherwise(words: list[str]) -> None:
    text = fill(" ".join(words), 64, replace_whitespace=False)
    shown = prose(text)
    assert len(shown) == len(text)
    for one, other in zip(text, shown, strict=True):
        assert one == other or (one == "\n" and other in (" ", NO_BLANK))


def page(text: str) -> tuple[RunningProse, str]:
    """A page with a text, and what it shows."""
    own = RunningProse(text, prose_width(text))
    return own, own.piece(0, len(text))


def test_an_edit_keeps_the_other_line_ends_and_undoing_brings_back_its_own() -> None:
    own, shown = page(LETTER)
    at = shown.index("They want")
    own.edit(shown[:at] + "X" + shown[at:])
    here = LETTER.index("They want") if "They want" in LETTER else LETTER.index("They\nwant")
    assert own.text == LETTER[:here] + "X" + LETTER[here:]
    own.edit(shown)
    assert own.text == LETTER
    first, last = len("Dear Bob,\n\n") + 10, len(LETTER) - 60
    own.edit(shown[:first] + shown[last:])
    assert own.text == LETTER[:first] + LETTER[last:]
    own.edit(shown)
    assert own.text == LETTER, "with the line ends that were in between"


def test_a_text_that_is_put_in_runs_on_by_itself() -> None:
    own = RunningProse("One two.\n")
    paragraph = fill(HARBOUR, 72)
    assert own.insert(Span(4, 7), paragraph) == HARBOUR
    assert own.text == f"One {paragraph}.\n"
    own.edit("One two.\n")
    assert own.text == "One two.\n"
    own.edit(f"One {HARBOUR}.\n")
    assert own.text == f"One {paragraph}.\n", "done again"


@given(st.data())
def test_the_page_always_shows_the_text(data: st.DataObject) -> None:
    own, shown = page(LETTER)
    states = [(shown, own.text)]
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(shown)))
        end = data.draw(st.integers(start, len(shown)))
        words = data.draw(st.sampled_from(["", "X", "new words\n", HARBOUR[:9]]))
        shown = shown[:start] + words + shown[end:]
        own.edit(shown)
        assert run_on(own.text, own.ends).replace(NO_BLANK, " ") == shown.replace(NO_BLANK, " ")
        states.append((shown, own.text))
    for shown, text in reversed(states):
        own.edit(shown)
        assert own.text == text or [each for each, _ in states].count(shown) > 1


def test_places_are_those_of_the_text() -> None:
    own, shown = page(LETTER)
    for at, after in pairwise([*own.ends, len(LETTER)]):
        place = Span(at - 3, min(at + 4, after))
        assert own.shown(place) == shown[place.start : place.end]
        assert own.copied(place) == shown[place.start : place.end].replace(NO_BLANK, "")
