"""The best one-to-one assignment of rows to columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_assignment(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the pairs whose weights, none of them negative, have the largest sum.

    The Hungarian method with shortest augmenting paths (Jonker & Volgenant 1987), in O(rows^2 columns) steps
    of NumPy over columns. ``weights`` is (rows, columns); as many pairs come back as the shorter side has.
    """
    if weights.shape[0] > weights.shape[1]:
        columns, rows = best_assignment(weights.T)
        return rows, columns
    height, width = weights.shape
    costs = -np.asarray(weights, dtype=np.float64)
    row_price = np.zeros(height + 1)
    column_price = np.zeros(width + 1)
    row_of = np.full(width + 1, -1, dtype=np.intp)  # the last column is where each search begins
    for row in range(height):
        row_of[width] = row
        column = width
        least = np.full(width + 1, np.inf)
        came_from = np.full(width + 1, -1, dtype=np.intp)
        done = np.zeros(width + 1, dtype=np.bool_)
        while row_of[column] >= 0:
            done[column] = True
            here = row_of[column]
            reduced = costs[here] - row_price[here] - column_price[:width]
            better = ~done[:width] & (reduced < least[:width])
            least[:width][better] = reduced[better]
            came_from[:width][better] = column
            following = int(np.argmin(np.where(done[:width], np.inf, least[:width])))
            step = least[following]
            row_price[row_of[done]] += step
            column_price[done] -= step
            least[:width][~done[:width]] -= step
            column = following
        while column != width:
            row_of[column] = row_of[came_from[column]]
            column = int(came_from[column])
        row_of[width] = -1
    columns = np.flatnonzero(row_of[:width] >= 0)
    order = np.argsort(row_of[columns])
    return row_of[columns][order], columns[order]
