#!/usr/bin/env python3
"""How far a small basis may lead a ranker astray: the bound by the projected map beside that by the perturbed kernel (figure 4.1).

    python benches/rank_bounds.py [--draws 10] [--sets Page0,Mammograph]

Gaussian kernel as wide as the mean squared distance of the standardised rows, lambda = 1, kappa = 1; all rows. The bound by the projected map counts rows:
rare ones enter the basis first. That by the perturbation takes the largest eigenvalue of K - K', of a random basis, in the mean of some draws (40 in the
publication); with exponent 1/4, as its proof gives it, and 1/2, as printed. K is held in single precision: up to 0.5 GB. For one draw the
program's own bounds (`inspect --bounds --data --all-pairs`) are compared, on the first 1500 rows. Needs scipy. Results are appended to
build/bench-results/rank_bounds.jsonl and not repeated.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

import common
from common import exactly, hedgerow, run, table
from rare_data import SETS, load

FOUR = ["Page0", "Satellite", "Coil", "Mammograph"]


def rows_of(name):
    x, y = load(name)
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def kernel(a, b, width):
    squares = (a ** 2).sum(1)[:, None] + (b ** 2).sum(1)[None] - 2 * a @ b.T
    return np.exp(-np.maximum(squares, 0) / width)


def projected(y, size):
    """With the rare rows first, then others."""
    rare = y.sum()
    inside = min(size, rare), max(size - rare, 0)
    return 2 * np.sqrt((1 - inside[0] / rare) + (1 - inside[1] / (len(y) - rare)))


def norm_of_difference(k, basis, tolerance=1e-3):
    """The largest eigenvalue of K - K_R K_RR^+ K_R'. Repeated rows make K_RR singular: eigenvalues below 1e-10 of the largest count as 0."""
    columns = k[:, basis].astype(np.float64)
    own = columns[basis]
    try:
        factor = cho_factor(own)
        if np.diag(factor[0]).min() < 1e-5:
            raise np.linalg.LinAlgError
        middle = lambda v: cho_solve(factor, v)  # noqa: E731
    except np.linalg.LinAlgError:
        values, vectors = eigh(own)
        kept = values > 1e-10 * values[-1]
        vectors = vectors[:, kept] / np.sqrt(values[kept])
        middle = lambda v: vectors @ (vectors.T @ v)  # noqa: E731

    def product(v):
        v = np.ravel(v)
        return k @ v.astype(np.float32) - columns @ middle(columns.T @ v)

    n = len(k)
    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    return float(eigsh(operator, k=1, which="LA", tol=tolerance, return_eigenvectors=False, v0=np.ones(n), ncv=8)[0])


def perturbation(difference):
    last = 2 * np.sqrt(2) * (1 + (difference / 4) ** 0.25)
    return last * difference ** 0.25, last * difference ** 0.5


def sizes(y):
    rare, n = int(y.sum()), len(y)
    return [5, rare // 4, rare, 2 * rare, 4 * rare, n // 2]


def check(name, seed=0, n=1500):
    """The program's bounds of one draw beside those of this script."""
    x, y = rows_of(name)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(y))[:n])
    x, y = x[chosen], y[chosen]
    width = 2 * x.var(axis=0).sum()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(x.shape[1])])
        frame["class"] = y.astype(int)
        frame.to_csv(folder / "a.csv", index=False)
        words = ["train", "rank-rc", "--basis", "rare", "--lambda", 1, "-g", float(1 / width), folder / "a.csv", folder / "m"]
        for command in (words, ["inspect", "--bounds", "--data", folder / "a.csv", "--all-pairs", folder / "m"]):
            done = run([hedgerow(), *exactly(*command), "--json", "--quiet"])
            if not done.ok:
                raise RuntimeError(done.trouble())
    told = done.json()
    k = kernel(x, x, width)
    difference = norm_of_difference(k, np.flatnonzero(y), 1e-9)
    ours = [told["kernel_difference"], told["perturbation"], told["perturbation_printed"], told["projected_map_printed"]]
    return [name, *(f"{a:.5f} {b:.5f}" for a, b in zip(ours, [difference, *perturbation(difference), projected(y, int(y.sum()))]))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(FOUR))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    store = common.RESULTS / "rank_bounds.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {(r["set"], r["size"], r["draw"]) for r in known}
    for name in args.sets.split(","):
        x, y = rows_of(name)
        todo = [(size, draw) for size in sizes(y) for draw in range(args.draws) if (name, size, draw) not in have]
        if args.report or not todo:
            continue
        k = kernel(x.astype(np.float32), x.astype(np.float32), np.float32(2 * x.var(axis=0).sum()))
        for size, draw in todo:
            basis = np.random.default_rng([size, draw]).permutation(len(y))[:size]
            known.append({"set": name, "size": size, "draw": draw, "difference": norm_of_difference(k, basis)})
            with store.open("a") as f:
                f.write(json.dumps(known[-1]) + "\n")
        print(name, file=sys.stderr, flush=True)
    rows = []
    for name in args.sets.split(","):
        _, y = rows_of(name)
        for size in sizes(y):
            own = np.array([perturbation(r["difference"]) for r in known if (r["set"], r["size"]) == (name, size)])
            if not len(own):
                continue
            cell = lambda v: f"{v.mean():.2f} ± {v.std(ddof=1) if len(v) > 1 else 0:.2f}"  # noqa: E731
            bound = projected(y, size)
            rows.append([name, size, f"{bound:.2f}", f"{bound / np.sqrt(2):.2f}", cell(own[:, 0]), cell(own[:, 1]), len(own)])
    print(table(["set", "basis", "projected map", "tight", "perturbation, exponent 1/4", "1/2, as printed", "draws"], rows))
    if not args.report:
        print("\nthe program beside this script\n" + table(["set", "norm of the difference", "exponent 1/4", "1/2", "projected map"],
                                                           [check(n) for n in args.sets.split(",")]))


if __name__ == "__main__":
    main()
