"""Rules for warnings, for the precision of points, and for the comparison of two campaigns."""

import re
from collections import Counter

import numpy as np

import own_numbers as own
from effect_sentences import LEFT_OUT, lacking, left_out
from sentence_table import close, deny, equal, names, number, says


@says("warning", r"N of M runs failed\.")
def _(c, m):
    equal(number(m["n"]), c.failed, "failed runs")
    equal(number(m["m"]), len(c.runs), "runs")


@says("warning", r"No run has a value of OUT\.")
def _(c, m):
    deny(len(c.points(m["out"]).known) > 0, "runs have values")


@says("warning", r"Only the first (?:run|N runs) of each point count here, because the selection gave further runs to points by their results\.")
def _(c, m):
    equal(number(m["n"] or "1"), c.settings["replications"], "first runs")
    deny(c.kind != "select" or all(run["replication"] <= c.settings["replications"] for run in c.runs), "there are no others")


CUT = (
    r"At (?P<times>\d+) of \d+ times, Course has a value in only (?:(?P<low>[\d,]+) to )?(?P<most>[\d,]+)"
    r" of the (?P<curves>[\d,]+) runs that have a curve\. "
)
DEPENDENCE = r"(?:No dependence on the inputs is visible\.|(?P<rest>.*))"


@says("warning", rf"N of M (?:finished|first) runs have no value of OUT\. (?:{CUT})?{DEPENDENCE}")
@says("warning", CUT + DEPENDENCE)
def _(c, m):
    if m["n"]:
        values = [value for by in c.points().all.values() for value in by.values()]
        if m["out"] == "Course":
            values = [run["outputs"].get("Course") for run in counted(c)]
        equal(number(m["n"]), sum(value is None for value in values), "runs without a value")
        equal(number(m["m"]), len(values), "runs")
    if m["times"]:
        curves = [own.curve_of(run["outputs"]) for run in counted(c) if "Course" in run["outputs"]]
        equal(number(m["curves"]), len(curves), "runs with a curve")
        reached = Counter(time for curve in curves for time in curve)
        cut = [count for count in reached.values() if count < len(curves)]
        deny(int(m["times"]) > len(cut), f"{len(cut)} times are not reached by all runs")
        for shown in (m["low"] or m["most"], m["most"]):
            deny(number(shown) not in cut, f"own numbers of runs {sorted(cut)}")
    if m["rest"]:
        lacking(c, m["rest"])


def counted(c):
    """The runs that count in an analysis: of a selection, those that no result has decided."""
    return [run for run in c.runs if c.kind != "select" or run["replication"] <= c.settings["replications"]]


@says("warning", rf"N of M points have no value of OUT\. {DEPENDENCE}")
def _(c, m):
    asked = c.finder.part(0, c.finder.first)
    equal(number(m["n"]), len(asked.all) - len(asked.known), "points without a value")
    equal(number(m["m"]), len(asked.all), "points")


@says("warning", r"Whether a run has a value(?: at all times)? depends on (?P<list>.*), so the runs with a value are not a fair sample\.")
@says("warning", r"There are no indices, because whether a point has a value depends on (?P<list>.*), and each .*")
def _(c, m):
    lacking(c, m["list"])


@says("warning", r"Chance dominates: N % of the variance of single runs comes from chance in the replications\.")
def _(c, m):
    share = c.shares_of_chance()[0]
    deny(abs(number(m["n"]) - share) > 0.51, f"own share {share:.2f} %")


@says("warning", r"N % of the variance of the points' means is chance(?P<what>.*)\. More replications lower this share\.")
def _(c, m):
    share = c.shares_of_chance()[1]
    deny(abs(number(m["n"]) - share) > 0.51, f"own share {share:.2f} %")


