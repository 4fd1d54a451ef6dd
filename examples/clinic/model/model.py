"""A clinic without appointments, as a function in Python. It needs no packages."""

import heapq
import random
from typing import Annotated, TypedDict

from foray_model import Curve, Max, Min, Unit, model


class Day(TypedDict):
    mean_wait: Annotated[float, Unit("MINUTE")]
    longest_wait: Annotated[float, Unit("MINUTE")]
    seen: int
    waits: Curve


@model
def clinic(
    doctors: Annotated[int, Min(1), Max(20)] = 2,
    patients_per_hour: Annotated[float, Min(0.1), Max(100)] = 10.0,
    minutes_per_patient: Annotated[float, Min(0.1), Max(120), Unit("MINUTE")] = 10.0,
    hours: Annotated[int, Min(1), Max(10_000)] = 200,
    *,
    rng: random.Random,
    progress,
) -> Day:
    """Patients arrive at random and see the first free doctor."""
    free_at = [0.0] * doctors
    now, waits = 0.0, []
    while True:
        now += rng.expovariate(patients_per_hour / 60)
        if now > hours * 60:
            break
        start = max(now, heapq.heappop(free_at))
        heapq.heappush(free_at, start + rng.expovariate(1 / minutes_per_patient))
        waits.append(start - now)
        progress(now / (hours * 60))
    last = waits[-50:]
    return {
        "mean_wait": sum(waits) / max(1, len(waits)),
        "longest_wait": max(waits, default=0.0),
        "seen": len(waits),
        "waits": (range(len(last)), last),
    }
