"""Rules for the sentences that say which inputs matter."""

import math
import re

import numpy as np

import own_models
import own_numbers as own
from sentence_table import CLEAR, GRIDS, NAME, NONE, close, deny, equal, half_in, names, number, says


def nothing(c, m, inputs=None):
    nothing_by(c, inputs or names(m["list"]), c.ps(True))


def nothing_by(c, inputs, ps, time=None):
    for name in inputs:
        p = ps.get(name, 1)
        at = "" if time is None else f" at {time:g}"
        deny(p < CLEAR, f"{name} has an effect{at}: own p = {p:.2g}")


def matter(c, inputs):
    matter_by(c, inputs, c.ps(False))


def matter_by(c, inputs, ps, time=None):
    points = c.points() if time is None else c.points(f"Course at {time:g}")
    indices = c.analysis["indices"] if time is None else next(t for t in c.analysis["times"] if t["time"] == time)["indices"]
    is_blind = c.has_chance and not points.tells_chance(c.is_paired)
    tested = {one["input"] for one in indices if "p" in one}
    for name in inputs:
        p = ps.get(name, 0)
        deny(p > NONE, f"{name} has no visible effect: own p = {p:.2g}")
        deny(is_blind and name not in tested, f"no run tells an effect of {name} from chance")


@says("effects", r"It is unknown which inputs matter for OUT(?:, because (?P<why>.*))?\.")
def _(c, m):
    points, why = c.points(), m["why"] or ""
    if why == "it is the same at all points":
        deny(np.ptp([points.of(key) for key in points.known]) > 1e-9, "it differs")
    elif why == "no run has a value of it":
        deny(len(points.known) > 0, "runs have values")
    elif why == "each point has one run with its own seed":
        deny(not c.one_run or c.is_paired, "chance is known")
    elif why == "no point has two runs with a value":
        deny(points.tells_chance(c.is_paired), "chance is known")
    elif why == "the chance in a quantile of the runs is unknown":
        deny(points.statistic != "quantile" or not c.has_chance, "chance is known")
    elif why.startswith("the model of the search predicts only "):
        deny(c.analysis["r2"] >= 0.5, "the model predicts more than half")
    elif why == "the points of the search are too few to tell":
        # the usual number of points for a model of a search is ten for each input
        if len(points.known) > 10 * len(c.inputs):
            nothing(c, m, c.inputs)
    elif why.startswith("whether a point has a value depends on "):
        lacking(c, why)
    elif found := re.fullmatch(LEFT_OUT, why):
        left_out(c, found)
    else:
        deny(why != "", "no rule knows this reason")


LEFT_OUT = (
    r"(?P<n>\d+) of (?P<m>\d+) (?P<what>trajectories|base points) are left out, and "
    r"(?P<why>(?P<few>\d+) points are too few to tell whether their failures depend on the inputs"
    r"|without seeds the inputs probably decide which runs fail)"
)


def left_out(c, m):
    """How many parts of a design have a point without a value, and whether that is too many."""
    points, rows = c.points(), c.told["designRows"]
    at = points.by_inputs()
    design = c.told["design"]
    parts = design["trajectories"] if m["what"] == "trajectories" else design["points"]
    width = len(rows) // parts
    missing = sum(
        any(len(points.values[at[tuple(row)]]) == 0 for row in rows[part * width : (part + 1) * width])
        for part in range(parts)
    )
    equal(number(m["n"]), missing, "parts without a value")
    equal(number(m["m"]), parts, "parts")
    if m["why"] is None:
        return
    if m["few"]:
        equal(int(m["few"]), len(points.all), "points")
        deny(missing <= 3 / 4 * parts or len(points.all) >= 64, "there are enough points")
    else:
        deny(missing <= 0.2 * parts or c.has_chance, "so few may fail by accident")


def lacking(c, text):
    """Whether missing values depend on inputs, or on two inputs together ("Alpha × Beta")."""
    points = c.points()
    # with common random numbers, a further replication fails at all points that have it
    last = c.settings["replications"] if c.is_paired else math.inf
    for part in re.findall(rf"{NAME}(?: × {NAME})*", text):
        places = [c.inputs.index(name) for name in names(part)]
        found = []
        alone = (lambda a: a, lambda a: abs(a - 0.5))
        together = (lambda a, b: (a - 0.5) * (b - 0.5), lambda a, b: a + b, lambda a, b: a - b)
        for shape in alone if len(places) == 1 else together:
            x = {True: [], False: []}
            for key, by in points.all.items():
                values = [own.place_of(points.inputs[key][at]) for at in places]
                for n, value in by.items():
                    if n <= last:
                        x[value is None].append(shape(*values))
            if x[True] and x[False]:
                found.append(own.stats.mannwhitneyu(x[True], x[False]).pvalue)
        p = min(found, default=1)
        deny(p > NONE, f"missing values do not depend on {part}: own p = {p:.2g}")


