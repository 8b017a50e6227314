"""Feature selection beside other programs, in one run on the same input, runs alternating.

    python benches/feature_selection.py [--only mrmr,packages] [--runs 5] [--svg docs/src/img/selection-growth.svg]

Peers, each left out with a word if it is not there:

* FAST_MRMR, the executable of fast-mRMR (C++, github sramirez/fast-mRMR), built with -O3 -march=native (an empty file in place
  of its one header of boost does) and with one line before `rawData.destroy();` in main.cpp, which prints its own timer:
  fprintf(stderr, "compute_ms %f\\n", tm.stop());
* PEER_PYTHON, an interpreter with numpy, scikit-learn, pandas, polars, skrebate, mrmr-selection and mrmrs.

All times are wall seconds of one thread unless said otherwise, of the fastest run (the one that other work disturbed least), without
reading on either side; beside the packages also processor seconds of one thread (user and system). hedgerow's are from the
samples in memory to the ranking (discretising included), fast-mRMR's from its loaded table of bytes to its last choice, those of the
Python packages from their data frame to their result. Run it on a quiet machine.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common import CACHE, Missing, hedgerow, peer_python, table

FOLDER = CACHE / "selection"
DATA = Path(os.environ.get("HEDGEROW_DATA", ""))

MAKE = r'''
import sys
import numpy as np
kind, rows, width, text, binary = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
random = np.random.default_rng(rows + width)
y = random.integers(0, 2, rows).astype(np.uint8)
X = random.standard_normal((rows, width), dtype=np.float32)
if kind == "codes":
    # 0, 1, 2; some features follow the class.
    X = np.digitize(X, [-1, 1]).astype(np.uint8)
    for f in range(5, width, 97):
        follow = random.random(rows) < random.uniform(0.1, 0.5)
        X[follow, f] = 2 * y[follow]
    with open(binary, "wb") as out:
        np.array([rows, width + 1], dtype=np.uint32).tofile(out)
        np.column_stack([y, X]).tofile(out)
else:
    X[:, ::50] += y[:, None]
with open(text, "w") as out:
    out.write(",".join(f"f{f + 1}" for f in range(width)) + ",class\n")
    if kind == "codes":
        cells = np.full((rows, 2 * width + 2), ord(","), dtype=np.uint8)
        cells[:, :-2:2], cells[:, -2], cells[:, -1] = X + ord("0"), y + ord("0"), ord("\n")
        out.flush()
        cells.tofile(out)
    else:
        np.savetxt(out, np.column_stack([X, y]), fmt="%.4f", delimiter=",")
'''

PEER = r'''
import importlib.metadata, json, sys, time
from pathlib import Path
import numpy as np
name, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
copy = Path(file).with_suffix(".npy")
if not copy.exists():
    np.save(copy, np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2))
values = np.load(copy)
X, y = values[:, :-1], values[:, -1].astype(int)
names = [f"f{f + 1}" for f in range(X.shape[1])]
if name == "mrmr-selection":
    import pandas, mrmr
    frame, target = pandas.DataFrame(X, columns=names), pandas.Series(y)
    start, cpu = time.perf_counter(), time.process_time()
    chosen = mrmr.mrmr_classif(frame, target, K=count, show_progress=False, n_jobs=1)
elif name == "mrmrs":
    import polars, mrmrs
    frame, target = polars.DataFrame(X, schema=names), polars.Series(y.astype(np.int64))
    start, cpu = time.perf_counter(), time.process_time()
    chosen = [feature.name for feature in mrmrs.mrmr(frame, target, count, "classification")]
else:
    from skrebate import ReliefF
    start, cpu = time.perf_counter(), time.process_time()
    found = ReliefF(n_neighbors=count, n_jobs=1).fit(X, y).feature_importances_
    chosen = [names[f] for f in np.argsort(-found, kind="stable")[:50]]
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps({"seconds": seconds, "cpu": cpu, "chosen": chosen, "version": importlib.metadata.version(name)}))
'''


# ----------------------------------------------------------------------------------- programs
def made(kind, rows, width):
    """A CSV file, and the same as fast-mRMR reads it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = FOLDER / f"{kind}-{rows}x{width}.csv"
    binary = text.with_suffix(".mrmr")
    if not text.exists():
        part = text.with_suffix(".part")
        subprocess.run([peer_python(), "-c", MAKE, kind, str(rows), str(width), str(part), str(binary)], check=True)
        part.rename(text)
    return text, binary


