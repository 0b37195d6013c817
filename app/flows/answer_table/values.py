"""Parses dates, amounts, numbers, yes and no from the words of an answer, only where they are unambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from app.core.answer_table import Cell, Column, ColumnType
from app.core.corrections import Verdict
from app.core.message import Message


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an answer's words, as it is shown and as it is sorted in its column."""

    shown: str
    sort_key: tuple[str, float]


def value(type: ColumnType, words: str, *, question: str = "") -> Value | None:
    """Parse the value of words for a column of this type; None for a column of words and for ambiguous words.

    Dates are shown in ISO 8601, amounts with the currency's code. Words with several different values are ambiguous. If
    a yes-or-no `question` is negative ("Is it forbidden?"), only a plain "yes" or "no" is parsed.
    """
    line = " ".join(words.split())
    match type:
        case ColumnType.DATE:
            return _single(_find_dates(line))
        case ColumnType.AMOUNT:
            return _single(_find_amounts(line))
        case ColumnType.NUMBER:
            return _single(_find_numbers(line))
        case ColumnType.YES_NO:
            return _find_yes_or_no(line, question)
    return None


def value_of(cell: Cell, column: Column) -> Value | None:
    """Parse the value of the words that count in a cell.

    Yes and no are parsed from the whole sentence around the reader's words, which may leave out a condition.
    """
    words, answer = cell.words, cell.answer
    if column.type is ColumnType.YES_NO and answer is not None and cell.span == answer.span:
        words = words if _PLAIN_YES_NO.match(" ".join(words.split())) else answer.sentence or words
    found = value(column.type, words, question=column.question)
    if found is None and column.type is ColumnType.AMOUNT and cell.verdict is Verdict.OTHER_WORDS:
        return value(ColumnType.NUMBER, words)  # the currency may be given elsewhere on the page
    return found


