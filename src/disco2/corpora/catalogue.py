"""The corpora by name: how they are read, their licences, automatic layers, and published splits.

Splits say which documents train, tune and test:

    own         the corpus's own parts, as its reader found them; all of it train if it has none
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

``HeldOutSentences`` finds training pairs that contain a sentence which models are judged on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b, sha256
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import Annotator, Layer, Layers
from disco2.annotation.text import Span, pair_spans, pair_text, tokenise
from disco2.corpora.reading import TokenSpans, find_character_spans, gc_disabled
from disco2.data import Corpus, Document, ReadIssues, Relation, Sentence
from disco2.errors import CorpusError, SettingsError

PARTS = ("train", "dev", "test")
SECTIONS = 25
WSJ_SECTIONS = {"lin": (range(2, 22), (), (23,)), "ji": (range(2, 21), (0, 1), (21, 22))}
KNOWN = "own, gum, lin, ji, documents, cv12-0 to cv12-11, or cvK-i for fold i of K over documents"
TENTHS = ("test", "test", "dev", *["train"] * 7)  # of the documents, under the protocol ``documents``

_FOLD = re.compile(r"cv(\d{1,4})-(\d{1,4})")
_WSJ = re.compile(r"wsj_(\d\d)\d\d(?!\d)", re.IGNORECASE)

FEWEST_WORDS = 8  # shorter sentences, such as "I agree.", occur everywhere

_WORD = re.compile(r"[^\W_]+")


def split_relations(corpus: Corpus, protocol: str, *, seed: int) -> dict[str, list[Relation]]:
    """The relations of each part, in file order.

    Train, dev and test are always there, if only as empty lists. ``seed`` only matters for folds over
    documents.
    """
    parts = document_parts(corpus, protocol, seed=seed)
    split: dict[str, list[Relation]] = {part: [] for part in PARTS}
    for relation in corpus.relations:
        if relation.document in parts:
            split.setdefault(parts[relation.document], []).append(relation)
    return split


def document_parts(corpus: Corpus, protocol: str, *, seed: int) -> dict[str, str]:
    """The part of each document under a protocol; documents that the protocol does not use are left out."""
    name = protocol.strip().lower()
    if name in ("own", "gum"):
        return _own_parts(corpus)
    if name in WSJ_SECTIONS:
        return _by_section(corpus, name, WSJ_SECTIONS[name])
    if name == "documents":
        return _by_document(corpus, TENTHS, least=TENTHS.index("train") + 1, seed=seed)
    fold = _FOLD.fullmatch(name)
    folds, index = (int(fold[1]), int(fold[2])) if fold else (0, 0)
    if folds < 2 or index >= folds:
        raise SettingsError(
            f"Unknown split protocol '{protocol}'.", hint=f"Known: {KNOWN}, K at least 2, i from 0 to K - 1."
        )
    if folds == 12:
        dev, test = choose_sections(index)
        rest = [section for section in range(SECTIONS) if section not in (*dev, *test)]
        return _by_section(corpus, name, (rest, dev, test))
    parts = ["train"] * folds  # fold ``index`` tests, the next one tunes, unless there are only two
    if folds > 2:
        parts[(index + 1) % folds] = "dev"
    parts[index] = "test"
    return _by_document(corpus, parts, least=folds, seed=seed)


def choose_sections(index: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The dev and test sections of one of the twelve folds over WSJ sections."""
    first = 2 * index
    return (first, first + 1), ((first + 23) % SECTIONS, (first + 24) % SECTIONS)


def find_section(document: str) -> int | None:
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


def _by_section(corpus: Corpus, protocol: str, sections: Sequence[Sequence[int]]) -> dict[str, str]:
    """``sections`` are those of train, dev and test."""
    of_section = {one: part for part, some in zip(PARTS, sections, strict=True) for one in some}
    parts: dict[str, str] = {}
    for document in corpus.documents:
        section = find_section(document)
        if section is None:
            raise CorpusError(
                f"The protocol '{protocol}' splits by WSJ sections, and the document '{document}' is not"
                " called wsj_ and four digits.",
                hint="Use own, or folds over documents such as cv5-0 or cv10-0.",
            )
        if section in of_section:
            parts[document] = of_section[section]
    return parts


def _by_document(corpus: Corpus, parts: Sequence[str], *, least: int, seed: int) -> dict[str, str]:
    """Deal the documents, or the sources they are excerpts of, to the parts in turn.

    The order is that of a hash of seed and name, so that the parts are the same on every machine.
    """
    source = {document: corpus.groups.get(document, document) for document in corpus.documents}
    keys = {name: (sha256(f"{seed}:{name}".encode()).digest(), name) for name in source.values()}
    if len(keys) < least:
        raise CorpusError(
            f"{len(keys)} documents are too few for this split, which needs {least}.",
            where=corpus.name,
            hint="Use own, or fewer folds over documents, such as cv2-0.",
        )
    part_of = {
        name: parts[place % len(parts)] for place, name in enumerate(sorted(keys, key=keys.__getitem__))
    }
    return {document: part_of[source[document]] for document in corpus.documents}


