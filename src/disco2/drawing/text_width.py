"""How wide a text will be in Helvetica, Arial or a typeface that was made to their measure."""

from __future__ import annotations

import unicodedata

# Of the characters from space to tilde, in thousandths of the type size.
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_WIDE, _OTHER = 1000, 640
_BOLD = 1.08
_MARGIN = 1.03  # typefaces differ a little


def text_width(text: str, *, size: float, bold: bool = False) -> float:
    """An estimate that is rather too large than too small."""
    thousandths = sum(map(_character_width, text))
    return thousandths / 1000 * size * _MARGIN * (_BOLD if bold else 1)


def _character_width(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):  # drawn onto other characters, or not at all
        return 0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]  # é is as wide as e
    return _ASCII[ord(base) - 32] if 32 <= ord(base) < 127 else _WIDE if code >= 0x2E80 else _OTHER
