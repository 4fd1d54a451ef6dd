"""CMA-ES of pycma. It proposes a generation of points, and needs the results of all of them for the next generation."""

import math

import cma
from foray_search import Optimiser, run


class Cma(Optimiser):
    def __init__(self, start):
        super().__init__(start)
        middle = [0.5] * len(self.numbers())
        options = {"bounds": [0, 1], "seed": self.seed, "verbose": -9, **self.options}
        self.strategy = cma.CMAEvolutionStrategy(middle, 0.3, options)
        self.generation, self.next, self.losses = [], 0, []

    def ask(self):
        if self.next == len(self.generation):
            if len(self.losses) < self.next:
                return None
            if self.generation:
                self.strategy.tell(self.generation, self.losses)
            self.done = bool(self.strategy.stop())
            self.generation, self.next, self.losses = self.strategy.ask(), 0, []
        shares = self.generation[self.next]
        self.next += 1
        return None, {one.name: one.at(share) for one, share in zip(self.inputs, shares)}

    def tell(self, _, result):
        self.losses.append(math.nan if result.failed else result.loss)

    def best(self):
        shares = self.strategy.result.xfavorite
        return {one.name: one.at(share) for one, share in zip(self.inputs, shares)}, None


run(Cma)
