"""The published tables of feature selection, ours beside theirs.

    HEDGEROW_DATA=folder python benches/repro_selection.py [--sets srbct,arr] [--methods QPFS,MaxRel] [--repeats 10]
    HEDGEROW_DATA=folder python benches/repro_selection.py --report

Published are tables 3.4 to 3.7 of the thesis that QPFS comes from (3 to 6 of the article, JMLR 11, 2010): error in per cent of a linear
SVM with C = 1. Ten times ten-fold cross-validation with the features selected inside each fold; MNIST has its own test rows.
Folds are the same for all methods. The trade-off of QPFS is the published one where there is one.

srbct is the published set (83 x 2308). arr is the published recipe (422 x 278): normal against the rest, without column J and without
the rows that lack T or P; the two gaps that remain are filled by the mean, columns are brought to [0, 1] (the publication does not say;
of the scalings tried this one comes nearest to its error with all features, 21.81 %). The 1,123 genes of the published NCI60 are not known. nci60 has its 60
rows and nine classes with the 1,123 of 6,830 genes that vary most (nci60_6830.csv.gz without the four repeated lines; the line of unknown origin counts as breast,
as it does in nci9); nci9 has the same rows with 9,712 genes in three values. Levels of neither can be compared with the published ones; colon, leukemia and lymphoma are not in the publication; the columns of
colon and leukemia are brought to [0, 1] too. nci9 and lymphoma come in three values, which are kept. Where features are many, QPFS samples rows of the similarities (RATE).

Results are appended to build/bench-results/repro_selection.jsonl, one line a set and method; what is there is kept.
"""

import argparse
import csv
import gzip
import json
import math
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from common import RESULTS, Missing, hedgerow, peer_python

DATA = Path(os.environ.get("HEDGEROW_DATA", ""))
STORE = RESULTS / "repro_selection.jsonl"
SIZES = [10, 20, 40, 50, 100, 200, 400]
METHODS = {
    "MaxRel": ["maxrel"],
    "mRMR MID": ["mrmr"],
    "mRMR MIQ": ["mrmr", "--scheme", "quotient"],
    "mRMR MIQ, no offset": ["mrmr", "--scheme", "quotient", "--quotient-offset", "0"],
    "ReliefF": ["relieff", "--neighbours", "3"],
    "ReliefF, classic": ["relieff", "--variant", "classic", "--neighbours", "3"],
    "QPFS": ["qpfs"],
    "QPFS, subspace": ["qpfs", "--domain", "subspace"],
    "QPFS, own trade-off": ["qpfs"],
    "QPFS, correlation": ["qpfs", "--similarity", "correlation"],
    "random": ["random"],
}
PUBLISHED = {
    "srbct": {
        "MaxRel": [21.58, 14.33, 6.36, 4.51, 2.19, 0.24, 0.13],
        "mRMR MID": [9.39, 3.33, 2.01, 2.31, 0.47, 0.24, 0.49],
        "mRMR MIQ": [10.11, 2.18, 0.47, 0.72, 0.24, 0.25, 0.72],
        "ReliefF": [6.38, 4.18, 1.65, 1.79, 0.96, 0.40, 0.40],
        "QPFS": [3.89, 1.57, 0.97, 0.11, 0.05, 0.11, 0.35],
    },
    "arr": {
        "MaxRel": [27.48, 24.68, 21.70, 20.82, 20.31, 21.73],
        "mRMR MID": [25.19, 22.99, 20.64, 20.76, 21.71, 21.64],
        "mRMR MIQ": [29.79, 27.78, 23.89, 23.32, 21.53, 21.74],
        "ReliefF": [30.64, 24.48, 21.54, 21.34, 20.90, 21.66],
        "QPFS": [28.05, 23.72, 22.39, 21.30, 21.52, 21.76],
    },
    "nci60": {
        "MaxRel": [61.33, 49.83, 40.00, 38.67, 34.83, 35.50, 34.17],
        "mRMR MID": [53.50, 41.50, 36.33, 34.33, 32.00, 32.83, 33.67],
        "mRMR MIQ": [56.50, 47.50, 38.83, 38.17, 32.83, 35.50, 35.17],
        "ReliefF": [56.93, 54.17, 48.49, 48.49, 38.07, 32.13, 34.36],
        "QPFS": [46.33, 36.00, 33.00, 29.83, 29.00, 34.67, 35.17],
    },
    "mnist": {
        "MaxRel": [59.19, 40.98, 25.77, 22.5, 12.09, 7.64, 6.72],
        "mRMR MID": [53.39, 29.37, 19.56, 17.40, 11.72, 7.55, 6.66],
        "mRMR MIQ": [51.69, 25.98, 11.79, 10.87, 7.78, 6.90, 6.33],
        "ReliefF": [50.91, 40.20, 23.81, 19.56, 12.31, 8.47, 6.86],
        "QPFS": [57.00, 35.39, 23.62, 20.48, 11.31, 7.71, 6.54],
    },
}
PUBLISHED["nci9"] = PUBLISHED["nci60"]
# Variants of a published method: the publication does not say what was added to the denominator of MIQ, if anything, cites
# another ReliefF than it writes down, and its QPFS is the one on the subspace of the eigenvectors kept.
VARIANT_OF = {"mRMR MIQ, no offset": "mRMR MIQ", "ReliefF, classic": "ReliefF", "QPFS, subspace": "QPFS", "QPFS, own trade-off": "QPFS"}
# Methods that are run on some sets only: QPFS balances itself where the published trade-off belongs to other similarities (mnist).
ONLY_ON = {"QPFS, correlation": ("arr", "nci60", "nci9"), "random": ("arr", "nci60", "nci9"), "QPFS, own trade-off": ("mnist",),
           "QPFS, subspace": ("srbct", "arr", "nci60", "nci9"), "ReliefF, classic": ("srbct", "arr", "nci60", "nci9", "mnist"), "mRMR MIQ, no offset": ("srbct", "arr", "nci60", "nci9", "mnist")}
