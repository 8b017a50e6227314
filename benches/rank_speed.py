#!/usr/bin/env python3
"""The loss over all pairs and the path of RankRC beside the same in NumPy, one thread each, in turn.

    python benches/rank_speed.py                    # build first: cargo build --release -p hedgerow --examples
    python benches/rank_speed.py --rows 109189 --basis 788

Loss: value with gradient, and a Hessian product, on 10^6 normal scores (NumPy: argsort, cumsum, searchsorted, bincount).
Path: 16 values of lambda on generated rows, kernel values and eigenvectors included (NumPy: the whitened rectangle, a trust region in
the plane of gradient and truncated Newton step, warm starts from the largest lambda on, the stopping rules of ours).
"""

import argparse
import os
import re
import subprocess
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

from common import table, target  # noqa: E402

EPSILON = 0.5


class Pairs:
    """Smoothed hinge over all pairs of a positive and a negative score."""

    def __init__(self, positive):
        self.p, self.n = np.flatnonzero(positive), np.flatnonzero(~positive)

    def evaluate(self, o):
        o = o - o.mean()
        order = np.argsort(o[self.n])
        self.sorted = self.n[order]
        v, p, q = o[self.sorted], o[self.p], len(self.n)
        s1, s2 = (np.concatenate([[0.0], np.cumsum(a)]) for a in (v, v * v))
        a, b = np.searchsorted(v, p - 1, "right"), np.searchsorted(v, p - (1 - 2 * EPSILON), "right")
        c, nq, nl = 1 - p, b - a, q - b
        d1, d2 = s1[b] - s1[a], s2[b] - s2[a]
        value = np.sum(nl * (1 - EPSILON - p) + s1[q] - s1[b] + (nq * c * c + 2 * c * d1 + d2) / (4 * EPSILON))
        slopes = np.empty(len(o))
        slopes[self.p] = -nl - (nq * c + d1) / (2 * EPSILON)
        count = lambda at, w=None: np.bincount(at, w, q + 1)[:q]  # noqa: E731
        inside = np.cumsum(count(a) - count(b))
        total = np.cumsum(count(a, c) - count(b, c))
        slopes[self.sorted] = np.cumsum(count(b)) + (total + inside * v) / (2 * EPSILON)
        self.a, self.b, self.nq, self.inside = a, b, nq, inside
        return value, slopes

    def curve(self, u):
        q = len(self.n)
        own = u[self.sorted]
        sums = np.concatenate([[0.0], np.cumsum(own)])
        out = np.empty(len(u))
        out[self.p] = (self.nq * u[self.p] - (sums[self.b] - sums[self.a])) / (2 * EPSILON)
        count = lambda at: np.bincount(at, u[self.p], q + 1)[:q]  # noqa: E731
        out[self.sorted] = (self.inside * own - np.cumsum(count(self.a) - count(self.b))) / (2 * EPSILON)
        return out


def plane_step(g, h, radius):
    """Minimiser of a quadratic in one or two variables within a circle."""
    values, vectors = np.linalg.eigh(h)
    c = vectors.T @ g
    step = lambda nu: -c / (values + nu)  # noqa: E731
    if values[0] > 0 and np.linalg.norm(step(0.0)) <= radius:
        return vectors @ step(0.0)
    low, high = max(0.0, -values[0]) + 1e-15, np.linalg.norm(g) / radius + np.abs(values).max()
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.linalg.norm(step(middle)) > radius else (low, middle)
    return vectors @ step(high)


def minimise(x, pairs, n_pairs, lam, w, tolerance=1e-6):
    """Subspace trust region; the products with the rows that it took."""
    def value(w):
        loss, slopes = pairs.evaluate(x @ w)
        return loss / n_pairs + 0.5 * lam * w @ w, x.T @ slopes / n_pairs + lam * w

    f, g = value(w)
    radius, products = max(1.0, np.linalg.norm(w)), 1
    for _ in range(400):
        if np.abs(g).max() <= tolerance:
            break
        hess = lambda s: x.T @ pairs.curve(x @ s) / n_pairs + lam * s  # noqa: E731
        s, r = np.zeros_like(w), -g
        d, rr = r.copy(), r @ r
        goal = 0.01 * rr
        for _ in range(25):
            hd = hess(d)
            products += 1
            step = rr / (d @ hd)
            s, r = s + step * d, r - step * hd
            new = r @ r
            if new <= goal:
                break
            d, rr = r + new / rr * d, new
        basis = np.linalg.qr(np.stack([s, g], axis=1))[0]
        hb = np.stack([hess(basis[:, k]) for k in range(basis.shape[1])], axis=1)
        products += basis.shape[1]
        y = plane_step(basis.T @ g, basis.T @ hb, radius)
        predicted = g @ (basis @ y) + 0.5 * y @ (basis.T @ hb) @ y
        trial = w + basis @ y
        keep = (pairs.a, pairs.b, pairs.nq, pairs.inside, pairs.sorted)
        fn, gn = value(trial)
        products += 1
        ratio, length = (fn - f) / predicted, np.linalg.norm(y)
        done = ratio > 0.25 and length < 0.9 * radius and abs(fn - f) <= tolerance * (1 + abs(f))
        if ratio >= 0.75 and length >= 0.9 * radius:
            radius *= 2
        elif ratio <= 0.25:
            radius = min(length, radius) / 4
        if fn < f:
            w, f, g = trial, fn, gn
        else:
            pairs.a, pairs.b, pairs.nq, pairs.inside, pairs.sorted = keep
        if done:
            break
    return w, f, products


