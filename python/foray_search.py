"""Makes an outside optimiser for a search of foray with `method: {command: [python3, FILE]}`. In FILE, write a subclass
of Optimiser, and call `run` with it:

    class Mine(Optimiser):
        def ask(self): ...                  # returns token, point; None while it needs results first
        def tell(self, token, result): ...

    run(Mine)

foray puts this module on the path of each optimiser that it starts. The module needs Python 3.8 or newer, and no
packages. If a library prints on standard output, the text goes to standard error, and from there to the worker's log.
"""

import json
import math
import numbers
import os
import queue
import sys
import threading
from collections.abc import Mapping

__all__ = ["Blocking", "Input", "Optimiser", "Result", "run"]


class Input:
    """An input that is searched.

    name     the name of the input in the definition
    type     "real", "integer" or "choice"
    min,max  the bounds of a real or integer input, both included
    log      True if the scale is logarithmic
    step     the distance between allowed values, from `min` on; None without steps. foray moves each value onto a step
    digits   the number of decimal places to which foray rounds each value; None without rounding
    values   the values of a choice
    ordered  True if the values of a choice are numbers in ascending order
    """

    def __init__(self, given):
        self.name, self.type = given["name"], given["type"]
        self.min, self.max = given.get("min"), given.get("max")
        self.log, self.step = given.get("log", False), given.get("step")
        self.digits = given.get("digits")
        self.values, self.ordered = given.get("values"), given.get("ordered", False)

    def at(self, share):
        """The value at a share of the range, from 0 to 1. For a choice, one of its values."""
        share = min(1.0, max(0.0, float(share)))
        if self.type == "choice":
            return self.values[min(len(self.values) - 1, int(share * len(self.values)))]
        if self.log:
            return min(self.max, max(self.min, self.min * (self.max / self.min) ** share))
        return self.min + share * (self.max - self.min)

    def share(self, value):
        """The share of the range at a value, from 0 to 1. This is the inverse of `at`."""
        if self.type == "choice":
            return (self.values.index(value) + 0.5) / len(self.values)
        if self.log:
            return math.log(value / self.min) / math.log(self.max / self.min)
        return (value - self.min) / (self.max - self.min)

    def is_near(self, proposed, asked):
        """Whether foray would move the value `proposed` to the value `asked`."""
        if self.type == "choice" or not isinstance(proposed, numbers.Real):
            return proposed == asked
        step = self.step or (10.0**-self.digits if self.digits is not None else 1 if self.type == "integer" else 0)
        return abs(proposed - asked) <= 0.5001 * step + 1e-9 * (self.max - self.min)


class Result:
    """The result of the runs of a point.

    point       the point as it was run: foray moves values onto steps and digits
    value       the mean of the output; None if the point failed
    loss        the same mean with the sign for which lower is better; None if the point failed
    se          the standard error of the mean; None with fewer than two runs, for a quantile, and for few equal values
    n           the number of runs
    require     for each requirement, the value that the requirement limits; None without a value
    violations  for each requirement, by how much the value misses the limit; at most 0 if the requirement is met
    failed      why the point failed; None if it did not fail
    """

    def __init__(self, told, start):
        self.point = told["point"]
        self.failed = told.get("failed")
        self.value = told["values"][0] if "values" in told else None
        sign = -1 if start["objectives"][0]["goal"] == "max" else 1
        self.loss = None if self.value is None else sign * self.value
        self.se = told["se"][0] if "se" in told else None
        self.n = told.get("n", 0)
        self.require = told.get("require", [])
        self.violations = [_violation(r, v) for r, v in zip(start.get("require", []), self.require)]


def _violation(requirement, value):
    if value is None:
        return math.inf
    if "chance" in requirement:
        return requirement["chance"] - value
    return max(requirement.get("min", -math.inf) - value, value - requirement.get("max", math.inf))


