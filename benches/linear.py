#!/usr/bin/env python3
"""Linear SVMs and logistic regression beside LIBLINEAR: training against training.

    cargo build --release -p hedgerow-cli --examples
    PEER_PYTHON benches/linear.py                       # everything
    PEER_PYTHON benches/linear.py a9a mnist3 --repeat 3 # some sets
    PEER_PYTHON benches/linear.py --losses hinge,squared

Run it with a Python that has numpy and liblinear-official (the C++ code of LIBLINEAR as its authors package it). Reading text is no
part of a time: LIBLINEAR's `train` is called within this process on its own structures, ours (the example `linear_fit`) fits again and
again on data that it has read; what either does to prepare the rows for its solver is part of the fit. Both use one thread, the same loss,
cost, constant feature and tolerance (LIBLINEAR's default of the solver), and take turns; a time is CPU seconds of the process, the median
of the repeats. Objectives are those of the primal by the formula, in double precision, from the weights that either found.
"""

import argparse
import ctypes
import gzip
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import common
from common import CACHE, RESULTS, Missing, median, table

SOURCE = Path(os.environ.get("HEDGEROW_DATA", common.ROOT.parent / "shared" / "data"))
# name: (source file, positive label or None, "as is", a divisor of all values, "range" [0, 1] or "standard" mean 0 and deviation 1)
SETS = {
    "a9a": ("a9a.train.svm.gz", None, "as is"),
    "w8a": ("w8a.train.svm.gz", None, "as is"),
    "reuters": ("reuters_moneyfx.train.svm.gz", None, "as is"),
    "mnist3": ("mnist.train.svm.gz", "3", 255),
    "mnist8": ("mnist.train.svm.gz", "8", 255),
    "covtype2": ("covtype.csv.gz", "2", "range"),
    "covtype2 std": ("covtype.csv.gz", "2", "standard"),
    "ijcnn1": ("ijcnn1.train.svm.gz", None, "as is"),
    "mnist3 std": ("mnist.train.svm.gz", "3", "standard"),
    "usps0": ("usps.train.csv.gz", "0", "as is"),
    "susy std": ("susy_30k.csv.gz", None, "standard"),
    "skin": ("skin_nonskin.train.csv.gz", "1", "range"),
    "shuttle": ("shuttle.train.csv.gz", "Rad.Flow", "range"),
}
# loss: LIBLINEAR's solver, ours, tolerance
LOSSES = {
    "hinge": (3, "hinge", 0.1),
    "squared": (1, "squared", 0.1),
    "squared primal": (2, "squared-primal", 0.01),
    "logistic": (0, "logistic", 0.01),
}
BIAS = 1.0


def source_rows(path):
    """Cells (name or number of the column, value) and label of every line, values as text."""
    with gzip.open(path, "rt") as lines:
        if path.name.endswith(".csv.gz"):
            next(lines)
            for line in lines:
                *cells, label = line.strip().split(",")
                yield label.strip('"'), [(k, float(v)) for k, v in enumerate(cells) if float(v)]
        else:
            for line in lines:
                label, *pairs = line.split()
                yield label, [(int(k) - 1, float(v)) for k, v in (p.split(":") for p in pairs)]


def scaled(rows, how):
    """The rows with their values changed as the table of sets says."""
    if how == "as is":
        return rows
    if not isinstance(how, str):
        return [[(k, v / how) for k, v in row] for row in rows]
    width = 1 + max(row[-1][0] for row in rows if row)
    dense = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        for k, v in row:
            dense[i, k] = v
    low, size = (dense.min(0), np.ptp(dense, axis=0)) if how == "range" else (dense.mean(0), dense.std(0))
    size[size == 0] = 1
    dense = (dense - low) / size
    return [[(k, row[k]) for k in np.flatnonzero(row)] for row in dense]


def prepare(name):
    """The training file as LIBSVM text with labels +1 and -1."""
    path = CACHE / f"linear_{name.replace(' ', '_')}.train"
    if path.exists():
        return path
    source, positive, how = SETS[name]
    if not (SOURCE / source).exists():
        raise Missing(f"{SOURCE / source} is missing (set HEDGEROW_DATA)")
    CACHE.mkdir(parents=True, exist_ok=True)
    labels, rows = zip(*source_rows(SOURCE / source))
    positive = labels[0] if positive is None else positive
    unfinished = path.with_suffix(".unfinished")
    with open(unfinished, "w") as out:
        for label, row in zip(labels, scaled(rows, how)):
            cells = (f"{k + 1}:{v:.6g}" for k, v in row)
            out.write(" ".join(["+1" if label == positive else "-1", *cells]) + "\n")
    unfinished.rename(path)
    return path


class Data:
    """A file as LIBLINEAR wants it: nodes of an index and a value, each row ended by the constant feature and an index of -1."""

    NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)

    def __init__(self, path):
        labels, starts, indices, values = [], [0], [], []
        with open(path) as f:
            for line in f:
                label, *pairs = line.split()
                labels.append(float(label))
                for p in pairs:
                    k, v = p.split(":")
                    indices.append(int(k))
                    values.append(float(v))
                starts.append(len(values))
        self.y = np.array(labels)
        self.n_features = max(indices)
        self.density = len(values) / (len(labels) * self.n_features)
        self.starts = np.array(starts)
        self.features = np.array(indices) - 1
        self.values = np.array(values)
        n = len(labels)
        self.nodes = np.zeros(len(values) + 2 * n, self.NODE)
        place = np.arange(len(values)) + 2 * np.repeat(np.arange(n), np.diff(self.starts))
        self.nodes["index"][place] = indices
        self.nodes["value"][place] = values
        ends = self.starts[1:] + 2 * np.arange(n)
        self.nodes["index"][ends], self.nodes["value"][ends] = self.n_features + 1, BIAS
        self.nodes["index"][ends + 1] = -1
        self.pointers = self.nodes.ctypes.data + self.NODE.itemsize * (self.starts[:-1] + 2 * np.arange(n))

    def product(self, w):
        sums = np.concatenate([[0.0], np.cumsum(self.values * w[self.features])])
        return sums[self.starts[1:]] - sums[self.starts[:-1]]


