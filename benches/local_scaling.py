#!/usr/bin/env python3
"""How training of FaLK-SVM grows with the rows: generated sets of 10^5 to 3*10^6 rows.

    python benches/local_scaling.py                             # three sets, four sizes, three repeats, one and two threads
    python benches/local_scaling.py --sets checker --rows 100000,300000 --threads 2 --repeats 1
    python benches/local_scaling.py --report                    # the tables from what has been measured

For each set the map of the columns to [0, 1] and the parameters are those of the smallest size. The exponent is the slope of
log(training seconds) on log(rows) by least squares over all sizes measured; with the sizes 1 : 3 : 10 : 30 an exact SVM
has about 2. Times are those of the fit, as hedgerow reports them; wall and peak memory are of the whole command. Results are
appended to build/bench-results/local_scaling.jsonl; runs that are there are not made again unless --again is given. The
table is printed as Markdown and written as CSV beside the results.
"""

import argparse
import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import common
from common import CACHE, median, run, table
from local_machines import ASSIGN, HERE, PREDICT, PROBLEMS, TRAIN, chosen, falk_options

SETS = ["spirals", "checker", "ndcc"]
ROWS = [100_000, 300_000, 1_000_000, 3_000_000]
BAR = 1.15


def options(name):
    return [*TRAIN, *falk_options(PROBLEMS[name])]


def measure(name, rows, threads, limit):
    stem, program = f"{name}-{rows}", common.hedgerow()
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        model, labels = Path(tmp) / "model", Path(tmp) / "out"
        r = run([program, *options(name), "--threads", threads, "--json", CACHE / f"{stem}.train", model], threads, limit)
        if not r.ok:
            return {"failed": f"train: {r.trouble()}"}
        j = r.json()
        out = dict(train_wall=r.wall, train_cpu=r.cpu, train_peak_mb=r.peak_mb, fit_seconds=j["seconds"], read_seconds=j.get("read_seconds"),
                   centres=j.get("centres"), model_mb=model.stat().st_size / 2**20)
        test = CACHE / f"{stem}.test"
        truth = common.true_labels(test)
        for suffix, assign in ASSIGN.items():
            r = run([program, *PREDICT, *assign, "--threads", threads, "--json", test, model, labels], threads, limit)
            if not r.ok:
                return {**out, "failed": f"predict: {r.trouble()}"}
            out |= {f"accuracy{suffix}": common.agreement(common.predicted(labels), truth),
                    f"predict_micros{suffix}": 1e6 * r.json()["seconds"] / len(truth)}
        return out


def slope(points):
    """Least squares of log y on log x."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


# ---------------------------------------------------------------------------------- results
def read_results(path):
    out = {}
    if path.exists():
        with open(path) as f:
            for line in f:
                r = json.loads(line)
                out[r["set"], r["rows"], r["threads"], r["repeat"], r["options"]] = r
    return out


def summary(records, name, rows, threads):
    text = " ".join(map(str, options(name)))
    mine = [r for (n, m, t, _, o), r in records.items() if (n, m, t, o) == (name, rows, threads, text)]
    good = [r for r in mine if "failed" not in r]
    if not good:
        return {"failed": mine[0]["failed"]} if mine else None
    keys = {k for r in good for k, v in r.items() if isinstance(v, (int, float))}
    return {k: median([r.get(k) for r in good]) for k in keys}


COLUMNS = {"fit_seconds": "fit s", "train_wall": "train wall s", "train_cpu": "train CPU s", "train_peak_mb": "peak MB", "centres": "centres",
           "model_mb": "model MB", "accuracy": "accuracy", "accuracy-c": "accuracy, centre", "predict_micros": "us a row", "predict_micros-c": "us a row, centre"}


def report(records, a):
    text, lines = [], [["set", "threads", "rows", *COLUMNS.values()]]
    for threads in a.threads:
        rows, bars = [], []
        for name in a.sets:
            points = []
            for n in a.rows:
                s = summary(records, name, n, threads)
                if s is None:
                    continue
                if "failed" in s:
                    rows.append([name, n, s["failed"], *[""] * (len(COLUMNS) - 1)])
                    continue
                points.append((n, s["fit_seconds"], s["train_cpu"]))
                cells = [f"{s[k]:.4f}" if k.startswith("accuracy") else int(s[k]) if k == "centres" and s.get(k) else s.get(k) for k in COLUMNS]
                rows.append([name, n, *cells])
                lines.append([name, threads, n, *(s.get(k) for k in COLUMNS)])
            if len(points) > 1:
                e, cpu = slope([(n, t) for n, t, _ in points]), slope([(n, t) for n, _, t in points])
                bars.append(f"* {name}: exponent {e:.3f} (by CPU seconds of the whole command {cpu:.3f}) from {points[0][0]:,} to "
                            f"{points[-1][0]:,} rows; the bar of {BAR} "
                            + ("holds" if e <= BAR else "is MISSED"))
        if rows:
            text += [f"## {threads} thread{'s' * (threads > 1)}", "", table(["set", "rows", *COLUMNS.values()], rows), "", *bars, ""]
    with open(a.results.with_suffix(".csv"), "w", newline="") as f:
        csv.writer(f).writerows(lines)
    return "\n".join(["# FaLK-SVM: growth with the rows", "", *text])


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))      # so that the running command is ended too
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", help=f"comma-separated, of {', '.join(SETS)}")
    p.add_argument("--rows", default=",".join(map(str, ROWS)))
    p.add_argument("--threads", default="1,2")
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--limit", type=float, default=3600, help="seconds a command")
    p.add_argument("--budget", type=float, default=float("inf"), help="start no run after so many seconds")
    p.add_argument("--again", action="store_true")
    p.add_argument("--report", action="store_true", help="measure nothing")
    p.add_argument("--results", type=Path, default=common.RESULTS / "local_scaling.jsonl")
    a = p.parse_args()
    a.sets = chosen(a.sets, SETS, "set", p)
    a.rows, a.threads = ([int(v) for v in text.split(",")] for text in (a.rows, a.threads))
    if set(a.rows) - set(ROWS):
        p.error(f"the sizes are {', '.join(map(str, ROWS))}")
    a.results.parent.mkdir(parents=True, exist_ok=True)
    records, start, more = read_results(a.results), time.monotonic(), False
    if not a.report:
        if subprocess.run([common.peer_python(), HERE / "local_data.py", *(f"{n}-{m}" for n in a.sets for m in a.rows)]).returncode:
            return 1
        with open(a.results, "a") as log:
            for key in ((n, m, t, r) for t in a.threads for m in a.rows for r in range(a.repeats) for n in a.sets):
                name, rows, threads, repeat = key
                text = " ".join(map(str, options(name)))
                if (*key, text) in records and not a.again:
                    continue
                if time.monotonic() - start > a.budget:
                    more = True
                    break
                record = dict(set=name, rows=rows, threads=threads, repeat=repeat, options=text, load=os.getloadavg()[0],
                              **measure(name, rows, threads, a.limit))
                records[(*key, text)] = record
                log.write(json.dumps(record) + "\n")
                log.flush()
                print(f"{name} {rows:,} x{threads} #{repeat}: {record.get('failed') or format(record['fit_seconds'], '.2f') + ' s'}", file=sys.stderr)
    text = report(records, a)
    a.results.with_suffix(".md").write_text(text)
    print(text)
    return 2 if more else 0


if __name__ == "__main__":
    sys.exit(main())
