#!/usr/bin/env python3
"""Proximal classifiers and kernel Fisher beside NumPy, SciPy and scikit-learn: seconds of training, one thread each, in turn.

    pip install scikit-learn
    python benches/proximal_speed.py [regec] [cregec] [kfda] [reduced] [update] [--repeats 5]

regec    kernel ReGEC on 2,000 rows beside NumPy forming G and H and scipy.linalg.eigh(..., subset_by_index) for either end
cregec   the selection on german and on waveform's 5,000 rows beside a SciPy loop with cached kernel columns
kfda     4,000 rows beside SciPy's Cholesky factor and solution of the same matrix
reduced  KFDA and ReGEC on 1,000 centres and 100,000 rows of covtype beside scikit-learn's Nystroem(1000) + LDA
update   1,000 new rows for a chunk that was selected from 20,000, beside a new selection from all

Reading is no part of a time: ours tells its seconds of training, the peers get arrays. The peers' answers are compared with ours: rows of the
chunk, values of eigenproblems, accuracy on rows that neither has seen.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import scipy  # noqa: E402
import scipy.linalg  # noqa: E402
import sklearn  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

from common import exactly, hedgerow, median, run, table  # noqa: E402
from proximal_data import read, standardised  # noqa: E402


class Own:
    """Our program on arrays: seconds of training as it tells them, answers for new rows."""

    def __init__(self, folder, x, y, new=None, new_y=None):
        self.folder = Path(folder)
        self.write("train", x, y)
        if new is not None:
            self.write("new", new, new_y)

    def write(self, name, x, y):
        with open(self.folder / name, "w") as out:
            out.write(",".join([*(f"x{f}" for f in range(x.shape[1])), "y"]) + "\n")
            for row, label in zip(x, y):
                out.write(",".join(map(repr, map(float, row))) + f",{int(label)}\n")

    def call(self, *words):
        done = run([hedgerow(), *exactly(*words), "--format", "csv", "--threads", 1, "--json", "--quiet"], threads=1)
        if not done.ok:
            raise RuntimeError(done.trouble())
        return done.json()

    def fit(self, *options):
        return self.call("train", *options, self.folder / "train", self.folder / "model")

    def accuracy(self):
        facts = self.call("predict", self.folder / "new", self.folder / "model", self.folder / "out")
        return facts["metrics"]["accuracy"]

    def facts(self):
        done = run([hedgerow(), "inspect", self.folder / "model", "--json", "--quiet"])
        return done.json()


def clock(work):
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def parted(x, y, count):
    """Some rows at random, and the others."""
    order = np.random.default_rng(7).permutation(len(y))
    train, test = order[:count], order[count:]
    return x[train], x[test], y[train], y[test]


def kernel(a, b, gamma):
    return np.exp(-gamma * cdist(a, b, "sqeuclidean"))


# ------------------------------------------------------------------------------------- ReGEC
def numpy_regec(x, y, gamma, delta):
    """Both ends of the pencil, class 1 first."""
    first = np.flatnonzero(y == 1)
    second = np.flatnonzero(y != 1)
    centres = np.concatenate([first, second])
    k = kernel(x[centres], x[centres], gamma)
    full = np.hstack([k, -np.ones((len(centres), 1))])
    g, h = full[: len(first)], full[len(first) :]
    gram, other = g.T @ g, h.T @ h
    a = gram + delta * np.diag(np.diag(other))
    b = other + delta * np.diag(np.diag(gram))
    s = a + b
    surfaces = []
    for matrix in (a, b):
        mu, z = scipy.linalg.eigh(matrix, s, subset_by_index=[0, 0])
        surfaces.append((mu[0] / (1 - mu[0]), z[:-1, 0], z[-1, 0]))
    return x[centres], gamma, surfaces


def surface_classes(model, new):
    centres, gamma, surfaces = model
    k = kernel(new, centres, gamma)
    away = [((k @ u - offset) ** 2) / (u @ u) for _, u, offset in surfaces]
    return np.where(away[0] <= away[1], 1, -1)


def regec(args):
    out = []
    for name, gamma, delta in (("ida_banana", 5.0, 1e-5), ("ida_twonorm", 0.05, 1e-3)):
        x, new, y, new_y = parted(*read(name), 2000)
        with tempfile.TemporaryDirectory() as folder:
            own = Own(folder, x, y, new, new_y)
            ours, theirs = [], []
            for _ in range(args.repeats):
                ours.append(own.fit("regec", "--gamma", gamma, "--delta", delta)["seconds"])
                seconds, model = clock(lambda: numpy_regec(x, y, gamma, delta))
                theirs.append(seconds)
            mine = own.facts()["quotients"]
            classes = own.facts()["classes"].split(", ")
            mine = [mine[classes.index(name)] for name in ("1", "-1")]
            apart = max(abs(a / b[0] - 1) for a, b in zip(mine, model[2]))
            right = np.mean(surface_classes(model, new) == new_y)
            out.append([name, 2000, f"{median(ours):.3f}", f"{median(theirs):.3f}", f"{median(theirs) / median(ours):.1f}",
                        f"{100 * own.accuracy():.2f}", f"{100 * right:.2f}", f"{apart:.0e}"])
    print(table(["set", "rows", "ours, s", "NumPy + eigh, s", "ratio", "ours, %", "NumPy, %", "quotients apart"], out), flush=True)


# ------------------------------------------------------------------------------------ CReGEC
def scipy_cregec(x, y, gamma, delta):
    """The same selection with cached kernel columns and two calls of eigh a candidate."""
    n = len(y)
    groups = [np.flatnonzero(y == 1), np.flatnonzero(y != 1)]
    groups = [rows[np.lexsort([x[rows, f] for f in range(x.shape[1])])] for rows in groups]
    is_first = y == 1
    chunk = [groups[0][0], groups[1][0]]
    columns = [kernel(x, x[[row]], gamma)[:, 0] for row in chunk]
    best, tried = 0, 0

    def surfaces(rows, k):
        full = np.hstack([k, -np.ones((len(rows), 1))])
        own = is_first[rows]
        g, h = full[own], full[~own]
        gram, other = g.T @ g, h.T @ h
        a = gram + delta * np.diag(np.diag(other))
        b = other + delta * np.diag(np.diag(gram))
        s = a + b
        return [scipy.linalg.eigh(m, s, subset_by_index=[0, 0], check_finite=False)[1][:, 0] for m in (a, b)]

    def right(zs, values, truth):
        away = [np.abs(values @ z[:-1] - z[-1]) / np.linalg.norm(z[:-1]) for z in zs]
        return (away[0] <= away[1]) == truth

    for k in range(1, max(map(len, groups))):
        for rows in groups:
            if k >= len(rows) or best == n:
                continue
            tried += 1
            row = rows[k]
            cached = np.column_stack(columns)
            small = cached[chunk + [row]]
            last = np.append(cached[row], 1.0)
            zs = surfaces(chunk + [row], np.column_stack([small, last]))
            if not right(zs, np.column_stack([small, last])[:-1], is_first[chunk]).all():
                continue
            column = kernel(x, x[[row]], gamma)[:, 0]
            score = int(right(zs, np.column_stack([cached, column]), is_first).sum())
            if score > best:
                best = score
                chunk.append(row)
                columns.append(column)
    return chunk, tried


def cregec(args):
    out = []
    for name, count, gamma, delta in (("ida_german", 700, 0.1, 1e-3), ("waveform", 5000, 1 / 150, 1e-3)):
        x, y = read(name)
        x, y = x[:count], y[:count]
        if name == "waveform":
            x = standardised(x, x)
        with tempfile.TemporaryDirectory() as folder:
            own = Own(folder, x, y)
            ours, theirs = [], []
            for _ in range(args.repeats):
                facts = own.fit("cregec", "--gamma", repr(gamma), "--delta", delta, "--updatable", 0)
                ours.append(facts["seconds"])
            for _ in range(min(args.repeats, 2)):
                seconds, (chunk, tried) = clock(lambda: scipy_cregec(x, y, gamma, delta))
                theirs.append(seconds)
            mine = own.facts()["chunk_rows"]
            same = sorted(int(row) + 1 for row in chunk) == mine
            out.append([name, len(y), len(mine), "yes" if same else "no", f"{facts['iterations'] / median(ours):,.0f}",
                        f"{tried / median(theirs):,.0f}", f"{median(theirs) / median(ours):.1f}"])
    print(table(["set", "rows", "kept", "same rows", "ours, candidates/s", "SciPy, candidates/s", "ratio"], out), flush=True)


# -------------------------------------------------------------------------------------- KFDA
def scipy_kfda(x, y, gamma, ridge):
    first = y == 1
    k = kernel(x, x, gamma)
    means = [k[:, first].mean(axis=1), k[:, ~first].mean(axis=1)]
    w = k @ k
    for rows, mean in zip((first, ~first), means):
        w -= rows.sum() * np.outer(mean, mean)
    w[np.diag_indices_from(w)] += ridge
    alpha = scipy.linalg.cho_solve(scipy.linalg.cho_factor(w, overwrite_a=True, check_finite=False), means[0] - means[1])
    cut = alpha @ (means[0] + means[1]) / 2
    return x, gamma, alpha, cut


def kfda(args):
    out = []
    for name, gamma in (("ida_banana", 5.0), ("ida_twonorm", 0.05)):
        x, new, y, new_y = parted(*read(name), 4000)
        with tempfile.TemporaryDirectory() as folder:
            own = Own(folder, x, y, new, new_y)
            ours, theirs = [], []
            for _ in range(min(args.repeats, 3)):
                ours.append(own.fit("kfda", "--gamma", gamma, "--ridge", 0.1)["seconds"])
                seconds, (rows, _, alpha, cut) = clock(lambda: scipy_kfda(x, y, gamma, 0.1))
                theirs.append(seconds)
            right = np.mean(np.where(kernel(new, rows, gamma) @ alpha > cut, 1, -1) == new_y)
            out.append([name, 4000, f"{median(ours):.2f}", f"{median(theirs):.2f}", f"{median(theirs) / median(ours):.2f}",
                        f"{100 * own.accuracy():.2f}", f"{100 * right:.2f}"])
    print(table(["set", "rows", "ours, s", "SciPy, s", "ratio", "ours, %", "SciPy, %"], out), flush=True)


# ----------------------------------------------------------------------------------- reduced
def reduced(args):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    x, y = read("covtype")
    x, new, y, new_y = parted(x, y, 100_000)
    new, new_y = new[:20_000], new_y[:20_000]
    x, new = standardised(x, x), standardised(x, new)
    # The mean squared distance of rows; of standardised columns twice their number.
    gamma = 1 / (2 * int(np.count_nonzero(x.std(axis=0))))
    ways = {
        # Penalised as the whitened features of Nystroem would be; of that and the plain ridge, 1e-3 to 1e-9 each, this was best on 20,000 of the
        # training rows after a fit to the others.
        "KFDA, ours": ("kfda", "--centres", "random", "--centre-count", 1000, "--gamma", repr(gamma), "--penalty", "rkhs"),
        "ReGEC, ours": ("regec", "--centres", "random", "--centre-count", 1000, "--gamma", repr(gamma)),
    }
    peers = {
        "Nystroem + LDA (svd)": lambda: make_pipeline(Nystroem(gamma=gamma, n_components=1000, random_state=0), LinearDiscriminantAnalysis()),
        "Nystroem + LDA (lsqr)": lambda: make_pipeline(
            Nystroem(gamma=gamma, n_components=1000, random_state=0), LinearDiscriminantAnalysis(solver="lsqr")),
    }
    out = []
    with tempfile.TemporaryDirectory() as folder:
        own = Own(folder, x, y, new, new_y)
        seconds, right = {}, {}
        for _ in range(min(args.repeats, args.reduced_repeats)):
            for way, options in ways.items():
                seconds.setdefault(way, []).append(own.fit(*options)["seconds"])
                right[way] = own.accuracy()
            for way, make in peers.items():
                took, model = clock(lambda: make().fit(x, y))
                seconds.setdefault(way, []).append(took)
                right[way] = model.score(new, new_y)
        least = min(median(seconds[way]) for way in peers)
        for way, found in seconds.items():
            out.append([way, f"{median(found):.2f}", f"{least / median(found):.1f}", f"{100 * right[way]:.2f}"])
    print(table(["covtype, class 2 or not, 100,000 rows", "s", "quickest peer / this", "accuracy on 20,000 rows, %"], out), flush=True)


# ------------------------------------------------------------------------------------ update
def update(args):
    x, new, y, new_y = parted(*read("covtype"), 20_000)
    x, new = standardised(x, x), standardised(x, new[:11_000])
    gamma = repr(1 / (2 * int(np.count_nonzero(x.std(axis=0)))))
    with tempfile.TemporaryDirectory() as folder:
        own = Own(folder, np.vstack([x, new[:1000]]), np.concatenate([y, new_y[:1000]]), new[1000:], new_y[1000:11_000])
        anew, updated = [], []
        for _ in range(min(args.repeats, 3)):
            anew.append(own.fit("cregec", "--order", "shuffled", "--gamma", gamma)["seconds"])
        right = own.accuracy()
        own.write("train", x, y)
        own.write("more", new[:1000], new_y[:1000])
        own.fit("cregec", "--order", "shuffled", "--gamma", gamma)
        for _ in range(min(args.repeats, 3)):
            facts = run([hedgerow(), "update", "--add", own.folder / "more", "--format", "csv", own.folder / "model", own.folder / "later",
                         "--threads", 1, "--json", "--quiet"], threads=1).json()
            updated.append(facts["seconds"])
        os.replace(own.folder / "later", own.folder / "model")
        row = [f"{median(anew):.2f}", f"{median(updated):.3f}", f"{median(anew) / median(updated):.1f}", f"{100 * right:.2f}", f"{100 * own.accuracy():.2f}"]
    print(table(["selection from 21,000 rows, s", "1,000 more after 20,000, s", "ratio", "selected anew, %", "updated, %"], [row]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"regec": regec, "cregec": cregec, "kfda": kfda, "reduced": reduced, "update": update}
    parser.add_argument("parts", nargs="*", default=list(parts))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--reduced-repeats", type=int, default=1)
    args = parser.parse_args()
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}")
    for part in args.parts:
        parts[part](args)


if __name__ == "__main__":
    main()
