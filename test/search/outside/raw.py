"""Speaks to foray without foray_search. Writes all messages to a file, and proposes at most two points at a time."""

import json
import os
import random
import sys

file, draw, inputs = None, None, []
for line in sys.stdin:
    message = json.loads(line)
    if "start" in message:
        start = message["start"]
        file = open(start["options"]["file"], "a", encoding="utf-8")
        file.write(json.dumps({"environment": dict(os.environ)}) + "\n")
        draw, inputs = random.Random(start["seed"]), start["space"]

    def point():
        return {
            one["name"]: draw.choice(one["values"]) if "values" in one else draw.uniform(one["min"], one["max"])
            for one in inputs
        }

    file.write(line)
    file.flush()
    answer = None
    if "start" in message:
        answer = {"ready": {"best": True}}
    elif "ask" in message:
        answer = {"points": [point() for _ in range(min(2, message["ask"]))]}
    elif "asked" in message:
        for _ in message["asked"]:
            point()
    elif "best" in message:
        answer = {"best": None}
    if answer:
        print(json.dumps(answer), flush=True)
