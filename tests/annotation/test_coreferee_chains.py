"""coreferee's chains, with its own classes where it is installed and with look-alikes in any case."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

pytest.importorskip("spacy")
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from disco2.annotation import spacy_pipeline
from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.spacy_pipeline import SpacyPipeline, add_coreferee, mentions_of
from disco2.data import Mention
from tests.annotation.coreferee_look_alikes import Chains, LookAlikeHolder, look_alike_chains


def real_chains(chains: Chains) -> Any:
    model = pytest.importorskip("coreferee.data_model")
    holder = model.ChainHolder()
    for index, chain in enumerate(chains):
        mentions = []
        for indexes in chain:
            mention = model.Mention()  # as coreferee itself does when it reads a stored document
            mention.token_indexes, mention.root_index = indexes, indexes[0]
            mentions.append(mention)
        made = model.Chain(mentions, 0)
        made.index = index
        holder.chains.append(made)
    return holder


Maker = Callable[[Chains], Any]
# word, tag, head, label
PARSE = """
Old JJ 1 amod; Ann NNP 10 nsubj; and CC 1 cc; Bob NNP 1 conj; from IN 3 prep; York NNP 4 pobj; , , 3 punct;
who WP 8 nsubj; sang VBD 3 relcl; , , 3 punct; saw VBD 10 ROOT; a DT 13 det; big JJ 13 amod; dog NN 10 dobj;
. . 10 punct; They PRP 16 nsubj; fed VBD 16 ROOT; it PRP 16 dobj; , , 20 punct; he PRP 20 nsubj;
said VBD 16 parataxis
"""
ROWS = [row.split() for row in PARSE.split(";")]
WORDS = [row[0] for row in ROWS]
CHAINS = [[[1, 3], [15]], [[13], [17]], [[3], [19]], [[1]]]


def parsed_doc(chains: Any) -> Doc:
    _, tags, heads, labels = zip(*ROWS, strict=True)
    doc = Doc(Vocab(), words=WORDS, heads=list(map(int, heads)), deps=list(labels), tags=list(tags))
    doc._.coref_chains = chains
    return doc


@pytest.mark.parametrize("make", [look_alike_chains, real_chains])
def test_heads_become_noun_phrases(make: Maker) -> None:
    assert mentions_of(parsed_doc(make(CHAINS))) == (
        Mention(0, 9, 1, "0"),  # Old Ann and Bob from York , who sang
        Mention(0, 2, 1, "3"),  # Old Ann, without what she is coordinated with
        Mention(3, 9, 3, "2"),  # Bob from York , who sang
        Mention(11, 14, 13, "1"),
        Mention(15, 16, 15, "0"),
        Mention(17, 18, 17, "1"),
        Mention(19, 20, 19, "2"),
    )


@pytest.mark.parametrize("make", [look_alike_chains, real_chains])
def test_without_dependencies_a_mention_is_its_heads(make: Maker) -> None:
    doc = Doc(Vocab(), words=WORDS)
    doc._.coref_chains = make([[[1, 3], [15]]])
    assert mentions_of(doc) == (Mention(1, 4, 1, "0"), Mention(15, 16, 15, "0"))


@pytest.mark.parametrize("chains", [None, LookAlikeHolder()])
def test_no_chains_are_no_mentions(chains: Any) -> None:
    assert mentions_of(parsed_doc(chains)) == ()


@Language.component("made_up_chains")
def made_up_chains(doc: Doc) -> Doc:
    """Says that the first and the last word are the same."""
    doc._.coref_chains = look_alike_chains([[[0], [len(doc) - 1]]])
    return doc


def test_a_pipeline_with_coreferee_provides_coreference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_pipeline, "COMPONENT", "made_up_chains")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("made_up_chains")
    assert add_coreferee(nlp)
    pipeline = SpacyPipeline(nlp)
    assert pipeline.requires[Layer.COREFERENCE] == frozenset({Layer.TOKENS})
    texts = [raw_document("Ann left. Bob\n\nsaw her"), raw_document("")]
    found, empty = pipeline.annotate(texts, layers=frozenset({Layer.TOKENS, Layer.COREFERENCE}))
    assert found.words([0, 5]) == ["Ann", "her"]
    assert found.mentions == (Mention(0, 1, 0, "0"), Mention(5, 6, 5, "0"))
    assert empty.mentions == ()


def test_coreferee_is_not_added_without_its_model() -> None:
    if find_spec("coreferee_model_en") is not None:
        pytest.skip("coreferee's English model is installed")
    nlp = spacy.blank("en")
    assert not add_coreferee(nlp)
    assert nlp.pipe_names == []