# Trade-offs of table 3.4.
ALPHA = {"srbct": "0.179", "arr": "0.411", "nci60": "0.217", "nci9": "0.217", "mnist": "0.469"}
ALPHA_CORRELATION = {"arr": "0.481", "nci60": "0.618", "nci9": "0.618"}
RATE = {"nci9": "0.1", "leukemia": "0.1", "lymphoma": "0.2", "mnist": "0.2"}
DISCRETE = {"nci9", "lymphoma"}
SETS = ["srbct", "arr", "nci60", "nci9", "colon", "leukemia", "lymphoma", "mnist"]


# ------------------------------------------------------------------------------------- one cell
def words_of(name, method):
    words = list(METHODS[method])
    if name == "mnist" and method.startswith("ReliefF"):
        words[-1] = "10"
    if method.startswith("QPFS"):
        alpha = (ALPHA_CORRELATION if "correlation" in method else ALPHA).get(name)
        words += ["--alpha", alpha] if alpha and "own" not in method else []
        words += ["--rate", RATE[name]] if name in RATE else []
    if name in DISCRETE and words[0] in ("maxrel", "mrmr", "qpfs") and "correlation" not in words:
        words += ["--keep-discrete"]
    return words


def sizes_of(name):
    return [size for size in SIZES if size <= 200] if name == "arr" else SIZES


