#!/usr/bin/env python3
"""The benchmark of record: an exact RBF C-SVC by hedgerow, LIBSVM, scikit-learn, oneDAL and ThunderSVM.

    python benches/exact_svm.py                               # everything: hours on two cores
    python benches/exact_svm.py --quick                       # small sets, one repeat: proves that all of it runs
    python benches/exact_svm.py --sets ijcnn1,a9a --peers hedgerow,libsvm --threads 1 --repeats 5

How it measures. Every run is a whole command in a fresh process, pinned to one or two processors. The programs take
turns within a repeat (A B C, A B C, …), so that a change in the machine's mood hits all of them. All get the same
file, kernel, C, gamma, tolerance and cache (problems.py says which and why). Medians over the repeats are reported.

What is compared. hedgerow and LIBSVM are commands: their wall, CPU and peak memory are those of the process, with
reading the text and writing the model. scikit-learn, oneDAL and ThunderSVM are used from Python on arrays already in
memory: their numbers exclude start-up, import and reading (peer_driver.py), and their peak holds the interpreter.
So two ratios are given: `LIBSVM / ours` is command against command, `oneDAL / ours` is fit against fit (ours by the
`seconds` that hedgerow reports itself), and likewise for prediction.

Results go to build/bench-results: every run as a JSON line, and the tables as Markdown.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import common
from common import CACHE, Missing, median, run, table
from problems import LOCAL, PROBLEMS

HERE = Path(__file__).resolve().parent
PEERS = ["hedgerow", "libsvm", "sklearn", "onedal", "thundersvm"]
IN_PROCESS = {"sklearn", "onedal", "thundersvm"}


# ---------------------------------------------------------------------------------- one run of one peer
def accuracy(out, test):
    return common.agreement(common.predicted(out), common.true_labels(test))


def of_run(kind, r):
    return {f"{kind}_wall": r.wall, f"{kind}_cpu": r.cpu, f"{kind}_peak_mb": r.peak_mb}


def run_hedgerow(p, a, threads, tmp):
    program, train, test = common.hedgerow(), CACHE / f"{p.data}.train", CACHE / f"{p.data}.test"
    r = run([program, "train", "svm", "-t", 2, "-c", p.cost, "-g", p.gamma, "-e", a.tolerance, "-m", a.cache,
             "--threads", threads, "--json", train, tmp / "model"], threads, a.limit)
    if not r.ok:
        return {"failed": f"train: {r.trouble()}"}
    j = r.json()
    out = dict(of_run("train", r), fit_seconds=j["seconds"], read_seconds=j["read_seconds"], rows=j["rows"], features=j["features"],
               support_vectors=j["support_vectors"], bounded=j.get("bounded"), iterations=j["iterations"], objective=j["objective"])
    if j["status"] != "converged":
        return {**out, "failed": f"status {j['status']}"}
    r = run([program, "predict", "--threads", threads, "--json", test, tmp / "model", tmp / "out"], threads, a.limit)
    if not r.ok:
        return {**out, "failed": f"predict: {r.trouble()}"}
    j = r.json()
    return {**out, **of_run("predict", r), "predict_seconds": j["seconds"], "accuracy": accuracy(tmp / "out", test)}


def run_libsvm(p, a, threads, tmp):
    train, test = CACHE / f"{p.data}.train", CACHE / f"{p.data}.test"
    r = run([common.libsvm("svm-train"), "-t", 2, "-c", p.cost, "-g", p.gamma, "-e", a.tolerance, "-m", a.cache, train, tmp / "model"],
            threads, a.limit)
    if not r.ok:
        return {"failed": f"train: {r.trouble()}"}
    head = common.model_header(tmp / "model")
    out = dict(of_run("train", r), support_vectors=int(head["total_sv"][0]), iterations=common.libsvm_iterations(r.out),
               objective=common.libsvm_objective(r.out))
    r = run([common.libsvm("svm-predict"), test, tmp / "model", tmp / "out"], threads, a.limit)
    if not r.ok:
        return {**out, "failed": f"predict: {r.trouble()}"}
    # svm-predict has no clock of its own: reading is inside, as in the command that a user runs
    return {**out, **of_run("predict", r), "predict_seconds": r.wall, "accuracy": accuracy(tmp / "out", test)}


def run_in_process(peer, p, a, threads, repeat=1):
    r = run([common.peer_python(), HERE / "peer_driver.py", peer, CACHE / f"{p.data}.train", CACHE / f"{p.data}.test", "--cost", p.cost,
             "--gamma", p.gamma, "--tolerance", a.tolerance, "--cache", a.cache, "--threads", threads, "--repeat", repeat], threads, a.limit)
    if not r.ok:
        missing = r.status == 3 and r.out.strip()
        if missing:
            raise Missing(f"{peer}: {json.loads(r.out.strip().splitlines()[-1])['missing']}")
        return {"failed": r.trouble()}
    j = r.json()
    out = dict(j, train_wall=j["fit_seconds"], train_cpu=j["fit_cpu"], train_peak_mb=j["peak_mb"])
    if repeat == 1:
        out.update(predict_wall=j["predict_seconds"], predict_peak_mb=j["peak_mb"])
    if j.get("backend", "onedal") != "onedal":
        out["failed"] = j["backend"]
    return out


def run_peer(peer, p, a, threads):
    if peer in IN_PROCESS:
        return run_in_process(peer, p, a, threads)
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        return (run_hedgerow if peer == "hedgerow" else run_libsvm)(p, a, threads, Path(tmp))


# ---------------------------------------------------------------------------------- the local problem
def run_local(peer, a, threads):
    """Many solves of one small problem inside one process; only the solves are timed."""
    if peer in IN_PROCESS or peer == "libsvm":
        j = run_in_process(peer, LOCAL, a, threads, a.solves)
        return j if "failed" in j else dict(j, solves=a.solves)
    example = common.target() / "examples" / "local_problem"
    if not example.exists():
        raise Missing("hedgerow: cargo build --release -p hedgerow-cli --example local_problem")
    r = run([example, CACHE / "local.train", LOCAL.cost, LOCAL.gamma, a.solves], threads, a.limit)
    if not r.ok:
        return {"failed": r.trouble()}
    j = r.json()
    return dict(of_run("train", r), fit_seconds=j["seconds"], solves=j["solves"])


# ---------------------------------------------------------------------------------- reports
def summary(runs, problem, peer, threads):
    """Medians of the good repeats of one cell; None if it was never run."""
    mine = [r for r in runs if (r["set"], r["peer"], r["threads"]) == (problem, peer, threads)]
    if not mine:
        return None
    bad = [r["failed"] for r in mine if "failed" in r]
    good = [r for r in mine if "failed" not in r]
    keys = {k for r in good for k, v in r.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    return {"failed": bad[0] if bad else None, "n": len(good), **{k: median([r.get(k) for r in good]) for k in keys}}


def ratio(a, b, key):
    return a[key] / b[key] if a and b and a.get(key) and b.get(key) else None


def speed_table(runs, names, peers, threads, features, limits):
    head = ["set", "program", "train wall s", "train CPU s", "fit s", "peak MB", "SV", "dual objective", "accuracy",
            "predict wall s", "predict s", "M kernel values/s", "of numpy limit (1 thread)"]
    rows = []
    for name in names:
        for peer in peers:
            s = summary(runs, name, peer, threads)
            if s is None:
                continue
            if not s["n"]:
                rows.append([name, peer, s["failed"], *[""] * 10])
                continue
            speed = None
            if s.get("predict_seconds") and s.get("support_vectors"):
                speed = test_rows(name) * s["support_vectors"] / s["predict_seconds"]
            limit = limits.get(str(features.get(name)))
            objective = s.get("objective")
            rows.append([name, peer, s.get("train_wall"), s.get("train_cpu"), s.get("fit_seconds"), s.get("train_peak_mb"),
                         int(s["support_vectors"]), f"{objective:.8g}" if objective is not None else "", f"{s['accuracy']:.4f}",
                         s.get("predict_wall"), s.get("predict_seconds"), speed and speed / 1e6, speed and limit and speed / limit])
    return table(head, rows)


def ratio_table(runs, names, threads):
    """Peer / ours: above 1 we are faster. The last line is the median over the sets."""
    columns = [("LIBSVM / ours, train wall", "libsvm", "train_wall"), ("… CPU", "libsvm", "train_cpu"), ("… peak memory", "libsvm", "train_peak_mb"),
               ("… predict wall", "libsvm", "predict_wall"), ("oneDAL / ours, fit", "onedal", "fit_seconds"),
               ("… predict", "onedal", "predict_seconds"), ("sklearn / ours, fit", "sklearn", "fit_seconds"), ("… predict", "sklearn", "predict_seconds"),
               ("ThunderSVM / ours, fit", "thundersvm", "fit_seconds")]
    cells = [[ratio(summary(runs, n, peer, threads), summary(runs, n, "hedgerow", threads), key) for _, peer, key in columns] for n in names]
    used = [k for k in range(len(columns)) if any(c[k] is not None for c in cells)]
    if not used:
        return "No set has both our result and a peer's: no ratios."
    rows = [[n, *(c[k] for k in used)] for n, c in zip(names, cells)]
    rows.append(["median", *(median([c[k] for c in cells]) for k in used)])
    return table(["set", *(columns[k][0] for k in used)], rows)


def quality_notes(runs, names, peers, threads):
    """Where a program's objective or accuracy is not that of LIBSVM, its time is not comparable: say so."""
    out = []
    for name in names:
        base = summary(runs, name, "libsvm", threads)
        if not base or base.get("objective") is None:
            continue
        for peer in peers:
            s = summary(runs, name, peer, threads)
            if not s or s.get("objective") is None or peer == "libsvm":
                continue
            gap = (s["objective"] - base["objective"]) / abs(base["objective"])
            if abs(gap) > 1e-3 or abs(s["accuracy"] - base["accuracy"]) > 2e-3:
                out.append(f"* {name}, {peer}: objective {gap:+.2e} relative to LIBSVM's, accuracy {s['accuracy'] - base['accuracy']:+.4f}")
    return "\n".join(out) or "All programs that ran reached LIBSVM's objective within 1e-3 and its accuracy within 0.002."


