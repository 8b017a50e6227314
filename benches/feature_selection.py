"""Feature selection beside other programs, in one run on the same discretised input.

    python benches/feature_selection.py [--quick] [--only NAME,...] [--runs N]

Set FAST_MRMR to the executable of fast-mRMR (C++), PEER_PYTHON to an interpreter with numpy,
scikit-learn, skrebate and mrmr-selection. Peers that are not there are left out and said so.
Seconds of hedgerow are those of the ranking itself, discretising included and reading excluded;
those of the Python peers exclude reading too. fast-mRMR tells no times: the CPU seconds of the whole
process stand beside those of its steps alone, the whole minus a run that selects one feature (which
takes its reading and its relevances out, while ours stay in).
"""

import argparse
import json
import os
import random
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

from common import CACHE, Missing, hedgerow, peer_python

SHARED = Path(os.environ.get("HEDGEROW_DATA", ""))


# ------------------------------------------------------------------------------------- data
def discrete(name, rows, width, seed=0):
    """A LIBSVM file and a fast-mRMR file of codes 0, 1, 2 and two classes; some features follow
    the class."""
    folder = CACHE / "selection"
    folder.mkdir(parents=True, exist_ok=True)
    text, binary = folder / f"{name}.svm", folder / f"{name}.mrmr"
    if text.exists() and binary.exists():
        return text, binary
    source = random.Random(seed)
    lines = []
    with open(binary, "wb") as out:
        out.write(struct.pack("II", rows, width + 1))
        for _ in range(rows):
            label = source.randrange(2)
            bits = source.getrandbits(16 * width)
            codes = bytearray(width)
            for f in range(width):
                value = bits >> (16 * f) & 0xFFFF if width < 600 else source.getrandbits(16)
                code = 0 if value < 10000 else 2 if value >= 55000 else 1
                if f % 97 == 5 and value % 3 == 0:
                    code = 2 * label
                codes[f] = code
            out.write(bytes([label]) + bytes(codes))
            lines.append(f"{label} " + " ".join(f"{f + 1}:{c}" for f, c in enumerate(codes) if c))
    text.write_text("\n".join(lines) + "\n")
    return text, binary


def continuous(name, rows, width, classes=2, seed=1):
    folder = CACHE / "selection"
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / f"{name}.svm"
    if text.exists():
        return text
    source = random.Random(seed)
    with open(text, "w") as out:
        for i in range(rows):
            label = i % classes
            row = [source.gauss(0, 1) + (label if f % 50 == 0 else 0) for f in range(width)]
            out.write(f"{label} " + " ".join(f"{f + 1}:{x:.4f}" for f, x in enumerate(row)) + "\n")
    return text


# -------------------------------------------------------------------------------- programs
def ours(words, file, threads=None):
    command = [hedgerow(), "select", *words, "--json"]
    if threads:
        command += ["--threads", str(threads)]
    command += [str(file), os.devnull]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def median_ours(words, file, runs, threads=None):
    results = [ours(words, file, threads) for _ in range(runs)]
    return statistics.median(r["seconds"] for r in results), results[0]


def cpu_seconds(command):
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


def fast_mrmr(binary, count, runs):
    program = os.environ.get("FAST_MRMR")
    if not program:
        raise Missing("fast-mRMR: set FAST_MRMR")
    # -a counts one more than it selects.
    def seconds(features):
        command = [program, "-f", str(binary), "-c", "1", "-a", str(features + 1)]
        return statistics.median(cpu_seconds(command) for _ in range(runs))

    whole, one = seconds(count), seconds(1)
    output = subprocess.run(
        [program, "-f", str(binary), "-c", "1", "-a", str(count + 1)], check=True, capture_output=True, text=True
    ).stdout
    return whole, whole - one, [int(word) for word in output.strip().strip(",").split(",")]


PEER = r'''
import json, sys, time
import numpy as np
from sklearn.datasets import load_svmlight_file
name, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
X, y = load_svmlight_file(file)
X = X.toarray()
if name == "mrmr-selection":
    import pandas, mrmr
    frame, target = pandas.DataFrame(X), pandas.Series(y)
    start = time.perf_counter()
    chosen = mrmr.mrmr_classif(frame, target, K=count, show_progress=False, n_jobs=1)
    version = "0.2"
elif name == "skrebate":
    from skrebate import ReliefF
    start = time.perf_counter()
    chosen = np.argsort(-ReliefF(n_neighbors=count, n_jobs=1).fit(X, y).feature_importances_)[:10].tolist()
print(json.dumps({"seconds": time.perf_counter() - start, "chosen": [int(c) for c in chosen]}))
'''


def peer(name, file, count):
    run = subprocess.run([peer_python(), "-c", PEER, name, str(file), str(count)], capture_output=True, text=True)
    if run.returncode:
        raise Missing(f"{name}: {run.stderr.strip().splitlines()[-1] if run.stderr else 'failed'}")
    return json.loads(run.stdout)


# -------------------------------------------------------------------------------- subjects
def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*("---" for _ in cells))


