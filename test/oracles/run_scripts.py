"""Runs one script after another. The variables of a script do not reach the next one.

Reads each script as a line of JSON. Answers with a line that has its output, or its traceback.
"""

import contextlib
import io
import json
import sys
import traceback

for line in sys.stdin:
    asked = json.loads(line)
    printed = io.StringIO()
    error = None
    try:
        with contextlib.redirect_stdout(printed):
            exec(asked["script"], {"__name__": "__main__", "given": asked["given"]})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps({"printed": printed.getvalue(), "error": error}), flush=True)
