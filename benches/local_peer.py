#!/usr/bin/env python3
"""One peer of local_machines.py that lives inside Python, in its own process: load, fit, predict, print one JSON line.

    python local_peer.py lightgbm STEM --threads 1        # reads STEM.train.npz and STEM.test.npz
    python local_peer.py liquid-cells STEM --cost 8 --gamma 32

Loading the arrays and importing the package are timed apart: these packages are used on arrays already in memory.
"""

import argparse
import importlib.metadata
import json
import resource
import sys
import time

import numpy as np

out = {}


def clock():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), u.ru_utime + u.ru_stime


class Timed:
    """`with Timed("train"):` notes train_wall and train_cpu."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.start = clock()

    def __exit__(self, *_):
        end = clock()
        out[f"{self.name}_wall"], out[f"{self.name}_cpu"] = end[0] - self.start[0], end[1] - self.start[1]


def fit_predict(model, d):
    with Timed("train"):
        model.fit(d.x, d.y > 0)
    with Timed("predict"):
        labels = model.predict(d.xt)
    return np.where(labels, 1, -1)


def lightgbm(d, a, **settings):
    from lightgbm import LGBMClassifier
    out["version"] = importlib.metadata.version("lightgbm")
    return fit_predict(LGBMClassifier(n_jobs=a.threads, verbose=-1, **settings), d)


def xgboost(d, a):
    from xgboost import XGBClassifier
    out["version"] = importlib.metadata.version("xgboost")
    return fit_predict(XGBClassifier(n_jobs=a.threads), d)


def liquid(d, a, folds, kind):
    """Cells of at most `--cell` rows (kind 6: disjoint, 5: overlapping) with one fixed gamma and C in place of its grid.

    Its gamma is a width, exp(-r^2 / gamma^2), and its lambda relates to C by C = 1 / (2 lambda m), where m are the rows that
    one model of one cell is trained on: the cell without one fold. It always trains `folds` models a cell, which vote.
    """
    import sysconfig
    sysconfig.get_config_vars()["SO"] = ".so"            # the package asks for a name that newer Pythons do not have
    import liquidSVM
    out["version"] = importlib.metadata.version("liquidSVM")
    rows = min(a.cell, len(d.y)) * (folds - 1) / folds
    x, y, xt, yt = (np.ascontiguousarray(v, np.float64) for v in (d.x, d.y, d.xt, d.yt))
    with Timed("train"):
        model = liquidSVM.mcSVM(x, y, gammas=[a.gamma ** -.5], lambdas=[f"{1 / (2 * a.cost * rows):.15f}"],     # exponents are not read
                                folds=folds, threads=a.threads, scale=False, display=0, voronoi=[kind, a.cell])
    with Timed("predict"):
        votes = model.test(xt, yt)[0]                    # `predict` fails; the labels only feed its own count of errors
    return np.sign(votes[:, 0])


PEERS = {
    "lightgbm": lightgbm,
    "lightgbm-1000x255": lambda d, a: lightgbm(d, a, n_estimators=1000, num_leaves=255),
    "xgboost": xgboost,
    "liquid-cells": lambda d, a: liquid(d, a, 2, 6),
    "liquid-overlap": lambda d, a: liquid(d, a, 5, 5),
}


class Data:
    def __init__(self, stem):
        for part, suffix in (("train", ""), ("test", "t")):
            with np.load(f"{stem}.{part}.npz") as f:
                setattr(self, "x" + suffix, f["x"])
                setattr(self, "y" + suffix, f["y"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("peer", choices=PEERS)
    p.add_argument("stem")
    p.add_argument("--cost", type=float, default=1)
    p.add_argument("--gamma", type=float, default=1)
    p.add_argument("--cell", type=int, default=1000)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    with Timed("read"):
        d = Data(a.stem)
    labels = PEERS[a.peer](d, a)
    out["rows"], out["features"], out["test_rows"] = *d.x.shape, len(d.yt)
    out["accuracy"] = float((labels == d.yt).mean())
    out["train_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(out))


if __name__ == "__main__":
    try:
        main()
    except ImportError as e:
        print(json.dumps({"missing": str(e)}))
        sys.exit(3)
