"""Rules for searches, selections and calibrations."""

import copy
import json
import math
import re

import numpy as np

import own_numbers as own
from report_sentences import interval_of
from sentence_table import CLEAR, NAME, close, deny, equal, half_in, number, says

# a point fails if a larger share of its runs has no value
MOST_FAILED = 0.5


def finder_of(c):
    """What the runs of a search or a selection show; None for another campaign."""
    rule = c.settings.get("search") or c.settings.get("select")
    return Finder(c, rule) if rule else None


class Finder:
    def __init__(self, c, rule):
        self.c, self.rule, self.is_search = c, rule, bool(c.settings.get("search"))
        self.goal = c.settings["goal"]
        self.sign = 1 if self.goal["wants"] == "lowest" else -1
        self.points = c.points(self.goal["output"])
        confirm = rule.get("confirm") if self.is_search else rule
        self.is_confirmed = bool(confirm) and c.has_chance
        self.report = confirm["report"] if confirm else 0
        self.confidence = (confirm or {}).get("confidence", 0.95)
        self.first = c.settings["replications"] if self.is_search else math.inf
        self.winner = None

    def part(self, low, high):
        """The points with the replications above one number and up to another; points that failed have no values."""
        found = copy.copy(self.points)
        found.all = {k: {n: v for n, v in by.items() if low < n <= high} for k, by in self.points.all.items()}
        found.values = {k: np.array([v for v in by.values() if v is not None]) for k, by in found.all.items()}
        for key, values in found.values.items():
            if len(values) < (1 - MOST_FAILED) * len(found.all[key]):
                found.values[key] = np.array([])
        found.known = [key for key, values in found.values.items() if len(values) > 0]
        return found

    def meets(self, key, low, high):
        for one in self.rule["require"]:
            by = self.c.points(one["output"]).all[key]
            values = [v for n, v in by.items() if low < n <= high and v is not None]
            if not values or np.mean(values) > one["max"] + 1e-12:
                return False
        return True

    def among(self, low, high):
        """The points that have a value and meet the requirements."""
        found = self.part(low, high)
        found.known = [key for key in found.known if self.meets(key, low, high)]
        return found

    def last(self, key):
        """The last replication that compares a point: the winner has further ones."""
        runs = max(self.points.all[key])
        return runs - self.report if key == self.winner and self.is_confirmed else runs

    def compared(self):
        """The points by the runs that compare them; only finalists of a search have such runs."""
        low = self.first if self.is_search else 0
        found = copy.copy(self.points)
        each = {key: self.among(low, self.last(key)) for key in self.points.all}
        found.known = [key for key, own_part in each.items() if key in own_part.known]
        found.values = {key: own_part.values[key] for key, own_part in each.items()}
        found.all = {key: own_part.all[key] for key, own_part in each.items()}
        return found

    def candidates(self):
        return self.among(0, self.first) if self.is_search else self.compared()

    def chosen(self):
        """The point in the headline, and the values that it is told by."""
        key = self.winner
        if not self.is_confirmed:
            values = self.candidates().values[key]
        else:
            own_runs = self.part(self.last(key), math.inf)
            values = own_runs.values[key]
        return key, values, self.points.value(values)

    def headline(self, m):
        equal(m["wants"], "Lowest" if self.sign > 0 else "Highest", "way")
        equal(m["out"], self.goal["output"], "output")
        shown = dict(re.findall(rf"({NAME}) (\S+?)(?:,|$| )", m["place"] + " "))
        values = [own.place_of(shown[name]) for name in self.c.inputs]
        keys = [k for k, v in self.points.inputs.items() if [own.place_of(one) for one in v] == values]
        deny(len(keys) != 1, "there is no such point")
        self.winner = keys[0]
        _, values, value = self.chosen()
        close(m["x"], (100 if self.points.statistic == "share" else 1) * value, "value", half_in(m[0]))
        best = self.compared() if self.is_confirmed else self.candidates()
        low = self.first if self.is_search else 0
        deny(self.winner not in best.known, "the point does not meet the requirements")
        if self.is_confirmed:
            deny(not self.meets(self.winner, low, math.inf), "all of its new runs together do not meet the requirements")
        if not self.is_confirmed:
            first = min(self.sign * best.of(key) for key in best.known)
            deny(self.sign * value > first + 1e-9, f"another point has {self.sign * first}")
        if self.points.statistic == "quantile":
            return deny(m["half"] or m["low"], "a quantile of a search has no interval")
        spread = max(float(np.std(best.values[k])) for k in best.known)
        interval_of(m, self.points, value, values, spread, 1 if self.is_confirmed else len(best.known), self.confidence)