def local_table(runs, peers, threads):
    head = ["program", "solves", "seconds", "ms a solve", "peer / ours"]
    ours, rows = summary(runs, "local", "hedgerow", threads), []
    for peer in peers:
        s = summary(runs, "local", peer, threads)
        if s and s["n"]:
            rows.append([peer, int(s["solves"]), s["fit_seconds"], 1000 * s["fit_seconds"] / s["solves"], ratio(s, ours, "fit_seconds")])
        elif s:
            rows.append([peer, s["failed"], "", "", ""])
    return table(head, rows)


_rows = {}


def test_rows(name):
    if name not in _rows:
        with open(CACHE / f"{name}.test") as f:
            _rows[name] = sum(1 for line in f if line.strip())
    return _rows[name]


def report(runs, a, names, versions, features, limits, skipped):
    text = ["# Exact SVM: hedgerow and its peers", "", "RBF kernel, tolerance " + f"{a.tolerance:g}, cache {a.cache:g} MB, median of "
            f"{a.repeats} alternating repeats, time limit {a.limit:g} s a run.", "",
            "hedgerow and libsvm: whole commands, reading and writing included, except the columns `fit s` and (hedgerow only) `predict s`. "
            "The others: inside Python, arrays already in memory; start-up and reading excluded, the interpreter is in their peak memory.", ""]
    text += ["\n".join(f"* {k}: {v}" for k, v in versions.items()), ""]
    if skipped:
        text += ["Not run:", "", "\n".join(f"* {m}" for m in skipped), ""]
    text += ["Parameters: " + "; ".join(f"{n}: C = {PROBLEMS[n].cost:g}, gamma = {PROBLEMS[n].gamma:g}" for n in names) + ".", ""]
    for threads in a.threads:
        text += [f"## {threads} thread{'s' * (threads > 1)}", "", ratio_table(runs, names, threads), "",
                 quality_notes(runs, names, a.peers, threads), "", speed_table(runs, names, a.peers, threads, features, limits), ""]
        if any(r["set"] == "local" for r in runs):
            text += [f"### {a.solves} solves of a local problem (1,000 rows x 54 columns), {threads} thread{'s' * (threads > 1)}", "",
                     local_table(runs, a.peers, threads), ""]
    if limits:
        text += ["The numpy limit is RBF kernel values a second in f32 on one thread: "
                 + ", ".join(f"{v / 1e6:.0f} M at {k} columns" for k, v in limits.items()) + ".", ""]
    return "\n".join(text)


