#!/usr/bin/env python3
"""Make the benchmark data: plain LIBSVM text in build/bench-data.

    python benches/prepare.py                  # everything whose source file is there
    python benches/prepare.py ijcnn1 letter    # only these
    python benches/prepare.py --list

The sources are the gzipped public sets in the folder HEDGEROW_DATA (default: ../shared/data beside the
repository). A set whose source is missing is skipped with a message. Files that exist are kept unless
--force is given. Everything is deterministic: random row choices have fixed seeds.

Columns are scaled with the range of the *training* rows and the same map is applied to the test rows.
"""

import argparse
import csv
import gzip
import itertools
import os
import sys
from pathlib import Path

import numpy as np

from common import CACHE, ROOT

SOURCE = Path(os.environ.get("HEDGEROW_DATA", ROOT.parent / "shared" / "data"))
SEED = 20240501


# ---------------------------------------------------------------------------------- reading
def source(name):
    path = SOURCE / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing (set HEDGEROW_DATA to the folder of the data sets)")
    return path


def read_lines(name):
    with gzip.open(source(name), "rt") as f:
        return f.read().splitlines()


def read_csv(name):
    """Header, rows of text cells."""
    rows = list(csv.reader(read_lines(name)))
    return rows[0], rows[1:]


def numeric(name):
    """A CSV whose columns are numbers and whose last column is the label (kept as text)."""
    _, rows = read_csv(name)
    return np.array([[float(v) for v in r[:-1]] for r in rows]), [r[-1] for r in rows]


def read_svm(name, columns, rows=None):
    """LIBSVM text (its first `rows` lines) as a dense matrix."""
    with gzip.open(source(name), "rt") as f:
        lines = list(itertools.islice(f, rows))
    x, y = np.zeros((len(lines), columns)), np.zeros(len(lines))
    for i, line in enumerate(lines):
        label, *pairs = line.split()
        y[i] = float(label)
        for p in pairs:
            k, v = p.split(":")
            x[i, int(k) - 1] = float(v)
    return x, y


# ---------------------------------------------------------------------------------- shaping
def to_range(train, test, low, high):
    """Map each training column to [low, high]; a constant column becomes `low`."""
    lo, span = train.min(0), np.ptp(train, axis=0)
    span[span == 0] = 1
    return tuple(low + (high - low) * (v - lo) / span for v in (train, test))


def standardise(train, test):
    mean, sd = train.mean(0), train.std(0)
    sd[sd == 0] = 1
    return (train - mean) / sd, (test - mean) / sd


def numbers(*labels):
    """Text classes to 1, 2, … in alphabetical order (numeric order if they are numbers), the same in all parts."""
    names = sorted({v for part in labels for v in part}, key=lambda v: (0, float(v), "") if number(v) else (1, 0, v))
    code = {v: k + 1 for k, v in enumerate(names)}
    return [np.array([code[v] for v in part], float) for part in labels]


def number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def split(x, y, tests, seed=SEED):
    order = np.random.default_rng(seed).permutation(len(y))
    a, b = order[tests:], order[:tests]
    return x[a], y[a], x[b], y[b]


# ---------------------------------------------------------------------------------- writing
def write(name, x, y, digits=9):
    """Atomically, so that an interrupted run leaves no half file."""
    path = CACHE / name
    part = path.with_suffix(path.suffix + ".part")
    fmt = f"%d:%.{digits}g"
    with open(part, "w") as f:
        for label, row in zip(y.tolist(), x):
            at = np.flatnonzero(row)
            f.write(" ".join([f"{label:.9g}", *(fmt % p for p in zip((at + 1).tolist(), row[at].tolist()))]) + "\n")
    part.replace(path)


def pair(name, x, y, xt, yt, digits=9):
    write(f"{name}.train", x, y, digits)
    write(f"{name}.test", xt, yt, digits)


def copy_text(name, of):
    for part in ("train", "test"):
        (CACHE / f"{name}.{part}").write_text("\n".join(read_lines(f"{of}.{part}.svm.gz")) + "\n")


# ---------------------------------------------------------------------------------- the sets
SETS = {}          # name -> (maker, files it leaves)


def makes(*names):
    def add(fn):
        files = [f"{n}.{part}" for n in names for part in ("train", "test")]
        for n in names:
            SETS[n] = (fn, files)
        return fn
    return add


@makes("ijcnn1")
def _():
    copy_text("ijcnn1", "ijcnn1")


@makes("a9a")
def _():
    copy_text("a9a", "a9a")


@makes("a1a")
def _():
    copy_text("a1a", "a1a")


@makes("covtype20k", "covtype50k", "local")
def _():
    """Class 2 against the rest; columns to [0, 1]. The 20k rows are the first of the 50k, one test part for both.
    `local` holds 1,000 rows as a neighbourhood model sees them: the nearest to one training row, both classes present."""
    lines = read_lines("covtype.csv.gz")[1:]
    order = np.random.default_rng(SEED).permutation(len(lines))[:60_000]
    cells = np.array([lines[i].split(",") for i in order], float)
    x, y = cells[:, :-1], np.where(cells[:, -1] == 2, 1.0, -1.0)
    x, xt = to_range(x[:50_000], x[50_000:], 0, 1)
    y, yt = y[:50_000], y[50_000:]
    pair("covtype50k", x, y, xt, yt)
    pair("covtype20k", x[:20_000], y[:20_000], xt, yt)
    for centre in range(len(y)):
        near = np.argsort(((x - x[centre]) ** 2).sum(1), kind="stable")[:1_000]
        if .3 < (y[near] > 0).mean() < .7:
            break
    pair("local", x[near], y[near], xt[:1_000], yt[:1_000])


