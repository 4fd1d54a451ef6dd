"""Runs searches by the optimisers of other libraries. The caller evaluates the function.

Each line of the input is a search: {"peer", "dimensions", "seed", "most"}. CMA-ES without bounds also needs "start" and
"sigma". For each point, this program prints a line {"x": [...]}, and reads a line with the value. The value null ends
the search. At the end of a search, the program prints an empty object.
"""

import json
import sys
import warnings

import numpy
import optuna
import scipy.optimize

# libraries print warnings about missing packages and experimental functions
warnings.filterwarnings("ignore")
import cma  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.CRITICAL)


class Enough(Exception):
    """The caller needs no further point."""


def value_of(x):
    print(json.dumps({"x": [float(value) for value in x]}), flush=True)
    value = json.loads(sys.stdin.readline())
    if value is None:
        raise Enough
    return value


def pycma(job):
    bounded = job.get("start") is None
    n = job["dimensions"]
    options = {"seed": job["seed"], "verbose": -9, "maxfevals": job["most"], "ftarget": -numpy.inf}
    if bounded:
        generator = numpy.random.default_rng(job["seed"])
        start = lambda: generator.uniform(size=n)
        cma.fmin2(value_of, start, 0.3, {**options, "bounds": [0, 1]}, restarts=9, bipop=True)
    else:
        cma.fmin2(value_of, n * [job["start"]], job["sigma"], options)


def optuna_with(sampler, job):
    def objective(trial):
        return value_of([trial.suggest_float(f"x{i}", 0, 1) for i in range(job["dimensions"])])

    optuna.create_study(sampler=sampler).optimize(objective, n_trials=job["most"])


def differential_evolution(job):
    scipy.optimize.differential_evolution(
        value_of, job["dimensions"] * [(0, 1)], rng=job["seed"], maxiter=10_000, tol=0, polish=False
    )


PEERS = {
    "pycma": pycma,
    "Optuna TPE": lambda job: optuna_with(optuna.samplers.TPESampler(seed=job["seed"]), job),
    # this needs torch
    "Optuna GP": lambda job: optuna_with(optuna.samplers.GPSampler(seed=job["seed"]), job),
    "SciPy DE": differential_evolution,
}

for line in iter(sys.stdin.readline, ""):
    job = json.loads(line)
    try:
        PEERS[job["peer"]](job)
    except Enough:
        pass
    print("{}", flush=True)
