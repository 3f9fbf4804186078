"""The relations that entities turned right and wrong, as the page's template needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from disco2.reporting.findings import Turned
from disco2.reporting.page.ids import Ids
from disco2.reporting.page.mention_marks import marked

SHOWN = 10  # of each list; the others can be unfolded


@dataclass(frozen=True, slots=True)
class TurnedView:
    """``unmarked`` are shared entities whose mentions could not be found in the text."""

    relation: str
    first: Markup
    second: Markup
    gold: str
    before: str
    after: str
    seeds: str
    unmarked: list[str]


@dataclass(frozen=True, slots=True)
class TurnedList:
    id: str
    title: str
    shown: list[TurnedView]
    more: list[TurnedView]


def turned_view(turned: Sequence[Turned], ids: Ids) -> list[TurnedList]:
    """Two lists, right before wrong; none where nothing was turned."""
    lists = []
    for title, right in (("Turned right", True), ("Turned wrong", False)):
        views = [_view(one) for one in turned if one.right is right]
        if turned:
            lists.append(TurnedList(ids.fresh(title), f"{title}: {len(views)}", views[:SHOWN], views[SHOWN:]))
    return lists


def _view(turned: Turned) -> TurnedView:
    numbered = list(enumerate(turned.entities, start=1))
    first, in_first = marked(
        turned.first, [(number, text) for number, sides in numbered for text in sides[0]]
    )
    second, in_second = marked(
        turned.second, [(number, text) for number, sides in numbered for text in sides[1]]
    )
    return TurnedView(
        relation=turned.relation,
        first=first,
        second=second,
        gold=" or ".join(turned.gold),
        before=turned.before,
        after=turned.after,
        seeds=f"{turned.seeds[0]} of {turned.seeds[1]} seeds" if turned.seeds else "",
        unmarked=[
            " = ".join(dict.fromkeys((*sides[0], *sides[1])))
            for number, sides in numbered
            if number not in in_first & in_second
        ],
    )