def ours(words, file, threads=1):
    command = [hedgerow(), "select", *words, "--json", "--threads", str(threads), str(file), os.devnull]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def names_of(result):
    return [f"f{entry['index']}" for entry in result["ranking"]]


def fast_mrmr(binary, count):
    program = os.environ.get("FAST_MRMR")
    if not program:
        raise Missing("fast-mRMR: set FAST_MRMR")
    # -a counts one more than it selects; feature 0 is the class.
    run = subprocess.run([program, "-f", str(binary), "-c", "1", "-a", str(count + 1)], check=True, capture_output=True, text=True)
    seconds = float(run.stderr.split("compute_ms")[1].split()[0]) / 1000
    return {"seconds": seconds, "chosen": [f"f{word}" for word in run.stdout.strip().strip(",").split(",")]}


def processor_seconds(words, file):
    """User and system seconds of a run of ours on one thread, and what it found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = ours(words, file)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def peer(name, file, count, threads=1):
    limits = ("RAYON_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    environment = {**os.environ, **{v: str(threads) for v in limits}}
    run = subprocess.run([peer_python(), "-c", PEER, name, str(file), str(count)], capture_output=True, text=True, env=environment)
    if run.returncode:
        raise Missing(f"{name}: {run.stderr.strip().splitlines()[-1] if run.stderr else 'failed'}")
    return json.loads(run.stdout.strip().splitlines()[-1])


def duel(runs, us, them):
    """Least seconds of both, and one result of each."""
    pairs = []
    for _ in range(runs):
        pairs.append((us(), them()))
    return (min(a["seconds"] for a, _ in pairs), min(b["seconds"] for _, b in pairs), *pairs[0])


def shared(ours_, theirs, count):
    return f"{len(set(ours_[:count]) & set(theirs[:count]))} of {count}"


# ----------------------------------------------------------------------------------- subjects
def subject_mrmr(args):
    print("\n### mRMR (difference), 50 features, beside fast-mRMR\n")
    rows = []
    for n, width in [(72, 7129), (200, 20000), (100000, 500)]:
        text, binary = made("codes", n, width)
        words = ["mrmr", "--binning", "values", "--top", "50"]
        a, b, mine, theirs = duel(args.runs, lambda: ours(words, text), lambda: fast_mrmr(binary, 50))
        rows.append([f"{n} × {width}", a, b, b / a, shared(names_of(mine), theirs["chosen"], 50)])
    print(table(["rows × features", "hedgerow", "fast-mRMR", "ratio", "same features"], rows))


MRMR_OF_PACKAGES = ["mrmr", "--similarity", "correlation", "--relevance", "f-statistic", "--scheme", "quotient", "--quotient-offset", "0", "--top", "50"]


def subject_packages(args):
    print("\n### mRMR (F statistic, correlation, quotient), 50 features, beside packages; medians\n")
    rows = []
    for package, n, width in [("mrmrs", 72, 7129), ("mrmrs", 200, 20000), ("mrmrs", 100000, 500), ("mrmr-selection", 72, 7129), ("mrmr-selection", 200, 2000)]:
        text, _ = made("real", n, width)
        runs = 1 if package == "mrmr-selection" else args.runs
        times = []
        try:
            for _ in range(runs):
                # A run that ranks without looking reads the same file: its time is taken off.
                whole, mine = processor_seconds(MRMR_OF_PACKAGES, text)
                reading, _ = processor_seconds(["random", "--top", "50"], text)
                alone = peer(package, text, 50)
                two = ours(MRMR_OF_PACKAGES, text, threads=2)["seconds"]
                theirs = peer(package, text, 50, threads=2)
                times.append((whole - reading, alone["cpu"], two, theirs["seconds"]))
        except Missing as problem:
            rows.append([f"{n} × {width}", problem, *[None] * 7])
            continue
        for line in times:
            print("   ", f"{package} {n} × {width}:", *(f"{t:.3f}" for t in line), file=sys.stderr)
        a, b, c, d = (statistics.median(column) for column in zip(*times))
        rows.append([f"{n} × {width}", f"{package} {theirs['version']}", a, b, b / a, c, d, d / c, shared(names_of(mine), theirs["chosen"], 50)])
    print(table(["rows × features", "package", "hedgerow, CPU s, one thread", "package", "ratio", "hedgerow, wall s, two threads", "package", "ratio", "same features"], rows))


def phases(result):
    facts = result["facts"]
    return [facts[name + "_seconds"] for name in ("similarity", "decomposition", "program")]


def subject_qpfs(args):
    print("\n### QPFS, two threads\n")
    rows = []
    cases = [("srbct, 83 × 2308", DATA / "srbct.csv.gz", []), ("200 × 20000", made("real", 200, 20000)[0], ["--rate", "0.05"]),
             ("mnist, 60000 × 784", DATA / "mnist.train.svm.gz", []), ("mnist, 60000 × 784", DATA / "mnist.train.svm.gz", ["--rate", "0.2"])]
    for name, file, words in cases:
        if not file.exists():
            continue
        found = [ours(["qpfs", *words], file, threads=2) for _ in range(args.runs)]
        best = min(found, key=lambda result: result["seconds"])
        rows.append([name, words[1] if words else "all", *phases(best), best["seconds"]])
    print(table(["data", "rows of Q", "similarity", "decomposition", "programme", "in all, with discretising"], rows))


def subject_relief(args):
    print("\n### ReliefF (classic), 10 neighbours, beside skrebate\n")
    rows = []
    for n, width in [(500, 200), (200, 2000)]:
        text, _ = made("real", n, width)
        words = ["relieff", "--neighbours", "10", "--variant", "classic"]
        try:
            a, b, mine, theirs = duel(1, lambda: ours(words, text), lambda: peer("skrebate", text, 10))
            rows.append([f"{n} × {width}", a, f"{b:.2f} ({theirs['version']})", b / a, shared(names_of(mine), theirs["chosen"], 20)])
        except Missing as problem:
            rows.append([f"{n} × {width}", None, problem, None, None])
    print(table(["rows × features", "hedgerow", "skrebate", "ratio", "same best 20"], rows))


# ------------------------------------------------------------------------------------- growth
def qpfs(rate=None):
    return ["qpfs", *(["--rate", str(rate)] if rate else [])]


GROWTH = {
    "rows": [
        ("mRMR, all of 140", lambda n: ("codes", n, 140, ["mrmr", "--binning", "values"]), [25000, 50000, 100000], 1),
        ("QPFS, 140", lambda n: ("codes", n, 140, [*qpfs(), "--binning", "values"]), [25000, 50000, 100000], 1),
        ("QPFS p = 0.1, 140", lambda n: ("codes", n, 140, [*qpfs(0.1), "--binning", "values"]), [25000, 50000, 100000], 1),
    ],
    "features": [
        ("mRMR, all", lambda m: ("real", 83, m, ["mrmr"]), [1000, 2000, 4000], 2),
        ("QPFS", lambda m: ("real", 83, m, qpfs()), [500, 1000, 2000], 3),
        ("QPFS p = 0.1", lambda m: ("real", 83, m, qpfs(0.1)), [2000, 4000, 8000], 3),
        ("QPFS p = 0.01", lambda m: ("real", 83, m, qpfs(0.01)), [2000, 4000, 8000, 16000], 2),
    ],
    "rate": [
        ("QPFS, 83 × 4000", lambda p: ("real", 83, 4000, qpfs(p)), [0.05, 0.1, 0.2, 0.4], 2),
    ],
}


def subject_growth(args):
    print("\n### Growth\n")
    rows, panels = [], []
    for axis, series in GROWTH.items():
        curves = []
        for label, case, values, expected in series:
            points = []
            for value in values:
                kind, n, width, words = case(value)
                text, _ = made(kind, n, width)
                points.append((value, min(ours(words, text)["seconds"] for _ in range(min(args.runs, 3)))))
            steps = [math.log(b[1] / a[1]) / math.log(b[0] / a[0]) for a, b in zip(points, points[1:])]
            rows.append([axis, label, ", ".join(f"{v:g}: {s:.3g} s" for v, s in points), ", ".join(f"{s:.2f}" for s in steps), expected])
            curves.append((label, points))
        panels.append((axis, curves))
    print(table(["in", "method", "seconds", "exponent of each step", "table 3.2"], rows))
    if args.svg:
        Path(args.svg).write_text(drawing(panels))


COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#7a4ea3"]


def drawing(panels):
    """Curves on logarithmic axes, a panel for every axis."""
    wide, high, left, top = 270, 240, 54, 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(panels) * (wide + left + 12)} {high + 130}" font-family="sans-serif" '
             'font-size="11" role="img"><title>Seconds of feature selection against rows, features and rate</title>',
             '<rect width="100%" height="100%" fill="#fff"/>']
    for at, (axis, curves) in enumerate(panels):
        x0 = at * (wide + left + 12) + left
        xs = [math.log10(x) for _, points in curves for x, _ in points]
        ys = [math.log10(y) for _, points in curves for _, y in points]
        (x1, x2), (y1, y2) = (min(xs), max(xs)), (math.floor(min(ys)), math.ceil(max(ys)))
        px = lambda x: x0 + 12 + (math.log10(x) - x1) / (x2 - x1) * (wide - 24)
        py = lambda y: top + high - (math.log10(y) - y1) / (y2 - y1) * high
        parts.append(f'<rect x="{x0}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#999"/>')
        for power in range(y1, y2 + 1):
            parts.append(f'<line x1="{x0}" x2="{x0 + wide}" y1="{py(10.0 ** power):.1f}" y2="{py(10.0 ** power):.1f}" stroke="#e4e4e4"/>'
                         f'<text x="{x0 - 6}" y="{py(10.0 ** power) + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
        for x in sorted({x for _, points in curves for x, _ in points}):
            parts.append(f'<text x="{px(x):.1f}" y="{top + high + 15}" text-anchor="middle">{x:g}</text>')
        parts.append(f'<text x="{x0 + wide / 2}" y="{top + high + 32}" text-anchor="middle" font-weight="bold">{axis}</text>')
        for (label, points), colour in zip(curves, COLOURS):
            line = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
        for row, ((label, points), colour) in enumerate(zip(curves, COLOURS)):
            slope = math.log(points[-1][1] / points[0][1]) / math.log(points[-1][0] / points[0][0])
            y = top + high + 50 + 16 * row
            parts.append(f'<rect x="{x0}" y="{y - 9}" width="10" height="10" fill="{colour}"/><text x="{x0 + 16}" y="{y}">{label}: slope {slope:.2f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    subjects = {name[8:]: value for name, value in globals().items() if name.startswith("subject_")}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(subjects))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--svg", help="where the growth is drawn")
    parser.add_argument("--prepare", action="store_true", help="only make the files")
    args = parser.parse_args()
    if args.prepare:
        for kind, n, width in [("codes", 72, 7129), ("codes", 200, 20000), ("codes", 100000, 500), ("real", 72, 7129), ("real", 200, 20000),
                               ("real", 200, 2000), ("real", 100000, 500), ("real", 500, 200)]:
            made(kind, n, width)
        for series in GROWTH.values():
            for _, case, values, _ in series:
                for value in values:
                    made(*case(value)[:3])
        return
    start = time.time()
    for name in args.only.split(","):
        subjects[name](args)
    print(f"\n{time.time() - start:.0f} s in all, {time.strftime('%Y-%m-%d')}", file=sys.stderr)


if __name__ == "__main__":
    main()
