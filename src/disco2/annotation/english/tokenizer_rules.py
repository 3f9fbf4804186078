"""The rules of spaCy's tokenizer, changed to cut English text as GUM does.

GUM follows the newer practice of English treebanks: hyphens and slashes inside words are tokens of their own
(``eye - tracking``), but for prefixes (``non-profit``, ``co-founder``); clitics and fused words are parted
(``do n't``, ``gon na``); abbreviations and the numbers of list items keep their full stop.

spaCy is imported here: import this module only where a pipeline is made.
"""

from __future__ import annotations

import re

from spacy.attrs import ORTH
from spacy.lang.char_classes import ALPHA, ALPHA_LOWER, ALPHA_UPPER, HYPHENS, LIST_ICONS
from spacy.lang.en.punctuation import TOKENIZER_INFIXES as ENGLISH_INFIXES
from spacy.lang.en.tokenizer_exceptions import TOKENIZER_EXCEPTIONS as ENGLISH_EXCEPTIONS
from spacy.lang.punctuation import TOKENIZER_PREFIXES, TOKENIZER_SUFFIXES
from spacy.lang.tokenizer_exceptions import URL_MATCH
from spacy.tokenizer import Tokenizer
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex
from spacy.vocab import Vocab

from disco2.annotation.tokenise import ANYWHERE, CAPITALISED


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Behind these a hyphen is part of the word.
PREFIXES = _words(
    "ante anti bi bio co counter cross cyber de e ex extra hm inter intra m macro mega meta micro mid mini "
    "mm multi non over post pre pro proto pseudo re semi socio sub super trans tri u uh ultra un uni vice"
)
# Before these a hyphen is part of the word.
SUFFIXES = ("esque", "wise")

# Words that are written as one and parted in the treebank.
FUSED = _words("wan|na Wan|na lot|ta Lot|ta out|ta Out|ta ought|a")
# spaCy takes these for contractions without their apostrophe, for emoticons, or as wholes.
NOT_EXCEPTIONS = _words("id Id wed Wed and/or (=")
_NUMBER_OR_CLOSING_BRACKET = re.compile(r"[)\]].*|\D?\d\D?|\d\D\d|8-.|.-?8")
ABBREVIATIONS = _words(
    "cf. e.g. i.e. ca. approx. vol. vols. Vol. Vols. pp. Fig. Figs. Eq. Eqs. ed. eds. Ed. Eds. div. "
    "Ph.D. M.Sc. B.Sc. M.A. B.A. n.d. yr. yrs. St. Ave."
)
MORE_WHOLES = ("s/he", "S/he", "c/o", "w/o", "w/")

_STOPPED_NUMBER = re.compile(r"\A(?:\d{1,3}\.)+(?=\s)")
_STOPPED_BEFORE_NUMBER = re.compile(r"\b(?:Nos?|nos?|Art|Sec|Ch|ch)\.(?=\s\d)")

_VARIANT = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
_WHOLE = re.compile(
    r"""(?x)
    (?:\+?1-)?(?:\d{3}-)?\d{3}-\d{4}       # a telephone number
    | ['’]?\d*0['’]s | ['’]\d\ds?           # the 80's, the summer of '69
    | [^\W\d_]+\(e?s\)                     # spouse(s)
    """  # noqa: RUF001  typographic apostrophes
)


def gum_tokenizer(vocab: Vocab) -> Tokenizer:
    """spaCy's tokenizer with GUM's rules."""
    return Tokenizer(
        vocab,
        rules=_exceptions(),
        prefix_search=compile_prefix_regex(_prefixes()).search,
        suffix_search=compile_suffix_regex(_suffixes()).search,
        infix_finditer=compile_infix_regex(_infixes()).finditer,
        token_match=_WHOLE.fullmatch,
        url_match=URL_MATCH,
    )


def stopped_spans(paragraph: str) -> list[tuple[int, int]]:
    """Where a full stop belongs to its word because of what stands around it: ``2.1.`` opening a paragraph as
    the number of a heading or list item, ``No.`` before a number."""
    spans = [match.span() for match in _STOPPED_BEFORE_NUMBER.finditer(paragraph)]
    opening = _STOPPED_NUMBER.match(paragraph)
    return [opening.span(), *spans] if opening else spans


def _exceptions() -> dict[str, list[dict[int, str]]]:
    """Without the norms that spaCy gives them: a model must see the same word whoever cut the text."""
    exceptions = {
        whole: [{ORTH: part[ORTH]} for part in parts]
        for whole, parts in ENGLISH_EXCEPTIONS.items()
        if whole not in NOT_EXCEPTIONS and not _NUMBER_OR_CLOSING_BRACKET.fullmatch(whole)
    }
    for word in FUSED:
        exceptions[word.replace("|", "")] = [{ORTH: part} for part in word.split("|")]
    for word in [*ABBREVIATIONS, *MORE_WHOLES, *(f"{word}." for word in _abbreviations())]:
        exceptions[word] = [{ORTH: word}]
    return exceptions


def _abbreviations() -> set[str]:
    return {*CAPITALISED, *ANYWHERE, *(word.capitalize() for word in ANYWHERE)}


def _prefixes() -> list[str]:
    """A number sign belongs to the hashtag behind it."""
    return [*(_whole_icon(prefix) for prefix in TOKENIZER_PREFIXES if prefix != "#"), rf"#(?![{ALPHA}])"]


def _suffixes() -> list[str]:
    clitic = rf"(?<=[{ALPHA}])['’](?i:ve|re|ll|d|m)"  # noqa: RUF001
    negation = rf"(?<=[{ALPHA}])(?i:n)['’](?i:t)"  # noqa: RUF001
    return [
        *map(_whole_icon, TOKENIZER_SUFFIXES),
        clitic,
        negation,
        "--+",
        r"(?<=[0-9])(?i:am|pm)",
        rf"(?<=[{ALPHA_LOWER}0-9][{ALPHA_UPPER}])\.",
    ]


def _infixes() -> list[str]:
    hyphen = rf"(?<=[{ALPHA}0-9])(?:{HYPHENS})(?=[{ALPHA}])"
    kept = [_whole_icon(infix) for infix in ENGLISH_INFIXES if infix != hyphen]
    unprefixed = "".join(rf"(?<!\b{prefix})(?<!\b{prefix.capitalize()})" for prefix in PREFIXES)
    unsuffixed = rf"(?!(?i:{'|'.join(SUFFIXES)})\b)"
    return [
        r"(?:—+|--+|–+|[\[\]])",  # noqa: RUF001  dashes; square brackets
        *kept,
        rf"(?<=[{ALPHA}0-9]){unprefixed}-{unsuffixed}(?=[{ALPHA}0-9])",
        r"(?<=[0-9]),(?=[0-9]{4}|[0-9]{1,2}(?![0-9]))",
    ]


def _whole_icon(pattern: str) -> str:
    """An emoji with its skin tone, its variant, and those joined to it is one token; so is a flag."""
    if pattern not in LIST_ICONS:
        return pattern
    return rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|{pattern}{_VARIANT}(?:\u200d{pattern}{_VARIANT})*)"
