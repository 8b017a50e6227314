#!/usr/bin/env python3
"""Data of the benchmark of local kernel machines: LIBSVM text and dense arrays in build/bench-data.

    python benches/local_data.py                        # the sets of local_machines.py
    python benches/local_data.py covtype100k ijcnn1unit
    python benches/local_data.py --scaling              # the generated sets of 10^5 to 3*10^6 rows too

Every set NAME gives NAME.train and NAME.test (LIBSVM text, for the programs) and NAME.train.npz and NAME.test.npz (dense
32-bit arrays `x` and labels `y`, for peers used from Python). Labels are +1 and -1. Columns are mapped to [0, 1] by the
range of the training rows, a constant column to 0; the test rows get the same map and may leave [0, 1].

Nominal columns become one 0/1 column a value, because their codes have no order and every method here, except the trees,
measures distances. A value that only the test part has is all zeros.
"""

import argparse
import csv
import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np

import common
import prepare
from common import CACHE
from prepare import SEED, makes, read_lines, source, to_range

SCALING_ROWS = (100_000, 300_000, 1_000_000, 3_000_000)


# ---------------------------------------------------------------------------------- writing
def save(name, x, y, xt, yt):
    """Both parts in both forms. The arrays hold what the text says, rounded once more to 32 bits."""
    for part, (data, labels) in {"train": (x, y), "test": (xt, yt)}.items():
        prepare.write(f"{name}.{part}", data, labels, 7)
        half = CACHE / f"{name}.{part}.half.npz"
        np.savez(half, x=data.astype(np.float32), y=labels.astype(np.float32))
        half.replace(CACHE / f"{name}.{part}.npz")


def scaled(name, x, y, xt, yt):
    save(name, *(v[k] for v, k in zip((to_range(x, xt, 0, 1), (y, yt), to_range(x, xt, 0, 1), (y, yt)), (0, 0, 1, 1))))


def sets(*names):
    """As prepare.makes; the arrays are files of the set too."""
    def add(fn):
        makes(*names)(fn)
        for n in names:
            files = [f"{m}.{part}{form}" for m in names for part in ("train", "test") for form in ("", ".npz")]
            prepare.SETS[n] = (fn, files)
        return fn
    return add


# ---------------------------------------------------------------------------------- public sets
@sets("covtype100k", "covtype570k")
def _():
    """Class 2 against the rest. One random order of all rows: the first 100,000 train the one set and all others test it;
    all but the last 10,000 train the other set and those test it."""
    lines = read_lines("covtype.csv.gz")[1:]
    cells = np.loadtxt(lines, delimiter=",", dtype=np.float64)
    order = np.random.default_rng(SEED).permutation(len(cells))
    x, y = cells[order, :-1], np.where(cells[order, -1] == 2, 1.0, -1.0)
    for name, rows in (("covtype100k", 100_000), ("covtype570k", len(y) - 10_000)):
        scaled(name, x[:rows], y[:rows], x[rows:], y[rows:])


@sets("ijcnn1unit")
def _():
    """The official split. Its publisher scaled the columns to [-1, 1], and prepare.py keeps them so under the plain name."""
    (x, y), (xt, yt) = (prepare.read_svm(f"ijcnn1.{part}.svm.gz", 22) for part in ("train", "test"))
    scaled("ijcnn1unit", x, y, xt, yt)


def columns_of(rows, names, nominal, missing=("?", "")):
    """The coder of a table with nominal columns, made from the training rows: a function from rows to a matrix."""
    values = {k: sorted({r[k] for r in rows} - set(missing)) for k, n in enumerate(names) if n in nominal}

    def coder(part):
        blocks = []
        for k in range(len(names)):
            column = [r[k] for r in part]
            if k in values:
                at = {v: j for j, v in enumerate(values[k])}
                block = np.zeros((len(part), len(at)), np.float32)
                for i, v in enumerate(column):
                    if v in at:
                        block[i, at[v]] = 1
            else:
                block = np.array(column, np.float64)[:, None]
            blocks.append(block)
        return np.hstack(blocks)
    return coder


def table_of(name):
    """Names of the columns without the last, rows without the last cell, last cells."""
    with gzip.open(source(name), "rt", newline="") as f:
        head, *rows = csv.reader(f)
    return head[:-1], [r[:-1] for r in rows], [r[-1] for r in rows]


CENSUS_NUMBERS = {"age", "wage_per_hour", "capital_gains", "capital_losses", "dividends", "num_persons_employer", "weeks_worked"}


