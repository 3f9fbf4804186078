"""Text cut as GUM cuts it: invented examples of each rule."""

from __future__ import annotations

import re

import numpy as np
import pytest
from spacy.util import load_config

from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.english import spacy_english
from disco2.annotation.english.annotators import SHIPPED, SpacySyntax
from disco2.annotation.english.spacy_english import WindowEncoder, make_pipeline
from disco2.vectors.word_vectors import read_shipped


@pytest.mark.parametrize(
    "text",
    [
        "a well - known , two - day eye - tracking test",
        "a non-profit 's co-founder was re-elected in mid-May",
        "Non-stop UN - led anti-war talks",
        "he does n't , I 'd 've , we 'll , they 're , I 'm , ca n't",
        "she does n\u2019t , it \u2019s",
        "gon na wan na got ta can not",
        "Ann 's dogs ' bones",
        "Dr. Lee met Mr. Ito , Mrs. Orr et al. at St. Pauls , etc.",
        "e.g. the U.S. army at 6 a.m.",
        "and / or either / or",
        "pages 12 \u2013 15 and 3 - 4",
        "[ 3 , 14 , 27 ] but 1,300 and 2,500,000",
        "wait — no -- yes",
        "call 555-0123 or 201-555-0199",
        "80's , ( '90s ) and ( \u201969 )",
        "see www.example.org/a-b and ann@example.org #summer",
        "( see 8 ) : yes ;",
        "at 6:00 am",
        "the item(s)",
    ],
)
def test_tokens(syntax: SpacySyntax, text: str) -> None:
    """Written with a space between any two tokens; the text is the same with the spaces that people write."""
    words = text.split()
    [document] = syntax.annotate([raw_document(written(text))], layers=frozenset({Layer.TOKENS}))
    assert [token.text for token in document.tokens] == words


def written(text: str) -> str:
    """Undo the spaces inside of what is one word to its writer."""
    clitic = r"n?['\u2019](?:t|s|d|ve|ll|re|m)|['\u2019]|na|ta|am"
    glued = rf" ([-\u2013/—]|--) | (?=[,;)\]])|(?<=[(\[]) | (?=(?:{clitic})(?: |$))"
    text = re.sub(glued, r"\1", text.replace("can not", "cannot").replace(") :", "):"))
    return text.replace("3, 14, 27", "3,14,27")


def test_the_number_of_an_item_keeps_its_full_stop(syntax: SpacySyntax) -> None:
    text = "2.1. The plan\n\n3. It is 3. See No. 5. No. I do not."
    [document] = syntax.annotate([raw_document(text)], layers=frozenset({Layer.TOKENS}))
    words = " ".join(token.text for token in document.tokens)
    assert words == "2.1. The plan 3. It is 3 . See No. 5 . No . I do not ."


@pytest.mark.parametrize("embeddings", [4, 20_000])
def test_encoder_gives_the_vectors_of_spacys_own(embeddings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_english, "EMBEDDINGS", embeddings)  # 4 are soon full
    pipeline = make_pipeline(load_config(SHIPPED / "syntax" / "config.cfg"), read_shipped())
    pipeline.from_disk(SHIPPED / "syntax", exclude=spacy_english.NOT_STORED)
    texts = ["Ann's dog barked.", "", "It", "Ann saw it , and the dog saw Ann."]
    for model in (pipeline.get_pipe("tok2vec").model, pipeline.get_pipe("senter").model.layers[0]):
        encoder = WindowEncoder(model, pipeline.vocab)
        for chosen in (texts, texts[:2], texts[::-1]):
            docs = [pipeline.make_doc(text) for text in chosen]
            expected = model.predict(docs)
            found = encoder.encode(docs)
            assert [vectors.shape for vectors in found] == [vectors.shape for vectors in expected]
            for vectors, others in zip(found, expected, strict=True):
                np.testing.assert_allclose(vectors, others, atol=2e-5)