def _single(values: Iterable[Value | None]) -> Value | None:
    """The only distinct value; None if there are several, or one of them is uncertain."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


# Dates

_MONTH_NAMES = (
    "january jan januar janvier enero gennaio januari janeiro",
    "february feb februar février fevrier febrero febbraio februari fevereiro",
    "march mar märz maerz mars marzo maart março",
    "april apr avril abril aprile",
    "may mai mayo maggio mei maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août aout agosto augustus",
    "september sept sep septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre diciembre dicembre dezembro",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
_MONTH = f"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_YEAR = r"(?P<year>[12]\d{3})"
_DATE_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.]){_DAY}(?:\s+day)?[\s-]*(?:of\s+|de\s+)?{_MONTH}\b\.?(?:\s*,\s*|\s+de\s+|[\s-]+){_YEAR}(?!\d)",
        rf"\b{_MONTH}\b\.?\s+(?:the\s+)?{_DAY}(?:\s*,\s*|\s+){_YEAR}(?!\d)",
        rf"\b{_MONTH}\b\.?(?:\s*,\s*|\s+de\s+|\s+of\s+|\s+){_YEAR}(?!\d)",
        rf"(?<![\d./-]){_YEAR}([-/.])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}})(?![\d/-])",
    )
]
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([/.-])(\d{1,2})\2([12]\d{3})(?!\d|[./-]\d)")
_ONLY_YEAR = re.compile(r"(?:in |the year |year )*(?P<year>1\d{3}|20\d{2})\.?", re.IGNORECASE)


def _find_dates(line: str) -> list[Value | None]:
    found: list[Value | None] = []
    for pattern in _DATE_PATTERNS:
        for match in pattern.finditer(line):
            parts = match.groupdict()
            month = parts["month"].casefold()
            number = _MONTHS[month] if month in _MONTHS else int(month)
            found.append(_date_value(int(parts["year"]), number, int(parts["day"]) if "day" in parts else 0))
        line = pattern.sub(" ; ", line)
    for first, separator, second, year in _NUMERIC.findall(line):
        day, month = int(first), int(second)
        if separator != "." and day <= 12 and month <= 12 and day != month:
            found.append(None)  # 3/4 is the third of April or the fourth of March
        elif day <= 12 < month:
            found.append(_date_value(int(year), day, month))
        else:
            found.append(_date_value(int(year), month, day))
    if not found and (only := _ONLY_YEAR.fullmatch(line)):
        year = only["year"]
        found.append(Value(year, ("", float(date(int(year), 1, 1).toordinal()))))
    return found


def _date_value(year: int, month: int, day: int) -> Value | None:
    """The value of a day, or of a month for day 0; None if the calendar does not have it."""
    try:
        moment = date(year, month, day or 1)
    except ValueError:
        return None
    return Value(moment.isoformat() if day else f"{year}-{month:02}", ("", float(moment.toordinal())))


# Numbers and amounts

_FIGURES = r"\d+(?:[.,'’\u00a0\u202f ]\d+)*"
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
_SCALES = {
    "thousand": 1000, "k": 1000, "million": 10**6, "millions": 10**6, "mio": 10**6, "mn": 10**6, "m": 10**6,
    "billion": 10**9, "billions": 10**9, "bn": 10**9, "trillion": 10**12,
}  # fmt: skip
_SCALE = r"(?:\s?(?P<{0}>thousand|millions?|mio|mn|billions?|bn|trillion|[mk](?![a-z])))?\b"
_CURRENCIES = {
    "£": "GBP", "gbp": "GBP", "pounds sterling": "GBP", "pounds": "GBP", "pound": "GBP", "sterling": "GBP",
    "€": "EUR", "eur": "EUR", "euros": "EUR", "euro": "EUR",
    "us$": "USD", "usd": "USD", "us dollars": "USD", "u.s. dollars": "USD", "$": "$", "dollars": "$", "dollar": "$",
    "a$": "AUD", "aud": "AUD", "c$": "CAD", "cad": "CAD", "nz$": "NZD", "nzd": "NZD", "hk$": "HKD", "hkd": "HKD",
    "s$": "SGD", "sgd": "SGD", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "cny": "CNY", "rmb": "CNY", "yuan": "CNY",
    "₹": "INR", "inr": "INR", "rs.": "INR", "rs": "INR", "rupees": "INR", "chf": "CHF", "swiss francs": "CHF",
    "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "czk": "CZK", "huf": "HUF", "zar": "ZAR", "brl": "BRL",
    "r$": "BRL", "mxn": "MXN", "krw": "KRW", "₩": "KRW", "₪": "ILS", "₺": "TRY",
}  # fmt: skip
_CURRENCY = "|".join(re.escape(name) for name in sorted(_CURRENCIES, key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?P<sign>[-−]\s?)?(?:(?<![a-z])(?P<before>{_CURRENCY})\s?(?P<one>{_FIGURES}){_SCALE.format('ones')}"
    rf"|(?<![\d.,])(?P<two>{_FIGURES}){_SCALE.format('twos')}\s?(?P<after>{_CURRENCY})(?![a-z]))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−])?(?P<figures>{_FIGURES}){_SCALE.format('scale')}"
    r"(?:\s?(?P<percent>%|per\s?cent\b))?(?:\)?[\s-]*(?P<unit>(?:calendar |business |working )?[a-z]+))?",
    re.IGNORECASE,
)
# Durations in days.
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_WORD_NUMBER = re.compile(
    rf"\b(?P<words>(?:{'|'.join(_WORDS)})(?:[\s-](?:{'|'.join(_WORDS)}))*)\b(?P<more>[\s-](?:hundred|thousand)\b)?"
    r"(?:\s(?P<percent>%|per\s?cent\b))?(?:\s(?P<unit>(?:calendar |business |working )?[a-z]+))?",
    re.IGNORECASE,
)
# Words of which a longer number is made, such as "two hundred and fifty", "2 dozen", "EUR 5 Mrd".
_PART = (
    rf"(?:{'|'.join(_WORDS)}|(?:hundred|thousand|dozen|lakh|crore)(?:s|ths?)?|milli(?:on|ard)\w*|billion\w*|trillion\w*"
    r"|mill[oó]n\w*|mrd|tn|tsd|tausend|mil)"
)
_FRACTION = r"(?:hal(?:f|ve)|quarter|third|(?:four|fif|six|seven|eigh|nin|ten)th)"
# "half of 2", but not "each quarter $1,500".
_NUMBER_BEFORE = re.compile(
    rf"\b(?:{_PART}|{_FRACTION}s?(?=\s(?:of|or|to)\b)|minus|negative)(?:\s(?:of|and|or|to|an?))*[\s–-]$",
    re.IGNORECASE,
)
# "two thirds", "one third", "twenty-first", "2 and a half", but not "2 third parties", "$1,500 a quarter".
_NUMBER_AFTER = re.compile(
    rf"(?:,(?!\s?\d)|[\s–-])*(?:(?:and|or|to)\s)?(?:an?\s)?(?:\d|(?:{_PART}|{_FRACTION}s)\b)"
    rf"|\sand\s(?:half|an?\s{_FRACTION})\b|(?<=\bone)\s{_FRACTION}\b"
    rf"|(?:(?<=ty)\s|(?<=[a-z])-)(?:first|second|{_FRACTION})\b",
    re.IGNORECASE,
)
_SPELLED_OUT = re.compile(rf"(?:\b(?:{_PART}|{_FRACTION}s?)|{_CURRENCY})\s?\($", re.IGNORECASE)
_NEAR = 40  # characters before a number that may change it


def _parse_figures(written: str, *, amount: bool) -> Decimal | None:
    """Parse a number; None if a point or comma may separate either thousands or the fraction.

    In an amount, three digits after it are thousands.
    """
    written = written.strip()
    grouped = _GROUPED.fullmatch(written)
    separators = {each for each in written if not each.isdigit()}
    if len(separators) > 1:
        last = max(written.rfind(each) for each in separators)
        whole = written[:last]
        if written[last] in " \u00a0\u202f'’" or not _GROUPED.fullmatch(whole):
            return None
        written = f"{_only_digits(whole)}.{written[last + 1 :]}"
    elif grouped:
        only_point = written.count(".") == 1
        if only_point and written.startswith("0"):
            pass  # 0.125
        elif only_point and not amount:
            return None
        else:
            written = _only_digits(written)
    elif separators & set(" \u00a0\u202f'’") or sum(written.count(each) for each in ".,") > 1:
        return None
    else:
        written = written.replace(",", ".")
    try:
        return Decimal(written)
    except InvalidOperation:
        return None


def _stands_alone(line: str, match: re.Match[str]) -> bool:
    """Whether no words beside a number change its value, and no brackets, which in accounts mean minus.

    A number may stand in brackets behind the same in words, as in "sixty (60) days".
    """
    start, end = match.start(), max(match.end(name) for name in match.groupdict() if name != "unit")
    before = line[max(0, start - _NEAR) : start]
    in_brackets = before.endswith("(") and line.startswith(")", end)
    return not (
        _NUMBER_BEFORE.search(before)
        or _NUMBER_AFTER.match(line, end)
        or _NUMBER_AFTER.match(line, match.end())
        or (in_brackets and not _SPELLED_OUT.search(before))
    )


def _only_digits(written: str) -> str:
    return "".join(each for each in written if each.isdigit())


def _find_amounts(line: str) -> list[Value | None]:
    found: list[Value | None] = []
    for match in _AMOUNT.finditer(line):
        number = _parse_figures(match["one"] or match["two"], amount=True)
        scale = (match["ones"] or match["twos"] or "").casefold()
        if number is None or number.adjusted() > 20 or not _stands_alone(line, match):
            found.append(None)
            continue
        number *= _SCALES.get(scale, 1) * (-1 if match["sign"] else 1)
        currency = _CURRENCIES[(match["before"] or match["after"]).casefold()]
        found.append(Value(f"{currency} {_formatted(number, cents=True)}", (currency, float(number))))
    return found


def _find_numbers(line: str) -> list[Value | None]:
    found: list[Value | None] = []
    for match in _NUMBER.finditer(line):
        number = _parse_figures(match["figures"], amount=False)
        if number is None or number.adjusted() > 20 or not _stands_alone(line, match):
            found.append(None)
            continue
        scale = (match["scale"] or "").casefold()
        number *= _SCALES.get(scale, 1) * (-1 if match["sign"] else 1)
        found.append(_number_value(number, bool(match["percent"]), match["unit"]))
    if found:
        return found  # "sixty (60) days" is one number
    for match in _WORD_NUMBER.finditer(line):
        written = _spelled_number(match["words"])
        if written is None or not _stands_alone(line, match):
            found.append(None)
            continue
        scale = (match["more"] or "").strip(" -").casefold()
        number = Decimal(written * {"hundred": 100, "thousand": 1000}.get(scale, 1))
        found.append(_number_value(number, bool(match["percent"]), match["unit"]))
    return found


def _spelled_number(words: str) -> int | None:
    """Parse a number in words, such as 21 from "twenty-one"; None if the words are no number."""
    numbers = [_WORDS[word.casefold()] for word in re.split(r"[\s-]", words)]
    if len(numbers) == 1:
        return numbers[0]
    tens, ones = (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)
    return tens + ones if tens >= 20 and 0 < ones < 10 else None


def _number_value(number: Decimal, percent: bool, unit: str | None) -> Value:
    if percent:
        return Value(f"{_formatted(number)}%", ("%", float(number)))
    name = (unit or "").casefold()
    days = _DAYS.get(name.rpartition(" ")[2].removesuffix("s"))
    if days is not None:
        return Value(f"{_formatted(number)} {name}", ("days", float(number) * days))
    return Value(_formatted(number), ("", float(number)))


def _formatted(number: Decimal, *, cents: bool = False) -> str:
    if number == number.to_integral_value():
        return f"{int(number):,}"
    return f"{number:,.2f}" if cents else f"{number.normalize():,f}"


# Yes and no

_PLAIN_YES_NO = re.compile(r"(yes|no)\b(?=$|[.,;:!])", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|cannot|no|never|neither|nor|none|nothing|prohibited|forbidden|unlawful)\b|n['’]t\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:is|are|be)\s(?:\w+ly\s)?(?:permitted|allowed|entitled)\b|\bha(?:s|ve) the right to\b",
    re.IGNORECASE,
)
# A condition or limit, with which a clause says neither yes nor no.
_CONDITION = re.compile(
    r"\b(?:unless|except|until|without|other than|save|only|if|provided|subject to|prior|where|but|however|refus\w*"
    r"|withh\w*|prevent\w*|limit\w*|later than|less than|more than|exceed\w*|longer)\b",
    re.IGNORECASE,
)
_NEGATIVE_QUESTION = re.compile(
    r"\b(?:not|no|never|prohibit\w*|forbid\w*|forbidden|exclu\w*|prevent\w*|refus\w*|without|ban\w*|unlawful|free of"
    r"|exempt\w*|restrict\w*|limit\w*)\b|n['’]t\b",
    re.IGNORECASE,
)


def _find_yes_or_no(line: str, question: str) -> Value | None:
    plain = _PLAIN_YES_NO.match(line)
    if plain:
        return _yes_no_value(plain[1].casefold() == "yes")
    if _NEGATIVE_QUESTION.search(question) or _CONDITION.search(line):
        return None
    against = len(_NEGATION.findall(line))
    if not against:
        return _yes_no_value(True) if _PERMISSION.search(line) else None
    return _yes_no_value(False) if against == 1 else None


def _yes_no_value(yes: bool) -> Value:
    return Value(Message("Yes") if yes else Message("No"), ("", float(yes)))
