#!/usr/bin/env python3
"""Does hedgerow answer what LIBSVM answers? Trains both alike on real sets and compares.

    python benches/oracle.py                 # everything
    python benches/oracle.py --quick         # the small sets
    python benches/oracle.py --only dna,far  # checks whose group or set has one of these words

Bounds. Two solvers that stop at the same tolerance stop at different points, so answers near the boundary may
differ: the dual objective must agree within 1e-3, the labels on 99.9 % of the test rows, the mean squared error of a
regression within 0.5 %. Probabilities rest on a random split of LIBSVM's own: mean difference at most 0.02. A model file
that travels between the two programs must answer the same on every row, up to one row in 10,000 (rounding at a tie).

A set whose file is missing is skipped with a message. Exit code 1 if a check failed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import common
import dual
from common import CACHE, Missing, run
from problems import PROBLEMS, Problem

HERE = Path(__file__).resolve().parent
METHODS = {"svm": 0, "nu-svm": 1, "one-class": 2, "svr": 3, "nu-svr": 4}
OBJECTIVE, LABELS, MSE, PROBABILITY, TRAVEL = 1e-3, 0.999, 5e-3, 0.02, 0.9999

RAW = {p.data: p for p in [
    Problem("svmguide1_raw", 1, 0.25, "LIBSVM's defaults on unscaled columns: the guide's example of what not to do"),
    Problem("letter_raw", 16, 4 * (2 / 15) ** 2, "the scaled problem's gamma on columns 0..15"),
    Problem("satimage_raw", 16, 3e-4, "the scaled problem's gamma on columns of range about 118"),
]}


class Failed(Exception):
    """A command that did not end well."""


class Oracle:
    def __init__(self, a, tmp):
        self.a, self.tmp, self.rows = a, tmp, []
        self.hedgerow, self.train, self.test = common.hedgerow(), common.libsvm("svm-train"), common.libsvm("svm-predict")

    # ----- both programs
    def command(self, args):
        r = run(args, limit=self.a.limit)
        if not r.ok:
            raise Failed(f"{Path(args[0]).name} {args[1]}: {r.trouble()}")
        return r

    def fit_ours(self, method, options, data, text=False):
        model = self.tmp / "ours.model"
        extra = ["--libsvm-model"] if text else []
        j = self.command([self.hedgerow, "train", method, *options, "-e", self.a.tolerance, "--json", *extra, data, model]).json()
        if j["status"] != "converged":
            raise Failed(f"hedgerow train {method}: status {j['status']}")
        return model, j["objective"], j["support_vectors"]

    def fit_theirs(self, method, options, data):
        model = self.tmp / "theirs.model"
        r = self.command([self.train, "-s", METHODS[method], *options, "-e", self.a.tolerance, data, model])
        return model, common.libsvm_objective(r.out), int(common.model_header(model)["total_sv"][0])

    def ask_ours(self, data, model, probability=False):
        out = self.tmp / "ours.out"
        self.command([self.hedgerow, "predict", *(["--probability"] if probability else []), data, model, out])
        return counted(out, data)

    def ask_theirs(self, data, model, probability=False):
        out = self.tmp / "theirs.out"
        self.command([self.test, "-b", int(probability), data, model, out])
        return counted(out, data)

    # ----- verdicts
    def judge(self, group, name, what, ours, theirs, measure, bound, good):
        """`good`: whether `measure` meets `bound` (told, because some are upper and some lower bounds)."""
        self.rows.append([group, name, what, show(ours), show(theirs), f"{measure:.3g}" if abs(measure) < .1 else f"{measure:.6g}", bound, "pass" if good else "FAIL"])
        print(f"{'pass' if good else 'FAIL'}  {group} {name}: {what}: {measure:.6g} ({bound})", file=sys.stderr)

    def objective(self, group, name, ours, theirs, bound=OBJECTIVE):
        gap = abs(ours - theirs) / max(abs(theirs), 1e-12)
        self.judge(group, name, "dual objective, relative difference", ours, theirs, gap, f"<= {bound:g}", gap <= bound)

    def labels(self, group, name, what, ours, theirs, bound=LABELS):
        same = common.agreement(common.predicted(ours), common.predicted(theirs))
        self.judge(group, name, what, "", "", same, f">= {bound:g}", same >= bound)

    def case(self, group, name, fn, *args):
        """One group of checks on one set; a command that fails is a failed check, not the end of the run."""
        words = self.a.only
        if words and not any(w in name or w == group for w in words):
            return
        missing = [d for d in (name, *(["svmguide1_near"] if name == "svmguide1_far" else []))
                   if not (CACHE / f"{d}.train").exists()]
        if missing:
            print(f"skip  {group} {name}: {missing[0]} is not in {CACHE}", file=sys.stderr)
            return
        try:
            fn(group, name, *args)
        except (Failed, ValueError, KeyError, OSError) as e:
            self.rows.append([group, name, "runs", "", "", str(e)[:160].replace("|", "/"), "", "FAIL"])
            print(f"FAIL  {group} {name}: {e}", file=sys.stderr)

    # ----- groups of checks
    def classify(self, group, name, method, options, travel=True, objective=True):
        data, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
        model, f, _ = self.fit_ours(method, options, data)
        theirs, g, _ = self.fit_theirs(method, options, data)
        if objective:
            self.objective(group, name, f, g)
        answer = self.ask_theirs(test, theirs)
        self.labels(group, name, "same labels", self.ask_ours(test, model), answer)
        if travel:
            self.labels(group, name, "LIBSVM's model file in hedgerow", self.ask_ours(test, theirs), answer, TRAVEL)
            model, f, _ = self.fit_ours(method, options, data, text=True)
            self.labels(group, name, "hedgerow's model file in LIBSVM", self.ask_ours(test, model), self.ask_theirs(test, model), TRAVEL)
            again = dual.model_objective(model)
            if again is not None and objective:
                self.objective(group, name + " (from the file)", again, f, 1e-5)

    def far(self, group, name):
        """An RBF kernel does not see a shift, so LIBSVM on the unshifted columns is the reference: on the shifted ones its
        own squared norms (4e12) have lost the digits that matter. Its agreement with itself is printed for comparison."""
        options = ["-t", 2, "-c", 2, "-g", 8, "-m", 200]
        near, shifted = "svmguide1_near", name
        theirs, g, _ = self.fit_theirs("svm", options, CACHE / f"{near}.train")
        truth = self.tmp / "near.out"
        self.ask_theirs(CACHE / f"{near}.test", theirs).rename(truth)
        model, f, _ = self.fit_ours("svm", options, CACHE / f"{shifted}.train")
        self.objective(group, name, f, g)
        self.labels(group, name, "same labels as LIBSVM without the shift", self.ask_ours(CACHE / f"{shifted}.test", model), truth)
        theirs, g, _ = self.fit_theirs("svm", options, CACHE / f"{shifted}.train")
        same = common.agreement(common.predicted(self.ask_theirs(CACHE / f"{shifted}.test", theirs)), common.predicted(truth))
        self.rows.append([group, name, "(LIBSVM with the shift against itself without)", "", show(g), f"{same:.6g}", "", "info"])

    def regress(self, group, name, method, options):
        data, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
        y = np.array(common.true_labels(test))
        mse = lambda out: float(((np.array(common.predicted(out)) - y) ** 2).mean())
        model, f, _ = self.fit_ours(method, options, data)
        theirs, g, _ = self.fit_theirs(method, options, data)
        if method == "svr":
            self.objective(group, name, f, g)
        a, b = mse(self.ask_ours(test, model)), mse(self.ask_theirs(test, theirs))
        self.judge(group, name, "mean squared error, relative difference", a, b, abs(a - b) / b, f"<= {MSE:g}", abs(a - b) <= MSE * b)
        a = mse(self.ask_ours(test, theirs))
        self.judge(group, name, "LIBSVM's model file in hedgerow", a, b, abs(a - b) / b, "<= 1e-05", abs(a - b) <= 1e-5 * b)
        model, _, _ = self.fit_ours(method, options, data, text=True)
        a, b = mse(self.ask_ours(test, model)), mse(self.ask_theirs(test, model))
        self.judge(group, name, "hedgerow's model file in LIBSVM", a, b, abs(a - b) / b, "<= 1e-05", abs(a - b) <= 1e-5 * b)

    def probability(self, group, name, options):
        data, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
        options = [*options, "-b", 1]
        model, _, _ = self.fit_ours("svm", options, data)
        theirs, _, _ = self.fit_theirs("svm", options, data)
        a, b = probabilities(self.ask_ours(test, model, True)), probabilities(self.ask_theirs(test, theirs, True))
        gap = float(np.abs(a - b).mean())
        self.judge(group, name, "mean difference of probabilities", "", "", gap, f"<= {PROBABILITY:g}", gap <= PROBABILITY)
        sums = float(np.abs(a.sum(1) - 1).max())
        self.judge(group, name, "our probabilities add up to 1", "", "", sums, "<= 1e-05", sums <= 1e-5)
        b2 = probabilities(self.ask_ours(test, theirs, True))
        gap = float(np.abs(b2 - b).max())
        self.judge(group, name, "LIBSVM's probability model in hedgerow, largest difference", "", "", gap, "<= 1e-05", gap <= 1e-5)

    def precomputed(self, group, name, rows=800, tests=500):
        """The RBF kernel as a matrix in the file: the answers must be LIBSVM's, and those of our own RBF kernel."""
        p = PROBLEMS[name]
        data, test = self.tmp / "pre.train", self.tmp / "pre.test"
        plain, plain_test = self.tmp / "plain.train", self.tmp / "plain.test"
        x, y, xt, yt = every(CACHE / f"{name}.train", rows, CACHE / f"{name}.test", tests)
        k = dual.kernel("rbf", p.gamma)
        write_kernel(data, k(x, x), y)
        write_kernel(test, k(xt, x), yt)
        write_dense(plain, x, y)
        write_dense(plain_test, xt, yt)
        options = ["-t", 4, "-c", p.cost, "-m", 200]
        model, f, _ = self.fit_ours("svm", options, data)
        theirs, g, _ = self.fit_theirs("svm", options, data)
        self.objective(group, name, f, g)
        ours = self.tmp / "pre.out"
        self.ask_ours(test, model).rename(ours)
        self.labels(group, name, "same labels", ours, self.ask_theirs(test, theirs))
        self.labels(group, name, "LIBSVM's model file in hedgerow", self.ask_ours(test, theirs), self.ask_theirs(test, theirs), TRAVEL)
        model, f2, _ = self.fit_ours("svm", ["-t", 2, "-g", p.gamma, "-c", p.cost, "-m", 200], plain)
        self.objective(group, name + " (rbf)", f, f2)
        self.labels(group, name + " (rbf)", "same labels as our RBF kernel", self.ask_ours(plain_test, model), ours)