@says("answer part", r"No point has a value(?: and meets the requirements)?")
def _(c, m):
    finder = c.finder
    found = finder.among(0, finder.first)
    deny(len(found.known) > 0 and not finder.is_confirmed, f"{found.known[:1]} meets them")


@says("answer part", r"N runs? that were not used to choose it(?P<why>, with equal values|, with too few different values for an interval)?")
def _(c, m):
    _, values, _ = c.finder.chosen()
    deny(not c.finder.is_confirmed, "all runs chose the point")
    equal(number(m["n"]), len(values), "values")
    deny(m["why"] == ", with equal values" and np.ptp(values) > 1e-9, "the values differ")
    deny("few" in (m["why"] or "") and not own.has_majority(values), "the values differ enough")


@says("answer part", r"N runs?(?P<why>, with equal values|, with too few different values for an interval)")
def _(c, m):
    _, values, _ = c.finder.chosen()
    equal(number(m["n"]), len(values), "values")
    deny(m["why"] == ", with equal values" and np.ptp(values) > 1e-9, "the values differ")
    deny("few" in (m["why"] or "") and not own.has_majority(values), "the values differ enough")


@says("answer part", r"N other runs? (?:has|have) no value, so the runs with a value may not be a fair sample")
def _(c, m):
    finder = c.finder
    key = finder.winner
    low, high = (finder.last(key), math.inf) if finder.is_confirmed else (0, finder.first)
    runs = finder.part(low, high).all[key].values()
    equal(number(m["n"]), sum(value is None for value in runs), "runs without a value")


@says("answer part", r"(?P<what>the best value during the search|its value in the comparison) was X(?P<percent> %)?")
def _(c, m):
    finder = c.finder
    if finder.is_search:
        known = finder.among(0, finder.first)
        value = finder.sign * min(finder.sign * known.of(key) for key in known.known)
    else:
        value = finder.compared().of(finder.winner)
    close(m["x"], (100 if m["percent"] else 1) * value, "value")


def better_p(finder, key):
    """How clearly another compared point is better than the winner: the difference, and a p-value of its sign."""
    compared = finder.compared()
    a, b = compared.values[finder.winner], compared.values[key]
    difference = finder.sign * (compared.of(finder.winner) - compared.of(key))
    if min(len(a), len(b)) < 2 or np.ptp(a) + np.ptp(b) == 0:
        return difference, 1.0
    return difference, float(own.stats.ttest_ind(a, b, equal_var=False).pvalue)


@says("answer part", r"no other (?:point|finalist)(?P<require> that meets the requirements)? is better by more than X, with N % confidence")
def _(c, m):
    finder = c.finder
    rule = finder.rule["confirm"] if finder.is_search else finder.rule
    deny(bool(m["require"]) != bool(finder.rule["require"]), "the requirements say the opposite")
    equal(number(m["x"]), rule["indifference"], "indifference")
    equal(number(m["n"]), 100 * rule["confidence"], "confidence")
    for key in finder.compared().known:
        if key != finder.winner:
            difference, p = better_p(finder, key)
            deny(difference > rule["indifference"] and p < CLEAR, f"{key} is better by {difference:.4g}, own p = {p:.2g}")


@says("answer part", r"the best (?:point|finalist)s could not be distinguished")
def _(c, m):
    finder = c.finder
    ps = [better_p(finder, key)[1] for key in finder.compared().known if key != finder.winner]
    deny(len(ps) > 0 and max(ps) < CLEAR, "the winner is clearly better than each other point")


