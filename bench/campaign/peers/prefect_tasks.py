"""Prefect with one task per run, on threads, with its own server."""

from common import RUNS, WINDOW, done, simulate, wait_for_start
from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner

run = task(simulate)


@flow(task_runner=ThreadPoolTaskRunner(max_workers=WINDOW))
def sweep():
    return run.map(range(1, RUNS + 1)).result()


wait_for_start()
done(sweep())