# ---------------------------------------------------------------------------------- small tools
def show(v):
    return f"{v:.8g}" if isinstance(v, float) else str(v)


def counted(out, data):
    """`out` itself, if it has one answer for every row of `data`."""
    answers, rows = len(common.predicted(out)), len(common.true_labels(data))
    if answers != rows or not rows:
        raise Failed(f"{answers} answers for the {rows} rows of {Path(data).name}")
    return out


def rbf(p):
    return ["-t", 2, "-c", p.cost, "-g", p.gamma, "-m", 500]


def probabilities(path):
    """Columns in ascending order of the label."""
    lines = Path(path).read_text().splitlines()
    if not lines[0].startswith("labels"):
        raise ValueError(f"{path}: no `labels` line at the top of the probabilities")
    order = np.argsort([float(v) for v in lines[0].split()[1:]])
    return np.array([[float(v) for v in line.split()[1:]] for line in lines[1:]])[:, order]


def every(train, rows, test, tests):
    """Evenly spread rows of both parts, dense."""
    def read(path, wanted):
        lines = [line.split() for line in open(path) if line.strip()]
        lines = [lines[i] for i in np.linspace(0, len(lines) - 1, min(wanted, len(lines))).astype(int)]
        return [float(v[0]) for v in lines], [[p.split(":") for p in v[1:]] for v in lines]
    (y, a), (yt, b) = read(train, rows), read(test, tests)
    width = max(int(p[0]) for r in a + b for p in r)
    def dense(parts):
        x = np.zeros((len(parts), width))
        for i, r in enumerate(parts):
            for j, v in r:
                x[i, int(j) - 1] = float(v)
        return x
    return dense(a), y, dense(b), yt


