"""The output depends on the documents and the job alone; a run does what is missing and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from disco2.bulk.output import OutputFolder
from disco2.bulk.run import BulkProgress, predict_files
from disco2.corpora.disrpt import read_disrpt
from disco2.engines import DaskEngine, LocalEngine
from disco2.errors import InputError
from disco2.inference.prediction import relation_forms
from tests.bulk.stand_in import Opened, Predicting, contents, documents, job_of, refused, write_corpus

PATTERN = "**/*.txt"


def test_the_output(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = predict(corpus / PATTERN, output=out)
    counted = (summary.documents, summary.sentences, summary.relations, summary.errors)
    assert counted == (60, 240, 120, 0)
    assert summary.made == summary.shards > 3
    found = documents(out)
    assert list(found) == sorted(found)
    with Opened(predict.bundle)() as pipeline:
        for name, record in found.items():
            content = (corpus / name).read_bytes()
            document = pipeline.annotate(content.decode(), document_id=name)
            assert record == {
                "document": name,
                "sha256": sha256(content).hexdigest(),
                "sentences": len(document.sentences),
                "relations": json.loads(json.dumps(relation_forms(pipeline.relations(document)))),
            }
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["documents"] == len(found) == 60
    assert manifest["files"] == ["corpus/**/*.txt"]
    assert manifest["errors_sha256"] == sha256(b"").hexdigest()
    for shard in manifest["shards"]:
        assert sha256((out / shard["file"]).read_bytes()).hexdigest() == shard["sha256"]
    assert {path.name for path in out.iterdir()} == {"manifest.json", "errors.jsonl", "relations", "records"}
    assert str(tmp_path) not in (out / "manifest.json").read_text()


@pytest.mark.parametrize("format", ["jsonl", "parquet", "brat"])
def test_the_number_of_workers_and_the_engine_change_no_byte(
    predict: Predicting, corpus: Path, tmp_path: Path, format: str
) -> None:
    pytest.importorskip("pyarrow") if format == "parquet" else None
    (corpus / "00" / "bad.txt").write_bytes(b"\xe9")
    found = []
    for workers in (1, 2):
        out = tmp_path / f"out{workers}"
        predict(corpus / PATTERN, output=out, engine=LocalEngine(workers), format=format)
        found.append(contents(out))
    assert found[0] == found[1]
    assert len(found[0]) > 8
    (tmp_path / "elsewhere").mkdir()
    moved = corpus.rename(tmp_path / "elsewhere" / "corpus")  # only paths below it count
    predict(moved / PATTERN, output=tmp_path / "again", format=format)
    assert contents(tmp_path / "again") == found[0]


def test_shards_of_other_forms_are_archives(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = predict(corpus / PATTERN, output=out, format="disrpt")
    relations = documents_read = 0
    for file in sorted((out / "relations").iterdir()):
        with ZipFile(file) as archive:
            archive.extractall(tmp_path / "read")
        read = read_disrpt(tmp_path / "read" / file.stem / "relations.rels")
        relations += len(read.relations)
        documents_read += len(read.documents)
    assert (documents_read, relations) == (summary.documents, summary.relations)


def test_dask_writes_the_same(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    predict(corpus / PATTERN, output=tmp_path / "local", engine=LocalEngine(2))
    predict(corpus / PATTERN, output=tmp_path / "dask", engine=DaskEngine(workers=2))
    assert contents(tmp_path / "local") == contents(tmp_path / "dask")


def test_parquet_has_the_same_relations(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    least = 0.5
    predict(corpus / PATTERN, output=tmp_path / "lines", explain=True, min_probability=least)
    predict(corpus / PATTERN, output=tmp_path / "rows", explain=True, min_probability=least, format="parquet")
    relations = [
        {"document": name, "sha256": record["sha256"], **relation}
        for name, record in documents(tmp_path / "lines").items()
        for relation in record["relations"]
    ]
    manifest = json.loads((tmp_path / "rows" / "manifest.json").read_text())
    rows = [
        row
        for shard in manifest["shards"]
        for row in parquet.read_table(tmp_path / "rows" / shard["file"]).to_pylist()
    ]
    assert len(rows) == len(relations) == 120
    for row, relation in zip(rows, relations, strict=True):
        assert (row["document"], row["document_sha256"]) == (relation["document"], relation["sha256"])
        same = (
            "index",
            "kind",
            "sense",
            "probability",
            "unsure",
            "presence",
            "connective",
            "connective_parts",
            "entities",
        )
        assert {name: row[name] for name in same} == {name: relation[name] for name in same}
        assert row["unsure"] == (row["probability"] < least)
        allowed = {label: chance for label, chance in row["probabilities"].items() if chance is not None}
        assert allowed == relation["probabilities"]
        for side in ("arg1", "arg2"):
            assert {name: row[f"{side}_{name}"] for name in relation[side]} == relation[side]
        assert json.loads(row["explanation"]) == relation["explanation"]
    whole = parquet.read_table(tmp_path / "rows" / "relations")  # as pandas reads a folder
    assert whole.num_rows == 120


def test_a_second_run_does_nothing(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = predict(corpus / PATTERN, output=out)
    before = contents(out)
    times = {path: path.stat().st_mtime_ns for path in (out / "relations").iterdir()}
    notes: list[str] = []
    again = predict(corpus / PATTERN, output=out, notes=notes)
    assert (again.made, again.shards) == (0, first.shards)
    assert notes == [f"{first.shards} of {first.shards} shards were already there"]
    assert contents(out) == before
    assert times == {path: path.stat().st_mtime_ns for path in (out / "relations").iterdir()}


def change(corpus: Path) -> None:
    (corpus / "01" / "0030.txt").write_text("Bob stayed. Tina left.")


def add(corpus: Path) -> None:
    (corpus / "01" / "0030a.txt").write_text("Bob stayed. Tina left.")


def rename(corpus: Path) -> None:
    (corpus / "01" / "0030.txt").rename(corpus / "01" / "0030b.txt")


@pytest.mark.parametrize("alter", [change, add, rename])
def test_what_changed_is_done_and_no_more(
    predict: Predicting, corpus: Path, tmp_path: Path, alter: Callable[[Path], None]
) -> None:
    out = tmp_path / "out"
    predict(corpus / PATTERN, output=out)
    alter(corpus)
    again = predict(corpus / PATTERN, output=out)
    assert 1 <= again.made <= 2
    assert again.shards > 3
    predict(corpus / PATTERN, output=tmp_path / "fresh")
    assert contents(out) == contents(tmp_path / "fresh")  # what was there before is gone


def test_damage_is_seen_and_done_again(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    predict(corpus / PATTERN, output=out)
    before = contents(out)
    shards, records = (sorted((out / name).glob("[0-9a-f]*")) for name in ("relations", "records"))
    flipped = bytearray(shards[0].read_bytes())
    flipped[100] ^= 1
    shards[0].write_bytes(flipped)
    shards[1].unlink()
    records[2].write_text("{")
    records[4].write_text(records[4].read_text().replace('"sentences": ', '"sentences": 1'))
    with shards[3].open("ab") as stream:
        stream.write(b"\n")
    (out / "manifest.json").unlink()
    (out / "errors.jsonl").unlink()
    (out / ".working").mkdir()  # as a run that was killed leaves it
    (out / ".working" / "job.json").write_text("{")
    assert predict(corpus / PATTERN, output=out).made == 5
    assert contents(out) == before


def test_odd_names_come_out_as_they_are(predict: Predicting, tmp_path: Path) -> None:
    odd = ["a\nb.txt", "ü日.txt", " .txt", '"\\.txt', "x\udce9.txt"]
    for name in odd:
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text("Bob left. Tina stayed.")
    (tmp_path / "in" / "bad\udcff.txt").write_text("")
    predict(tmp_path / "in" / "*.txt", output=tmp_path / "out")
    assert set(documents(tmp_path / "out")) == {*odd[:4], "x\\xe9.txt"}
    assert set(refused(tmp_path / "out")) == {"bad\\xff.txt"}


def test_two_runs_in_one_folder(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with OutputFolder(out, "jsonl").locked(), pytest.raises(InputError, match="Another run"):
        predict(corpus / PATTERN, output=out)
    assert predict(corpus / PATTERN, output=out).made > 0


def test_the_output_of_another_run_is_not_lost(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    predict(corpus / "00" / "*.txt", output=out)
    before = contents(out)
    for settings, pattern, what in (
        ({"explain": True}, corpus / "00" / "*.txt", "it differs in explain"),
        ({"shard_documents": 9}, corpus / "00" / "*.txt", "it differs in shard documents"),
        ({}, corpus / "01" / "*.txt", "its files"),
    ):
        with pytest.raises(InputError, match=f"another run: {what}"):
            predict(pattern, output=out, **settings)
    assert contents(out) == before
    assert predict(corpus / "01" / "*.txt", output=out, restart=True).documents == 20
    write_corpus(tmp_path / "corpus", 60)
    (corpus / "01" / "more.md").write_text("Bob left. Tina stayed.")
    more = predict(corpus / "01" / "*.txt", corpus / "01" / "*.md", output=out)  # a larger choice of files
    assert (more.documents, more.made) == (21, 1)


def test_a_restart_drops_nothing_before_there_are_workers(
    predict: Predicting, corpus: Path, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    out = tmp_path / "out"
    predict(corpus / PATTERN, output=out)
    before = contents(out)
    with pytest.raises(InputError, match="No Dask scheduler"):
        predict(corpus / PATTERN, output=out, engine=DaskEngine(1, "tcp://nowhere:x"), restart=True)
    assert contents(out) == before


def test_a_folder_of_the_users_is_left_alone(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "manifest.json").write_text('{"mine": 1}')
    for output in (tmp_path / "mine", corpus / "00" / "0001.txt", corpus):
        before = contents(tmp_path)
        with pytest.raises(InputError):
            predict(corpus / PATTERN, output=output, restart=True)
        assert contents(tmp_path) == before


def test_nothing_that_matches(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    for pattern, what in ((corpus / "*.doc", "No file matches"), (corpus, "folder"), ("", "no pattern")):
        with pytest.raises(InputError, match=what):
            predict(pattern, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    notes: list[str] = []
    predict(corpus / PATTERN, corpus / "*.doc", output=tmp_path / "out", notes=notes)
    assert notes == [f"no file matches {corpus}/*.doc"]


def test_standings(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    last = predict(
        corpus / PATTERN, output=tmp_path / "out", report=lambda progress: seen.append(progress.documents)
    )
    assert (last.documents, last.all_documents, last.made_sentences) == (60, 60, 240)
    assert last.bytes == last.all_bytes == sum(file.stat().st_size for file in corpus.rglob("*.txt"))
    assert last.left == 0
    assert last.rate > 0
    assert seen == sorted(seen)
    assert BulkProgress(9, 400, seconds=10, made_bytes=50, bytes=100).left == 60
    assert BulkProgress(9, 400, seconds=10, bytes=100).left is None


def test_a_worker_with_another_model_is_refused(predict: Predicting, corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other model"):
        predict_files(
            [str(corpus / PATTERN)],
            tmp_path / "out",
            job=replace(job_of(predict.bundle), model="another digest"),
            opened=Opened(predict.bundle),
            engine=LocalEngine(1),
        )