@says(
    "answer part",
    r"OUT X(?P<percent> %)?(?: ± (?P<half>[\d,.e+-]+))?(?: \(LOW(?: %)? to HIGH(?: %)?\))?(?P<ran> \(\d+ runs?\))?, required: at most (?P<most>[\d.,]+)(?: %)?(?P<open>, which is not certain)?",
)
def _(c, m):
    finder = c.finder
    key = finder.winner
    # all new runs of the winner decide together whether it meets the requirements
    low = finder.first if finder.is_search and finder.is_confirmed else 0
    high = math.inf if finder.is_confirmed else finder.last(key)
    if finder.is_search and not finder.is_confirmed:
        high = finder.first
    points = c.points(m["out"])
    values = np.array([v for n, v in points.all[key].items() if low < n <= high and v is not None])
    value = points.value(values)
    close(m["x"], (100 if points.statistic == "share" else 1) * value, "value", half_in(m[0]))
    half = half_in(m[0])
    deny((m["ran"] is not None) != (half is None and c.has_chance), "the number of runs stands for an interval")
    top = number(m["high"]) if m["high"] else number(m["x"]) + (half or 0)
    slack = 0.06 * half if half else 0
    deny(m["open"] and top < number(m["most"]) - slack, "it is certain")
    deny(half and not m["open"] and top > number(m["most"]) + slack, "it is not certain")
    among = 1 if finder.is_confirmed else len(finder.candidates().known)
    interval_of(m, points, value, values, float(np.std(values)), among, finder.confidence)


@says("answer part", r"chosen with a budget of N runs")
def _(c, m):
    equal(number(m["n"]), c.finder.rule["runs"], "budget")


# ---- the sections of a search and of a selection

METHODS = {"a Gaussian process": "gp", "CMA-ES": "cma", "DIRECT": "direct"}


@says(
    "search",
    r"By (?P<method>a Gaussian process|CMA-ES|DIRECT), N points? at once: M points? asked for, (?P<told>[\d,]+) (?:has|have) a value"
    r"(?:, (?P<failed>[\d,]+) failed \((?P<why>[^)]*)\))?; it ended because (?P<end>.*)",
)
def _(c, m):
    finder = c.finder
    equal(METHODS[m["method"]], finder.rule["method"], "method")
    equal(number(m["n"]), finder.rule["parallel"], "parallel")
    found = finder.part(0, finder.first)
    equal(number(m["m"]), len(found.all), "points")
    equal(number(m["told"]), len(found.known), "points with a value")
    equal(number(m["failed"] or "0"), len(found.all) - len(found.known), "failed points")
    limit = finder.rule["stop"]["points"]
    if m["end"] == "it may ask for no more points":
        # with a comparison at its end, a search may ask for the point that its method recommends
        deny(len(found.all) > limit + finder.is_confirmed, f"{limit} points are allowed")
    elif m["end"] == "all points failed":
        equal(0, len(found.known), "points with a value")
    elif m["end"] in ("it found no new points", "it has asked for all possible points"):
        deny(len(found.all) >= limit, "all points are asked")
    else:
        deny(True, "no rule knows this end")


@says("search", r"A point meets the requirements if the mean of Arrivals is at most X")
@says("select", r"A point meets the requirements if the mean of Arrivals is at most X")
def _(c, m):
    equal(number(m["x"]), c.finder.rule["require"][0]["max"], "requirement")


@says("search", r"The best points are compared by new runs, with N % confidence")
def _(c, m):
    equal(number(m["n"]), 100 * c.finder.confidence, "confidence")


@says(
    "select",
    r"By the procedure of Kim and Nelson, with N % confidence that no other point(?: that meets the requirements)? is better by more than X: M points?"
    r"(?:, (?P<failed>\d+) failed)?; the comparison is over",
)
@says(
    "select",
    r"With a budget of X runs, which go to the points where they help the comparison most \(OCBA\): M points?"
    r"(?:, (?P<failed>\d+) failed)?; the comparison is over",
)
def _(c, m):
    rule, points = c.finder.rule, c.finder.part(0, math.inf)
    equal(number(m["x"]), rule["indifference"] if m["n"] else rule["runs"], "rule")
    equal(number(m["m"]), len(points.all), "points")
    equal(int(m["failed"] or 0), len(points.all) - len(points.known), "failed points")


@says("select-table", r"N points? with the best means; points that are clearly worse got fewer runs")
def _(c, m):
    known = [key for key in c.finder.points.all if len(c.finder.part(0, c.finder.last(key)).values[key]) > 0]
    equal(number(m["n"]), min(10, len(known)), "points")


@says("search-table", r"N points? that were compared by new runs")
def _(c, m):
    equal(number(m["n"]), sum(max(by) > c.finder.first for by in c.finder.points.all.values()), "points")


