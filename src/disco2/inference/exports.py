"""The relations of documents as files of other programs: CoNLL-2016, DISRPT, CSV, brat.

    write_relations([(document, nlp.relations(document))], Path("out"), "brat")

``conll16`` and ``disrpt`` are what ``corpora.conll16`` and ``corpora.disrpt`` read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from disco2.corpora.writing import write_conll16, write_table
from disco2.data import Corpus, Document, Relation, RelationKind
from disco2.errors import InputError
from disco2.files import check_folder_place, folder_in_place, is_file_name, write_bytes
from disco2.inference.prediction import COLUMNS, Prediction, Span, csv_lines, csv_row

CONLL16, DISRPT, CSV, BRAT = FORMS = ("conll16", "disrpt", "csv", "brat")
NAME = "relations"  # of files that hold all documents

Found = tuple[Document, Sequence[Prediction]]
_NO_TYPE = re.compile(r"[^A-Za-z0-9_-]+")  # what no name of brat's may have


def write_relations(found: Sequence[Found], folder: Path, form: str) -> list[str]:
    """Write the relations of documents into a new folder; notes on what the form can't hold."""
    if form not in FORMS:
        raise InputError(f"Unknown form '{form}'.", hint=f"Choose one of: {', '.join(FORMS)}.")
    check_folder_place(folder)
    names = [document.id for document, _ in found]
    if len(set(names)) < len(names) or not all(map(is_file_name, names)):
        raise InputError("Documents need names of their own that files can have.", where=str(folder))
    if form == CONLL16:
        write_conll16(prediction_corpus(found), folder)
        return []
    with folder_in_place(folder) as fresh:
        if form == DISRPT:
            return _write_disrpt(found, fresh)
        if form == CSV:
            rows = (csv_row(document.id, one) for document, relations in found for one in relations)
            _put(fresh / f"{NAME}.csv", csv_lines([COLUMNS, *rows]))
        else:
            _write_brat(found, fresh)
    return []


def write_archive(path: Path, found: Iterable[Found], form: str) -> str:
    """Write what ``write_relations`` writes as one zip file with one folder in it; return its SHA-256.

    The file is written whole or not at all, and depends on the content alone. Documents may have any name,
    such as a path: characters that file names can't have are percent-encoded.
    """
    named = [(replace(document, id=_file_name(document.id)), relations) for document, relations in found]
    content = io.BytesIO()
    with TemporaryDirectory() as scratch, ZipFile(content, "w", ZIP_DEFLATED) as archive:
        folder = Path(scratch, path.stem)
        write_relations(named, folder, form)
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = ZipInfo(file.relative_to(scratch).as_posix())  # dated 1980, whenever it is made
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    write_bytes(path, content.getvalue())
    return sha256(content.getvalue()).hexdigest()


def _file_name(name: str) -> str:
    """A name that a file can have, different for different names."""
    encoded = "".join(f"%{ord(one):02X}" if one in "%/\\:\0" else one for one in name)
    return encoded if is_file_name(encoded) else sha256(name.encode(errors="replace")).hexdigest()


def prediction_corpus(found: Iterable[Found]) -> Corpus:
    """Predictions as if they were annotated: relations with the predicted senses and kinds."""
    documents, relations = {}, []
    for document, predictions in found:
        documents[document.id] = document
        relations += [_relation(document, one) for one in predictions]
    return Corpus("predictions", "free", documents, tuple(relations))


def _relation(document: Document, prediction: Prediction) -> Relation:
    if prediction.source is None:
        hint = "Write predictions as the pipeline gives them."
        raise InputError("This prediction no longer knows its text, so it can't be written.", hint=hint)
    kind = RelationKind(prediction.kind)
    senses = () if prediction.sense == prediction.kind else (prediction.sense,)
    return replace(
        prediction.source.relation,
        id=f"{document.id}:{prediction.index}",
        document=document.id,
        kind=kind,
        senses=senses,
        connective=prediction.connective,
    )


