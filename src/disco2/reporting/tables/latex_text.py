r"""Any text as LaTeX that compiles under pdfTeX without further packages.

TeX's own characters are escaped, accents become commands (``\'{e}``), signs and Greek letters become
mathematics. What is left, such as a Chinese character, is named by its number, so that it is not lost.
"""

from __future__ import annotations

import unicodedata

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # the straight one is not in TeX's default encoding
}
SIGNS = {
    "−": "$-$",  # noqa: RUF001
    "–": "--",  # noqa: RUF001
    "—": "---",
    "‘": "`",  # noqa: RUF001
    "’": "'",  # noqa: RUF001
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "×": r"$\times$",  # noqa: RUF001
    "·": r"$\cdot$",
    "•": r"$\bullet$",
    "°": r"$^{\circ}$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∩": r"$\cap$",
    "∪": r"$\cup$",  # noqa: RUF001
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "√": r"$\surd$",
    "∞": r"$\infty$",
    "*": r"$\ast$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\copyright{}",
    "£": r"\pounds{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",  # noqa: RUF001
    "µ": r"$\mu$",
    "\u00a0": "~",
    "\u00ad": r"\-",
}
# By the combining character that Unicode decomposes an accented letter into.
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma "
    "tau upsilon phi chi psi omega"
)
GREEK = _GREEK.split()
GREEK_CAPITALS = {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"}
FIRST_GREEK, FIRST_GREEK_CAPITAL = ord("α"), ord("Α")  # noqa: RUF001


def latex_text(text: str) -> str:
    """The text on one line."""
    return "".join(map(_character, " ".join(unicodedata.normalize("NFC", text).split())))


def _character(character: str) -> str:
    if escape := ESCAPES.get(character) or SIGNS.get(character):
        return escape
    if " " <= character <= "\x7e":
        return character
    return _accented(character) or _greek(character) or rf"\texttt{{U+{ord(character):04X}}}"


def _accented(character: str) -> str:
    base, *accents = list(unicodedata.normalize("NFD", character))
    if len(accents) != 1 or accents[0] not in ACCENTS or not base.isascii():
        return ""
    return rf"\{ACCENTS[accents[0]]}{{{base}}}"


def _greek(character: str) -> str:
    small = ord(character) - FIRST_GREEK
    if 0 <= small < len(GREEK):
        return "o" if GREEK[small] == "omicron" else rf"$\{GREEK[small]}$"
    capital = ord(character) - FIRST_GREEK_CAPITAL
    if 0 <= capital < len(GREEK):
        name = GREEK[capital].capitalize()
        return rf"$\{name}$" if name in GREEK_CAPITALS else ""
    return ""
