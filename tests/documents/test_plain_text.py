from __future__ import annotations

import codecs
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.core.text import Document, normalise_newlines
from app.documents.plain_text import decode, guess, read_plain_text

ENGLISH = "The café’s owner said: “naïve résumé” — £3.50.\r\nSecond line.\rThird.\n" * 3
MIXED = "Ünïcödé 👩‍👩‍👧 e\u0301 שלום مرحبا नमस्ते 漢字\n" * 5
SENTENCES = {
    "English": ("“Don’t,” she said — it costs £5 ± £1.", ("cp1252",)),
    "French": ("Un élève reçut ça à Noël, où il était déjà bientôt prêt.", ("cp1252", "latin-1")),
    "German": ("Die Größe der Äpfel überraschte schließlich auch Jürgen.", ("cp1252", "latin-1")),
    "Spanish": ("¿Dónde está el niño? Mañana vendrá también la señora.", ("cp1252", "latin-1")),
    "Polish": ("Zażółć gęślą jaźń, mówiła łagodnie źrebięciu.", ("cp1250", "iso8859-2")),
    "Czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy.", ("cp1250", "iso8859-2")),
    "Hungarian": ("Az öreg halász hajnalban tűnődve indult a bőséges vízhez.", ("cp1250", "iso8859-2")),
    "Croatian": ("Čovjek je već išao kući, a žena i dijete ćaskahu među đacima.", ("cp1250", "iso8859-2")),
    "Turkish": ("Yaşlı balıkçı sabahın köründe denize açıldı, rüzgâr ılıktı; güneş doğdu.", ("cp1254",)),
    "Russian": (
        "Старый рыбак вышел в море рано утром, и ветер был тих.",
        ("cp1251", "koi8-r", "iso8859-5", "cp866"),
    ),
    "Greek": ("Ο παλιός ψαράς βγήκε στη θάλασσα νωρίς το πρωί.", ("cp1253", "iso8859-7")),
    "Hebrew": ("הדייג הזקן יצא אל הים מוקדם בבוקר והרוח הייתה שקטה.", ("cp1255", "iso8859-8")),
    "Arabic": ("خرج الصياد العجوز إلى البحر في الصباح الباكر وكانت الريح هادئة.", ("cp1256",)),
    "Thai": ("ชาวประมงเฒ่าออกทะเลแต่เช้าตรู่และลมก็สงบ", ("cp874",)),
    "Japanese": ("年老いた漁師は朝早く海に出た。風はとても静かだった。", ("cp932", "euc_jp")),
    "Simplified Chinese": ("老渔夫一大早就出海了，海上的风很平静。他在船上吃了早饭。", ("gb18030",)),
    "Traditional Chinese": ("老漁夫一大早就出海了，海上的風很平靜。他在船上吃了早飯。", ("big5",)),
    "Korean": ("늙은 어부는 이른 아침에 바다로 나갔다. 바람은 고요하였다.", ("cp949", "euc_kr")),
}
CASES = [(name, encoding) for name, (_, encodings) in SENTENCES.items() for encoding in encodings]


@pytest.mark.parametrize("text", [ENGLISH, MIXED])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_unicode_encodings(text: str, mark: bytes, encoding: str) -> None:
    assert read_plain_text(mark + text.encode(encoding), "a.txt", Silent()).text == normalise_newlines(text)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    assert decode(ENGLISH.encode(encoding), "a.txt") == ENGLISH


def test_lines_are_counted_as_editors_do() -> None:
    text = "one\r\ntwo\x0ctwo\u2028two\rthree\x85three\n\nfive\n"
    parts = read_plain_text(text.encode(), "a.txt", Silent())
    opened = Opened(Document(parts.text), lines=parts.lines)
    found = [opened.line_at(word.start()) for word in re.finditer(r"\w+", parts.text)]
    assert found == [1, 2, 2, 2, 3, 3, 5]
    assert [opened.line_at(place) for place in (0, 3, 4)] == [1, 1, 2]
    typed = Opened(Document("typed\nhere"))
    assert [typed.line_at(place) for place in (0, 5, 6)] == [1, 1, 2]
    assert Opened(Document("<p>typed\n"), Kind.HTML).line_at(0) is None


