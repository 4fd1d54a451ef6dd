"""The same runs without foray: python pool.py RUNS FIRST_SEED."""

import os
import sys
import types
from concurrent.futures import ProcessPoolExecutor

# the model imports foray's helper, which a bare pool does not have
sys.modules["foray_model"] = types.SimpleNamespace(model=lambda **_: lambda function: function)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "models/mesa-agents"))
from model import run  # noqa: E402

if __name__ == "__main__":
    runs, first = int(sys.argv[1]), int(sys.argv[2])
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(run, range(first, first + runs)))
