"""What runs leave on disk, damaged: never a traceback, and never an answer that is not there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzzing.corpus_folder import NEXT_FILE
from tests.fuzzing.damage import NODES, damaged, with_other_node
from tests.fuzzing.record_targets import TARGETS
from tests.fuzzing.target import Target, hold
from tests.fuzzing.test_corpora import fuzzed

by_name = {target.name: target for target in TARGETS}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@fuzzed
@given(data=st.data())
def test_records_that_were_damaged(target: Target, data: st.DataObject) -> None:
    hold(target, data.draw(damaged(target.seeds[0], target.tokens)))


@pytest.mark.parametrize("place", [0, 1, 2])
@fuzzed
@given(data=st.data())
def test_any_value_at_any_node_of_a_run(place: int, data: st.DataObject) -> None:
    files = by_name["run-record"].seeds[0].split(NEXT_FILE)
    files[place] = data.draw(with_other_node(b" ".join(files[place].splitlines())))
    hold(by_name["run-record"], NEXT_FILE.join(files))


@pytest.mark.parametrize("number", range(len(NODES)))
def test_any_value_instead_of_a_record(number: int) -> None:
    node = NODES[number].encode()
    _, part = by_name["unfinished-output"].seeds[0].split(NEXT_FILE)
    hold(by_name["unfinished-output"], node + NEXT_FILE + part)
    hold(by_name["unfinished-output"], b'{"model": "abc", "input": "def"}' + NEXT_FILE + node + b"\n")


@pytest.mark.parametrize("number", range(len(NODES)))
def test_any_value_instead_of_a_run(number: int) -> None:
    node = NODES[number].encode()
    hold(by_name["run-record"], NEXT_FILE.join((node, node, node)))
