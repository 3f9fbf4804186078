"""disco2 predict, predict-pairs and bulk, and disco2 annotate, whose documents predict reads."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import read_schema
from disco2.shipped import MODELS
from tests.conftest import ROOT
from tests.interfaces.conftest import Run
from tests.interfaces.stand_in import PROGRAM

STORY = "Bob gave Tina the burger. She was hungry. However, Bob ate it.\n\nPrices rose."
VALIDATOR = Draft202012Validator(read_schema())


def test_a_text_is_listed(run_small: Run) -> None:
    code, out, err = run_small("predict", STORY)
    assert (code, err) == (0, "")
    first, second = out.strip().split("\n\n")
    for line in ("1: Bob gave Tina the burger.", "2: She was hungry.", "shared: Tina ~ She"):
        assert line in first
    assert "%" in first.splitlines()[0]
    assert "(Explicit, Arg2-as-denier: 'However')" in second
    text = f"Bob\x1b[31m left [red]here[/red] :smile:. {'Tina ' * 100}stayed."
    _, out, _ = run_small("predict", text)
    assert "[red]here[/red] :smile:" in out
    assert f"2: {'Tina ' * 100}stayed.\n" in out


def test_unsure_relations_and_other_languages(run_small: Run) -> None:
    _, out, _ = run_small("predict", STORY, "--min-probability", "1")
    heading, top, *_ = out.splitlines()
    assert "%, unsure (" in heading
    assert (top.startswith("   most probable: "), top.count("%")) == (True, 3)
    assert run_small("predict", STORY, "--min-probability", "2")[0] == 2
    code, _, err = run_small("predict", "Das Wetter war schlecht. Wir sind zu Hause geblieben.")
    assert (code, "does not look like English" in err) == (0, True)


def test_json_fits_the_schema_and_explanations_add_up(run_small: Run, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    found = json.loads(run_small("predict", "--file", tmp_path / "story.txt", "--json")[1])
    VALIDATOR.validate(found)
    assert (found["document"], found["text"], found["model"]["name"]) == ("story", STORY, "small")
    found = json.loads(run_small("predict", STORY, "--json", "--explain")[1])
    VALIDATOR.validate(found)
    for relation in found["relations"]:
        parts = relation["explanation"]
        terms = [parts["bias"], parts["arguments"], *parts["pairs"], *parts["features"], parts["rounding"]]
        assert sum(term["value"] for term in terms) == pytest.approx(parts["score"], abs=1e-12)


def test_explanations_are_a_table_that_adds_up(run_small: Run) -> None:
    _, out, _ = run_small("predict", "Bob gave Tina the burger. She was hungry.", "--explain")
    lines = out.splitlines()
    begin = next(n for n, line in enumerate(lines) if "difference" in line) + 1
    end = next(n for n, line in enumerate(lines) if line.split()[:1] == ["total"]) + 1
    figures = [[round(float(cell) * 10_000) for cell in line.split()[-3:]] for line in lines[begin:end]]
    assert lines[begin + 2].split()[:4] == ["mentions", "Tina", "~", "She"]
    assert any(line.startswith("   word pairs ") for line in lines[begin:end])
    assert lines[end].startswith("   strongest features: ")
    assert [sum(column) for column in zip(*figures[:-1], strict=True)] == figures[-1]


def test_an_annotated_document_is_used_again(run_small: Run, tmp_path: Path) -> None:
    text, document = tmp_path / "story.txt", tmp_path / "new" / "doc.json"
    text.write_bytes(STORY.encode())
    code, out, _ = run_small("annotate", "--file", text, "--output", document)
    assert (code, "4 sentences, 19 tokens, 2 chains" in out) == (0, True)
    direct = run_small("predict", "--file", text, "--json")
    assert run_small("predict", "--document", document, "--json") == direct
    content = json.loads(run_small("annotate", "--file", text)[1])
    assert content == json.loads(document.read_text(encoding="utf-8"))
    document.write_text(json.dumps(content | {"annotators": "another"}))
    assert json.loads(run_small("predict", "--document", document, "--json")[1])["annotators"] == "another"
    (tmp_path / "link").symlink_to(text)
    for output, message in ((text, "overwrite"), (tmp_path / "link", "overwrite"), (tmp_path, "file")):
        code, out, err = run_small("annotate", "--file", text, "--output", output)
        assert (code, out, message in err) == (2, "", True)
    assert text.read_bytes() == STORY.encode()


def test_relations_in_other_forms(run_small: Run, tmp_path: Path) -> None:
    code, out, err = run_small("predict", STORY, "--form", "brat", "--output", tmp_path / "out")
    assert (code, out, "relations written as brat" in err) == (0, "", True)
    assert (tmp_path / "out" / "text.ann").is_file()


def test_texts_without_relations(run_small: Run) -> None:
    for text in ("", "It rained.", "..."):
        code, out, err = run_small("predict", text)
        assert (code, out, err) == (0, "", "No relation found.\n")
        assert json.loads(run_small("predict", text, "--json")[1])["relations"] == []


def test_encodings(run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"

    def found(content: bytes, *options: str) -> Any:
        file.write_bytes(content)
        return json.loads(run_small("predict", "--file", file, "--json", *options)[1])

    windows = b"\xef\xbb\xbfBob left.\r\nTina stayed.\r\n"
    (relation,) = found(windows)["relations"]
    assert (relation["arg2"]["start"], relation["arg2"]["text"]) == (11, "Tina stayed.")
    assert found(windows, "--paragraphs", "line")["relations"] == []
    assert found("Bob left. Tina stayed.".encode("utf-16"))["text"][:3] == "Bob"
    assert len(found(b"Bob\x00left.\x00 Tina stayed.")["relations"]) == 1
    latin = b"It rained.\nThe caf\xe9 closed."
    assert found(latin, "--encoding", "latin-1")["relations"][0]["arg2"]["text"] == "The caf\u00e9 closed."
    for command in ("predict", "annotate"):
        code, out, err = run_small(command, "--file", file)
        assert (code, out) == (2, "")
        assert "byte 0xe9 in position 18: invalid continuation byte, line 2" in err
        assert "--encoding latin-1" in err
    assert run_small("predict", "bad \udcff text")[0] == 2  # what a shell could not decode
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STORY.encode())))
    assert json.loads(run_small("predict", "--file", "-", "--json")[1])["text"] == STORY


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("predict", "No text was given"),
        ("predict It-rained. --file x", "more than one input"),
        ("predict --file p --document d", "more than one input"),
        ("predict --file nowhere.txt", "No such file"),
        ("predict text.part", "Use: --file text.part"),
        ("predict --file .", "Is a directory"),
        ("predict --document nowhere.json", "No such file"),
        ("predict --document text.part", "Invalid JSON"),
        ("predict It-rained. --output x", "belong together"),
        ("predict It-rained. --form conll16", "belong together"),
        ("predict It-rained. --form word --output x", "conll16"),
        ("predict It-rained. --paragraphs pages", "blank, line, none"),
        ("predict --file text.part --encoding klingon", "klingon"),
        ("predict It-rained. --model ./nowhere", "no disco2 model"),
        ("predict It-rained. --model en-fats", "Unknown model 'en-fats'. Did you mean 'en-fast'?"),
        ("predict-pairs nowhere.jsonl", "No such file"),
        ("predict-pairs text.part --output text.part", "overwrite"),
        ("predict-pairs text.part --output text", "overwrite"),  # text.part is where it would write
        ("predict-pairs text.part --output text --restart", "overwrite"),
        ("predict-pairs .", "Is a directory"),
        ("predict-pairs . --output x", "Is a directory"),
        ("predict-pairs - --output x", "standard input"),
        ("annotate", "No text was given"),
        ("annotate x --file y", "more than one input"),
        ("bulk none/*.txt --output out", "No file matches"),
        ("bulk . --output out", "**/*.txt"),
        ("bulk *.part --output out --format xml", "jsonl, parquet, csv"),
        ("bulk *.part --output out --engine steam", "engine"),
        ("bulk *.part --output out --scheduler tcp://h:1", "Dask"),
        ("bulk *.part --output out --paragraphs pages", "blank, line, none"),
        ("bulk *.part --output out --encoding klingon", "klingon"),
        ("bulk *.part --output out --most-bytes 0", "bytes"),
        ("bulk *.part --output text.part", "can't be written"),
        ("bulk *.part --output .", "other files"),
    ],
)
def test_bad_input_is_one_paragraph_and_exit_code_2(
    run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = tmp_path / "text.part"
    text.write_text("It rained.")
    code, out, err = run_small(*command.split())
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["text.part"]
    assert text.read_text() == "It rained."


# Pairs


def write_pairs(folder: Path, count: int, *, broken: dict[int, str] | None = None) -> Path:
    lines = [
        json.dumps({"arg1": f"Bob ate {n} eggs.", "arg2": "Tina slept.", "id": n})
        for n in range(1, count + 1)
    ]
    for number, text in (broken or {}).items():
        lines[number - 1] = text
    file = folder / "pairs.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_pairs_are_answered_in_order(run_small: Run, tmp_path: Path) -> None:
    pairs, output = write_pairs(tmp_path, 7), tmp_path / "out" / "answers.jsonl"
    code, out, err = run_small("predict-pairs", pairs, "--output", output)
    assert (code, err, "7 pairs" in out) == (0, "", True)
    found = records(output)
    assert [(one["line"], one["id"]) for one in found] == [(n, n) for n in range(1, 8)]
    for one in found:
        VALIDATOR.validate(one)
    assert [path.name for path in output.parent.iterdir()] == ["answers.jsonl"]
    _, out, _ = run_small("predict-pairs", pairs)
    assert [json.loads(line)["sense"] for line in out.splitlines()] == [one["sense"] for one in found]
    run_small("predict-pairs", pairs, "--output", output, "--explain")
    assert {len(one["explanation"]["pairs"]) for one in records(output)} == {0}
    pairs.write_text("\n\n")
    assert run_small("predict-pairs", pairs, "--output", output)[0] == 0
    assert output.read_bytes() == b""


def test_broken_lines_are_reported(run_small: Run, tmp_path: Path) -> None:
    broken = {4: '{"arg1": "It rained."', 9: '{"arg1": "It rained.", "arg2": "!"}'}
    pairs, output = write_pairs(tmp_path, 12, broken=broken), tmp_path / "out.jsonl"
    code, _, err = run_small("predict-pairs", pairs, "--output", output)
    assert code == 2
    assert f"{pairs}: line 4: This is not JSON" in err
    assert f"{pairs}: line 9: The argument arg2 has no word" in err
    assert "2 of 12 lines have no answer; the others are done" in err
    found = records(output)
    assert [one["line"] for one in found if "error" in one] == [4, 9]
    for one in found:
        VALIDATOR.validate(one)


def test_an_interrupted_run_resumes(run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, output = write_pairs(tmp_path, 10, broken={3: "{}"}), tmp_path / "out.jsonl"
    command = ("predict-pairs", pairs, "--output", output)
    monkeypatch.setattr("disco2.interfaces.cli.predict.BATCH_SIZE", 4)
    original, started = Pipeline.classify_pairs, []

    def interrupted(self: Pipeline, given: Any, **_: float) -> Any:
        started.append(len(given))
        if len(started) == 2:
            raise KeyboardInterrupt
        return original(self, given)

    monkeypatch.setattr(Pipeline, "classify_pairs", interrupted)
    code, _, err = run_small(*command)
    assert (code, output.exists()) == (130, False)
    assert "interrupted" in err
    assert "run the same command to resume" in err
    code, _, err = run_small(*command, "--prior", "uniform")
    assert (code, "begun with another prior" in err, "--restart" in err) == (2, True, True)
    code, _, err = run_small(*command)
    assert (code, started) == (2, [3, 4, 4, 2])  # 2 for line 3; the first four are not done again
    assert "resuming after 4 pairs" in err
    assert [one["line"] for one in records(output)] == list(range(1, 11))


def test_a_killed_run_resumes_to_the_same_bytes(small_bundle: Path, tmp_path: Path) -> None:
    pairs, output = write_pairs(tmp_path, 2000), tmp_path / "out.jsonl"
    part = tmp_path / "out.jsonl.part"
    command = [*PROGRAM, "predict-pairs", str(pairs), "--output", str(output), "--model", str(small_bundle)]
    done = 0
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if part.exists() and part.read_bytes().count(b"\n") >= done + 10:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        assert process.wait() == -signal.SIGKILL, "it was not killed in time"
        done = part.read_bytes().count(b"\n")
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "resuming after" in finished.stderr
    resumed = output.read_bytes()
    assert [one["id"] for one in records(output)] == list(range(1, 2001))
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert output.read_bytes() == resumed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "pairs.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="named pipes are for POSIX only")
def test_pairs_from_a_pipe(run_small: Run, tmp_path: Path) -> None:
    """Such as a shell's <(...)."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream:
        stream.write(write_pairs(tmp_path, 3).read_bytes())
    pipe = f"/dev/fd/{reading}"
    assert "can resume" in run_small("predict-pairs", pipe, "--output", tmp_path / "out.jsonl")[2]
    code, out, _ = run_small("predict-pairs", pipe)
    os.close(reading)
    assert (code, len(out.splitlines())) == (0, 3)


