"""The table of the rules that judge sentences, and what the rules share."""

import math
import re

import own_models
import own_numbers as own

NAME = r"(?:Alpha|Beta|Gamma|Delta)"
# one input, or several of which any may be the largest
LEAD = rf"(?:{NAME}(?:(?:, {NAME})* or {NAME})?)"
WORDS = {
    "OUT": r"(?P<out>Cost|Arrivals|Late|Course|P\(Cost > 12\)|Q\(Cost, 0\.[59]\))",
    "LIST": rf"(?P<list>{NAME}(?:, {NAME})*(?: and {NAME})?)",
    "ONE": rf"(?P<one>{NAME})",
    "LEAD": rf"(?P<lead>{LEAD})",
    "CURVE": r"Course(?: as a linear function)?",
    "N": r"(?P<n>[\d,]+)",
    "M": r"(?P<m>[\d,]+)",
    "X": r"(?P<x>-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?)",
    "LOW": r"(?P<low>-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?)",
    "HIGH": r"(?P<high>-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?)",
}
RULES = []


# Two valid tests of one effect may use other pairs, other sums or another distribution, so they give other p-values near
# the level. A sentence that says nothing of an effect is denied only by an own p-value below CLEAR, and a sentence that
# names an input only by one above NONE. The bench "truth" counts how often each kind of sentence is wrong.
CLEAR, NONE = 1e-4, 0.2


# the kinds of campaigns whose points are combinations of values
GRIDS = ("grid", "factorial", "texts", "fraction", "select")


class Denied(Exception):
    pass


def says(kind, pattern):
    """Adds a rule: the sentences of a kind that match a pattern, and the function that judges them."""
    for word, regex in WORDS.items():
        pattern = re.sub(rf"\b{word}\b", lambda _, regex=regex: regex, pattern)
    compiled = re.compile(pattern)

    def add(judge):
        RULES.append((kind, compiled, judge))
        return judge

    return add


def number(text):
    return float(text.replace(",", ""))


def deny(is_false, what):
    if is_false:
        raise Denied(what)


def equal(shown, value, what):
    deny(shown != value, f"{what}: own number {value}")


def half_in(text):
    """Half the width of the interval in a text such as "17.0 ± 1.0" or "12.0 % (7.0 % to 20.0 %)"; None without one."""
    found = re.search(r"± (?P<half>[\d,.e+-]*\d)|\((?P<low>-?[\d,.e+-]+)(?: %)? to (?P<high>-?[\d,.e+-]+)", text)
    if not found:
        return None
    return number(found["half"]) if found["half"] else (number(found["high"]) - number(found["low"])) / 2


def close(text, value, what, half=None):
    """Whether a text with four significant digits has the value, or one with the two digits of the half of its interval."""
    size = abs(value)
    digit = 0.5 if size >= 1000 else 0.5 * 10 ** (math.floor(math.log10(size)) - 3) if size > 1e-12 else 1e-6
    if half:
        digit = max(digit, 0.5 * 10 ** (math.floor(math.log10(half)) - 1))
    deny(abs(number(text) - value) > 1.01 * digit + 1e-9, f"{what}: own number {value:.6g}")


def names(text):
    return re.findall(NAME, text)


