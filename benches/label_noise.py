"""Flipped labels: who finds them? `hedgerow clean` beside cleanlab.

Labels of public sets are flipped at random; every method ranks all rows by how little it trusts
their labels. Average precision is that of the flipped rows in this ranking, precision and recall
those of the rows that a method would remove. Then an SVM (C and gamma by default, scaled columns) and 1-NN
are trained on what each method leaves, and tested on rows whose labels were not flipped. Times are whole
commands for ours (reading included), and cross-validated probabilities with scoring for cleanlab's; methods
take turns, set by set.

    python benches/label_noise.py [--rows 2000] [--sets spambase,segment] [--rates 0.1,0.2,0.3]

Needs numpy, pandas, scikit-learn, lightgbm and cleanlab. No parameter is chosen by the flips.
The table of what is there: --report FILE.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = os.environ.get("HEDGEROW_PROGRAM", str(ROOT / "target" / "release" / "hedgerow"))
SETS = "segment,ida_banana,ida_image,ida_twonorm,ida_ringnorm,waveform,spambase,svmguide1.train,satimage.train,pendigits.train"
OURS = {
    "FaLKNR": "falknr --neighbours 500",
    "FaLKNR, --select": "falknr --neighbours 500 --select",
    "kNNSVM-nr": "knn-svm-nr --neighbours 100",
    "ENN, k = 3": "enn",
    "ENN, k = 15": "enn --neighbours 15",
    "RENN": "renn",
    "AkNN": "aknn",
    "AkNNc": "aknnc",
    "BBNR": "bbnr",
}


TESTED = 2000


def load(name, n_rows, seed):
    table = pd.read_csv(DATA / f"{name}.csv.gz")
    named = [c for c in table.columns if c.lower() in ("class", "label", "target", "y")]
    label = named[0] if named else table.columns[-1]
    y = pd.factorize(table[label], sort=True)[0]
    X = pd.get_dummies(table.drop(columns=label)).to_numpy(dtype=float)
    rows = np.random.default_rng(seed).permutation(len(y))
    train, test = rows[:n_rows], rows[n_rows:n_rows + TESTED]
    return X[train], y[train], X[test], y[test]


def flip(y, rate, by_class, seed):
    """Each label becomes another with this probability; by class: twice as often for even codes."""
    rng = np.random.default_rng(seed)
    n = y.max() + 1
    rates = np.where(y % 2 == 0, 2 * rate, 0.0) if by_class else np.full(len(y), rate)
    flipped = rng.random(len(y)) < rates
    other = (y + rng.integers(1, n, len(y))) % n
    if by_class:
        other = (y + 1) % n
    return np.where(flipped, other, y), flipped


def ours(options, X, y, folder):
    data, out = folder / "data.csv", folder / "scores.csv"
    if not data.exists():
        table = pd.DataFrame(X, columns=[f"x{f}" for f in range(X.shape[1])])
        table["class"] = y
        table.to_csv(data, index=False)
    words = [PROGRAM, "clean", *options.split(), "--scale", "standard", "--score-only", data, out]
    start = time.perf_counter()
    subprocess.run([*map(str, words), "--quiet"], check=True)
    seconds = time.perf_counter() - start
    scores = pd.read_csv(out)
    return scores["trust"].to_numpy(), scores["kept"].to_numpy() == 0, seconds


def cleanlabs():
    from lightgbm import LGBMClassifier

    return {
        "cleanlab, k-NN": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "cleanlab, SVM": make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)),
        "cleanlab, LightGBM": LGBMClassifier(verbose=-1, random_state=0),
    }


def theirs(model, X, y):
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    start = time.perf_counter()
    shares = cross_val_predict(model, X, y, cv=5, method="predict_proba", n_jobs=1)
    trust = get_label_quality_scores(y, shares)
    removed = find_label_issues(y, shares)
    return trust, removed, time.perf_counter() - start


def after(X, y, test, kept):
    """Accuracy of an SVM and of 1-NN that learn from the rows that are kept."""
    if len(test[1]) == 0 or len(np.unique(y[kept])) < 2:
        return None, None
    models = SVC(), KNeighborsClassifier(1)
    return [make_pipeline(StandardScaler(), m).fit(X[kept], y[kept]).score(*test) for m in models]


def report(results):
    table = pd.DataFrame(results)
    columns = ["ap", "precision", "recall", "svm", "nn", "seconds"]
    print(table.groupby("method")[columns].mean().round(3).to_string())
    for by_class, part in table.groupby("by_class"):
        print("\naverage precision,", "by class" if by_class else "uniform")
        print(part.pivot_table(index="method", columns="rate", values="ap").round(3).to_string())
    print(table.pivot_table(index="set", columns="method", values="ap").round(3).to_string())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--rates", default="0.1,0.2,0.3")
    parser.add_argument("--results", default="label_noise.jsonl")
    parser.add_argument("--report")
    args = parser.parse_args()
    if args.report:
        return report(map(json.loads, Path(args.report).read_text().splitlines()))
    results = []
    for name in args.sets.split(","):
        X, clean, *test = load(name, args.rows, 1)
        for rate in map(float, args.rates.split(",")):
            for by_class in (False, True):
                y, flipped = flip(clean, rate, by_class, 2)
                with tempfile.TemporaryDirectory() as folder:
                    runs = {m: ours(o, X, y, Path(folder)) for m, o in OURS.items()}
                runs |= {m: theirs(model, X, y) for m, model in cleanlabs().items()}
                runs["none"] = np.ones(len(y)), np.zeros(len(y), dtype=bool), 0.0
                runs["all flips known"] = 1.0 - flipped, flipped, 0.0
                for method, (trust, removed, seconds) in runs.items():
                    hits = flipped[removed].sum()
                    svm, nn = after(X, y, test, ~removed)
                    results.append(
                        {
                            "set": name,
                            "rate": rate,
                            "by_class": by_class,
                            "method": method,
                            "ap": average_precision_score(flipped, -trust),
                            "precision": hits / max(1, removed.sum()),
                            "recall": hits / max(1, flipped.sum()),
                            "svm": svm,
                            "nn": nn,
                            "seconds": seconds,
                        }
                    )
                Path(args.results).write_text("\n".join(map(json.dumps, results)))
        print(name, "done", file=sys.stderr, flush=True)
    report(results)


if __name__ == "__main__":
    main()
