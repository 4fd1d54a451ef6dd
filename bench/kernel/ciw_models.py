"""M/M/1 with Ciw, the same model as in simpy_models.py. The statistics come from Ciw's records."""

import json
import sys
import time

import ciw

MEAN_SERVICE = 0.91
duration = float(sys.argv[4])
network = ciw.create_network(
    arrival_distributions=[ciw.dists.Exponential(1)],
    service_distributions=[ciw.dists.Exponential(1 / MEAN_SERVICE)],
    number_of_servers=[1],
)
ciw.seed(1)
simulation = ciw.Simulation(network)
begun = time.perf_counter()
simulation.simulate_until_max_time(duration)
records = simulation.get_all_records()
waits = [record.waiting_time for record in records]
mean_queue = sum(waits) / duration
utilization = simulation.transitive_nodes[0].server_utilisation
print(json.dumps({"count": len(records), "seconds": time.perf_counter() - begun}), flush=True)
