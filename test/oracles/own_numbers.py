"""Numbers of a campaign, computed from its raw runs. No code of foray takes part."""

import copy
import itertools
import json
import math
import re

import numpy as np
from scipy import stats

TRUE = {"true": 1.0, "false": 0.0}
TEXTS = {"low": 0.0, "mid": 0.5, "high": 1.0, **TRUE}


def place_of(value):
    """The number of an input's value; the model computes with the same numbers."""
    return TEXTS[value] if value in TEXTS else float(value)


def number_in(outputs, name):
    text = outputs.get(name)
    return None if text is None else TRUE.get(text) if text in TRUE else float(text)


def reader_of(name):
    """Reads a measure from the outputs of a run: an output, P(output > limit) or Q(output, probability)."""
    share = re.fullmatch(r"P\((\w+) > ([\d.]+)\)", name)
    if share:
        limit = float(share[2])

        def read(outputs):
            value = number_in(outputs, share[1])
            return None if value is None else float(value > limit)

        return read
    quantile = re.fullmatch(r"Q\((\w+), ([\d.]+)\)", name)
    course = re.fullmatch(r"Course at ([\d.]+)", name)
    if course:

        def read_course(outputs):
            if "Course" not in outputs:
                return None
            return curve_of(outputs).get(float(course[1]))

        return read_course
    source = quantile[1] if quantile else name
    return lambda outputs: number_in(outputs, source)


def curve_of(outputs):
    """The curve of a run: its places with their values."""
    curve = json.loads(outputs["Course"])
    return dict(zip(curve["dataX"], curve["dataY"]))


class Points:
    """The values of one measure by point, in design order. A failed run or a run without the value has None."""

    def __init__(self, runs, measure):
        self.measure = measure
        self.statistic = measure["statistic"]
        read = reader_of(measure["name"])
        self.all, self.inputs, self.draws = {}, {}, {}
        for run in runs:
            value = read(run["outputs"]) if run["status"] == "done" else None
            self.all.setdefault(run["point"], {})[run["replication"]] = value
            self.inputs[run["point"]] = run["values"]
            self.draws[run["point"]] = run["draws"]
        self.values = {
            key: np.array([v for v in by.values() if v is not None]) for key, by in self.all.items()
        }
        self.known = [key for key, values in self.values.items() if len(values) > 0]

    def of(self, key):
        """The mean, share or quantile at a point."""
        return self.value(self.values[key])

    def first(self, most):
        """
        The same points with their first replications. A selection decides by the results which points get further ones. So
        the mean of all runs of a point is biased, and only the first runs, which all points have, are a fair sample.
        """
        found = copy.copy(self)
        found.all = {key: {n: v for n, v in by.items() if n <= most} for key, by in self.all.items()}
        found.values = {key: np.array([v for v in by.values() if v is not None]) for key, by in found.all.items()}
        found.known = [key for key, values in found.values.items() if len(values) > 0]
        return found

    def in_pairs(self):
        """
        The same points with the replications that all points have. With common random numbers only these compare the
        points; further ones of single points would bring back the chance that is the same everywhere.
        """
        common = set(self.common())
        if len(common) < 2:
            return self
        found = copy.copy(self)
        found.all = {
            key: {n: v for n, v in by.items() if n in common} if key in self.known else by for key, by in self.all.items()
        }
        found.values = {key: np.array([v for v in by.values() if v is not None]) for key, by in found.all.items()}
        return found

    def rows(self, has_runs_per_draw):
        """
        The values of each row of a sample. A point has a row for each time that the design drew it. If each draw has
        runs of its own, the runs of the point take turns.
        """
        rows = []
        for key, by in self.all.items():
            draws = self.draws[key]
            parts = draws if has_runs_per_draw else 1
            for row in range(draws):
                turn = row if has_runs_per_draw else 0
                own = [v for n, v in by.items() if (n - 1) % parts == turn and v is not None]
                rows.append((key, np.array(own)))
        return rows

    def value(self, values):
        """The mean, share or quantile of values."""
        if self.statistic == "quantile":
            return float(np.quantile(values, self.measure["probability"]))
        return float(np.mean(values))

    def by_inputs(self):
        return {tuple(self.inputs[key]): key for key in self.all}

    def chance(self, is_paired=False):
        """
        The variance of chance within points with its degrees of freedom; None without two values at a point. With common
        random numbers, without the part of each replication that all points share.
        """
        table = self.table() if is_paired else None
        if table is not None:
            rest = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
            freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
            return float(np.sum(rest**2)) / freedom, freedom
        freedom = sum(len(self.values[key]) - 1 for key in self.known)
        if freedom < 1:
            return None
        squares = sum(float(np.sum((self.values[k] - np.mean(self.values[k])) ** 2)) for k in self.known)
        return squares / freedom, freedom

    def common(self):
        """The replications that all known points have."""
        each = [{n for n, v in self.all[key].items() if v is not None} for key in self.known]
        return sorted(set.intersection(*each)) if each else []

    def table(self):
        """The values of the common replications: a row for each known point; None without two rows and two columns."""
        common = self.common()
        if min(len(common), len(self.known)) < 2:
            return None
        return np.array([[self.all[key][n] for n in common] for key in self.known], dtype=float)

    def added(self, form):
        """
        What chance with common random numbers adds to a sum of squares of the points' means, which is a function of them. Only
        the replications are independent, so it comes from the differences of the sum between them; None without a table.
        """
        table = self.table()
        if table is None:
            return None
        n = table.shape[1]
        apart = table - table.mean(1, keepdims=True)
        return sum(form(apart[:, at]) for at in range(n)) / (n - 1) / n

    def tells_chance(self, is_paired):
        """Whether some point has two values, or, with common random numbers, all values have the same chance."""
        if any(len(self.values[key]) > 1 for key in self.known):
            return True
        return is_paired and len({n for key in self.known for n, v in self.all[key].items() if v is not None}) == 1

    def shares_of_chance(self, is_paired, samples=None):
        """The shares of chance in the variance of single runs, and of the points' means, in percent."""
        known = [values for values in samples or self.values.values() if len(values) > 0]
        freedom = sum(len(values) - 1 for values in known)
        if freedom < 1 or len(known) < 2:
            return None
        within = sum(float(np.sum((values - np.mean(values)) ** 2)) for values in known) / freedom
        between = float(np.var([float(np.mean(values)) for values in known], ddof=1))
        noise = within * float(np.mean([1 / len(values) for values in known]))
        rest = max(0.0, between - (0 if is_paired else noise))
        if within + rest == 0:
            return None
        return 100 * within / (within + rest), 100 * min(1.0, noise / between if between else 1.0)


