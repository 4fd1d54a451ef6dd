"""Runs one script after another. The variables of a script do not exist in the next script.

Reads each script from a line of JSON, and prints a line of JSON with the output or the traceback of the script.
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