@says("effects", r"The effects of all inputs on OUT cannot be distinguished from chance\.")
@says("effects", r"No input has a visible (?:linear )?effect on OUT\.?")
def _(c, m):
    nothing(c, m, c.inputs)


@says("effects", r"The effects of LIST on OUT cannot be distinguished from chance")
@says("effects", r"LIST (?:has|have) no visible (?:linear )?effect(?: on OUT)?\.?")
@says("effects", r"LIST cannot be distinguished from chance\.?")
@says("headline", r"(?:; )?LIST (?:has no|have no|cannot be) .*")
def _(c, m):
    nothing(c, m)


@says("effects", r"the effects? of LIST (?:is|are) unknown\.?")
def _(c, m):
    pass


@says("effects", r"LIST (?:has|have) little (?P<linear>linear )?effect(?: on OUT)?\.?")
def _(c, m):
    matter(c, names(m["list"]))
    equal(bool(m["linear"]), c.analysis["method"] == "regression", "linear")
    for name in names(m["list"]):
        little(c, name)


def little(c, name):
    """Whether an effect is surely small: the part of the largest one, by the ends of intervals and by an own number."""
    key = {"regression": "src", "morris": "muStar", "one-at-a-time": "effect"}.get(c.analysis["method"], "total")

    def ends(one):
        index = key if key in one else "first"
        return [abs(end) ** (1 if index in ("total", "first") else 2) for end in one.get(f"{index}Interval", [one[index]])]

    shown = {one["input"]: ends(one) for one in c.analysis["indices"] if key in one or "first" in one}
    most = max(max(each) for each in shown.values())
    deny(max(shown[name]) > 0.1 * most + 1e-12, f"its interval reaches {max(shown[name]) / most:.2g} of the largest end")
    if not c.has_chance and c.kind in ("grid", "factorial", "texts") and len(c.points().known) == len(c.points().all):
        found = own.grid_totals(c.points(), c.inputs, False)
        deny(found[name] > 0.051 * max(found.values()), f"own share {found[name]:.3f}")


@says("effects", r"All inputs matter for OUT: (?P<parts>.*) of its variance\.?")
def _(c, m):
    matter(c, c.inputs)
    for name, share, low, high in re.findall(rf"({NAME}) takes part in (\d+) %(?: \((\d+)–(\d+) %\))?", m["parts"]):
        share_of(c, [name], float(share), True, ends=(float(low), float(high)) if low else None)


@says(
    "effects",
    r"LIST explains? (?P<least>at least )?X %(?: \(LOW–HIGH %\))? of the variance of OUT(?P<linear> as a linear function)?\.?",
)
def _(c, m):
    matter(c, names(m["list"]))
    ends = (number(m["low"]), number(m["high"])) if m["low"] else None
    share_of(c, names(m["list"]), number(m["x"]), False, m["least"], ends)
    deny(ends and ends[1] - ends[0] > 76, "the interval says nothing")
    deny(m["low"] and not number(m["low"]) <= number(m["x"]) <= number(m["high"]), "the share is outside its interval")


@says("effects", r"LIST matters? for OUT as a linear function(?: \(all inputs together explain X %(?: \(LOW–HIGH %\))? of its variance\))?\.?")
def _(c, m):
    matter(c, names(m["list"]))
    if m["x"]:
        adjusted = c.regression().adjusted
        deny(abs(number(m["x"]) - 100 * max(0, adjusted)) > 0.51, f"own adjusted R² {adjusted:.4f}")


@says("effects", r"LIST changes? OUT, but it is uncertain by how much\.?")
def _(c, m):
    matter(c, names(m["list"]))


def drawn_variance(design, place):
    distribution = design["inputs"][place]["distribution"]
    if distribution["kind"] == "uniform":
        return 1 / 12
    values, weights = np.array(distribution["values"], float), np.array(distribution["weights"], float)
    return float(np.cov(values, aweights=weights, ddof=0))


