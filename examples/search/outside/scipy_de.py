"""Differential evolution of SciPy. It calls its objective, so it runs in a thread and waits there for the results."""

from foray_search import Blocking, run
from scipy.optimize import differential_evolution


class DifferentialEvolution(Blocking):
    def minimise(self, evaluate):
        inputs = self.numbers()

        def generation(_, all_shares):
            return evaluate([{one.name: one.at(share) for one, share in zip(inputs, shares)} for shares in all_shares])

        settings = {"popsize": 6, **self.options}
        bounds = [(0, 1)] * len(inputs)
        # "deferred" evaluates a whole generation at once
        differential_evolution(
            lambda _: 0, bounds, rng=self.seed, workers=generation, updating="deferred", polish=False, **settings
        )


run(DifferentialEvolution)
