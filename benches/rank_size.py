#!/usr/bin/env python3
"""RankRC on many rows: seconds, peak memory, and the same answers when kernel values are computed again in blocks.

    python benches/rank_size.py                         # both
    python benches/rank_size.py covtype --limit 300
    python benches/rank_size.py generated --rows 1000000

covtype: class 4 against the rest, 581,012 rows, three quarters of them train (at random), columns standardised. generated: `hedgerow generate
rare-mixture`, 40 columns, a thousandth of the rows positive; trained with the default memory for kernel values (4096 MB) and with 1000 MB; both
models answer 20,000 other rows. One lambda, two threads, kernel functions at the rare rows (--basis). Peak memory is that of the
whole command as the system reports it, rows included. Only the standard library is used, so that the measuring process stays small.
"""

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import common
from common import exactly, hedgerow, run, table

DATA = Path(os.environ.get("HEDGEROW_DATA", common.ROOT.parent / "shared" / "data"))


def program(args, *words):
    done = run([hedgerow(), *exactly(*words), "--json", "--quiet", "--threads", args.threads], limit=args.limit)
    if not done.ok:
        raise RuntimeError(done.trouble())
    return done


def measured(args, label, train, test, folder, *options):
    """Trains and asks; a row of the table, and the scores."""
    try:
        fit = program(args, "train", "rank-rc", "--basis", args.basis, "--lambda", args.lam, *options, train, folder / "model")
    except RuntimeError as trouble:
        print(label, trouble, file=sys.stderr, flush=True)
        return [label, "", "", "", str(trouble)], None
    facts = fit.json()
    asked = program(args, "predict", "--scores", test, folder / "model", folder / "out").json()
    record = {"what": label, "basis": args.basis, "lambda": args.lam, "rows": facts["rows"], "kernels": facts["support_vectors"],
              "seconds": facts["seconds"], "read_seconds": facts["read_seconds"], "cpu": fit.cpu, "peak_mb": fit.peak_mb, "steps": facts["iterations"],
              "objective": facts["objective"], "auc": asked["metrics"]["auc"], "predict_seconds": asked["seconds"], "status": facts["status"]}
    print(record, file=sys.stderr, flush=True)
    with (common.RESULTS / "rank_size.jsonl").open("a") as f:
        f.write(json.dumps(record) + "\n")
    with open(folder / "out") as f:
        scores = [float(v) for v in f.read().split("\n")[1:] if v]
    row = [label, f"{facts['rows']:,} x {facts['support_vectors']:,}", f"{facts['seconds']:.1f}", f"{fit.peak_mb / 1024:.2f} GB",
           f"{100 * record['auc']:.2f}"]
    return row, (scores, facts["objective"])


def covtype(args, folder):
    pick = random.Random(0)
    with gzip.open(DATA / "covtype.csv.gz", "rt") as lines, open(folder / "train.csv", "w") as train, open(folder / "test.csv", "w") as test:
        head = next(lines).strip().split(",")
        for f in (train, test):
            f.write(",".join([*head[:-1], "class"]) + "\n")
        for line in lines:
            cells, label = line.strip().rsplit(",", 1)
            (test if pick.random() < 0.25 else train).write(f"{cells},{int(label.strip(chr(34)) == '4')}\n")
    return [measured(args, "covtype, class 4", folder / "train.csv", folder / "test.csv", folder, "--scale", "standard")[0]]


def generated(args, folder):
    for name, rows, seed in (("train", args.rows, 1), ("test", 20_000, 2)):
        program(args, "generate", "rare-mixture", "--rows", rows, "--seed", seed, "--set", "dimension=40", "--set",
                f"rare={0.001 if name == 'train' else 0.05}", folder / f"{name}.csv")
    rows, found = [], []
    for label, options in (("generated, 4096 MB (default)", []), ("generated, 1000 MB", ["-m", 1000])):
        row, scores = measured(args, label, folder / "train.csv", folder / "test.csv", folder, *options)
        rows.append(row)
        found.append(scores)
    if all(found):
        (a, f), (b, g) = found
        print(f"\nlargest difference of two scores {max(abs(x - y) for x, y in zip(a, b)):.3g}, of the objectives {abs(f - g):.3g}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["covtype", "generated"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--basis", default="rare")
    parser.add_argument("--lambda", dest="lam", type=float, default=2.0 ** -10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=900, help="seconds after which a command is ended")
    args = parser.parse_args()
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    rows = []
    for what in args.what:
        with tempfile.TemporaryDirectory() as folder:
            rows += {"covtype": covtype, "generated": generated}[what](args, Path(folder))
    print("\n" + table(["rows", "rectangle", "seconds", "peak memory", "AUC on other rows, %"], rows))


if __name__ == "__main__":
    main()
