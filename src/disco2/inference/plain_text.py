"""What may be given as text, how it is decoded, what annotators see of it, and whether it is English."""

from __future__ import annotations

import codecs
import re

from disco2.errors import InputError

# Annotators were never trained on these and some stumble over them; a space keeps every offset where it was.
_SPACES = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 133), *range(134, 160)), " ")


def check_text(text: object, *, where: str = "") -> str:
    """The text itself; InputError where it is no text, or holds what no text file can hold."""
    if not isinstance(text, str):
        raise InputError(f"A text is needed, not {type(text).__name__}.", where=where)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        what = f"Character {error.start} of the text, U+{ord(text[error.start]):04X}, is half of a character."
        hint = "Decode the text with the encoding it was written in."
        raise InputError(what, where=where, hint=hint) from None
    return text


def without_controls(text: str) -> str:
    """The text with spaces for control characters such as NUL; its length does not change."""
    return text.translate(_SPACES)


def has_word(text: str) -> bool:
    """Whether any character is a letter or a digit, in whatever script."""
    return any(map(str.isalnum, text))


UTF_8, NEWLINE = "utf-8", b"\n"
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by the mark they begin with


def decoded(data: bytes, *, encoding: str = UTF_8, where: str = "") -> str:
    """The text, its line ends kept, a byte order mark removed. InputError where the encoding does not fit.

    What begins with the mark of UTF-16 is read as that, unless another encoding is asked for.
    """
    name = _UTF16.get(data[:2], encoding) if encoding == UTF_8 else encoding
    check_encoding(name)
    try:
        return data.decode(name).removeprefix("\ufeff")
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        what = f"The text is not {name}: {error}, line {data.count(NEWLINE, 0, start) + 1}."
        hint = "Give the encoding it was written in, such as: --encoding latin-1"
        raise InputError(what, where=where, hint=hint) from None


def check_encoding(encoding: str) -> None:
    """Raise InputError if there is no encoding of that name, or none for texts."""
    try:
        b"a".decode(encoding)  # without a byte, Python would not look
    except UnicodeError:
        return
    except (LookupError, ValueError):
        raise InputError(f"There is no encoding '{encoding}'.", hint="Try utf-8 or latin-1.") from None


class LanguageWarning(UserWarning):
    """A text does not look like English."""


NOT_ENGLISH = "The text does not look like English, the only language that disco2 was trained on."
_LOOKED_AT = 20_000  # characters
_OTHER_SCRIPTS = 0.3  # share of letters that are not Latin
_LAST_LATIN = "\u024f"
_ENOUGH_WORDS = 40  # without any function word of English, whatever the language
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?:]\W*$")
# Function words of English that are rare in other languages, then those that are common in some.
_ENGLISH = frozenset(
    """the and of with that this it they you his were are have has been from which who would but your their
    there what when because into about out said she if not than can could them then some all more just like
    don doesn isn""".split()  # noqa: SIM905
)
_SHARED = frozenset("a an as at be by do for had he her i in is me my no on or so to up was we will".split())  # noqa: SIM905
# Function words of other languages in Latin script that are no words of English.
_FOREIGN = frozenset(
    """und der das ist nicht mit ein eine einen ich wir auf dem zu sie es von für sich auch wird
    le la les des est une un et dans pour que qui je nous pas du elle sont avec ce cette ne se
    el los las y por una con del su como más pero il di che è non sono siamo della gli lo nel
    os da em um uma não dos na ao het een niet ik zijn dat voor maar och det att som på jeg ikke og til
    av är inte ett vi af på ja ei että hän mutta oli siellä w z się jest nie że był ona
    je že na jsem byl az és egy nem hogy volt și este nu pe bir ve bu için çok değil da de
    yang dan tidak ini dengan itu untuk ke saya ang ng mga si và là của không""".split()  # noqa: SIM905
)


def text_warnings(text: str) -> list[str]:
    """What a reader of the answers should know about a text; empty for English."""
    return [] if looks_english(text[:_LOOKED_AT]) else [NOT_ENGLISH]


def looks_english(text: str) -> bool:
    """Whether a text may be English; in doubt, as for headlines and names, it is.

    Other scripts are told by their letters. In Latin script, function words and accented words of other
    languages count against those of English. Capitalised words count only at the beginning of a sentence and
    beside others: elsewhere they are names ("La La Land").
    """
    letters = [one for one in text if one.isalpha()]
    if sum(one > _LAST_LATIN for one in letters) > _OTHER_SCRIPTS * len(letters):
        return False
    words = english = shared = foreign = openings = 0
    for match in _WORD.finditer(text):
        word = match[0].lower()
        words += 1
        english += word in _ENGLISH
        shared += word in _SHARED
        if word in _FOREIGN or not word.isascii():
            foreign += match[0].islower()
            place = match.start()
            opens = not place or _SENTENCE_END.search(text, max(0, place - 5), place) is not None
            openings += match[0].istitle() and opens
    if words >= _ENOUGH_WORDS and not english and not shared:
        return False
    return not foreign or foreign + openings < 2 or foreign + openings <= 2 * english
