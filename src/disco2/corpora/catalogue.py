"""The corpora that can be read, by name."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Literal, cast

from disco2.corpora.reading import cycles_left_alone
from disco2.errors import CorpusError, SettingsError
from disco2.records import Corpus

# What each corpus's folder or file must hold, and which options its reader takes.
EXPECTED = {
    "gum": "a checkout of GUM with rst/gdtb/pdtb/gold, rst/gdtb/pdtb/raw, dep, const and coref",
    "pdtb2": "a folder with .pdtb or .pipe files anywhere below it, and raw text in a folder 'raw'",
    "pdtb3": "a folder with gold/SS/wsj_SSNN and raw/SS/wsj_SSNN",
    "conll16": "a folder with relations.json and parses.json, or with folders that have both",
    "disrpt": "a .rels file or a folder of them, with .conllu files beside them",
    "discogem": "a folder with the .csv files of DiscoGeM's annotations and parts",
    "pairs": "a .jsonl, .csv or .tsv file with arg1 and arg2",
    "role-pairs": "a folder that 'disco2 corpus role-pairs' wrote",
}
OPTIONS = {
    "gum": {"coreference"},
    "pdtb2": {"trees", "coreference", "dependencies", "raw", "encoding"},
    "pdtb3": {"trees", "coreference", "dependencies", "offsets", "encoding"},
    "conll16": {"trees", "coreference", "dependencies", "encoding"},
    "disrpt": {"dependencies", "encoding"},
    "discogem": {"encoding"},
    "pairs": {"encoding"},
    "role-pairs": set[str](),
}
CORPUS_NAMES = tuple(EXPECTED)


@cycles_left_alone()
def read_corpus(
    name: str,
    path: Path | str,
    *,
    trees: Path | str | None = None,
    coreference: Path | str | None = None,
    dependencies: Path | str | None = None,
    raw: Path | str | None = None,
    offsets: str = "auto",
    encoding: str = "auto",
) -> Corpus:
    """The corpus of that kind at a path.

    ``trees``, ``coreference`` and ``dependencies`` are folders with layers for the Penn Discourse Treebanks
    and CoNLL-16, and ``raw`` is PDTB 2's text where it is elsewhere. For GUM, ``coreference`` is the name of
    its guidelines instead; for DISRPT, ``dependencies`` holds the tokens where they are not beside the
    relations. An option that the corpus has no use for raises SettingsError.
    """
    kind = known_corpus(name)
    given = {
        "trees": trees is not None,
        "coreference": coreference is not None,
        "dependencies": dependencies is not None,
        "raw": raw is not None,
        "offsets": offsets != "auto",
        "encoding": encoding != "auto",
    }
    for option, is_given in given.items():
        if is_given and option not in OPTIONS[kind]:
            takes = ", ".join(sorted(OPTIONS[kind])) or "none"
            raise SettingsError(
                f"The corpus '{kind}' has no use for the option '{option}'.",
                hint=f"Options it takes: {takes}.",
            )
    try:
        return _read(
            kind,
            Path(path),
            trees=_path(trees),
            coreference=coreference,
            dependencies=_path(dependencies),
            raw=_path(raw),
            offsets=offsets,
            encoding=encoding,
        )
    except OSError as error:
        raise CorpusError(
            f"It can't be read ({error.strerror or error}).",
            where=str(error.filename or path),
            hint="Check its rights.",
        ) from error


def _read(
    kind: str,
    path: Path,
    *,
    trees: Path | None,
    coreference: Path | str | None,
    dependencies: Path | None,
    raw: Path | None,
    offsets: str,
    encoding: str,
) -> Corpus:
    if not path.exists():
        raise CorpusError(
            "There is no such folder or file.", where=str(path), hint=f"For '{kind}', give {EXPECTED[kind]}."
        )

    layers = {"trees": trees, "coreference": _path(coreference), "dependencies": dependencies}
    # Imported one by one, so that reading one corpus does not load the readers of all others.
    if kind == "gum":
        from disco2.corpora.gum import read_gum

        return read_gum(path, coreference="ontogum" if coreference is None else str(coreference))
    if kind == "pdtb2":
        from disco2.corpora.pdtb2 import read_pdtb2

        return read_pdtb2(
            path,
            **layers,
            raw=raw,
            encoding=encoding,
        )
    if kind == "pdtb3":
        from disco2.corpora.pdtb3 import read_pdtb3

        return read_pdtb3(
            path,
            **layers,
            offsets=cast(Literal["auto", "inclusive", "exclusive"], offsets),
            encoding=encoding,
        )
    if kind == "conll16":
        from disco2.corpora.conll16 import read_conll16

        return read_conll16(
            path,
            trees=trees,
            coreference=_path(coreference),
            dependencies=dependencies,
            encoding=encoding,
        )
    if kind == "disrpt":
        from disco2.corpora.disrpt import read_disrpt

        return read_disrpt(path, conllu=dependencies, encoding=encoding)
    if kind == "discogem":
        from disco2.corpora.discogem import read_discogem

        return read_discogem(path, encoding=encoding)
    if kind == "pairs":
        from disco2.corpora.pairs import read_pairs

        return read_pairs(path, encoding=encoding)
    from disco2.corpora.role_pairs.files import read_role_pairs

    return read_role_pairs(path)


def known_corpus(name: str) -> str:
    """The corpus that a name means, whatever its case and hyphens."""
    kinds = {_key(kind): kind for kind in CORPUS_NAMES}
    kind = kinds.get(_key(name))
    if kind is None:
        near = get_close_matches(_key(name), kinds, n=1, cutoff=0.5)
        meant = f"Did you mean '{kinds[near[0]]}'? " if near else ""
        raise CorpusError(
            f"There is no corpus '{name}'.", hint=f"{meant}Known corpora: {', '.join(CORPUS_NAMES)}."
        )
    return kind


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _path(given: Path | str | None) -> Path | None:
    return None if given is None else Path(given)