def prepared(name, folder):
    """The file of a set; some are brought to [0, 1] column by column, without a look at the classes."""
    if name == "mnist":
        return DATA / "mnist.train.svm.gz"
    if name not in ("arr", "nci60", "colon", "leukemia"):
        return DATA / f"{name}.csv.gz"
    out = Path(folder) / f"{name}.csv"
    if out.exists():
        return out
    if name == "nci60":
        return varying(DATA / "nci60_6830.csv.gz", out)
    with gzip.open(DATA / ("arrhythmia.csv.gz" if name == "arr" else f"{name}.csv.gz"), "rt") as file:
        names, *rows = csv.reader(file)
    missing = {"", "?"}
    label = lambda row: row[-1]
    keep = range(len(names) - 1)
    if name == "arr":
        needed = [names.index("T"), names.index("P")]
        rows = [row for row in rows if not any(row[at] in missing for at in needed)]
        keep = [at for at in keep if names[at] != "J"]
        label = lambda row: "normal" if row[-1] == "1" else "other"
    columns = []
    for at in keep:
        known = [float(row[at]) for row in rows if row[at] not in missing]
        low, width = min(known), max(known) - min(known) or 1.0
        mean = statistics.fmean(known)
        columns.append([((mean if row[at] in missing else float(row[at])) - low) / width for row in rows])
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(names[at] for at in keep), "class"])
        for at, row in enumerate(rows):
            writer.writerow([*(column[at] for column in columns), label(row)])
    return out


def varying(file, out):
    """NCI60: the lines that are no repetitions, with the 1,123 genes that vary most."""
    with gzip.open(file, "rt") as lines:
        names, *rows = csv.reader(lines)
    rows = [row for row in rows if not row[-1].endswith("repro")]
    spread = [statistics.pvariance([float(row[at]) for row in rows]) for at in range(len(names) - 1)]
    keep = sorted(sorted(range(len(spread)), key=lambda at: -spread[at])[:1123])
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(names[at] for at in keep), "class"])
        for row in rows:
            writer.writerow([*(row[at] for at in keep), "BREAST" if row[-1] == "UNKNOWN" else row[-1]])
    return out


def select(words, file, *more):
    command = [hedgerow(), "select", *words, *more, "--json", str(file), os.devnull]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cross_validated(words, file, sizes, repeats):
    result = select(words, file, "--curve", "--classifier", "svm -t 0 -c 1", "--sizes", ",".join(map(str, sizes)),
                    "-v", "10", "--repeats", str(repeats))
    return {"errors": [point["errors"] for point in result["curve"]], "chosen": [point["chosen"] for point in result["curve"]]}


REDUCE = r'''
import json, sys
import numpy as np
from sklearn.datasets import load_svmlight_file, dump_svmlight_file
order, sizes, train, test, folder = json.loads(sys.stdin.read())
for name, file in (("train", train), ("test", test)):
    X, y = load_svmlight_file(file, n_features=784)
    X = (X / 255.0).tocsc()
    for size in sizes:
        kept = sorted(f - 1 for f in order[:size])
        dump_svmlight_file(X[:, kept].tocsr(), y, f"{folder}/{name}-{size}.svm", zero_based=False)
'''


def mnist(words, sizes, folder):
    """Error on the test rows; pixels from 0 to 1."""
    train, test = DATA / "mnist.train.svm.gz", DATA / "mnist.test.svm.gz"
    order = [entry["index"] for entry in select(words, train)["ranking"]]
    request = json.dumps([order, sizes, str(train), str(test), str(folder)])
    subprocess.run([peer_python(), "-c", REDUCE], input=request, text=True, check=True)
    errors = []
    for size in sizes:
        model = f"{folder}/model"
        machine = ["linear-svm", "--loss", "hinge", "--multiclass", "ovo", "-c", "1", "-e", "0.01"]
        subprocess.run([hedgerow(), "train", *machine, "--quiet", f"{folder}/train-{size}.svm", model], check=True)
        command = [hedgerow(), "predict", "--json", f"{folder}/test-{size}.svm", model, os.devnull]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        errors.append([1 - told["metrics"]["accuracy"]])
    return {"errors": errors, "order": order}


