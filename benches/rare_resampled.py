#!/usr/bin/env python3
"""SVMs after random undersampling and SMOTE beside RankRC on the smaller of the sets with a rare class (columns of table 5.3).

    python benches/rare_resampled.py [--splits 5]
    python benches/rare_resampled.py --report

Splits, scaling and width of the kernel as in repro_rare.py. `tune svm --resample` searches C = 1 / (lambda m), lambda of 2^-20, 2^-18, ..., 2^10, with five
folds, each of which resamples its own training part; once by accuracy, once by AUC; m is the number of resampled rows. The
rankers search lambda themselves, with ten folds. Results are appended to build/bench-results/rare_resampled.jsonl and not repeated.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import common
from common import hedgerow, run, table
from rare_data import SETS, load

SMALL = ["YeastME2", "Oil", "SolarM0", "Libras", "Crime", "Vowel0", "Ecoli", "Contra2"]
RANKERS = {"rank-rc, rare": ["--basis", "rare"], "rank-rc, rare-random": ["--basis", "rare-random"]}
SVMS = {"svm": [], "svm, weighted": [], "svm after rus": ["--resample", "rus"], "svm after smote": ["--resample", "smote"]}
METRICS = ("accuracy", "auc")
METHODS = [*RANKERS, *(f"{s}, by {m}" for s in SVMS for m in METRICS)]


def program(*words):
    done = run([hedgerow(), *words, "--json", "--quiet"], limit=300)
    if not done.ok:
        raise RuntimeError(done.trouble())
    return done.json()


def write(path, x, y):
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(x.shape[1])])
    frame["class"] = y.astype(int)
    frame.to_csv(path, index=False)


def words_of(method, gamma, rows, positives):
    if method in RANKERS:
        return ["train", "rank-rc", *RANKERS[method], "-g", gamma, "--inner-folds", 10]
    kind, metric = method.rsplit(", by ", 1)
    m, extra = rows, list(SVMS[kind])
    if kind == "svm, weighted":
        extra = ["--class-weight", f"1={rows / (2 * positives)}", "--class-weight", f"0={rows / (2 * (rows - positives))}"]
    elif "after" in kind:
        m = 2 * positives if "rus" in kind else 2 * (rows - positives)
    costs = ",".join(repr(1 / (2.0 ** e * m)) for e in range(-20, 11, 2))
    return ["tune", "svm", "-g", gamma, "--grid", f"cost={costs}", "--metric", metric, "-v", 5, *extra]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SMALL))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    store = common.RESULTS / "rare_resampled.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {(r["set"], r["split"], r["method"]) for r in known}
    for number, name in [] if args.report else [(n, s) for n in range(args.splits) for s in args.sets.split(",")]:
        todo = [m for m in METHODS if (name, number, m) not in have]
        if not todo:
            continue
        x, y = load(name)
        x, xt, y, yt = train_test_split(x, y, test_size=0.25, stratify=y, random_state=number)
        scaler = StandardScaler().fit(x)
        x, xt = scaler.transform(x), scaler.transform(xt)
        gamma = 1 / (2 * x.var(axis=0).sum())
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write(folder / "train.csv", x, y)
            write(folder / "test.csv", xt, yt)
            for m in todo:
                program(*words_of(m, gamma, len(y), int(y.sum())), folder / "train.csv", folder / "model")
                metrics = program("predict", folder / "test.csv", folder / "model", folder / "out", "--positive", "1")["metrics"]
                record = {"set": name, "split": number, "method": m, "auc": 100 * metrics["auc"], "ap": 100 * metrics["average_precision"]}
                known.append(record)
                with store.open("a") as f:
                    f.write(json.dumps(record) + "\n")
                print(record, file=sys.stderr, flush=True)
    rows = []
    # Only sets and splits that have every method count.
    full = {(r["set"], r["split"]) for r in known}
    full = {k for k in full if sum((r["set"], r["split"]) == k for r in known) == len(METHODS)}
    names = [n for n in SETS if any(k[0] == n for k in full)]
    mean = lambda n, m: np.mean([r["auc"] for r in known if r["set"] == n and r["method"] == m and (n, r["split"]) in full])  # noqa: E731
    for n in names:
        rows.append([n, sum(k[0] == n for k in full), *(f"{mean(n, m):.1f}" for m in METHODS)])
    rows.append(["mean", "", *(f"{np.mean([mean(n, m) for n in names]):.2f}" for m in METHODS)])
    print(table(["AUC, %", "splits", *METHODS], rows))


if __name__ == "__main__":
    main()
