"""Whether span ends are inclusive, and whether spans count Windows line ends."""

from __future__ import annotations

import pytest

from disco2.corpora.pdtb3 import OffsetEvidence, as_exclusive, text_that_fits
from disco2.records import Dirt

TEXT = "The mill turns, and a miller sings. Nobody sleeps."


def spans_of(*words: str, inclusive: bool) -> list[tuple[int, int]]:
    return [(TEXT.index(word), TEXT.index(word) + len(word) - inclusive) for word in words]


@pytest.mark.parametrize("inclusive", [True, False])
def test_the_text_tells(inclusive: bool) -> None:
    evidence = OffsetEvidence()
    evidence.add(TEXT, spans_of("The mill", "and", "a", "Nobody sleeps", inclusive=inclusive))
    assert evidence.convention == ("inclusive" if inclusive else "exclusive")
    assert "clear" in evidence.describe()


def test_spans_before_full_stops_speak_for_exclusive_ends() -> None:
    evidence = OffsetEvidence()
    evidence.add(TEXT, spans_of("miller sings", "Nobody sleeps", inclusive=False))
    assert (evidence.inclusive, evidence.exclusive, evidence.silent) == (0, 0, 2)
    assert evidence.convention == "exclusive"
    assert "no span says which" in evidence.describe()


def test_a_few_slips_do_not_turn_the_verdict() -> None:
    evidence = OffsetEvidence(inclusive=3, exclusive=2, silent=500)
    assert evidence.convention == "exclusive"
    assert "mixed" in evidence.describe()


def test_spans_outside_the_text_say_nothing() -> None:
    evidence = OffsetEvidence()
    evidence.add(TEXT, [(900, 910), (5, 5)])
    assert evidence.exclusive == 0


def test_inclusive_spans_become_exclusive() -> None:
    assert as_exclusive(((3, 7),), "inclusive") == ((3, 8),)
    assert as_exclusive(((3, 7),), "exclusive") == ((3, 7),)


def test_line_ends_are_kept_where_spans_count_them_and_dropped_where_not() -> None:
    text = "Bakers rise.\r\nMillers sleep.\r\nNobody sings.\r\n"
    dirt = Dirt()
    counted = [(text.index(word), 0) for word in ("Bakers", "Millers", "Nobody")]
    assert text_that_fits(text, counted, where="raw", dirt=dirt) == text
    assert not dirt.findings
    plain = text.replace("\r\n", "\n")
    uncounted = [(plain.index(word), 0) for word in ("Bakers", "Millers", "Nobody", "sings")]
    assert text_that_fits(text, uncounted, where="raw", dirt=dirt) == plain
    assert dirt.counts() == {"line ends not in the offsets": 1}
