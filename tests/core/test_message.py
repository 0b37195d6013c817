"""Messages: English text with the pattern and the values that it was made from."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import EngineLost, PasswordNeeded, SpanlightError
from app.core.message import Message, joined, restored, stored

FOLDER = Message(
    "{n:,} file in {folder}",
    "{n:,} files in {folder}",
    n=1204,
    folder=Message("the {colour} one", colour="red"),
)

# As many values as there are names in the patterns below, each a text, a number or a message itself.
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
_MESSAGES = st.recursive(
    st.builds(Message, st.sampled_from(["Stopped", "{braces} as they are", "5 %"])),
    lambda inner: st.builds(
        Message,
        st.sampled_from(["{n} of {one}", "{one}: {two!r} ({n:,})"]),
        st.sampled_from(["", "{n} of all {two}"]),
        n=st.integers(-5, 10**12),
        one=inner | _TEXTS,
        two=inner | _TEXTS | st.floats(allow_nan=False, allow_infinity=False),
    ),
    max_leaves=4,
)


def parts(text: object) -> object:
    """Return a message's type, text, patterns and values, also of messages among these; anything else unchanged."""
    if not isinstance(text, Message):
        return type(text), text
    values = {name: parts(value) for name, value in text.values.items()}
    return Message, str(text), text.pattern, text.several, values


def test_a_message_is_its_english_text() -> None:
    assert FOLDER == "1,204 files in the red one" and isinstance(FOLDER, str)
    assert f"{FOLDER}." == "1,204 files in the red one."
    assert {FOLDER: 1}["1,204 files in the red one"] == 1
    assert type(f"{FOLDER}") is str and json.dumps([FOLDER]) == '["1,204 files in the red one"]'


def test_the_number_chooses_the_pattern() -> None:
    def files(number: float) -> str:
        return Message("{n:,} file", "{n:,} files", n=number)

    assert [files(number) for number in (0, 1, 2, 1.0, 1.5)] == [
        "0 files",
        "1 file",
        "2 files",
        "1.0 file",
        "1.5 files",
    ]
    assert Message("{n} file", n=2) == "2 file", "there is one pattern only"
    assert Message("Once", "Often") == "Often"


def test_without_values_a_pattern_is_no_format_string() -> None:
    assert Message("{} and {name}: 100 %") == "{} and {name}: 100 %"


def test_a_pattern_does_not_look_into_its_values() -> None:
    for pattern in ("{a.values}", "{a[0]}", "{a.__class__.__init__}", "{0}", "{}"):
        with pytest.raises((KeyError, ValueError)):
            Message(pattern, a=FOLDER)
    with pytest.raises(KeyError):
        Message("{name}", other=1)


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
@given(message=_MESSAGES)
def test_pickled_it_stays_a_message(protocol: int, message: Message) -> None:
    assert parts(pickle.loads(pickle.dumps(message, protocol))) == parts(message)


def test_copied_it_stays_a_message() -> None:
    for copied in (copy.copy(FOLDER), copy.deepcopy(FOLDER)):
        assert parts(copied) == parts(FOLDER)


def test_errors_keep_their_messages() -> None:
    for error in (
        SpanlightError(FOLDER, Message("Look.")),
        EngineLost(FOLDER, "Look."),
        PasswordNeeded(FOLDER, "Look.", wrong=True),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert parts(again.message) == parts(FOLDER) and parts(again.hint) == parts(error.hint)
        assert str(again) == "1,204 files in the red one Look."


@given(message=_MESSAGES | _TEXTS | _TEXTS.map(lambda text: f'\x1e["{text}", "", {{}}]'))
def test_stored_and_restored_it_is_the_same(message: str) -> None:
    assert parts(restored(stored(message))) == parts(message)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x1e",
        "\x1e{",
        "\x1e3",
        "\x1enull",
        "\x1e[]",
        '\x1e["{n}"]',
        '\x1e["{n}", "", []]',
        '\x1e["{n}", "", {"m": 1}]',
        '\x1e["{n:q}", "", {"n": 1}]',
        '\x1e["{n", "", {"n": 1}]',
        '\x1e["{n.real}", "", {"n": 1}]',
        '\x1e[3, "", {}]',
        '\x1e["{n}", 3, {"n": 2}]',
        '\x1e["{n}", "", {"n": {"a": 1}}]',
        "\x1e" + "[" * 100_000,
        # Of a stranger, to take memory, or to fail once it is shown.
        '\x1e["{n:>9000000000}", "", {"n": 1}]',
        '\x1e["{n:>{m}}", "", {"n": 1, "m": "9000000000"}]',
        '\x1e["{n:c}", "", {"n": -1}]',
        '\x1e["{n:.1f}", "", {"n": 1' + "0" * 400 + "}]",
        '\x1e["{n} in {m}", "several", {"n": 2}]',
        "\x1e" + '["{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}", "", {"n": ' * 20 + '"x"' + "}]" * 20,
    ],
)
def test_what_was_stored_otherwise_is_returned_as_it_is(text: str) -> None:
    assert parts(restored(text)) == parts(text)


def test_joined_texts_stay_messages() -> None:
    both = joined([Message("German"), "Klingon", FOLDER])
    assert both == "German, Klingon, 1,204 files in the red one"
    assert isinstance(both, Message)
    assert [parts(value) for value in both.values.values()] == [
        parts(Message("German")),
        (str, "Klingon"),
        parts(FOLDER),
    ]
    assert joined([Message("It is red."), Message("It is blue.")], " ") == "It is red. It is blue."
    assert parts(joined(["one", "{two}"])) == (str, "one, {two}")
    assert joined([]) == ""
