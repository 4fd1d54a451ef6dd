"""Prints quantiles of Student's t by SciPy. The argument is a JSON list of pairs: probability, degrees of freedom."""

import json
import sys

from scipy import stats

pairs = json.loads(sys.argv[1])
print(json.dumps([stats.t.ppf(p, freedom) for p, freedom in pairs]))
