"""An optimiser of Nevergrad: `options: {optimizer: NAME, budget: POINTS}`, by default TwoPointsDE."""

import math

import nevergrad
from foray_search import Optimiser, run


class Nevergrad(Optimiser):
    def __init__(self, start):
        super().__init__(start)
        shares = nevergrad.p.Array(shape=(len(self.inputs),), lower=0, upper=1)
        shares.random_state.seed(self.seed)
        make = nevergrad.optimizers.registry[self.options.get("optimizer", "TwoPointsDE")]
        self.optimizer = make(shares, budget=self.options.get("budget", 100), num_workers=self.parallel)

    def ask(self):
        candidate = self.optimizer.ask()
        return candidate, {one.name: one.at(share) for one, share in zip(self.inputs, candidate.value)}

    def tell(self, candidate, result):
        self.optimizer.tell(candidate, math.inf if result.failed else result.loss)


run(Nevergrad)