def test_damaged_bytes_turn_no_encoding_into_another() -> None:
    latin = "Un \xe9l\xe8ve re\xe7ut \xe7a \xe0 No\xebl. " * 20 + "\x81"  # Windows-1252 has no such byte
    assert decode(latin.encode("latin-1"), "a.txt") == latin
    data = ("Größe, naïve, “quoted”. " * 40).encode()
    damaged = data[:200] + b"\xff" + data[200:]
    assert decode(damaged, "a.txt") == data[:200].decode() + "\ufffd" + data[200:].decode()
    japanese = "日本語の文。" * 40
    assert decode(japanese.encode()[:-1], "a.txt") == japanese[:-1] + "\ufffd"


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        random.Random(1).randbytes(5000),
        b"MZ\0\0\0",
        b"\x7fELF\x02\x01\x01" + bytes(200) + b"text" * 10,
        b"some text that turns into\n" * 4000 + bytes(3000),
    ],
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(SpanlightError, match=r"“a\.bin” is not a text file") as caught:
        read_plain_text(data, "a.bin", Silent())
    assert caught.value.hint


def test_control_characters_become_blanks_and_page_breaks_newlines_one_for_one() -> None:
    assert read_plain_text(b"one\x00two\x0cthree\tfour", "a.txt", Silent()).text == "one two\nthree\tfour"
    assert read_plain_text("a\x9bb\x85c\x7fd".encode(), "a.txt", Silent()).text == "a b\nc d"
    assert read_plain_text("a\u2028b\u2029c\ufdd0d\ufdd1e".encode(), "a.txt", Silent()).text == "a\nb\nc d e"


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), min_size=1))
def test_any_utf8_text_comes_back(text: str) -> None:
    if text.startswith("\ufeff"):
        return
    assert decode(text.encode(), "a.txt") == text


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        assert not re.search("[\0-\x08\x0b-\x1f]", read_plain_text(data, "a.txt", Silent()).text)
    except SpanlightError as fault:
        assert fault.message.endswith(".")


SOURCE = "func main() {\n\tport := 8080\n\tx := a | b\n\ty := c | d\n}\n"


def test_tabs_and_bars_of_code_make_no_table() -> None:
    assert read_plain_text(SOURCE.encode(), "notes.txt", Silent()).view.replacements
    parts = read_plain_text(SOURCE.encode(), "main.go", Silent())
    assert not parts.view.replacements and parts.text == SOURCE
    opened = Opened(Document(parts.text, "main.go", view=parts.view), lines=parts.lines)
    assert opened.place_at(SOURCE.index("8080")) == "line 2"
    log = "10:00\tINFO\tstarted\n10:01\tWARN\tdisk nearly full\n10:02\tERROR\tstopped\n"
    assert read_plain_text(log.encode(), "server.log", Silent()).view.replacements


def in_language(shared_data: Path, language: str) -> str:
    """The Universal Declaration of Human Rights in a language."""
    whole = (shared_data / "documents" / "udhr-18-languages.txt").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^=== (.*) ===$", whole)[1:]
    titled = zip(parts[::2], parts[1::2], strict=True)
    return next(part for title, part in titled if title.startswith(language))


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_a_few_sentences_tell_the_encoding(language: str, encoding: str) -> None:
    text = (SENTENCES[language][0] + "\n") * 3
    assert decode(text.encode(encoding), "a.txt") == text


def test_a_lone_sign_in_an_english_text_is_western() -> None:
    for sign in "±×µÞ÷":
        assert guess(f"A long English sentence with {sign} and no more.".encode("cp1252")) == "cp1252"


def test_a_character_beyond_the_sample_counts() -> None:
    text = "word " * 20_000 + "Größe"
    assert decode(text.encode("cp1252"), "a.txt") == text


@pytest.mark.parametrize(
    ("language", "encodings"),
    [
        ("German", ("mac_roman", "cp437", "cp850")),
        ("Polish", ("cp852",)),
        ("Hebrew", ("cp862",)),
        ("Arabic", ("iso8859-6",)),
    ],
)
def test_encodings_of_dos_and_the_mac(shared_data: Path, language: str, encodings: tuple[str, ...]) -> None:
    text = in_language(shared_data, language)[500:3500]
    for encoding in encodings:
        data = text.encode(encoding, "ignore")
        assert decode(data, "a.txt") == data.decode(encoding)


WITHOUT_TRANSLATION = ("Czech", "Hungarian", "Croatian", "Simplified Chinese", "Traditional Chinese")
TRANSLATED = [case for case in CASES if case[0] not in WITHOUT_TRANSLATION]
MORE = [("Chinese", "gb18030"), ("Farsi", "cp1256"), ("Urdu", "cp1256")]


@pytest.mark.parametrize(("language", "encoding"), TRANSLATED + MORE)
@pytest.mark.parametrize("length", [300, 1_000_000])
def test_real_texts(shared_data: Path, language: str, encoding: str, length: int) -> None:
    data = in_language(shared_data, language)[500 : 500 + length].encode(encoding, "ignore")
    assert decode(data, "a.txt") == data.decode(encoding)
