"""Every reader of a corpus under Hypothesis: a sound corpus or one of our errors, whatever the files hold.

``DISCO2_FUZZ_EXAMPLES`` is the number of examples for each test; where it is given they differ each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing.corpora_targets import TARGETS
from tests.fuzzing.damage import NODES, damaged, with_other_node
from tests.fuzzing.made_up_files import FILES
from tests.fuzzing.target import Target, hold

USUAL = 25
EXAMPLES = int(os.environ.get("DISCO2_FUZZ_EXAMPLES", str(USUAL)))
JSON = ("conll16-relations", "conll16-parses", "pairs-json", "pair-lines")

by_name = {target.name: target for target in TARGETS}
fuzzed = settings(
    max_examples=EXAMPLES,
    derandomize="DISCO2_FUZZ_EXAMPLES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_what_the_targets_start_from_is_read(target: Target) -> None:
    for seed in target.seeds:
        assert hold(target, seed) is None


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@fuzzed
@given(data=st.data())
def test_good_files_that_were_damaged(target: Target, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(target.seeds))
    hold(target, data.draw(damaged(seed, target.tokens)))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@fuzzed
@given(data=st.data())
def test_any_bytes(target: Target, data: st.DataObject) -> None:
    pieces = st.one_of(st.binary(max_size=40), st.sampled_from(target.tokens))
    hold(target, b"".join(data.draw(st.lists(pieces, max_size=30))))


@pytest.mark.parametrize("name", FILES)
@fuzzed
@given(data=st.data())
def test_made_up_files(name: str, data: st.DataObject) -> None:
    content = data.draw(FILES[name])
    if data.draw(st.integers(0, 2)) == 0:
        content = data.draw(damaged(content, by_name[name].tokens))
    hold(by_name[name], content)


@pytest.mark.parametrize("name", JSON)
@fuzzed
@given(data=st.data())
def test_any_value_at_any_node_of_json(name: str, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(by_name[name].seeds))
    hold(by_name[name], data.draw(with_other_node(seed)))


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("number", range(len(NODES)))
def test_any_value_instead_of_json(name: str, number: int) -> None:
    hold(by_name[name], NODES[number].encode("utf-8", errors="surrogatepass"))
