"""Writes a CSV file as Parquet with DuckDB: duckdb_copy.py CSV PARQUET. Prints its time and its largest memory."""

import json
import resource
import sys
import time

import duckdb

csv, parquet = sys.argv[1:]
start, cpu_start = time.perf_counter(), time.process_time()
duckdb.sql(f"copy (select * from '{csv}') to '{parquet}' (format parquet)")
measured = {
    "seconds": time.perf_counter() - start,
    "cpuSeconds": time.process_time() - cpu_start,
    "peakMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}
print(json.dumps(measured))
