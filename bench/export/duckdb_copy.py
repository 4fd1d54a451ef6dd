"""Writes a CSV file as Parquet with DuckDB: duckdb_copy.py CSV PARQUET. Says how long it took and its largest memory."""

import json
import resource
import sys
import time

import duckdb

csv, parquet = sys.argv[1:]
start = time.perf_counter()
duckdb.sql(f"copy (select * from '{csv}') to '{parquet}' (format parquet)")
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "peakMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
