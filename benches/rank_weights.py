"""RankRC with learned weights of columns beside RankRC without and LightGBM, on 18 sets with a rare class.

    cargo build --release -p hedgerow --example rank_weights_on_files
    python benches/rank_weights.py --splits 3               # all sets; results are appended, what is there is kept
    python benches/rank_weights.py --sets Thyroid Oil --splits 5
    python benches/rank_weights.py --report

75 % of the rows train, stratified; columns are standardised on them. The weights, whether there are any, and lambda are chosen on
training rows only. LightGBM has its default settings. Needs numpy, pandas, scikit-learn and lightgbm.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import RESULTS, ROOT, table
from rare_data import SETS, load
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
PROGRAM = os.environ.get("HEDGEROW_RANK_WEIGHTS", str(RELEASE / "examples" / "rank_weights_on_files"))
STORE = RESULTS / "rank_weights.jsonl"


def write(path, x, y):
    head = ",".join([f"x{f + 1}" for f in range(x.shape[1])] + ["label"])
    rows = (",".join(map(repr, row.tolist())) + f",{int(label)}" for row, label in zip(x, y))
    Path(path).write_text("\n".join([head, *rows]) + "\n")


def run(*words):
    environment = dict(os.environ, RAYON_NUM_THREADS="1")
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def measured(y, scores):
    return 100 * roc_auc_score(y, scores), 100 * average_precision_score(y, scores)


def results(name, number, wanted):
    x, y = load(name)
    x = np.asarray(x, dtype=float)
    train, test, a, b = train_test_split(x, y, test_size=0.25, stratify=y, random_state=number)
    scaler = StandardScaler().fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    row = {"set": name, "split": number, "d": x.shape[1], "kept": x.shape[1]}
    if "lightgbm" in wanted:
        from lightgbm import LGBMClassifier

        start = time.perf_counter()
        model = LGBMClassifier(verbose=-1, random_state=0, n_jobs=1).fit(train, a)
        area, precision = measured(b, model.predict_proba(test)[:, 1])
        seconds = time.perf_counter() - start
        yield {**row, "method": "lightgbm", "auc": area, "ap": precision, "seconds": seconds}
    if "weights" not in wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / part for part in ("train.csv", "test.csv")]
        write(files[0], train, a)
        write(files[1], test, b)
        told = run(*files)
    for method, key in (("rank-rc", "plain"), ("weights", "weighted")):
        area, precision = measured(b, np.array(told[key]))
        one = {**row, "method": method, "auc": area, "ap": precision, "seconds": told[f"{key}_seconds"]}
        if method == "weights":
            one |= {"on": told["on"], "kept": told["kept"], "validation": told["validation"]}
        yield one


def stored():
    return [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []


def report():
    rows = stored()
    methods = ["rank-rc", "weights", "lightgbm"]
    out, means = [], {method: [] for method in methods}
    for name in SETS:
        of = {m: {r["split"]: r for r in rows if r["set"] == name and r["method"] == m} for m in methods}
        splits = set.intersection(*(set(found) for found in of.values()))
        if not splits:
            continue
        mean = {m: np.mean([of[m][s]["auc"] for s in splits]) for m in methods}
        for method in methods:
            means[method].append(mean[method])
        weights = [of["weights"][s] for s in splits]
        line = [name, len(splits), *(f"{mean[m]:.2f}" for m in methods)]
        line += [f"{sum(r['on'] for r in weights)} of {len(weights)}", f"{np.mean([r['kept'] for r in weights]):.1f} of {weights[0]['d']}"]
        out.append([*line, *(f"{np.mean([of[m][s]['seconds'] for s in splits]):.1f}" for m in methods)])
    out.append([f"mean of {len(out)}", "", *(f"{np.mean(means[m]):.2f}" for m in methods), "", "", "", "", ""])
    print(table(["set", "splits", "RankRC", "with weights", "LightGBM", "on", "inputs kept", "s", "s with weights", "s LightGBM"], out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--methods", nargs="*", default=["weights", "lightgbm"])
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing new after so long")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    start = time.perf_counter()
    STORE.parent.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        known = {(r["set"], r["split"], r["method"]) for r in stored()}
        for number in range(arguments.splits):
            for name in arguments.sets:
                wanted = [m for m in arguments.methods if (name, number, m) not in known]
                if time.perf_counter() - start > arguments.seconds or not wanted:
                    continue
                with open(STORE, "a") as out:
                    for row in results(name, number, wanted):
                        print(json.dumps(row), file=out, flush=True)
                        print(row, flush=True)
    report()


if __name__ == "__main__":
    main()
