"""Stop words: too common to help to find where a question is answered."""

from __future__ import annotations

from collections.abc import Iterable

# English, German, French, Spanish, Italian, Portuguese and Dutch. "May" is left out: it is a month.
_LISTS = (
    """
    a about all also am an and any are as at be been being but by can could did do does doing done for from had has
    have having he her hers herself him himself his how however i if in into is it its itself just many me might
    much must my no nor not of on one or our ours out over shall she should so some such than that the their theirs
    them then there these they this those though through to too under up upon us very was we were what when where
    whether which while who whom whose why will with would you your yours
    """,
    """
    aber als also am an auch auf aus bei bin bis da das dass dem den der des die du ein eine einem einen einer er es
    für hat hatte ich ihr im in ist man mit nach nicht oder sich sie sind so um und unter über vom von vor wann war
    waren warum was welche welchem welchen welcher welches wem wen wenn wer wie wieso wird wo wurde wurden zu zum
    zur
    """,
    """
    a au aux avec ce ces cette combien comment dans de des du elle elles en est et était été il ils la le les leur
    lui mais ne on ou où par pas pour pourquoi quand que quel quelle quelles quels qui quoi sa se ses si son sont
    sur un une y
    """,
    """
    a al como con cómo cuales cuando cuál cuáles cuándo cuánta cuántas cuánto cuántos de del desde donde dónde e el
    ella ellos en era es esta está este fue ha he la las lo los más me no o para pero por porque que qué quien
    quienes quién se ser si sin son su sus un una y
    """,
    """
    a al alla che chi come con cosa cui da dal dei del della delle di dove e era è gli ha ho i il in io la le lo ma
    nel nella non o per perché più quale quali quando quanti quanto se si sono sua suo tra un una
    """,
    """
    a ao aos as até às com como da das de do dos e ela ele em era foi mais me na nas no nos o onde os ou para pela
    pelo por quais qual quando quantos que quem são se seu sua um uma
    """,
    """
    aan bij dan dat de den der die dit door een en er had heeft het hij hoe hoeveel ik in is je kan me met naar niet
    of om ook op over te tot uit van veel voor waar waarom wanneer waren was wat wel welk welke werd wie wordt zijn
    """,
)
_BY_LANGUAGE = tuple(frozenset(words.split()) for words in _LISTS)
ENGLISH = _BY_LANGUAGE[0]


def stop_words_for(words: Iterable[str]) -> frozenset[str]:
    """The stop words of the language of a question, given as words in lower case.

    The language is English unless more of the words, and at least two, are another's stop words.
    """
    asked = frozenset(words)
    most = max(_BY_LANGUAGE, key=lambda each: len(asked & each))
    # One alone may be an English word: "war", "die", "son".
    return most if len(asked & most) > 1 else ENGLISH