@sets("census_income")
def _():
    """The official split. `instance_weight` is a sampling weight and is left out: 7 numbers, 33 nominal columns (the codes
    of industry, occupation, own business, benefits and year among them)."""
    head, rows, y = table_of("census_income.train.csv.gz")
    _, test_rows, yt = table_of("census_income.test.csv.gz")
    keep = [k for k, n in enumerate(head) if n != "instance_weight"]
    names = [head[k] for k in keep]
    rows, test_rows = ([[r[k] for k in keep] for r in part] for part in (rows, test_rows))
    coder = columns_of(rows, names, set(names) - CENSUS_NUMBERS)
    scaled("census_income", coder(rows), np.array(y, float), coder(test_rows), np.array(yt, float))


@sets("kddcup99")
def _():
    """Normal (+1) against attack; the 10 % training file cut 75 : 25 within each of the two classes. Its own test part holds
    attacks that training never shows, so that it measures something else."""
    head, rows, labels = table_of("kddcup99_10pct.train.csv.gz")
    y = np.where(np.array(labels) == "normal", 1.0, -1.0)
    random, take = np.random.default_rng(SEED), np.zeros(len(y), bool)
    for label in (1.0, -1.0):
        mine = random.permutation(np.flatnonzero(y == label))
        take[mine[:round(.75 * len(mine))]] = True
    train, test = (random.permutation(np.flatnonzero(t)) for t in (take, ~take))
    picked, others = ([rows[i] for i in part] for part in (train, test))
    coder = columns_of(picked, head, {"protocol_type", "service", "flag"})
    scaled("kddcup99", coder(picked), y[train], coder(others), y[test])


# ---------------------------------------------------------------------------------- generated sets
# name: generator, rows, seed of the training part; the test parts have 100,000 rows and the next seed
GENERATED = {"spirals": ("noisy-spirals", 100_000, 11), "checker": ("checker-b", 300_000, 21), "ndcc": ("ndcc", 100_000, 31)}


def generated(generator, rows, seed):
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        path = Path(tmp) / "rows"
        r = common.run([common.hedgerow(), "generate", generator, "--rows", rows, "--seed", seed, "--quiet", path])
        if not r.ok:
            raise RuntimeError(f"hedgerow generate {generator}: {r.trouble()}")
        return read_dense(path)


def read_dense(path):
    """LIBSVM text without gaps, as the generators of a few columns write it."""
    from sklearn.datasets import load_svmlight_file
    x, y = load_svmlight_file(str(path))
    return x.toarray(), y


def _generated_set(name):
    def make():
        generator, rows, seed = GENERATED[name]
        x, y = generated(generator, rows, seed)
        xt, yt = generated(generator, 100_000, seed + 1)
        scaled(name, x, y, xt, yt)
    sets(name)(make)


def _generated_at(name, rows):
    """For the growth with the rows: the map to [0, 1] is that of the smallest size, so that one gamma suits all sizes."""
    def make():
        generator, _, seed = GENERATED[name]
        base, _ = generated(generator, SCALING_ROWS[0], seed)
        x, y = generated(generator, rows, seed)
        xt, yt = generated(generator, 100_000, seed + 1)
        _, x = to_range(base, x, 0, 1)
        _, xt = to_range(base, xt, 0, 1)
        save(f"{name}-{rows}", x, y, xt, yt)
    sets(f"{name}-{rows}")(make)


for _name in GENERATED:
    _generated_set(_name)
    for _rows in SCALING_ROWS:
        _generated_at(_name, _rows)

MACHINES = ["covtype100k", "covtype570k", "ijcnn1unit", "census_income", "kddcup99", "spirals", "checker", "ndcc"]
SCALING = [f"{n}-{r}" for n in GENERATED for r in SCALING_ROWS]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sets", nargs="*", help=f"of {', '.join(MACHINES + SCALING)}; default: {', '.join(MACHINES)}")
    p.add_argument("--scaling", action="store_true", help="the generated sets of all sizes too")
    p.add_argument("--force", action="store_true", help="make again what exists")
    a = p.parse_args()
    names = a.sets or MACHINES + SCALING * a.scaling
    unknown = [s for s in names if s not in MACHINES + SCALING]
    if unknown:
        p.error(f"unknown set {', '.join(unknown)}")
    ready = prepare.ensure(names, a.force, lambda m: print(m, file=sys.stderr))
    print(f"{len(ready)} of {len(names)} sets ready in {CACHE}")
    return 0 if ready else 1


if __name__ == "__main__":
    sys.exit(main())
