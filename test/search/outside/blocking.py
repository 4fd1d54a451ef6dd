"""A library that calls its objective and ends by itself. It evaluates the middle of the space, and then a grid."""

from foray_search import Blocking, run


class Grid(Blocking):
    def minimise(self, evaluate):
        inputs = self.numbers()
        point = lambda shares: {one.name: one.at(share) for one, share in zip(inputs, shares)}
        (middle,) = evaluate([point((0.5, 0.5))])
        losses = evaluate([point((x / 4, y / 4)) for x in range(5) for y in (0, 4)])
        if min(losses) < middle and self.options.get("fails"):
            raise ValueError("the middle is not the best")


run(Grid)