def documents_with_coreference(corpus: Corpus) -> Corpus:
    """Leave out the documents without coreference annotation, as for PDTB ∩ OntoNotes.

    A document whose annotators found no two mentions of one entity stays.
    """
    kept = {name for name, one in corpus.documents.items() if one.mentions is not None}
    if not kept:
        raise CorpusError(
            f"None of {len(corpus.documents)} documents has coreference.",
            where=corpus.name,
            hint="Name the folder of the coreference files with --coref.",
        )
    note = f"{len(kept)} of {len(corpus.documents)} documents have coreference."
    return replace(corpus.only(kept), notes=(*corpus.notes, note))


class HeldOutSentences:
    """Texts whose sentences of eight or more words must not be in the training data.

    Case and punctuation don't matter, nor how a corpus splits its sentences: a sentence of one side counts as
    shared wherever its words stand in a row on the other side.
    """

    def __init__(self) -> None:
        self._runs: set[str] = set()  # eight words in a row
        self._by_opening: dict[str, set[str]] = {}  # sentences by their first eight words

    def __len__(self) -> int:
        """The number of sentences of eight or more words."""
        return sum(map(len, self._by_opening.values()))

    def add(self, document: Document) -> None:
        self._add(document.text, sentence_texts(document, document.sentences))

    def add_text(self, text: str) -> None:
        """Add a paragraph of plain text."""
        self._add(text, (text[tokens[0].start : tokens[-1].end] for tokens in tokenise(text)))

    def add_parts(self, corpus: Corpus, parts: Mapping[str, str], names: Iterable[str]) -> None:
        """Add the documents of these parts of a corpus; ``parts`` has the part of each document."""
        wanted = frozenset(names)
        for name, document in corpus.documents.items():
            if parts.get(name) in wanted:
                self.add(document)

    def add_evaluated(self, corpus: Corpus) -> None:
        """Add the dev and test parts of a corpus; all of it if it has no parts."""
        self.add_parts(corpus, corpus.parts or dict.fromkeys(corpus.documents, "test"), ("dev", "test"))

    def shares(self, relation: Relation, document: Document) -> bool:
        """Whether a sentence that an argument of the relation lies in is shared."""
        tokens = (*relation.arg1.tokens, *relation.arg2.tokens)
        places = dict.fromkeys(map(document.sentence_index, tokens))
        return any(map(self.holds, sentence_texts(document, map(document.sentences.__getitem__, places))))

    def holds(self, sentence: str) -> bool:
        words = _words(sentence)
        runs = list(_runs(words))
        if runs and self._runs.issuperset(runs):
            return True
        text = f" {' '.join(words)} "
        return any(f" {known} " in text for run in runs for known in self._by_opening.get(run, ()))

    @property
    def digest(self) -> str:
        """Tells one set of texts from another, in every process."""
        sentences = (one for some in self._by_opening.values() for one in some)
        lines = (*sorted(self._runs), "", *sorted(sentences))
        return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()

    def _add(self, text: str, sentences: Iterable[str]) -> None:
        self._runs.update(_runs(_words(text)))
        for sentence in sentences:
            words = _words(sentence)
            if opening := next(_runs(words), ""):
                self._by_opening.setdefault(opening, set()).add(" ".join(words))


