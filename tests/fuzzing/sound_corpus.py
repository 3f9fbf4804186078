"""What a corpus must be like that a reader gave out: what all other rooms rely on."""

from __future__ import annotations

from disco2.data import WITHOUT_SENSE, Argument, Corpus, Document, Relation
from disco2.data.senses import inventory
from tests.fuzzing.sound import check_constituents, check_document

SOME, MANY = 50, 10_000


def check_corpus(corpus: Corpus) -> None:
    """Sound documents, relations that lie inside them, senses that the inventory knows, plain text."""
    for number, (name, document) in enumerate(corpus.documents.items()):
        assert document.id == name
        _check_layers(document)
        if number < SOME and len(document.tokens) < MANY:  # the slow check
            check_document(document)
    for relation in corpus.relations:
        document = corpus.documents[relation.document]
        for argument in (relation.arg1, relation.arg2):
            _check_argument(argument, document)
        _check_tokens(relation.connective_tokens, document)
        _check_senses(relation, corpus)
        for text in (relation.id, relation.connective, relation.where):
            text.encode("utf-8", errors="strict" if text != relation.where else "surrogateescape")
    assert corpus.parts.keys() <= corpus.documents.keys()
    for finding in corpus.dirt.findings:
        assert finding.kind
        assert finding.detail
        f"{finding.where} {finding.detail}".encode(errors="surrogateescape")


def _check_layers(document: Document) -> None:
    document.text.encode("utf-8")
    starts = [token.start for token in document.tokens]
    ends = [token.end for token in document.tokens]
    assert starts == sorted(starts), "tokens are not in the text's order"
    assert ends == sorted(ends), "a token ends before the one before it"
    for token in document.tokens:
        assert token.text
        assert 0 <= token.start < token.end <= len(document.text)
    for sentence in document.sentences:
        assert sentence.start < sentence.end
        if sentence.constituents is not None:
            check_constituents(sentence.constituents, len(sentence))


def _check_argument(argument: Argument, document: Document) -> None:
    assert argument.tokens
    argument.text.encode("utf-8")
    assert argument.text.strip(), "an argument with tokens and without text"
    _check_tokens(argument.tokens, document)


def _check_tokens(tokens: tuple[int, ...], document: Document) -> None:
    assert list(tokens) == sorted(set(tokens))
    assert not tokens or 0 <= tokens[0] <= tokens[-1] < len(document.tokens)


def _check_senses(relation: Relation, corpus: Corpus) -> None:
    known = inventory(corpus.inventory)
    assert len(set(relation.senses)) == len(relation.senses)
    assert all(sense.strip() for sense in relation.senses)
    if not known.is_free:
        assert set(relation.senses) <= set(known.all_senses)
        assert not (relation.kind in WITHOUT_SENSE and relation.senses), "a sense where there can't be one"
