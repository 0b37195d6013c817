"""The language of a text is told where it is sure, and nothing else."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.languages import is_named
from app.documents import language
from app.documents.language import is_english, language_of, stretches

LEASE = {
    "en": "The lease was signed in March by both parties. The monthly rent is due on the third day of each month. ",
    "de": "Der Vertrag wurde im März von beiden Seiten unterschrieben. Die Miete ist am dritten Werktag fällig. ",
    "es": "El contrato fue firmado en marzo por ambas partes. El alquiler se paga el tercer día de cada mes. ",
    "fr": "Le contrat a été signé en mars par les deux parties. Le loyer est payé le troisième jour du mois. ",
    "pl": "Umowa została podpisana w marcu przez obie strony. Czynsz płaci się trzeciego dnia każdego miesiąca. ",
    "ru": "Договор был подписан в марте обеими сторонами. Арендная плата вносится третьего числа каждого месяца. ",
    "zh": "合同于三月由双方签署。每月租金应在每月第三天支付。如果不付款，房东可以终止合同。",
    "ja": "契約は三月に両当事者によって署名されました。家賃は毎月三日に支払わなければなりません。",
    "ar": "تم توقيع العقد في مارس من قبل الطرفين. يدفع الإيجار في اليوم الثالث من كل شهر بعد ذلك. ",
}
NUMBERS = "".join(f"{n}\t{n * 7.5:.2f}\t{n * n}\n" for n in range(900))
CODE = "def main(argv):\n    x = [f(i) for i in range(10)]\n    return os.path.join(x[0], argv[1])\n\n" * 40


def told(text: str) -> str:
    return language_of(stretches(text))


@pytest.mark.parametrize("code", LEASE)
@pytest.mark.parametrize("times", [1, 200])
def test_a_text_is_told_short_or_long(code: str, times: int) -> None:
    assert told(LEASE[code] * times) == code


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Wie lange gilt die Garantie für das Gerät?", "de"),
        ("¿Qué pasa si no se paga la factura?", "es"),
        ("Что будет, если счёт не оплачен?", "ru"),
        ("会社は何年に設立されましたか？", "ja"),
        ("How long does the Rechtsschutzversicherung der Allianz pay?", "en"),
    ],
)
def test_a_question_is_told(question: str, code: str) -> None:
    assert told(question) == code


@pytest.mark.parametrize(
    "text",
    [
        *("", " \n\t", "Bonjour", "Gabriel García Márquez", "Universidad Nacional Autónoma de México"),
        *("ludwig van beethoven", "rio de janeiro carnival", "société générale profit"),
        NUMBERS,
        CODE,
        LEASE["de"] * 40 + LEASE["fr"] * 40,
        "x" * 100_000,
    ],
)
def test_what_is_not_sure_is_left_open(text: str) -> None:
    assert told(text) in ("", "en" if text is CODE else "")


def test_a_title_page_in_another_language_and_tables_do_not_mislead() -> None:
    assert told(LEASE["fr"] * 4 + LEASE["de"] * 200) == "de"
    assert told(NUMBERS + LEASE["de"] * 200) == "de"


@given(st.text() | st.lists(st.sampled_from([*LEASE.values(), NUMBERS, "\ud800\x00", "A "])).map("".join))
def test_any_text_is_taken(text: str) -> None:
    code = told(text)
    assert code == "" or is_named(code)
    assert all(part in text for part in stretches(text))


def test_english_is_told_without_the_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_detector", lambda: pytest.fail("it was loaded"))
    assert is_english(stretches(LEASE["en"] * 30)) and told(LEASE["en"] * 30) == "en"


def test_a_detector_that_cannot_be_loaded_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    from py3langid import langid

    def full(*_: object, **__: object) -> object:
        raise OSError("no space left on the device")

    monkeypatch.setattr(langid.LanguageIdentifier, "from_model_file", full)
    language._detector.cache_clear()
    assert told(LEASE["de"]) == ""
    language._detector.cache_clear()


def test_no_english_question_counts_as_another_language(shared_data: Path) -> None:
    questions: list[str] = []
    for name in ("docqa/questions_dev.jsonl.xz", "qa/qa_dev.jsonl.xz"):
        with lzma.open(shared_data / name, "rt", encoding="utf-8") as lines:
            questions += [json.loads(line)["question"] for line in lines]
    assert len(questions) > 3900
    assert [one for one in questions if told(one) not in ("", "en")] == []


def test_the_eighteen_languages_of_the_declaration(shared_data: Path) -> None:
    whole = (shared_data / "documents" / "udhr-18-languages.txt").read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in whole.split("=== ")[1:] if "===" in part.partition("\n")[0]]
    found = {head.rpartition("(")[2][:2]: told(text) for head, _, text in parts}
    assert len(found) == 18 and all(code == language for code, language in found.items()), found
    assert told(whole) == ""
