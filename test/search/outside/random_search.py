"""A random search without a library. Some `options` make this process fail on purpose."""

import os
import random
import signal
import sys
import time

from foray_search import Optimiser, run


class RandomSearch(Optimiser):
    """Chooses about half of the values of its points anywhere, and the others near the best point so far.

    With `generation: n`, it waits for all results after every n points.
    """

    def __init__(self, start):
        super().__init__(start)
        pids = self.options.get("pids")
        if pids:
            if self.options.get("isOther") and os.path.exists(pids):
                self.seed += 1
            with open(pids, "a", encoding="utf-8") as file:
                file.write(f"{os.getpid()}\n")
        self.random, self.asked, self.open = random.Random(self.seed), 0, 0
        self.moment = None
        self.lowest, self.place = None, None
        print("this line is not a message to foray")  # goes to standard error

    def ask(self):
        self.maybe_die()
        options = self.options
        generation = options.get("generation")
        if generation and self.open and self.asked % generation == 0:
            return None
        if self.asked == options.get("points"):
            self.done = True
            return None
        fault = options.get("fault")
        if fault and self.asked == options["at"] and os.path.exists(options["while"]):
            point = misbehave(fault, self)
            if point:
                return self.asked, point
        if options.get("slow"):
            time.sleep(options["slow"])
        self.asked, self.open = self.asked + 1, self.open + 1
        return self.asked - 1, {one.name: self.value(one) for one in self.inputs}

    def maybe_die(self):
        """Kills this process at a random moment, up to `most` times over all processes."""
        file = self.options.get("dies")
        if not file:
            return
        if self.moment is None:
            with open(file, "a+", encoding="utf-8") as deaths:
                deaths.seek(0)
                count = len(deaths.readlines())
            # the search has more asks and results than this, so each of these processes comes to its moment
            self.moment = -1 if count == self.options["most"] else random.SystemRandom().randrange(100)
        if self.moment == 0:
            with open(file, "a", encoding="utf-8") as deaths:
                deaths.write(f"{os.getpid()}\n")
            os.kill(os.getpid(), signal.SIGKILL)
        self.moment -= 1

    def value(self, one):
        share = self.random.random()
        if self.place and self.random.random() < 0.5:
            share = one.share(self.place[one.name]) + 0.2 * (share - 0.5)
        return one.at(share)

    def tell(self, token, result):
        self.maybe_die()
        self.open -= 1
        if result.loss is not None and (self.lowest is None or result.loss < self.lowest):
            self.lowest, self.place = result.loss, result.point

    def best(self):
        return self.place and (self.place, None)


def misbehave(fault, optimiser):
    point = {one.name: one.at(0.5) for one in optimiser.inputs}
    name = optimiser.inputs[0].name
    if fault == "exit":
        sys.exit("no more memory")
    if fault == "hang":
        time.sleep(3600)
    if fault == "outside":
        return {**point, name: 1e6}
    return None


run(RandomSearch)
