"""Characters of symbol fonts as Unicode, and bullets that are set in them."""

from __future__ import annotations

from app.documents.numerals import bullet

_WINGDINGS = {
    0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x3F: "✍", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6D: "❍",
    0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9E: "·",
    0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
    0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {
    0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x54: "☒", 0x97: "●", 0x98: "●", 0xA2: "■", 0xA3: "□",
}  # fmt: skip
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL = (
    dict(zip(range(0x41, 0x5B), _GREEK[0], strict=True))
    | dict(zip(range(0x61, 0x7B), _GREEK[1], strict=True))
    | {
        0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥",
        0xB4: "×", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xCE: "∈", 0xD2: "®", 0xD3: "©",
        0xD4: "™", 0xD5: "∏", 0xD6: "√", 0xDB: "⇔", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
    }
)  # fmt: skip
# What is used as a bullet without being one of the usual three.
_BULLETS = {"·": "•", "●": "•", "o": "◦", "○": "◦", "■": "▪", "§": "▪"}
_FONTS = {"wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "symbol": _SYMBOL}
_ANY = _SYMBOL | _WINGDINGS


def symbol(character: str, font: str) -> str:
    """The character that a symbol font shows for a code point, given as such or at U+F000 and above; empty if unknown.

    Without a known font a code point at U+F000 and above gets its most common meaning.
    """
    code = ord(character)
    is_private = 0xF000 <= code <= 0xF0FF
    table = _FONTS.get(font.strip().lower())
    if table is None:
        return _ANY.get(code - 0xF000, "") if is_private else ""
    return table.get(code - 0xF000 if is_private else code, "")


def shown_bullet(text: str, font: str, level: int) -> str:
    """A bullet that is given in a symbol font; where that is unknown, the usual one of its level, from 1."""
    text = text.strip()
    if not text:
        return bullet(level)
    known = _BULLETS.get(text) or symbol(text[0], font)
    return known or (bullet(level) if "\ue000" <= text[0] <= "\uf8ff" else text)
