"""English words that keep their full stop."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These never end a sentence: a name or a number follows.
TITLES = _words(
    "mr mrs ms messrs dr prof rev hon gen col capt cmdr lt sgt maj gov sen rep pres supt mt ft mlle mme"
)
# With a small letter or a capital one.
ANYWHERE = TITLES | _words(
    "jr sr vs etc al inc corp ltd bros dept dist assn assoc approx cf viz ca eds univ ave blvd pty plc esq"
)
# Without the capital these are words, or may be.
CAPITALISED = _words(
    "St Co Cos Est Rd Ext Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec Tue Tues Wed Thu Thurs Fri Ala Ariz "
    "Ark Calif Colo Conn Del Fla Ga Ind Kan Ky Md Mich Minn Mont Neb Nev Okla Ore Tenn Tex Va Vt Wis Wyo"
)
# Only with a number behind them.
BEFORE_NUMBERS = _words("no nos p pp vol vols fig figs ch sec art eq ed op ll c mar")

# Words that, behind an abbreviation, more likely begin a sentence than go on with a name.
SENTENCE_STARTERS = _words(
    "a about after all although an and another as at because before both but by during each even every few "
    "for from had has have he her here his how however i if in instead is it its last like many meanwhile "
    "more most my no not now of on once one only or other our perhaps she since so some still such that the "
    "their then there these they this those though through to today two under until we what when where which "
    "while who why with yesterday yet you your"
)