# Many files


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with thirty documents in its folder ``in``."""
    (tmp_path / "in").mkdir()
    for number in range(30):
        (tmp_path / "in" / f"{number:02d}.txt").write_text(f"Bob ate {number} eggs. Tina slept. It rained.")
    return tmp_path


def bulk(run: Run, folder: Path, *options: str | Path) -> tuple[int, str, str]:
    return run("bulk", f"{folder}/in/*.txt", "--output", folder / "out", "--shard-documents", "10", *options)


def test_bulk(run_small: Run, texts: Path) -> None:
    code, out, err = bulk(run_small, texts, "--workers", "2")
    assert (code, err) == (0, "")
    assert out.startswith(f"{texts}/out: 30 documents, 90 sentences, 60 relations in ")
    code, _, err = bulk(run_small, texts)
    assert (code, "shards were already there" in err) == (0, True)
    (texts / "in" / "05.txt").write_bytes(b"caf\xe9")
    code, out, err = bulk(run_small, texts)
    assert (code, "30 documents" in out) == (2, True)
    assert "05.txt: The text is not utf-8" in err
    assert "1 of 30 documents have no relations; the others are done." in err
    for option in ("--explain", "--prior=NoRel=0.9"):
        code, _, err = bulk(run_small, texts, option)
        assert (code, "--restart" in err) == (2, True)
    assert bulk(run_small, texts, "--explain", "--restart", "--encoding", "latin-1")[::2] == (0, "")


def test_bulk_gives_the_relations_of_each_text(run_small: Run, texts: Path) -> None:
    alone = json.loads(run_small("predict", "--file", texts / "in" / "07.txt", "--json", "--explain")[1])
    bulk(run_small, texts, "--explain")
    lines = [line for shard in (texts / "out" / "relations").iterdir() for line in records(shard)]
    (line,) = [line for line in lines if line["document"] == "07.txt"]
    assert line["relations"] == alone["relations"]
    assert line["sentences"] == len(alone["sentences"])
    bulk(run_small, texts, "--restart", "--format", "csv")
    rows: list[dict[str, str]] = []
    for shard in (texts / "out" / "relations").glob("*.csv"):
        with shard.open(encoding="utf-8", newline="") as stream:
            rows += csv.DictReader(stream)
    found = [(row["sense"], row["arg2"]) for row in rows if row["document"] == "07.txt"]
    assert found == [(one["sense"], one["arg2"]["text"]) for one in alone["relations"]]


# The program as installed, with the shipped models


def test_the_first_prediction_from_a_cold_start() -> None:
    """She and he are different entities, with different terms."""

    def predict(text: str) -> Any:
        command = ["predict", text, "--json", "--explain", "--model", "en-fast"]
        done = subprocess.run(
            [sys.executable, "-m", "disco2", *command], capture_output=True, text=True, check=True, cwd=MODELS
        )
        return json.loads(done.stdout)

    found = [predict(f"Bob gave Tina the burger. {who} was hungry.") for who in ("She", "He")]
    for result in found:
        VALIDATOR.validate(result)
    hers, his = (result["relations"][0]["explanation"]["pairs"] for result in found)
    assert [(pair["arg1"]["text"], pair["arg2"]["text"]) for pair in hers] == [("Tina", "She")]
    assert [(pair["arg1"]["text"], pair["arg2"]["text"]) for pair in his] == [("Bob", "He")]
    assert hers[0]["value"] != his[0]["value"]
