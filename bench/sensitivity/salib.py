"""Computes Sobol' indices with SALib from the values in a file of doubles: python salib.py FILE INPUTS."""

import json
import resource
import sys
import time

import numpy as np
from SALib.analyze import sobol

file, inputs = sys.argv[1], int(sys.argv[2])
values = np.fromfile(file)
problem = {"num_vars": inputs, "names": [f"x{i + 1}" for i in range(inputs)], "bounds": [[0, 1]] * inputs}
start = time.perf_counter()
found = sobol.analyze(problem, values, calc_second_order=False, seed=1)
print(
    json.dumps(
        {
            "seconds": time.perf_counter() - start,
            "peakMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "total": list(found["ST"]),
            "first": list(found["S1"]),
        }
    )
)
