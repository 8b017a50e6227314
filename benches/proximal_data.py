"""Sets that the scripts on proximal classifiers read: arrays with the labels 1 and -1."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT.parent / "shared" / "data"))

# The class that is 1, where the file has other names; all others are -1.
POSITIVE = {"waveform": "1", "new_thyroid": "1", "heart": "present", "covtype": "2", "splice": "1", "ida_flare_solar": "1"}


def lines_of(name):
    """Header and lines, those of the training file first."""
    files = [DATA / f"{name}.csv.gz"]
    if not files[0].exists():
        files = [DATA / f"{name}.train.csv.gz", DATA / f"{name}.test.csv.gz"]
    lines = []
    for file in files:
        with gzip.open(file, "rt") as text:
            header, *more = csv.reader(text)
            lines += more
    return header, lines


def read(name):
    """Numbers and labels; the label stands in the last column. ``name:class`` tells which class is 1."""
    name, _, positive = name.partition(":")
    _, lines = lines_of(name)
    x = np.array([line[:-1] for line in lines], dtype=float)
    positive = positive or POSITIVE.get(name, "1")
    y = np.array([1 if line[-1] in (positive, f"{positive}.0") else -1 for line in lines])
    if not 0 < (y == 1).sum() < len(y):
        raise ValueError(f"{name}: no two classes")
    return x, y


def splits(name, count=None):
    """Rows of the training part of every split."""
    name = name.partition(":")[0]
    with gzip.open(DATA / "ida_splits.csv.gz", "rt") as text:
        found = [row[2] for row in csv.reader(text) if row[0] == name]
    return [np.array(rows.split(), dtype=int) for rows in found[:count]]


def standardised(by, x):
    """Columns less the mean and over the deviation that those of ``by`` have; constant ones 0."""
    mean, deviation = by.mean(axis=0), by.std(axis=0)
    return np.where(deviation > 0, (x - mean) / np.where(deviation > 0, deviation, 1), 0.0)