def sentence_texts(document: Document, sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the texts of sentences of a document."""
    for sentence in sentences:
        if len(sentence):
            start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
            yield document.text[start:end]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[place : place + FEWEST_WORDS]) for place in range(len(words) - FEWEST_WORDS + 1))


CORPORA: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8")
)
CORPUS_NAMES = tuple(CORPORA)
_UNKNOWN_LICENCE = "that of its corpus; ask the publisher before passing the model on"


@gc_disabled()
def read_corpus(
    name: str,
    path: Path | str,
    *,
    trees: Path | str | None = None,
    coreference: Path | str | None = None,
    dependencies: Path | str | None = None,
    raw: Path | str | None = None,
    offsets: str = "auto",
) -> Corpus:
    """Read the corpus of that kind at a path.

    ``trees``, ``coreference`` and ``dependencies`` are folders with layers for the Penn Discourse Treebanks
    and CoNLL-16, ``raw`` is the folder of PDTB 2's text if it is elsewhere, and ``offsets`` says whether the
    ends of PDTB 3's spans are inclusive or exclusive. For DISRPT, ``dependencies`` holds the tokens if they
    are not beside the relations. An option that the corpus does not take raises SettingsError.
    """
    kind = known_corpus(name)
    options = {"trees": trees, "coreference": coreference, "dependencies": dependencies, "raw": raw}
    given: dict[str, Any] = {option: Path(value) for option, value in options.items() if value is not None}
    if offsets != "auto":
        given["offsets"] = offsets
    reader = kind.replace("-", "_")
    module = "pdtb" if reader.startswith("pdtb") else reader
    # Imported here, so that reading one corpus does not load the readers of all others.
    read = getattr(import_module(f"disco2.corpora.{module}"), f"read_{reader}")
    takes = signature(read).parameters.keys() & {*options, "offsets"}
    if refused := given.keys() - takes:
        raise SettingsError(
            f"The corpus '{kind}' does not take the option '{min(refused)}'.",
            hint=f"Options it takes: {', '.join(sorted(takes)) or 'none'}.",
        )
    try:
        Path(path).stat()
        corpus: Corpus = read(Path(path), **given)
    except OSError as error:
        raise CorpusError(
            f"It can't be read ({error.strerror or error}).",
            where=str(error.filename or path),
            hint=f"For '{kind}', give {CORPORA[kind]['expected']}.",
        ) from error
    return corpus


def known_corpus(name: str) -> str:
    """Find the corpus of that name; case and hyphens don't matter."""
    kinds = {kind.replace("-", ""): kind for kind in CORPUS_NAMES}
    try:
        return kinds[name.lower().replace("-", "")]
    except KeyError:
        known = ", ".join(CORPUS_NAMES)
        raise CorpusError(f"Unknown corpus '{name}'.", hint=f"Known corpora: {known}.") from None


def licence_of(corpus_name: str) -> str:
    """The licence of a model that was trained on the corpus."""
    return str(CORPORA.get(corpus_name, {}).get("licence", _UNKNOWN_LICENCE))


def licences_of_texts(corpus_name: str) -> tuple[str, ...]:
    """One line for each group of texts with its licence; empty if all have that of the corpus."""
    return tuple(CORPORA.get(corpus_name, {}).get("texts", ()))


DOCUMENTS_AT_ONCE = 16
ALL, NONE = "all", "none"


def read_layers(text: str) -> Layers:
    """The layers that a user names: ``all``, ``none``, or names with commas between them."""
    names = [name.strip().lower() for name in text.split(",")]
    if names == [NONE]:
        return frozenset()
    for name in names:
        if name not in {ALL, *Layer}:
            hint = f"Use {ALL}, {NONE}, or some of: {', '.join(Layer)}."
            raise SettingsError(f"Unknown layer '{name}'.", where="--automatic", hint=hint)
    return frozenset(Layer if ALL in names else map(Layer, names))


def usual_layers(corpus: str) -> str:
    """The layers that annotators make by default: all for a corpus of plain texts, else none."""
    return ALL if CORPORA.get(corpus, {}).get("bare") else NONE


def with_automatic_layers(
    corpus: Corpus,
    annotators: Annotator,
    layers: Layers,
    *,
    progress: Callable[[int], None] = lambda documents: None,
) -> Corpus:
    """The corpus with these layers made by annotators; the others stay as the corpus has them.

    If the tokens are new, arguments and connectives are the tokens under the same characters. A relation
    that loses an argument, because no new token lies there, is left out with a finding.
    """
    documents: dict[str, Document] = {}
    waiting = list(corpus.documents.values())
    for begin in range(0, len(waiting), DOCUMENTS_AT_ONCE):
        some = annotators.annotate(waiting[begin : begin + DOCUMENTS_AT_ONCE], layers=layers)
        documents |= {document.id: document for document in some}
        progress(len(documents))
    issues = ReadIssues(list(corpus.issues.findings))
    return replace(
        corpus,
        documents=documents,
        relations=_realigned(corpus, documents, issues) if Layer.TOKENS in layers else corpus.relations,
        issues=issues,
        automatic=tuple(layer.value for layer in Layer if layer in layers),
        annotators=annotators.name,
    )


def _realigned(corpus: Corpus, documents: Mapping[str, Document], issues: ReadIssues) -> tuple[Relation, ...]:
    relations: list[Relation] = []
    tokens = {name: TokenSpans(document) for name, document in documents.items()}
    for relation in corpus.relations:
        old, new = corpus.documents[relation.document], tokens[relation.document]
        (arg1, _), (arg2, _) = map(new.argument, _argument_spans(old, relation))
        if not arg1.tokens or not arg2.tokens:
            detail = f"No token lies under an argument of {relation.id}; it was left out."
            issues.add("argument without automatic tokens", relation.where or relation.id, detail)
            continue
        connective, _ = new.under(find_character_spans(old, relation.connective_tokens))
        relations.append(replace(relation, arg1=arg1, arg2=arg2, connective_tokens=connective))
    return tuple(relations)


def _argument_spans(document: Document, relation: Relation) -> tuple[list[Span], list[Span]]:
    """The places of the arguments: the two texts of a pair's document, else those of their tokens."""
    texts = relation.arg1.text, relation.arg2.text
    if document.text == pair_text(*texts):
        first, second = pair_spans(*texts)
        return [first], [second]
    both = relation.arg1.tokens, relation.arg2.tokens
    return find_character_spans(document, both[0]), find_character_spans(document, both[1])
