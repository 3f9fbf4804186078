"""Rows without repetition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.english.constituents.network import distinct_rows


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_distinct_rows_make_the_table_again(rows: list[tuple[int, int]]) -> None:
    table = np.array(rows, dtype=np.int32)
    distinct, which = distinct_rows(table)
    assert distinct.tolist() == [list(row) for row in dict.fromkeys(rows)]
    assert np.array_equal(distinct[which], table)
