"""Rules for the facts, the headline and the best points of a report."""

import math
import re

import numpy as np

import own_numbers as own
from sentence_table import NAME, close, deny, equal, half_in, number, says

# a simultaneous interval, or one with a floor for rare values, is at most so many times as wide as the widest plain one
WIDEST = 2


@says("facts", r"Points N")
def _(c, m):
    equal(number(m["n"]), len(c.points(next(iter(c.measures))).all), "points")


@says("facts", r"Replications N(?: to M)?")
def _(c, m):
    precision = c.settings["precision"]
    equal(number(m["n"]), precision["min"] if precision else c.settings["replications"], "replications")
    equal(number(m["m"]) if m["m"] else None, precision["max"] if precision else None, "replications")


def precise_points(c):
    """The numbers of points that are precise by the plain interval: without floors, and all."""
    precision = c.settings["precision"]
    name = precision["outputs"][0]
    points = c.points(name)
    sure = possible = 0
    for values in points.values.values():
        if len(values) < 2:
            continue
        if points.statistic == "share":
            low, high = own.wilson(values, c.confidence)
            half, has_floor = (high - low) / 2, False
        else:
            half, has_floor = own.student_of_skewed(values, c.confidence), own.has_majority(values)
        if half <= precision["absolute"] * (1 + 1e-9):
            possible += 1
            sure += not has_floor
    return sure, possible


@says("facts", r"Precise points N of M")
def _(c, m):
    sure, possible = precise_points(c)
    deny(not sure <= number(m["n"]) <= possible, f"own number of precise points: {sure} to {possible}")


@says("facts", r"Runs done N(?: of M)?")
def _(c, m):
    equal(number(m["n"]), len(c.runs) - c.failed, "runs done")
    equal(number(m["m"] or m["n"]), len(c.runs), "runs")


@says("facts", r"(?P<what>New|Reused|Failed) N")
def _(c, m):
    known = {"New": len(c.runs) - c.failed, "Reused": 0, "Failed": c.failed}
    equal(number(m["n"]), known[m["what"]], m["what"])


@says("facts", r"Seed (?P<seed>\w+)")
def _(c, m):
    equal(m["seed"], str(c.settings["seed"]) if c.has_chance else "default", "seed")


@says(
    "imprecise",
    r"N of M points? (?:is|are) less precise than wanted after all their replications \(at most \d+\)\.?"
    r"(?: [\d,]+ of them (?:has|have) no value\.)?",
)
def _(c, m):
    sure, possible = precise_points(c)
    all_points = len(c.points(next(iter(c.measures))).all)
    equal(number(m["m"]), all_points, "points")
    deny(not all_points - possible <= number(m["n"]) <= all_points - sure, f"own number: {all_points - sure}")


@says(
    "answer",
    r"(?P<wants>Lowest|Highest) OUT X(?P<percent> %)?(?: ± (?P<half>[\d,.e+-]+))?"
    r"(?: \(LOW(?: %)? to HIGH(?: %)?\))? at (?P<place>.+)",
)
def _(c, m):
    if c.finder:
        return c.finder.headline(m)
    points, ranked = c.best()
    equal(m["out"], c.told["said"]["best"]["output"], "output")
    key = c.told["said"]["best"]["points"][0]
    value, values = points.of(key), points.values[key]
    deny(abs(value - points.of(ranked[0])) > 1e-9, f"the best point is {ranked[0]}")
    unit = 100 if points.statistic == "share" else 1
    close(m["x"], unit * value, "value", half_in(m[0]))
    for name, shown in re.findall(rf"({NAME}) ([\d.]+)", m["place"]):
        close(shown, float(points.inputs[key][c.inputs.index(name)]), name)
    spread = max(float(np.std(points.values[k])) for k in points.known)
    interval_of(m, points, value, values, spread, len(points.known), c.confidence)


@says("answer", r"OUT (?:LOW(?: %)? to )?HIGH(?: %)? at N points")
def _(c, m):
    points, _ = c.best()
    equal(m["out"], c.told["said"]["best"]["output"], "output")
    unit = 100 if points.statistic == "share" else 1
    values = [unit * points.of(k) for k in points.known]
    equal(number(m["n"]), len(values), "points")
    close(m["low"] or m["high"], min(values), "lowest value")
    close(m["high"], max(values), "highest value")
    deny(bool(c.told["settings"].get("goal")), "the campaign has a goal")


@says("answer part", r"OUT has no goal, so no point is chosen")
def _(c, m):
    deny(bool(c.told["settings"].get("goal")), "the campaign has a goal")