def write_kernel(path, k, y):
    """LIBSVM's precomputed form: 0:serial 1:K(x, x1) 2:K(x, x2) …"""
    with open(path, "w") as f:
        for i, (label, row) in enumerate(zip(y, k)):
            f.write(f"{label:g} 0:{i + 1} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(row)) + "\n")


def write_dense(path, x, y):
    with open(path, "w") as f:
        for label, row in zip(y, x):
            f.write(f"{label:g} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(row) if v) + "\n")


# ---------------------------------------------------------------------------------- the plan
def plan(o):
    """Every check in order, small sets first."""
    sets = ["a1a", "svmguide1", "splice", *([] if o.a.quick else ["dna", "satimage", "usps", "letter", "ijcnn1", "a9a"])]
    for name in sets:
        o.case("rbf", name, o.classify, "svm", rbf(PROBLEMS[name]), name not in ("ijcnn1", "a9a"))
    for name in ["svmguide1", "splice", *([] if o.a.quick else ["a1a", "dna"])]:
        d = {"svmguide1": 4, "splice": 60, "a1a": 123, "dna": 180}[name]
        g = {"svmguide1": 0.5, "splice": 0.002, "a1a": 0.05, "dna": 0.02}[name]
        o.case("linear", name, o.classify, "svm", ["-t", 0, "-c", 0.01 if name == "splice" else 1])
        o.case("poly", name, o.classify, "svm", ["-t", 1, "-c", 1, "-d", 3, "-g", g, "-r", 1])
        o.case("sigmoid", name, o.classify, "svm", ["-t", 3, "-c", 1, "-g", min(g, 1 / d), "-r", 0 if name != "splice" else -1])
    o.case("precomputed", "svmguide1", o.precomputed)
    if not o.a.quick:
        o.case("precomputed", "dna", o.precomputed)
    o.case("weights", "a1a", o.classify, "svm", [*rbf(PROBLEMS["a1a"]), "-w1", 3])
    o.case("weights", "svmguide1", o.classify, "svm", [*rbf(PROBLEMS["svmguide1"]), "-w0", 0.5, "-w1", 2])
    o.case("no shrinking", "svmguide1", o.classify, "svm", [*rbf(PROBLEMS["svmguide1"]), "-h", 0], False)
    for name in ["a1a", "svmguide1", "splice", *([] if o.a.quick else ["dna", "satimage"])]:
        o.case("probability", name, o.probability, rbf(PROBLEMS[name]))
    for name, nu in [("svmguide1", 0.1), ("a1a", 0.3), *([] if o.a.quick else [("dna", 0.1), ("satimage", 0.1)])]:
        p = PROBLEMS[name]
        o.case("nu-svm", name, o.classify, "nu-svm", ["-t", 2, "-g", p.gamma, "-n", nu, "-m", 200], True, False)
    for name, nu in [("svmguide1", 0.1), ("splice", 0.3), *([] if o.a.quick else [("satimage", 0.05)])]:
        p = PROBLEMS[name]
        o.case("one-class", name, o.classify, "one-class", ["-t", 2, "-g", p.gamma, "-n", nu, "-m", 200], True, False)
    for name, g in [("abalone", 0.1), ("communities_crime", 0.01), ("winequality_white", 0.1)]:
        common_options = ["-t", 2, "-c", 1, "-g", g, "-m", 200]
        o.case("svr", name, o.regress, "svr", [*common_options, "-p", 0.1])
        o.case("nu-svr", name, o.regress, "nu-svr", [*common_options, "-n", 0.5])
    o.case("far", "svmguide1_far", o.far)
    for name in ["svmguide1_raw", *([] if o.a.quick else ["satimage_raw", "letter_raw"])]:
        o.case("unscaled", name, o.classify, "svm", rbf(RAW[name]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quick", action="store_true", help="only the small sets")
    p.add_argument("--only", type=lambda v: v.split(","), help="comma-separated words: a group, or a part of a set's name")
    p.add_argument("--tolerance", type=float, default=1e-3)
    p.add_argument("--limit", type=float, default=1800, help="seconds a command")
    a = p.parse_args()
    subprocess.run([sys.executable, HERE / "prepare.py"], check=False)
    try:
        with tempfile.TemporaryDirectory(prefix="hedgerow-oracle-") as tmp:
            o = Oracle(a, Path(tmp))
            plan(o)
    except Missing as e:
        print(e, file=sys.stderr)
        return 2
    print(common.table(["group", "set", "check", "ours", "LIBSVM", "measured", "bound", "verdict"], o.rows))
    passed, failed = (sum(r[-1] == v for r in o.rows) for v in ("pass", "FAIL"))
    print(f"\nLIBSVM {common.libsvm_version()}, tolerance {a.tolerance:g}\n{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
