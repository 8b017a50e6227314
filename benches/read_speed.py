#!/usr/bin/env python3
"""How fast is LIBSVM text read: `hedgerow inspect --json FILE` against scikit-learn's load_svmlight_file.

    python benches/read_speed.py                     # mnist10k, ijcnn1, covtype50k, a9a, usps
    python benches/read_speed.py --files a.txt,b.txt --repeats 7

Each run is a fresh process pinned to one processor (and one run with all of them for hedgerow, which may parse in
parallel); the programs take turns. Only reading is compared: hedgerow's own `read_seconds` against the time of the call
in Python, with the file already in the system's cache. Rows and entries must agree, else exit code 1.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import common
from common import CACHE, Missing, median, run, table

HERE = Path(__file__).resolve().parent
SETS = ["mnist10k", "ijcnn1", "covtype50k", "a9a", "usps"]
READ = """
import json, sys, time
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
x, y = load_svmlight_file(sys.argv[1])
print(json.dumps(dict(read_seconds=time.perf_counter() - start, rows=x.shape[0], entries=int(x.nnz))))
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--files", help="comma-separated paths, in place of the sets")
    p.add_argument("--repeats", type=int, default=5)
    p.add_argument("--limit", type=float, default=300)
    a = p.parse_args()
    if a.files:
        files = [Path(f) for f in a.files.split(",")]
    else:
        subprocess.run([common.peer_python(), HERE / "prepare.py", *a.sets.split(",")])
        files = [f for f in (CACHE / f"{n}.train" for n in a.sets.split(",")) if f.exists()]
    try:
        program = common.hedgerow()
    except Missing as e:
        print(e, file=sys.stderr)
        return 2
    everything = len(os.sched_getaffinity(0))
    ways = {"hedgerow": ([program, "inspect", "--json"], 1), "sklearn": ([common.peer_python(), "-c", READ], 1)}
    if everything > 1:
        ways[f"hedgerow, {everything} threads"] = ([program, "inspect", "--threads", everything, "--json"], everything)
    rows, good = [], True
    for f in files:
        f.read_bytes()                                  # into the system's cache
        seen = {w: [] for w in ways}
        for _ in range(a.repeats):
            for w, (command, threads) in ways.items():
                r = run([*command, f], threads, a.limit)
                if not r.ok:
                    print(f"{f.name}, {w}: {r.trouble()}", file=sys.stderr)
                    good = False
                    continue
                seen[w].append(r.json())
        size, base = f.stat().st_size / 1e6, median([j["read_seconds"] for j in seen["sklearn"]])
        shapes = {(j["rows"], j["entries"]) for js in seen.values() for j in js}
        if len(shapes) > 1:
            print(f"{f.name}: the readers disagree on (rows, entries): {sorted(shapes)}", file=sys.stderr)
            good = False
        for w, js in seen.items():
            s = median([j["read_seconds"] for j in js])
            rows.append([f.name, w, size, s, s and size / s, base and s and base / s])
    print(f"{common.cpu_name()}; median of {a.repeats} alternating repeats; stored zeros count as entries.\n")
    print(table(["file", "reader", "MB", "seconds", "MB/s", "sklearn / this"], rows))
    return 0 if good and rows else 1


if __name__ == "__main__":
    sys.exit(main())
