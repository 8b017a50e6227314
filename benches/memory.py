#!/usr/bin/env python3
"""Does `-m 500` bound the memory? Trains on 200,000 generated rows for at most 60 seconds and looks at the peak.

    python benches/memory.py
    python benches/memory.py --rows 500000 --cache 200 --seconds 30

The bound is 1.1 x (cache + data), data = 16 bytes an entry (value and index, padded) + 24 bytes a row (label,
multiplier, gradient). The labels are noisy on purpose: a third of the rows would become support vectors, so the cache
fills in any case; a peak below half of the cache fails too, because then the run has proved nothing.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import common
from common import CACHE, Missing, run

MAKE = """
import sys
import numpy as np
path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(17)
w = rng.normal(size=(columns, 20))
with open(path, "w") as f:
    for s in range(0, rows, 10_000):
        x = rng.random((min(10_000, rows - s), columns))
        y = np.where(np.cos(3 * x @ w).sum(1) + rng.normal(0, 2, len(x)) > 0, 1, -1)
        f.write("".join("%d %s\\n" % (c, " ".join("%d:%.6g" % (j + 1, v) for j, v in enumerate(r))) for c, r in zip(y.tolist(), x.tolist())))
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=int, default=200_000)
    p.add_argument("--columns", type=int, default=20)
    p.add_argument("--cache", type=int, default=500, help="MB, given as -m")
    p.add_argument("--seconds", type=int, default=60, help="given as --max-seconds")
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    try:
        program = common.hedgerow()
    except Missing as e:
        print(e, file=sys.stderr)
        return 2
    CACHE.mkdir(parents=True, exist_ok=True)
    data = CACHE / f"memory-{a.rows}x{a.columns}.train"
    if not data.exists():
        part = data.with_suffix(".part")
        subprocess.run([common.peer_python(), "-c", MAKE, part, str(a.rows), str(a.columns)], check=True)
        part.rename(data)
    with tempfile.TemporaryDirectory(prefix="hedgerow-memory-") as tmp:
        r = run([program, "train", "svm", "-t", 2, "-c", 1, "-g", 1, "-m", a.cache, "--max-seconds", a.seconds, "--threads", a.threads,
                 "--json", data, Path(tmp) / "model"], a.threads, 10 * a.seconds + 300)
    if not r.ok:
        print(f"FAIL  {r.trouble()}")
        return 1
    j = r.json()
    size = (a.rows * a.columns * 16 + a.rows * 24) / 2 ** 20
    bound = 1.1 * (a.cache + size)
    verdict = "FAIL: above the bound" if r.peak_mb > bound else "FAIL: the cache was hardly used" if r.peak_mb < a.cache / 2 else "pass"
    print(f"{a.rows:,} rows x {a.columns}: status {j['status']}, {j['iterations']:,} iterations, {r.wall:.0f} s; peak {r.peak_mb:.0f} MB, "
          f"bound 1.1 x ({a.cache} cache + {size:.0f} data) = {bound:.0f} MB\n{verdict}")
    return 0 if verdict == "pass" else 1


if __name__ == "__main__":
    sys.exit(main())
