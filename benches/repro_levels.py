#!/usr/bin/env python3
"""Rankers of ordered levels beside k-NN, SVR and ordinal logistic regression (mord), by MAUC.

    python benches/repro_levels.py [--splits 5]

Abalone: rings up to 12 are level 0 (83 %), then one level a ring, 15 the top. Car: unacc, acc, good, vgood. 75 % of the rows train, random
splits, stratified with the highest levels taken together; columns are standardised on training rows. lambda of the rankers, k, C and alpha of the others are chosen by five-fold
cross-validation on training rows, all by MAUC. Needs hedgerow's program and Python package in release builds, pandas, scikit-learn, mord.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from common import exactly, hedgerow, table
from rare_data import numbers, read


def abalone():
    data = read("abalone")
    rings = data.pop("class")
    return numbers(data), np.clip(rings - 12, 0, 15).to_numpy()


def car():
    data = read("car")
    label = data.pop("class").map({"unacc": 0, "acc": 1, "good": 2, "vgood": 3})
    return numbers(data, nominal=data.columns), label.to_numpy()


def mauc(levels, scores):
    """Share of the pairs of different levels in the right order; ties count one half."""
    order = np.argsort(scores, kind="stable")
    levels, scores = np.asarray(levels)[order], np.asarray(scores)[order]
    top = levels.max() + 1
    below, wins, pairs = np.zeros(top), 0.0, 0.0
    counts = np.bincount(levels, minlength=top)
    pairs = (counts.sum() ** 2 - (counts ** 2).sum()) / 2
    edges = np.flatnonzero(np.diff(scores)) + 1
    for group in np.split(levels, edges):
        own = np.bincount(group, minlength=top)
        for level in np.flatnonzero(own):
            wins += own[level] * (below[:level].sum() + 0.5 * own[:level].sum())
        below += own
    return wins / pairs


def by_program(method, x, y, xt, yt):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, a, b in (("train", x, y), ("test", xt, yt)):
            frame = pd.DataFrame(a, columns=[f"x{k}" for k in range(a.shape[1])])
            frame["class"] = b
            frame.to_csv(folder / f"{name}.csv", index=False)
        run = lambda *words: subprocess.run([hedgerow(), *exactly(*words), "--quiet"], check=True)  # noqa: E731
        run("train", *method.split(), "--levels", folder / "train.csv", folder / "model")
        run("predict", "--scores", folder / "test.csv", folder / "model", folder / "out")
        return np.loadtxt(folder / "out", skiprows=1)


def searched(candidates, x, y, xt):
    """The candidate with the best MAUC in cross-validation, trained on all rows."""
    parts = list(StratifiedKFold(5, shuffle=True, random_state=0).split(x, np.minimum(y, 6)))
    score = lambda make: np.mean([mauc(y[b], make().fit(x[a], y[a]).predict(x[b])) for a, b in parts])  # noqa: E731
    best = max(candidates, key=score)
    return best().fit(x, y).predict(xt)


class Ordinal:
    """mord's all-threshold logistic regression, with its linear score as the answer."""

    def __init__(self, alpha):
        import mord

        self.model = mord.LogisticAT(alpha=alpha)

    def fit(self, x, y):
        # It wants every level to occur.
        self.model.fit(x, np.unique(y, return_inverse=True)[1])
        return self

    def predict(self, x):
        return x @ self.model.coef_


def methods():
    import hedgerow as h

    grid = lambda make, values: [lambda v=v: make(v) for v in values]  # noqa: E731
    knn = grid(lambda k: h.KNNRegressor(neighbours=k), (1, 3, 5, 10, 20, 30, 50, 70, 100))
    svr = grid(lambda c: h.SVR(C=c, gamma="mean"), [2.0 ** e for e in range(-8, 9, 2)])
    ordinal = grid(Ordinal, (0.01, 0.1, 1.0, 10.0, 100.0))
    return {
        "RankRC": lambda *d: by_program("rank-rc --basis rare", *d),
        "RankRC, rare-random": lambda *d: by_program("rank-rc --basis rare-random", *d),
        "RankSVM": lambda *d: by_program("rank-svm", *d),
        "k-NN": lambda x, y, xt, yt: searched(knn, x, y, xt),
        "SVR": lambda x, y, xt, yt: searched(svr, x, y, xt),
        "mord": lambda x, y, xt, yt: searched(ordinal, x, y, xt),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    rows = []
    for name, load in (("abalone", abalone), ("car", car)):
        x, y = load()
        found, seconds = {m: [] for m in methods()}, {m: 0.0 for m in methods()}
        for number in range(args.splits):
            train, test, a, b = train_test_split(x, y, test_size=0.25, stratify=np.minimum(y, 6), random_state=number)
            scaler = StandardScaler().fit(train)
            data = scaler.transform(train), a, scaler.transform(test), b
            for method, answer in methods().items():
                start = time.perf_counter()
                found[method].append(100 * mauc(b, answer(*data)))
                seconds[method] += time.perf_counter() - start
        rows.append([name, *(f"{np.mean(v):.2f} ± {np.std(v, ddof=1) / len(v) ** 0.5:.2f} ({seconds[m] / len(v):.1f} s)" for m, v in found.items())])
        print(table(["MAUC, %", *methods()], rows), flush=True)


if __name__ == "__main__":
    main()
