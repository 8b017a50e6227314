#!/usr/bin/env python3
"""Linear RankSVM beside dlib's svm_rank_trainer_sparse: seconds of training at equal objective, one thread each, in turn.

    pip install dlib-bin
    python benches/rank_dlib.py [--repeats 5]

Both minimise lambda/2 |w|^2 + the mean over all pairs of the hinge of (score of the rare row - score of the other) (dlib: C = 1 / lambda); ours
smooths the hinge over a stretch of 2 epsilon. The objective of either is computed here in NumPy from its weights, with the hinge as it is, so
that smoothing counts against ours. Reading is no part of a time: dlib gets rows in its own structures, ours tells its seconds without reading.
Beside the tolerances that either has by default, a tighter one of dlib shows how far its default is from the minimum.
"""

import argparse
import gzip
import os
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402

from common import hedgerow, median, run, table  # noqa: E402
from rare_data import DATA  # noqa: E402

SETS = {"reuters_moneyfx": "reuters_moneyfx.train.svm.gz", "w8a": "w8a.train.svm.gz"}


def pair_hinge(scores, positive):
    """Mean of max(0, 1 - (p - n)) over all pairs: for every p the negatives above p - 1."""
    n = np.sort(scores[~positive])
    above = np.concatenate([np.cumsum(n[::-1])[::-1], [0.0]])
    p = scores[positive]
    first = np.searchsorted(n, p - 1, side="right")
    return float(((len(n) - first) * (1 - p) + above[first]).sum() / (len(n) * len(p)))


def objective(x, positive, w, lam):
    return 0.5 * lam * float(w @ w) + pair_hinge(x @ w, positive)


class Dlib:
    def __init__(self, x, positive):
        import dlib

        self.dlib, self.width = dlib, x.shape[1]
        self.pairs = dlib.sparse_ranking_pair()
        for i in range(x.shape[0]):
            row = dlib.sparse_vector()
            for k in range(x.indptr[i], x.indptr[i + 1]):
                row.append(dlib.pair(int(x.indices[k]), float(x.data[k])))
            (self.pairs.relevant if positive[i] else self.pairs.nonrelevant).append(row)

    def fit(self, lam, tolerance):
        trainer = self.dlib.svm_rank_trainer_sparse()
        trainer.c = 1 / lam
        trainer.epsilon = tolerance
        start = time.perf_counter()
        found = trainer.train(self.pairs)
        seconds = time.perf_counter() - start
        w = np.zeros(self.width)
        for p in found.weights:
            w[p.first] += p.second
        return seconds, w


class Own:
    def __init__(self, folder, x, positive, positive_name):
        self.folder, self.width, self.positive_name = folder, x.shape[1], positive_name
        # A row of one 1 for every weight, after an empty one.
        with open(folder / "units", "w") as f:
            f.write("0\n")
            f.writelines(f"0 {k + 1}:1\n" for k in range(self.width))

    def fit(self, lam, smoothing):
        words = ["rank-svm", "-k", "linear", "--lambda", lam, "--smoothing", smoothing, "--positive", self.positive_name]
        done = run([hedgerow(), "train", *words, "--format", "libsvm", self.folder / "train", self.folder / "model", "--threads", 1, "--json", "--quiet"], threads=1)
        if not done.ok:
            raise RuntimeError(done.trouble())
        facts = done.json()
        asked = run([hedgerow(), "predict", "--scores", "--format", "libsvm", self.folder / "units", self.folder / "model", self.folder / "out", "--quiet"])
        if not asked.ok:
            raise RuntimeError(asked.trouble())
        scores = np.loadtxt(self.folder / "out", skiprows=1)
        return facts["seconds"], scores[1:] - scores[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--lambdas", default="1e-2,1e-3,1e-4")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    rows = []
    for name in args.sets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            with gzip.open(DATA / SETS[name]) as source:
                text = source.read()
            (folder / "train").write_bytes(text)
            x, y = load_svmlight_file(str(folder / "train"))
            values, counts = np.unique(y, return_counts=True)
            positive = y == values[counts.argmin()]
            names = {line.split(None, 1)[0].decode() for line in text.splitlines() if line.strip()}
            positive_name = next(n for n in names if float(n) == values[counts.argmin()])
            print(f"{name}: {x.shape[0]} rows, {x.shape[1]} columns, {positive.sum()} positive ({positive_name})", flush=True)
            peer, own = Dlib(x, positive), Own(folder, x, positive, positive_name)
            for lam in map(float, args.lambdas.split(",")):
                ways = {"ours, epsilon 0.5": lambda: own.fit(lam, 0.5), "ours, epsilon 0.05": lambda: own.fit(lam, 0.05),
                        "ours, epsilon 0.005": lambda: own.fit(lam, 0.005),
                        "dlib, tolerance 0.001": lambda: peer.fit(lam, 1e-3), "dlib, tolerance 0.0001": lambda: peer.fit(lam, 1e-4)}
                found = {w: [] for w in ways}
                values = {}
                for _ in range(args.repeats):
                    for way, work in ways.items():
                        seconds, w = work()
                        found[way].append(seconds)
                        values[way] = objective(x, positive, w, lam)
                least = min(values.values())
                for way in ways:
                    rows.append([name, f"{lam:g}", way, f"{values[way]:.6f}", f"{100 * (values[way] / least - 1):.2f} %",
                                 f"{median(found[way]):.3f}", f"{min(found[way]):.3f}"])
                print(table(["set", "lambda", "program", "objective", "above the least", "seconds, median", "least"], rows[-5:]), flush=True)
    print("\n" + table(["set", "lambda", "program", "objective", "above the least", "seconds, median", "least"], rows))


if __name__ == "__main__":
    main()