@says("search-table", r"N points? with the (?P<wants>lowest|highest) OUT(?P<met> of those that meet the requirements)?")
def _(c, m):
    found = c.finder.among(0, c.finder.first)
    equal(number(m["n"]), min(10, len(found.known)), "points")
    equal(m["wants"], c.finder.goal["wants"], "way")


@says("select-table", r"The winner was chosen by these values; N further runs? give its own value: (?P<value>.*)")
@says("search-table", r"The winner was chosen by these values; N further runs? give its own value: (?P<value>.*)")
@says("finalists", r"The winner was chosen by these values; N further runs? give its own value, the diamond")
def _(c, m):
    _, values, value = c.finder.chosen()
    equal(number(m["n"]), len(values), "further runs")
    if m["value"]:
        close(m["value"].split(" ")[0], (100 if "%" in m["value"] else 1) * value, "value", half_in(m["value"]))


@says("search-table", r"Values during the search tend to be too good, because the search chose these points by them")
@says("search-table", r"If chance affects them, these values tend to be too good, because .*")
@says("search-progress", r"If chance affects the values, the best value tends to be too good")
def _(c, m):
    deny(not c.has_chance, "chance cannot affect the values")


@says("select-table", r"(?P<cells>.*) \|")
@says("search-table", r"(?P<cells>.*) \|")
def _(c, m):
    cells = [cell.strip() for cell in m["cells"].split("|")]
    finder, key = c.finder, cells[-1]
    if key == "Point":
        return
    first = len(c.inputs) + (4 if finder.is_search else 3)
    is_finalist = len(cells) > len(c.inputs) + 3
    # the further runs of a point that was chosen and rejected are no part of its row
    was_chosen = "further runs did not meet the requirements" in cells
    last = finder.last(key) - (finder.report if was_chosen else 0)
    required = cells[first : first + len(finder.rule["require"])] if is_finalist else []
    del cells[first : first + len(required)]
    for text, one in zip(required, finder.rule["require"]):
        points, low = c.points(one["output"]), finder.first if finder.is_search else 0
        values = [v for n, v in points.all[key].items() if low < n <= last and v is not None]
        deny((text == "") != (len(values) == 0), "a required output has a value")
        if values:
            close(text.split(" ")[0], (100 if points.statistic == "share" else 1) * points.value(np.array(values)), one["output"], half_in(text))
    numbers = [float(cell.replace("%", "").replace(",", "")) if cell else None for cell in cells[len(c.inputs) : -1] if cell == "" or cell[0] in "-0123456789"]
    deny(any(cell.startswith("-0") and not cell.strip("-0. %") for cell in cells), "a zero has no sign")
    unit = 100 if finder.points.statistic == "share" else 1
    shown = cells[len(c.inputs) : len(c.inputs) + 3]
    digits, *of_ends = [len(cell.rstrip(" %").partition(".")[2]) for cell in shown]
    low = finder.first if finder.is_search and is_finalist else 0
    part = finder.part(low, last if is_finalist else finder.first)
    values = part.values[key]
    if len(values) == 0:
        return deny(numbers[0] is not None, "the point has no value")
    value = unit * part.of(key)
    deny(abs(numbers[0] - value) > 0.501 * 10.0**-digits + 1e-9 * abs(value), f"own value {value:.6g}")
    if not is_finalist:
        return equal(numbers[1], len(values), "runs")
    if numbers[1] is not None:
        half = own.student(values, finder.confidence) if part.statistic == "mean" else 0
        ends = own.wilson(values, finder.confidence) if part.statistic == "share" else (part.of(key) - half, part.of(key) + half)
        slack = 10.0 ** -min(of_ends) + 1e-4 * unit * (ends[1] - ends[0])
        deny(numbers[1] > unit * ends[0] + slack or numbers[2] < unit * ends[1] - slack, f"the plain interval is {ends}")
    else:
        deny(part.statistic == "share" or part.statistic == "mean" and len(values) > 1 and not own.has_majority(values), "an interval is possible")
    at = 4 if finder.is_search else 3
    equal(numbers[at], len(values), "runs")
    deny("requirements not met" in cells and finder.meets(key, low, last) and key != finder.winner and finder.meets(key, 0, math.inf), "it meets the requirements")
    deny("winner" in cells and key != finder.winner, "another point is the winner")


