#!/usr/bin/env python3
"""Linear SVMs and logistic regression beside LIBLINEAR: whole command against whole command.

    python benches/linear.py                       # everything
    python benches/linear.py a9a mnist3 --repeat 3 # some sets
    python benches/linear.py --losses hinge,squared

Needs numpy and LIBLINEAR's program `train` (LIBLINEAR_BIN: the folder of the current release compiled with its own Makefile; else
liblinear-train on PATH). The two programs take turns on the same file with the same loss, cost, tolerance (LIBLINEAR's default of the
solver) and constant feature; medians are reported. LIBLINEAR has one thread; hedgerow is run pinned to one processor and to two.
Objectives are those of the primal, computed here in double precision: for LIBLINEAR from the weights in its model text, for hedgerow
from its decision values on the training file and the norm of its weights.
"""

import argparse
import gzip
import json
import math
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import common
from common import CACHE, RESULTS, Missing, median, table

SOURCE = Path(os.environ.get("HEDGEROW_DATA", common.ROOT.parent / "shared" / "data"))
# name: (source file, positive label or None, divisor of the values)
SETS = {
    "a9a": ("a9a.train.svm.gz", None, 1),
    "w8a": ("w8a.train.svm.gz", None, 1),
    "reuters": ("reuters_moneyfx.train.svm.gz", None, 1),
    "mnist3": ("mnist.train.svm.gz", "3", 255),
    "ijcnn1": ("ijcnn1.train.svm.gz", None, 1),
    "usps0": ("usps.train.csv.gz", "0", 1),
    "susy": ("susy_30k.csv.gz", None, 1),
}
# loss: LIBLINEAR's -s, our options, tolerance
LOSSES = {
    "hinge": (3, "linear-svm --loss hinge --solver dual", 0.1),
    "squared": (1, "linear-svm --loss squared-hinge --solver auto", 0.1),
    "squared primal": (2, "linear-svm --loss squared-hinge --solver primal", 0.01),
    "logistic": (0, "logistic", 0.01),
}
BIAS = 1.0


def liblinear():
    folder = os.environ.get("LIBLINEAR_BIN")
    found = Path(folder) / "train" if folder else shutil.which("liblinear-train")
    if not found or not Path(found).exists():
        raise Missing("LIBLINEAR's train not found: set LIBLINEAR_BIN to its folder")
    return str(found)


def liblinear_version():
    header = Path(liblinear()).parent / "linear.h"
    found = header.exists() and re.search(r"LIBLINEAR_VERSION\s+(\d)(\d+)", header.read_text())
    return f"{found[1]}.{found[2]}" if found else "unknown"


def prepare(name):
    """The training file as LIBSVM text with labels +1 and -1."""
    path = CACHE / f"linear_{name}.train"
    if path.exists():
        return path
    source, positive, divisor = SETS[name]
    if not (SOURCE / source).exists():
        raise Missing(f"{SOURCE / source} is missing (set HEDGEROW_DATA)")
    CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with gzip.open(SOURCE / source, "rt") as lines, open(unfinished, "w") as out:
        is_csv = source.endswith(".csv.gz")
        if is_csv:
            next(lines)
        first = None
        for line in lines:
            if is_csv:
                *cells, label = line.strip().split(",")
                pairs = [f"{k + 1}:{v}" for k, v in enumerate(cells) if float(v)]
            else:
                label, *pairs = line.split()
            if positive is not None:
                label = "+1" if float(label) == float(positive) else "-1"
            elif is_csv:
                first = label if first is None else first
                label = "+1" if label == first else "-1"
            if divisor != 1:
                split = (p.split(":") for p in pairs)
                pairs = [f"{k}:{float(v) / divisor:.6g}" for k, v in split]
            out.write(" ".join([label, *pairs]) + "\n")
    unfinished.rename(path)
    return path


class Data:
    def __init__(self, path):
        labels, starts, features, values = [], [0], [], []
        with open(path) as f:
            for line in f:
                label, *pairs = line.split()
                labels.append(float(label))
                for p in pairs:
                    k, v = p.split(":")
                    features.append(int(k) - 1)
                    values.append(float(v))
                starts.append(len(values))
        self.y = np.where(np.array(labels) > 0, 1.0, -1.0)
        self.starts, self.features, self.values = np.array(starts), np.array(features), np.array(values)
        self.n_features = int(self.features.max()) + 1
        self.density = len(values) / (len(labels) * self.n_features)

    def product(self, w):
        sums = np.concatenate([[0.0], np.cumsum(self.values * w[self.features])])
        return sums[self.starts[1:]] - sums[self.starts[:-1]]


