"""A model of wealth in Mesa: agents give each other coins."""

import mesa


class Holder(mesa.Agent):
    coins = 1


def gini(model):
    coins = sorted(agent.coins for agent in model.agents)
    n = len(coins)
    return sum((2 * at - n - 1) * each for at, each in enumerate(coins, 1)) / (n * sum(coins))


class Wealth(mesa.Model):
    """In each step, as often as there are agents, one agent that has a coin gives it to another agent."""

    def __init__(self, agents=20, rng=None):
        super().__init__(rng=rng)
        Holder.create_agents(self, agents)
        self.holders = list(self.agents)
        self.datacollector = mesa.DataCollector(model_reporters={"Gini": gini})

    def step(self):
        for _ in self.holders:
            giver, taker = self.random.sample(self.holders, 2)
            if giver.coins > 0:
                giver.coins -= 1
                taker.coins += 1
        self.datacollector.collect(self)
