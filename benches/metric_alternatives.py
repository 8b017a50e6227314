#!/usr/bin/env python3
"""Ways to learn a metric, compared on training rows alone: a quarter of them plays the test.

    python benches/metric_alternatives.py letter pendigits satimage segment vehicle magic

5-NN under: columns as they are (scaled to [0, 1]); weights by `hedgerow train knn --metric learned`; a coordinate search
(each weight times 0, 1/2 or 2 as long as the leave-one-out accuracy of at most 2500 rows grows, squared distances kept and
changed column by column); a full linear map by scikit-learn's NeighborhoodComponentsAnalysis on the same 2500 rows.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from learned_metric import load, program, write

MOST, K, PASSES = 2500, 5, 3


def accuracy(x, y, xt, yt):
    from sklearn.neighbors import KNeighborsClassifier
    return KNeighborsClassifier(K, n_jobs=2).fit(x, y).score(xt, yt)


def leave_one_out(distances, codes, n_classes):
    near = np.argpartition(distances, K, axis=1)[:, :K]
    votes = np.zeros((len(codes), n_classes), int)
    for k in range(K):
        np.add.at(votes, (np.arange(len(codes)), codes[near[:, k]]), 1)
    return (votes.argmax(1) == codes).mean()


def coordinate_search(x, y):
    x, (names, codes) = x.astype(np.float32), np.unique(y, return_inverse=True)
    squares = np.ones(x.shape[1], np.float32)
    norms = (x**2).sum(1)
    distances = norms[:, None] + norms[None] - 2 * x @ x.T
    np.fill_diagonal(distances, np.inf)
    best = leave_one_out(distances, codes, len(names))
    for _ in range(PASSES):
        before = best
        for f in range(x.shape[1]):
            column = (x[:, f, None] - x[None, :, f])**2
            for factor in (0.0, 0.25, 4.0):
                tried = distances + (factor - 1) * squares[f] * column
                found = leave_one_out(tried, codes, len(names))
                if found > best:
                    best, distances = found, tried
                    squares[f] *= factor
        if best == before:
            break
    return np.sqrt(squares)


def linear_map(x, y):
    from sklearn.neighbors import NeighborhoodComponentsAnalysis
    return NeighborhoodComponentsAnalysis(max_iter=50, init="identity", random_state=0).fit(x, y).components_


def timed(work):
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def main():
    print("set | rows | plain | learned (s) | coordinate search (s) | linear map (s)")
    for name in sys.argv[1:]:
        x, y, *_ = load(name)
        order = np.random.default_rng(5).permutation(len(y))
        cut = len(y) // 4
        (x, y), (xt, yt) = ((x[rows], y[rows]) for rows in (order[cut:], order[:cut]))
        cells = [f"{100 * accuracy(x, y, xt, yt):.2f}"]
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / "train.csv", x, y)
            metric = program(folder, ["train", "knn", "-K", str(K), "--metric", "learned", "train.csv", "m"])["learned_metric"]
        weights = np.array([w["weight"] for w in metric["weights"]]) if metric["used"] else 1
        cells.append(f"{100 * accuracy(x * weights, y, xt * weights, yt):.2f} ({metric['seconds']:.1f})")
        weights, seconds = timed(lambda: coordinate_search(x[:MOST], y[:MOST]))
        cells.append(f"{100 * accuracy(x * weights, y, xt * weights, yt):.2f} ({seconds:.1f})")
        turn, seconds = timed(lambda: linear_map(x[:MOST], y[:MOST]))
        cells.append(f"{100 * accuracy(x @ turn.T, y, xt @ turn.T, yt):.2f} ({seconds:.1f})")
        print(" | ".join([name, str(len(y)), *cells]), flush=True)


if __name__ == "__main__":
    main()