# ---------------------------------------------------------------------------------- command line
def names_of(text, known, what, parser):
    names = text.split(",")
    unknown = [n for n in names if n not in known]
    if unknown:
        parser.error(f"unknown {what} {', '.join(unknown)}; known: {', '.join(known)}")
    return names


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", help=f"comma-separated, of {', '.join(PROBLEMS)}, local")
    p.add_argument("--peers", default=",".join(PEERS))
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--limit", type=float, default=900, help="seconds a run")
    p.add_argument("--tolerance", type=float, default=1e-3)
    p.add_argument("--cache", type=float, default=1000, help="MB")
    p.add_argument("--solves", type=int, default=200, help="of the local problem")
    p.add_argument("--quick", action="store_true", help="small sets, one repeat, one thread, 20 local solves")
    p.add_argument("--out", default=str(common.RESULTS), help="folder of the results")
    a = p.parse_args()
    if a.quick:
        a.repeats, a.threads, a.solves = 1, "1", 20
    known = [*PROBLEMS, "local"]
    chosen = names_of(a.sets, known, "set", p) if a.sets else [n for n in known if not a.quick or n == "local" or PROBLEMS[n].quick]
    a.peers = names_of(a.peers, PEERS, "peer", p)
    a.threads = [int(t) for t in a.threads.split(",")]
    return a, chosen


