"""disco2 bulk: what is said, what is refused, and what pandas reads."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from disco2.bulk import BulkProgress
from disco2.inference.results import read_schema
from disco2.interfaces.cli.listing import standing_line
from tests.interfaces.conftest import Run


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Thirty documents; the current folder is theirs."""
    (tmp_path / "in").mkdir()
    for number in range(30):
        (tmp_path / "in" / f"{number:02d}.txt").write_text(f"Bob ate {number} eggs. Tina slept. It rained.")
    return tmp_path


def predict(run: Run, folder: Path, *options: str | Path) -> tuple[int, str, str]:
    return run("bulk", f"{folder}/in/*.txt", "--output", folder / "out", *options)


def test_a_corpus(run_small: Run, texts: Path) -> None:
    code, out, err = predict(run_small, texts, "--workers", "2", "--shard-documents", "10")
    assert (code, err) == (0, "")
    assert out.startswith(f"{texts}/out: 30 documents, 90 sentences, 60 relations in ")
    code, _, err = predict(run_small, texts, "--shard-documents", "10")
    assert code == 0
    assert "shards were there already" in err
    (texts / "in" / "05.txt").write_bytes(b"caf\xe9")
    code, out, err = predict(run_small, texts, "--shard-documents", "10")
    assert code == 2
    assert "30 documents" in out
    assert "05.txt: The text is not utf-8: byte 0xe9" in err
    assert "1 of 30 documents have no relations; the others are done." in err
    assert "--restart" in predict(run_small, texts, "--explain")[2]
    code, _, err = predict(run_small, texts, "--explain", "--restart", "--encoding", "latin-1")
    assert (code, err) == (0, "")


def test_relations_are_those_of_one_text(run_small: Run, texts: Path) -> None:
    predict(run_small, texts, "--explain")
    schema = read_schema()
    relation = Draft202012Validator({**schema, "oneOf": [{"$ref": "#/$defs/relation"}]})
    alone = json.loads(run_small("predict", "--file", texts / "in" / "07.txt", "--json", "--explain")[1])
    for shard in (texts / "out" / "relations").iterdir():
        for line in map(json.loads, shard.read_text().splitlines()):
            if line["document"] == "07.txt":
                assert line["relations"] == alone["relations"]
                assert line["sentences"] == len(alone["sentences"])
                for found in line["relations"]:
                    relation.validate(found)
                return
    pytest.fail("the document is not there")


def test_pandas_reads_both_formats(run_small: Run, texts: Path) -> None:
    pandas = pytest.importorskip("pandas")
    predict(run_small, texts)
    files = sorted((texts / "out" / "relations").glob("*.jsonl"))
    lines = pandas.concat(pandas.read_json(file, lines=True, dtype={"document": str}) for file in files)
    assert sorted(lines["document"])[:2] == ["00.txt", "01.txt"]
    pytest.importorskip("pyarrow")
    predict(run_small, texts, "--restart", "--format", "parquet")
    rows = pandas.read_parquet(texts / "out" / "relations")
    assert len(rows) == lines["relations"].map(len).sum() == 60
    assert set(rows["sense"]) <= set(rows["probabilities"][0])


def test_csv_has_a_row_for_each_relation(run_small: Run, texts: Path) -> None:
    predict(run_small, texts, "--format", "csv", "--shard-documents", "10")
    rows = []
    for shard in (texts / "out" / "relations").glob("*.csv"):
        with shard.open(encoding="utf-8", newline="") as stream:
            rows += list(csv.DictReader(stream))
    alone = json.loads(run_small("predict", "--file", texts / "in" / "07.txt", "--json")[1])["relations"]
    found = [row for row in rows if row["document"] == "07.txt"]
    assert [(row["sense"], row["arg2"]) for row in found] == [
        (one["sense"], one["arg2"]["text"]) for one in alone
    ]
    assert found[0]["arg1_spans"] == f"{alone[0]['arg1']['start']}-{alone[0]['arg1']['end']}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["none/*.txt", "--output", "out"], "No file matches"),
        (["in", "--output", "out"], "in/**/*.txt"),
        (["in/*.txt", "--output", "out", "--format", "xml"], "jsonl, parquet, csv"),
        (["in/*.txt", "--output", "out", "--workers", "-1"], "workers"),
        (["in/*.txt", "--output", "out", "--engine", "steam"], "engine"),
        (["in/*.txt", "--output", "out", "--scheduler", "tcp://h:1"], "Dask"),
        (["in/*.txt", "--output", "out", "--paragraphs", "pages"], "blank, line, none"),
        (["in/*.txt", "--output", "out", "--encoding", "klingon"], "klingon"),
        (["in/*.txt", "--output", "out", "--most-bytes", "0"], "bytes"),
        (["in/*.txt", "--output", "in/01.txt"], "folder"),
        (["in/*.txt", "--output", "in"], "other things"),
    ],
)
def test_what_can_not_work_is_one_paragraph(
    run_small: Run, texts: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(texts)
    code, out, err = run_small("bulk", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert [path.name for path in texts.iterdir()] == ["in"]


def test_parquet_without_pyarrow(run_small: Run, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = predict(run_small, texts, "--format", "parquet")
    assert code == 2
    assert 'pip install "disco2[parquet]"' in err
    assert not (texts / "out").exists()


def test_progress_is_a_line() -> None:
    half = BulkProgress(1_809, 800_000, 800_000, 8_000, 2, 20.0, 4_000, 1_700_000)
    assert (
        standing_line(half)
        == "1,809 of 4,000 documents, 0.8 of 1.7 MB, 2 workers, 400 sentences a second, 22 s left"
    )
    assert standing_line(BulkProgress(workers=1)) == "0 documents, 0.0 MB, 1 worker"
    long = BulkProgress(1, 10, 10, 5, 1, 3_600.0, 9, 40)
    assert standing_line(long).endswith("3 h 0 min left")
