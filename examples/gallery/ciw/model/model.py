"""A queue with several servers (M/M/c) in Ciw."""

from typing import Annotated, TypedDict

import ciw
from foray_model import Max, Min, Unit, model


class Result(TypedDict):
    wait: Annotated[float, Unit("MINUTE")]


@model(name="Ciw queue")
def queue(
    servers: Annotated[int, Min(3)] = 3,
    rate: Annotated[float, Min(0.01), Max(2.9)] = 2.4,
    minutes: Annotated[float, Min(500)] = 1500.0,
    *,
    seed: int = 1,
) -> Result:
    """Customers come at a rate a minute. A server needs a minute on average."""
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=rate)],
        service_distributions=[ciw.dists.Exponential(rate=1)],
        number_of_servers=[servers],
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(minutes)
    waits = [record.waiting_time for record in simulation.get_all_records() if record.arrival_date > 200]
    return {"wait": sum(waits) / len(waits)}
