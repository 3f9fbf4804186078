"""Constituents from the Stanford parser (Klein & Manning 2003), as in the paper, over our tokens and tags.

The parser is a Java program, which is started once and gets one sentence a line.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.layers import join_constituents, project_constituents
from disco2.annotation.text import split_long_sentence
from disco2.annotation.treebanks import BRACKETS, parse_brackets
from disco2.data import Constituents, Document, Sentence, Token
from disco2.errors import LayerError, SettingsError

LONGEST = 100  # words; time and memory of the parser grow with the cube and the square of the length
TIMEOUT = 120.0  # seconds for one sentence, and for loading the model before the first
MEMORY = "2g"  # limit for Java

UNPARSED = "X"  # the label over a sentence for which the parser has no tree
_NO_TREE = ("(())", "SENTENCE_SKIPPED", "Sentence skipped", "(X (SENT")


class StanfordParser:
    """The parser as a Java process that is started for the first sentence and runs until ``close``.

    Trees keep the document's tags. A sentence of more than ``longest`` words is parsed in pieces, cut at
    punctuation if there is any, under one ROOT. A sentence that the grammar can't parse is one flat phrase.
    A process that ends, hangs or gives an invalid answer is started again once, then LayerError is raised.
    """

    def __init__(
        self, home: Path, *, java: str = "java", longest: int = LONGEST, timeout: float = TIMEOUT
    ) -> None:
        self._command = parser_command(home, java=java, longest=longest)
        self._home = home
        self._longest = longest
        self._timeout = timeout
        self._process: LineProcess | None = None
        self.name = "Stanford parser (englishPCFG)"
        self.requires: Mapping[Layer, Layers] = {Layer.CONSTITUENTS: frozenset({Layer.TOKENS, Layer.TAGS})}

    @property
    def fingerprint(self) -> str:
        """Cache key of its output."""
        return f"{self.name}, {self._longest}, {file_fingerprint(self._home)}"

    def close(self, *, kill: bool = False) -> None:
        """Stop the Java process; the next sentence would start another one."""
        if self._process is not None:
            self._process.kill() if kill else self._process.close()
            self._process = None

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if Layer.CONSTITUENTS not in layers:
            return list(documents)
        return [
            replace(document, sentences=tuple([self._parse(document, one) for one in document.sentences]))
            for document in documents
        ]

    def _parse(self, document: Document, sentence: Sentence) -> Sentence:
        tokens = document.tokens[sentence.start : sentence.end]
        if not tokens:
            return sentence
        words, owners = join_compounds(tokens)
        where = f"{document.id}, the sentence at character {tokens[0].start}"
        # A piece has at least half of the longest length.
        spans = split_long_sentence(
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
                self.close(kill=True)
            except BaseException:  # an interrupt: the answer to this line may still come
                self.close(kill=True)
                raise
        raise LayerError(
            f"The Stanford parser failed twice: {failure}.",
            where=where,
            hint="Run the parser separately to see its errors, or use --parser built-in.",
        )


def _read_tree(answer: str, tokens: Sequence[Token]) -> Constituents:
    if answer.startswith(_NO_TREE):
        tags = tuple(token.tag or UNPARSED for token in tokens)
        return Constituents((UNPARSED,), (0,), (len(tokens),), (-1,), tags)
    try:
        trees = parse_brackets(answer, where="the Stanford parser")
    except LayerError as error:
        raise ProcessFailedError(f"its answer is not a tree: {error.what} '{answer[:80]}'") from None
    if len(trees) != 1 or len(trees[0].words) != len(tokens):
        raise ProcessFailedError(f"its answer is not a tree over the {len(tokens)} words: '{answer[:80]}'")
    return trees[0].constituents


# Hyphenated words are joined, as in the Wall Street Journal's trees, on which the parser was trained. Newer
# treebanks split ``well-known`` into three tokens; the parser would treat the hyphen as a dash.

HYPHEN = "HYPH"
_PARTICIPLES = frozenset({"VBN", "VBG", "VBD"})
_NOUNS = frozenset({"NN", "NNS"})


def join_compounds(tokens: Sequence[Token]) -> tuple[list[Token], list[int]]:
    """The words with compounds joined, and for each token the index of the word that it is part of.

    A compound has its last word's tag; it is an adjective if that is a participle (``hard-won``), or if it is
    a noun before another noun (``long-term plan``).
    """
    words: list[Token] = []
    owners: list[int] = []
    start = 0
    while start < len(tokens):
        end = start + 1
        while _goes_on(tokens, end):
            end += 2
        owners.extend([len(words)] * (end - start))
        words.append(tokens[start] if end - start == 1 else _compound(tokens, start, end))
        start = end
    return words, owners


def _goes_on(tokens: Sequence[Token], hyphen: int) -> bool:
    """Whether the token at ``hyphen`` joins its two neighbours, without spaces."""
    if hyphen + 1 >= len(tokens) or tokens[hyphen].tag != HYPHEN:
        return False
    before, joint, after = tokens[hyphen - 1 : hyphen + 2]
    return before.end == joint.start and joint.end == after.start and after.tag != HYPHEN


def _compound(tokens: Sequence[Token], start: int, end: int) -> Token:
    tag = tokens[end - 1].tag
    follower = tokens[end].tag if end < len(tokens) else ""
    if tag in _PARTICIPLES or (tag == "NN" and follower in _NOUNS):
        tag = "JJ"
    text = "".join(token.text for token in tokens[start:end])
    return Token(text, tokens[start].start, tokens[end - 1].end, tag)


# Words and tags as the parser expects them: on one line, with the spelling of its training trees. Only the
# order of the words matters in its answer, so a word may be replaced by another one.


# It must not occur in any word; ASCII, because Java reads its command line in the system's encoding.
TAG_SEPARATOR = "\x01"

LONGEST_WORD = 80  # characters

_UNSENDABLE = re.compile(r"[\s\x00-\x20\x7f-\xa0\ud800-\udfff\u200b-\u200f\u2028\u2029\u2060\ufeff]")
_SPELLINGS = str.maketrans(
    {bracket: escape.upper() for escape, bracket in BRACKETS.items()}
    | {"\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''"}
    | {"\u2026": "...", "\u2013": "--", "\u2014": "--"}
)

_WALL_STREET_JOURNAL = (
    "# $ '' , -LRB- -RRB- . : CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ "
    "RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB ``"
)
KNOWN_TAGS = frozenset(_WALL_STREET_JOURNAL.split())
# Tags of newer treebanks, and the nearest tag of the Wall Street Journal.
OLDER_TAGS = {"HYPH": "NN", "NFP": ":", "AFX": "JJ", "ADD": "NN", "(": "-LRB-", ")": "-RRB-", '"': "''"}
# The marks that the parser knows for each tag. With an unknown one it would ignore all tags of the sentence,
# which takes ten times as long; so it is replaced by one of these. Quotes have a direction there.
MARKS = {
    ",": (",",),
    ".": (".", "?", "!"),
    ":": ("--", ":", ";", "...", "-"),
    "``": ("``", "`"),
    "''": ("''", "'"),
    "-LRB-": ("-LRB-", "-LCB-"),
    "-RRB-": ("-RRB-", "-RCB-"),
    "$": ("$",),
    "#": ("#",),
}


def sentence_line(tokens: Iterable[Token]) -> str:
    """The line to send, without its end: words with their tags, except tags that the parser does not know."""
    return " ".join(map(_tagged_word, tokens))


def _tagged_word(token: Token) -> str:
    tag = OLDER_TAGS.get(token.tag, token.tag)
    if tag == "IN" and token.text.lower() == "to":  # newer treebanks distinguish the preposition
        tag = "TO"
    word = spelling(token.text)
    marks = MARKS.get(tag, ())
    if marks and word not in marks:
        word = next((mark for mark in marks if mark in word), marks[0])
    return f"{word}{TAG_SEPARATOR}{tag}" if tag in KNOWN_TAGS else word


def spelling(word: str) -> str:
    """The word with escaped brackets and ASCII quotes, without space characters."""
    sendable = _UNSENDABLE.sub("_", word[:LONGEST_WORD]) or "_"
    return sendable.translate(_SPELLINGS)


# The command that starts the parser.

PROGRAM = "edu.stanford.nlp.parser.lexparser.LexicalizedParser"
MODEL = "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz"
PROGRAM_JARS = ("stanford-parser.jar", "stanford-parser-*.jar", "stanford-corenlp-*.jar")
MODEL_JARS = "*models*.jar"


def parser_command(home: Path, *, java: str, longest: int) -> list[str]:
    """The command of a process that answers each line on its input with one line on its output.

    Raises SettingsError if Java, the program or its model is missing.
    """
    program = shutil.which(java)
    if program is None:
        raise SettingsError(
            f"The Stanford parser needs Java, and there is no program '{java}'.",
            hint="Install a Java runtime of version 8 or later, or use --parser built-in.",
        )
    if not home.is_dir():
        raise _missing("There is no such folder.", home)
    jars = [jar.name for pattern in PROGRAM_JARS for jar in home.glob(pattern)]
    if not any("models" not in name and "sources" not in name for name in jars):
        raise _missing(f"The Stanford parser is not in this folder: no {' or '.join(PROGRAM_JARS)}.", home)
    options = (
        f"-encoding UTF-8 -sentences newline -tokenized -tagSeparator {TAG_SEPARATOR} "
        "-tokenizerFactory edu.stanford.nlp.process.WhitespaceTokenizer "
        f"-tokenizerMethod newCoreLabelTokenizerFactory -outputFormat oneline -maxLength {longest}"
    )
    start = [program, f"-Xmx{MEMORY}", "-cp", str(home / "*"), PROGRAM]
    return [*start, *options.split(" "), _model(home), "-"]


def _model(home: Path) -> str:
    """The path of the model: a file, or a name inside a jar."""
    name = MODEL.rpartition("/")[2]
    if (home / name).is_file():
        return str(home / name)
    for jar in sorted(home.glob(MODEL_JARS)):
        try:
            with zipfile.ZipFile(jar) as archive:
                if MODEL in archive.NameToInfo:
                    return MODEL
        except (OSError, zipfile.BadZipFile):
            continue
    raise _missing(f"The model {name} is not in this folder, neither as a file nor in a {MODEL_JARS}.", home)


def _missing(what: str, home: Path) -> SettingsError:
    return SettingsError(
        what,
        where=str(home),
        hint="Give the folder of the Stanford Parser, as unpacked, with --stanford-home.",
    )


# The process.

_ERROR_LINES = 12  # lines of error output that are kept
_GRACE = 5.0  # seconds to end after its input is closed


class ProcessFailedError(Exception):
    """The program ended, did not answer in time, or gave an invalid answer."""


class LineProcess:
    """One run of the program, from its start until ``close``."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ProcessFailedError(f"it can't be started: {error.strerror or error}") from error
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_ERROR_LINES)
        # Both outputs are read continuously: a full pipe would stop the program.
        self._readers = [
            Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True),
            Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def ask(self, line: str, *, timeout: float) -> str:
        """Send a line and wait for the answer, at most ``timeout`` seconds."""
        assert self._process.stdin is not None  # noqa: S101  # a pipe, see above
        try:
            self._process.stdin.write(line.encode("utf-8", errors="replace") + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ProcessFailedError(self._how_it_ended()) from None
        try:
            answer = self._answers.get(timeout=timeout)
        except Empty:
            raise ProcessFailedError(f"it did not answer within {timeout:g} seconds") from None
        if answer is None:
            raise ProcessFailedError(self._how_it_ended())
        return answer

    def close(self) -> None:
        """Stop the program by closing its input, or kill it if it does not end."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(_GRACE)

    def kill(self) -> None:
        """Kill the program."""
        self._process.kill()
        self.close()

    def _how_it_ended(self) -> str:
        for reader in self._readers:
            reader.join(_GRACE)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        last = " | ".join(self._errors) or "nothing"
        return f"it ended with code {self._process.returncode}, and its last error output was: {last}"

    def _read_answers(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._answers.put(line.decode("utf-8", errors="replace").rstrip("\r\n"))
        self._answers.put(None)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._errors.append(line.decode("utf-8", errors="replace").strip()[:300])