@says("search-progress", r"All N points, in the order in which the search asked for them; the line is the best value so far")
def _(c, m):
    equal(number(m["n"]), len(c.finder.points.all), "points")


@says("search-points", r"All N points that have a value, each a line over its inputs; better points have warmer colours")
def _(c, m):
    equal(number(m["n"]), len(c.finder.part(0, c.finder.first).known), "points with a value")


@says("search-progress", r"Hollow points do not meet the requirements")
@says("search-points", r"Dashed grey lines do not meet the requirements")
def _(c, m):
    finder = c.finder
    deny(len(finder.part(0, finder.first).known) == len(finder.among(0, finder.first).known), "all points meet them")


@says("search-progress", r"Points that failed are marked below")
def _(c, m):
    found = c.finder.part(0, c.finder.first)
    deny(len(found.known) == len(found.all), "no point failed")


@says("search-progress", r"The band is the value of the winner, from N runs?(?: that were not used to choose it)?")
def _(c, m):
    equal(number(m["n"]), len(c.finder.chosen()[1]), "runs")


@says("finalists", r"The (?P<of>mean|share) of (?:the runs in which each point was compared|the new runs of each finalist), with its N % confidence interval")
def _(c, m):
    equal(m["of"], c.finder.points.statistic, "statistic")
    equal(number(m["n"]), 100 * c.finder.confidence, "confidence")


# ---- calibrations


class Calibrated:
    """The accepted points of the last generation of a calibration, with their weights."""

    def __init__(self, c, before=0):
        """With `before`, the points of so many generations earlier."""
        self.rule = c.settings["calibrate"]
        self.runs = [run for run in c.runs if run["weight"]]
        self.last = max((run["generation"] for run in self.runs), default=None)
        self.kept = [run for run in self.runs if run["generation"] == (self.last or 0) - before]
        self.weights = np.array([run["weight"] for run in self.kept])
        self.weights = self.weights / np.sum(self.weights) if len(self.weights) else self.weights
        self.values = np.array([[own.place_of(v) for v in run["values"]] for run in self.kept])

    def distances(self, c):
        """The distances up to a factor, if one output is observed."""
        one = self.rule["observed"][0]
        return [abs(own.number_in(run["outputs"], one["output"]) - one["value"]) for run in self.kept]

    def quantile(self, at, share):
        """A range for a quantile of an input: definitions differ by one point to either side."""
        order = np.argsort(self.values[:, at], kind="stable")
        x, reached = self.values[order, at], np.cumsum(self.weights[order])
        low = x[max(0, int(np.searchsorted(reached, share - 1e-9)) - 1)]
        high = x[min(len(x) - 1, int(np.searchsorted(reached, share + 1e-9)) + 1)]
        return low, high


def near(c, text, tolerance):
    """Whether all accepted points are within a tolerance."""
    found = Calibrated(c)
    if len(found.rule["observed"]) == 1 and found.last and tolerance is not None:
        worst = max(found.distances(c))
        deny(worst > tolerance * 1.001 + 1e-9, f"an accepted point has the distance {worst:.6g}")


@says(
    "posterior-table",
    r"By approximate Bayesian computation: generation N, (?:all distances|distances up to X): (?P<accepted>\d+) of M points? accepted, "
    r"(?P<asked>[\d,]+) asked for(?:, (?P<failed>\d+) failed)?; it ended because (?P<end>.*)",
)
def _(c, m):
    equal(number(m["m"]), c.settings["calibrate"]["particles"], "particles")
    asked = number(m["asked"])
    deny(asked < len({run["ask"] for run in c.runs}), "more points were asked for")
    equal(len(c.runs) if c.has_chance else asked, asked, "runs")
    no_value = sum(
        run["status"] == "failed" or any(not has_observed(run, one) for one in c.settings["calibrate"]["observed"])
        for run in c.runs
    )
    if c.has_chance:
        equal(int(m["failed"] or 0), no_value, "failed points")
    stop = c.settings["calibrate"]["stop"]
    ends = {
        "it finished its last generation": number(m["n"]) == stop["generations"],
        "it may ask for no more points": asked >= stop["points"] - c.settings["calibrate"]["parallel"],
        "too few points came near enough": True,
        "all accepted points have the same distance": True,
        "all points failed": no_value == len(c.runs),
    }
    deny(not ends.get(m["end"], False), "own numbers say another end")
    if m["end"] == "all accepted points have the same distance" and len(c.settings["calibrate"]["observed"]) == 1:
        deny(np.ptp(Calibrated(c).distances(c)) > 1e-9, "the distances differ")