# --------------------------------------------------------------------------------------- report
def t_tail(t, freedom):
    """Upper tail of Student's distribution, by Simpson's rule on the density in an angle."""
    constant = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(math.pi)
    start, steps = math.atan(t / math.sqrt(freedom)), 2000
    width = (math.pi / 2 - start) / steps
    values = [math.cos(start + i * width) ** (freedom - 1) for i in range(steps + 1)]
    return constant * width / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))


def paired(worse, better):
    """One-tailed p value of `better` having the smaller mean, over the same folds."""
    differences = [a - b for a, b in zip(worse, better)]
    spread = statistics.stdev(differences)
    if spread == 0:
        return 1.0
    return t_tail(statistics.fmean(differences) / (spread / math.sqrt(len(differences))), len(differences) - 1)


def cell(errors):
    mean = 100 * statistics.fmean(errors)
    if len(errors) == 1:
        return f"{mean:.2f}"
    return f"{mean:.2f} ± {100 * statistics.stdev(errors) / math.sqrt(len(errors)):.2f}"


def report(results):
    for name in SETS:
        found = {method: results[name, method] for method in METHODS if (name, method) in results}
        if not found:
            continue
        sizes = sizes_of(name)
        runs = len(next(iter(found.values()))["errors"][0])
        print(f"\n### {name}, {runs} run{'s' if runs > 1 else ''}\n\n| method | | " + " | ".join(map(str, sizes)) + " |")
        print("|---|---|" + "---|" * len(sizes))
        for method, result in found.items():
            own = len(result["errors"][0])
            note = "" if own == runs else f" ({own} runs)"
            print(f"| {method}{note} | ours | " + " | ".join(map(cell, result["errors"])) + " |")
            # The published row stands below the last variant of its method.
            family = [other for other in found if VARIANT_OF.get(other, other) == VARIANT_OF.get(method, method)]
            if method == family[-1] and (theirs := PUBLISHED.get(name, {}).get(VARIANT_OF.get(method, method))):
                print("| | published | " + " | ".join(f"{value:.2f}" for value in theirs) + " |")
        for method in ("QPFS", "QPFS, subspace"):
            if runs > 1 and {method, "mRMR MID"} <= found.keys() and len(found[method]["errors"][0]) == runs:
                tests = [paired(a, b) for a, b in zip(found["mRMR MID"]["errors"], found[method]["errors"])]
                end = "," if "," in method else ""
                print(f"| {method}{end} below MID | p | " + " | ".join(f"{p:.1e}" if p < 0.01 else f"{p:.2f}" for p in tests) + " |")
    if ("arr", "streamwise") in results:
        result = results["arr", "streamwise"]
        chosen = statistics.fmean(result["chosen"][0])
        print(f"\narr, streamwise: {chosen:.2f} features, error {cell(result['errors'][0])} (published: 10.75 features, 23.34 ± 0.63)")
    statistics_table(results)


def statistics_table(results):
    rows = [(key[0], value) for key, value in results.items() if key[1].startswith("alpha")]
    if not rows:
        return
    print("\n### Trade-off from the data, all rows\n\n| set | similarity | mean | q̄ | f̄ | α̂ | published α̂ |\n|---|---|---|---|---|---|---|")
    for name, value in rows:
        print(f"| {name} | {value['similarity']} | {value['mean']} | {value['q']:.4f} | {value['f']:.4f} | {value['alpha']:.3f} | {value['published']} |")


COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#7a4ea3", "#d39b2a", "#555555", "#999999"]


