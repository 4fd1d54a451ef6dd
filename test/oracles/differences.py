"""Computes intervals of the mean of b minus the mean of a with SciPy, in pairs and by Welch's method.

Reads a JSON list of triples from standard input: a, b and the confidence.
"""

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