def has_observed(run, one):
    if one["kind"] == "number":
        return own.number_in(run["outputs"], one["output"]) is not None
    if one["output"] not in run["outputs"]:
        return False
    curve = json.loads(run["outputs"][one["output"]])
    return max(curve["dataX"], default=-1) >= max(one["x"])


@says("posterior-table", r"There is no posterior yet, because no generation is complete")
def _(c, m):
    deny(Calibrated(c).last is not None, "a generation is complete")


@says(
    "posterior-table",
    r"The values that explain the observations, by the N accepted points? of generation M with their weights "
    r"\((?:all distances|distances up to X)\)",
)
def _(c, m):
    found = Calibrated(c)
    equal(number(m["m"]), found.last, "generation")
    if c.has_chance:
        equal(number(m["n"]), len(found.kept), "accepted points")
    near(c, m, number(m["x"]) if m["x"] else None)


@says("posterior-table", r"Their means are as certain as those of N equally weighted points?")
def _(c, m):
    weights = Calibrated(c).weights
    deny(number(m["n"]) > 1 / float(np.sum(weights**2)) + 0.51 and c.has_chance, f"the weights are those of {1 / float(np.sum(weights**2)):.3g}")
    deny(number(m["n"]) < 1, "there is at least one point")


@says("posterior-table", r"X % of the points that were asked for came near enough")
def _(c, m):
    deny(not 0 < number(m["x"]) <= 100, "no share")


@says("posterior-table", r"The first generation is the prior")
def _(c, m):
    equal(1, Calibrated(c).last, "generation")


@says("posterior-table", rf"(?P<name>{NAME}) \| (?P<cells>[^A-Z]*) \|")
def _(c, m):
    found, at = Calibrated(c), c.inputs.index(m["name"])
    mean, sd, *quantiles = [float(cell.replace(",", "")) for cell in m["cells"].split("|")]
    x, w = found.values[:, at], found.weights
    own_mean = float(np.sum(w * x))
    deny(abs(mean - own_mean) > 1e-3 * (1 + abs(own_mean)), f"own mean {own_mean:.6g}")
    plain = math.sqrt(float(np.sum(w * (x - own_mean) ** 2)))
    # without bias, the weights make the variance larger
    deny(not plain * 0.999 - 1e-3 <= sd <= plain * math.sqrt(1 / max(1e-9, 1 - float(np.sum(w**2)))) + 1e-3, f"own sd {plain:.6g}")
    for share, shown in zip((0.025, 0.25, 0.5, 0.75, 0.975), quantiles):
        low, high = found.quantile(at, share)
        deny(not low - 1e-3 <= shown <= high + 1e-3, f"own quantile {share}: {low:.4g} to {high:.4g}")


@says("answer part", rf"What explains the observations (?P<parts>{NAME} .*)")
def _(c, m):
    found = Calibrated(c)
    parts = re.findall(rf"({NAME}) (-?[\d.,]+) \((-?[\d.,]+) to (-?[\d.,]+)\)", m["parts"])
    equal([name for name, *_ in parts], c.inputs, "inputs")
    for name, *shown in parts:
        for share, text in zip((0.5, 0.025, 0.975), shown):
            low, high = found.quantile(c.inputs.index(name), share)
            digit = 0.51 * 10 ** -len(text.partition(".")[2])
            deny(not low - digit <= number(text) <= high + digit, f"own quantile {share} of {name}: {low:.4g} to {high:.4g}")


@says("answer part", r"Medians with 95 % intervals, from the N accepted points? of generation M")
def _(c, m):
    found = Calibrated(c)
    equal(number(m["m"]), found.last, "generation")
    if c.has_chance:
        equal(number(m["n"]), len(found.kept), "accepted points")


@says("posterior-pairs", rf"The correlation of (?P<a>{NAME}) and (?P<b>{NAME}) is X")
def _(c, m):
    found = Calibrated(c)
    x, y = (found.values[:, c.inputs.index(m[one])] for one in "ab")
    x, y = (each - float(np.sum(found.weights * each)) for each in (x, y))
    own_value = float(np.sum(found.weights * x * y)) / math.sqrt(float(np.sum(found.weights * x**2) * np.sum(found.weights * y**2)))
    deny(abs(number(m["x"]) - own_value) > 0.0051, f"own correlation {own_value:.4f}")


