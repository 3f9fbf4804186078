"""The documents of DISRPT's ``.conllu`` files, found for one ``.rels`` file after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disco2.annotation.conllu import ConlluSentence, parse_conllu
from disco2.corpora.reading import BYTE_ORDER_MARK, read_text
from disco2.records import Dirt, Document, Sentence, Token


class DisrptDocuments:
    """Looks for the tokens of relations beside them, in a folder, or in one file that holds them all."""

    def __init__(self, conllu: Path | None, *, encoding: str, dirt: Dirt) -> None:
        self._conllu = conllu
        self._encoding = encoding
        self._dirt = dirt
        self._read: dict[Path, dict[str, Document]] = {}

    def beside(self, file: Path, names: Sequence[str]) -> dict[str, Document]:
        """The documents for a ``.rels`` file that names these; a finding where there are none."""
        for candidate in self._candidates(file):
            if candidate.is_file():
                return self._documents(candidate, only_name=names[0] if len(set(names)) == 1 else file.stem)
        self._dirt.add(
            "no tokens",
            where=str(file),
            detail=f"There is no {file.stem}.conllu beside it; the file was skipped.",
        )
        return {}

    def _candidates(self, file: Path) -> list[Path]:
        name = f"{file.stem}.conllu"
        if self._conllu is None:
            return [file.with_suffix(".conllu")]
        return [self._conllu / name, self._conllu]

    def _documents(self, conllu: Path, *, only_name: str) -> dict[str, Document]:
        if conllu not in self._read:
            text = read_text(conllu, dirt=self._dirt, encoding=self._encoding).removeprefix(BYTE_ORDER_MARK)
            by_document: dict[str, list[ConlluSentence]] = {}
            for sentence in parse_conllu(text, where=str(conllu)):
                by_document.setdefault(sentence.document or only_name, []).append(sentence)
            documents = {name: conllu_document(name, sentences) for name, sentences in by_document.items()}
            masked = [name for name, document in documents.items() if is_masked(document)]
            for name in masked:
                detail = f"The words of {name} are masked by underscores; it was left out."
                self._dirt.add("masked text", where=str(conllu), detail=detail)
                del documents[name]
            self._read[conllu] = documents
        return self._read[conllu]


def conllu_document(name: str, sentences: Sequence[ConlluSentence]) -> Document:
    """A document of parsed sentences, with the file's spaces and each sentence on its own line."""
    pieces: list[str] = []
    tokens: list[Token] = []
    made: list[Sentence] = []
    offset = 0
    for sentence in sentences:
        first = len(tokens)
        glued = sentence.glued or (False,) * len(sentence.words)
        for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            tokens.append(Token(word, offset, offset + len(word), tag))
            last = place + 1 == len(sentence.words)
            space = "\n" if last else "" if glued[place] else " "
            pieces.append(word + space)
            offset += len(word) + len(space)
        made.append(Sentence(first, len(tokens), dependencies=sentence.dependencies))
    return Document(name, "".join(pieces), tuple(tokens), tuple(made))


def is_masked(document: Document) -> bool:
    """Corpora under licence are distributed with an underscore for each character of their words."""
    return len(document.tokens) > 1 and all(not token.text.strip("_") for token in document.tokens)
