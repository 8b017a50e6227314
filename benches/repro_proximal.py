"""Tables 2 and 3 of the report on generalized-eigenvalue classifiers, theirs beside ours.

The splits are those of ida_splits.csv.gz: of the published sizes, drawn anew. Times are those that the
program reports for fit and answers, without reading.

    python benches/repro_proximal.py [--splits 20]
"""

import argparse
import csv
import gzip
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = os.environ.get("HEDGEROW_PROGRAM", str(ROOT / "target" / "release" / "hedgerow"))

# Set, sigma and delta of ReGEC, sigma and delta of CReGEC, published: ReGEC, CReGEC, rows, SVM.
SETS = [
    ("ida_diabetis", 500, 1e-3, 492, 1e-3, (74.56, 73.85, 12, 76.21)),
    ("ida_german", 500, 1e-3, 10, 1e-3, (70.26, 73.65, 24, 75.66)),
    ("ida_flare_solar", 3, 1e-3, 400, 1e-6, (58.23, 63.19, 11, 65.80)),
    ("ida_titanic", 150, 1e-3, 50, 1e-3, (75.29, 75.04, 4, 77.36)),
]


def rows_of(name):
    files = [DATA / f"{name}.csv.gz"]
    if not files[0].exists():
        files = [DATA / f"{name}.train.csv.gz", DATA / f"{name}.test.csv.gz"]
    lines = []
    for file in files:
        with gzip.open(file, "rt") as text:
            header, *more = csv.reader(text)
            lines += more
    return header, lines


def splits_of(name, count):
    with gzip.open(DATA / "ida_splits.csv.gz", "rt") as text:
        found = [row[2] for row in csv.reader(text) if row[0] == name]
    return [[int(i) for i in rows.split()] for rows in found[:count]]


def write(path, header, lines):
    with open(path, "w", newline="") as out:
        csv.writer(out).writerows([header, *lines])


def run(*words):
    done = subprocess.run([PROGRAM, *words, "--json", "--quiet", "--threads", "1"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def measure(folder, options):
    train, test, model, out = (str(folder / name) for name in ("a.csv", "b.csv", "m", "o"))
    fitted = run("train", *options, train, model)
    answered = run("predict", test, model, out)
    return 100 * answered["metrics"]["accuracy"], fitted["support_vectors"], fitted["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=20)
    args = parser.parse_args()
    print("set | splits | ReGEC (published) | CReGEC (published) | rows (published) | SVM (published) | s ReGEC | s CReGEC | ratio")
    for name, sigma, delta, chunk_sigma, chunk_delta, (regec, cregec, size, svm) in SETS:
        header, lines = rows_of(name)
        found = {"regec": [], "cregec": [], "svm": []}
        splits = splits_of(name, args.splits)
        for rows in splits:
            chosen = set(rows)
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                write(folder / "a.csv", header, [lines[i] for i in rows])
                write(folder / "b.csv", header, [line for i, line in enumerate(lines) if i not in chosen])
                found["regec"].append(measure(folder, ["regec", "--gamma", str(1 / sigma), "--delta", str(delta)]))
                found["cregec"].append(measure(folder, ["cregec", "--gamma", str(1 / chunk_sigma), "--delta", str(chunk_delta)]))
                found["svm"].append(measure(folder, ["svm", "--gamma", str(1 / len(header))]))
        mean = {key: [statistics.fmean(column) for column in zip(*values)] for key, values in found.items()}
        print(
            f"{name} | {len(splits)} | {mean['regec'][0]:.2f} ({regec}) | {mean['cregec'][0]:.2f} ({cregec}) | "
            f"{mean['cregec'][1]:.1f} ({size}) | {mean['svm'][0]:.2f} ({svm}) | {mean['regec'][2]:.4f} | "
            f"{mean['cregec'][2]:.4f} | {mean['regec'][2] / mean['cregec'][2]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
