"""Chains as coreferee keeps them in ``doc._.coref_chains``, which is declared here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spacy.tokens import Doc

if not Doc.has_extension("coref_chains"):
    Doc.set_extension("coref_chains", default=None)

# token indexes of each mention of each chain; the first of a mention is its root
Chains = list[list[list[int]]]


@dataclass
class LookAlikeMention:
    """As coreferee 1.5's Mention."""

    token_indexes: list[int]
    root_index: int


@dataclass
class LookAlikeChain:
    """As coreferee 1.5's Chain."""

    mentions: list[LookAlikeMention]
    index: int

    def __iter__(self) -> Iterator[LookAlikeMention]:
        return iter(self.mentions)


@dataclass
class LookAlikeHolder:
    """As coreferee 1.5's ChainHolder."""

    chains: list[LookAlikeChain] = field(default_factory=list)

    def __iter__(self) -> Iterator[LookAlikeChain]:
        return iter(self.chains.copy())

    def __len__(self) -> int:
        return len(self.chains)


def look_alike_chains(chains: Chains) -> LookAlikeHolder:
    return LookAlikeHolder(
        [
            LookAlikeChain([LookAlikeMention(mention, mention[0]) for mention in chain], index)
            for index, chain in enumerate(chains)
        ]
    )
