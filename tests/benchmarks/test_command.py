"""``python -m benchmarks``: what it writes, and what it refuses. The measurements are stand-ins here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.speed import autograd, memory, plot, rows, training_step
from benchmarks.speed.rows import Beside, Row
from benchmarks.speed.run import Run
from benchmarks.speed.timing import in_turns
from benchmarks.speed.workload import generated_workload


def stand_in(run: Run) -> list[Row]:
    made: dict[str, list[Beside]] = {}
    for name, beside in command.KEYS.values():
        made.setdefault(name, []).append(Beside(beside, 100.0, 0.5))
    return [Row(name, "pairs", 50.0, tuple(found), peak=2**20) for name, found in made.items()]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "QUICK", (stand_in,))
    monkeypatch.setattr(command, "limit_this_process", lambda **options: None)


@pytest.mark.usefixtures("quick")
def test_ratios_machine_and_rows_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "speed.json"
    assert command.main(["--quick", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    for key in ("training_to_floor", "scoring_to_floor", "training_to_recursive"):
        assert found[key] == 0.5
    assert found["machine"]["processor"]
    assert found["machine"]["blas"][0]["num_threads"] >= 1
    assert found["settings"]["K"] == 50
    assert found["settings"]["batch"] == 64
    assert found["rows"][0]["beside"][0] == {"name": "floor", "a_second": 100.0, "ratio": 0.5}
    assert "| training step, generated" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gum", "nowhere"], "There is no GUM corpus"),
        (["--plot", "speed.pdf"], "End its name in .svg or .png"),
        (["--json", "."], "is no file"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_bad_options_are_refused_before_anything_is_measured(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "measure", lambda *given, **options: pytest.fail("measured"))
    assert command.main(options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--fast"], ["--json"], ["surplus"]])
def test_unknown_options_give_the_usage(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(options)
    assert stopped.value.code == 2
    assert "usage: python -m benchmarks" in capsys.readouterr().err


def test_a_table_has_a_line_for_each_reference() -> None:
    made = [
        Row("step", "pairs", 12_345.6, (Beside("floor", 20_000.0, 0.617), Beside("x", note="not installed"))),
        Row("alone", "bundles", 1.5, (), peak=3 * 2**20),
    ]
    lines = rows.table(made).splitlines()
    assert len(lines) == 2 + 3
    assert "12,346 pairs" in lines[2]
    assert "0.617" in lines[2]
    assert "not installed" in lines[3]
    assert "| 3 " in lines[4]
    assert len({len(line) for line in lines}) == 1


def test_a_ratio_is_the_product_s_rate_over_the_other_one() -> None:
    made = rows.row("step", "pairs", count=64, seconds={"product": 2.0, "floor": 1.0, "slow": 8.0})
    assert made.rate == 32
    assert made.ratio("floor") == 0.5
    assert made.ratio("slow") == 4
    with pytest.raises(KeyError):
        made.ratio("product")


def test_works_run_in_turns_and_the_best_counts() -> None:
    ran: list[str] = []
    times = iter([0.0, 9.0] * 2 + [0.0, 3.0, 0.0, 5.0, 0.0, 2.0, 0.0, 6.0])
    works = {"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}
    assert in_turns(works, repeats=2, clock=lambda: next(times)) == {"a": 2.0, "b": 5.0}
    assert ran == ["a", "b"] * 3


def test_peak_memory_is_what_the_work_holds_at_most() -> None:
    def work() -> None:
        large = bytearray(4 << 20)
        del large
        bytearray(1 << 20)

    assert 4 << 20 <= memory.peak_bytes(work) < 5 << 20


def test_without_pytorch_the_rows_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autograd, "is_installed", lambda: False)
    monkeypatch.setattr(training_step, "in_turns", lambda steps, repeats: dict.fromkeys(steps, 1.0))
    found = training_step.against_others(Run(), generated_workload(64), "step")
    assert {one.name: one.note for one in found.beside if one.note} == {
        training_step.NODES: "PyTorch is not installed",
        training_step.LEVELS: "PyTorch is not installed",
    }


def test_a_picture_has_every_panel() -> None:
    pytest.importorskip("matplotlib")
    sweeps = [
        {"over": over, "value": value, "threads": threads}
        | {f"{work}_to_floor": 0.5 for work in plot.COLOURS}
        | {f"{work}_pairs_a_second": 1000.0 for work in plot.COLOURS}
        for over in plot.OVER
        for value in (1, 2)
        for threads in (1, 2)
    ]
    growth = [
        {"over": over, "value": value, "seconds": value, "peak_bytes": value}
        for over in plot.GROWING
        for value in (1, 2)
    ]
    text = plot.draw(sweeps, growth, ".svg").decode()
    for said in (*plot.OVER.values(), "doubling doubles", "ratio to the floor", "training, 2 BLAS threads"):
        assert said in text
