"""A table made again from the shipped vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disco2.errors import VectorsError
from disco2.vectors import WordVectors, load_vectors
from disco2.vectors.shipped import make_table, read_shipped, reduced_shipped


@pytest.mark.parametrize("dimensions", [100, 12])
def test_the_same_digits_after_one_cut_and_after_two(dimensions: int) -> None:
    everything = reduced_shipped(dimensions=dimensions)
    assert everything.words == read_shipped().words
    few = everything.cut(words={"Tina", "hungry", "zebra"}, frequent=10)
    fewer = few.cut(words={"zebra"}, frequent=2)
    assert (len(everything), len(few), len(fewer)) == (50_000, 13, 3)
    for made in (everything, few, fewer):
        assert made.recipe is not None
        again = make_table(made.recipe)
        assert again.words == made.words
        np.testing.assert_array_equal(again.matrix, made.matrix)


def test_only_tables_of_shipped_vectors_have_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("the 1 2\ncat 3 1\n")
    source = str(tmp_path / "vectors.txt")
    found = load_vectors(source, dimensions=2, words={"the"}, frequent=5, sentences=None, seed=1)
    assert found.recipe is None
    assert WordVectors(found.words, found.matrix).cut(words={"cat"}, frequent=0).recipe is None


def test_other_vectors_than_those_of_the_recipe_are_refused(tmp_path: Path) -> None:
    recipe = reduced_shipped(dimensions=100).recipe
    assert recipe is not None
    with pytest.raises(VectorsError, match="can't be read"):
        make_table(recipe, folder=tmp_path)
    (tmp_path / "vectors.safetensors").write_bytes(b"")
    (tmp_path / "words.txt").write_bytes(b"")
    with pytest.raises(VectorsError, match="are not the ones"):
        make_table(recipe, folder=tmp_path)
