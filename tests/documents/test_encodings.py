from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.documents.encodings import guess
from app.documents.plain_text import decode

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
