"""Settings: one declaration that checks, prints and documents."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from disco2.errors import SettingsError
from disco2.experiments.configuration import (
    SECTIONS,
    Configuration,
    commented_toml,
    read_configuration,
    read_data,
)


def test_the_printed_configuration_reads_back_as_itself(tmp_path: Path) -> None:
    changed = read_configuration(
        None, ["model.K=30", "model.features=false", "task.keep=['a \"b\"', 'c']", "training.rate_upward=1"]
    )
    for number, configuration in enumerate((Configuration(), changed)):
        file = tmp_path / f"{number}.toml"
        file.write_text(commented_toml(configuration), encoding="utf-8")
        assert read_configuration(file) == configuration
        assert Configuration.from_json(configuration.to_json()) == configuration


def test_every_setting_has_a_comment() -> None:
    printed = commented_toml(Configuration()).splitlines()
    for section in SECTIONS:
        for setting in fields(getattr(Configuration(), section)):
            assert setting.metadata["doc"]
            assert f"# {setting.metadata['doc']}" in printed


def test_options_overrule_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[model]\nK = 20\nkind = "upward"\n', encoding="utf-8")
    configuration = read_configuration(file, ["model.K=25"])
    assert (configuration.model.K, configuration.model.kind) == (25, "upward")


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("model.k=50", "'model.K'"),
        ("training.epoch=5", "'training.epochs'"),
        ("patience=5", "'training.patience'"),
        ("nonsense", "lacks a value"),
        ("model.K=many", "whole number"),
        ("model.K=2.5", "whole number"),
        pytest.param("model.K=0x" + 5000 * "f", "not what was given", id="too long to print"),
        ("model.K=0", "at least 1"),
        ("model.K=true", "whole number"),
        ("model.kind=tree", "one of: entities"),
        ("model.features=1", "true or false"),
        ("features.word_pairs=-1", "at least 0"),
        ("task.keep=['a', 1]", "list of texts"),
        ("task.weak_kinds=['Explicit', 'Implicit']", "Implicit.*Explicit, AltLex, AltLexC"),
        ("task.weak_kinds=[]", "empty"),
        ("task.weak_weight=-0.1", "at least 0"),
        ("training.clip=nan", "clip must be a number"),
        (f"training.clip=1{'0' * 400}", "clip must be a number"),
        ("training.averaging=1", "below 1"),
        ("model.K=5\nmodel.rank=3", "whole number"),
        ("model.K=" + "[" * 50_000, "whole number"),
        ("model.K=" + "9" * 5_000, "whole number"),
        ("model.K=0b1" + "0" * 63, "whole number"),
        ("model.kind=0b" + "1" * 1_900, "kind must be a text"),
    ],
    ids=lambda text: text[:30],
)
def test_values_that_make_no_sense_are_refused(assignment: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        read_configuration(None, [assignment])
    assert assignment[:10] in str(caught.value)
    assert len(caught.value.what) < 300


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        read_configuration(tmp_path / "nowhere.toml")


def test_odd_texts_are_printed_so_that_they_read_back(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    odd = 'a\nb\t"c"\\ \x7f\x01 \U0001f600'
    configuration = Configuration().changed({"vectors.source": odd, "task.keep": (odd,)})
    file.write_text(commented_toml(configuration), encoding="utf-8-sig")  # with a byte order mark
    assert read_configuration(file) == configuration


@pytest.mark.parametrize(
    "text",
    [
        "K = 50",
        "[model]\nK = ",
        "[modle]\nK = 50",
        "\xff",
        "a = " + "[" * 50_000,
        "[model]\nK = " + "9" * 5_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_bad_file_is_refused_by_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        read_configuration(tmp_path / "bad.toml")


def test_corpora_are_read_and_printed_with_paths_from_the_folder_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mixture" / "c.toml"
    file.parent.mkdir()
    file.write_text(
        '[[data]]\ncorpus = "GUM"\npath = "../gum"\n'
        '[[data]]\ncorpus = "pairs"\npath = "/silver.csv"\nweight = 1\nlimit = 5\nlevel = 2\npart = "all"\n'
    )
    first, second = read_configuration(file, ["model.K=20"]).data
    assert (first.corpus, first.weight, first.part, first.limit, first.level) == ("gum", 1.0, "train", 0, -1)
    assert Path(first.path).resolve() == tmp_path / "gum"
    assert (second.path, second.limit, second.level, second.part) == ("/silver.csv", 5, 2, "all")
    elsewhere = tmp_path / "copy.toml"
    elsewhere.write_text(commented_toml(read_configuration(file)))
    assert read_configuration(elsewhere) == read_configuration(file)
    assert "data" not in read_configuration(file).to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[data]\ncorpus = 'gum'", r"\[\[data\]\]"),
        ("data = 3", "list of tables"),
        ("data = [3]", "list of tables"),
        ("[[data]]\ncorpus = 'gum'", "missing"),
        ("[[data]]\npath = 'gum'", "missing"),
        ("[[data]]\ncorpus = 'gum'\npath = 'gum'\nsplit = 'dev'", "'split'"),
        ("[[data]]\ncorpus = 'gmu'\npath = 'gum'", "Known corpora: gum"),
        ("[[data]]\ncorpus = 'gum'\npath = 'gum'\nweight = 'half'", "weight must be a number"),
        ("[[data]]\ncorpus = 'gum'\npath = 'gum'\nweight = -1.0", "above 0"),
        ("[[data]]\ncorpus = 'gum'\npath = 'gum'\nlimit = -1", "at least 0"),
        ("[[data]]\ncorpus = 'gum'\npath = \"a\\u0000\"", "missing"),
    ],
)
def test_corpora_that_make_no_sense_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(SettingsError, match=message) as caught:
        read_configuration(tmp_path / "c.toml")
    assert "c.toml" in caught.value.where


@pytest.mark.parametrize(
    ("text", "path", "weight"),
    [
        ("pairs=a.csv", "a.csv", 1.0),
        ("pairs = a.csv:0.25", "a.csv", 0.25),
        ("pairs=a=b:c.csv:2", "a=b:c.csv", 2.0),
        ("pairs=odd:3", "odd:3", 1.0),  # that file is there
    ],
)
def test_a_corpus_as_an_option(
    text: str, path: str, weight: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd:3").touch()
    found = read_data(text)
    assert (found.corpus, found.path, found.weight) == ("pairs", str(tmp_path / path), weight)
