"""Made-up documents: the same for everybody, in any number, and like text."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from statistics import mean

from benchmarks.made_up_documents import SENTENCES, document_path, made_up_document, write_documents

SOME = [made_up_document(number) for number in range(500)]


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+", text.strip())


def test_a_document_is_the_same_everywhere() -> None:
    digest = hashlib.sha256("".join(SOME).encode()).hexdigest()
    assert digest[:16] == "d0c848a7308889d4", "another edition needs another SEED, and all figures anew"
    assert made_up_document(7) == SOME[7]


def test_documents_differ() -> None:
    assert len(set(SOME)) == len(SOME)
    assert len({sentence for text in SOME for sentence in sentences(text)}) > 0.99 * sum(
        len(sentences(text)) for text in SOME
    )


def test_they_are_about_as_long_as_text_is() -> None:
    counts = [len(sentences(text)) for text in SOME]
    assert {min(counts), max(counts)} == set(SENTENCES)
    assert 15 < mean(len(sentence.split()) for text in SOME for sentence in sentences(text)) < 20
    assert 1.5 < mean(text.count("\n\n") + 1 for text in SOME) < 3


def test_people_come_back_as_pronouns() -> None:
    with_pronoun = [text for text in SOME if re.search(r"\b(he|she|his|her)\b", text, re.IGNORECASE)]
    assert len(with_pronoun) > 0.9 * len(SOME)


def test_files_lie_in_two_levels_in_order_of_their_numbers(tmp_path: Path) -> None:
    sizes = list(write_documents(tmp_path, 250, parts=5))
    paths = sorted(tmp_path.rglob("*.txt"))
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        document_path(number, 250, parts=5) for number in range(250)
    ]
    assert all(len(path.relative_to(tmp_path).parts) == 3 for path in paths)
    assert [path.stat().st_size for path in paths] == sizes
    assert paths[7].read_text(encoding="utf-8") == SOME[7]
    assert [len(list((tmp_path / f"{part:02d}").rglob("*.txt"))) for part in range(5)] == [50] * 5
