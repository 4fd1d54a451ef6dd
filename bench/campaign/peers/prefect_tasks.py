"""Prefect with a task a run, on threads, against a server of its own."""

from common import RUNS, WINDOW, done, simulate, wait_for_start
from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner

run = task(simulate)


@flow(task_runner=ThreadPoolTaskRunner(max_workers=WINDOW))
def sweep():
    return run.map(range(1, RUNS + 1)).result()


wait_for_start()
done(sweep())