def interval_of(m, points, value, values, spread, among, confidence):
    """Judges the interval of a point that was chosen among some points. `spread`: the largest one of these points."""
    unit = 100 if points.statistic == "share" else 1
    each = 1 - (1 - confidence) / among
    if m["half"]:
        ends = number(m["x"]) - number(m["half"]), number(m["x"]) + number(m["half"])
    elif m["low"]:
        ends = number(m["low"]), number(m["high"])
    else:
        is_narrow = points.statistic == "mean" and len(values) > 1 and not own.has_majority(values)
        deny(is_narrow and np.ptp(values) > 1e-9, "an interval is possible")
        deny(points.statistic == "share" and len(values) > 1, "a share of several runs has an interval")
        return
    spread = max(float(np.ptp(values)), spread)
    if points.statistic == "mean":
        half, n = own.student(values, confidence), len(values)
        plain = value - half, value + half
        widest = own.stats.t.ppf((1 + each) / 2, n - 1) * WIDEST * spread / math.sqrt(n)
        wide = value - widest, value + widest
    elif points.statistic == "share":
        plain, wide = own.wilson(values, confidence), own.wilson(values, 1 - (1 - each) / 2)
    else:
        p = points.measure["probability"]
        plain = own.order_statistics(values, p, confidence)
        deny(plain is None, "there are too few values for an interval")
        wide = float(np.min(values)), float(np.max(values))
    # an end has the digits of the interval
    digit = 0.51 * 10 ** -len(m[0].partition("(")[2].partition(" ")[0].partition(".")[2]) if points.statistic == "share" or m["low"] else 0
    if m["half"] and number(m["half"]) > 0:
        # the value and the half of the interval are both rounded to the second digit of the half
        digit = 1.02 * 10.0 ** (math.floor(math.log10(number(m["half"]))) - 1)
    slack = 2e-3 * (unit * abs(value) + unit * (plain[1] - plain[0])) + 1e-6 + digit
    deny(ends[0] > unit * plain[0] + slack or ends[1] < unit * plain[1] - slack, f"the plain interval is {plain}")
    deny(ends[0] < unit * wide[0] - slack or ends[1] > unit * wide[1] + slack, f"the widest interval is {wide}")


@says("answer part", r"N runs?(?P<why> with equal values| with too few different values for an interval)?")
def _(c, m):
    points, _ = c.best()
    values = c.finder.chosen()[1] if c.finder else points.values[c.told["said"]["best"]["points"][0]]
    equal(number(m["n"]), len(values), "values")
    deny(m["why"] == " with equal values" and np.ptp(values) > 1e-9, "the values differ")
    deny((m["why"] or "").startswith(" with too few") and not own.has_majority(values), "the values differ enough")


@says("answer part", r"N other points? (?:has|have) exactly this value")
@says("best part", r"N points? have exactly the value of the first one")
def _(c, m):
    points, _ = c.best()
    if c.finder:
        points = c.finder.candidates()
    value = c.finder.chosen()[2] if c.finder else points.of(c.told["said"]["best"]["points"][0])
    # sums of the same numbers in another order differ by rounding
    ties = [sum(abs(points.of(k) - value) <= e * (abs(value) + 1) for k in points.known) for e in (0, 1e-12)]
    shown = number(m["n"]) + ("other" in m[0])
    deny(not 1 <= shown <= ties[1], f"own number of equal points: {ties[1]}")


@says("answer part", r"the interval allows for the choice among N points")
def _(c, m):
    known = c.finder.candidates() if c.finder else c.best()[0]
    equal(number(m["n"]), len(known.known), "points with a value")


@says("answer part", r"If chance affects the output, .*")
@says("best part", r"If chance affects the output, .*")
def _(c, m):
    deny(not c.is_noisy, "chance cannot affect the output")


@says("best part", r"(?:Best|Lowest) points|.* \| Point \||.*(?:means|shares|quantiles) over the replications")
@says("best part", r"N points? with the (?:lowest|highest) OUT")
@says("best part", r"Lowest points|Best points")
def _(c, m):
    pass


@says("best", r"(?P<cells>.* \| (?:[0-9a-f]{16}|Point)) \|")
def _(c, m):
    if m["cells"].endswith("Point"):
        return
    judge_row(c, m)


def judge_row(c, m):
    cells = [cell.strip() for cell in m["cells"].split("|")]
    points, ranked = c.best()
    said = c.told["said"]["best"]["points"]
    at = said.index(cells[-1])
    deny(abs(points.of(cells[-1]) - points.of(ranked[at])) > 1e-9, f"point {at + 1} is {ranked[at]}")
    output = c.told["said"]["best"]["output"]
    shown = [output, *(name for name in c.measures if name != output)]
    for name, cell in zip(shown, cells[len(c.inputs) :]):
        points = c.points(name)
        if cell.strip() == "":
            deny(len(points.values[cells[-1]]) > 0, f"{name} has values")
            continue
        unit = 100 if points.statistic == "share" else 1
        text = cell.replace("%", "").replace(",", "").strip()
        value = unit * points.of(cells[-1])
        digits = len(text.partition(".")[2])
        deny(text.startswith("-0") and not text.strip("-0."), "a zero has no sign")
        deny("e" not in text and abs(float(text) - value) > 0.501 * 10.0**-digits, f"{name}: own number {value:.6g}")


