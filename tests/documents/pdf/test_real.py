"""Real PDFs: facts read off their pages by eye, and random words to boxes on the page and back."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from app.core.layout import Opened
from app.core.pages import mark_on_pages
from app.core.text import Document, Span
from tests.helpers.flowing import as_read
from tests.helpers.page_texts import characters_under
from tests.helpers.pdf_pages import read_real, real_names

PAGES = {
    "alice": 69,
    "asvs-3.0.1-hebrew": 29,
    "asvs-4.0.3-en": 71,
    "asvs-4.0.3-zh-cn": 75,
    "aws-pinpoint-developer-guide": 300,
    "federal-plain-language-guidelines": 118,
    "onestopqa-annotation-guidelines": 5,
    "qed-tacl-paper": 17,
    "scanned-letter-no-text-layer": 1,
}

# Sentences, headings, lists and rows of tables as a person reads them.
FACTS = {
    "alice": [
        "So she was considering in her own mind (as well as she could, for the hot day made her feel very sleepy and "
        "stupid), whether the pleasure of making a daisy-chain would be worth the trouble of getting up and picking "
        "the daisies, when suddenly a White Rabbit with pink eyes ran close by her.\n\nThere was nothing so VERY",
        "'Speak roughly to your little boy,\nAnd beat him when he sneezes:\nHe only does it to annoy,\n"
        "Because he knows it teases.'\n\nCHORUS.",
    ],
    "asvs-3.0.1-hebrew": [
        "\n\nישנן שתי מטרות עיקריות:\n\n• לסייע לארגונים לפתח ולתחזק יישומים מאובטחים.\n• לאפשר",
        "\n3.4\tודא כי הסשן פג לאחר תקופת זמן מקסימלית ללא קשר לחוסר פעילות הסשן.\tV\tV\n",
        "\n3.12\tודא כי בעוגיות בהן מאוחסן הסשן מוגדרות עם מאפיין Path מגביל עבור האפליקציה. עבור סשנים שנועדו "
        'לאימות יש בנוסף להגדיר את מאפייני "HttpOnly" ו-"Secure".\tV\tV\tV\n',
        "תקן FIPS 140-2 או תקן מקביל.",
        "בכספת מפתח וירטואלית או פיזית (HSM).",
    ],
    "asvs-4.0.3-en": [
        "\n2.1.1 Verify that user set passwords are at least 12 characters in length (after multiple spaces are "
        "combined). (C6)\t✓ ✓ ✓ 521 5.1.1.2\n2.1.2 Verify",
        "Table of Contents\n\nFrontispiece\t7\nAbout the Standard\t7\n",
        "components of differing trust levels through well-defined security controls",
        "For more information, see also:\n\n• OWASP Threat Modeling Cheat Sheet\n• OWASP Attack Surface",
        "\n\nV2.1 Password Security\n\nPasswords, called",
    ],
    "asvs-4.0.3-zh-cn": [
        "\n\n在 NIST 800-63 中，密码被称为“记忆的秘密”（Memorized Secrets），包括密码、PIN、解锁图案、选择正确的小猫"
        "或其他图像元素以及密码短语。",
        "\n2.1.2 验证是否允许 64 个字符以上的密码，并拒绝超过 128 个字符的密码。 (C6)\t✓ ✓ ✓ 521 5.1.1.2\n",
        "不推荐的客户端技术，如 NSAPI 插件、Flash、Shockwave、ActiveX、Silverlight、NACL 或客户端 Java applets。",
    ],
    "aws-pinpoint-developer-guide": [
        "Tutorials\t3\nUsing Postman with Amazon Pinpoint\t3\n",
        "\nendpoint\tpinpoint.us-east-1.amazonaws.com\nregion\tus-east-1\nserviceName\tmobiletargeting\n",
        "use the untag-resource command and include the tag-keys parameter",
        '{\n"Item": [\n{\n"ChannelType": "EMAIL",\n"Address": "richard_roe@example.com",\n',
        "1. Complete the steps in the previous section to enable the email channel.\n2. Under Identity type, choose",
        "\nUser IDs\tAssign user IDs to endpoints to monitor app usage from individual users. Examples are provided "
        "for the AWS Mobile SDKs (p. 131) and SDK for Java (p. 141).\tAugust 31, 2017\n",
    ],
    "federal-plain-language-guidelines": [
        "1. Verbs\t19\ni. Use active voice\t20\n",
        "An application for a grant does not become void unless the applicant’s failure to provide requested "
        "information is unreasonable under the circumstances.\tAn application for a grant remains active if the",
        "“must” for an obligation,\n“must not” for a prohibition,\n“may” for a discretionary action, and\n",
    ],
    "onestopqa-annotation-guidelines": [
        "\n(b) incorrect, reflects a misunderstanding of the A region.\tA (Critical span)\n",
        "\n\nPhrasing\n\n● Question phrasing should not cater to an individual difficulty level of the paragraph. If",
    ],
    "qed-tacl-paper": [
        "in terms of debuggability, extensibility, and trust. To this end, we propose QED, a linguistically informed, "
        "extensible framework for explanations in question answering.",
        "two tasks—post-hoc explanation generation",
        "Modern neural systems have made tremendous progress in QA accuracy",  # over a column, past footnotes
        "decomposing explanations has high coverage (77% on the Natural Questions corpus 3)",  # over a page
        "\n(Intercept)\t−0.31 (0.15)\n+ Incorrect+Sentence\t0.15 (0.11)\n",
        "Each input instance is either a QA- or QED-specific instance",
        "Tim Rocktaschel, Thomas Lukasiewicz, and Phil Blunsom",
    ],
    "scanned-letter-no-text-layer": [],
}

# Where some words are: (words, page from 1, heading over them).
PLACES = [
    ("asvs-4.0.3-en", "user set passwords are at least 12", 23, "V2.1 Password Security"),
    ("asvs-4.0.3-zh-cn", "验证是否允许 64 个字符以上的密码", 24, "V2.1 密码安全"),
    ("asvs-3.0.1-hebrew", "אפליקציה מדורגת ברמה 3 כאשר", 2, "רמה 3: מתקדם"),
    (
        "federal-plain-language-guidelines",
        "the most popular plain language myths",
        7,
        "I. Think about your audience",
    ),
    (
        "aws-pinpoint-developer-guide",
        "You can add or update multiple endpoints in a single",
        151,
        "Adding a Batch of Endpoints to Amazon Pinpoint",
    ),
    ("qed-tacl-paper", "have made tremendous progress", 1, "1 Introduction"),
    ("qed-tacl-paper", "Average classification of instances was 73.9%", 4, "3.1 Agreement Statistics"),
    ("alice", "Alice was beginning to get very tired", 2, "CHAPTER I. Down the Rabbit-Hole"),
    ("onestopqa-annotation-guidelines", "A1 should come before A2 in", 4, "Constraints on A spans"),
]

FIRST_HEADINGS = {
    "alice": "ALICE'S ADVENTURES IN WONDERLAND",
    "asvs-3.0.1-hebrew": "שימוש בתקן אימות אבטחת היישומים",
    "asvs-4.0.3-en": "Application Security Verification Standard 4.0.3",
    "asvs-4.0.3-zh-cn": "应用安全验证标准 4.0.3",
    "aws-pinpoint-developer-guide": "Amazon Pinpoint",
    "federal-plain-language-guidelines": "Revision 1 Changes",
    "onestopqa-annotation-guidelines": (
        "STARC (Structured Annotations for Reading Comprehension) Guidelines for OneStopQA"
    ),
    "qed-tacl-paper": "1 Introduction",
}


# What a person reads in their tables, with the headers.
ROWS = {
    "asvs-4.0.3-en": (
        "#: 2.1.5. Description: Verify users can change their password. L1: ✓. L2: ✓. L3: ✓. CWE: 620. "
        "NIST §: 5.1.1.2.",
        "#: 1.12.1. Description: [DELETED, DUPLICATE OF 12.4.1].",
    ),
    "asvs-3.0.1-hebrew": (
        "#: 7.8. תיאור: ודא כי מודולי ההצפנה פועלים באופן מבוקר ובהתאם למדיניות האבטחה הציבורית. 3: V.",
    ),
    "aws-pinpoint-developer-guide": (
        "Resource: Apps. Default Limit: 100 per account. Eligible for Increase: No.",
        "Attribute: client. Description: The app client installed on the device that reports the event. See the Client "
        "table.",
        "Variable: region. Initial Value: us-east-1.",
    ),
    "qed-tacl-paper": (
        "Parameter: + Incorrect+QED. Coefficient (SD): 0.25 (0.11).",
        "SB-onto. Identification P: 59.0. Mention Identification R: 35.6. Identification F1: 44.4. Alignment P: 47.7. "
        "Mention Alignment R: 28.8. Alignment F1: 35.9. Sentence Accuracy: 97.3.",
    ),
    "onestopqa-annotation-guidelines": ("Answer: (a) correct. Span: A (Critical span).",),
}

RUNNING = {
    "asvs-4.0.3-en": "OWASP Application Security Verification Standard 4.0.3",
    "asvs-4.0.3-zh-cn": "应用安全验证标准 4.0.3\t",
    "federal-plain-language-guidelines": "Federal Plain Language Guidelines, March 2011,",
}
NUMBERED = ("alice", "federal-plain-language-guidelines", "qed-tacl-paper")
LAST_PAGE_EMPTY = ("onestopqa-annotation-guidelines", "scanned-letter-no-text-layer")


@pytest.mark.parametrize("name", real_names(PAGES))
def test_its_pages_sentences_headings_and_tables(shared_data: Path, name: str) -> None:
    parts, _ = read_real(shared_data / "documents" / f"{name}.pdf")
    document = Opened(Document(parts.text), headings=parts.headings, pages=parts.pages)
    text = document.document.text
    assert len(document.pages) == PAGES[name]
    for fact in FACTS[name]:
        assert fact in text
    if name in FIRST_HEADINGS:
        assert document.heading_at(document.headings[0].span.start) == FIRST_HEADINGS[name]
    for words, page, heading in [where[1:] for where in PLACES if where[0] == name]:
        place = text.index(words)
        assert (document.page_at(place), document.heading_at(place)) == (page, heading)
    if name in RUNNING:
        assert sum(paragraph.startswith(RUNNING[name]) for paragraph in text.split("\n\n")) == 1
    if name in NUMBERED:
        assert len(re.findall(r"(?m)^\d{1,3}$", text)) <= 3, "page numbers stand in sentences"
    assert (len(document.pages[-1].span) == 0) is (name in LAST_PAGE_EMPTY)
    read = as_read(text, parts.view).split("\n")
    assert not [row for row in ROWS.get(name, ()) if row not in read]


MOST_WORDS = 25
FALLBACKS = {"qed-tacl-paper": 3}  # how many of the spans fall back to a quotation at most, where any may


def random_spans(text: str, seed: int) -> list[Span]:
    """Spans of 1 to 25 words; where a script has no blanks a stretch of letters counts as one of at most 8."""
    words = [match.span() for match in re.finditer(r"[^\s\u3000-\u9fff]+|[\u3000-\u9fff]{1,8}", text)]
    chance = random.Random(seed)
    spans = []
    for _ in range(300):
        count = chance.randint(1, MOST_WORDS)
        first = chance.randrange(max(1, len(words) - count))
        spans.append(Span(words[first][0], words[min(first + count, len(words)) - 1][1]))
    return spans


def letters_of(text: str) -> list[str]:
    """The letters without blanks and hyphens, told apart from the code under test."""
    plain = unicodedata.normalize("NFKC", text)
    return [letter for letter in plain if letter.isprintable() and letter not in " -\u2010\u2011"]


@pytest.mark.parametrize("name", [name for name in real_names(PAGES) if FACTS[str(name.values[0])]])
def test_words_are_found_on_the_page_and_read_back(shared_data: Path, name: str) -> None:
    parts, _ = read_real(shared_data / "documents" / f"{name}.pdf")
    # Nothing is written from right to left: the order is compared as well.
    one_way = not any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in parts.text)
    refused, wrong = [], []
    for span in random_spans(parts.text, seed=7):
        words = span.of(parts.text)
        mark = mark_on_pages(parts.pages, span, words)
        if mark.reason:
            refused.append((mark.reason, words))
            continue
        under = characters_under(parts.pages, mark.places)
        said, read = letters_of(words), letters_of(under)
        if (said != read) if one_way else (Counter(said) != Counter(read)):
            wrong.append((words, under))
    assert not wrong
    assert len(refused) <= FALLBACKS.get(name, 0), refused


@pytest.mark.long
def test_three_hundred_pages_are_read_in_seconds(shared_data: Path) -> None:
    parts, seconds = read_real(shared_data / "documents/aws-pinpoint-developer-guide.pdf")
    assert len(parts.pages) == 300
    assert seconds < 12  # 3.3 s of one core, this test's own look at every character aside
