"""Computes points, discrepancies, quantiles, intervals and means with SciPy, for comparison with the values of foray."""

import numpy as np
from scipy import stats
from scipy.stats import qmc

ENGINES = {"sobol": qmc.Sobol, "halton": qmc.Halton, "lhs": qmc.LatinHypercube}


def points(question):
    """The first points of a sequence that is not scrambled."""
    engine = ENGINES[question["method"]](d=question["dimensions"], scramble=False)
    return engine.random(question["points"]).tolist()


def discrepancies(question):
    """The centered discrepancies of the given samples and of the same number of SciPy's samples."""
    ours = [qmc.discrepancy(np.array(sample)) for sample in question["samples"]]
    count, dimensions = np.array(question["samples"][0]).shape
    engine = ENGINES[question["method"]]
    theirs = [
        qmc.discrepancy(engine(d=dimensions, rng=np.random.default_rng(seed)).random(count))
        for seed in range(len(ours))
    ]
    return {"ours": ours, "theirs": theirs}


def quantiles(question):
    """Quantiles of distributions at some shares.

    Above 0.5, a quantile of a normal distribution comes from the mirrored distribution, because SciPy's truncnorm loses
    half of its digits near 1.
    """
    return [[quantile(d, u) for u in question["shares"]] for d in question["distributions"]]


def quantile(d, u):
    if d["kind"] != "normal" or u < 0.5:
        return float(frozen(d).ppf(u))
    mirrored = {"kind": "normal", "mean": -d["mean"], "sd": d["sd"]}
    for limit, other in (("min", "max"), ("max", "min")):
        if limit in d:
            mirrored[other] = -d[limit]
    return -float(frozen(mirrored).ppf(1 - u))


def frozen(d):
    if d["kind"] == "uniform":
        return stats.uniform(d["min"], d["max"] - d["min"])
    if d["kind"] == "log-uniform":
        return stats.loguniform(d["min"], d["max"])
    if d["kind"] == "triangular":
        width = d["max"] - d["min"]
        return stats.triang((d["mode"] - d["min"]) / width, d["min"], width)
    mean, sd = d["mean"], d["sd"]
    limits = [(d.get("min", -np.inf) - mean) / sd, (d.get("max", np.inf) - mean) / sd]
    return stats.truncnorm(*limits, mean, sd) if np.isfinite(limits).any() else stats.norm(mean, sd)


def student(question):
    """Quantiles of Student's t. Each pair has a probability and the degrees of freedom."""
    return [stats.t.ppf(p, freedom) for p, freedom in question["pairs"]]


def differences(question):
    """Intervals of the mean of b minus the mean of a, by Welch's method and, for equal lengths, in pairs."""
    return [intervals(*case) for case in question["cases"]]


def intervals(a, b, confidence):
    welch = stats.ttest_ind(b, a, equal_var=False).confidence_interval(confidence)
    if len(a) != len(b):
        return [list(map(float, welch)), None]
    pairs = stats.ttest_rel(b, a).confidence_interval(confidence)
    return [list(map(float, welch)), list(map(float, pairs))]


def batch_means(question):
    """Means of series, with their standard deviations and intervals by batch means."""
    return [estimate(*case) for case in question["cases"]]


def estimate(values, batches, warmup, confidence):
    settled = np.array(values[warmup:], dtype=float)
    size = len(settled) // batches
    means = settled[len(settled) - batches * size :].reshape(batches, size).mean(axis=1)
    interval = stats.ttest_1samp(means, 0).confidence_interval(confidence)
    return [float(means.mean()), float(means.std(ddof=1)), float(interval.low), float(interval.high)]


def answer(question):
    kinds = [points, discrepancies, quantiles, student, differences, batch_means]
    return {kind.__name__: kind for kind in kinds}[question["ask"]](question)
