"""Make documents from layers, and add layers to documents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from disco2.annotation.alignment import ANCHOR, TextMatcher, align_tokens, fit_sentences
from disco2.annotation.coreference import CoreferenceDocument
from disco2.annotation.text import PARAGRAPH_BREAK, tokenise
from disco2.annotation.treebanks import BracketedSentence, ConlluSentence, unescape
from disco2.data import Constituents, Dependencies, Document, Mention, ReadIssues, Sentence, Token
from disco2.data.records import depths_below_root, head_of_span, single_rooted
from disco2.errors import LayerError


def document_from_trees(
    document_id: str, text: str, trees: Sequence[BracketedSentence], *, where: str, issues: ReadIssues
) -> Document:
    """A document with the tokens, sentences, tags and phrases of trees, located in the raw text.

    Text without a tree that fits is split by rule and has no phrases, with a finding. Raises LayerError if
    no tree fits.
    """
    matcher = TextMatcher(text)
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    behind = matcher.offset  # all text before it is in the document already

    def add_gap(end: int, place: str) -> None:
        """Split the text up to the next tree by rule, if it is not blank."""
        gap = text[behind:end]
        if not gap.strip():
            return
        issues.add(
            "text without a tree",
            place,
            f"'{' '.join(gap.split())[:60]}' has no tree; it was split by rule and has no phrases.",
        )
        for split in tokenise(gap):
            first = len(tokens)
            tokens.extend(replace(one, start=one.start + behind, end=one.end + behind) for one in split)
            sentences.append(Sentence(first, len(tokens)))

    for index, tree in enumerate(trees):
        place = f"{where}:{tree.line}"
        spans, failed = matcher.match(tree.words)
        if spans is None and matcher.find(_anchor(trees, index), offset=behind):
            spans, failed = matcher.match(tree.words)
        if spans is None:
            issues.add(
                "tree does not fit its text",
                place,
                f"The word '{tree.words[failed]}' is not in the text near '{matcher.next_text()}'; "
                "the tree was left out.",
            )
            matcher.move_to(behind)
            continue
        add_gap(spans[0][0], place)
        first = len(tokens)
        for (start, end), tag in zip(spans, tree.constituents.tags, strict=True):
            tokens.append(Token(unescape(text[start:end]), start, end, tag))
        sentences.append(Sentence(first, len(tokens), tree.constituents))
        behind = matcher.offset
    if trees and not sentences:
        raise LayerError(
            "No tree fits the text.", where=where, hint="Check that the trees belong to this text."
        )
    add_gap(len(text), where)
    return Document(document_id, text, tuple(tokens), tuple(sentences))


def with_constituents(
    document: Document, trees: Sequence[BracketedSentence], *, where: str, issues: ReadIssues
) -> Document:
    """Add phrases to the sentences of a document; if the tokens differ, they are matched by characters.

    A sentence without a tree over the same words stays unchanged and gives a finding. Tokens without a tag
    get the tree's.
    """
    sentences: list[Sentence] = []
    for sentence, tree, ranges in fit_sentences(document, trees):
        if tree is None:
            _report_misfit("tree", document, sentence, where=where, issues=issues)
        else:
            phrases = tree.constituents
            if ranges is not None:
                phrases = project_constituents(phrases, [first for first, _ in ranges])
            sentence = replace(sentence, constituents=phrases)
        sentences.append(sentence)
    return replace(document, tokens=_with_tags(document, sentences), sentences=tuple(sentences))


def with_dependencies(
    document: Document, conllu_sentences: Sequence[ConlluSentence], *, where: str, issues: ReadIssues
) -> Document:
    """Add dependencies to the sentences of a document; if the tokens differ, they are matched by characters.

    A sentence that is not in the file, or has no heads there, stays unchanged and gives a finding.
    """
    sentences: list[Sentence] = []
    for sentence, found, ranges in fit_sentences(document, conllu_sentences):
        if found is None or (parse := found.dependencies) is None:
            _report_misfit("dependencies", document, sentence, where=where, issues=issues)
        else:
            parse = parse if ranges is None else project_dependencies(parse, ranges)
            sentence = replace(sentence, dependencies=parse)
        sentences.append(sentence)
    return replace(document, sentences=tuple(sentences))


def _report_misfit(
    layer: str, document: Document, sentence: Sentence, *, where: str, issues: ReadIssues
) -> None:
    words = " ".join(document.words(range(sentence.start, min(sentence.end, sentence.start + 8))))
    what = f"The sentence of {document.id} that begins '{words}' has no {layer} that fits it."
    issues.add(f"sentence without {layer}", where, what)


def with_mentions(
    document: Document, coreference: CoreferenceDocument, *, where: str, issues: ReadIssues
) -> Document:
    """Add mentions to a document; add trees and dependencies first, because heads come from them.

    A mention whose words are not in the document at that position is left out, with a finding.
    """
    places = align_tokens([token.text for token in document.tokens], coreference.words)
    found = [(at, *place) for at, place in enumerate(places) if place is not None]
    placed = [at for at, _, _ in found]
    # Words without a position that are not punctuation.
    lacking = [
        at
        for at, (word, place) in enumerate(zip(coreference.words, places, strict=True))
        if place is None and any(map(str.isalnum, word))
    ]
    heads: dict[tuple[int, int], int] = {}
    mentions: dict[tuple[int, int, str], Mention] = {}
    for first, last, chain in coreference.spans:
        begin, behind = bisect_left(placed, first), bisect_left(placed, last)
        if begin == behind or bisect_left(lacking, first) < bisect_left(lacking, last):
            words = " ".join(coreference.words[first : min(last, first + 80)])[:80]
            issues.add(
                "mention does not fit",
                where,
                f"'{words}', of chain {chain}, has words that {document.id} does not have there; "
                "it was left out.",
            )
            continue
        start, end = found[begin][1], found[behind - 1][2]
        if (start, end) not in heads:
            heads[start, end] = head_of_span(document, start, end)
        mentions[start, end, chain] = Mention(start, end, heads[start, end], chain)
    in_order = sorted(mentions.values(), key=lambda mention: (mention.start, -mention.end))
    return replace(document, mentions=tuple(in_order))


def _anchor(trees: Sequence[BracketedSentence], index: int) -> list[str]:
    """Enough words from a tree on to find its position in the text."""
    words: list[str] = []
    for tree in trees[index : index + 5]:
        words.extend(tree.words)
        if sum(map(len, words)) >= ANCHOR:
            break
    return words


def _with_tags(document: Document, sentences: Sequence[Sentence]) -> tuple[Token, ...]:
    """The tokens; those without a tag get their tree's."""
    if all(token.tag for token in document.tokens):
        return document.tokens
    tokens = list(document.tokens)
    for sentence in sentences:
        if sentence.constituents is not None:
            for index, tag in enumerate(sentence.constituents.tags, start=sentence.start):
                if not tokens[index].tag:
                    tokens[index] = replace(tokens[index], tag=tag)
    return tuple(tokens)


