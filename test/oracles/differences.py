"""Intervals of the mean of b less that of a with SciPy: of pairs, and by Welch. Takes triples of a, b and the confidence as JSON."""

import json
import sys

from scipy import stats


def intervals(a, b, confidence):
    welch = stats.ttest_ind(b, a, equal_var=False).confidence_interval(confidence)
    if len(a) != len(b):
        return [list(map(float, welch)), None]
    pairs = stats.ttest_rel(b, a).confidence_interval(confidence)
    return [list(map(float, welch)), list(map(float, pairs))]


print(json.dumps([intervals(*triple) for triple in json.load(sys.stdin)]))
