"""Runs one script after another, each with names of its own. Takes each as a line of JSON, and answers with what it printed or its traceback."""

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
