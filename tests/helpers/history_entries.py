"""Entries of a history to test with."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.text import Span

# Everything that Python can hold: NUL, halves of surrogate pairs (names of files come so), scripts of any direction.
ANY_TEXT = st.text(st.characters(), max_size=40)
SHARE = st.floats(0, 1)

LEASE = KeptAnswer(
    span=Span(20, 37),
    text="three months' rent",
    probability=0.94,
    sentence="The deposit is three months' rent.",
    before="The deposit is ",
    after=".",
    page=2,
    heading="4. Deposit",
)
ENTRY = Entry(
    question="How much is the deposit?",
    name="lease.pdf",
    path="/home/ada/lease.pdf",
    sha256="ab" * 32,
    kind=Kind.PDF,
    answers=(LEASE,),
    answered=True,
    no_answer_probability=0.04,
    threshold=0.5,
    model="reader-quick",
    device="CPU",
    seconds=0.4,
    asked=1_700_000_000.0,
)


def entry(number: int = 0, **changes: object) -> Entry:
    """The lease's entry with changes; the number moves its time on, so that a higher one is newer."""
    return replace(ENTRY, **{"asked": ENTRY.asked + number, **changes})  # type: ignore[arg-type]


def unanswered(number: int = 0, **changes: object) -> Entry:
    """An entry whose text does not say."""
    low = replace(LEASE, probability=0.03)
    silent = {"answers": (low,), "answered": False, "no_answer_probability": 0.97, "absent": 0.2}
    return entry(number, **{**silent, **changes})


@st.composite
def _spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, 2**40))
    return Span(start, start + draw(st.integers(0, 2**20)))


ANSWERS = st.builds(
    KeptAnswer,
    span=_spans(),
    text=ANY_TEXT,
    probability=SHARE,
    sentence=ANY_TEXT,
    before=ANY_TEXT,
    after=ANY_TEXT,
    page=st.none() | st.integers(1, 10**6),
    heading=ANY_TEXT,
    page_label=ANY_TEXT,
    line=st.none() | st.integers(1, 10**9),
)
ENTRIES = st.builds(
    Entry,
    question=ANY_TEXT,
    name=ANY_TEXT,
    path=ANY_TEXT,
    sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
    kind=st.sampled_from(Kind),
    answers=st.lists(ANSWERS, max_size=3).map(tuple),
    answered=st.booleans(),
    no_answer_probability=SHARE,
    threshold=SHARE,
    model=ANY_TEXT,
    device=ANY_TEXT,
    seconds=st.floats(0, 1e6),
    asked=st.floats(0, 1e11),
    quick=st.booleans(),
    complete=st.booleans(),
    windows=st.integers(0, 10**6),
    windows_total=st.integers(0, 10**6),
    absent=SHARE,
    finder=ANY_TEXT,
    shared=st.booleans(),
)
