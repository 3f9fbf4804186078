"""A small corpus of made-up sentences as files in memory, some of which are replaced by a fuzzer's bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from disco2.corpora.catalogue import read_corpus
from tests.fuzzing.sound_corpus import check_corpus
from tests.fuzzing.target import Target, scratch_folder

NEXT_FILE = b"\n%%next file%%\n"


@dataclass(frozen=True)
class CorpusFolder:
    """The files of a corpus by their paths; ``path`` is what its reader gets, ``options`` are paths too."""

    kind: str
    files: Mapping[str, bytes]
    path: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def read(self, changed: Mapping[str, bytes]) -> None:
        """The corpus with some files changed, as a user would read it; what comes out must be sound."""
        with scratch_folder() as folder:
            for name, content in {**self.files, **changed}.items():
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            options = {name: folder / value for name, value in self.options.items()}
            check_corpus(read_corpus(self.kind, folder / self.path, **options))

    def target(
        self, name: str, *fuzzed: str, tokens: tuple[bytes, ...], seeds: tuple[bytes, ...] = ()
    ) -> Target:
        """A target whose bytes are these files, one behind the other; those left out are as they were."""

        def read(content: bytes) -> None:
            pieces = content.split(NEXT_FILE, len(fuzzed) - 1)
            self.read(dict(zip(fuzzed, pieces, strict=False)))

        own = NEXT_FILE.join(self.files[file] for file in fuzzed)
        return Target(name, read, (own, *seeds), (*tokens, *((NEXT_FILE,) if len(fuzzed) > 1 else ())))


def corpus_folder(kind: str, write: Callable[[Path], Mapping[str, Path]], *, path: str = "") -> CorpusFolder:
    """The corpus that a function writes into a folder; it returns the reader's options."""
    with scratch_folder() as scratch:
        root = scratch / "corpus"
        root.mkdir()
        options = {name: str(given.relative_to(root)) for name, given in write(root).items()}
        files = {
            str(file.relative_to(root)): file.read_bytes()
            for file in sorted(root.rglob("*"))
            if file.is_file() and file.suffix != ".prd"
        }
    return CorpusFolder(kind, files, path, options)
