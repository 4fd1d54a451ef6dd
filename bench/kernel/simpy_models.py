"""The models of the bench with SimPy. Arguments: the model, its size, the warm-up time and the measured time."""

import json
import random
import sys
import time

import simpy

MEAN_SERVICE = 0.91


class TimeWeighted:
    def __init__(self, env):
        self.env, self.value, self.since, self.area = env, 0, env.now, 0.0

    def set(self, value):
        now = self.env.now
        self.area += self.value * (now - self.since)
        self.since, self.value = now, value


def queue(env, _size):
    """M/M/1. It records utilization, queue length over time, and waiting times of customers."""
    server = simpy.Resource(env, capacity=1)
    busy, waiting, waits = TimeWeighted(env), TimeWeighted(env), []

    def arrivals():
        while True:
            yield env.timeout(random.expovariate(1))
            counted[0] += 1
            env.process(customer())

    def customer():
        arrived = env.now
        with server.request() as request:
            waiting.set(waiting.value + 1)
            yield request
            waiting.set(waiting.value - 1)
            waits.append(env.now - arrived)
            busy.set(1)
            yield env.timeout(random.expovariate(1 / MEAN_SERVICE))
            busy.set(0)

    env.process(arrivals())


def hold(env, size):
    """The hold model: `size` entities that only wait."""

    def entity():
        while True:
            yield env.timeout(random.expovariate(1))
            counted[0] += 1

    for _ in range(size):
        env.process(entity())


counted = [0]
model, size, warm_up, duration = sys.argv[1], *map(float, sys.argv[2:])
random.seed(1)
environment = simpy.Environment()
{"queue": queue, "hold": hold}[model](environment, int(size))
environment.run(until=warm_up)
counted[0] = 0
begun = time.perf_counter()
environment.run(until=warm_up + duration)
print(json.dumps({"count": counted[0], "seconds": time.perf_counter() - begun}), flush=True)
