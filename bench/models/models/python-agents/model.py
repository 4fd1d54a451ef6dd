"""An exchange of wealth between agents, as in many agent-based models; a run takes about 10 ms of CPU time."""

import random
from typing import TypedDict

from foray_model import model


class Result(TypedDict):
    gini: float


@model(name="Python agents")
def agents(*, seed: int = 1) -> Result:
    return {"gini": run(seed)}


def run(seed):
    chance = random.Random(seed)
    wealth = [1] * 100
    for _ in range(300):
        order = list(range(100))
        chance.shuffle(order)
        for agent in order:
            if wealth[agent] > 0:
                wealth[agent] -= 1
                wealth[chance.randrange(100)] += 1
    wealth.sort()
    weighted = sum((100 - rank) * value for rank, value in enumerate(wealth))
    return 1 + 1 / 100 - 2 * weighted / (100 * sum(wealth))