def main():
    a, chosen = arguments()
    made = subprocess.run([common.peer_python(), HERE / "prepare.py", *chosen])
    if made.returncode:
        return 1
    ready = [n for n in chosen if (CACHE / f"{n}.train").exists() and (CACHE / f"{n}.test").exists()]
    names = [n for n in ready if n != "local"]
    versions = common.versions()
    folder = Path(a.out)
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"exact_svm-{time.strftime('%Y%m%d-%H%M%S')}"
    runs, absent, skipped = [], set(), []
    with open(f"{stem}.jsonl", "w") as log:
        log.write(json.dumps({"versions": versions}) + "\n")
        for name in ready:
            for threads in a.threads:
                for repeat in range(a.repeats):
                    for peer in a.peers:
                        if peer in absent:
                            continue
                        try:
                            result = run_local(peer, a, threads) if name == "local" else run_peer(peer, PROBLEMS[name], a, threads)
                        except Missing as e:
                            if str(e) not in skipped:
                                skipped.append(str(e))
                                print(f"skipped: {e}", file=sys.stderr)
                            if name != "local":          # the local problem needs other programs: absent there says nothing
                                absent.add(peer)
                            continue
                        record = dict(set=name, peer=peer, threads=threads, repeat=repeat, **result)
                        runs.append(record)
                        log.write(json.dumps(record) + "\n")
                        log.flush()
                        seen = record.get("failed") or f"{record.get('train_wall', 0):.2f} s"
                        print(f"{name} x{threads} #{repeat} {peer}: {seen}", file=sys.stderr)
    features = {r["set"]: r["features"] for r in runs if "features" in r}
    asked = run([common.peer_python(), HERE / "limits.py", *sorted({str(v) for v in features.values()}, key=int)], 1)
    text = report(runs, a, names, versions, features, asked.json() if asked.ok and features else {}, skipped)
    Path(f"{stem}.md").write_text(text)
    print(text)
    print(f"written: {stem}.md, {stem}.jsonl", file=sys.stderr)
    return 1 if any("failed" in r and r["peer"] == "hedgerow" for r in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
