#!/usr/bin/env python3
"""What a user gets who gives no option, beside what other packages give at their defaults.

    python benches/front_door.py                     # sixteen tables, auto with 60 s each
    python benches/front_door.py letter adult        # some of them
    python benches/front_door.py --report            # the table from what has been measured

Tables are taken as they are: text columns, gaps and all. 70 % of the rows train, the others test, by one seed. Ours read
CSV files; the peers get one-hot columns and imputed gaps (LightGBM and histogram boosting take gaps as they are), the SVC
also standardised columns. Two threads each. Results are appended to build/bench-results/front_door.jsonl.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import RESULTS, ROOT, hedgerow

DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT / "../shared/data"))
OUT = RESULTS / "front_door.jsonl"
THREADS = 2
SETS = ("adult australian car cmc covtype german_categorical letter magic mushroom nursery pendigits satimage spambase "
        "thyroid_sick vehicle waveform").split()
MOST_ROWS = {"covtype": 50_000}


def load(name):
    import pandas as pd
    paths = [DATA / f"{name}{part}.csv.gz" for part in ("", ".train", ".test")]
    frame = pd.concat([pd.read_csv(path) for path in paths if path.exists()], ignore_index=True)
    order = np.random.default_rng(7).permutation(len(frame))[:MOST_ROWS.get(name)]
    frame = frame.iloc[order].reset_index(drop=True)
    label = next((c for c in ("class", "label", "target", "y") if c in frame), frame.columns[-1])
    frame = frame.rename(columns={label: "class"})
    frame["class"] = frame["class"].astype(str).str.rstrip(".")
    cut = round(0.7 * len(frame))
    return frame[:cut], frame[cut:]


def ours(method, options, train, test):
    with tempfile.TemporaryDirectory() as folder:
        train.to_csv(f"{folder}/train.csv", index=False)
        test.to_csv(f"{folder}/test.csv", index=False)
        common = ["--threads", str(THREADS), "--json", "--quiet"]
        start = time.perf_counter()
        line = [hedgerow(), "train", method, *options, "--label", "class", "train.csv", "model", *common]
        done = subprocess.run(line, capture_output=True, text=True, cwd=folder)
        seconds = time.perf_counter() - start
        if done.returncode:
            return {"error": done.stderr.strip()[-300:], "seconds": seconds}
        told = json.loads(done.stdout)
        line = [hedgerow(), "predict", "test.csv", "model", "out", *common]
        found = json.loads(subprocess.run(line, capture_output=True, text=True, cwd=folder, check=True).stdout)
        return {"accuracy": found["metrics"]["accuracy"], "seconds": seconds, "method": told.get("method"),
                "chosen": told.get("repeat") or told.get("chosen"), "unseen": told.get("unseen_score"),
                "us": 1e6 * found["seconds"] / found["rows"]}


def arrays(train, test, fill):
    import pandas as pd
    both = pd.concat([train, test])
    x = both.drop(columns="class")
    numbers = [c for c in x if pd.api.types.is_numeric_dtype(x[c])]
    texts = [c for c in x if c not in numbers]
    parts = [x[numbers].to_numpy(float)]
    if fill:
        means = np.nan_to_num(x[numbers].iloc[:len(train)].mean().to_numpy(float))
        parts[0] = np.where(np.isnan(parts[0]), means, parts[0])
    if texts:
        parts.append(pd.get_dummies(x[texts].fillna("?"), dtype=float).to_numpy(float))
    x = np.hstack(parts)
    codes = pd.factorize(both["class"], sort=True)[0]
    n = len(train)
    return x[:n], codes[:n], x[n:], codes[n:]


def peer(name, train, test):
    import lightgbm
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    x, y, xt, yt = arrays(train, test, fill=name in ("random forest", "SVC"))
    model = {
        "LightGBM": lambda: lightgbm.LGBMClassifier(n_jobs=THREADS, verbose=-1),
        "histogram boosting": lambda: HistGradientBoostingClassifier(random_state=0),
        "random forest": lambda: RandomForestClassifier(n_jobs=THREADS, random_state=0),
        "SVC": lambda: make_pipeline(StandardScaler(), SVC()),
    }[name]()
    start = time.perf_counter()
    model.fit(x, y)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    found = model.predict(xt)
    return {"accuracy": float((found == yt).mean()), "seconds": seconds, "us": 1e6 * (time.perf_counter() - start) / len(yt)}


OURS = {"auto": ("auto", []), "falk-svm": ("falk-svm", []), "svm": ("svm", [])}
PEERS = ("LightGBM", "histogram boosting", "random forest", "SVC")


def measured():
    if not OUT.exists():
        return {}
    rows = [json.loads(line) for line in OUT.read_text().splitlines()]
    return {(row["set"], row["name"]): row for row in rows}


def report():
    rows = measured()
    names = [*OURS, *PEERS]
    print("| set |", " | ".join(names), "|\n|---" * 1 + "|---" * len(names) + "|")
    for data in SETS:
        cells = []
        for name in names:
            row = rows.get((data, name))
            cells.append("" if row is None else
                         f"{100 * row['accuracy']:.2f} ({row['seconds']:.1f})" if "accuracy" in row else "failed")
        print(f"| {data} |", " | ".join(cells), "|")
    whole = [s for s in SETS if all("accuracy" in rows.get((s, n), {}) for n in names)]
    if whole:
        means = [100 * np.mean([rows[s, n]["accuracy"] for s in whole]) for n in names]
        print(f"| mean of {len(whole)} |", " | ".join(f"{m:.2f}" for m in means), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--only", nargs="*", help="names of columns")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    if args.report:
        return report()
    OUT.parent.mkdir(parents=True, exist_ok=True)
    for data in args.sets:
        train, test = load(data)
        for name in args.only or [*OURS, *PEERS]:
            if (data, name) in measured() and not args.again:
                continue
            if name in OURS:
                method, options = OURS[name]
                options = ["--budget", args.budget] if method == "auto" else options
                row = ours(method, options, train, test)
            else:
                row = peer(name, train, test)
            row = {"set": data, "name": name, "rows": len(train), **row}
            with OUT.open("a") as out:
                out.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)
    report()


if __name__ == "__main__":
    main()
