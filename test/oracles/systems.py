"""Simulates a queueing system with SimPy or with Ciw."""

import random

import ciw
import simpy

# the simulation continues for this time after the stop, so that all customers from before the stop are served
REST = 100


def with_simpy(system, seed):
    rng = random.Random(seed)
    env = simpy.Environment()
    servers = simpy.Resource(env, capacity=system["servers"])
    times = []

    def service_time():
        if system["service"] == "exponential":
            return rng.expovariate(1)
        return rng.lognormvariate(system["mu"], system["sigma"])

    def arrivals():
        while True:
            yield env.timeout(rng.expovariate(system["rate"]))
            env.process(customer())

    def customer():
        arrived = env.now
        with servers.request() as request:
            yield request
            begun = env.now
            yield env.timeout(service_time())
            times.append((arrived, begun, env.now))

    env.process(arrivals())
    env.run(until=system["stop"] + REST)
    return times


def with_ciw(system, seed):
    service = (
        ciw.dists.Exponential(1)
        if system["service"] == "exponential"
        else ciw.dists.Lognormal(system["mu"], system["sigma"])
    )
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(system["rate"])],
        service_distributions=[service],
        number_of_servers=[system["servers"]],
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(system["stop"] + REST)
    return [
        (record.arrival_date, record.service_start_date, record.service_end_date)
        for record in simulation.get_all_records()
    ]


def figures(system, times):
    """Statistics of the time from the warm-up to the stop.

    The utilization and the queue count the part of each interval that lies in this time. The wait is the mean over the
    customers whose service begins in this time.
    """
    warm_up, stop = system["warmUp"], system["stop"]

    def within(begin, end):
        return max(0.0, min(end, stop) - max(begin, warm_up))

    length = stop - warm_up
    waits = [begun - arrived for arrived, begun, _ in times if warm_up <= begun < stop]
    return {
        "utilization": sum(within(begun, ended) for _, begun, ended in times) / length / system["servers"],
        "queue": sum(within(arrived, begun) for arrived, begun, _ in times) / length,
        "wait": sum(waits) / len(waits),
    }


def replications(simulator, system):
    """The statistics of each replication."""
    simulate = {"SimPy": with_simpy, "Ciw": with_ciw}[simulator]
    return [figures(system, simulate(system, seed + 1)) for seed in range(system["replications"])]