@says("warning", r"R² is (?P<r2>[\d.]+)(?: \([\d.]+ without chance\))?: (?P<rest>.*)")
def _(c, m):
    found = c.regression()
    # with fewer than ten degrees of freedom the adjusted R² says nothing
    is_adjusted = found.freedom >= 10 or found.r2 > 1 - 1e-9
    value = max(0, found.adjusted if is_adjusted else found.r2)
    deny(is_adjusted != (c.analysis.get("adjustedR2") is not None), "the R² should be the other one")
    deny(abs(float(m["r2"]) - value) > 0.0051, f"own adjusted R² {value:.4f}")


@says("warning", r"N points are (?:few for (?P<k>\d+) inputs|too few for a regression|few for the sample of .*)\.?.*")
def _(c, m):
    shares_runs = c.is_paired and c.is_noisy
    rows = c.points().values.values() if shares_runs else c.rows()
    equal(number(m["n"]), sum(len(values) > 0 for values in rows), "points with a value")


@says("warning", r"Each point has one run with the same random numbers: the effects are those with these numbers\.")
def _(c, m):
    points = c.points()
    deny(not c.is_paired or any(len(values) > 1 for values in points.values.values()), "a point has other random numbers")


@says("warning", r"N of M points (?:are left out, because they|have no value, so the factorial is not balanced: the effect).*")
@says("warning", r"N of M points are left out, because they have no value\.")
def _(c, m):
    rows = c.rows()
    equal(number(m["n"]), sum(len(values) == 0 for values in rows), "points without a value")
    equal(number(m["m"]), len(rows), "points")


@says("warning", r"N of M (?P<what>trajectories|base points) are left out, because .*")
def _(c, m):
    left_out(c, m)


@says("warning", r"There are no indices, because (?P<why>.* are left out, and .*)\. Request the failed runs again .*")
def _(c, m):
    left_out(c, re.fullmatch(LEFT_OUT, m["why"]))


@says("warning", r"N trajectories are few: .*")
def _(c, m):
    deny(number(m["n"]) > c.told["design"]["trajectories"], "there are fewer trajectories")


@says("warning", r"The widest interval of an index is ± (?:X|more than 1): more base points make intervals narrower\.")
def _(c, m):
    ends = [one.get(key) for one in c.analysis["indices"] for key in ("firstInterval", "totalInterval")]
    widest = max((high - low) / 2 for low, high in filter(None, ends))
    is_wrong = abs(number(m["x"]) - widest) > 0.0051 if m["x"] else widest <= 1
    deny(is_wrong, f"own widest interval ± {widest:.3f}")


@says("warning", r"Each point has one run with its own seed, so .*")
@says("warning", r"Each point has one value, so .* in intervals and tests\.")
@says("warning", r"No point has two runs with a value, so .*")
@says("warning", r"Without several values at a point there is no estimate of the error, so effects have neither intervals nor tests\.")
def _(c, m):
    points = c.points()
    has = any(len(values) > 1 for values in points.values.values())
    deny(has and points.statistic != "quantile", "a point has two runs")


@says("warning", r"OUT is the same at all points: nothing in this sample changes it\.")
def _(c, m):
    points = c.points()
    deny(np.ptp([points.of(key) for key in points.known]) > 1e-9, "it differs")


@says("warning", r"A needed point has no value, so the effects of LIST are unknown\.")
@says("warning", r"(?P<list>.*): unknown, because there is no such combination\.")
@says("warning", r"The output differs at too few points\. More base points are needed\.")
def _(c, m):
    points = c.points()
    deny(len(points.known) == len(points.all) and m["list"] is not None, "all points have a value")


@says("warning", r"LIST: the value is the same at all points\.")
def _(c, m):
    points = c.points()
    for one in names(m["list"]):
        values = {points.inputs[key][c.inputs.index(one)] for key in points.known}
        deny(len(values) > 1, f"{one} has {len(values)} values")


@says("warning", r"LIST: no coefficient, because other inputs determine the value by a linear function at these points\.")
def _(c, m):
    alone = [one for one in names(m["list"]) if one in c.regression().separable]
    deny(alone, f"{alone} can be separated")


