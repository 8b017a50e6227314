#!/usr/bin/env python3
"""Local machines with a learned metric, beside boosted trees, forests and the same machines without it.

    python benches/learned_metric.py covtype                # two classes, 100,000 rows: the first bar
    python benches/learned_metric.py covtype_full           # 571,012 rows
    python benches/learned_metric.py covtype_seven          # all seven classes, 100,000 rows
    python benches/learned_metric.py letter vehicle madelon # other sets of ../shared/data
    python benches/learned_metric.py --report               # tables from what has been measured

Every set is split once, by a fixed seed or as its files are; columns are scaled to [0, 1] by the training rows; parameters
and metric come from training rows alone: `hedgerow tune falk-svm` with and without `--metric learned`, and `train knn`. The
trees get the same arrays in memory. Early stopping of LightGBM is by a tenth of the training rows. Seconds are those of the
fit with everything that was chosen on the way, without reading; µs a row those of answering all test rows. Results are
appended to build/bench-results/learned_metric.jsonl; a run that is there is not made again unless --again is given.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import RESULTS, ROOT, exactly, hedgerow
from local_data import SEED

DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT / "../shared/data"))
OUT = RESULTS / "learned_metric.jsonl"
THREADS = 2
FIFTEEN = ("covtype ijcnn1 letter pendigits satimage usps mnist shuttle skin_nonskin magic spambase waveform musk2 "
           "segment vehicle").split()


# ---------------------------------------------------------------------------------- data
def from_table(path):
    import pandas as pd
    frame = pd.read_csv(path)
    label = next((c for c in ("class", "label", "target", "y") if c in frame), frame.columns[-1])
    return frame.drop(columns=label), frame[label]


def from_files(name):
    """Training rows, labels, test rows, labels."""
    import pandas as pd
    if (DATA / f"{name}.train.svm.gz").exists():
        from sklearn.datasets import load_svmlight_file
        x, y = load_svmlight_file(str(DATA / f"{name}.train.svm.gz"))
        xt, yt = load_svmlight_file(str(DATA / f"{name}.test.svm.gz"), n_features=x.shape[1])
        return x.toarray(), y, xt.toarray(), yt
    if (DATA / f"{name}.test.csv.gz").exists():
        parts = [from_table(DATA / f"{name}.{part}.csv.gz") for part in ("train", "test")]
    else:
        path = DATA / f"{name}.csv.gz"
        x, y = from_table(path if path.exists() else DATA / f"{name}.train.csv.gz")
        order = np.random.default_rng(7).permutation(len(y))
        cut = round(0.7 * len(y))
        parts = [(x.iloc[rows], y.iloc[rows]) for rows in (order[:cut], order[cut:])]
    (x, y), (xt, yt) = parts
    names = sorted(set(y) | set(yt), key=str)
    code = {name: at for at, name in enumerate(names)}
    both = pd.get_dummies(pd.concat([x, xt]), dtype=float).to_numpy(float)
    labels = np.array([code[v] for v in [*y, *yt]])
    return both[:len(y)], labels[:len(y)], both[len(y):], labels[len(y):]


def covtype(classes, rows):
    """The split of local_machines.py: the first 100,000 rows of a random order train and all others test, or all but the
    last 10,000 train and those test."""
    x, y = from_table(DATA / "covtype.csv.gz")
    x, y = x.to_numpy(float), y.to_numpy()
    y = y if classes == 7 else (y == 2).astype(int)
    order = np.random.default_rng(SEED).permutation(len(y))
    rows = rows or len(y) - 10_000
    return x[order[:rows]], y[order[:rows]], x[order[rows:]], y[order[rows:]]


def load(name):
    if name.startswith("covtype"):
        parts = covtype(7 if name == "covtype_seven" else 2, None if name == "covtype_full" else 100_000)
    else:
        parts = from_files(name)
        if name == "mnist":
            rows = np.random.default_rng(7).permutation(len(parts[1]))[:20_000]
            parts = (parts[0][rows], parts[1][rows], *parts[2:])
    x, y, xt, yt = parts
    low, high = x.min(0), x.max(0)
    wide = np.where(high > low, high - low, 1)
    return (x - low) / wide, y, (xt - low) / wide, yt


# ---------------------------------------------------------------------------------- runs
def program(folder, words):
    line = [hedgerow(), *exactly(*words), "--threads", str(THREADS), "--json", "--quiet"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def ours(words, folder):
    start = time.perf_counter()
    found = program(folder, [*words, "train.csv", "model"])
    wall = time.perf_counter() - start
    told = program(folder, ["predict", "test.csv", "model", "out"])
    metric = found.get("learned_metric") or {}
    return {
        "accuracy": told["metrics"]["accuracy"], "fit_s": wall - found["read_seconds"],
        "us": 1e6 * told["seconds"] / told["rows"], "metric_s": metric.get("seconds"), "used": metric.get("used"),
        "power": metric.get("power"), "best": found.get("best"),
        "weights": metric.get("weights"),
    }


def trees(model, parts, **how):
    x, y, xt, yt = parts
    start = time.perf_counter()
    model.fit(x, y, **how)
    fit = time.perf_counter() - start
    start = time.perf_counter()
    found = model.predict(xt)
    return {"accuracy": float((found == yt).mean()), "fit_s": fit, "us": 1e6 * (time.perf_counter() - start) / len(yt)}


def early_stopped(parts):
    import lightgbm
    x, y, xt, yt = parts
    order = np.random.default_rng(1).permutation(len(y))
    cut = len(y) // 10
    model = lightgbm.LGBMClassifier(n_estimators=1000, num_leaves=255, n_jobs=THREADS, verbose=-1)
    aside = order[:cut]
    how = {"eval_set": [(x[aside], y[aside])], "callbacks": [lightgbm.early_stopping(50, verbose=False)]}
    return trees(model, (x[order[cut:]], y[order[cut:]], xt, yt), **how)


def tuned_svm(parts):
    """C and gamma by three folds of at most 3000 training rows, then all rows."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC
    x, y, *_ = parts
    rows = np.random.default_rng(1).permutation(len(y))[:3000]
    base = 1 / (x.shape[1] * max(x.var(), 1e-12))
    grid = {"C": [1, 10, 100], "gamma": [base / 4, base, 4 * base, 16 * base]}
    start = time.perf_counter()
    best = GridSearchCV(SVC(cache_size=500), grid, cv=3, n_jobs=THREADS).fit(x[rows], y[rows]).best_params_
    searched = time.perf_counter() - start
    found = trees(SVC(**best, cache_size=1000), parts)
    return {**found, "fit_s": found["fit_s"] + searched}


