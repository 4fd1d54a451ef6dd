"""Reads inputs as JSON from standard input, and writes outputs as one line of JSON to standard output."""

import json
import random
import sys

inputs = json.load(sys.stdin)
chance = random.Random(inputs["{RANDOM_SEED}"])
customers = inputs["Customers"]

# Lindley's recursion: a customer waits for the rest of the previous customer's wait and service
waiting = total = longest = 0.0
for number in range(customers):
    total += waiting
    longest = max(longest, waiting)
    service = chance.expovariate(inputs["Service rate"])
    until_next = chance.expovariate(inputs["Arrival rate"])
    waiting = max(0.0, waiting + service - until_next)
    if number % 1000 == 0:
        print(json.dumps({"progress": number / customers}))

print(json.dumps({"outputs": {"Mean waiting time": total / customers, "Longest waiting time": longest}}))
