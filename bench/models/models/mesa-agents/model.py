"""An exchange of wealth between agents of Mesa; a run takes about 10 ms of CPU time."""

from typing import TypedDict

import mesa
from foray_model import model


class Result(TypedDict):
    gini: float


@model(name="Mesa agents")
def agents(*, seed: int = 1) -> Result:
    return {"gini": run(seed)}


class Person(mesa.Agent):
    def __init__(self, model):
        super().__init__(model)
        self.wealth = 1

    def step(self):
        if self.wealth > 0:
            self.wealth -= 1
            self.random.choice(self.model.agents).wealth += 1


class Town(mesa.Model):
    def __init__(self, people, seed):
        super().__init__(seed=seed)
        Person.create_agents(self, people)

    def step(self):
        self.agents.shuffle_do("step")


def run(seed):
    town = Town(50, seed % 2**32)
    for _ in range(52):
        town.step()
    wealth = sorted(person.wealth for person in town.agents)
    weighted = sum((50 - rank) * value for rank, value in enumerate(wealth))
    return 1 + 1 / 50 - 2 * weighted / (50 * sum(wealth))
