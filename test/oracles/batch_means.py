"""Computes means of series and their intervals by batch means with NumPy and SciPy.

Reads a JSON list from standard input: the values, batches, warm-up and confidence of each series.
"""

import json
import sys

import numpy
from scipy import stats


def estimate(values, batches, warmup, confidence):
    settled = numpy.array(values[warmup:], dtype=float)
    size = len(settled) // batches
    means = settled[len(settled) - batches * size :].reshape(batches, size).mean(axis=1)
    interval = stats.ttest_1samp(means, 0).confidence_interval(confidence)
    return [float(means.mean()), float(means.std(ddof=1)), float(interval.low), float(interval.high)]


print(json.dumps([estimate(*case) for case in json.load(sys.stdin)]))
