"""Every reader of a corpus, fed with the files it reads: relations, texts and layers, alone and together."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import write_role_pairs
from disco2.inference.pairs import read_pair_lines as pair_lines
from tests.corpora import test_conll16, test_disrpt, test_gum
from tests.corpora.discogem_files import write_discogem, write_questions
from tests.corpora.miniature import (
    documents,
    write_coreference,
    write_dependencies,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)
from tests.fuzzing.target import NEXT_FILE, Target, check_corpus, scratch_folder

DOCUMENTS = documents()[:1]
PLACE = f"00/{DOCUMENTS[0].id}"
GUM_NAME = "GUM_news_goats"


class CorpusFolder:
    """The files of a small corpus by their paths; some of them are replaced by a fuzzer's bytes."""

    def __init__(
        self, kind: str, write: Callable[[Path], object], *, path: str = "", layers: Sequence[str] = ()
    ) -> None:
        """``write`` fills a folder; ``path`` and the folders of the ``layers`` are what the reader gets."""
        self._kind, self._path, self._layers = kind, path, layers
        with scratch_folder() as root:
            write(root)
            found = sorted(file for file in root.rglob("*") if file.is_file() and file.suffix != ".prd")
            self.files = {str(file.relative_to(root)): file.read_bytes() for file in found}

    def target(self, name: str, *fuzzed: str, seeds: tuple[bytes, ...] = ()) -> Target:
        """A target whose bytes are these files, one after the other; the others stay as they were."""
        fuzzed = fuzzed or tuple(self.files)

        def read(content: bytes) -> None:
            changed = dict(zip(fuzzed, content.split(NEXT_FILE, len(fuzzed) - 1), strict=False))
            with scratch_folder() as folder:
                for file, data in {**self.files, **changed}.items():
                    (folder / file).parent.mkdir(parents=True, exist_ok=True)
                    (folder / file).write_bytes(data)
                options = {layer: folder / layer for layer in self._layers}
                check_corpus(read_corpus(self._kind, folder / self._path, **options))

        return Target(name, read, (NEXT_FILE.join(self.files[file] for file in fuzzed), *seeds))


def pdtb3(root: Path) -> None:
    write_pdtb3(root, DOCUMENTS)
    write_trees(root / "trees", DOCUMENTS)
    write_coreference(root / "coreference", DOCUMENTS)
    write_dependencies(root / "dependencies", DOCUMENTS)


def gum(root: Path) -> None:
    test_gum.write_layers(root, GUM_NAME)
    (root / "splits.md").write_text(f"## train\n* {GUM_NAME}\n")


def conll16(root: Path, raw: str | None = test_conll16.RAW) -> None:
    test_conll16.write(root, [test_conll16.relation(number) for number in range(3)], raw=raw)


def disrpt(root: Path) -> None:
    header = test_disrpt.HEADER_2025
    test_disrpt.write(root, header, [test_disrpt.row(header)] * 2, name="x_train")


def discogem(root: Path) -> None:
    write_discogem(root, 1)
    write_questions(root, [("tale00_item_1", "result:0.75; norel:0.25; differentcon:0")])


def file_of(name: str, content: bytes) -> CorpusFolder:
    return CorpusFolder("pairs", lambda root: (root / name).write_bytes(content), path=name)


PAIRS = (
    b'{"arg1": "It rained.", "arg2": "We (both) left.", "label": ["A", "B"], "split": "train", "id": 3}\n'
    * 2,
    b'{"arg1": "It rained.", "arg2": "We left.", "source": {"A": 1}, "votes": {"A": 0.75, "B": 1}}\n',
    b'{"Arg1": "Hm, (two)!", "arg2": "12", "label": true, "kind": "EntRel", "more": {"x": [1]}}\n',
)
TABLE = b'arg1,arg2,label\n"It rained, and so",We left.,A\nHi,"""Oh"", x",B\n"two\nlines",x y,NoRel\n'


def read_pair_lines(content: bytes) -> None:
    """As ``disco2 predict-pairs`` does: every line is a pair or says what is wrong."""
    numbers = []
    for found in pair_lines(BytesIO(content), Path("pairs.jsonl")):
        assert (found.pair is None) == bool(found.error)
        found.error.encode("utf-8")
        json.dumps(found.id, ensure_ascii=False).encode("utf-8")
        if found.pair is not None:
            found.pair.document().text.encode("utf-8")
        numbers.append(found.number)
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= content.count(b"\n") + 1


NATIVE = CorpusFolder("pdtb2", lambda root: write_pdtb2(root, DOCUMENTS))
PIPE = CorpusFolder("pdtb2", lambda root: write_pdtb2(root, DOCUMENTS, encoding="pipe"))
PDTB3 = CorpusFolder("pdtb3", pdtb3, layers=("trees", "coreference", "dependencies"))
GUM = CorpusFolder("gum", gum)
CONLL16 = CorpusFolder("conll16", conll16)
DISRPT = CorpusFolder("disrpt", disrpt)
TARGETS = (
    NATIVE.target("pdtb2-native", f"data/{PLACE}.pdtb"),
    NATIVE.target("pdtb2-native-and-text"),
    PIPE.target("pdtb2-pipe", f"data/{PLACE}.pipe"),
    PIPE.target("pdtb2-pipe-and-text"),
    PDTB3.target("pdtb3", f"gold/{PLACE}"),
    PDTB3.target("pdtb3-and-text", f"raw/{PLACE}", f"gold/{PLACE}"),
    PDTB3.target("pdtb3-layers", *(file for file in PDTB3.files if not file.startswith(("gold", "raw")))),
    GUM.target("gum-relations", f"rst/gdtb/pdtb/gold/00/{GUM_NAME}"),
    GUM.target("gum"),
    CONLL16.target("conll16-relations", "relations.json"),
    CONLL16.target("conll16-parses", "parses.json"),
    CONLL16.target("conll16"),
    CorpusFolder("conll16", partial(conll16, raw=None)).target("conll16-without-text"),
    DISRPT.target("disrpt-rels", "x_train.rels"),
    DISRPT.target("disrpt"),
    CorpusFolder("discogem", discogem).target("discogem"),
    file_of("pairs.jsonl", PAIRS[0]).target("pairs-json", seeds=PAIRS[1:]),
    file_of("pairs.csv", TABLE).target(
        "pairs-table", seeds=(TABLE.replace(b",", b"\t"), TABLE.replace(b",", b";"))
    ),
    file_of("pairs", PAIRS[1]).target(
        "pairs-by-content", seeds=(TABLE, b"\xff\xfe" + TABLE.decode().encode("utf-16-le"))
    ),
    CorpusFolder("role-pairs", partial(write_role_pairs, size=10)).target("role-pairs"),
    Target("pair-lines", read_pair_lines, PAIRS),
)
