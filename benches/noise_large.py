#!/usr/bin/env python3
"""1-NN after noise reduction on large sets: FaLKNR beside ENN, RENN, AkNN, AkNNc, ours beside the published table.

    python benches/noise_large.py                      # four sets, about ten minutes on two processors
    python benches/noise_large.py --sets ijcnn1,spirals --repeats 3
    python benches/noise_large.py --report

Published protocol (table 7.10 of the thesis that FaLKNR comes from): k = 1000, k' = 250, C from 1, 10 and 100 by local model selection
on the training rows, Gaussian kernels with the median distance of each neighbourhood as width; k = 3 for the others; accuracy of
1-NN on test rows that are not edited. Here beside it: FaLKNR with C = 1, without selection.

Seconds are those of the editing alone, reading left out, the least of the repeats; methods take turns. "ENN, cover tree" is the time
to build a cover tree of the training rows and to find three neighbours of each in it (the example `neighbours`): the votes cost nothing
beside that; it is stopped after --limit seconds, and counts with those. ENN itself takes the structure that suits the data.

Results are appended to build/bench-results/noise_large.jsonl; what is there is kept.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import common
import local_data  # noqa: F401  (its sets become known to prepare)
import prepare
from common import CACHE, RESULTS, hedgerow, run, table, target

SETS = {"ijcnn1": "ijcnn1unit", "spirals": "spirals", "census_income": "census_income", "covtype": "covtype570k"}
METHODS = {
    "FaLKNR": "falknr --select",
    "FaLKNR, C = 1": "falknr",
    "ENN": "enn",
    "RENN": "renn",
    "AkNN": "aknn",
    "AkNNc": "aknnc",
}
# Accuracy in %: unedited, FaLKNR, ENN, RENN, AkNN, AkNNc.
PUBLISHED = {
    "ijcnn1": (96.6, 96.7, 96.3, 96.0, 96.0, 96.2),
    "spirals": (83.2, 88.6, 87.6, 88.1, 87.9, 87.7),
    "census_income": (92.6, 94.5, 94.2, 94.3, 94.4, 94.3),
    "covtype": (95.8, 95.4, 95.2, 95.0, 95.1, 95.2),
}
COLUMNS = ["none", "FaLKNR", "FaLKNR, C = 1", "ENN", "RENN", "AkNN", "AkNNc"]


def one_nn(train, test, folder):
    """Accuracy of 1-NN in %."""
    model, out = folder / "knn.model", folder / "predicted"
    if Path(train).stat().st_size == 0:
        return None
    for words in (["train", "knn", "--neighbours", "1", train, model], ["predict", test, model, out]):
        done = run([hedgerow(), *words, "--json", "--quiet"], limit=7200)
        if not done.ok:
            raise SystemExit(f"{words[0]}: {done.trouble()}")
    return 100.0 * done.json()["metrics"]["accuracy"]


def cover_tree_seconds(name, threads, folder, limit):
    """Seconds of ENN on a cover tree; at least the limit if it takes longer."""
    x = np.load(CACHE / f"{name}.train.npz")["x"].astype("<f8")
    rows = folder / "rows.bin"
    if not rows.exists():
        x.tofile(rows)
    done = run([target() / "examples" / "neighbours", rows, rows, x.shape[1], "cover", 4, threads], limit=limit)
    if done.timed_out:
        return limit
    if not done.ok:
        print(f"cover tree on {name}: {done.trouble()}", file=sys.stderr)
        return None
    told = done.json()
    return told["build_seconds"] + told["query_seconds"]


def measure(label, threads, repeats, limit):
    name = SETS[label]
    train, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
    result = {"set": label, "threads": threads, "versions": common.versions(), "accuracy": {}, "kept": {}, "seconds": {}}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        result["accuracy"]["none"] = one_nn(train, test, folder)
        seconds = {m: [] for m in [*METHODS, "ENN, cover tree"]}
        for turn in range(repeats):
            for method, words in METHODS.items():
                out = folder / "edited"
                done = run([hedgerow(), "clean", *words.split(), train, out, "--json", "--quiet", "--threads", threads], limit=7200)
                if not done.ok:
                    raise SystemExit(f"{label}, {method}: {done.trouble()}")
                told = done.json()
                seconds[method].append(told["seconds"])
                if method not in result["accuracy"]:
                    result["accuracy"][method] = one_nn(out, test, folder)
                    result["kept"][method] = told["rows"] - told["removed"]
                    if "cost" in told["facts"]:
                        result[f"cost, {method}"] = told["facts"]["cost"]
            tree = cover_tree_seconds(name, threads, folder, limit) if turn == 0 or (tree and tree < limit) else None
            if tree is not None:
                seconds["ENN, cover tree"].append(tree)
        result["seconds"] = {m: min(all) for m, all in seconds.items() if all}
    return result


def report(results):
    rows = []
    for r in results:
        rows.append([r["set"], *(f"{r['accuracy'][c]:.2f}" for c in COLUMNS)])
        p = PUBLISHED[r["set"]]
        rows.append(["  published", p[0], p[1], "", *p[2:]])
    print(table(["1-NN, %", *COLUMNS], rows))
    print()
    names = ["FaLKNR, C = 1", "FaLKNR", "ENN, cover tree", "ENN", "RENN", "AkNN"]
    print(table(["seconds", *names], [[r["set"], *(r["seconds"].get(n) for n in names)] for r in results]))
    for r in results:
        ours = r["accuracy"]["FaLKNR"]
        behind = [m for m in COLUMNS[3:] if r["accuracy"][m] >= ours]
        print(f"{r['set']}: FaLKNR {'is above all others' if not behind else 'is not above ' + ', '.join(behind)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600.0)
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    store = RESULTS / "noise_large.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {r["set"] for r in known}
    for label in [] if args.report else args.sets.split(","):
        if label in have:
            continue
        prepare.ensure([SETS[label]])
        result = measure(label, args.threads, args.repeats, args.limit)
        known.append(result)
        with store.open("a") as f:
            f.write(json.dumps(result) + "\n")
        print(label, "done", file=sys.stderr, flush=True)
    report(known)


if __name__ == "__main__":
    main()