def numpy_path(rows, basis, seed=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 40)).astype(np.float64)
    clump, feature = np.arange(basis) % 7, np.arange(40) % 7
    x[:basis] += 1.5 * (clump[:, None] == feature[None])
    positive = np.arange(rows) < basis
    start = time.perf_counter()
    width = 2 * x.var(axis=0).sum()
    xb = x[:basis]
    squared = (x ** 2).sum(1)[:, None] + (xb ** 2).sum(1)[None] - 2 * x @ xb.T
    kernel = np.exp(-np.maximum(squared, 0) / width)
    values, vectors = np.linalg.eigh(kernel[:basis])
    counts = values > 1e-10 * values[-1]
    rectangle = kernel @ (vectors[:, counts] / np.sqrt(values[counts]))
    pairs, w = Pairs(positive), np.zeros(counts.sum())
    products, objectives = 0, []
    for exponent in range(10, -21, -2):
        w, f, used = minimise(rectangle, pairs, basis * (rows - basis), 2.0 ** exponent, w)
        products += used
        objectives.append(f)
    return time.perf_counter() - start, products, objectives


def numpy_losses(share):
    rng = np.random.default_rng(1)
    positive = rng.random(1_000_000) < share
    scores = positive + rng.normal(size=1_000_000)
    pairs, best = Pairs(positive), [np.inf, np.inf]
    for _ in range(3):
        for k, work in enumerate((pairs.evaluate, pairs.curve)):
            start = time.perf_counter()
            work(scores)
            best[k] = min(best[k], time.perf_counter() - start)
    return [1e3 * b for b in best]


def ours(rows, basis):
    out = subprocess.run([target() / "examples" / "rank_speed", str(rows), str(basis)], capture_output=True, text=True, check=True).stdout
    losses = {float(m[0]): (float(m[1]), float(m[2])) for m in re.findall(
        r"2 levels, ([\d.]+) above the lowest: value and gradient ([\d.]+) ms, Hessian product ([\d.]+) ms", out)}
    path = float(re.search(r"values of λ together: ([\d.]+) s", out)[1])
    return losses, path, out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=109_189)
    parser.add_argument("--basis", type=int, default=788)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    shares = (0.001, 0.01, 0.1, 0.5)
    mine, theirs = {s: [] for s in shares}, {s: [] for s in shares}
    path_ours, path_numpy = [], []
    for turn in range(args.repeats):
        losses, path, _ = ours(args.rows, args.basis)
        path_ours.append(path)
        for s in shares:
            mine[s].append(losses[s])
            theirs[s].append(numpy_losses(s))
        if turn == 0:
            seconds, products, objectives = numpy_path(args.rows, args.basis)
            path_numpy.append(seconds)
    rows = []
    for s in shares:
        for k, what in enumerate(("value and gradient", "Hessian product")):
            x, y = min(m[k] for m in mine[s]), min(t[k] for t in theirs[s])
            rows.append([f"10^6 scores, {s:g} positive", what, f"{x:.2f} ms", f"{y:.1f} ms", f"{y / x:.1f}"])
    x, y = min(path_ours), min(path_numpy)
    rows.append([f"path, {args.rows:,} x {args.basis}", "16 values of lambda", f"{x:.2f} s", f"{y:.1f} s", f"{y / x:.1f}"])
    print(table(["what", "", "ours", f"NumPy {np.__version__}", "ratio"], rows))
    print(f"NumPy's path: {products} products with the rectangle; objective at the smallest lambda {objectives[-1]:.9f}")


if __name__ == "__main__":
    main()