class Campaign:
    def __init__(self, told):
        self.told, self.settings = told, told["settings"]
        self.inputs, self.kind = told["inputs"], told["kind"]
        self.runs, self.active = told["runs"], set(told["active"])
        self.measures = {one["name"]: one for one in told["measures"]}
        precision = self.settings["precision"]
        self.confidence = precision["confidence"] if precision else 0.95
        self.is_paired = self.settings["commonRandomNumbers"]
        self.has_chance = self.settings["seed"] is not None
        repeats = self.settings["replications"] > 1 or precision is not None
        self.is_noisy = self.has_chance and (repeats or not self.is_paired)
        self.one_run = self.has_chance and not repeats
        self.kept, self.analysis, self.point = {}, None, None
        # "random", "lhs", "repeated", and what is analyzed as they are
        self.is_sample = self.kind in ("random", "lhs", "repeated")
        self.failed = sum(run["status"] == "failed" for run in self.runs)
        self.finder = None

    @property
    def is_linear(self):
        return self.is_sample or (self.analysis or {}).get("method") == "regression"

    def points(self, name=None):
        # an analysis judges the points of a selection by the runs that no result has decided
        is_first = self.kind == "select" and (name is None or name.startswith("Course"))
        name = name or self.analysis["output"]
        if name == "Course":
            # what is said of the runs of a curve's points is judged at its last time, or at 0 if no time has indices
            time = self.analysis["times"][-1]["time"] if self.analysis["times"] else 0
            name = f"Course at {time:g}"
        if name not in self.kept:
            measure = self.measures.get(name, {"name": name, "statistic": "mean", "probability": None})
            self.kept[name] = own.Points(self.runs, measure)
        return self.kept[name].first(self.settings["replications"]) if is_first else self.kept[name]

    def compared(self, name=None):
        """The points by which inputs of a grid or of a one-at-a-time design are compared."""
        points = self.points(name)
        is_whole = self.kind in (*GRIDS, "onePerInput", "oneAtATime") and points.statistic != "quantile"
        return points.in_pairs() if self.is_paired and is_whole else points

    def best(self):
        """The known points by their value, the best first."""
        best = self.told["said"]["best"]
        points = self.points(best["output"])
        sign = -1 if best["wants"] == "highest" else 1
        return points, sorted(points.known, key=lambda key: sign * points.of(key))

    def rows(self):
        """The values of the rows of a sample, or of the points of another design."""
        points = self.points()
        if not self.is_sample:
            return list(points.values.values())
        return [values for _, values in points.rows(self.has_chance and not self.is_paired)]

    def regression(self):
        return own.Regression(self.points(), self.inputs, self.has_chance and not self.is_paired, self.is_paired)

    def shares_of_chance(self):
        # rows that share the runs of a point say no more about chance than one of them
        return self.points().shares_of_chance(self.is_paired, None if self.is_paired else self.rows())

    def ps(self, is_for_nothing, name=None):
        """The own p-values of the inputs for the analysed output, or for another one; empty without a test."""
        points = self.compared(name)
        if self.kind == "search":
            found = own_models.searched_ps(points, self.inputs)
            if not is_for_nothing and not self.has_chance:
                # two points show an effect that a line and a square of each input miss, such as that of an interaction
                found |= {one: 0.0 for place, one in enumerate(self.inputs) if own.changes(points, place) >= 1e-9}
            return found
        if self.is_linear:
            is_apart = self.has_chance and not self.is_paired
            found = own.Regression(points, self.inputs, is_apart, self.is_paired) if name else self.regression()
            return found.robust if is_for_nothing else found.p
        if self.one_run or points.statistic == "quantile":
            return {}
        found = {}
        for place, one_name in enumerate(self.inputs):
            if not self.has_chance:
                if self.kind != "fraction":
                    found[one_name] = float(own.changes(points, place) < 1e-9)
                continue
            if self.kind in ("onePerInput", "oneAtATime"):
                one = own.line_p(points, place, self.is_paired)
                if one:
                    found[one_name] = min(1, one[0] * (one[1] if is_for_nothing else 1))
                continue
            p = own.effect_p(points, place, self.is_paired)
            if p is not None and is_for_nothing and p < CLEAR:
                # Student's and Fisher's tests are too sure of a few values that are not normal
                pairs = [[points.all[key] for key in pair] for pair in own.pairs_of(points, place)]
                p = max(p, own.exchange_p(pairs, self.is_paired))
            if p is not None:
                found[one_name] = p
            if self.kind in ("morris", "saltelli") and not is_for_nothing:
                rows = own.pairs_of_rows(points, self.told["design"], self.told["designRows"], place)
                of_rows = own.effect_p(points, place, self.is_paired, rows)
                found[one_name] = min(found.get(one_name, 1), 1 if of_rows is None else of_rows)
        if self.kind == "fraction" and self.has_chance and is_for_nothing:
            found = own.factor_ps(points, self.inputs, self.is_paired, False)
            if points.statistic == "share":
                # an F test is too sure of points whose few runs are all true or all false
                found = {one: max(p, own.levels_p(points, self.inputs.index(one))) for one, p in found.items()}
                if self.is_paired:
                    # only the replications are independent, and those of a few often agree
                    found = {one: max(p, own.equal_p(points, True)) for one, p in found.items()}
            elif self.is_paired:
                # with common random numbers only the replications are independent: the points of one may move together
                found = {one: max(p, own.contrast_p(points, self.inputs.index(one)) or 0) for one, p in found.items()}
        if self.kind in GRIDS and self.has_chance and not is_for_nothing:
            for one, p in own.factor_ps(points, self.inputs, self.is_paired).items():
                found[one] = min(p, found.get(one, 1))
            for at, one in enumerate(self.inputs) if self.is_paired else []:
                p = own.contrast_p(points, at)
                if p is not None:
                    found[one] = min(p, found.get(one, 1))
        return own.holm(found) if is_for_nothing and self.has_chance else found


def judge(c, kind, text):
    """Returns why a sentence is denied; None if it is not."""
    for own_kind, pattern, rule in RULES:
        match = own_kind == kind and pattern.fullmatch(text)
        if match:
            try:
                rule(c, _Groups(match))
            except Denied as denied:
                return str(denied)
            return None
    return "no rule knows this sentence"


class _Groups:
    """The groups of a match; a group that the pattern does not have is None."""

    def __init__(self, match):
        self.match = match

    def __getitem__(self, name):
        return self.match[0] if name == 0 else self.match.groupdict().get(name)
