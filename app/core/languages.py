"""Names of languages by their ISO 639 codes."""

from __future__ import annotations

from collections.abc import Sequence

_NAMES = {
    code: name
    for code, _, name in (
        line.partition(" ")
        for line in """\
af Afrikaans
ar Arabic
bg Bulgarian
bn Bengali
ca Catalan
cs Czech
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
he Hebrew
hi Hindi
hr Croatian
hu Hungarian
id Indonesian
is Icelandic
it Italian
ja Japanese
ko Korean
la Latin
lt Lithuanian
lv Latvian
ms Malay
multi many languages
nb Norwegian (Bokmål)
nl Dutch
nn Norwegian (Nynorsk)
no Norwegian
pl Polish
pt Portuguese
ro Romanian
ru Russian
sk Slovak
sl Slovenian
sr Serbian
sv Swedish
sw Swahili
ta Tamil
th Thai
tr Turkish
uk Ukrainian
ur Urdu
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
