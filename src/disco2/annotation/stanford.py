"""Constituents from the Stanford parser (Klein & Manning 2003), as in the paper, over our tokens and tags.

The parser is a Java program, which is started once and gets one sentence a line.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Timer
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
_ERROR_BYTES = 1_000  # of error output that a message shows
_GRACE = 5.0  # seconds in which a process that closed its output ends


class StanfordParser:
    """The parser as a Java process that is started for the first sentence and runs until ``close``.

    Trees keep the document's tags. A sentence of more than ``longest`` words is parsed in pieces, cut at
    punctuation if there is any, under one ROOT. A sentence that the grammar can't parse is one flat phrase.
    A process that ends, hangs or gives an invalid answer is stopped, and LayerError is raised; the next
    sentence starts another one.
    """

    def __init__(
        self, home: Path, *, java: str = "java", longest: int = LONGEST, timeout: float = TIMEOUT
    ) -> None:
        self._command = parser_command(home, java=java, longest=longest)
        self._home = home
        self._longest = longest
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None  # a file: a full pipe would stop the process
        self.name = "Stanford parser (englishPCFG)"
        self.requires: Mapping[Layer, Layers] = {Layer.CONSTITUENTS: frozenset({Layer.TOKENS, Layer.TAGS})}

    @property
    def fingerprint(self) -> str:
        """Cache key of its output."""
        return f"{self.name}, {self._longest}, {file_fingerprint(self._home)}"

    def close(self) -> None:
        """Stop the Java process."""
        if self._process is not None:
            _kill(self._process)
            for stream in (self._process.stdin, self._process.stdout, self._errors):
                if stream is not None:
                    with suppress(OSError):  # a line that was not sent
                        stream.close()
            self._process.wait()
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
        try:
            trees = [self._tree(words[start:end], where=where) for start, end in spans]
        except BaseException:  # also an interrupt: the answer to the line may still come
            self.close()
            raise
        tree = project_constituents(join_constituents(trees), owners)
        tags = tuple(token.tag or tag for token, tag in zip(tokens, tree.tags, strict=True))
        return replace(sentence, constituents=replace(tree, tags=tags))

    def _tree(self, words: Sequence[Token], *, where: str) -> Constituents:
        answer = self._ask(sentence_line(words), where=where)
        if answer.startswith(_NO_TREE):
            tags = tuple(word.tag or UNPARSED for word in words)
            return Constituents((UNPARSED,), (0,), (len(words),), (-1,), tags)
        try:
            [tree] = parse_brackets(answer, where=where)
        except (LayerError, ValueError):  # broken, or not one tree
            tree = None
        if tree is None or len(tree.words) != len(words):
            raise _failed(f"its answer is not a tree over the {len(words)} words: '{answer[:80]}'", where)
        return tree.constituents

    def _ask(self, line: str, *, where: str) -> str:
        """Send a line and wait for the answer, at most ``timeout`` seconds."""
        if self._process is None:
            self._errors = TemporaryFile()  # noqa: SIM115  # closed with the process
            try:
                self._process = subprocess.Popen(  # noqa: S603  # no shell
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    start_new_session=True,  # see _kill
                )
            except OSError as error:
                self._errors.close()
                raise _failed(f"it can't be started: {error.strerror or error}", where) from error
        process, errors = self._process, self._errors
        assert process.stdin and process.stdout and errors  # noqa: S101, PT018  # see above
        timed_out = Event()

        def stop() -> None:
            timed_out.set()
            _kill(process)

        watch = Timer(self._timeout, stop)
        watch.daemon = True
        watch.start()
        answer = b""
        try:
            with suppress(OSError):  # the process has ended
                process.stdin.write(line.encode("utf-8", errors="replace") + b"\n")
                process.stdin.flush()
                answer = process.stdout.readline()
        finally:
            watch.cancel()
        if answer.endswith(b"\n"):
            return answer.decode("utf-8", errors="replace").rstrip("\r\n")
        if timed_out.is_set():
            raise _failed(f"it did not answer within {self._timeout:g} seconds", where)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        size = errors.seek(0, os.SEEK_END)
        errors.seek(max(0, size - _ERROR_BYTES))
        last = (
            " | ".join(errors.read().decode("utf-8", errors="replace").split("\n")).strip(" |") or "nothing"
        )
        raise _failed(
            f"it ended with code {process.returncode}, and its last error output was: {last}", where
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started: if ``java`` is a script, Java would keep its output open."""
    if sys.platform == "win32":
        process.kill()
    elif process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _failed(what: str, where: str) -> LayerError:
    return LayerError(
        f"The Stanford parser failed: {what}.",
        where=where,
        hint="Run the parser separately to see its errors, or use --parser built-in.",
    )


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
MODEL = "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz"  # in a jar
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
    jars = [jar.name for pattern in PROGRAM_JARS for jar in home.glob(pattern)]
    model = home / MODEL.rpartition("/")[2]
    if not any("models" not in name and "sources" not in name for name in jars):
        missing = " or ".join(PROGRAM_JARS)
    elif not model.is_file() and not any(home.glob(MODEL_JARS)):
        missing = f"{model.name} or {MODEL_JARS}"
    else:
        options = (
            f"-encoding UTF-8 -sentences newline -tokenized -tagSeparator {TAG_SEPARATOR} "
            "-tokenizerFactory edu.stanford.nlp.process.WhitespaceTokenizer "
            f"-tokenizerMethod newCoreLabelTokenizerFactory -outputFormat oneline -maxLength {longest}"
        )
        start = [program, f"-Xmx{MEMORY}", "-cp", str(home / "*"), PROGRAM]
        return [*start, *options.split(" "), str(model) if model.is_file() else MODEL, "-"]
    raise SettingsError(
        f"The Stanford parser is not in this folder: no {missing}.",
        where=str(home),
        hint="Give the folder of the Stanford Parser, as unpacked, with --stanford-home.",
    )