class Optimiser:
    """The base class of optimisers, which propose points. The state of an optimiser must follow from `start` and the
    calls in their order.

    inputs     the inputs, each an `Input`
    seed       a seed that follows from the seed of the campaign: from 1 to 2**31 - 1, which all libraries accept
    maximise   True if high values are better; for `Result.loss`, low values are always better
    parallel   how many points may be open at once
    options    the setting `options` of the definition
    start      the whole first message of foray
    """

    #: Set to True by an optimiser that has no more points to propose.
    done = False

    def __init__(self, start):
        self.start, self.parallel = start, start["parallel"]
        self.seed = 1 + start["seed"] % (2**31 - 1)
        self.inputs = [Input(given) for given in start["space"]]
        self.maximise = start["objectives"][0]["goal"] == "max"
        self.options = start.get("options", {})

    def ask(self):
        """Returns the next point: (token, {input: value}); None while it needs results first. `tell` gets the token."""
        raise NotImplementedError(f"{type(self).__name__} has no method ask")

    def tell(self, token, result):
        """Takes the `Result` of a point that `ask` returned. Each point is told once, in the order of `ask`."""
        raise NotImplementedError(f"{type(self).__name__} has no method tell")

    def add(self, result):
        """Takes the `Result` of a point that this optimiser did not propose. By default it ignores the result."""

    def best(self):
        """Returns the point that this optimiser believes to be the best: (point, value or None), or None."""

    def numbers(self):
        """The inputs, for an optimiser that takes only numbers. An input with other values is an error."""
        for one in self.inputs:
            if one.type == "choice" and not one.ordered:
                raise SystemExit(f'"{one.name}" has values that are not numbers, and this optimiser takes only numbers')
        return self.inputs


class Blocking(Optimiser):
    """The base class for a library that runs the whole search itself, and calls a function to get the losses of points.
    `minimise` runs in a thread, and waits in `evaluate`."""

    def __init__(self, start):
        super().__init__(start)
        self._batches, self._left, self._open = queue.Queue(), [], 0
        threading.Thread(target=self._work, daemon=True).start()

    def minimise(self, evaluate):
        """Runs the whole search. `evaluate(points)` returns the losses of a list of points; inf for a failed point."""
        raise NotImplementedError(f"{type(self).__name__} has no method minimise")

    def _work(self):
        try:
            self.minimise(self._evaluate)
            self._batches.put(None)
        except BaseException as error:  # raised in the thread of `ask`
            self._batches.put(error)

    def _evaluate(self, points):
        points = list(points)
        for point in points:
            if not isinstance(point, Mapping):
                raise SystemExit(f"evaluate() got {_short(point)} for a point. A point is {_example(self.inputs)}")
        if not points:
            return []
        losses, answered = [math.inf] * len(points), threading.Event()
        self._batches.put([(losses, at, answered, point) for at, point in enumerate(points)])
        answered.wait()
        return losses

    def ask(self):
        if not self._left and not self._open and not self.done:
            batch = self._batches.get()
            if isinstance(batch, BaseException):
                raise batch
            self.done, self._left = batch is None, batch or []
        if not self._left:
            return None
        losses, at, answered, point = self._left.pop(0)
        self._open += 1
        return (losses, at, answered), point

    def tell(self, token, result):
        losses, at, answered = token
        losses[at] = math.inf if result.loss is None else result.loss
        self._open -= 1
        if not self._open and not self._left:
            answered.set()


