"""An optimiser whose answers are the Python expressions in `options`."""

from decimal import Decimal  # noqa: F401

from foray_search import Blocking, Optimiser, run


class Scalar:
    """A value with the method `item`, like the numbers and arrays of NumPy."""

    def __init__(self, *values):
        self.values = values

    def item(self):
        if len(self.values) > 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.values[0]

    def __repr__(self):
        return f"Scalar{self.values}"


class Shapes(Optimiser):
    def ask(self):
        return eval(self.options["ask"])

    def tell(self, token, result):
        pass

    def best(self):
        return eval(self.options["best"])


class Blocks(Blocking):
    def minimise(self, evaluate):
        evaluate([eval(self.options["evaluate"])])


class Silent(Optimiser):
    pass


def make(start):
    options = start["options"]
    return (Blocks if "evaluate" in options else Shapes if "ask" in options else Silent)(start)


run(make)