@makes("usps")
def _():
    (x, y), (xt, yt) = numeric("usps.train.csv.gz"), numeric("usps.test.csv.gz")
    pair("usps", x, np.array(y, float), xt, np.array(yt, float))


@makes("mnist10k")
def _():
    """The first 10,000 training rows and the whole test part, values / 255."""
    x, y = read_svm("mnist.train.svm.gz", 784, 10_000)
    xt, yt = read_svm("mnist.test.svm.gz", 784)
    pair("mnist10k", x / 255, y, xt / 255, yt)


@makes("letter", "letter_raw")
def _():
    (x, y), (xt, yt) = numeric("letter.train.csv.gz"), numeric("letter.test.csv.gz")
    y, yt = numbers(y, yt)
    pair("letter_raw", x, y, xt, yt)
    pair("letter", *_scaled(x, y, xt, yt))


@makes("satimage", "satimage_raw")
def _():
    (x, y), (xt, yt) = numeric("satimage.train.csv.gz"), numeric("satimage.test.csv.gz")
    y, yt = numbers(y, yt)
    pair("satimage_raw", x, y, xt, yt)
    pair("satimage", *_scaled(x, y, xt, yt))


def _scaled(x, y, xt, yt):
    x, xt = to_range(x, xt, -1, 1)
    return x, y, xt, yt


@makes("dna")
def _():
    (x, y), (xt, yt) = numeric("dna.train.csv.gz"), numeric("dna.test.csv.gz")
    y, yt = numbers(y, yt)
    pair("dna", x, y, xt, yt)


@makes("splice")
def _():
    (x, y), (xt, yt) = numeric("splice.train.csv.gz"), numeric("splice.test.csv.gz")
    pair("splice", x, np.array(y, float), xt, np.array(yt, float))


@makes("svmguide1", "svmguide1_raw", "svmguide1_far", "svmguide1_near")
def _():
    """raw: as it comes. Plain: columns to [-1, 1]. near: columns to [0, 1], rounded to 9 decimals. far: near + 1e6,
    written with all digits; an RBF kernel does not see the shift, so far must give what near gives."""
    (x, y), (xt, yt) = numeric("svmguide1.train.csv.gz"), numeric("svmguide1.test.csv.gz")
    y, yt = np.array(y, float), np.array(yt, float)
    pair("svmguide1_raw", x, y, xt, yt)
    pair("svmguide1", *_scaled(x, y, xt, yt))
    x, xt = (np.round(v, 9) for v in to_range(x, xt, 0, 1))
    pair("svmguide1_near", x, y, xt, yt, 17)
    pair("svmguide1_far", x + 1e6, y, xt + 1e6, yt, 17)


# Regression: the target is standardised too, so that one epsilon suits all three sets.
def _regression(name, x, y, tests):
    x, y, xt, yt = split(x, y, tests)
    mean, sd = y.mean(), y.std()
    x, xt = standardise(x, xt)
    pair(name, x, np.round((y - mean) / sd, 9), xt, np.round((yt - mean) / sd, 9))


@makes("abalone")
def _():
    """Rings as the target; `sex` as three 0/1 columns."""
    _, rows = read_csv("abalone.csv.gz")
    kinds = sorted({r[0] for r in rows})
    x = np.array([[float(r[0] == k) for k in kinds] + [float(v) for v in r[1:-1]] for r in rows])
    _regression("abalone", x, np.array([float(r[-1]) for r in rows]), 1_000)


@makes("winequality_white")
def _():
    x, y = numeric("winequality_white.csv.gz")
    _regression("winequality_white", x, np.array(y, float), 1_200)


@makes("communities_crime")
def _():
    """Columns known for fewer than half of the rows are left out; the one remaining gap gets its column's median."""
    _, rows = read_csv("communities_crime.csv.gz")
    cells = np.array([[float(v) if v not in ("", "?") else np.nan for v in r] for r in rows])
    x, y = cells[:, :-1], cells[:, -1]
    x = x[:, np.isnan(x).mean(0) < .5]
    x = np.where(np.isnan(x), np.nanmedian(x, axis=0), x)
    _regression("communities_crime", x, y, 500)


# ---------------------------------------------------------------------------------- command line
def ensure(names, force=False, log=print):
    """Make what is missing; return the names that are ready."""
    CACHE.mkdir(parents=True, exist_ok=True)
    ready, done = [], set()
    for name in names:
        maker, files = SETS[name]
        if not force or maker in done:
            if all((CACHE / f).exists() for f in files):
                ready.append(name)
                continue
        try:
            log(f"{name}: making {', '.join(files)}")
            maker()
            done.add(maker)
            ready.append(name)
        except FileNotFoundError as e:
            log(f"{name}: skipped, {e}")
    return ready


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sets", nargs="*", help="default: all")
    p.add_argument("--force", action="store_true", help="make again what exists")
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    if a.list:
        print("\n".join(SETS))
        return 0
    unknown = [s for s in a.sets if s not in SETS]
    if unknown:
        p.error(f"unknown set {', '.join(unknown)}; known: {', '.join(SETS)}")
    names = a.sets or list(SETS)
    ready = ensure(names, a.force, lambda m: print(m, file=sys.stderr))
    print(f"{len(ready)} of {len(names)} sets ready in {CACHE}")
    return 0 if ready else 1


if __name__ == "__main__":
    sys.exit(main())
