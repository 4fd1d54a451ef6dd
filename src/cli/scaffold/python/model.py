"""A model of foray: one counter, customers in the order of their arrival. foray calls the function for each run."""

import random
from typing import Annotated, TypedDict

from foray_model import Max, Min, model


class Result(TypedDict):
    mean_wait: float
    longest_wait: float


@model(name='NAME')
def counter(
    arrival_rate: Annotated[float, Min(0.05), Max(0.95)] = 0.8,
    customers: Annotated[int, Min(1), Max(1_000_000)] = 10_000,
    *,
    rng: random.Random,
    progress,
) -> Result:
    """Customers wait at one counter. A service takes 1 minute on average."""
    free_at = now = total = longest = 0.0
    for customer in range(customers):
        now += rng.expovariate(arrival_rate)
        wait = max(0.0, free_at - now)
        free_at = now + wait + rng.expovariate(1)
        total += wait
        longest = max(longest, wait)
        progress(customer / customers)
    return {"mean_wait": total / customers, "longest_wait": longest}
