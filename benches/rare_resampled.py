#!/usr/bin/env python3
"""SVMs, weighted, undersampled and oversampled, k-NN and RankSVM beside RankRC on the sets with a rare class (tables 5.3 and 5.4).

    python benches/rare_resampled.py [--splits 3] [--sets Oil,Ecoli] [--methods "rank-svm;knn"] [--budget 500]
    python benches/rare_resampled.py --report

Splits, scaling and width of the kernel as in repro_rare.py. `tune svm --resample` searches C = 1 / (lambda m), lambda of 2^-20, 2^-18, ..., 2^10, with ten
folds, each of which resamples its own training part; once by accuracy, once by AUC; m is the number of resampled rows. The
rankers search the same lambda themselves, with ten folds too; RankSVM with five, of more than 2000 training rows with two and in the first split
only, and not at all with more than 4500: it needs the eigenvectors of a matrix of all training rows, once for each fold. k-NN: k of 1, 2, 3, 5, ..., up to the root of the rows and 100. One thread. Processor
seconds are those of the whole command, search and final fit, reading and writing. Results are appended to
build/bench-results/rare_resampled.jsonl and not repeated.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import common
from common import exactly, hedgerow, run, table
from rare_data import SETS, load

RANKERS = {"rank-rc, rare": ["rank-rc", "--basis", "rare"], "rank-rc, rare-random": ["rank-rc", "--basis", "rare-random"],
           "rank-rnd": ["rank-rnd"], "rank-svm": ["rank-svm"]}
SVMS = {"svm": [], "svm, weighted": [], "svm after rus": ["--resample", "rus"], "svm after smote": ["--resample", "smote"]}
METRICS = ("accuracy", "auc")
METHODS = [*RANKERS, "knn", *(f"{s}, by {m}" for s in SVMS for m in METRICS)]
FOLDS = 10
FEW_ROWS, MOST_ROWS = 2000, 4500        # of RankSVM


def program(*words):
    done = run([hedgerow(), *exactly(*words), "--json", "--quiet", "--threads", 1], limit=550)
    if not done.ok:
        raise RuntimeError(done.trouble())
    return {**done.json(), "cpu": done.cpu}


def write(path, x, y):
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(x.shape[1])])
    frame["class"] = y.astype(int)
    frame.to_csv(path, index=False)


def words_of(method, gamma, rows, positives):
    if method in RANKERS:
        folds = FOLDS if method != "rank-svm" else 5 if rows <= FEW_ROWS else 2
        return ["train", *RANKERS[method], "-g", gamma, "--inner-folds", folds]
    if method == "knn":
        numbers = [k for k in (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 50, 70, 100) if k <= rows ** 0.5]
        return ["tune", "knn", "--grid", "neighbours=" + ",".join(map(str, numbers)), "--metric", "auc", "-v", FOLDS]
    kind, metric = method.rsplit(", by ", 1)
    m, extra = rows, list(SVMS[kind])
    if kind == "svm, weighted":
        extra = ["--class-weight", f"1={rows / (2 * positives)}", "--class-weight", f"0={rows / (2 * (rows - positives))}"]
    elif "after" in kind:
        m = 2 * positives if "rus" in kind else 2 * (rows - positives)
    costs = ",".join(repr(1 / (2.0 ** e * m)) for e in range(-20, 11, 2))
    return ["tune", "svm", "-g", gamma, "--grid", f"cost={costs}", "--metric", metric, "-v", FOLDS, *extra]


def feasible(method, name, number):
    rows = 0.75 * SETS[name][1]
    return method != "rank-svm" or rows <= FEW_ROWS or (rows <= MOST_ROWS and number == 0)


def records_of(name, number, methods):
    x, y = load(name)
    x, xt, y, yt = train_test_split(x, y, test_size=0.25, stratify=y, random_state=number)
    scaler = StandardScaler().fit(x)
    x, xt = scaler.transform(x), scaler.transform(xt)
    gamma = 1 / (2 * x.var(axis=0).sum())
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(folder / "train.csv", x, y)
        write(folder / "test.csv", xt, yt)
        for m in methods:
            words = words_of(m, gamma, len(y), int(y.sum()))
            facts = program(*words, folder / "train.csv", folder / "model")
            metrics = program("predict", folder / "test.csv", folder / "model", folder / "out", "--positive", "1")["metrics"]
            yield {"set": name, "split": number, "method": m, "auc": 100 * metrics["auc"], "ap": 100 * metrics["average_precision"],
                   "kernels": facts.get("support_vectors"), "cpu": facts["cpu"], "status": facts.get("status")}


class Results:
    """Of the sets and splits that have been run, one number a set."""

    def __init__(self, records):
        self.value = {(r["set"], r["split"], r["method"]): r for r in records}
        self.methods = [m for m in METHODS if any(k[2] == m for k in self.value)]
        self.names = [n for n in SETS if any(k[0] == n for k in self.value)]

    def splits(self, name, *methods):
        """Splits that all of the methods have."""
        return sorted({k[1] for k in self.value if k[0] == name and all((name, k[1], m) in self.value for m in methods)})

    def mean(self, name, method, what, *others):
        own = [self.value[name, s, method].get(what) for s in self.splits(name, method, *others)]
        own = [v for v in own if v is not None]
        return np.mean(own) if own else np.nan

    def table(self, what, digits):
        """Means over the splits that all methods have, RankSVM not counted."""
        rows = [[n, len(self.splits(n, *self.others())), *(self.cell(n, m, what, digits) for m in self.methods)] for n in self.names]
        print("\n" + table([what, "splits", *self.methods], rows))

    def others(self):
        return [m for m in self.methods if m != "rank-svm"]

    def cell(self, name, method, what, digits):
        value = self.mean(name, method, what, *self.others())
        return "" if np.isnan(value) else f"{value:.{digits}f}"

    def compare(self, ranker, other):
        """The ranker beside another method on the sets and splits that both have."""
        names = [n for n in self.names if self.splits(n, ranker, other)]
        if not names or ranker == other:
            return None
        pair = lambda what: [(self.mean(n, ranker, what, other), self.mean(n, other, what, ranker)) for n in names]  # noqa: E731
        aucs = [a - b for a, b in pair("auc")]
        median = lambda what: np.median([b / a for a, b in pair(what) if a > 0 and b > 0] or [np.nan])  # noqa: E731
        faster = lambda what: sum(a < b for a, b in pair(what))  # noqa: E731
        kernels = "" if other == "knn" else f"{median('kernels'):.1f}"
        timed = [n for n in names if self.mean(n, ranker, "cpu", other) > 0 and self.mean(n, other, "cpu", ranker) > 0]
        times = [f"{median('cpu'):.1f}", f"{faster('cpu')} of {len(timed)}"] if timed else ["", ""]
        return [f"{ranker} / {other}", len(names), f"{np.mean(aucs):+.2f}", f"{sum(d > 0 for d in aucs)}", kernels, *times]


def report(records):
    results = Results(records)
    for what, digits in (("auc", 1), ("ap", 1), ("kernels", 0), ("cpu", 2)):
        results.table(what, digits)
    rows = [results.compare(r, m) for r in ("rank-rc, rare", "rank-rc, rare-random", "rank-rnd") for m in METHODS]
    head = ["ranker / other", "sets", "AUC more", "ahead on", "kernels of other / ranker", "processor seconds of other / ranker", "quicker on"]
    print("\n(ratios are medians over sets)\n" + table(head, [r for r in rows if r]))
    others = results.others()
    full = [n for n in results.names if results.splits(n, *others)]
    print("\nmean AUC of", len(full), "sets:", {m: round(float(np.mean([results.mean(n, m, "auc", *others) for n in full])), 2) for m in others})
    with_svm = [n for n in full if results.splits(n, "rank-svm", *others)]
    if with_svm:
        means = {m: round(float(np.mean([results.mean(n, m, "auc", "rank-svm", *others) for n in with_svm])), 2) for m in METHODS}
        print("mean AUC of the", len(with_svm), "with rank-svm:", means)
    print("stopped before convergence:", sum(r["status"] not in (None, "converged") for r in records))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no further set is begun")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    store = common.RESULTS / "rare_resampled.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {(r["set"], r["split"], r["method"]) for r in known}
    start = time.monotonic()
    # Small sets first.
    names = sorted(args.sets.split(","), key=lambda n: SETS[n][1])
    for number, name in [] if args.report else [(n, s) for n in range(args.splits) for s in names]:
        todo = [m for m in METHODS if m in args.methods.split(";") and (name, number, m) not in have and feasible(m, name, number)]
        if not todo or time.monotonic() - start > args.budget:
            continue
        for record in records_of(name, number, todo):
            known.append(record)
            with store.open("a") as f:
                f.write(json.dumps(record) + "\n")
            print(record, file=sys.stderr, flush=True)
    report(known)


if __name__ == "__main__":
    main()