def _write_disrpt(found: Sequence[Found], folder: Path) -> list[str]:
    """A ``.rels`` table, the tokens as ``.conllu``, and connectives as tags in the last column of both."""
    corpus = prediction_corpus(found)
    labels = [(*one.senses, str(one.kind))[0] for one in corpus.relations]
    exported = write_table(corpus, corpus.relations, labels, folder / f"{NAME}.rels")
    whole, plain = [], []
    for document, predictions in found:
        tags = _connective_tags(document, predictions)
        whole += list(_conllu(document, tags))
        plain += [f"# newdoc id = {document.id}\n"]
        plain += [
            "\t".join([str(number), token.text, *"_" * 7, f"Conn={tag}"]) + "\n"
            for number, (token, tag) in enumerate(zip(document.tokens, tags, strict=True), start=1)
        ]
        plain += ["\n"]
    _put(folder / f"{NAME}.conllu", "".join(whole))
    _put(folder / f"{NAME}.tok", "".join(plain))
    return list(exported.notes)


def _connective_tags(document: Document, predictions: Sequence[Prediction]) -> list[str]:
    """``B-conn`` where a part of a connective begins, ``I-conn`` where it goes on, else ``O``."""
    tags = ["O"] * len(document.tokens)
    for one in predictions:
        tokens = one.source.relation.connective_tokens if one.source is not None else ()
        for place, token in enumerate(tokens):
            goes_on = place > 0 and tokens[place - 1] == token - 1
            tags[token] = "I-conn" if goes_on else "B-conn"
    return tags


def _conllu(document: Document, tags: Sequence[str]) -> Iterator[str]:
    for number, sentence in enumerate(document.sentences):
        if not number:
            yield f"# newdoc id = {document.id}\n"
        yield f"# sent_id = {document.id}-{number + 1}\n"
        tree = sentence.dependencies
        for place, token in enumerate(range(sentence.start, sentence.end)):
            word = document.tokens[token]
            behind = document.tokens[token + 1].start if token + 1 < sentence.end else -1
            notes = f"Conn={tags[token]}" + ("|SpaceAfter=No" if behind == word.end else "")
            head, link = ("_", "_") if tree is None else (str(tree.heads[place] + 1), tree.labels[place])
            cells = [str(place + 1), word.text, "_", "_", word.tag or "_", "_", head, link, "_", notes]
            yield "\t".join(" ".join(cell.split()) or "_" for cell in cells) + "\n"
        yield "\n"


def _write_brat(found: Sequence[Found], folder: Path) -> None:
    """For each document its text and an ``.ann`` file of standoff, and the names that both use."""
    senses: set[str] = set()
    for document, predictions in found:
        _put(folder / f"{document.id}.txt", document.text)
        lines: list[str] = []
        for number, one in enumerate(predictions):
            first, second, stated = (f"T{3 * number + place}" for place in (1, 2, 3))
            name = _NO_TYPE.sub("_", one.sense)
            senses.add(name)
            lines += [
                _text_bound(first, "Arg1", one.arg1, document),
                _text_bound(second, "Arg2", one.arg2, document),
            ]
            lines.append(f"R{2 * number + 1}\t{name} Arg1:{first} Arg2:{second}")
            note = f"{one.kind} {one.sense} {one.probability:.3f}"
            lines.append(f"#{number + 1}\tAnnotatorNotes R{2 * number + 1}\t{note}")
            if one.connective_span is not None:
                lines.append(_text_bound(stated, "Connective", one.connective_span, document))
                lines.append(f"R{2 * number + 2}\tStates Arg1:{stated} Arg2:{second}")
        _put(folder / f"{document.id}.ann", "".join(line + "\n" for line in lines))
    pairs = [f"{name}\tArg1:Arg1, Arg2:Arg2" for name in sorted(senses)]
    configuration = ["[entities]", "Arg1", "Arg2", "Connective", "", "[relations]", *pairs]
    configuration += ["States\tArg1:Connective, Arg2:Arg2", "", "[events]", "", "[attributes]"]
    _put(folder / "annotation.conf", "".join(line + "\n" for line in configuration))


def _text_bound(name: str, kind: str, span: Span, document: Document) -> str:
    """brat wants a part to end at the end of its line, and one space between the texts of parts."""
    parts = [
        (part.start + piece.start(), part.start + piece.end(), piece[0])
        for part in span.pieces
        for piece in re.finditer(r"[^\s\n\r](?:[^\n\r]*[^\s])?", document.text[part.start : part.end])
    ]
    places = ";".join(f"{start} {end}" for start, end, _ in parts)
    return f"{name}\t{kind} {places}\t{' '.join(text for *_, text in parts)}"


def _put(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8", newline="")
