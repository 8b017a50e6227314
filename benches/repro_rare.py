#!/usr/bin/env python3
"""Rankers of a rare class on 18 public sets: ours beside the published tables 5.3 and 5.4, boosted trees and a balanced forest.

    python benches/repro_rare.py                                        # rankers and trees, 20 splits
    python benches/repro_rare.py --methods svm,svm-w,svm-rus,svm-smote --splits 3
    python benches/repro_rare.py --report

Protocol: 75 % of the rows train, stratified, 20 random splits; columns are standardised and the width of the Gaussian kernel is taken
(mean squared distance) on training rows; lambda from 2^-20, 2^-18, ..., 2^10 by cross-validation on training rows, ten folds for the
rankers (`--folds`), five for the SVMs. The SVMs are tuned twice, by accuracy and by AUC: C = 1 / (lambda m), of resampled rows m is their
number, and each fold resamples its own training part. `rank-rc` has the rare rows in its basis, `rank-rc-mixed`, the default of the library, as many random ones too. LightGBM and the balanced forest have their default settings.

Needs hedgerow's Python package in a release build, pandas, scikit-learn, lightgbm and imbalanced-learn. Results are appended to
build/bench-results/repro_rare.jsonl, one line a set, split and method; what is there is kept.
"""

import argparse
import json
import sys
import time
import warnings

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

import common
from common import table
from rare_data import SETS, load

LAMBDAS = [2.0 ** e for e in range(-20, 11, 2)]
RANKERS = ["rank-rc", "rank-rc-ap", "rank-rc-mixed", "rank-rnd", "rank-svm"]
TREES = ["lightgbm", "balanced-forest"]
SVMS = ["svm", "svm-w", "svm-rus", "svm-smote"]


def split(x, y, number):
    train, test, a, b = train_test_split(x, y, test_size=0.25, stratify=y, random_state=number)
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), a, scaler.transform(test), b


def ranker(method, folds):
    import hedgerow

    if method == "rank-rc-mixed":
        return hedgerow.RankRC(basis="rare-random", inner_folds=folds, random_state=0)
    make = {"rank-rc": hedgerow.RankRC, "rank-rc-ap": hedgerow.RankRC, "rank-rnd": hedgerow.RankRND, "rank-svm": hedgerow.RankSVM}[method]
    metric = "average-precision" if method.endswith("-ap") else "auc"
    basis = {"basis": "rare"} if make is hedgerow.RankRC else {}
    return make(inner_folds=folds, criterion=metric, random_state=0, **basis)


def scores_of(model, x):
    """Scores that grow with the positive class."""
    if hasattr(model, "decision_function"):
        return model.decision_function(x)
    return model.predict_proba(x)[:, 1]


def trees(method):
    if method == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(verbose=-1, random_state=0)
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(random_state=0, n_jobs=-1)


def resampled(method, x, y):
    import hedgerow

    if method == "svm-rus":
        return hedgerow.RUS(random_state=0).fit_resample(x, y)
    if method == "svm-smote":
        return hedgerow.SMOTE(random_state=0).fit_resample(x, y)
    return x, y


def svm(method, x, y, lam, gamma):
    import hedgerow

    x, y = resampled(method, x, y)
    weight = "balanced" if method == "svm-w" else None
    return hedgerow.SVC(C=1.0 / (lam * len(y)), gamma=gamma, class_weight=weight, cache_size=2000).fit(x, y)


def tuned_svms(method, x, y, xt, yt, folds):
    """Results with lambda by accuracy and by AUC, from the same cross-validation."""
    gamma = 1.0 / (2.0 * x.var(axis=0).sum())
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(x, y))
    found = {"accuracy": [], "auc": []}
    for lam in LAMBDAS:
        accuracies, areas = [], []
        for a, b in parts:
            model = svm(method, x[a], y[a], lam, gamma)
            s = model.decision_function(x[b])
            accuracies.append(np.mean((s > 0) == y[b]))
            areas.append(roc_auc_score(y[b], s))
        found["accuracy"].append(np.mean(accuracies))
        found["auc"].append(np.mean(areas))
    for metric, values in found.items():
        # Of equals the largest lambda.
        best = max(range(len(LAMBDAS)), key=lambda k: (values[k], LAMBDAS[k]))
        start = time.perf_counter()
        model = svm(method, x, y, LAMBDAS[best], gamma)
        seconds = time.perf_counter() - start
        s = model.decision_function(xt)
        yield f"{method}, {metric}", s, {"lambda": LAMBDAS[best], "kernels": len(model.support_), "fit_seconds": seconds}


