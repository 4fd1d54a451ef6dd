"""A queue with several desks (M/M/c) in SimPy."""

import random
from typing import Annotated, TypedDict

import simpy
from foray_model import Max, Min, Unit, model


class Result(TypedDict):
    wait: Annotated[float, Unit("MINUTE")]


@model(name="SimPy queue")
def queue(
    rate: Annotated[float, Min(0.01), Max(1.95)] = 1.6,
    desks: Annotated[int, Min(1)] = 2,
    customers: Annotated[int, Min(1)] = 4000,
    *,
    rng: random.Random,
) -> Result:
    """Customers come at a rate a minute. A desk serves one of them in a minute on average."""
    env = simpy.Environment()
    desk = simpy.Resource(env, capacity=desks)
    waits = []

    def customer():
        came = env.now
        with desk.request() as turn:
            yield turn
            waits.append(env.now - came)
            yield env.timeout(rng.expovariate(1))

    def arrivals():
        for _ in range(customers):
            yield env.timeout(rng.expovariate(rate))
            env.process(customer())

    env.process(arrivals())
    env.run()
    settled = waits[len(waits) // 5 :]
    return {"wait": sum(settled) / len(settled)}
