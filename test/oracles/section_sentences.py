"""Rules for the captions, the tables and the texts of the sections of a report. The last rule lists what claims nothing."""

import re

import numpy as np

import own_numbers as own
from effect_sentences import matter_by, nothing_by
from sentence_table import LEAD, NAME, NONE, close, deny, equal, names, number, says

TIME = r"[\d.]+"


def times_of(c, low=None, high=None):
    return [one["time"] for one in c.analysis["times"] if low is None or low <= one["time"] <= high]


def at_time(time):
    return f"Course at {time:g}"


@says("course", r"It is unknown which inputs matter for Course(?:, because (?P<why>.*?))?\.?")
def _(c, m):
    if m["why"] == "no point has two runs with a value":
        for time in times_of(c):
            deny(c.points(at_time(time)).tells_chance(c.is_paired), f"chance is known at {time:g}")
    elif m["why"]:
        equal(m["why"], "each point has one run with its own seed", "reason")
        deny(not c.one_run or c.is_paired, "chance is known")


@says("course", r"No input has (?:a visible|more than a little)(?: linear)? effect on Course at any of N times\.?")
@says("course", r"The effects of (?:all inputs|LIST) on Course cannot be distinguished from chance at any of N times\.?")
@says("course", r"LIST (?:has|have) no visible (?:linear )?effect on Course at any of N times\.?")
def _(c, m):
    equal(number(m["n"]), len(times_of(c)), "times")
    if "little" not in m[0]:
        for time in times_of(c):
            nothing_by(c, names(m["list"] or "") or c.inputs, c.ps(True, at_time(time)), time)


@says("course", r"the effects? of LIST (?:is|are) unknown(?: at some times)?\.?")
def _(c, m):
    for one in names(m["list"]):
        shown = [next(i for i in time["indices"] if i["input"] == one) for time in c.analysis["times"]]
        # in a fraction, an interaction of the input may be another one
        deny(all("p" in each for each in shown) and c.kind != "fraction", "it is known at all times")


@says("course", r"LIST (?:has|have) no visible (?:linear )?effect at any time\.?")
@says("course", r"LIST cannot be distinguished from chance at any time\.?")
def _(c, m):
    for time in times_of(c):
        nothing_by(c, names(m["list"]), c.ps(True, at_time(time)), time)


@says("course", r"LEAD matters most for CURVE at all N times from LOW to HIGH\.?")
def _(c, m):
    equal(number(m["n"]), len(times_of(c)), "times")
    equal([number(m["low"]), number(m["high"])], [times_of(c)[0], times_of(c)[-1]], "times")
    for time in times_of(c):
        matter_by(c, names(m["lead"]), c.ps(False, at_time(time)), time)


@says("course", r"LEAD matters most for CURVE at all N times from LOW\.?")
def _(c, m):
    equal([number(m["low"])], times_of(c), "times")
    matter_by(c, names(m["lead"]), c.ps(False, at_time(number(m["low"]))), number(m["low"]))


@says("course", r"The input that matters most for CURVE changes: (?P<parts>.*?)\.?")
def _(c, m):
    for part in m["parts"].split(", then "):
        found = re.fullmatch(rf"(no input|{LEAD}) (?:at|from) ({TIME})(?: to ({TIME}))?", part)
        deny(not found, "no rule knows this part")
        low, high = float(found[2]), float(found[3] or found[2])
        for time in times_of(c, low, high):
            if found[1] != "no input":
                matter_by(c, names(found[1]), c.ps(False, at_time(time)), time)


@says("course", r"The input that matters most for CURVE changes often: (?P<parts>.*?)\.?")
def _(c, m):
    for lead, count, of in re.findall(rf"({LEAD}) at (\d+) of (\d+) times", m["parts"]):
        equal(int(of), len(times_of(c)), "times")
        for name in names(lead):
            visible = [time for time in times_of(c) if c.ps(False, at_time(time)).get(name, 0) <= NONE]
            deny(int(count) > len(visible), f"{name} has an effect at {len(visible)} times")


@says("warning", r"At N of M times, Course has no value at some points\. These points are left out there\.")
def _(c, m):
    equal(number(m["m"]), len(times_of(c)), "times")
    lacking = [t for t in times_of(c) if len(c.points(at_time(t)).known) < len(c.points(at_time(t)).all)]
    # a sample has a row for each draw, and a draw may have no value although its point has one
    deny(number(m["n"]) < len(lacking), f"own number {len(lacking)}")


@says("warning", r"At N of M times, no point has two runs with a value, so chance is unknown there\.")
def _(c, m):
    equal(number(m["m"]), len(times_of(c)), "times")
    equal(number(m["n"]), sum(not c.points(at_time(t)).tells_chance(c.is_paired) for t in times_of(c)), "times")


