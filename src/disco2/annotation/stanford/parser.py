"""Constituents from the Stanford parser (Klein & Manning 2003), the paper's own, over our tokens and tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.formats.ptb import parse_brackets
from disco2.annotation.layers import join_constituents, project_constituents
from disco2.annotation.stanford.compounds import joined_compounds
from disco2.annotation.stanford.home import parser_command
from disco2.annotation.stanford.line_process import LineProcess, ProcessFailedError
from disco2.annotation.stanford.wording import sentence_line
from disco2.annotation.text import pieces_of
from disco2.errors import LayerError
from disco2.records import Constituents, Document, Sentence, Token

LONGEST = 100  # words; time and memory of the parser grow with the cube and the square of the length
TIMEOUT = 120.0  # seconds for one sentence, and for loading the model before the first
MEMORY = "2g"  # what Java may take

UNPARSED = "X"  # the label over a sentence for which the parser has no tree
_NO_TREE = ("(())", "SENTENCE_SKIPPED", "Sentence skipped", "(X (SENT")


class StanfordParser:
    """The parser as a Java process that is started for the first sentence and runs until ``close``.

    Trees keep the document's own tags. A sentence of more than ``longest`` words is parsed in pieces, cut at
    punctuation where there is any, under one ROOT. A sentence that the grammar can't parse is one flat
    phrase. A process that ends, hangs or talks nonsense is started again once; LayerError if that does not
    help.
    """

    def __init__(
        self,
        home: Path,
        *,
        java: str = "java",
        memory: str = MEMORY,
        longest: int = LONGEST,
        timeout: float = TIMEOUT,
    ) -> None:
        self._command = parser_command(home, java=java, memory=memory, longest=longest)
        self._home = home
        self._longest = longest
        self._timeout = timeout
        self._process: LineProcess | None = None

    @property
    def name(self) -> str:
        return "Stanford parser (englishPCFG)"

    @property
    def fingerprint(self) -> str:
        """What tells its results from those of others, for the cache."""
        return f"{self.name}, {self._longest}, {file_fingerprint(self._home)}"

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return {Layer.CONSTITUENTS: frozenset({Layer.TOKENS, Layer.TAGS})}

    def __enter__(self) -> StanfordParser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the Java process; the next sentence would start another one."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if Layer.CONSTITUENTS not in layers:
            return list(documents)
        return [self._annotated(document) for document in documents]

    def _annotated(self, document: Document) -> Document:
        sentences = tuple([self._with_tree(document, sentence) for sentence in document.sentences])
        return replace(document, sentences=sentences)

    def _with_tree(self, document: Document, sentence: Sentence) -> Sentence:
        tokens = document.tokens[sentence.start : sentence.end]
        if not tokens:
            return sentence
        words, owners = joined_compounds(tokens)
        where = f"{document.id}, the sentence at character {tokens[0].start}"
        # In the first half of a stretch a cut would cost more than it is worth.
        spans = pieces_of(
            [word.tag for word in words], longest=self._longest, shortest=self._longest // 2 + 1
        )
        trees = [self._tree(words[start:end], where=where) for start, end in spans]
        tree = project_constituents(join_constituents(trees), owners)
        tags = tuple(token.tag or tag for token, tag in zip(tokens, tree.tags, strict=True))
        return replace(sentence, constituents=replace(tree, tags=tags))

    def _tree(self, words: Sequence[Token], *, where: str) -> Constituents:
        line = sentence_line(words)
        failure = ""
        for _ in range(2):
            try:
                if self._process is None:
                    self._process = LineProcess(self._command)
                return _read_tree(self._process.ask(line, timeout=self._timeout), words)
            except ProcessFailedError as error:
                failure = str(error)
                self._kill()
            except BaseException:  # an interrupt: the answer to this line may still come, and is not awaited
                self._kill()
                raise
        raise LayerError(
            f"The Stanford parser failed twice: {failure}.",
            where=where,
            hint="Try the parser on its own, or use --parser built-in.",
        )

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


def _read_tree(answer: str, tokens: Sequence[Token]) -> Constituents:
    if answer.startswith(_NO_TREE):
        tags = tuple(token.tag or UNPARSED for token in tokens)
        return Constituents((UNPARSED,), (0,), (len(tokens),), (-1,), tags)
    try:
        trees = parse_brackets(answer, where="the Stanford parser")
    except LayerError as error:
        raise ProcessFailedError(f"its answer is no tree: {error.what} '{answer[:80]}'") from None
    if len(trees) != 1 or len(trees[0].words) != len(tokens):
        raise ProcessFailedError(f"its answer is no tree over the {len(tokens)} words: '{answer[:80]}'")
    return trees[0].constituents