def document_as_written(
    document_id: str, parses: Sequence[ConlluSentence], *, words: Sequence[str] | None = None
) -> Document:
    """A document from CoNLL-U sentences, whose text has their spaces and paragraphs.

    ``words`` replaces the forms of all tokens.
    """
    if words is None:
        words = [word for parse in parses for word in parse.words]
    gaps = ["" if glued else " " for parse in parses for glued in parse.glued]
    ends = [*accumulate([len(parse.words) for parse in parses], initial=0)]
    for parse, first in zip(parses, ends, strict=False):
        if parse.opens_paragraph and first:
            gaps[first - 1] = PARAGRAPH_BREAK
    pieces = [piece for pair in zip(words, gaps, strict=True) for piece in pair][:-1]
    offsets = [*accumulate(map(len, pieces), initial=0)]
    tags = [tag for parse in parses for tag in parse.tags]
    tokens = tuple(map(Token, words, offsets[0::2], offsets[1::2], tags))
    sentences = tuple(map(Sentence, ends[:-1], ends[1:]))
    return Document(document_id, "".join(pieces), tokens, sentences)


# Projection: trees and dependencies over other tokens of the same characters.


def join_constituents(trees: Sequence[Constituents]) -> Constituents:
    """One tree over the words of all trees; several are joined under a ROOT."""
    if len(trees) == 1:
        return trees[0]
    tags = [tag for tree in trees for tag in tree.tags]
    labels, starts, ends, parents = ["ROOT"], [0], [len(tags)], [-1]
    shift = 0
    for tree in trees:
        first = len(labels)
        labels.extend(tree.labels)
        starts.extend(start + shift for start in tree.starts)
        ends.extend(end + shift for end in tree.ends)
        parents.extend(parent + first if parent >= 0 else 0 for parent in tree.parents)
        shift += len(tree.tags)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tuple(tags))


def project_constituents(tree: Constituents, owners: Sequence[int]) -> Constituents:
    """The tree over other tokens; ``owners[i]``, ascending, is the tree's word in which token i begins.

    A phrase covers the tokens that begin in its words, so phrases stay nested; phrases without tokens are
    removed.
    """
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    new_index: dict[int, int] = {}
    for node, label in enumerate(tree.labels):
        start = bisect_left(owners, tree.starts[node])
        end = bisect_left(owners, tree.ends[node])
        if node == 0:
            start, end = 0, len(owners)
        if start == end:
            continue
        new_index[node] = len(labels)
        labels.append(label)
        starts.append(start)
        ends.append(end)
        parents.append(new_index[tree.parents[node]] if node else -1)
    tags = tuple(tree.tags[owner] for owner in owners)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tags)


def project_dependencies(parse: Dependencies, ranges: Sequence[tuple[int, int]]) -> Dependencies:
    """The parse over other tokens; token i consists of the words ``ranges[i]``.

    A token of several words has the head of the highest of them, so there are no cycles. The tokens of one
    word are attached to the last of them, as ``flat``. A token with an empty range is punctuation that the
    parse lacks; it is attached to the word at its position. There is one root.
    """
    heads, labels = parse.heads, parse.labels
    depths = depths_below_root(heads)
    token_of = {word: token for token, (first, last) in enumerate(ranges) for word in range(first, last)}

    new_heads: list[int] = []
    new_labels: list[str] = []
    for token, (first, last) in enumerate(ranges):
        words = [word for word in range(first, last) if token_of[word] == token]
        if not words:
            new_heads.append(token_of[first])
            new_labels.append("flat" if first < last else "punct")
            continue
        word = min(words, key=lambda word: depths[word])
        head = heads[word]
        while head >= 0 and head not in token_of:  # a word without a token
            head = heads[head]
        new_heads.append(token_of[head] if head >= 0 else -1)
        new_labels.append(labels[word])
    return single_rooted(new_heads, new_labels)