def share_of(c, inputs, shown, is_total, is_least=False, ends=None):
    """
    Judges a share of the variance in percent. Two estimates of a share differ by chance as much as its interval says, so
    an own share within the interval denies nothing. The bench "truth" counts how often intervals of shares are wrong.
    """
    points = c.compared()
    if c.is_linear:
        found = c.regression()
        part = {
            name: found.coefficients[1 + at] ** 2 * drawn_variance(c.told["design"], at)
            for at, name in enumerate(c.inputs)
        }
        value = 100 * max(0, found.adjusted) * sum(part[one] for one in inputs) / sum(part.values())
        deny(abs(shown - value) > 0.51, f"own share {value:.2f} %")
        return
    # the shares of a search are those of its model, and the own regression has fewer terms
    if c.kind == "search" or c.one_run or points.statistic == "quantile" or len(points.known) < len(points.all):
        return
    if c.kind == "fraction":
        value = 100 * own_models.main_share(points, [c.inputs.index(one) for one in inputs], c.is_paired)
        return deny(abs(shown - min(100, max(0, value))) > (15 if c.has_chance else 0.6), f"own share {value:.2f} %")
    if c.kind == "saltelli":
        found = own.totals(points, c.told["designRows"], c.inputs, c.told["design"]["secondOrder"], c.is_paired)
        tolerance = 20 if c.has_chance else 5
    else:
        found = own.grid_totals(points, c.inputs, c.is_paired)
        # a share of few runs has a floor for its chance
        tolerance = (20 if points.statistic == "share" else 10) if c.has_chance else 0.6
    rest = [one for one in c.inputs if one not in inputs]
    value = 100 * (sum(found[one] for one in inputs) if is_total else 1 - sum(found[one] for one in rest))
    value = min(100, max(0, value))
    # chance may be most of the variance, and then an own number says nothing
    shares = c.shares_of_chance()
    if math.isnan(value) or (shares and shares[1] > 30):
        return
    # an interval has an error too: it comes from resamples of a few runs
    if c.has_chance and ends and ends[0] - 5 <= value <= ends[1] + 5:
        return
    if c.kind in GRIDS and c.has_chance and not is_total and len(rest) > 1 and shown > value:
        # the rest may interact, so this is only the least share; the most is the sum of the own totals
        value = min(100, max(value, 100 * sum(found[one] for one in inputs)))
        return deny(shown - value > tolerance, f"own share at most {value:.2f} %")
    deny(shown - value > tolerance or (not is_least and value - shown > tolerance), f"own share {value:.2f} %")


@says("effects", r"LIST changes? OUT most; over the range of ONE, \S.* changes by X(?: \(LOW to HIGH\))? on average\.?")
def _(c, m):
    matter(c, names(m["list"]))
    muStar = own.elementary_effects(c.points(), c.told["designRows"], c.inputs)[m["one"]]
    if not c.has_chance:
        close(m["x"], muStar, "μ*", half_in(m[0]))
    half = half_in(m[0])
    digit = 0.5 * 10 ** (math.floor(math.log10(half)) - 1) if half else 0
    deny(number(m["x"]) > muStar * 1.001 + digit, f"own μ* with chance {muStar:.6g}")
    deny(m["low"] and not number(m["low"]) <= number(m["x"]) <= number(m["high"]), "μ* is outside its interval")


@says(
    "effects",
    r"LIST changes? OUT most; from (?:the lowest to the highest value|(?P<from>\S+) to (?P<to>\S+)) of ONE, \S.* changes by X"
    r"(?: \(LOW to HIGH\))?\.?",
)
def _(c, m):
    matter(c, names(m["list"]))
    points, at = c.compared(), c.inputs.index(m["one"])
    line = {
        own.place_of(v[at]): key
        for key, v in points.inputs.items()
        if all(float(other) == 0.5 for i, other in enumerate(v) if i != at)
    }
    ends = [float(m["from"]), float(m["to"])] if m["from"] else [min(line), max(line)]
    low, high = (line[end] for end in ends)
    effect = points.of(high) - points.of(low)
    close(m["x"], effect, "effect", half_in(m[0]))
    if m["low"] and not c.is_paired and points.statistic == "mean":
        half = (own.welch(points.values[low], points.values[high], c.confidence)[1] - effect) if effect else 0
        shown = (number(m["high"]) - number(m["low"])) / 2
        deny(shown < half * 0.5, f"half of Welch's interval is {half:.4g}")


@says("headline", r"The inputs? that matters? for OUT (?P<what>.*) of N inputs(?P<rest>.*)")
def _(c, m):
    equal(number(m["n"]), len(c.analysis["indices"]), "inputs")
    if not m["what"].startswith("None"):
        matter(c, names(m["what"]))
    elif m["what"] == "None with a visible effect" and "unknown" not in m["rest"]:
        nothing(c, m, [one["input"] for one in c.analysis["indices"]])
