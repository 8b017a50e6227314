#!/usr/bin/env python3
"""Editors of rows beside imbalanced-learn's on 100,000 rows: ENN, Tomek links, SMOTE, and CNN on fewer.

    python benches/editing_speed.py                       # covtype, noisy spirals; a few minutes a set
    python benches/editing_speed.py --rows 20000

Both get the same arrays in memory through `fit_resample`, with the rules aligned: ENN by majority of three neighbours over all classes,
Tomek links with both rows removed, SMOTE with five neighbours. They take turns; seconds are the least of the repeats. imbalanced-learn
searches neighbours by scikit-learn with all processors (`n_jobs=-1`).

Needs hedgerow's Python package in a release build (`maturin develop --release`), imbalanced-learn and numpy.
"""

import argparse
import importlib.metadata
import time

import numpy as np

import local_data  # noqa: F401
import prepare
from common import CACHE, table

SETS = {"covtype": "covtype100k", "spirals": "spirals", "census_income": "census_income", "ijcnn1": "ijcnn1unit"}


def pairs():
    """Of every method, ours and theirs."""
    import hedgerow
    from imblearn.over_sampling import SMOTE
    from imblearn.under_sampling import EditedNearestNeighbours, TomekLinks

    smote = (
        lambda: hedgerow.SMOTE(neighbours=5, random_state=0),
        lambda: SMOTE(k_neighbors=5, random_state=0),
    )
    return {
        "ENN": (
            lambda: hedgerow.ENN(neighbours=3),
            lambda: EditedNearestNeighbours(sampling_strategy="all", n_neighbors=3, kind_sel="mode", n_jobs=-1),
        ),
        "Tomek links": (
            lambda: hedgerow.TomekLinks(remove="both"),
            lambda: TomekLinks(sampling_strategy="all", n_jobs=-1),
        ),
        "SMOTE": smote,
        "SMOTE, thinned": smote,
    }


def thinned(x, y, seed):
    """A tenth of the rows of the rarer class, so that SMOTE makes many rows from few."""
    rare = np.unique(y)[np.argmin(np.unique(y, return_counts=True)[1])]
    own = np.flatnonzero(y == rare)
    kept = np.random.default_rng(seed).permutation(own)[: len(own) // 10]
    rows = np.sort(np.concatenate([np.flatnonzero(y != rare), kept]))
    return x[rows], y[rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="covtype,spirals")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", default="")
    args = parser.parse_args()
    rows = []
    for label in args.sets.split(","):
        prepare.ensure([SETS[label]])
        held = np.load(CACHE / f"{SETS[label]}.train.npz")
        x, y = held["x"][: args.rows].astype(float), held["y"][: args.rows].astype(int)
        for method, (ours, theirs) in pairs().items():
            if args.methods and method not in args.methods.split(";"):
                continue
            data = thinned(x, y, 0) if "thinned" in method else (x, y)
            seconds, sizes = ([], []), [None, None]
            for _ in range(args.repeats):
                for side, make in enumerate((ours, theirs)):
                    start = time.perf_counter()
                    edited = make().fit_resample(*data)
                    seconds[side].append(time.perf_counter() - start)
                    sizes[side] = len(edited[1])
            a, b = min(seconds[0]), min(seconds[1])
            rows.append([label, method, len(data[1]), a, b, f"{b / a:.1f}", *sizes])
            print(table(["set", "method", "rows", "ours, s", "imbalanced-learn, s", "ratio", "rows left, ours", "theirs"], rows), flush=True)
    packages = ("imbalanced-learn", "scikit-learn", "numpy")
    print(", ".join(f"{p} {importlib.metadata.version(p)}" for p in packages))


if __name__ == "__main__":
    main()