@says("warning", r"N other times are left out, because some points have no value there\.")
def _(c, m):
    every = {x for run in c.runs if "Course" in run["outputs"] for x in own.curve_of(run["outputs"])}
    deny(number(m["n"]) > len(every) - len(times_of(c)), "there are fewer times")


@says("warning", r"Only times of the first run's curve are analyzed, from \S+ to \S+\. The curves of Course together are from \S+ to \S+\.")
def _(c, m):
    lengths = {len(own.curve_of(run["outputs"])) for run in c.runs if "Course" in run["outputs"]}
    deny(len(lengths) < 2, "all curves have the same times")


@says("warning", r"Chance dominates at N of M times: chance explains more of the variance of single runs than the inputs do\.")
def _(c, m):
    equal(number(m["m"]), len(times_of(c)), "times")
    shares = [c.points(at_time(t)).shares_of_chance(c.is_paired) for t in times_of(c)]
    if not c.is_sample:
        equal(number(m["n"]), sum(one is not None and one[0] > 50 for one in shares), "times")


@says("warning", r"OUT is the same at all points, or has no values\.")
def _(c, m):
    name = m["out"]
    if name != "Course":
        points = c.finder.part(0, c.finder.first)
        deny(np.ptp([points.of(key) for key in points.known] or [0]) > 1e-9, "it differs")


@says("warning", r"The values (?:are too large|differ too little) for an analysis: .*")
def _(c, m):
    deny(True, "the values are neither huge nor tiny")


@says("warning", r"The effects of a fraction with missing points cannot be separated, so the other points are analyzed by regression\.")
def _(c, m):
    points = c.points("Cost" if "times" in c.analysis else None)
    deny(len(points.known) == len(points.all) and "times" not in c.analysis, "no point is missing")


@says("warning", r"The model explains N % of the variance of points outside the fit: its indices are rough\. A campaign .*")
@says("warning", r"There are no indices, because the model of the search predicts only N % of .*")
@says("warning", r"N points are (?:few|too few) for a Gaussian process.*")
@says("warning", r"The points of the search .*|The model .*")
def _(c, m):
    deny(c.kind != "search", "no search")


# ---- the section "Which inputs matter": the sentence itself is judged with the analysis


@says("analysis", r"N % of the variance of single runs comes from chance in the replications")
def _(c, m):
    share = c.shares_of_chance()[0]
    deny(abs(number(m["n"]) - share) > 0.51, f"own share {share:.2f} %")


@says("analysis", rf"(?P<name>{NAME})(?: × (?P<other>{NAME}))? \| (?P<cells>.*) \|")
def _(c, m):
    """The cells are the rounded numbers of the analysis, which are judged below."""
    if m["other"]:
        (one,) = [p for p in c.analysis["secondOrder"] if p["inputs"] == [m["name"], m["other"]]]
    else:
        (one,) = [i for i in c.analysis["indices"] if i["input"] == m["name"]]
    values = [value for v in one.values() for value in (v if isinstance(v, list) else [v])]
    known = [float(v) for v in values if isinstance(v, (int, float)) or re.fullmatch(r"[\d.]+", v)]
    for cell in m["cells"].split("|"):
        if "×" in cell or re.search(NAME, cell):
            continue
        for text in re.findall(r"-?[\d,]*\d(?:\.\d+)?(?:e[+-]?\d+)?", cell):
            digits = len(text.partition(".")[2].partition("e")[0])
            shown = number(text)
            slack = 0.501 * 10.0**-digits if "e" not in text else abs(shown) * 1e-3
            deny(not any(abs(shown - v) <= slack + 5e-4 * abs(v) for v in known) and "<" not in cell, f"{text} is not in the analysis")


@says("analysis", r"No pair of inputs has a visible interaction")
def _(c, m):
    pass


@says("analysis", r"The first N of M (?:inputs|pairs of inputs) are shown.*")
def _(c, m):
    deny(number(m["n"]) >= number(m["m"]), "all are shown")


@says("analysis", r"(?:.*)")
def _(c, m):
    """Warnings stand in the analysis too; the texts about the method are the same for all campaigns."""
    text = m[0] + ("" if m[0].endswith((".", "|")) else ".")
    if any(text in warning or warning in text for warning in c.analysis["warnings"]):
        return
    deny(not ABOUT_METHODS.fullmatch(m[0]), "no rule knows this text")


ABOUT_METHODS = re.compile(
    r"Which inputs matter|The method shows .*|Its test: .*|It cannot show .*|The sentence allows for the number of tests; each p .*"
    r"|(?:Input|Together) \|.*"
)


@says("analysis-others", r"Which inputs matter for other outputs")
def _(c, m):
    pass


# ---- captions