def peer(name, parts):
    import lightgbm
    x, y, xt, yt = parts
    if name == "lightgbm":
        return trees(lightgbm.LGBMClassifier(n_jobs=THREADS, verbose=-1), parts)
    if name == "lightgbm-1000x255":
        return trees(lightgbm.LGBMClassifier(n_estimators=1000, num_leaves=255, n_jobs=THREADS, verbose=-1), parts)
    if name == "lightgbm-early":
        return early_stopped(parts)
    if name == "xgboost":
        import xgboost
        names, codes = np.unique(y, return_inverse=True)
        known = {v: at for at, v in enumerate(names)}
        test = np.array([known.get(v, -1) for v in yt])
        return trees(xgboost.XGBClassifier(n_jobs=THREADS), (x, codes, xt, test))
    if name == "forest":
        from sklearn.ensemble import RandomForestClassifier
        return trees(RandomForestClassifier(n_jobs=THREADS, random_state=0), parts)
    if name == "svm":
        return tuned_svm(parts)
    raise SystemExit(f"no peer {name}")


MINE = {
    "falk": ["tune", "falk-svm"],
    "falk+metric": ["tune", "falk-svm", "--metric", "learned"],
    "knn": ["train", "knn", "-K", "5"],
    "knn+metric": ["train", "knn", "-K", "5", "--metric", "learned"],
}
PEERS = ["lightgbm", "lightgbm-1000x255", "lightgbm-early", "xgboost", "forest", "svm"]


def measure(names, columns, again):
    done = [] if again else [(r["set"], r["column"]) for r in known()]
    for name in names:
        wanted = [c for c in columns if (name, c) not in done]
        if not wanted:
            continue
        parts = load(name)
        with tempfile.TemporaryDirectory() as folder:
            if any(c in MINE for c in wanted):
                write(Path(folder) / "train.csv", parts[0], parts[1])
                write(Path(folder) / "test.csv", parts[2], parts[3])
            for column in wanted:
                found = ours(MINE[column], folder) if column in MINE else peer(column, parts)
                found = {"set": name, "column": column, "rows": len(parts[1]), **found}
                RESULTS.mkdir(parents=True, exist_ok=True)
                with OUT.open("a") as out:
                    out.write(json.dumps(found) + "\n")
                short = {k: v for k, v in found.items() if k != "weights"}
                print(json.dumps(short), flush=True)


def write(path, x, y):
    import pandas as pd
    frame = pd.DataFrame(x, columns=[f"x{f + 1}" for f in range(x.shape[1])])
    frame["class"] = np.asarray(y).astype(int)
    frame.to_csv(path, index=False)


def known():
    return [json.loads(line) for line in OUT.read_text().splitlines()] if OUT.exists() else []


def report():
    runs = {(r["set"], r["column"]): r for r in known()}
    sets = list(dict.fromkeys(name for name, _ in runs))
    columns = [c for c in [*MINE, *PEERS] if any((s, c) in runs for s in sets)]
    for key, form in (("accuracy", lambda v: f"{100 * v:.2f}"), ("fit_s", lambda v: f"{v:.1f}"), ("us", lambda v: f"{v:.1f}")):
        rows = [[s, *(form(runs[s, c][key]) if (s, c) in runs else "-" for c in columns)] for s in sets]
        print(f"\n{key}")
        print(" | ".join(["set", *columns]))
        for row in rows:
            print(" | ".join(row))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--columns", default=",".join([*MINE, *PEERS]))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    if args.report:
        return report()
    measure(args.sets or FIFTEEN, args.columns.split(","), args.again)


if __name__ == "__main__":
    main()
