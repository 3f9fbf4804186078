"""Names that a model or a file brings are shown and never obeyed: on the terminal, in a page, in JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

import disco2
from disco2.bundle import save_bundle
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.cli.listing import SafeConsole
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import small_model
from tests.interfaces.conftest import Run
from tests.interfaces.stand_in import stand_in

STEERING = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\x7f\x08"
MARKUP = "</script><img src=x onerror=alert(1)>{{ 7 * 7 }}[bold]"
HOSTILE = [f"{STEERING}{number}{MARKUP}" for number in range(4)]
TEXT = "Bob stayed at home. It rained all day."


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    model = replace(small_model(), labels=tuple(HOSTILE))
    named = {"name": f"n{STEERING}{MARKUP}", "licence": f"l{STEERING}{MARKUP}", "corpus": STEERING}
    save_bundle(model, tmp_path / "model", data=named)
    return tmp_path / "model"


def steers(shown: str) -> bool:
    return any(sign in shown for sign in STEERING if not sign.isprintable())


@pytest.mark.parametrize(
    "command", [["predict", TEXT], ["predict", TEXT, "--explain"], ["doctor", "--quick"]]
)
def test_the_terminal_obeys_no_label(
    command: list[str], run: Run, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    _, out, err = run(*command, "--model", bundle)
    assert "onerror" in out  # the name is there, as it is
    assert not steers(out + err)


def test_json_escapes_what_steers(run: Run, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    _, out, _ = run("predict", TEXT, "--json", "--model", bundle)
    assert not steers(out)
    assert json.loads(out)["relations"][0]["sense"] in HOSTILE


def test_a_page_holds_no_element_of_a_label(bundle: Path) -> None:
    pipeline: Pipeline = disco2.load(bundle, annotators=RuleAnnotator())
    found = pipeline.relations(pipeline.annotate(TEXT))
    page = disco2.render(found, pipeline=pipeline, jupyter=False)
    assert page is not None
    assert "onerror" in page
    assert "<img" not in page
    assert "49[" not in page


def test_an_error_obeys_no_name_of_a_file(run: Run, tmp_path: Path) -> None:
    code, out, err = run("predict", TEXT, "--model", tmp_path / STEERING)
    assert code == 2
    assert "title" in err
    assert not steers(out + err)


def test_the_console_keeps_its_own_colours_and_lines() -> None:
    stream = io.StringIO()
    console = SafeConsole(file=stream, force_terminal=True, color_system="standard", width=80)
    table = Table(box=None)
    table.add_column(Text(STEERING))
    table.add_row(Text(f"cell{STEERING}"))
    console.print(f"one\ntwo\t{STEERING}", style="bold", markup=False)
    console.print(table)
    shown = stream.getvalue()
    assert "\x1b[1mone" in shown
    assert shown.count("\n") >= 4
    assert "\x1b[2J" not in shown
    assert not set("\x07\x9b\u202e\x7f\x08") & set(shown)


def test_names_in_other_scripts_are_shown_as_they_are() -> None:
    stream = io.StringIO()
    console = SafeConsole(file=stream, width=200)
    said = "علت و معلول می\u200cشود, 因果, причина, naïve, 👨\u200d👩"
    console.print(said, markup=False)
    assert stream.getvalue() == f"{said}\n"
