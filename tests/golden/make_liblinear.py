#!/usr/bin/env python3
"""Make liblinear.json: what LIBLINEAR answers on the small sets beside it.

    LIBLINEAR_BIN=folder/of/train python tests/golden/make_liblinear.py

Needs the program `train` of LIBLINEAR 2.4x or later (LIBLINEAR_BIN, else liblinear-train on PATH), and scikit-learn: the program
ends dual coordinate descent after 300 passes, converged or not, so the tight answers of these solvers are those of the copy of LIBLINEAR
in scikit-learn, whose limit can be set. The output is committed; tests only read it.

liblinear.json: {"liblinear": version, "cases": [...]}. A case has
    name, train (a file here), solver (LIBLINEAR's -s), cost, bias, free_bias (-R), class_weights ({label: factor}),
    labels (in LIBLINEAR's order), and loose (its own tolerance) and tight, each with
      weights: for each machine the weights of the features and then that of the constant feature (if bias > 0),
      objective: the primal objective of each machine, computed here in double precision from those weights.
Two classes have one machine, whose positive class is the first label; more have one each.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOSE = {0: 0.01, 1: 0.1, 2: 0.01, 3: 0.1}
TIGHT = 1e-8

CASES = [
    # name, train, solver, cost, bias, free_bias, class weights
    ("heart hinge", "heart.train", 3, 0.5, 1, False, {}),
    ("heart hinge without bias", "heart.train", 3, 1, -1, False, {}),
    ("heart squared dual", "heart.train", 1, 0.25, 1, False, {}),
    ("heart squared primal", "heart.train", 2, 0.25, 1, False, {}),
    ("heart squared weighted", "heart.train", 1, 0.1, 1, False, {"1": 3, "-1": 0.5}),
    ("heart logistic", "heart.train", 0, 2, 1, False, {}),
    ("heart logistic free bias", "heart.train", 0, 2, 1, True, {}),
    ("guide hinge", "svmguide1.train", 3, 1, 1, False, {}),
    ("guide hinge large bias feature", "svmguide1.train", 3, 1, 5, False, {}),
    ("guide squared", "svmguide1.train", 1, 1, 1, False, {}),
    ("guide logistic weighted", "svmguide1.train", 0, 1, 1, False, {"1": 2}),
    ("iris hinge", "iris.train", 3, 0.1, 1, False, {}),
    ("iris squared", "iris.train", 1, 0.1, 1, False, {}),
    ("iris logistic", "iris.train", 0, 1, 1, False, {}),
]


def program():
    folder = os.environ.get("LIBLINEAR_BIN")
    return str(Path(folder) / "train") if folder else shutil.which("liblinear-train")


def version():
    header = Path(program()).parent / "linear.h"
    found = header.exists() and re.search(r"LIBLINEAR_VERSION\s+(\d)(\d+)", header.read_text())
    return f"{found[1]}.{found[2]}" if found else "unknown"


def read(name):
    rows, labels = [], []
    for line in (HERE / name).read_text().splitlines():
        label, *cells = line.split()
        labels.append(float(label))
        rows.append([(int(k) - 1, float(v)) for k, v in (c.split(":") for c in cells)])
    return rows, labels


def run(train, solver, cost, bias, free, weights, tolerance):
    words = [program(), "-q", "-s", str(solver), "-c", str(cost), "-e", repr(tolerance), "-B", str(bias)]
    words += ["-R"] if free else []
    for label, factor in weights.items():
        words += [f"-w{label}", str(factor)]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        subprocess.run([*words, str(HERE / train), str(model)], check=True, capture_output=True)
        lines = model.read_text().splitlines()
    at = lines.index("w")
    head = dict(line.split(" ", 1) for line in lines[:at])
    labels = [float(v) for v in head["label"].split()]
    table = [[float(v) for v in line.split()] for line in lines[at + 1:] if line.strip()]
    return labels, [list(column) for column in zip(*table)]


def run_without_limit(train, solver, cost, bias, weights, tolerance, order):
    """Solvers 1 and 3 until they have converged; machines in the order of the labels."""
    import numpy as np
    from sklearn.svm import LinearSVC

    rows, labels = read(train)
    dense = np.zeros((len(rows), 1 + max(f for row in rows for f, _ in row)))
    for i, row in enumerate(rows):
        for f, v in row:
            dense[i, f] = v
    model = LinearSVC(loss="hinge" if solver == 3 else "squared_hinge", dual=True, C=cost, tol=tolerance, max_iter=50_000_000,
                      fit_intercept=bias > 0, intercept_scaling=max(bias, 1), class_weight={float(k): v for k, v in weights.items()},
                      random_state=0).fit(dense, labels)
    if model.n_iter_ >= 50_000_000:
        raise RuntimeError(f"{train}, solver {solver}: not converged")
    machines = []
    for m in range(len(model.coef_)):
        at, sign = (0, 1) if len(order) == 2 else (list(model.classes_).index(order[m]), 1)
        if len(order) == 2 and model.classes_[1] != order[0]:
            sign = -1
        w = sign * model.coef_[at]
        # scikit-learn gives the intercept; the weight of the constant feature is that over its value.
        constant = [sign * float(np.atleast_1d(model.intercept_)[at]) / bias] if bias > 0 else []
        machines.append([float(v) for v in w] + constant)
    return machines


def softplus(z):
    import math
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


LOSS = {0: lambda m: softplus(-m), 1: lambda m: max(0, 1 - m) ** 2, 2: lambda m: max(0, 1 - m) ** 2, 3: lambda m: max(0, 1 - m)}


def objective(rows, labels, positive, w, solver, cost, bias, free, weights):
    total = 0.0
    for row, label in zip(rows, labels):
        sign = 1 if label == positive else -1
        value = sum(w[f] * v for f, v in row) + (w[-1] * bias if bias > 0 else 0)
        total += cost * weights.get(f"{label:g}", 1) * LOSS[solver](sign * value)
    regularised = w[:-1] if bias > 0 and free else w
    return total + 0.5 * sum(v * v for v in regularised)


def main():
    cases = []
    for name, train, solver, cost, bias, free, weights in CASES:
        rows, labels = read(train)
        case = {"name": name, "train": train, "solver": solver, "cost": cost, "bias": bias, "free_bias": free,
                "class_weights": weights}
        for kind, tolerance in (("loose", LOOSE[solver]), ("tight", TIGHT)):
            order, machines = run(train, solver, cost, bias, free, weights, tolerance)
            case["labels"] = order
            if kind == "tight" and solver in (1, 3):
                machines = run_without_limit(train, solver, cost, bias, weights, tolerance, order)
            values = [objective(rows, labels, order[m], w, solver, cost, bias, free, weights) for m, w in enumerate(machines)]
            case[kind] = {"weights": machines, "objective": values}
        cases.append(case)
    text = json.dumps({"liblinear": version(), "cases": cases}, indent=1)
    (HERE / "liblinear.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
