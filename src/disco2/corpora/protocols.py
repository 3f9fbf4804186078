"""Which documents train, tune and test: the splits that published work uses, by name.

    own         the corpus's own parts, as its reader found them; all of it train where it has none
    gum         GUM's official parts (the same, under the name people know)
    lin         WSJ sections 2-21 train, 23 test (Lin et al., 2009; the paper's multiclass experiments)
    ji          WSJ sections 2-20 train, 0-1 dev, 21-22 test (the paper's binary experiments)
    cv12-0..11  WSJ sections, twelve folds (Shi & Demberg, 2017; Kim et al., 2020)
    documents   the documents of any corpus, shuffled by the seed: seven tenths train, one dev, two test
    cvK-i       fold i of K over the documents of any corpus, shuffled by the seed

``lin`` has no dev part: training then holds out a share of the relations. The twelve published
folds leave section 22 out of every test part and section 24 out of every dev part; within one fold the parts
never overlap. Where documents are excerpts of sources, ``documents`` and ``cvK-i`` split the sources, so that
excerpts of one source are never in two parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from disco2.errors import CorpusError, SettingsError
from disco2.records import Corpus, Relation

PARTS = ("train", "dev", "test")
SECTIONS = 25
KNOWN = "own, gum, lin, ji, documents, cv12-0 to cv12-11, or cvK-i for fold i of K over documents"
TENTHS = ("test", "test", "dev", *["train"] * 7)  # of the documents, under the protocol ``documents``

_FOLD = re.compile(r"cv(\d{1,4})-(\d{1,4})")
_WSJ = re.compile(r"wsj_(\d\d)\d\d(?!\d)", re.IGNORECASE)


def split_relations(corpus: Corpus, protocol: str, *, seed: int) -> dict[str, list[Relation]]:
    """The relations of each part, in file order.

    Train, dev and test are always there, if only as empty lists. ``seed`` only matters for folds over
    documents.
    """
    parts = document_parts(corpus, protocol, seed=seed)
    split: dict[str, list[Relation]] = {part: [] for part in PARTS}
    for relation in corpus.relations:
        part = parts.get(relation.document)
        if part is not None:
            split.setdefault(part, []).append(relation)
    return split


def document_parts(corpus: Corpus, protocol: str, *, seed: int) -> dict[str, str]:
    """The part of each document under a protocol; documents that the protocol does not use are left out."""
    name = protocol.strip().lower()
    if name in ("own", "gum"):
        return _own_parts(corpus)
    if name == "lin":
        return _by_section(corpus, name, train=range(2, 22), dev=(), test=(23,))
    if name == "ji":
        return _by_section(corpus, name, train=range(2, 21), dev=(0, 1), test=(21, 22))
    if name == "documents":
        return _by_tenths(corpus, seed=seed)
    fold = _FOLD.fullmatch(name)
    if fold is None:
        raise SettingsError(f"There is no split protocol '{protocol}'.", hint=f"Known: {KNOWN}.")
    folds, index = int(fold[1]), int(fold[2])
    if folds < 2 or index >= folds:
        raise SettingsError(
            f"The split protocol '{protocol}' names a fold that does not exist.",
            hint="Use cvK-i with K of at least 2 and i from 0 to K - 1.",
        )
    if folds == 12:
        dev, test = section_fold(index)
        rest = [section for section in range(SECTIONS) if section not in (*dev, *test)]
        return _by_section(corpus, name, train=rest, dev=dev, test=test)
    return _by_document(corpus, name, folds=folds, index=index, seed=seed)


def section_fold(index: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The dev and test sections of one of the twelve folds over WSJ sections."""
    first = 2 * index
    return (first, first + 1), ((first + 23) % SECTIONS, (first + 24) % SECTIONS)


def wsj_section(document: str) -> int | None:
    """The section of a Wall Street Journal document: the two digits after ``wsj_``."""
    match = _WSJ.search(document)
    return None if match is None else int(match[1])


def _own_parts(corpus: Corpus) -> dict[str, str]:
    if not corpus.parts:
        return dict.fromkeys(corpus.documents, "train")
    lost = [document for document in corpus.documents if document not in corpus.parts]
    if lost:
        raise CorpusError(
            f"{len(lost)} documents of the corpus '{corpus.name}' belong to no part, such as '{lost[0]}'.",
            hint="Give every document a part, or use folds over documents, such as cv5-0.",
        )
    return {document: corpus.parts[document] for document in corpus.documents}


def _by_section(
    corpus: Corpus, protocol: str, *, train: Sequence[int], dev: Sequence[int], test: Sequence[int]
) -> dict[str, str]:
    of_section = {
        section: part
        for part, sections in zip(PARTS, (train, dev, test), strict=True)
        for section in sections
    }
    parts: dict[str, str] = {}
    for document in corpus.documents:
        section = wsj_section(document)
        if section is None:
            raise CorpusError(
                f"The protocol '{protocol}' splits by WSJ sections, and the document '{document}' is not"
                " called wsj_ and four digits.",
                hint="Use own, or folds over documents such as cv5-0 or cv10-0.",
            )
        if section in of_section:
            parts[document] = of_section[section]
    return parts


def _by_document(corpus: Corpus, protocol: str, *, folds: int, index: int, seed: int) -> dict[str, str]:
    """Fold ``index`` tests, the next one tunes, the rest train; with two folds nothing is left for tuning.

    The order is one of hashes, so that the folds are the same on every machine.
    """
    shuffled = _shuffled(corpus, seed=seed)
    if len(shuffled) < folds:
        raise CorpusError(
            f"{len(shuffled)} documents can't be dealt into {folds} folds.",
            hint="Use fewer folds than there are documents.",
        )
    roles = {index: "test"} if folds == 2 else {(index + 1) % folds: "dev", index: "test"}
    part_of = {name: roles.get(place % folds, "train") for place, name in enumerate(shuffled)}
    return {document: part_of[_source(corpus, document)] for document in corpus.documents}


def _by_tenths(corpus: Corpus, *, seed: int) -> dict[str, str]:
    shuffled = _shuffled(corpus, seed=seed)
    if len(shuffled) <= TENTHS.index("train"):
        raise CorpusError(
            f"{len(shuffled)} documents are too few for train, dev and test parts.",
            where=corpus.name,
            hint="Use own, or folds over documents such as cv2-0.",
        )
    part_of = {name: TENTHS[place % len(TENTHS)] for place, name in enumerate(shuffled)}
    return {document: part_of[_source(corpus, document)] for document in corpus.documents}


def _shuffled(corpus: Corpus, *, seed: int) -> list[str]:
    """The documents, or the sources they are excerpts of, in the order of a hash of seed and name."""
    names = {_source(corpus, document) for document in corpus.documents}
    return sorted(names, key=lambda name: (sha256(f"{seed}:{name}".encode()).digest(), name))


def _source(corpus: Corpus, document: str) -> str:
    return corpus.groups.get(document, document)