@says("distributions", r"The number of runs by value: N runs?(?: over all points)?")
def _(c, m):
    repeats = {run["point"]: run["draws"] for run in c.runs}
    deny(number(m["n"]) < len(c.runs) - c.failed - 1e-9, f"own number {len(c.runs) - c.failed}")
    if all(n == 1 for n in repeats.values()):
        equal(number(m["n"]), len(c.runs) - c.failed, "finished runs")


@says("distributions", r"Runs without a finite value are left out: (?P<parts>.*)")
def _(c, m):
    done = [run for run in c.runs if run["status"] == "done"]
    for count, name in re.findall(r"([\d,]+) of ((?:[PQ]\([^)]*\))|\w+)", m["parts"]):
        lacking = sum(run["draws"] if not c.has_chance else 1 for run in done if own.reader_of(name)(run["outputs"]) is None)
        plain = sum(own.reader_of(name)(run["outputs"]) is None for run in done)
        deny(not min(plain, lacking) <= number(count) <= max(lacking, plain * max(r["draws"] for r in done)), f"own number {plain}")


@says("distributions", r"In (?:all|the only) (?:N )?runs?(?: with a finite value)?,? (?P<parts>.* is .*)")
def _(c, m):
    done = [run for run in c.runs if run["status"] == "done"]
    for name, value in re.findall(r"((?:[PQ]\([^)]*\))|\w+) is ([^,\s]+)", m["parts"]):
        found = [v for v in (own.reader_of(name)(run["outputs"]) for run in done) if v is not None]
        shown = own.TRUE[value] if value in own.TRUE else number(value)
        deny(len(found) == 0 or np.ptp(found) > 1e-9 or abs(found[0] - shown) > 1e-3 * (1 + abs(shown)), "the values differ")


@says("distributions", r"No run has a finite value of (?P<parts>.*)")
def _(c, m):
    for name in m["parts"].split(", "):
        deny(len(c.points(name).known) > 0, f"{name} has values")


@says("distributions", r"A run counts as often as the design has its point")
@says("curves", r"A run counts as often as the design has its point")
def _(c, m):
    deny(all(run["draws"] == 1 for run in c.runs), "no point is repeated")


@says(
    "effects",
    r"The (?P<what>mean|share|quantile) over all points with the value(?P<how>, with its N % confidence interval over the replications"
    r"|, without intervals, because replications of different points share their seeds)?",
)
def _(c, m):
    equal(m["what"], c.points(c.told["said"]["best"]["output"]).statistic, "statistic")
    if m["n"]:
        equal(number(m["n"]), 100 * confidence_of(c), "confidence")
    deny("share their seeds" in (m["how"] or "") and not c.is_paired, "points have own seeds")


def confidence_of(c):
    return c.finder.confidence if c.finder else c.confidence


@says("effects", r"Some points have no value")
@says("effects", r"So the means of two values of an input may differ only because .*")
def _(c, m):
    points = c.points(c.told["said"]["best"]["output"])
    deny(len(points.known) == len(points.all), "all points have a value")


@says("scatter", r"All N points?(?:, each the (?P<what>mean|share|quantile) of its replications)?")
def _(c, m):
    points = c.points(c.told["said"]["best"]["output"])
    if not c.is_sample:
        equal(number(m["n"]), len(points.known), "points with a value")
    deny(m["what"] and m["what"] != points.statistic, "statistic")


@says("scatter", r"The line is a local regression \(loess\)(?P<band> with its N % confidence band.*| without a band, because .* share their seeds)?")
def _(c, m):
    deny("without a band" in (m["band"] or "") and not c.is_paired, "points have own seeds")
    if m["n"]:
        equal(number(m["n"]), 100 * confidence_of(c), "confidence")


@says("tornado", r"The change is from the lowest to the highest output if .*: (?P<parts>.*)")
def _(c, m):
    known = {one["input"]: one for one in c.analysis["indices"]}
    for name, low, high in re.findall(rf"({NAME}) from (\S+?) to ([^,\s]+)", m["parts"]):
        equal([low, high], [known[name]["lowAt"], known[name]["highAt"]], "values")


@says("curves", r".*the runs that reach each place, which are (?P<some>[\d,]+)(?: to (?P<most>[\d,]+))? of .*")
def _(c, m):
    reach = {}
    for run in c.runs:
        for x in own.curve_of(run["outputs"]) if "Course" in run["outputs"] else []:
            reach[x] = reach.get(x, 0) + (1 if c.has_chance else run["draws"])
    if all(run["draws"] == 1 for run in c.runs):
        deny("spread evenly" not in m[0] and number(m["some"]) not in reach.values(), f"own numbers {sorted(reach.values())}")


@says("curves", r".* N runs?(?: spread evenly over all)?(?: that have a curve \(M(?: of [\d,]+)? ha(?:s|ve) none\))?")
def _(c, m):
    curves = sum("Course" in run["outputs"] for run in c.runs if run["status"] == "done")
    deny(number(m["n"]) > curves * max(run["draws"] for run in c.runs), f"{curves} runs have a curve")