def objective(loss, cost, y, decisions, square):
    margin = y * decisions
    short = np.maximum(0, 1 - margin)
    each = {"hinge": short, "squared": short ** 2, "squared primal": short ** 2, "logistic": np.logaddexp(0, -margin)}[loss]
    return 0.5 * square + cost * math.fsum(each)


def their_objective(model, loss, cost, data):
    lines = Path(model).read_text().splitlines()
    at = lines.index("w")
    head = dict(line.split(" ", 1) for line in lines[:at])
    w = np.array([float(v) for v in lines[at + 1:] if v.strip()])
    if float(head["label"].split()[0]) < 0:
        w = -w
    full = np.zeros(data.n_features)
    full[:len(w) - 1] = w[:-1]
    return objective(loss, cost, data.y, data.product(full) + w[-1] * BIAS, float(w @ w))


def our_objective(model, loss, cost, data, train, folder):
    facts = common.run([common.hedgerow(), "inspect", "--json", model]).json()
    scores = Path(folder) / "scores"
    done = common.run([common.hedgerow(), "predict", "--scores", train, model, scores])
    if not done.ok:
        raise RuntimeError(done.trouble())
    lines = scores.read_text().splitlines()
    values = np.array([float(v) for v in lines[1:]])
    if lines[0].startswith("-1"):
        values = -values
    intercept, norm = facts["intercepts"][0], facts["norms"][0]
    return objective(loss, cost, data.y, values, norm ** 2 + (intercept / BIAS) ** 2)


def measure(name, loss, cost, repeat, threads):
    train = prepare(name)
    solver, words, tolerance = LOSSES[loss]
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = Path(folder) / "theirs", Path(folder) / "ours"
        peer = [liblinear(), "-q", "-s", solver, "-c", cost, "-e", tolerance, "-B", BIAS, train, theirs]
        own = [common.hedgerow(), "train", *words.split(), "-c", cost, "-e", tolerance, "-B", BIAS, train, ours]
        times = {"theirs": [], **{t: [] for t in threads}}
        for _ in range(repeat):
            for key, command, count in [("theirs", peer, 1)] + [(t, own, t) for t in threads]:
                done = common.run(command, threads=count)
                if not done.ok:
                    raise RuntimeError(done.trouble())
                times[key].append(done.wall)
        data = Data(train)
        row = {"set": name, "loss": loss, "cost": cost, "density": data.density, "liblinear_seconds": median(times["theirs"]),
               "liblinear_objective": their_objective(theirs, loss, cost, data),
               "objective": our_objective(ours, loss, cost, data, train, folder)}
        row.update({f"seconds_{t}": median(times[t]) for t in threads})
    return row


def report(rows, threads):
    head = ["set", "loss", "C", "non-zero", "LIBLINEAR s", *(f"hedgerow s ({t} thr.)" for t in threads), *(f"ratio ({t})" for t in threads),
            "objective", "relative to LIBLINEAR's"]
    lines = []
    for r in rows:
        lines.append([r["set"], r["loss"], r["cost"], f"{100 * r['density']:.0f} %", r["liblinear_seconds"],
                      *(r[f"seconds_{t}"] for t in threads), *(f"{r['liblinear_seconds'] / r[f'seconds_{t}']:.2f}" for t in threads),
                      f"{r['objective']:.6g}", f"{r['objective'] / r['liblinear_objective'] - 1:+.1e}"])
    return table(head, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--cost", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", default="1,2")
    args = parser.parse_args()
    threads = [int(t) for t in args.threads.split(",")]
    rows = []
    for name in args.sets or SETS:
        for loss in args.losses.split(","):
            try:
                rows.append(measure(name, loss, args.cost, args.repeat, threads))
            except (Missing, RuntimeError) as error:
                print(f"{name}, {loss}: {error}", file=sys.stderr)
    text = report(rows, threads)
    print(f"LIBLINEAR {liblinear_version()}, {common.cpu_name()}\n\n{text}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / "linear.json", "a") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