@says("generations", r"From generation N to M, (?P<parts>.*)")
def _(c, m):
    last, before = Calibrated(c), Calibrated(c, 1)
    equal([number(m["n"]), number(m["m"])], [last.last - 1, last.last], "generations")
    for name, moved, width in re.findall(rf"the median of ({NAME}) moved by ([\d.]+) % of its 95 % interval, which ([^;]*)", m["parts"]):
        at = c.inputs.index(name)
        moves, growths = change_of(last, before, at)
        deny(not moves[0] - 0.51 <= float(moved) <= moves[1] + 0.51, f"the median of {name} moved by {moves[0]:.3g} to {moves[1]:.3g} %")
        grown = re.fullmatch(r"became ([\d.]+) % (narrower|wider)", width)
        shown = 0 if not grown else float(grown[1]) * (1 if grown[2] == "wider" else -1)
        deny(not growths[0] - 0.51 <= shown <= growths[1] + 0.51, f"the interval of {name} grew by {growths[0]:.3g} to {growths[1]:.3g} %")


def change_of(last, before, at):
    """The least and most that a median moved, in percent of the interval, and that the interval grew, in percent."""
    middle, former = last.quantile(at, 0.5), before.quantile(at, 0.5)
    widths = [
        (max(1e-12, one.quantile(at, 0.975)[0] - one.quantile(at, 0.025)[1]), one.quantile(at, 0.975)[1] - one.quantile(at, 0.025)[0])
        for one in (last, before)
    ]
    nearest = max(0, middle[0] - former[1], former[0] - middle[1])
    farthest = max(middle[1] - former[0], former[1] - middle[0])
    moves = 100 * nearest / widths[0][1], 100 * farthest / widths[0][0]
    return moves, (100 * (widths[0][0] / widths[1][1] - 1), 100 * (widths[0][1] / widths[1][0] - 1))


@says("generations", r"The last two generations (?P<how>hardly differ|still differ, so a further generation may change the posterior)")
def _(c, m):
    last, before = Calibrated(c), Calibrated(c, 1)
    changes = [change_of(last, before, at) for at in range(len(c.inputs))]
    if m["how"] == "hardly differ":
        deny(any(moves[0] > 10 or growths[0] > 10 or growths[1] < -10 for moves, growths in changes), "a marginal has changed")
    else:
        deny(all(moves[1] < 10 and -10 < growths[0] and growths[1] < 10 for moves, growths in changes), "no marginal has changed")


@says(
    "generations",
    r"N further points? (?:was asked for while a generation ended, and does|were asked for while generations ended, and do) not count",
)
def _(c, m):
    if not c.has_chance:
        return
    beside = 0
    for generation in {run["generation"] for run in c.runs}:
        own_runs = [run for run in c.runs if run["generation"] == generation]
        last = max((run["ask"] for run in own_runs if run["weight"]), default=None)
        if last is not None:
            beside += sum(run["ask"] > last for run in own_runs)
    equal(number(m["n"]), beside, "points beside")


@says("posterior-table", r"Input \| Mean .*")
@says("posterior-table", r"Posterior")
@says("posterior", r"Posterior(?: and prior)?")
@says("posterior", r"The distribution of each input after the calibration \(bars\) and before it \(line\)")
@says("posterior-pairs", r"Posterior of pairs of inputs|The accepted points; a larger point has a larger weight")
@says("generations", r"Generations|Generation \| .*|The first generation draws points .*|Each later generation draws .*")
def _(c, m):
    pass


@says(
    "generations",
    r"N \| (?P<tolerance>\S*) ?\| M \| (?P<accepted>\d+) \| (?P<share>\S* ?%?) ?\| (?P<effective>\d*) ?\|",
)
def _(c, m):
    accepted, told = int(m["accepted"]), number(m["m"])
    deny(accepted > c.settings["calibrate"]["particles"] or accepted > told, "too many accepted points")
    if m["share"]:
        share = 100 * accepted / told
        deny(abs(number(m["share"].rstrip(" %")) - share) > 0.06, f"own share {share:.4g} %")
    if m["effective"]:
        deny(int(m["effective"]) > accepted, "more effective points than points")