def has_majority(values):
    """Whether one value is more frequent than all others together: then an interval has a floor, or there is none."""
    return len(values) > 0 and 2 * max(np.unique(values, return_counts=True)[1]) > len(values)


def student(values, confidence):
    """Half of Student's interval of a mean."""
    n = len(values)
    return stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(values, ddof=1) / math.sqrt(n)


def student_of_skewed(values, confidence):
    """Half of Student's interval without the first term of its error from skewness (Hall 1992)."""
    z = stats.norm.ppf((1 + confidence) / 2)
    skewness = stats.skew(values) if np.ptp(values) > 0 else 0
    return student(values, confidence) * math.sqrt(1 + skewness**2 * (z**4 + 2 * z**2 - 3) / (9 * len(values)))


def wilson(values, confidence):
    """Wilson's interval of a share."""
    n, share = len(values), float(np.mean(values))
    z = stats.norm.ppf((1 + confidence) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def order_statistics(values, probability, confidence):
    """An interval of a quantile between two values; None with too few values."""
    n, tail = len(values), (1 - confidence) / 2
    ordered = np.sort(values)
    low = int(stats.binom.ppf(tail, n, probability))
    low = low if stats.binom.cdf(low - 1, n, probability) <= tail else low - 1
    high = next((r for r in range(1, n + 1) if stats.binom.cdf(r - 1, n, probability) >= 1 - tail), None)
    if low < 1 or high is None:
        return None
    return ordered[low - 1], ordered[high - 1]


def newcombe(a, b, confidence):
    """Newcombe's hybrid score interval of the difference of two independent shares."""
    p, q = float(np.mean(a)), float(np.mean(b))
    (la, ha), (lb, hb) = wilson(a, confidence), wilson(b, confidence)
    return q - p - math.hypot(q - lb, ha - p), q - p + math.hypot(hb - q, p - la)


def newcombe_paired(a, b, confidence):
    """Newcombe's interval of the difference of two shares in pairs, with his correction for continuity."""
    n = len(a)
    both, neither = float(np.sum(a * b)), float(np.sum((1 - a) * (1 - b)))
    only_a, only_b = float(np.sum(a * (1 - b))), float(np.sum((1 - a) * b))
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    product = both * neither - only_a * only_b
    product = max(product - n / 2, 0) if product > 0 else product
    phi = 0 if margins == 0 else product / math.sqrt(margins)
    p, q = float(np.mean(a)), float(np.mean(b))
    (la, ha), (lb, hb) = wilson(a, confidence), wilson(b, confidence)
    below = (q - lb) ** 2 - 2 * phi * (q - lb) * (ha - p) + (ha - p) ** 2
    above = (p - la) ** 2 - 2 * phi * (p - la) * (hb - q) + (hb - q) ** 2
    return q - p - math.sqrt(max(0, below)), q - p + math.sqrt(max(0, above))


def welch(a, b, confidence):
    va, vb = np.var(a, ddof=1) / len(a), np.var(b, ddof=1) / len(b)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = stats.t.ppf((1 + confidence) / 2, freedom) * math.sqrt(va + vb)
    middle = float(np.mean(b) - np.mean(a))
    return middle - half, middle + half


class Regression:
    """Least squares of the values of the rows of a sample on the inputs."""

    def __init__(self, points, inputs, has_runs_per_draw, is_paired=False):
        is_repeated = any(len(values) > 1 for values in points.values.values())
        points = points.in_pairs() if is_paired else points
        rows = [row for row in points.rows(has_runs_per_draw) if len(row[1]) > 0]
        x = np.array([[place_of(v) for v in points.inputs[key]] for key, _ in rows])
        y = np.array([points.value(values) for _, values in rows])
        design = np.column_stack([np.ones(len(x)), x])
        # with chance, the draws of a point that share its runs are one point
        n = len({key for key, _ in rows}) if is_repeated and is_paired else len(x)
        self.coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
        residual = y - design @ self.coefficients
        total = float(np.sum((y - np.mean(y)) ** 2))
        self.r2 = 1 - float(np.sum(residual**2)) / total if total > 0 else math.nan
        self.freedom = n - np.linalg.matrix_rank(design)
        # the coefficient of a column that the other columns determine is any number
        apart = np.abs(np.diag(np.linalg.pinv(design) @ design)[1:] - 1) < 1e-9
        self.separable = [name for name, is_apart in zip(inputs, apart) if is_apart]
        self.adjusted = 1 - (1 - self.r2) * (n - 1) / self.freedom if self.freedom > 0 else None
        self.src = dict(zip(inputs, self.coefficients[1:] * np.std(x, axis=0) / np.std(y)))
        self.p, self.robust = {}, {}
        if self.freedom > 0:
            # a few points may lie on a plane by luck although their runs differ
            within = None if is_paired or points.statistic == "quantile" else points.chance()
            noise = within[0] * float(np.mean([1 / len(values) for _, values in rows])) if within else 0
            noise = noise if self.freedom < 10 else 0
            variance = max(float(np.sum(residual**2)) / self.freedom, 1e-20 * total, noise)
            errors = np.sqrt(variance * np.diag(np.linalg.pinv(design.T @ design)))[1:]
            self.p = {
                name: float(2 * stats.t.sf(abs(b / e), self.freedom))
                for name, b, e in zip(inputs, self.coefficients[1:], errors)
                if name in self.separable
            }
            # the variance of a share differs between points, and then these tests are too sure (HC3: J. G. MacKinnon and
            # H. White, "Some heteroskedasticity-consistent covariance matrix estimators", J. Econometrics 29, 1985)
            inverse = np.linalg.pinv(design)
            lever = np.clip(np.einsum("ij,ji->i", design, inverse), 0, 1 - 1e-9)
            spread = np.sqrt(np.sum((inverse * (residual / (1 - lever))) ** 2, axis=1))[1:]
            # equal values of a few runs may hide chance
            is_hidden = within is not None and within[0] <= 1e-20 * total
            self.robust = {} if is_hidden else {
                name: max(self.p[name], float(2 * stats.t.sf(abs(b) / e, self.freedom)) if e > 0 else 0.0)
                for name, b, e in zip(inputs, self.coefficients[1:], spread)
                if name in self.p
            }
        if is_paired and is_repeated:
            by_replication = self.p_of_replications(points, inputs, rows, design)
            for ps in (self.p, self.robust):
                for name in list(ps):
                    if by_replication is None:
                        del ps[name]
                    else:
                        ps[name] = max(ps[name], by_replication[name])

    @staticmethod
    def p_of_replications(points, inputs, rows, design):
        """Points share their chance, so the slopes of the replications are the sample; None without two replications."""
        common = points.common()
        if len(common) < 2 or points.statistic == "quantile":
            return None
        inverse = np.linalg.pinv(design)
        slopes = np.array([inverse @ np.array([points.all[key][n] for key, _ in rows]) for n in common])[:, 1:]
        error = np.std(slopes, axis=0, ddof=1) / math.sqrt(len(common))
        mean = np.mean(slopes, axis=0)
        return {
            name: 0.0 if e <= 1e-9 * abs(b) else float(2 * stats.t.sf(abs(b) / e, len(common) - 1))
            for name, b, e in zip(inputs, mean, error)
        }


def pairs_of(points, place):
    """Pairs of points that differ only in one input, the lower value first. Each point is in one pair at most."""
    groups = {}
    for key in points.known:
        inputs = points.inputs[key]
        groups.setdefault(tuple(v for at, v in enumerate(inputs) if at != place), []).append(key)
    pairs = []
    for group in groups.values():
        group.sort(key=lambda key: place_of(points.inputs[key][place]))
        pairs += zip(group[: len(group) // 2], group[(len(group) + 1) // 2 :])
    return pairs


def difference_at(points, pair, is_paired):
    """The difference of two points with its variance and degrees of freedom; None with too few values."""
    a, b = ([points.all[key] for key in pair])
    if is_paired:
        both = [n for n in a if a[n] is not None and b.get(n) is not None]
        d = np.array([b[n] - a[n] for n in both])
        return (float(np.mean(d)), np.var(d, ddof=1) / len(d), len(d) - 1) if len(d) > 1 else None
    va, vb = (points.values[key] for key in pair)
    if len(va) + len(vb) < 3:
        return None
    return float(np.mean(vb) - np.mean(va)), None, len(va) + len(vb) - 2


def line_p(points, place, is_paired):
    """The smallest p-value of two points that differ only in one input, and the number of these pairs."""
    line = {}
    for key in points.known:
        line.setdefault(tuple(v for at, v in enumerate(points.inputs[key]) if at != place), []).append(key)
    ps = []
    for pair in itertools.combinations(max(line.values(), key=len, default=[]), 2):
        one = difference_at(points, pair, is_paired)
        if one is None:
            continue
        a, b = (points.values[key] for key in pair)
        if points.statistic == "share":
            table = [[np.sum(v), len(v) - np.sum(v)] for v in (a, b)]
            ps.append(float(stats.fisher_exact(table).pvalue))
        elif not is_paired:
            is_equal = np.ptp(a) + np.ptp(b) == 0
            # equal values do not show how much chance there is
            ps.append(math.nan if is_equal else stats.ttest_ind(a, b, equal_var=False).pvalue)
        else:
            if abs(one[0]) <= 1e-9:
                ps.append(1.0)
            elif one[1] <= 1e-20 * one[0] ** 2:
                ps.append(equal_p(points, True))
            else:
                ps.append(float(2 * stats.t.sf(abs(one[0]) / math.sqrt(one[1]), one[2])))
    known = [p for p in ps if not math.isnan(p)]
    return (min(known), len(known)) if known else None


def pairs_of_rows(points, design, rows, place):
    """The pairs of points that a Morris or Saltelli design has for an input. Each point is in one pair at most."""
    inputs = len(design["inputs"])
    if design["kind"] == "morris":
        steps = [(at - 1, at) for at in range(1, len(rows)) if at % (inputs + 1) and rows[at][place] != rows[at - 1][place]]
    else:
        width = (2 if design["secondOrder"] else 1) * inputs + 2
        steps = [(at, at + 1 + place) for at in range(0, len(rows), width)]
        if design["secondOrder"]:
            steps += [(at + width - 1, at + 1 + inputs + place) for at in range(0, len(rows), width)]
    by_inputs, seen, pairs = points.by_inputs(), set(), []
    for step in steps:
        pair = sorted(
            {by_inputs[tuple(rows[at])] for at in step}, key=lambda key: place_of(points.inputs[key][place])
        )
        if len(pair) == 2 and not seen & set(pair) and all(len(points.values[key]) > 0 for key in pair):
            seen |= set(pair)
            pairs.append(tuple(pair))
    return pairs


def effect_p(points, place, is_paired, pairs=None):
    """
    The p-value of an input: the points of pairs that differ only in it have equal means. One test is for a common
    direction, where a given pair counts as much as its step has ranks, and one for any difference; None without replications.
    """
    found, sizes, lengths = [], [], []
    ranks = {of: rank for rank, of in enumerate(sorted({inputs[place] for inputs in points.inputs.values()}, key=place_of))}
    for pair in pairs_of(points, place) if pairs is None else pairs:
        one = difference_at(points, pair, is_paired)
        if one is None:
            continue
        middle, variance, freedom = one
        if variance is None:
            a, b = (points.values[key] for key in pair)
            squares = float(np.sum((a - np.mean(a)) ** 2) + np.sum((b - np.mean(b)) ** 2))
            variance = squares / freedom * (1 / len(a) + 1 / len(b))
        found.append((middle, variance, freedom))
        a, b = (points.inputs[key][place] for key in pair)
        lengths.append(1 if pairs is None or a in TEXTS else abs(ranks[b] - ranks[a]))
        sizes += [(len(points.values[pair[0]]), len(points.values[pair[1]]))] if abs(middle) > 1e-9 else []
    if not found:
        return None
    d = np.array([middle for middle, _, _ in found])
    error = sum(variance for _, variance, _ in found)
    freedom = sum(freedom for _, _, freedom in found)
    if error <= 1e-20 * (1 + float(np.max(np.abs(d))) ** 2):
        if np.max(np.abs(d)) <= 1e-9:
            return 1.0
        return equal_p(points, True) if is_paired else 2 * math.prod(1 / math.comb(n + m, n) for n, m in sizes)
    w = np.array(lengths)
    in_step = float(np.sum(w**2 * [variance for _, variance, _ in found]))
    signed = 2 * stats.t.sf(abs(float(np.sum(w * d))) / math.sqrt(in_step), freedom)
    any_way = stats.f.sf(float(np.sum(d**2)) / error, len(d), freedom)
    return float(min(1, 2 * min(signed, any_way)))


def equal_p(points, is_paired):
    """
    The p-value of differences that are equal in all replications. If the values at a point all differ, the pairs take away
    the whole chance. Otherwise the differences may be equal by chance: a sign test.
    """
    most = max(len(points.values[key]) for key in points.known)
    if most < 2:
        return 0.0  # one run a point with common random numbers counts as a function without chance
    if is_paired and any(len(v) > 1 and len(np.unique(v)) == len(v) for v in points.values.values()):
        return 0.0
    return 2.0 ** (1 - most)


EXCHANGES = 20_000


def exchange_p(pairs, is_paired):
    """
    The p-value of random exchanges of the runs of two points, for values of any distribution. `pairs` has the values of
    two points by replication. With common random numbers all runs of a replication change places together.
    """
    draw = np.random.default_rng(1)
    sums, squares = np.zeros(EXCHANGES), np.zeros(EXCHANGES)
    sum_of, square_of = 0.0, 0.0
    signs = {n: draw.choice([-1.0, 1.0], size=EXCHANGES) for n in {n for a, _ in pairs for n in a} if is_paired}
    for a, b in pairs:
        if is_paired:
            both = [n for n in a if a[n] is not None and b.get(n) is not None]
            if len(both) < 2:
                continue
            d = np.array([b[n] - a[n] for n in both]) / len(both)
            own = float(np.sum(d))
            drawn = np.column_stack([signs[n] for n in both]) @ d
        else:
            x, y = ([v for v in of.values() if v is not None] for of in (a, b))
            if min(len(x), len(y)) == 0 or len(x) + len(y) < 3:
                continue
            z = np.array(x + y) - np.mean(x + y)
            unit = 1 / len(x) + 1 / len(y)
            own = float(np.sum(z[len(x) :])) * unit
            mixed = draw.permuted(np.tile(z, (EXCHANGES, 1)), axis=1)
            drawn = np.sum(mixed[:, len(x) :], axis=1) * unit
        sum_of, square_of = sum_of + own, square_of + own**2
        sums += drawn
        squares += drawn**2
    slack = 1 - 1e-9
    ways = [np.abs(sums) >= slack * abs(sum_of), squares >= slack * square_of]
    return float(min(1, 2 * min((1 + np.sum(way)) / (1 + EXCHANGES) for way in ways)))


def factor_ps(points, inputs, is_paired, has_pairs=True):
    """
    The smallest p-value of each input of a grid: of its levels and of its interactions with one other input, against the
    runs within the points. Least squares of the cell means with and without the term.
    """
    keys = points.known
    within = points.chance(is_paired and points.statistic != "share")
    if within is None or within[0] <= 0:
        return {}
    y = np.array([points.of(key) for key in keys])
    # pairs whose differences are equal apart from rounding are as sure as equal values are
    rounding = 1e-20 * (1 + float(np.max(np.abs(y))) ** 2)
    if within[0] <= rounding and equal_p(points, is_paired) > 0:
        return {}
    within = max(within[0], rounding), within[1]
    weight = np.sqrt([len(points.values[key]) for key in keys])
    codes = []
    for at in range(len(inputs)):
        levels = sorted({points.inputs[key][at] for key in keys})
        codes.append(np.array([[float(points.inputs[key][at] == one) for one in levels[1:]] for key in keys]))
    terms = {(at,): codes[at] for at in range(len(inputs))}
    for a, b in itertools.combinations(range(len(inputs)), 2) if has_pairs else []:
        terms[a, b] = np.einsum("ni,nj->nij", codes[a], codes[b]).reshape(len(keys), -1)

    def rest(left_out):
        # an input is dropped with its interactions, and an interaction alone
        kept = [x for name, x in terms.items() if not set(left_out) <= set(name)]
        design = np.column_stack([np.ones(len(keys)), *kept]) * weight[:, None]
        found, _, rank, _ = np.linalg.lstsq(design, y * weight, rcond=None)
        return float(np.sum((y * weight - design @ found) ** 2)), rank

    squares, rank = rest((-1,))
    found = {name: 1.0 for name in inputs}
    for term in terms:
        more, fewer = rest(term)
        if rank == fewer:
            continue
        # a difference of two sums that is only rounding
        gain = more - squares if more - squares > 1e-12 * more else 0.0
        p = float(stats.f.sf(gain / (rank - fewer) / within[0], rank - fewer, within[1]))
        for at in term:
            found[inputs[at]] = min(found[inputs[at]], p)
    return found


def levels_p(points, place):
    """Fisher's exact p-value of a share at the two levels of an input, over the runs of all other inputs together."""
    table = {}
    for key in points.known:
        row = table.setdefault(points.inputs[key][place], [0, 0])
        row[0] += float(np.sum(points.values[key]))
        row[1] += len(points.values[key]) - float(np.sum(points.values[key]))
    return float(stats.fisher_exact(list(table.values())).pvalue) if len(table) == 2 else 1.0


def contrast_p(points, place):
    """
    The p-value of the difference between the two levels of an input with common random numbers: the difference of the
    means in each replication, and Student's test of these differences. None if it has other levels or no test.
    """
    levels = sorted({points.inputs[key][place] for key in points.known})
    if len(levels) != 2:
        return None
    shared = points.common()
    sides = [[points.all[key] for key in points.known if points.inputs[key][place] == level] for level in levels]
    differences = [np.mean([b[n] for b in sides[1]]) - np.mean([a[n] for a in sides[0]]) for n in shared]
    if len(differences) < 2:
        return None
    if np.ptp(differences) < 1e-9:
        # equal differences are as sure as those of a sign test
        return 1.0 if abs(differences[0]) < 1e-9 else 2.0 ** (1 - len(differences))
    return float(stats.ttest_1samp(differences, 0).pvalue)


def changes(points, place):
    """The largest difference of two points that differ only in one input."""
    all_pairs = []
    groups = {}
    for key in points.known:
        groups.setdefault(tuple(v for at, v in enumerate(points.inputs[key]) if at != place), []).append(key)
    for group in groups.values():
        values = [points.of(key) for key in group]
        all_pairs.append(max(values) - min(values))
    return max(all_pairs, default=0.0)


def holm(ps):
    ordered = sorted(ps, key=lambda name: ps[name])
    adjusted, least = {}, 0.0
    for at, name in enumerate(ordered):
        least = max(least, min(1, (len(ordered) - at) * ps[name]))
        adjusted[name] = least
    return adjusted


def elementary_effects(points, rows, inputs):
    """The mean absolute elementary effect of each input; a trajectory with a missing point is left out."""
    at = points.by_inputs()
    effects = {name: [] for name in inputs}
    width = len(inputs) + 1
    for first in range(0, len(rows), width):
        keys = [at[tuple(row)] for row in rows[first : first + width]]
        if any(len(points.values[key]) == 0 for key in keys):
            continue
        for (a, b), (x, y) in zip(itertools.pairwise(rows[first : first + width]), itertools.pairwise(keys)):
            place = next(i for i in range(len(inputs)) if a[i] != b[i])
            step = float(b[place]) - float(a[place])
            effects[inputs[place]].append((points.of(y) - points.of(x)) / step)
    return {name: float(np.mean(np.abs(each))) for name, each in effects.items() if each}


def totals(points, rows, inputs, second, is_paired):
    """Jansen's total indices, without the variance that chance adds to the means."""
    at = points.by_inputs()
    width = (2 if second else 1) * len(inputs) + 2
    blocks = []
    for first in range(0, len(rows), width):
        keys = [at[tuple(row)] for row in rows[first : first + width]]
        if all(len(points.values[key]) > 0 for key in keys):
            blocks.append((keys, [points.of(key) for key in keys]))
    y = np.array([values for _, values in blocks])
    within = points.chance(is_paired)
    own = within[0] if within else 0.0
    noise = own * float(np.mean([1 / len(points.values[k]) for keys, _ in blocks for k in keys]))
    variance = float(np.var(np.concatenate([y[:, 0], y[:, -1]]))) - noise
    return {
        name: (float(np.mean((y[:, 0] - y[:, 1 + j]) ** 2)) / 2 - noise) / variance if variance > 0 else math.nan
        for j, name in enumerate(inputs)
    }


def grid_totals(points, inputs, is_paired):
    """The total indices of a full grid, without the variance that chance adds to the means."""
    keys = points.known
    levels = [sorted({points.inputs[key][at] for key in keys}, key=place_of) for at in range(len(inputs))]
    y = np.full([len(own) for own in levels], np.nan)
    for key in keys:
        y[tuple(levels[at].index(value) for at, value in enumerate(points.inputs[key]))] = points.of(key)
    within = points.chance()
    noise = within[0] * float(np.mean([1 / len(points.values[k]) for k in keys])) if within else 0.0
    cells = y.size
    cell_of = [tuple(levels[at].index(value) for at, value in enumerate(points.inputs[key])) for key in keys]

    def without_chance(form, freedom):
        def of_points(values):
            grid = np.zeros(y.shape)
            for cell, value in zip(cell_of, values):
                grid[cell] = value
            return float(np.sum(form(grid) ** 2))

        added = points.added(of_points) if is_paired else None
        return float(np.sum(form(y) ** 2)) - (freedom * noise if added is None else added)

    squares = without_chance(lambda grid: grid - np.mean(grid), cells - 1)
    found = {}
    for at, name in enumerate(inputs):
        rest = without_chance(
            lambda grid, at=at: grid - np.mean(grid, axis=at, keepdims=True), cells - cells // len(levels[at])
        )
        found[name] = rest / squares if squares > 0 else math.nan
    return found
