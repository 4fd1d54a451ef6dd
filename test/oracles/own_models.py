"""Models of the points of searches and of fractions, from the raw runs."""

import numpy as np
from scipy import stats

from own_numbers import place_of


def searched_ps(points, inputs):
    """The p-value of each searched input: a line and a square of all inputs, with and without this one; or without it."""
    keys = points.known
    x = np.array([[place_of(v) for v in points.inputs[key]] for key in keys])
    y = np.array([points.of(key) for key in keys])
    columns = [np.column_stack([x[:, at], x[:, at] ** 2]) for at in range(len(inputs))]

    def rest(kept):
        design = np.column_stack([np.ones(len(keys)), *kept])
        found, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
        return float(np.sum((y - design @ found) ** 2)), rank

    squares, rank = rest(columns)
    freedom = len(keys) - rank
    if freedom < 3 or squares <= 1e-18 * float(np.sum((y - np.mean(y)) ** 2)):
        return {}
    ps = {}
    for at, name in enumerate(inputs):
        more, fewer = rest(columns[:at] + columns[at + 1 :])
        if rank > fewer:
            ps[name] = float(stats.f.sf(max(0, more - squares) / (rank - fewer) / (squares / freedom), rank - fewer, freedom))
    return ps


def main_share(points, places, is_paired):
    """The share of the main effects of inputs with two levels in the variance of the points, without that of chance."""
    y = np.array([points.of(key) for key in points.known])
    within = points.chance()
    noise = within[0] * float(np.mean([1 / len(points.values[k]) for k in points.known])) if within else 0.0

    def without_chance(form, freedom):
        added = points.added(form) if is_paired else None
        return form(y) - (freedom * noise if added is None else added)

    all_squares = without_chance(lambda values: float(np.sum((values - np.mean(values)) ** 2)), len(y) - 1)
    squares = 0.0
    for at in places:
        x = np.array([place_of(points.inputs[key][at]) for key in points.known]) - 0.5
        squares += without_chance(lambda values, x=x: float(np.sum(x * values)) ** 2 / float(np.sum(x**2)), 1)
    return squares / all_squares if all_squares > 0 else 0.0
