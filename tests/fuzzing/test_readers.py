"""Every reader under Hypothesis: something sound or one of our errors, in bounded memory and time.

``DISCO2_FUZZ_EXAMPLES`` is the number of examples for each test; if it is set they differ each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing.damage import NODES, damaged, with_other_node
from tests.fuzzing.target import NEXT_FILE, Target, all_targets, hold

TARGETS = all_targets()
# The records of interrupted work are begun again where they are damaged; their seeds are damaged already.
READ = [target for target in TARGETS.values() if target.name not in ("run-record", "unfinished-output")]
JSON = [target for target in TARGETS.values() if target.seeds[0][:1] == b"{"]
every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)
json_targets = pytest.mark.parametrize("target", JSON, ids=lambda target: target.name)
fuzzed = settings(
    max_examples=int(os.environ.get("DISCO2_FUZZ_EXAMPLES", "25")),
    derandomize="DISCO2_FUZZ_EXAMPLES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("target", READ, ids=lambda target: target.name)
def test_seeds_are_read(target: Target) -> None:
    for seed in target.seeds:
        assert hold(target, seed) is None


@every_target
@fuzzed
@given(data=st.data())
def test_damaged_files(target: Target, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(target.seeds))
    hold(target, data.draw(damaged(seed, target.tokens)))


@every_target
@fuzzed
@given(data=st.data())
def test_any_bytes(target: Target, data: st.DataObject) -> None:
    pieces = st.one_of(st.binary(max_size=40), st.sampled_from(target.tokens))
    hold(target, b"".join(data.draw(st.lists(pieces, max_size=30))))


@json_targets
@fuzzed
@given(data=st.data())
def test_any_value_at_any_node_of_json(target: Target, data: st.DataObject) -> None:
    first, *others = target.seeds[0].split(NEXT_FILE)
    changed = data.draw(with_other_node(first if first.count(b"\n{") else b" ".join(first.split())))
    hold(target, NEXT_FILE.join([changed, *others]))


@json_targets
def test_any_value_instead_of_json(target: Target) -> None:
    for node in NODES:
        hold(target, node.encode("utf-8", errors="surrogatepass"))