@says("warning", r"N points with a value are too few for a model of OUT\.")
def _(c, m):
    equal(number(m["n"]), len(c.finder.part(0, c.finder.first).known), "points")


@says(
    "precision",
    r"OUT: N values?, (?P<of>mean|share) X(?P<percent> %)?(?: ± (?P<half>\S+)|,? (?:interval |\()LOW % to HIGH %\)?)"
    r" \((?P<confidence>\d+) %\), (?P<not>not )?as precise as wanted \(± (?P<wanted>\S+)\)",
)
def _(c, m):
    points = c.points(m["out"])
    values = points.values[c.point]
    equal(number(m["n"]), len(values), "values")
    equal(number(m["confidence"]), 100 * c.confidence, "confidence")
    if m["of"] == "share":
        ends = [100 * end for end in own.wilson(values, c.confidence)]
        digit = 0.51 * 10 ** -len(m["x"].partition(".")[2])
        deny(abs(number(m["low"]) - ends[0]) > digit or abs(number(m["high"]) - ends[1]) > digit, f"Wilson: {ends}")
        half = (ends[1] - ends[0]) / 200
        deny(abs(number(m["x"]) - 100 * points.of(c.point)) > 0.51 * 10 ** -len(m["x"].partition(".")[2]), "own share differs")
    else:
        close(m["x"], points.of(c.point), "mean", number(m["half"]))
        half = own.student_of_skewed(values, c.confidence)
        if not own.has_majority(values):
            close(m["half"], half, "half of Student's interval", half)
        digit = 0.51 * 10 ** -len(m["half"].partition(".")[2])
        deny(number(m["half"]) < half * 0.999 - digit, f"half of Student's interval is {half:.6g}")
        half = number(m["half"])
    reached = half <= float(m["wanted"]) * (1 + 1e-3)
    deny(reached and m["not"] and half < 0.999 * float(m["wanted"]), "it is as precise as wanted")
    deny(not reached and not m["not"], "it is not as precise as wanted")


@says("precision", r"OUT: N (?:values?, too few different ones for an interval|equal values? of X|values?) \(\d+ %\), .*")
@says("precision", r"OUT: N equal values? of X, which have no interval before there are M \(\d+ %\), .*")
def _(c, m):
    values = c.points(m["out"]).values[c.point]
    equal(number(m["n"]), len(values), "values")
    deny(len(values) > 1 and not own.has_majority(values), "an interval is possible")
    if m["m"]:
        deny(np.ptp(values) > 1e-9, "the values differ")
        deny(len(values) >= number(m["m"]), "there are as many values")


# ---- comparisons


@says("note", r"A is drawn-\d+ \(Drawn, version 1\), B is drawn-\d+-changed \(Drawn, version 1\); differences are B - A\.")
def _(c, m):
    pass


@says("note", r"N points? finished in both(?:, (?P<a>\d+) finished only in A)?(?:, (?P<b>\d+) finished only in B)?\.")
def _(c, m):
    a, b = ({run["point"] for run in runs if run["status"] == "done"} for runs in (c.runs, c.told["other"]["runs"]))
    known = [len(a & b), len(a - b), len(b - a)]
    every = {run["point"] for run in c.runs}
    # a point whose runs have all failed has finished too
    shown = [number(m["n"]), int(m["a"] or 0), int(m["b"] or 0)]
    deny(shown != known and shown != [len(every), 0, 0], f"own numbers {known}")


@says("note", r"Intervals(?: of shares)? \(N %\): .*(?P<pairs>in pairs|for pairs|by Welch|do not have).*")
def _(c, m):
    equal(number(m["n"]), 100 * c.confidence, "confidence")
    same = c.has_chance and c.settings["seed"] == c.told["other"]["seed"]
    deny(("do not have" in m[0]) == same, "the seeds say the opposite")


