"""Quantiles of Student's t with SciPy. Takes pairs of a probability and degrees of freedom as JSON."""

import json
import sys

from scipy import stats

pairs = json.loads(sys.argv[1])
print(json.dumps([stats.t.ppf(p, freedom) for p, freedom in pairs]))
