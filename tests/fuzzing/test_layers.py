"""Readers of layers, caches, vectors, settings, bundles and requests under Hypothesis.

Each returns something sound or raises one of our errors, whatever the bytes are, in bounded memory and time.
"""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzzing.damage import NODES, damaged, with_other_node
from tests.fuzzing.made_up_layers import LAYERS
from tests.fuzzing.target import Target, hold
from tests.fuzzing.test_corpora import fuzzed

FILES = ("bundle", "cache", "document", "http", "layer", "parser", "settings", "vector")
TARGETS = [target for file in FILES for target in import_module(f"tests.fuzzing.{file}_targets").TARGETS]
BY_NAME = {target.name: target for target in TARGETS}
JSON = [
    name
    for name in (
        *("annotated-document", "cache-entry", "bundle-manifest", "bundle-manifest-unsealed"),
        *("bundle-features", "http-relations", "http-views"),
    )
    if name in BY_NAME  # without the server's packages there are no requests
]
every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


@every_target
def test_what_the_targets_start_from_is_read(target: Target) -> None:
    for seed in target.seeds:
        assert hold(target, seed) is None


@every_target
@fuzzed
@given(data=st.data())
def test_good_files_that_were_damaged(target: Target, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(target.seeds))
    hold(target, data.draw(damaged(seed, target.tokens)))


@every_target
@fuzzed
@given(data=st.data())
def test_any_bytes(target: Target, data: st.DataObject) -> None:
    pieces = st.one_of(st.binary(max_size=40), st.sampled_from(target.tokens))
    hold(target, b"".join(data.draw(st.lists(pieces, max_size=30))))


@pytest.mark.parametrize("name", LAYERS)
@fuzzed
@given(data=st.data())
def test_made_up_files(name: str, data: st.DataObject) -> None:
    content = data.draw(LAYERS[name])
    if data.draw(st.integers(0, 2)) == 0:
        content = data.draw(damaged(content, BY_NAME[name].tokens))
    hold(BY_NAME[name], content)


@pytest.mark.parametrize("name", JSON)
@fuzzed
@given(data=st.data())
def test_any_value_at_any_node_of_json(name: str, data: st.DataObject) -> None:
    seeds = [b" ".join(seed.split()) for seed in BY_NAME[name].seeds if seed.startswith(b"{")]
    hold(BY_NAME[name], data.draw(with_other_node(data.draw(st.sampled_from(seeds)))))


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("number", range(len(NODES)))
def test_any_value_instead_of_json(name: str, number: int) -> None:
    hold(BY_NAME[name], NODES[number].encode("utf-8", errors="surrogatepass"))
