#!/usr/bin/env python3
"""What this machine can do: RBF kernel values a second on one thread in f32, by matrix product and vectorised exp.

    python limits.py 4 54 256        # one JSON object: columns -> values a second

A prediction needs rows x support vectors of them, so rows x SV / seconds compares any program with this number.
It is what numpy reaches, hence a lower bound of what the processor can do.
"""

import os

for v in ("OMP", "OPENBLAS", "MKL"):
    os.environ[v + "_NUM_THREADS"] = "1"

import json
import sys
import time

import numpy as np

ROWS, BLOCK = 2000, 500          # a block of products (BLOCK x ROWS, f32) stays in the second-level cache


def values_per_second(columns, spend=0.5):
    """Best of the passes that fit in about `spend` CPU seconds."""
    rng = np.random.default_rng(0)
    x, sv = (rng.random((ROWS, columns), dtype=np.float32) for _ in range(2))
    best, spent = float("inf"), 0.0
    while spent < spend:
        start = time.process_time()
        norms = np.einsum("ij,ij->i", sv, sv)
        for s in range(0, ROWS, BLOCK):
            part = x[s:s + BLOCK]
            d = part @ sv.T
            d *= 2
            d -= norms
            d -= np.einsum("ij,ij->i", part, part)[:, None]
            np.exp(d, out=d)
        took = time.process_time() - start
        best, spent = min(best, max(took, 1e-9)), spent + max(took, 1e-4)
    return ROWS * ROWS / best


if __name__ == "__main__":
    print(json.dumps({c: values_per_second(int(c)) for c in sys.argv[1:] or ["10", "54", "256"]}))
