"""A recognised page is kept as bytes that come back as they were, or not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.documents.pdf.characters import Sheet, Word
from app.documents.recognition.page import RecognisedPage

WORDS = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), min_size=1, max_size=6), st.booleans()
    ),
    max_size=8,
)


def page_of(words: list[tuple[str, bool]]) -> RecognisedPage:
    page, text = RecognisedPage("en"), ""
    for at, (letters, breaks) in enumerate(words):
        if text:
            text += "\n" if breaks else " "
            page.boxes.extend((0, 0, 0, 0))
        first = len(text)
        text += letters
        for place in range(len(letters)):
            page.boxes.extend((10 * place, 20, 10 * place + 9, 30))
        look = at % 3 == 1, breaks and at % 2 == 0  # bold, begins a cell
        word = Word(first, len(text), 1.5, 9.25, 30, 10, look[0], 0, False, begins_cell=look[1])
        page.add(word, 10 * at)
    page.characters = text
    return page


@given(WORDS)
def test_it_comes_back_as_it_was(words: list[tuple[str, bool]]) -> None:
    page = page_of(words)
    back = RecognisedPage.from_bytes(page.to_bytes())
    assert back == page
    sheet = Sheet(100, 100)
    page.replace_text(sheet)
    assert [sheet.characters[word.first : word.last] for word in sheet.words] == [
        letters for letters, _ in words
    ]
    assert [word.bold for word in sheet.words] == [at % 3 == 1 for at in range(len(words))]
    assert [word.begins_cell for word in sheet.words] == [
        breaks and at % 2 == 0 for at, (_, breaks) in enumerate(words)
    ]
    assert len(sheet.sure) == len(sheet.characters) and len(sheet.boxes) == 4 * len(sheet.characters)
    for before, word in zip(sheet.words, sheet.words[1:], strict=False):
        assert word.gap is ("\n" not in sheet.characters[before.last : word.first])


@given(WORDS, st.data())
def test_what_was_changed_is_not_taken_or_is_sound(
    words: list[tuple[str, bool]], data: st.DataObject
) -> None:
    kept = bytearray(page_of(words).to_bytes())
    for _ in range(3):
        kept[data.draw(st.integers(0, len(kept) - 1))] = data.draw(st.integers(0, 255))
    page = RecognisedPage.from_bytes(bytes(kept))
    if page is not None:
        page.replace_text(Sheet(100, 100))


@given(st.binary(max_size=60))
def test_other_bytes_are_not_taken(data: bytes) -> None:
    assert RecognisedPage.from_bytes(data) is None
