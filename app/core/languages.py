"""Names of languages by their ISO 639 codes, and whether a model reads one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# What a model of many languages states in place of their codes.
MANY = "multi"
# Either is read by who reads the other.
_NORWEGIAN = frozenset(("no", "nb", "nn"))

_NAMES = {
    code: name
    for code, _, name in (
        line.partition(" ")
        for line in """\
af Afrikaans
ar Arabic
az Azerbaijani
be Belarusian
bg Bulgarian
bn Bengali
bs Bosnian
ca Catalan
cs Czech
cy Welsh
da Danish
de German
el Greek
en English
es Spanish
et Estonian
eu Basque
fa Persian
fi Finnish
fr French
ga Irish
gl Galician
gu Gujarati
he Hebrew
hi Hindi
hr Croatian
hu Hungarian
hy Armenian
id Indonesian
is Icelandic
it Italian
ja Japanese
ka Georgian
kk Kazakh
km Khmer
kn Kannada
ko Korean
la Latin
lo Lao
lt Lithuanian
lv Latvian
mk Macedonian
ml Malayalam
mn Mongolian
mr Marathi
ms Malay
multi many languages
my Burmese
nb Norwegian (Bokmål)
ne Nepali
nl Dutch
nn Norwegian (Nynorsk)
no Norwegian
pa Punjabi
pl Polish
pt Portuguese
ro Romanian
ru Russian
si Sinhala
sk Slovak
sl Slovenian
sq Albanian
sr Serbian
sv Swedish
sw Swahili
ta Tamil
te Telugu
th Thai
tl Tagalog
tr Turkish
uk Ukrainian
ur Urdu
uz Uzbek
vi Vietnamese
zh Chinese""".splitlines()
    )
}


def language(code: str) -> str:
    """A language's name: "German" for "de"; an unknown code unchanged."""
    return _NAMES.get(code, code)


def languages(codes: Sequence[str], most: int = 3) -> str:
    """Languages in a few words: "English, German", "12 languages" if there are more than `most`; "" for none."""
    if len(codes) > most:
        return f"{len(codes)} languages"
    return ", ".join(language(code) for code in codes)


def is_named(code: str) -> bool:
    """Whether a language has a name here."""
    return code in _NAMES and code != MANY


def reads(codes: Sequence[str], code: str) -> bool:
    """Whether a model that states these languages reads a language; one that states none, or many, reads any."""
    alike = _NORWEGIAN if code in _NORWEGIAN else {code}
    return not codes or MANY in codes or not alike.isdisjoint(codes)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a model is to read: "This document", say, and how many documents it is by the codes of their languages.

    A `text` is one whose language is to be detected first. Without any, there is nothing to say of it.
    """

    name: str
    languages: Mapping[str, int] = field(default_factory=dict)
    text: str = ""

    @property
    def is_several(self) -> bool:
        """Whether it is several documents."""
        return sum(self.languages.values()) > 1