@says(
    "note",
    r"(?P<names>.*): (?P<a>[\d,]+) of N runs? of A and (?P<b>[\d,]+) of M runs? of B have no value, so the other runs may not be a"
    r" fair sample\.",
)
def _(c, m):
    other = c.told["other"]
    both = {point["key"] for point in other["points"] if point["where"] == "both"}
    for name in other["outputs"]:
        if f", {name}, " not in f", {m['names']}, ":
            continue
        of_a, of_b = c.points(name), own.Points(other["runs"], c.measures[name])
        values = [[v for key in both for v in of.all.get(key, {}).values()] for of in (of_a, of_b)]
        equal([number(m["n"]), number(m["m"])], [len(each) for each in values], f"runs of {name}")
        lacking = [sum(v is None for v in each) for each in values]
        equal([number(m["a"]), number(m["b"])], lacking, f"runs of {name} without a value")


@says("note", r"Not compared, because they are not BOOLEAN or numbers of the same unit in both campaigns: Course\.")
def _(c, m):
    deny("Course" not in c.settings["outputs"], "there is no such output")


@says("note", r"Intervals of quantiles \(N %\): .*")
def _(c, m):
    equal(number(m["n"]), 100 * c.confidence, "confidence")


@says("note", r"OUT: no point has an interval, because .*")
@says("note", r"OUT: no point has a finite value in both\.")
@says("note", r"OUT: no interval excludes 0(?:; N of M points? (?:has|have) no interval)?\.")
@says(
    "note",
    r"OUT: differs at N points? of M that (?:has|have) an interval \((?P<ways>.*)\); by chance alone"
    r" (?P<chance>less than 1|about [\d.,]+) would(?:; (?P<without>\d+) of \d+ points? (?:has|have) no interval)?\.",
)
def _(c, m):
    found = [point["outputs"] for point in c.told["other"]["points"] if point["where"] == "both"]
    at = c.told["other"]["outputs"].index(m["out"])
    ends = [(one[at]["low"], one[at]["high"], one[at]["byChance"]) for one in found]
    ends = [one for one in ends if one[0] is not None]
    higher, lower = sum(low > 0 for low, _, _ in ends), sum(high < 0 for _, high, _ in ends)
    if "no point has" in m[0]:
        return equal(0, len(ends), "intervals")
    if "no interval excludes 0" in m[0]:
        equal(int(m["n"] or 0), len(found) - len(ends), "points without an interval")
        return equal(0, higher + lower, "intervals that exclude 0")
    equal(number(m["n"]), higher + lower, "intervals that exclude 0")
    equal(number(m["m"]), len(ends), "intervals")
    equal(int(m["without"] or 0), len(found) - len(ends), "points without an interval")
    ways = {way: int(n) for n, way in re.findall(r"(\d+) (?:better in B \(|worse in B \()?(higher|lower)", m["ways"])}
    equal([ways.get("higher", 0), ways.get("lower", 0)], [higher, lower], "ways")
    goal = c.settings.get("goal")
    for word, way in re.findall(r"\d+ (better|worse) in B \((higher|lower)\)", m["ways"]):
        deny((word == "better") != (goal["wants"].startswith(way[:4])), "the goal says the opposite")
    chance = sum(by for _, _, by in ends)
    if m["chance"] == "less than 1":
        return deny(chance >= 1, f"by chance {chance:.3g}")
    deny(abs(number(m["chance"][6:]) - chance) > 0.051 * chance, f"by chance {chance:.3g}")


@says("note", r"Neither model has an input \{RANDOM_SEED\}, so there is no chance: differences are certain and have no intervals\.")
def _(c, m):
    deny(c.has_chance, "there is chance")


