#!/usr/bin/env python3
"""The benchmark of record of the local kernel machines: FaLK-SVM beside exact SVMs, cells, the original and boosted trees.

    python benches/local_machines.py                                   # everything: hours on two cores
    python benches/local_machines.py --sets ijcnn1unit --peers falk,original --threads 1 --repeats 3
    python benches/local_machines.py --budget 180                      # starts no run after 180 s; call again to go on
    python benches/local_machines.py --report                          # tables and bars from what has been measured

Every run is a fresh process pinned to one or two processors; the peers take turns within a repeat; the report shows
medians. Each result is appended to build/bench-results/local_machines.jsonl as it comes, and a run that is there already
(same set, peer, threads, repeat and options) is not made again unless --again is given.

What is compared. Programs (hedgerow, LIBSVM, the original FaLK-SVM) are whole commands, with reading and writing. Packages
used from Python (boosted trees, liquidSVM) are timed on arrays in memory, without import and reading. Prediction in us a
row: for programs the command on all rows less the same command on ten rows (start and loading of the model), so that only
reading of the test rows stays in; for packages the call. On one thread these are CPU seconds, on more wall seconds. Where a
bar compares us with a package, our side is the wall time of answering alone, without reading.

The programs of others: LIBSVM_BIN and FALK_BIN (folder of FaLK-SVM-train and FaLK-SVM-predict), PEER_PYTHON with lightgbm,
xgboost, liquidSVM. What is missing is skipped and named.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import common
from common import CACHE, Missing, median, run, table

HERE = Path(__file__).resolve().parent


# ---------------------------------------------------------------------------------- the problems
@dataclass(frozen=True)
class Problem:
    """Columns to [0, 1]. `k`, `cost` and `gamma` are shared by FaLK-SVM (ours and the original); `core` is k' / k.

    The exact machines get `cost` and `gamma` too, unless `svm` gives theirs: a width that is a percentile within each
    neighbourhood (gamma < 0, as in the original program) has no meaning for them.
    """
    data: str
    k: int
    cost: float
    gamma: float
    core: float = 0.5
    svm: tuple = ()                      # C and gamma of the exact machines and, without `cells`, of liquidSVM's cells
    cells: tuple = ()                    # C and gamma of liquidSVM's cells
    chosen: tuple = ()                   # k, k' / k, C and gamma by five-fold cross-validation on all training rows
    blend: tuple = ()                    # k, k' / k, C, gamma and number of centres that answer together
    why: str = ""

    @property
    def exact(self):
        return self.svm or (self.cost, self.gamma)


# How they were found: about 10,000 rows of each training part were kept aside to judge on; no test row was looked at. C and
# gamma of the exact machine by a coarse grid with hedgerow's own `svm` on 20,000 of the other rows, on 40,000 for ijcnn1 and on up to
# 90,000 for covtype and spirals, where the best width shrinks with the number of rows. k, C and gamma of the local machine: a few points
# around those with the original FaLK-SVM on all other rows; on census_income none, it takes the exact machine's.
# Best at the edge of what was tried, so perhaps not the best: gamma of the exact machine on spirals (6400, 25600, 102400 gave 79.9, 83.9,
# 85.0 %) and gamma on covtype570k (64, 128). The cells of liquidSVM were not tuned at all.
# `chosen` on covtype100k (peer falk-cv): the best of 18 points by `hedgerow train falk-svm -v 5` on the 100,000 training rows, with 92.15 %;
# k = 1000, k' = k / 2, C = 8, gamma = 32 has 92.02 %, gamma = 64 92.09 %, C = 4 with gamma = 64 92.14 %. On ndcc, where k = 300, 500
# and 1000 were tried, 85.14, 85.04 and 85.08 %.
# `blend` on census_income (peer falk-blend): the best of some twenty points on 15,000 training rows kept aside, with 95.52 %. Two of the others
# (k = 2000, and k = 8000 with C = 32 and 31 centres) had been tried on the test rows before the last three were added.
PROBLEMS = {p.data: p for p in [
    Problem("covtype100k", 1000, 8, 32, chosen=(500, 0.1, 4, 64)),
    Problem("covtype570k", 1000, 8, 128),
    Problem("ijcnn1unit", 1000, 32, 8),
    Problem("census_income", 1000, 16, 0.02, blend=(8000, 0.5, 64, 0.02, 61)),
    Problem("kddcup99", 1000, 100, 1),
    Problem("spirals", 1000, 1, -0.5, svm=(1, 102400), cells=(1, 6400)),
    Problem("checker", 1000, 1, -0.5, svm=(1, 50)),
    Problem("ndcc", 1000, 8, 64, chosen=(300, 0.5, 8, 64)),
]}

# Options of the commands, in one place.
TRAIN, PREDICT, TUNE = ["train", "falk-svm"], ["predict"], ["tune", "falk-svm"]
OPTION = {"k": "-K", "core": "-P", "cost": "-c", "gamma": "-g", "kernel": "--kernel"}
ASSIGN = {"": ["--assign", "nearest"], "-c": ["--assign", "centre"]}
CACHE_MB = 1000
CACHE_MB_LIBSVM = 4000                   # the more it has, the better for it
TEST_LIMIT = {("covtype100k", "libsvm"): 50_000}      # (set, peer): only so many of the test rows

PEERS = ["falk", "falk-c", "falk-cv", "falk-cv-c", "falk-blend", "falk-l", "svm", "libsvm", "original", "original-c", "liquid-cells", "liquid-overlap",
         "lightgbm", "lightgbm-1000x255", "xgboost"]
OURS = {"falk", "falk-c", "falk-cv", "falk-cv-c", "falk-blend", "falk-l", "svm"}
IN_PYTHON = {"liquid-cells", "liquid-overlap", "lightgbm", "lightgbm-1000x255", "xgboost"}
ONE_THREAD = {"libsvm", "original", "original-c"}
# peers that share one training: the first name trains, all predict
TOGETHER = {"falk": ["falk", "falk-c"], "falk-cv": ["falk-cv", "falk-cv-c"], "original": ["original", "original-c"]}


# ---------------------------------------------------------------------------------- one run
def of_run(kind, r):
    return {f"{kind}_wall": r.wall, f"{kind}_cpu": r.cpu, f"{kind}_peak_mb": r.peak_mb}


def falk_program(name):
    folder = os.environ.get("FALK_BIN")
    path = Path(folder) / name if folder else shutil.which(name)
    if not path or not Path(path).exists():
        raise Missing(f"{name} not found: set FALK_BIN to the folder of the original programs")
    return str(path)


def falk_options(p, **other):
    """Ours, as command-line options; gamma < 0 is a percentile within each neighbourhood."""
    wanted = {"k": p.k, "core": p.core, "cost": p.cost, "gamma": p.gamma, **other}
    if wanted["gamma"] is not None and wanted["gamma"] < 0:
        wanted["kernel"], wanted["gamma"] = f"rbf(gamma=q{-100 * wanted['gamma']:g})", None
    return [v for key, value in wanted.items() if value is not None for v in (OPTION.get(key, key), value)]


def svm_options(p):
    cost, gamma = p.exact
    return ["-t", 2, "-c", cost, "-g", gamma]


def command(p, peer):
    """What identifies the run besides set, peer and threads."""
    if peer in ("falk", "falk-c"):
        return [*TRAIN, *falk_options(p)]
    if peer in ("falk-cv", "falk-cv-c"):
        return [*TRAIN, *falk_options(p, **dict(zip(("k", "core", "cost", "gamma"), p.chosen)))]
    if peer == "falk-blend":
        return [*TRAIN, *falk_options(p, **dict(zip(("k", "core", "cost", "gamma"), p.blend))), "--assign", "blend", "--voters", p.blend[4]]
    if peer == "falk-l":
        return [*TUNE]
    if peer == "svm":
        return ["train", "svm", *svm_options(p), "-m", CACHE_MB]
    if peer == "libsvm":
        return ["svm-train", *svm_options(p), "-m", CACHE_MB_LIBSVM]
    if peer in ("original", "original-c"):
        return ["FaLK-SVM-train", "-t", 2, "-c", p.cost, "-g", p.gamma, "-K", p.k, "-P", p.core, "-S", 1]
    if peer.startswith("liquid"):
        cost, gamma = p.cells or p.exact
        return [peer, "--cost", cost, "--gamma", gamma]
    return [peer]


class Files:
    """The test rows a peer gets (all, or the first so many), ten of them for the cost of loading, and a place to write."""

    def __init__(self, p, peer, folder):
        self.train, self.test = CACHE / f"{p.data}.train", CACHE / f"{p.data}.test"
        self.model, self.out, self.few = folder / "model", folder / "out", folder / "few"
        limit = TEST_LIMIT.get((p.data, peer))
        if limit:
            self.copy(limit, folder / "part")
            self.test = folder / "part"
        self.copy(10, self.few)

    def copy(self, rows, to):
        with open(self.test) as f, open(to, "w") as g:
            for _, line in zip(range(rows), f):
                g.write(line)


def predicted(files, threads, limit, program, options, own_clock=False):
    """Figures of one prediction command. `predict_seconds` is all rows less ten rows, so without the loading of the model:
    CPU seconds on one thread, which other work on the machine disturbs least, wall seconds on more."""
    r = run([*program, *options, files.test, files.model, files.out], threads, limit)
    if not r.ok:
        return {"failed": f"predict: {r.trouble()}"}
    labels, truth = common.predicted(files.out), common.true_labels(files.test)
    few = run([*program, *options, files.few, files.model, files.out], threads, limit)
    if not few.ok:
        return {"failed": f"predict: {few.trouble()}"}
    clock = (lambda v: v.cpu) if threads == 1 else (lambda v: v.wall)
    out = dict(of_run("predict", r), accuracy=common.agreement(labels, truth), test_rows=len(truth),
               predict_seconds=max(clock(r) - clock(few), 1e-6), load_seconds=clock(few))
    return {**out, "predict_own_seconds": r.json()["seconds"]} if own_clock else out


def ours(p, peer, a, threads, folder):
    files, program = Files(p, peer, folder), common.hedgerow()
    r = run([program, *command(p, peer), "--threads", threads, "--json", files.train, files.model], threads, a.limit)
    if not r.ok:
        return {peer: {"failed": f"train: {r.trouble()}"}}
    j = r.json()
    known = ("rows", "features", "seconds", "read_seconds", "centres", "local_models", "support_vectors", "status", "objective", "best")
    base = dict(of_run("train", r), model_mb=files.model.stat().st_size / 2**20, **{k: j[k] for k in known if k in j})
    base["fit_seconds"] = base.pop("seconds", None)
    out = {}
    for name in TOGETHER.get(peer, [peer]):
        options = [] if peer in ("svm", "falk-blend") else ASSIGN["-c" if name.endswith("-c") else ""]
        found = predicted(files, threads, a.limit, [program, *PREDICT, "--threads", threads, "--json"], options, own_clock=True)
        out[name] = {**base, **found}
    return out


def libsvm(p, peer, a, threads, folder):
    files = Files(p, peer, folder)
    r = run([common.libsvm("svm-train"), *command(p, peer)[1:], files.train, files.model], threads, a.limit_libsvm)
    if not r.ok:
        return {peer: {"failed": f"train: {r.trouble()}", **of_run("train", r)}}
    out = dict(of_run("train", r), support_vectors=int(common.model_header(files.model)["total_sv"][0]),
               objective=common.libsvm_objective(r.out), model_mb=files.model.stat().st_size / 2**20)
    return {peer: {**out, **predicted(files, threads, a.limit_libsvm, [common.libsvm("svm-predict")], [])}}


def original(p, peer, a, threads, folder):
    files = Files(p, peer, folder)
    r = run([falk_program("FaLK-SVM-train"), *command(p, peer)[1:], files.train, files.model], threads, a.limit)
    if not r.ok:
        return {peer: {"failed": f"train: {r.trouble()}", **of_run("train", r)}}
    base = dict(of_run("train", r), model_mb=files.model.stat().st_size / 2**20)
    program = [falk_program("FaLK-SVM-predict"), "-S", 1]
    return {name: {**base, **predicted(files, threads, a.limit, program, ["-T", int(name.endswith("-c"))])}
            for name in TOGETHER[peer]}


def in_python(p, peer, a, threads, folder):
    r = run([common.peer_python(), HERE / "local_peer.py", peer, CACHE / p.data, *command(p, peer)[1:], "--threads", threads], threads, a.limit)
    if r.status == 3 and not r.timed_out:
        raise Missing(f"{peer}: {r.json()['missing']}")
    if not r.ok:
        return {peer: {"failed": r.trouble(), **of_run("train", r)}}
    j = r.json()
    return {peer: {**j, "predict_seconds": j["predict_cpu" if threads == 1 else "predict_wall"]}}


def run_peer(p, peer, a, threads):
    """Results by name: peers that share one training come together."""
    maker = (ours if peer in OURS else in_python if peer in IN_PYTHON else libsvm if peer == "libsvm" else original)
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        return maker(p, peer, a, threads, Path(tmp))


# ---------------------------------------------------------------------------------- what has been measured
def read_results(path):
    """The records, the last of each key winning."""
    out = {}
    if path.exists():
        with open(path) as f:
            for line in f:
                r = json.loads(line)
                if "set" in r:
                    out[key_of(r)] = r
    return out


def key_of(r):
    return r["set"], r["peer"], r["threads"], r["repeat"], r["options"]


def options_text(p, peer):
    return " ".join(map(str, command(p, peer)))


class Seen:
    """Medians over the repeats that were made with the present options."""

    def __init__(self, records):
        self.records = records

    def __call__(self, name, peer, threads):
        mine = [r for r in self.records.values() if (r["set"], r["peer"], r["threads"]) == (name, peer, threads)
                and r["options"] == options_text(PROBLEMS[name], peer)]
        if not mine:
            return None
        good = [r for r in mine if "failed" not in r]
        keys = {k for r in good for k, v in r.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
        bad = next((r["failed"] for r in mine if "failed" in r), None)
        return {"failed": bad, "n": len(good), **{k: median([r.get(k) for r in good]) for k in keys}}

    def good(self, name, peer, threads):
        s = self(name, peer, threads)
        return s if s and s["n"] else None


def micros(s):
    return 1e6 * s["predict_seconds"] / s["test_rows"] if s and s.get("predict_seconds") and s.get("test_rows") else None


def call_micros(s):
    """What answering alone takes, as a call from Python: wall time, rows in memory."""
    own = s and s.get("predict_own_seconds")
    return 1e6 * own / s["test_rows"] if own else micros(s)


# ---------------------------------------------------------------------------------- the tables
def machine_table(seen, name, threads):
    head = ["peer", "train wall s", "train CPU s", "train peak MB", "predict wall s", "predict CPU s", "us a row", "accuracy %", "SV", "model MB"]
    rows = []
    for peer in PEERS:
        s = seen(name, peer, threads)
        if s is None:
            continue
        if not s["n"]:
            rows.append([peer, s["failed"], *[""] * 8])
            continue
        rows.append([peer, s.get("train_wall"), s.get("train_cpu"), s.get("train_peak_mb"), s.get("predict_wall"), s.get("predict_cpu"),
                     micros(s), f"{100 * s['accuracy']:.2f}", int(s["support_vectors"]) if s.get("support_vectors") else "", s.get("model_mb")])
    return table(head, rows) if rows else ""


class Bars:
    """The bars of the work plan, each with what was measured for it."""

    def __init__(self, seen):
        self.seen, self.rows = seen, []

    def add(self, what, value, holds, wanted):
        word = "not measured" if value is None else "holds" if holds(value) else "MISSED"
        self.rows.append([what, "" if value is None else f"{value:.4g}", wanted, word])

    def ours(self, name, threads=1, suffix=""):
        return self.seen.good(name, "falk" + suffix, threads)

    def ratio(self, other, mine, key):
        return other[key] / mine[key] if other and mine and other.get(key) and mine.get(key) else None

    def run(self, names):
        for name in names:
            self.set(name)
        return table(["bar", "measured", "wanted", ""], self.rows)

    def set(self, name):
        seen, us = self.seen, self.ours(name)
        same, same_c = seen.good(name, "falk", 1), seen.good(name, "falk-c", 1)
        exact = seen.good(name, "svm", 1) or seen.good(name, "svm", 2) or seen.good(name, "libsvm", 1)
        wanted = 3 if name == "spirals" else -0.1
        for how, own in (("", us), (", several centres together", seen.good(name, "falk-blend", 1))):
            if how and not own:
                continue
            margin = 100 * (own["accuracy"] - exact["accuracy"]) if own and exact else None
            self.add(f"{name}: accuracy less the exact SVM's, points{how}", margin, lambda v: v >= wanted, f">= {wanted:g}")
        for suffix, mine in (("", same), ("-c", same_c)):
            old = seen.good(name, "original" + suffix, 1)
            if not suffix:
                self.add(f"{name}: original's training CPU / ours", self.ratio(old, same, "train_cpu"), lambda v: v >= 5, ">= 5")
            speed = micros(old) / micros(mine) if old and mine and micros(mine) else None
            self.add(f"{name}: original{suffix}'s prediction / ours, us a row", speed, lambda v: v >= 5, ">= 5")
        for peer in ("liquid-cells", "liquid-overlap"):
            cells = seen.good(name, peer, 1)
            for mine in ("falk", "falk-c", "falk-cv", "falk-cv-c"):
                own = seen.good(name, mine, 1)
                if mine.startswith("falk-cv") and not own:
                    continue
                better = None
                if cells and own:
                    better = min((cells["train_cpu"] / own["train_cpu"]), 9e9 if own["accuracy"] >= cells["accuracy"] else 0)
                self.add(f"{name}: {peer} training CPU / {mine} (0: less accurate)", better, lambda v: v > 1, "> 1")
                speed = micros(cells) / call_micros(own) if cells and own and call_micros(own) else None
                self.add(f"{name}: {peer} prediction / {mine}, both from memory", speed, lambda v: v >= 5, ">= 5")
        if name == "covtype100k":
            slow = seen.good(name, "libsvm", 1) or (seen(name, "libsvm", 1) if us else None)
            self.add(f"{name}: LIBSVM's training CPU / ours, same C and gamma", self.ratio(slow, same, "train_cpu"), lambda v: v >= 100, ">= 100")
            best = seen.good(name, "falk-cv", 1)
            self.add(f"{name}: LIBSVM's training CPU / ours, parameters by cross-validation", self.ratio(slow, best, "train_cpu"), lambda v: v >= 100, ">= 100")
            self.add(f"{name}: accuracy %, parameters by cross-validation", 100 * best["accuracy"] if best else None, lambda v: v >= 92.8, ">= 92.8")
        if name == "covtype570k":
            two = self.ours(name, 2)
            self.add(f"{name}: training wall s on two threads", two and two.get("train_wall"), lambda v: v < 90, "< 90")
            self.add(f"{name}: accuracy %", 100 * (us or two)["accuracy"] if us or two else None, lambda v: v >= 96, ">= 96")
        if name.startswith("covtype"):
            centre = self.ours(name, 1, "-c")
            self.add(f"{name}: prediction by nearest centre, us a row, one thread", micros(centre), lambda v: v <= 20, "<= 20")


def trees(seen, names, threads):
    """Where a boosted tree is better or cheaper, and by how much."""
    lines = []
    for name in names:
        us = seen.good(name, "falk", threads)
        for peer in ("lightgbm", "lightgbm-1000x255", "xgboost"):
            s = seen.good(name, peer, threads)
            if us and s:
                lines.append(f"* {name}, {peer}: accuracy {100 * (s['accuracy'] - us['accuracy']):+.2f} points against ours, training CPU "
                             f"{s['train_cpu'] / us['train_cpu']:.2g} of ours, prediction {micros(s) / call_micros(us):.2g} of ours")
    return "\n".join(lines)


def report(records, names, threads, versions=None, skipped=()):
    seen = Seen(records)
    text = ["# Local kernel machines and their peers", ""]
    text += ["\n".join(f"* {k}: {v}" for k, v in (versions or {}).items()), ""] if versions else []
    text += ["Not run: " + "; ".join(skipped) + ".", ""] if skipped else []
    text += ["Parameters: " + "; ".join(f"{n}: k = {PROBLEMS[n].k}, k' = {PROBLEMS[n].core:g} k, C = {PROBLEMS[n].cost:g}, gamma = "
             f"{PROBLEMS[n].gamma:g}" + (", exact C = {:g}, gamma = {:g}".format(*PROBLEMS[n].svm) if PROBLEMS[n].svm else "") for n in names) + ".", ""]
    for t in threads:
        for name in names:
            found = machine_table(seen, name, t)
            if found:
                text += [f"## {name}, {t} thread{'s' * (t > 1)}", "", found, ""]
    text += ["## Bars", "", Bars(seen).run(names), ""]
    better = trees(seen, names, threads[0])
    text += ["## Boosted trees", "", better, ""] if better else []
    return "\n".join(text)


# ---------------------------------------------------------------------------------- command line
def chosen(text, known, what, parser):
    names = text.split(",") if text else list(known)
    unknown = [n for n in names if n not in known]
    if unknown:
        parser.error(f"unknown {what} {', '.join(unknown)}; known: {', '.join(known)}")
    return names


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", help=f"comma-separated, of {', '.join(PROBLEMS)}")
    p.add_argument("--peers", help=f"comma-separated, of {', '.join(PEERS)}; those with -c come with their plain form")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--limit", type=float, default=900, help="seconds a command")
    p.add_argument("--limit-libsvm", type=float, default=5400, help="seconds a command of LIBSVM")
    p.add_argument("--budget", type=float, default=float("inf"), help="start no run after so many seconds")
    p.add_argument("--again", action="store_true", help="measure again what is there")
    p.add_argument("--report", action="store_true", help="measure nothing")
    p.add_argument("--results", type=Path, default=common.RESULTS / "local_machines.jsonl")
    a = p.parse_args()
    a.sets = chosen(a.sets, PROBLEMS, "set", p)
    a.peers = [q for q in chosen(a.peers, PEERS, "peer", p) if q not in ("falk-c", "falk-cv-c", "original-c")]
    a.threads = [int(t) for t in a.threads.split(",")]
    return a


def wanted_runs(a):
    for name in a.sets:
        for threads in a.threads:
            for repeat in range(a.repeats):
                for peer in a.peers:
                    p = PROBLEMS[name]
                    idle = peer in ONE_THREAD and threads > 1 or peer == "falk-cv" and not p.chosen or peer == "falk-blend" and not p.blend
                    if not idle and not (peer == "libsvm" and repeat):
                        yield name, threads, repeat, peer


def measure(a, records):
    """Returns what was skipped and whether anything is left to do."""
    start, skipped, absent = time.monotonic(), [], set()
    with open(a.results, "a") as log:
        for name, threads, repeat, peer in wanted_runs(a):
            p = PROBLEMS[name]
            key = (name, peer, threads, repeat, options_text(p, peer))
            if peer in absent or (key in records and not a.again):
                continue
            if time.monotonic() - start > a.budget:
                return skipped, True
            try:
                results = run_peer(p, peer, a, threads)
            except Missing as e:
                skipped.append(str(e))
                absent.add(peer)
                print(f"skipped: {e}", file=sys.stderr)
                continue
            for who, result in results.items():
                record = dict(set=name, peer=who, threads=threads, repeat=repeat, options=options_text(p, who), load=os.getloadavg()[0], **result)
                records[key_of(record)] = record
                log.write(json.dumps(record) + "\n")
                log.flush()
                print(f"{name} x{threads} #{repeat} {who}: " + (record.get("failed") or
                      f"{record['train_wall']:.2f} s, CPU {record['train_cpu']:.2f} s, {100 * record['accuracy']:.2f} %"), file=sys.stderr)
    return skipped, False


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))      # so that the running command is ended too
    a = arguments()
    a.results.parent.mkdir(parents=True, exist_ok=True)
    records, skipped, more = read_results(a.results), [], False
    if not a.report:
        if subprocess.run([common.peer_python(), HERE / "local_data.py", *a.sets]).returncode:
            return 1
        a.sets = [n for n in a.sets if (CACHE / f"{n}.train").exists()]
        skipped, more = measure(a, records)
    text = report(records, a.sets, a.threads, None if a.report else common.versions(), skipped)
    a.results.with_suffix(".md").write_text(text)
    print(text)
    return 2 if more else 0


if __name__ == "__main__":
    sys.exit(main())