class _Host:
    """Maps the number that foray gives to each point to the token that the optimiser gave to the point."""

    def __init__(self, make, start):
        self.optimiser = make(start)
        self.start = start
        self.fresh = []  # tokens of the last answer, which have no number yet
        self.tokens = {}  # by number: the token, and whether the point was run as proposed

    def ask(self, count):
        points, self.fresh = [], []
        while len(points) < count and not self.optimiser.done:
            answer = self.optimiser.ask()
            if answer is None:
                break
            if not _is_pair(answer, point=1):
                raise SystemExit(
                    f"ask() returned {_short(answer)}. It must return (token, {_example(self.optimiser.inputs)}), "
                    "or None while it needs results first"
                )
            token, point = answer
            self.fresh.append(token)
            points.append(_sent(point))
        return points

    def named(self, asked, points=None):
        """Takes the numbers that foray gave to points. After a restart, the new process proposes the earlier points
        again, and `points` has these proposals. Returns the numbers of points that the optimiser did not propose."""
        diverged = []
        for at, one in enumerate(asked):
            is_own = at < len(self.fresh)
            is_same = is_own and (points is None or self.is_same(points[at], one["point"]))
            if is_own:
                self.tokens[one["id"]] = (self.fresh[at], is_same)
            if not is_same:
                diverged.append(one["id"])
        self.fresh = []
        return diverged

    def is_same(self, proposed, asked):
        inputs = self.optimiser.inputs
        return all(one.name in proposed and one.is_near(proposed[one.name], asked[one.name]) for one in inputs)

    def tell(self, told):
        result = Result(told, self.start)
        if told["id"] not in self.tokens:
            return self.optimiser.add(result)
        token, is_same = self.tokens.pop(told["id"])
        takes_others = type(self.optimiser).add is not Optimiser.add
        if is_same or not takes_others:
            return self.optimiser.tell(token, result)
        # another point was run instead of the proposed one
        self.optimiser.tell(token, Result({"point": told["point"], "failed": "another point was run"}, self.start))
        self.optimiser.add(result)

    def best(self):
        best = self.optimiser.best()
        if best is None:
            return None
        if not _is_pair(best, point=0):
            example = _example(self.optimiser.inputs)
            raise SystemExit(f"best() returned {_short(best)}. It must return ({example}, value or None), or None")
        point, value = best
        return {"point": _sent(point), "value": _plain("the value of best()", value)}


def _is_pair(answer, point):
    """Whether an answer has two parts. `point`: the index of the part that must be a point."""
    return isinstance(answer, (tuple, list)) and len(answer) == 2 and isinstance(answer[point], Mapping)


def _sent(point):
    return {str(name): _plain(f'"{name}"', value) for name, value in point.items()}


def _plain(what, value):
    """Converts a number of a library, such as NumPy, to a number of Python."""
    plain = value
    try:
        if hasattr(value, "item"):
            plain = value.item()
        elif isinstance(value, numbers.Number):
            plain = value if isinstance(value, (int, float)) else float(value)
    except (RuntimeError, TypeError, ValueError):  # several numbers, or a complex number
        plain = value
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    raise SystemExit(f"{what} is {_short(value)}, which is not a single number, text, True or False")


def _short(value):
    """Shortens a value for an error message, because foray shows only the first 200 characters of the last line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _example(inputs):
    one = inputs[0]
    return f'{{"{one.name}": {one.at(0)!r}}}' if len(inputs) == 1 else f'{{"{one.name}": {one.at(0)!r}, …}}'


def run(make):
    """Answers foray until foray closes standard input. `make`: a subclass of Optimiser, or a function that makes an
    optimiser from `start`."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # sends the output of libraries to standard error
    host = None

    def say(message, question=None):
        if question is not None:
            message["question"] = question
        out.write(json.dumps(message) + "\n")
        out.flush()

    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        message = json.loads(line)
        question = message.get("question")  # the answer repeats the number of its question
        if "start" in message:
            host = _Host(make, message["start"])
            say({"ready": {"best": type(host.optimiser).best is not Optimiser.best}}, question)
        elif "asked" in message:  # points from before this process began
            diverged = host.named(message["asked"], host.ask(len(message["asked"])))
            if diverged:
                say({"diverged": diverged})
        elif "named" in message:
            host.named(message["named"])
        elif "tell" in message:
            for told in message["tell"]:
                host.tell(told)
        elif "ask" in message:
            points = host.ask(message["ask"])
            say({"points": points, "done": bool(host.optimiser.done)}, question)
        elif "best" in message:
            say({"best": host.best()}, question)