def subject_mrmr(args):
    print("\n## mRMR, 50 features\n")
    head("rows × features", "hedgerow s (1 thread)", "fast-mRMR CPU s", "its steps alone", "ratio", "ratio to steps", "same first 10")
    for name, rows, width in [("d72", 72, 7129), ("d200", 200, 20000), ("d100k", 20000 if args.quick else 100000, 500)]:
        text, binary = discrete(f"{name}-{rows}", rows, width)
        seconds, result = median_ours(["mrmr", "--binning", "values", "--top", "50"], text, args.runs, 1)
        mine = [entry["index"] for entry in result["ranking"]]
        try:
            whole, steps, chosen = fast_mrmr(binary, 50, args.runs)
            ratios = (f"{whole / seconds:.1f}", f"{steps / seconds:.1f}")
            row(f"{rows} × {width}", f"{seconds:.4f}", f"{whole:.3f}", f"{steps:.3f}", *ratios, mine[:10] == chosen[:10])
        except Missing as problem:
            row(f"{rows} × {width}", f"{seconds:.4f}", problem, "", "", "", "")
    print("\n## mRMR against the Python package mrmr-selection (its own F-test/correlation mode)\n")
    head("rows × features", "hedgerow mi s", "hedgerow correlation s", "mrmr-selection s", "ratio")
    for rows, width in [(72, 2000 if args.quick else 7129)]:
        text, _ = discrete(f"p{rows}-{width}", rows, width)
        mi, _ = median_ours(["mrmr", "--binning", "values", "--top", "50"], text, args.runs, 1)
        cor, _ = median_ours(["mrmr", "--similarity", "correlation", "--top", "50"], text, args.runs, 1)
        try:
            theirs = peer("mrmr-selection", text, 50)["seconds"]
            row(f"{rows} × {width}", f"{mi:.4f}", f"{cor:.4f}", f"{theirs:.2f}", f"{theirs / mi:.0f}")
        except Missing as problem:
            row(f"{rows} × {width}", f"{mi:.4f}", f"{cor:.4f}", problem, "")


def subject_qpfs(args):
    print("\n## QPFS\n")
    head("data", "p", "similarity s", "decomposition s", "programme s", "total s")
    cases = [(continuous("c83", 83, 2308, 4), None), (continuous("c200", 200, 2000 if args.quick else 20000), 0.05)]
    for text, rate in cases:
        words = ["qpfs"] + (["--rate", str(rate)] if rate else [])
        seconds, result = median_ours(words, text, 1)
        facts = result["facts"]
        row(text.stem, rate or "exact", *(f"{facts[k + '_seconds']:.3f}" for k in ("similarity", "decomposition", "program")), f"{seconds:.3f}")
    mnist = SHARED / "mnist.train.svm.gz"
    if mnist.exists() and not args.quick:
        seconds, result = median_ours(["qpfs"], mnist, 1)
        facts = result["facts"]
        row("mnist 60000 × 780", "exact", *(f"{facts[k + '_seconds']:.3f}" for k in ("similarity", "decomposition", "program")), f"{seconds:.3f}")


def subject_growth(args):
    print("\n## Growth\n")
    head("method", "rows", "features", "p", "seconds", "exponent")
    def series(label, points, words_of, axis):
        last = None
        for rows, width, rate in points:
            file = continuous(f"g{rows}x{width}", rows, width)
            seconds, result = median_ours(words_of(rate), file, args.runs, 1)
            if "facts" in result and result["facts"]:
                seconds = sum(result["facts"][k + "_seconds"] for k in ("similarity", "decomposition", "program"))
            value = (rows, width, rate)[axis]
            exponent = ""
            if last:
                import math
                exponent = f"{math.log(seconds / last[1]) / math.log(value / last[0]):.2f}"
            row(label, rows, width, rate or "", f"{seconds:.4f}", exponent)
            last = (value, seconds)
    qpfs = lambda rate: ["qpfs"] + (["--rate", str(rate)] if rate else [])
    series("mrmr, all", [(4000, 140, None), (8000, 140, None), (16000, 140, None)], lambda _: ["mrmr"], 0)
    series("mrmr, all", [(83, 500, None), (83, 1000, None), (83, 2000, None)], lambda _: ["mrmr"], 1)
    series("qpfs", [(83, 500, None), (83, 1000, None), (83, 2000, None)], qpfs, 1)
    series("qpfs", [(83, 1000, 0.1), (83, 2000, 0.1), (83, 4000, 0.1)], qpfs, 1)
    series("qpfs", [(83, 4000, 0.1), (83, 4000, 0.2), (83, 4000, 0.4)], qpfs, 2)


def subject_relief(args):
    print("\n## ReliefF, 10 neighbours, classic\n")
    head("rows × features", "hedgerow s (1 thread)", "skrebate s", "ratio")
    for rows, width in [(500, 200), (1000, 1000)][: 1 if args.quick else 2]:
        file = continuous(f"r{rows}x{width}", rows, width)
        seconds, _ = median_ours(["relieff", "--neighbours", "10", "--variant", "classic"], file, args.runs, 1)
        try:
            theirs = peer("skrebate", file, 10)["seconds"]
            row(f"{rows} × {width}", f"{seconds:.4f}", f"{theirs:.2f}", f"{theirs / seconds:.0f}")
        except Missing as problem:
            row(f"{rows} × {width}", f"{seconds:.4f}", problem, "")


def main():
    subjects = {name[8:]: value for name, value in globals().items() if name.startswith("subject_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(subjects))
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    start = time.time()
    for name in args.only.split(","):
        subjects[name](args)
    print(f"\n{time.time() - start:.0f} s in all, {time.strftime('%Y-%m-%d')}", file=sys.stderr)


if __name__ == "__main__":
    main()
