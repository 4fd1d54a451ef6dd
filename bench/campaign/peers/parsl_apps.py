"""Parsl with one app per run, on threads: the cheapest executor for apps that only wait."""

import tempfile

import parsl
from common import RUNS, WINDOW, done, simulate, wait_for_start
from parsl.config import Config
from parsl.executors import ThreadPoolExecutor

app = parsl.python_app(simulate)

with tempfile.TemporaryDirectory() as folder:
    with parsl.load(
        Config(executors=[ThreadPoolExecutor(max_threads=WINDOW)], run_dir=folder, usage_tracking=0)
    ):
        wait_for_start()
        futures = [app(value + 1) for value in range(RUNS)]
        done([future.result() for future in futures])