def run(name, number, method, folds):
    x, y, xt, yt = split(*load(name), number)
    y, yt = y.astype(int), yt.astype(int)
    start = time.perf_counter()
    if method in SVMS:
        results = list(tuned_svms(method, x, y, xt, yt, 5))
    else:
        model = trees(method) if method in TREES else ranker(method, folds)
        model.fit(x, y)
        facts = {}
        if method in RANKERS:
            facts = {"lambda": model.lambda_, "kernels": kernels(model)}
        results = [(method, scores_of(model, xt), facts)]
    seconds = time.perf_counter() - start
    for label, s, facts in results:
        yield {"set": name, "split": number, "method": label, "auc": 100 * roc_auc_score(yt, s),
               "ap": 100 * average_precision_score(yt, s), "seconds": seconds, **facts}


def kernels(model):
    """Kernel functions of a ranker."""
    return int(model._model.facts()["support_vectors"])


def report(records):
    methods = [m for m in dict.fromkeys(r["method"] for r in records)]
    value = {(r["set"], r["split"], r["method"]): r for r in records}
    names = [n for n in SETS if any((n, 0, m) in value for m in methods)]
    for what in ("auc", "ap"):
        rows = []
        for n in names:
            row = [n]
            for m in methods:
                own = [r[what] for (a, _, c), r in value.items() if a == n and c == m]
                row.append(f"{np.mean(own):.1f} ± {np.std(own, ddof=1) / len(own) ** 0.5:.1f}" if len(own) > 1 else f"{own[0]:.1f}" if own else "")
            if what == "auc":
                row += [SETS[n][4], SETS[n][5]]
            rows.append(row)
        means = ["mean"]
        for m in methods:
            own = [np.mean([r[what] for (a, _, c), r in value.items() if a == n and c == m] or [np.nan]) for n in names]
            means.append(f"{np.mean(own):.2f}")
        rows.append(means + ([f"{np.mean([SETS[n][4] for n in names]):.2f}", f"{np.mean([SETS[n][5] for n in names]):.2f}"] if what == "auc" else []))
        head = [what.upper(), *methods] + (["RankRC published", "RankSVM published"] if what == "auc" else [])
        print("\n" + table(head, rows))
    with_kernels = [m for m in methods if any(r.get("kernels") for r in records if r["method"] == m)]
    rows = [[n, *(f"{np.mean(own):.0f}" if (own := [r["kernels"] for r in records if r["set"] == n and r["method"] == m]) else "" for m in with_kernels)] for n in names]
    print("\n" + table(["kernel functions", *with_kernels], rows))
    print("\nmean seconds:", {m: round(float(np.mean([r["seconds"] for r in records if r["method"] == m])), 2) for m in methods})
    # Differences on the same splits.
    base = "rank-rc"
    for m in methods:
        if m == base:
            continue
        per_set = []
        for n in names:
            d = [value[n, s, base]["auc"] - r["auc"] for (a, s, c), r in value.items() if a == n and c == m and (n, s, base) in value]
            if d:
                per_set.append(np.mean(d))
        if per_set:
            print(f"{base} minus {m}, same splits, {len(per_set)} sets: {np.mean(per_set):+.2f} AUC, ahead on {sum(d > 0 for d in per_set)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default="rank-rc,rank-rc-ap,rank-rnd,lightgbm,balanced-forest")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which nothing further is begun")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    store = common.RESULTS / "repro_rare.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {(r["set"], r["split"], r["method"].split(",")[0]) for r in known}
    start = time.monotonic()
    todo = [] if args.report else [(s, n, m) for s in range(args.splits) for n in args.sets.split(",") for m in args.methods.split(",")]
    for number, name, method in todo:
        if (name, number, method) in have or time.monotonic() - start > args.budget:
            continue
        for record in run(name, number, method, args.folds):
            known.append(record)
            with store.open("a") as f:
                f.write(json.dumps(record) + "\n")
        print(f"{name} {number} {method}: {known[-1]['auc']:.1f} in {known[-1]['seconds']:.1f} s", file=sys.stderr, flush=True)
    report(known)


if __name__ == "__main__":
    main()
