"""The role-pair corpus: nothing but the chain tells the sense, and all its layers fit."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import FILES, PARTS, SENSES, WORDS, read_role_pairs, write_role_pairs
from disco2.data import Corpus, Document, Relation
from disco2.errors import CorpusError, Disco2Error, InputError
from disco2.files import HIDDEN_LIST

CAUSE, CONCESSION = SENSES["recipient"], SENSES["giver"]
_WORDS = tomllib.loads(WORDS.read_text())
GIVES, TAKES = (
    {verb[form] for part in _WORDS["verbs"][way].values() for verb in part for form in ("past", "participle")}
    for way in ("giving", "taking")
)
NAMES = {name for parts in _WORDS["names"].values() for names in parts.values() for name in names.split()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_role_pairs(tmp_path_factory.mktemp("roles") / "corpus", size=1000, seed=5)


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return read_role_pairs(folder)


def shared_chains(relation: Relation, document: Document) -> list[list[tuple[int, int]]]:
    """The mentions of each chain that both arguments speak of."""
    chains: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for mention in document.mentions or ():
        chains[mention.chain].append((mention.start, mention.end))
    boundary = relation.arg2.tokens[0]
    return [
        spans
        for spans in chains.values()
        if any(start < boundary for start, _ in spans) and any(start >= boundary for start, _ in spans)
    ]


def antecedent(relation: Relation, document: Document) -> str:
    """The name in the one shared chain that has a name."""
    names = [
        document.tokens[start].text
        for spans in shared_chains(relation, document)
        for start, _ in spans
        if document.tokens[start].text in NAMES
    ]
    assert len(names) == 1
    return names[0]


def recipient_by_hand(words: list[str]) -> str:
    """Who got the thing, told from the words alone: a slow reading of every construction there is."""
    first, second = (word for word in words if word in NAMES)
    before = {word: words[words.index(word) - 1].lower() for word in (first, second)}
    if any(word in GIVES for word in words):
        for name in (first, second):
            if before[name] == "to":
                return name
            if before[name] == "by":
                return first if name == second else second
        return second  # two objects, active
    assert any(word in TAKES for word in words)
    return second if before[first] == "from" else first


def test_sizes_and_balance(corpus: Corpus) -> None:
    assert Counter(corpus.parts.values()) == {"train": 1000, "dev": 200, "test": 200}
    for part in PARTS:
        senses = Counter(r.senses for r in corpus.relations if corpus.parts[r.document] == part)
        assert senses[(CAUSE,)] == senses[(CONCESSION,)]
    assert corpus.inventory == "pdtb3"
    assert corpus.issues.findings == []


def test_the_same_sentences_occur_once_with_either_sense_in_one_part(corpus: Corpus) -> None:
    groups: dict[tuple[str, str], list[Relation]] = defaultdict(list)
    for relation in corpus.relations:
        groups[relation.arg1.text, relation.arg2.text].append(relation)
    for relations in groups.values():
        assert sorted(relation.senses for relation in relations) == [(CONCESSION,), (CAUSE,)]
        assert len({corpus.parts[relation.document] for relation in relations}) == 1
        one, other = (corpus.documents[relation.document] for relation in relations)
        assert one.tokens == other.tokens
        assert one.sentences == other.sentences
        assert one.mentions != other.mentions


def test_one_person_is_shared_and_decides_the_sense(corpus: Corpus) -> None:
    for relation in corpus.relations:
        document = corpus.documents[relation.document]
        person = antecedent(relation, document)
        recipient = recipient_by_hand(document.words(relation.arg1.tokens))
        assert relation.senses == ((CAUSE,) if person == recipient else (CONCESSION,)), relation.arg1.text
        # The only other chain is the thing's, where a pronoun takes it up.
        pronouns = {"it", "them"} & set(document.words(relation.arg2.tokens))
        assert len(shared_chains(relation, document)) == 1 + len(pronouns)


def test_names_and_verbs_are_held_out(corpus: Corpus) -> None:
    words: dict[str, set[str]] = defaultdict(set)
    for relation in corpus.relations:
        document = corpus.documents[relation.document]
        words[corpus.parts[relation.document]].update(document.words(relation.arg1.tokens))
    for one, other in combinations(PARTS, 2):
        assert not words[one] & words[other] & (NAMES | GIVES | TAKES)
    for part in PARTS:
        assert words[part] & GIVES
        assert words[part] & TAKES


def test_the_same_bytes_in_every_version(tmp_path: Path) -> None:
    """Published figures are of these pairs."""
    folder = write_role_pairs(tmp_path / "corpus", size=400, seed=9)
    hashes = [sha256((folder / name).read_bytes()).hexdigest()[:12] for name in FILES]
    assert hashes == ["c773ad252023", "d52f7804fd2f", "29b1eb502bf6", "0fd85b382939"]


def test_an_earlier_corpus_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    target = write_role_pairs(tmp_path / "corpus", size=10, seed=1)
    before = (target / FILES[0]).read_bytes()
    write_role_pairs(target, size=10, seed=2)
    assert (target / FILES[0]).read_bytes() != before
    (target / "notes.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(InputError, match=r"its own: notes\.txt"):
            write_role_pairs(target, size=10, seed=1, force=force)
    assert {path.name for path in target.iterdir()} == {*FILES, HIDDEN_LIST.name, "notes.txt"}


@pytest.mark.parametrize("size", [0, -10, 15, 1_000_000])
def test_impossible_sizes(tmp_path: Path, size: int) -> None:
    with pytest.raises(CorpusError, match="can't have"):
        write_role_pairs(tmp_path / "corpus", size=size)


def test_damaged_corpora(tmp_path: Path) -> None:
    with pytest.raises(Disco2Error):
        read_corpus("role-pairs", tmp_path)
    for name in FILES:
        target = write_role_pairs(tmp_path / name / "corpus", size=10)
        lines = (target / name).read_text().splitlines(keepends=True)
        (target / name).write_text("".join(lines[: len(lines) // 2]))
        with pytest.raises(Disco2Error):
            read_corpus("role-pairs", target)