@says("failures", r"(?P<runs>[\d,]+) \| The model failed\. \| (?P<place>.*) (?P<key>[0-9a-f]{16}) \|")
def _(c, m):
    equal(number(m["runs"]), c.failed, "failed runs")
    failed = [run for run in c.runs if run["point"] == m["key"] and run["status"] == "failed"]
    deny(len(failed) == 0, "this point has no failed run")
    for name, shown in re.findall(rf"({NAME}) (\w[\w.]*)", m["place"]):
        value = failed[0]["values"][c.inputs.index(name)]
        deny(value != shown and abs(own.place_of(value) - own.place_of(shown)) > 5e-4, f"{name} is {value}")


@says("no-value", r"No run that is done has a value of OUT")
def _(c, m):
    deny(len(c.points(m["out"]).known) > 0, "it has values")


@says("none", r"All runs have failed")
def _(c, m):
    equal(c.failed, len(c.runs), "failed runs")


@says("none", r"No run is done, and N runs? ha(?:s|ve) failed")
def _(c, m):
    equal(c.failed, number(m["n"]), "failed runs")


@says("chosen", r"The search prefers points with good values, so these points show no shares of the variance")
@says("chosen", r"The selection gives no further runs to points that look bad at first, so the means of these points are rather too bad")
@says("chosen", r"The calibration draws points near the observations, so these points show no shares of the variance")
@says("surface", r"A local regression \(loess\) over only \w+ and \w+, through (?:all points|N points spread evenly over all)")
def _(c, m):
    deny(m[0].startswith("The search") and c.kind != "search", "no search")
    deny(m[0].startswith("The selection") and c.kind != "select", "no selection")
    deny(m[0].startswith("The calibration") and c.kind != "calibrate", "no calibration")


# ---- texts that claim nothing about the runs: titles, and how to read a picture

NO_CLAIM = {
    "courses": r"When inputs matter for Course|[\w ]+(?:μ\*)? of each input at each time|μ\* of each input at each time|Bands are 95 % intervals|Bands are 90 % intervals|Lines are.*|Standardized coefficient of each input at each time",
    "curves": r"Course|(?:Best|Lowest) point(?:, its first finished replication,)? in front of the other runs(?: that have a curve .*)?|A line for each run(?: that has a curve .*)?|Some curves end early, so that only the others count at the places behind their ends|(?:Best|Lowest) point(?:, its first finished replication,)? alone|Places that fewer than half of the curves reach are left out",
    "distributions": r"Distributions? of .*",
    "effects": r".* by .*|The (?:lowest|highest) is marked|Neighbouring values of .* are grouped|The scale is logarithmic.*|.* over .* and .*|Each cell is .*|A lighter cell .*|An empty cell .*|One picture for each value .*",
    "grids": r".* over .*, by .*|One picture for each value .*|Each cell is .*|A lighter cell has a lower value",
    "grid": r".* over .*|Each cell is .*|One picture for each value .*|A lighter cell has a lower value|An empty cell has no completed run, or is not a point of the campaign",
    "scatter": r".* by .*|The (?:lowest|highest)(?: of these points)? is marked|The scale and the fit are logarithmic|The largest .*|N points spread .*",
    "surface": r".* over .*|A lighter colour is a lower value|The surface ends where no points are near|The scale and the fit are logarithmic|It also has points that do not meet the requirements",
    "tornado": r"How inputs change .*|The change of the output from the lowest to the highest value of each input, .*|Standardized regression coefficients .*|Lines are .*",
    "indices": r"Effects on .*|Shares of the variance of .*|How much of the variance .*|First order is .*|Lines are .* intervals",
    "screening": r"Screening of .*|Inputs to the right matter; .*|Lines are .* intervals",
    "timeline": r"Timeline|Above: .*|Below: .*|For a run that was tried again, .*",
    "failures": r"Failures|Failed runs by cause|A cause is the common part .*|Runs \| Cause \| For example \|",
    "search": r"The search",
    "search-progress": r"Progress of the search|The search ended at the dotted line",
    "search-points": r"All points of the search|The best point is the thick line|Colours show the values during the search",
    "search-table": r"Best points|Finalists",
    "finalists": r"The (?:best points|finalists)|Each row has the values of .*|The circles are the values during the search; .*",
    "select": r"The selection",
    "select-table": r"Best points",
    "slices": r".* through the best point|The prediction of the Gaussian process when .*|The points of the search lie off the line, .*",
    "best": r"(?:Best|Lowest|First) points",
}
for kind, pattern in NO_CLAIM.items():

    @says(kind, pattern)
    def _(c, m):
        pass
