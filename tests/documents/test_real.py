"""Documents that people wrote: their headings, their tables, and what a model is shown of them."""

from __future__ import annotations

import io
import time
from pathlib import Path

import docx
import pytest

from tests.helpers.flowing import as_read, cells, opened, parts_of, words_of

# By the file: its first heading, the number of its tables, a table, row and column with the words there, and a block.
REAL = {
    "asvs-3.0.1-arabic.docx": (
        "معيار التحقق من أمان التطبيق 3.0.1", 22, (1, 1, 0), "Antonio Fontes",
        "مساعدة المنظمات على تطوير وصيانة تطبيقات آمنة",
    ),
    "asvs-5.0.0-en.docx": (
        "Application Security Verification Standard", 98, (4, 1, 0), "1.2.1",
        "In summary, testable using automation != running an off the shelf tool.",
    ),
    "asvs-4.0.3-fr.docx": (
        "Application Security Verification Standard 4.0.3", 75, (3, 1, 3), "✓",
        "aider les organisations à développer et à maintenir des applications sécurisées.",
    ),
    "federal-plain-language-guidelines.docx": (
        "Federal Plain Language Guidelines", 68, (6, 0, 1), "Clearer singular",
        "If you are an organization, apply at the State office in the State where your headquarters is located.",
    ),
    "asvs-v2-authentication.md": (
        "V2 Authentication", 12, (1, 5, 1), "Verify users can change their password.", "V2 Authentication",
    ),
    "contributing-zh.md": ("贡献者许可协议", 0, (), "", "如果你已经知晓Git，请Fork本仓库并提交Pull Request (PR)。"),
    "contributing-ja.md": ("投稿者ライセンス契約", 0, (), "", "リストには6種類あります。適切なものを選んでください："),
    "contributing-fa.md": ("توافقنامه‌ی مجوز همکاری", 0, (), "", "ما شش نوع فهرست داریم. فهرست درست را انتخاب کنید:"),
    "gitmoji-guide.md": (
        "Gitmoji guide", 0, (), "", "🧑\u200d💻 technologist (:technologist:): Improve developer experience.",
    ),
    "rfc9110-http-semantics.html": ("HTTP Semantics", 13, (0, 0, 1), "R. Fielding, Editor", "HTTP Semantics"),
    "alice.htm": ("ALICE’S ADVENTURES\nIN WONDERLAND", 1, (0, 6, 1), "A Mad Tea-Party", "THE END"),
    "asvs-nist-mapping.html": (
        "Standard NIST_800-53", 0, (), "", "Requirement: Information Security Architecture [PL-8]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name.endswith("fr.docx") else ()) for name in REAL]
)
def test_headings_tables_and_words(shared_data: Path, name: str) -> None:
    data = (shared_data / "documents" / name).read_bytes()
    begun = time.process_time()
    found = opened(data, name)
    assert time.process_time() - begun < 10
    heading, tables, place, cell, block = REAL[name]
    text = found.document.text
    assert found.headings[0].span.of(text) == heading
    assert len(found.tables) == tables and found.notes == ()
    if place:
        assert cells(parts_of(found), place[0])[place[1:]].split("\n")[0] == cell
    assert block in words_of(parts_of(found))
    if name.endswith(".docx"):
        _agrees_with_another_reader(words_of(parts_of(found)), data)


def _agrees_with_another_reader(words: list[str], data: bytes) -> None:
    """Fail where words of the paragraphs outside of tables and contents lists differ from what python-docx reads."""
    document = docx.Document(io.BytesIO(data))
    # It knows nothing of hidden words.
    for hidden in document.element.body.xpath(".//w:r[w:rPr/w:vanish]"):
        hidden.getparent().remove(hidden)
    mine = {"".join(each.split()) for each in words}
    theirs = [
        each.text
        for each in document.paragraphs
        if each.text.strip() and not each.style.name.startswith("toc")
    ]
    assert len(theirs) > 100
    assert not [each for each in theirs if "".join(each.split()) not in mine]


# A row as a model is shown it, with its headers, and the headings that it stands below.
READ = {
    "asvs-5.0.0-en.docx": (
        "#: 3.4.7. Description: Verify that the Content-Security-Policy header field specifies a location to report "
        "violations. Level: 3.",
        "V3 Web Frontend Security > V3.4 Browser Security Mechanism Headers",
    ),
    "asvs-v2-authentication.md": (
        "#: 2.1.5. Description: Verify users can change their password. L1: ✓. L2: ✓. L3: ✓. CWE: 620. "
        "NIST §: 5.1.1.2.",
        "V2 Authentication > V2.1 Password Security",
    ),
    "rfc9110-http-semantics.html": (
        "Title: HTTP/1.1 Semantics and Content. Reference: [RFC7231]. See: B.3.",
        "HTTP Semantics > 1. Introduction > 1.4. Specifications Obsoleted by This Document > Table 1",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_rows_with_their_headers_and_headings(shared_data: Path, name: str) -> None:
    document = opened((shared_data / "documents" / name).read_bytes(), name).document
    row, heading = READ[name]
    assert document.view is not None
    assert row in as_read(document.text, document.view).split("\n")
    words = row.split(". ")[1].split(": ")[-1].rstrip(".")
    assert document.view.heading_at(document.text.index(words)) == heading


@pytest.mark.parametrize(
    ("name", "count", "first", "last"),
    [
        ("alice.txt", 12, "CHAPTER I. Down the Rabbit-Hole", "CHAPTER XII. Alice’s Evidence"),
        ("sherlock-holmes-latin1.txt", 12, "ADVENTURE I. A SCANDAL", "XII. THE ADVENTURE OF THE COPPER BEECHES"),
        ("don-quijote-es-latin1.txt", 126, "Capítulo primero. Que", "Capítulo LXXIV. De cómo don Quijote"),
        ("udhr-18-languages.txt", 18, "English (en)", "Korean (ko)"),
        ("emoji-names.txt", 0, "", ""),
    ],
)  # fmt: skip
def test_chapters_of_plain_texts(shared_data: Path, name: str, count: int, first: str, last: str) -> None:
    found = opened((shared_data / "documents" / name).read_bytes(), name)
    text = found.document.text
    assert not set("\r\ufffd\ufeff") & set(text)
    # What stands before and behind a book is not of its chapters.
    marks = ("START", "END OF", "This file should be")
    headings = [words for each in found.headings if not (words := each.span.of(text)).startswith(marks)]
    assert len(headings) == count
    if count:
        assert headings[0].startswith(first) and headings[-1].startswith(last)
    if name == "alice.txt":
        licence = text.index("International donations are gratefully accepted")
        assert found.heading_at(licence) == "START: FULL LICENSE"
