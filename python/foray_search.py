"""Makes an optimiser for `search: method: {command: [python3, FILE]}` of foray: subclass Optimiser, and call run.

    class Mine(Optimiser):
        def ask(self): ...                  # -> token, point; None while it needs results first
        def tell(self, token, result): ...

    run(Mine)

foray puts this file on the path of each optimiser that it starts. It needs Python 3.8 or newer, and nothing else. What a library prints on
standard output goes to standard error, and from there to the worker's log.
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

    name    as in the definition
    type    "real", "integer" or "choice"
    min,max the bounds of a real or integer input, both included
    log     whether ratios matter rather than differences
    step    the distance between values from `min` on; None where there is none. foray moves each value onto it
    values  of a choice; `ordered` when they are numbers in their order
    """

    def __init__(self, given):
        self.name, self.type = given["name"], given["type"]
        self.min, self.max = given.get("min"), given.get("max")
        self.log, self.step = given.get("log", False), given.get("step")
        self.digits = given.get("digits")
        self.values, self.ordered = given.get("values"), given.get("ordered", False)

    def at(self, share):
        """The value at a share of the range, from 0 to 1; of a choice one of its values."""
        share = min(1.0, max(0.0, float(share)))
        if self.type == "choice":
            return self.values[min(len(self.values) - 1, int(share * len(self.values)))]
        if self.log:
            return min(self.max, max(self.min, self.min * (self.max / self.min) ** share))
        return self.min + share * (self.max - self.min)

    def share(self, value):
        """Where a value is in the range, from 0 to 1: the inverse of `at`."""
        if self.type == "choice":
            return (self.values.index(value) + 0.5) / len(self.values)
        if self.log:
            return math.log(value / self.min) / math.log(self.max / self.min)
        return (value - self.min) / (self.max - self.min)

    def is_near(self, proposed, asked):
        """Whether foray would make the value `asked` of the value `proposed`."""
        if self.type == "choice" or not isinstance(proposed, numbers.Real):
            return proposed == asked
        step = self.step or (10.0**-self.digits if self.digits is not None else 1 if self.type == "integer" else 0)
        return abs(proposed - asked) <= 0.5001 * step + 1e-9 * (self.max - self.min)


class Result:
    """What the runs of a point came to.

    point     the point as it was run: foray moves values onto steps and digits
    value     the mean of the output; None when the point failed
    loss      the same, but lower is better; None when the point failed
    se        the standard error of the mean; None with fewer than two runs
    n         the number of runs
    require   for each requirement the value that it looks at
    violations  for each requirement how far it is from being met, at most 0 when it is
    failed    why the point failed; None when it did not
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
    """What proposes points. It has no state but what follows from `start` and the calls in their order.

    inputs     the inputs, as `Input`
    seed       from the seed of the campaign, but from 1 to 2**31 - 1, as all libraries take it
    maximise   whether high values are better (`Result.loss` is always to be low)
    parallel   how many points may be open at once
    options    what the definition says under `options`
    start      the whole message
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
        """The next point: (token, {input: value}), or None while results are needed first. `tell` gets the token."""
        raise NotImplementedError(f"{type(self).__name__} has no method ask")

    def tell(self, token, result):
        """The `Result` of a point of `ask`. Each point is told once, in the order of `ask`."""
        raise NotImplementedError(f"{type(self).__name__} has no method tell")

    def add(self, result):
        """The result of a point that it did not ask for; by default it takes no notice."""

    def best(self):
        """The point that it believes to be the best: (point, value or None), or None."""

    def numbers(self):
        """The inputs, for an optimiser that takes numbers only."""
        for one in self.inputs:
            if one.type == "choice" and not one.ordered:
                raise SystemExit(f'"{one.name}" has no numbers, and this optimiser takes nothing else')
        return self.inputs


class Blocking(Optimiser):
    """For a library that calls its objective: `minimise(evaluate)` runs in a thread, and waits in `evaluate`."""

    def __init__(self, start):
        super().__init__(start)
        self._batches, self._left, self._open = queue.Queue(), [], 0
        threading.Thread(target=self._work, daemon=True).start()

    def minimise(self, evaluate):
        """The whole search. `evaluate(points)` takes a list of points and returns their losses, inf of those that failed."""
        raise NotImplementedError(f"{type(self).__name__} has no method minimise")

    def _work(self):
        try:
            self.minimise(self._evaluate)
            self._batches.put(None)
        except BaseException as error:  # the thread of `ask` is the one to fail
            self._batches.put(error)

    def _evaluate(self, points):
        points = list(points)
        for point in points:
            if not isinstance(point, Mapping):
                raise SystemExit(f"evaluate was given {_short(point)} for a point. A point is {_example(self.inputs)}")
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
    """Keeps the numbers of foray and the tokens of an optimiser together."""

    def __init__(self, make, start):
        self.optimiser = make(start)
        self.start = start
        self.fresh = []  # tokens of the last answer, which have no number yet
        self.tokens = {}  # by number: token, and whether another point was run in its place

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
        """Takes in the numbers. `points`: what it proposes now in a replay. Returns those that were others then."""
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
        # another point was run in place of its own
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
    """Whether it has two parts, of which `point` is the index of a point."""
    return isinstance(answer, (tuple, list)) and len(answer) == 2 and isinstance(answer[point], Mapping)


def _sent(point):
    return {str(name): _plain(f'"{name}"', value) for name, value in point.items()}


def _plain(what, value):
    """A number of a library, such as NumPy's, as one of Python."""
    plain = value
    try:
        if hasattr(value, "item"):
            plain = value.item()
        elif isinstance(value, numbers.Number):
            plain = value if isinstance(value, (int, float)) else float(value)
    except (RuntimeError, TypeError, ValueError):  # several numbers, or a complex one
        plain = value
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    raise SystemExit(f"{what} is {_short(value)}, which is not a single number, text, True or False")


def _short(value):
    """A value in an error. foray shows the first 200 characters of the last line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _example(inputs):
    one = inputs[0]
    return f'{{"{one.name}": {one.at(0)!r}}}' if len(inputs) == 1 else f'{{"{one.name}": {one.at(0)!r}, …}}'


def run(make):
    """Serves foray until it closes standard input. `make`: an Optimiser, or what takes `start` and returns one."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is not for foray
    host = None

    def say(message, question=None):
        if question is not None:
            message["question"] = question
        out.write(json.dumps(message) + "\n")
        out.flush()

    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        message = json.loads(line)
        question = message.get("question")  # an answer says which question it is to
        if "start" in message:
            host = _Host(make, message["start"])
            say({"ready": {"best": type(host.optimiser).best is not Optimiser.best}}, question)
        elif "asked" in message:  # what was asked before this process began
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
