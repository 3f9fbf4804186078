"""Layers from files: brackets, CoNLL-U and coreference, each alone and all of them on a text."""

from __future__ import annotations

from disco2.annotation.coreference import (
    CoreferenceDocument,
    looks_like_ontonotes,
    parse_coreference,
    parse_ontonotes,
)
from disco2.annotation.layers import (
    document_as_written,
    document_from_trees,
    document_from_words,
    with_constituents,
    with_dependencies,
    with_mentions,
)
from disco2.annotation.treebanks import (
    _checked_heads,
    _plain_heads,
    _read_with_care,
    parse_brackets,
    parse_conllu,
)
from disco2.corpora.reading import read_text
from disco2.data import Dirt
from disco2.errors import LayerError
from tests.fuzzing.layer_files import (
    COLUMNS,
    CONLLU,
    CONLLU_OF_TEXT,
    GUM_COLUMNS,
    MARKS,
    ODD_SIGNS,
    ONTONOTES,
    TEXT,
    TREES,
)
from tests.fuzzing.sound import check_constituents, check_document
from tests.fuzzing.target import Target, scratch_folder

SEPARATOR = b"\n%%%%\n"  # between the files that lie on one text


def text_of(content: bytes) -> str:
    """The text of a file with these bytes, as readers of corpora decode it."""
    with scratch_folder() as folder:
        file = folder / "layer"
        file.write_bytes(content)
        return read_text(file, dirt=Dirt())


def read_brackets(content: bytes) -> None:
    """The quick way and the careful one give the same trees or the same fault, and the trees are trees."""
    text = text_of(content)
    try:
        with_care = _read_with_care(text.removeprefix("\ufeff"), where="f")
    except LayerError as error:
        _check_refused_alike(text, error)
        raise
    found = parse_brackets(text, where="f")
    assert found == with_care, "read quickly there are other trees"
    for tree in found:
        check_constituents(tree.constituents, len(tree.words))
    document = document_from_words("d", [tree.words for tree in found])
    check_document(with_constituents(document, found, where="f", dirt=Dirt()))


def _check_refused_alike(text: str, expected: LayerError) -> None:
    found: LayerError | None = None
    try:
        parse_brackets(text, where="f")
    except LayerError as error:
        found = error
    assert found is not None, "read quickly it is taken, read with care refused"
    assert (found.what, found.where) == (expected.what, expected.where), "read quickly it is another fault"


def read_conllu(content: bytes) -> None:
    """Plain heads are those that the careful way finds; the sentences make documents."""
    text = text_of(content)
    _compare_heads(text)
    sentences = parse_conllu(text, where="f")
    for sentence in sentences:
        assert len(sentence.words) == len(sentence.tags) == len(sentence.glued)
    words, tags = [one.words for one in sentences], [one.tags for one in sentences]
    document = document_from_words("d", words, tags=tags)
    check_document(with_dependencies(document, sentences, where="f", dirt=Dirt()))
    check_document(document_as_written("d", sentences))


def _compare_heads(text: str) -> None:
    for block in text.split("\n\n"):
        cells = [line.split("\t") for line in block.split("\n")]
        rows = [row for row in cells if len(row) == 10 and row[0].isdecimal()]
        numbers, heads = [row[0] for row in rows], [row[6] for row in rows]
        if rows and (plain := _plain_heads(numbers, heads)) is not None:
            assert plain == _checked_heads(numbers, heads, range(len(rows)), where="f")


def read_coreference(content: bytes) -> None:
    """CoNLL's, OntoGUM's and GUM's columns, or OntoNotes's own files, told apart as the corpora do it."""
    text = text_of(content)
    parse = parse_ontonotes if looks_like_ontonotes(text) else parse_coreference
    for found in parse(text, where="f", dirt=Dirt()):
        _check_chains(found)
        if all(found.words):
            document = document_from_words("d", [found.words])
            check_document(with_mentions(document, found, where="f", dirt=Dirt()))


def _check_chains(found: CoreferenceDocument) -> None:
    for start, end, chain in found.spans:
        assert 0 <= start < end <= len(found.words)
        assert chain


def read_layers_on_text(content: bytes) -> None:
    """A text with trees, dependencies and coreference that may be another text's."""
    parts = [*content.split(SEPARATOR, 3), b"", b"", b""]
    text, trees, parses, chains = map(text_of, parts[:4])
    dirt = Dirt()
    bracketed = parse_brackets(trees, where="trees")
    document = document_from_trees("d", text, bracketed, where="trees", dirt=dirt)
    check_document(document)
    parsed = parse_conllu(parses, where="parses")
    document = with_dependencies(document, parsed, where="parses", dirt=dirt)
    check_document(document)
    for found in parse_coreference(chains, where="chains", dirt=dirt)[:1]:
        document = with_mentions(document, found, where="chains", dirt=dirt)
        check_document(document)
    flat = document_from_words("d", [one.words for one in parsed])
    check_document(with_constituents(flat, bracketed, where="trees", dirt=dirt))


_CHAINS = "# begin document d\n0\tAnn\t(1)\n1\tslept\t_\n2\tBob\t(2\n3\tsang\t2)\n"

TARGETS = (
    Target(
        "brackets",
        read_brackets,
        (
            *(TREES.encode(), b"(X (Y z))", b"(NN dog)", b"(S (NP) (-NONE- *))"),
            "(NN do\u00a0g)".encode("utf-16"),
        ),
        (*MARKS, *ODD_SIGNS, *b"(-NONE- *) -SBJ =1 |PRT".split(), b"(-NONE- *)", b"(S "),
    ),
    Target(
        "conllu",
        read_conllu,
        (CONLLU.encode(), CONLLU_OF_TEXT.encode()),
        (
            *(b"\t", b"\n", b"\n\n", b"\t_\t_\t_\t_\t0\troot\t_\t_", b"SpaceAfter=No", b"# newdoc id = "),
            *(b"# text = ", *b"1-2 1.1 1-999999999 - 0 999999999999 _".split(), *ODD_SIGNS),
        ),
    ),
    Target(
        "coreference",
        read_coreference,
        (COLUMNS.encode(), GUM_COLUMNS.encode(), ONTONOTES.encode()),
        (
            *b'(7 7) (7) | ( ) - _ < person-1 TYPE="IDENT" *T*-1 -AMP- </COREF>'.split(),
            *(b"#begin document (a); part 001", b'<COREF ID="1">', b'<DOC DOCNO="a">', b'<TEXT PARTNO="1">'),
            *(b"\t", b"\n", *ODD_SIGNS),
        ),
    ),
    Target(
        "layers-on-text",
        read_layers_on_text,
        (SEPARATOR.join(part.encode() for part in (TEXT, TREES, CONLLU_OF_TEXT, _CHAINS)),),
        (SEPARATOR, *MARKS, *ODD_SIGNS, b".START"),
    ),
)