def drawing(name, results):
    """Error against the number of features, all methods, as SVG."""
    sizes = sizes_of(name)
    curves = [(method, [100 * statistics.fmean(errors) for errors in results[name, method]["errors"]])
              for method in METHODS if (name, method) in results and method not in VARIANT_OF]
    wide, high, left, top = 520, 300, 50, 20
    most = max(max(values) for _, values in curves) * 1.05
    px = lambda size: left + (math.log(size) - math.log(sizes[0])) / (math.log(sizes[-1]) - math.log(sizes[0])) * (wide - 20) + 10
    py = lambda value: top + high - value / most * high
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 150} {top + high + 50}" font-family="sans-serif" font-size="12" '
             f'role="img"><title>{name}: error of a linear SVM against the number of features</title><rect width="100%" height="100%" fill="#fff"/>',
             f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#999"/>']
    step = 5 if most > 12 else 2
    for value in range(0, int(most) + 1, step):
        parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{py(value):.1f}" y2="{py(value):.1f}" stroke="#e4e4e4"/>'
                     f'<text x="{left - 6}" y="{py(value) + 4:.1f}" text-anchor="end">{value} %</text>')
    parts += [f'<text x="{px(size):.1f}" y="{top + high + 16}" text-anchor="middle">{size}</text>' for size in sizes]
    parts.append(f'<text x="{left + wide / 2}" y="{top + high + 38}" text-anchor="middle">features</text>')
    for row, ((method, values), colour) in enumerate(zip(curves, COLOURS)):
        line = " ".join(f"{px(size):.1f},{py(value):.1f}" for size, value in zip(sizes, values))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<rect x="{left + wide + 12}" y="{top + 10 + 20 * row}" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{left + wide + 30}" y="{top + 20 + 20 * row}">{method}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


ALPHA_ROWS = [
    ("srbct", "mi", "computed", "0.179"), ("srbct", "mi", "upper-triangle", "0.179"),
    ("arr", "mi", "computed", "0.411"), ("arr", "mi", "upper-triangle", "0.411"), ("arr", "correlation", "computed", "0.481"),
    ("nci60", "mi", "computed", "0.217"), ("nci60", "mi", "upper-triangle", "0.217"), ("nci60", "correlation", "computed", "0.618"),
    ("mnist", "mi", "computed", "0.469"), ("mnist", "mi --nonzero-only", "computed", "0.469"),
]


def balance(name, similarity, mean, published, folder):
    words = ["qpfs", "--keep-constant", "--mean", mean, "--similarity", *similarity.split()]
    facts = select(words, prepared(name, folder))["facts"]
    return {"similarity": similarity, "mean": mean, "q": facts["mean_similarity"], "f": facts["mean_relevance"],
            "alpha": facts["alpha"], "published": published}


def load():
    if not STORE.exists():
        return {}
    lines = [json.loads(line) for line in STORE.read_text().splitlines()]
    return {(line["set"], line["method"]): line["result"] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--report", action="store_true", help="only print what is stored")
    parser.add_argument("--svg", help="with --report and one set: draw its curves")
    args = parser.parse_args()
    results = load()
    RESULTS.mkdir(parents=True, exist_ok=True)

    def store(name, method, compute):
        if (name, method) in results:
            return
        result = results[name, method] = compute()
        with open(STORE, "a") as out:
            out.write(json.dumps({"set": name, "method": method, "result": result}) + "\n")
        print(f"{name}: {method} done", flush=True)

    if not args.report:
        if "HEDGEROW_DATA" not in os.environ or not DATA.is_dir():
            raise Missing("the data: set HEDGEROW_DATA")
        with tempfile.TemporaryDirectory() as folder:
            for name in args.sets.split(","):
                for method in args.methods.split(";"):
                    if name not in ONLY_ON.get(method, SETS):
                        continue
                    words = words_of(name, method)
                    if name == "mnist":
                        store(name, method, lambda: mnist(words, SIZES, folder))
                    else:
                        store(name, method, lambda: cross_validated(words, prepared(name, folder), sizes_of(name), args.repeats))
                if name == "arr":
                    store(name, "streamwise", lambda: cross_validated(["sfs"], prepared(name, folder), [278], args.repeats))
                for row in ALPHA_ROWS:
                    if row[0] == name:
                        store(name, f"alpha {row[1]} {row[2]}", lambda: balance(*row, folder))
    report(results)
    if args.svg:
        Path(args.svg).write_text(drawing(args.sets.split(",")[0], results))


if __name__ == "__main__":
    main()