def objective(loss, cost, y, decisions, square):
    margin = y * decisions
    short = np.maximum(0, 1 - margin)
    each = {"hinge": short, "squared": short ** 2, "squared primal": short ** 2, "logistic": np.logaddexp(0, -margin)}[loss]
    return 0.5 * square + cost * math.fsum(each)


class Peer:
    """LIBLINEAR within this process."""

    def __init__(self, data, loss, cost):
        from liblinear import liblinear as package
        self.package, self.data, self.loss, self.cost = package, data, loss, cost
        solver, _, tolerance = LOSSES[loss]
        self.param = package.parameter(f"-s {solver} -c {cost} -e {tolerance} -B {BIAS} -q")
        node = ctypes.POINTER(package.feature_node)
        self.problem = package.problem.__new__(package.problem)
        self.problem.l, self.problem.n, self.problem.bias = len(data.y), data.n_features + 1, BIAS
        self.problem.y = data.y.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        self.problem.x = data.pointers.ctypes.data_as(ctypes.POINTER(node))
        package.liblinear.set_print_string_function(self.param.print_func)

    def fit(self):
        start = time.process_time()
        model = self.package.liblinear.train(ctypes.byref(self.problem), ctypes.byref(self.param))
        took = time.process_time() - start
        self.weights = np.array(model.contents.w[:self.data.n_features + 1])
        if model.contents.label[0] < 0:
            self.weights = -self.weights
        self.package.liblinear.free_and_destroy_model(ctypes.byref(model))
        return took

    def objective(self):
        w = self.weights
        decisions = self.data.product(w[:-1]) + w[-1] * BIAS
        return objective(self.loss, self.cost, self.data.y, decisions, float(w @ w))


class Own:
    """Ours, in a process that waits for its turn."""

    def __init__(self, train, loss, cost):
        program = common.target() / "examples" / "linear_fit"
        if not program.exists():
            raise Missing(f"{program} is missing: cargo build --release -p hedgerow-cli --examples")
        _, name, tolerance = LOSSES[loss]
        words = [str(program), str(train), name, str(cost), str(tolerance), str(BIAS)]
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()
        # The CPU clock of another process, by Linux's numbering of clocks.
        self.clock = (~self.child.pid << 3) | 2

    def ask(self, word):
        self.child.stdin.write(word + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise RuntimeError("linear_fit ended")
        return answer

    def fit(self):
        start = time.clock_gettime(self.clock)
        self.ask("fit")
        return time.clock_gettime(self.clock) - start

    def close(self):
        told = json.loads(self.ask("tell"))
        self.child.stdin.close()
        self.child.wait()
        return told


def measure(name, loss, cost, repeat, data):
    train = prepare(name)
    theirs, ours = Peer(data, loss, cost), Own(train, loss, cost)
    times = {"theirs": [], "ours": []}
    spent = time.perf_counter()
    for turn in range(repeat):
        times["theirs"].append(theirs.fit())
        times["ours"].append(ours.fit())
        if turn > 0 and time.perf_counter() - spent > 60:
            break
    told = ours.close()
    return {"set": name, "loss": loss, "cost": cost, "rows": len(data.y), "features": data.n_features, "density": data.density,
            "liblinear_seconds": median(times["theirs"]), "seconds": median(times["ours"]), "status": told["status"],
            "iterations": told["iterations"], "liblinear_objective": theirs.objective(), "objective": told["objective"]}


def report(rows):
    head = ["set", "rows × columns", "non-zero", "loss", "C", "LIBLINEAR s", "hedgerow s", "ratio", "objective", "relative to LIBLINEAR's"]
    lines = []
    for r in rows:
        lines.append([r["set"], f"{r['rows']:,} × {r['features']:,}", f"{100 * r['density']:.1f} %", r["loss"], f"{r['cost']:g}",
                      r["liblinear_seconds"], r["seconds"], f"{r['liblinear_seconds'] / r['seconds']:.2f}", f"{r['objective']:.6g}",
                      f"{r['objective'] / r['liblinear_objective'] - 1:+.1e}"])
    return table(head, lines)


def liblinear_version():
    from importlib.metadata import version
    return version("liblinear-official")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--cost", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    rows = []
    for name in args.sets or SETS:
        data = Data(prepare(name))
        for loss in args.losses.split(","):
            try:
                rows.append(measure(name, loss, args.cost, args.repeat, data))
            except (Missing, RuntimeError) as error:
                print(f"{name}, {loss}: {error}", file=sys.stderr)
                continue
            print(report(rows[-1:]).splitlines()[-1], flush=True)
    print(f"\nLIBLINEAR {liblinear_version()}, {common.cpu_name()}\n\n{report(rows)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / "linear.json", "a") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
