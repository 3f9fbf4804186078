"""disco2 predict and disco2 annotate, as a user meets them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from disco2.inference.results import read_schema
from tests.interfaces.conftest import Run

STORY = "Bob gave Tina the burger. She was hungry. However, Bob ate it.\n\nPrices rose."
VALIDATOR = Draft202012Validator(read_schema())


def test_a_text_is_listed(run_small: Run) -> None:
    code, out, err = run_small("predict", STORY)
    assert (code, err) == (0, "")
    first, second = out.strip().split("\n\n")
    assert "1: Bob gave Tina the burger." in first
    assert "2: She was hungry." in first
    assert "shared: Tina ~ She" in first
    assert "%" in first.splitlines()[0]
    assert "(Explicit: 'However')" in second


def test_json_fits_the_schema(run_small: Run, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    code, out, _ = run_small("predict", "--file", tmp_path / "story.txt", "--json")
    assert code == 0
    found = json.loads(out)
    VALIDATOR.validate(found)
    assert (found["document"], found["text"], found["model"]["name"]) == ("story", STORY, "small")
    assert [relation["kind"] for relation in found["relations"]][1] == "Explicit"
    code, out, _ = run_small("predict", STORY, "--json", "--explain")
    found = json.loads(out)
    VALIDATOR.validate(found)
    for relation in found["relations"]:
        parts = relation["explanation"]
        terms = [parts["bias"], parts["arguments"], *parts["pairs"], *parts["features"], parts["rounding"]]
        assert sum(term["value"] for term in terms) == pytest.approx(parts["score"], abs=1e-12)


def test_explanations_are_shown_as_a_table_that_adds_up(run_small: Run) -> None:
    code, out, _ = run_small("predict", "Bob gave Tina the burger. She was hungry.", "--explain")
    assert code == 0
    lines = out.splitlines()
    table = lines[next(n for n, line in enumerate(lines) if "difference" in line) + 1 :]
    figures = [[round(float(cell) * 10_000) for cell in line.split()[-3:]] for line in table if line.strip()]
    assert table[2].split()[:4] == ["mentions", "Tina", "~", "She"]
    assert table[len(figures) - 1].split()[0] == "total"
    assert [sum(column) for column in zip(*figures[:-1], strict=True)] == figures[-1]


def test_an_annotated_document_is_used_again(run_small: Run, tmp_path: Path) -> None:
    text, document = tmp_path / "story.txt", tmp_path / "new" / "doc.json"
    text.write_bytes(STORY.encode())
    code, out, _ = run_small("annotate", "--file", text, "--output", document)
    assert code == 0
    assert "4 sentences, 19 tokens, 2 chains" in out
    direct = run_small("predict", "--file", text, "--json")
    assert run_small("predict", "--document", document, "--json") == direct
    code, out, _ = run_small("annotate", "--file", text)
    assert code == 0
    assert json.loads(out) == json.loads(document.read_text(encoding="utf-8"))
    by_another = json.loads(out) | {"annotators": "somebody else"}
    document.write_text(json.dumps(by_another))
    assert (
        json.loads(run_small("predict", "--document", document, "--json")[1])["annotators"] == "somebody else"
    )


def test_standard_input(run_small: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STORY.encode())))
    code, out, _ = run_small("predict", "--file", "-", "--json")
    assert code == 0
    assert json.loads(out)["text"] == STORY


def test_nothing_to_pair_is_said(run_small: Run) -> None:
    for text in ("", "It rained.", "..."):
        code, out, err = run_small("predict", text)
        assert (code, out) == (0, "")
        assert "No relation found" in err
        assert json.loads(run_small("predict", text, "--json")[1])["relations"] == []


def test_windows_line_ends_and_a_byte_order_mark(run_small: Run, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_bytes(b"\xef\xbb\xbfBob left.\r\nTina stayed.\r\n")
    found = json.loads(run_small("predict", "--file", tmp_path / "w.txt", "--json")[1])
    assert found["text"] == "Bob left.\r\nTina stayed.\r\n"
    (relation,) = found["relations"]
    assert (relation["arg2"]["start"], relation["arg2"]["text"]) == (11, "Tina stayed.")
    assert (
        json.loads(run_small("predict", "--file", tmp_path / "w.txt", "--json", "--paragraphs", "line")[1])[
            "relations"
        ]
        == []
    )
    (tmp_path / "u.txt").write_bytes("Bob left. Tina stayed.".encode("utf-16"))
    assert json.loads(run_small("predict", "--file", tmp_path / "u.txt", "--json")[1])["text"][:3] == "Bob"


def test_nul_bytes_in_a_file(run_small: Run, tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_bytes(b"Bob\x00left.\x00 Tina stayed.")
    assert len(json.loads(run_small("predict", "--file", tmp_path / "n.txt", "--json")[1])["relations"]) == 1
    code, out, _ = run_small("predict", "--file", tmp_path / "n.txt")
    assert code == 0
    assert "\x00" not in out


def test_invalid_utf8(run_small: Run, tmp_path: Path) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes(b"It rained.\nThe caf\xe9 closed.")
    for command in ("predict", "annotate"):
        code, out, err = run_small(command, "--file", file)
        assert (code, out) == (2, "")
        assert "byte 0xe9 at offset 18, line 2" in err
        assert "--encoding latin-1" in err
    found = json.loads(run_small("predict", "--file", file, "--encoding", "latin-1", "--json")[1])
    assert found["relations"][0]["arg2"]["text"] == "The caf\u00e9 closed."
    assert run_small("predict", "bad \udcff text")[0] == 2  # as Python hands on what a shell could not decode


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "No text was given"),
        (["It rained.", "--file", "x"], "more than one input"),
        (["--file", "p", "--document", "d"], "more than one input"),
        (["--file", "nowhere.txt"], "no such file"),
        (["{text}"], "Use: --file "),
        (["--file", "."], "folder"),
        (["--document", "nowhere.json"], "no such file"),
        (["--document", "{text}"], "not JSON"),
        (["predict-pairs", "nowhere.jsonl"], "no such file"),
        (["predict-pairs", "{text}", "--output", "{text}"], "overwrite"),
        (["predict-pairs", "{text}", "--output", "{folder}/text"], "overwrite"),  # its part is the input
        (["predict-pairs", "{text}", "--output", "{folder}/text", "--restart"], "overwrite"),
        (["predict-pairs", "{text}", "--output", ""], "no name"),
        (["predict-pairs", "."], "folder"),
        (["predict-pairs", "{text}", "--batch-size", "0"], "batch"),
        (["predict-pairs", "-", "--output", "x"], "standard input"),
        (["It rained.", "--output", "x"], "--form"),
        (["It rained.", "--encoding", "latin-1"], "no effect"),
        (["--document", "{text}", "--spacy", "en_core_web_sm"], "no effect"),
        (["--pairs", "x"], "disco2 predict-pairs FILE"),
        (["--files", "*.txt", "--output", "x"], "disco2 bulk 'PATTERN' --output DIR"),
        (["It rained.", "--bundle", "x"], "--model"),
        (["It rained.", "--paragraphs", "pages"], "blank, line, none"),
        (["--file", "{text}", "--encoding", "klingon"], "klingon"),
        (["It rained.", "--model", "./nowhere"], "no disco2 model"),
    ],
)
def test_bad_input_is_one_paragraph_and_exit_code_2(
    run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = tmp_path / "text.part"
    text.write_text("It rained.")
    places = {"{text}": str(text), "{folder}": str(tmp_path)}
    for name, place in places.items():
        arguments = [one.replace(name, place) for one in arguments]
    command = "predict"
    if arguments[:1] == ["predict-pairs"]:
        command = arguments.pop(0)
    code, out, err = run_small(command, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["text.part"]
    assert text.read_text() == "It rained."


@pytest.mark.parametrize(
    "arguments", [["annotate"], ["annotate", "x", "--file", "y"], ["annotate", "x", "--parser", "stanford"]]
)
def test_annotate_refuses_what_it_can_not_use(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from disco2.interfaces.cli import main

    monkeypatch.setattr(sys, "argv", ["disco2", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_sentences_are_shown_on_one_short_line(run_small: Run) -> None:
    text = f"Bob\x1b[31m left [red]here[/red] :smile:. {'Tina ' * 100}stayed."
    code, out, _ = run_small("predict", text)
    assert code == 0
    assert "\x1b" not in out
    assert "[red]here[/red] :smile:" in out
    assert max(map(len, out.splitlines())) < 120


def test_annotate_does_not_overwrite_its_input_or_a_device(run_small: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It rained.")
    (tmp_path / "link").symlink_to(text)
    for output, message in ((text, "overwrite"), (tmp_path / "link", "overwrite"), (tmp_path, "no file")):
        code, out, err = run_small("annotate", "--file", text, "--output", output)
        assert (code, out) == (2, "")
        assert message in err
    assert text.read_text() == "It rained."


FORMS_TEXT = "The shop opened in May. However, nobody came. If it rains, then the match ends."


def test_relations_are_written_in_other_forms(run_small: Run, tmp_path: Path) -> None:
    code, out, err = run_small("predict", FORMS_TEXT, "--form", "brat", "--output", tmp_path / "out")
    assert (code, out) == (0, "")
    assert "relations written as brat" in err
    assert (tmp_path / "out" / "text.ann").is_file()
    for options, message in (
        (["--form", "brat"], "no folder"),
        (["--form", "xml", "--output", tmp_path / "x"], "Unknown form 'xml'"),
        (["--form", "csv", "--output", tmp_path / "x", "--json"], "combined"),
        (["--output", tmp_path / "x"], "--form"),
    ):
        code, _, err = run_small("predict", FORMS_TEXT, *options)
        assert code == 2
        assert message in err