@says("note", r"OUT: equal at M points?(?P<ways>)(?:; (?P<without>\d+) of \d+ points? (?:has|have) no value in both)?\.")
@says("note", r"OUT: differs at N of M points? \((?P<ways>.*)\)(?:; (?P<without>\d+) of \d+ points? (?:has|have) no value in both)?\.")
def _(c, m):
    deny(c.has_chance, "there is chance")
    other = c.told["other"]
    a, b = c.points(m["out"]), own.Points(other["runs"], c.measures[m["out"]])
    both = [point["key"] for point in other["points"] if point["where"] == "both"]
    pairs = [[next(iter(of.all.get(key, {}).values()), None) for of in (a, b)] for key in both]
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    higher, lower = sum(y > x for x, y in known), sum(y < x for x, y in known)
    equal(number(m["n"]) if m["ways"] else 0, higher + lower, "points with other values")
    equal(number(m["m"]), len(known), "points with values in both")
    equal(int(m["without"] or 0), len(both) - len(known), "points without a value in both")
    if m["ways"]:
        ways = {way: int(n) for n, way in re.findall(r"(\d+) (?:better in B \(|worse in B \()?(higher|lower)", m["ways"])}
        equal([ways.get("higher", 0), ways.get("lower", 0)], [higher, lower], "ways")


def compared(c):
    """The differences of the comparison that the runs deny, each as a sentence with its reason."""
    other = c.told["other"]
    is_paired = other["method"] == "paired"
    for at, name in enumerate(other["outputs"]):
        a, b = c.points(name), own.Points(other["runs"], c.measures[name])
        for point in other["points"]:
            shown = point["outputs"][at]
            why = difference_denied(a, b, point["key"], shown, is_paired, c.confidence if c.has_chance else None)
            if why:
                yield f"{name} at {point['key']}: {json_of(shown)}", why


def json_of(shown):
    return ", ".join(f"{key} {shown[key]}" for key in ("difference", "low", "high"))


def difference_denied(a, b, key, shown, is_paired, confidence):
    """Why the runs deny a difference. `confidence`: of its interval; None without chance."""
    of_a, of_b = a.all.get(key, {}), b.all.get(key, {})
    if is_paired:
        both = [n for n in of_a if of_a[n] is not None and of_b.get(n) is not None]
        x, y = (np.array([of[n] for n in both]) for of in (of_a, of_b))
    else:
        x, y = (np.array([v for v in of.values() if v is not None]) for of in (of_a, of_b))
    if len(x) == 0 or len(y) == 0:
        return None if shown["difference"] is None else "a campaign has no values"
    of = (lambda v: np.quantile(v, a.measure["probability"])) if a.statistic == "quantile" else np.mean
    value = float(of(y) - of(x))
    if abs(shown["difference"] - value) > 1e-9 * (1 + abs(value)):
        return f"own difference {value}"
    ends = (shown["low"], shown["high"])
    if confidence is None:
        return None if ends[0] is None else "there is no chance"
    if a.statistic == "quantile":
        return None
    if a.statistic == "share":
        exact = own.newcombe_paired(x, y, confidence) if is_paired else own.newcombe(x, y, confidence)
        plain, has_floor = exact, False
    else:
        if len(x) < 2 or len(y) < 2:
            return None if ends[0] is None else "there are too few values for an interval"
        has_floor = own.has_majority(y - x) if is_paired else own.has_majority(x) or own.has_majority(y)
        if has_floor and ends[0] is None:
            return None
        if is_paired:
            half = own.student(y - x, confidence)
            plain = value - half, value + half
        else:
            plain = own.welch(x, y, confidence)
    if ends[0] is None:
        return f"an interval is possible: {plain}"
    slack = 1e-6 * (1 + abs(value))
    if has_floor and a.statistic == "mean" and not is_paired:
        # a floor changes the degrees of freedom, so the interval may become a little narrower
        slack += 0.35 * (plain[1] - plain[0])
    differs = [abs(end - own_end) > slack for end, own_end in zip(ends, plain)]
    if has_floor:
        return f"the plain interval is {plain}" if ends[0] > plain[0] + slack or ends[1] < plain[1] - slack else None
    return f"own interval {plain}" if any(differs) else None
