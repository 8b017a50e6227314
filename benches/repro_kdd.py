#!/usr/bin/env python3
"""Intrusion detection (KDD-99): rankers of a rare class beside SVMs and boosted trees, on growing shares of the rows (figure 5.3).

    python benches/repro_kdd.py                      # shares 5, 25, 50, 75 %, two draws
    python benches/repro_kdd.py --shares 5 --limit 20
    python benches/repro_kdd.py --report

The 10 % file without repeated lines: 145,586 rows, 1,051 of them positive (U2R and R2L); the test file leaves 77,291. The protocol is three
0/1 columns; service and flag are the share of attacks among training rows with that value. Columns are standardised on training rows, the
Gaussian kernel is as wide as their mean squared distance. A share of the training file trains, stratified, two random draws; the SVMs take the lambda with
the best AUC on the other training rows (at most 30,000), C = 1 / (lambda m), from 2^-20, 2^-17, 2^-14, 2^-11, after `resample rus` from 2^-20,
2^-18, ..., 2^10; rankers search their sixteen values with five folds of the training rows. A fit of an SVM ends after --limit seconds. LightGBM
has its default settings and one thread (its threads wait for each other on a busy machine). Needs pandas, scikit-learn and lightgbm. Results are appended to build/bench-results/repro_kdd.jsonl and not repeated.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split

import common
from common import exactly, hedgerow, run, table
from rare_data import DATA

U2R = "buffer_overflow loadmodule perl rootkit httptunnel ps sqlattack xterm".split()
R2L = ("ftp_write guess_passwd imap multihop phf spy warezclient warezmaster named sendmail snmpgetattack snmpguess worm xlock "
       "xsnoop").split()
COUNTS = {"train": (145_586, 1_051), "test": (77_291, 3_128)}
RANKERS = {"rank-rc, rare": ["rank-rc", "--basis", "rare"], "rank-rc, rare-random": ["rank-rc", "--basis", "rare-random"],
           "rank-rnd": ["rank-rnd"]}
SVMS = ["svm", "svm, weighted", "svm after rus"]
METHODS = [*RANKERS, *SVMS, "lightgbm"]


def load(part):
    rows = pd.read_csv(DATA / f"kddcup99_10pct.{part}.csv.gz").drop_duplicates(ignore_index=True)
    label = rows.pop("class").str.rstrip(".")
    positive = label.isin(U2R + R2L).to_numpy().astype(int)
    if (len(rows), positive.sum()) != COUNTS[part]:
        raise ValueError(f"{part}: {len(rows)} rows, {positive.sum()} positive; expected {COUNTS[part]}")
    return rows, positive, (label != "normal").to_numpy()


def encoded(train, attack, *parts):
    """Columns of numbers, standardised; all that is learnt is learnt from `train`."""
    rates = {c: pd.Series(attack, index=train.index).groupby(train[c]).mean() for c in ("service", "flag")}

    def numbers(rows):
        rows = rows.copy()
        for c, rate in rates.items():
            rows[c] = rows[c].map(rate).fillna(attack.mean())
        for p in ("tcp", "udp", "icmp"):
            rows[p] = (rows.protocol_type == p).astype(float)
        return rows.drop(columns="protocol_type").to_numpy(float)

    x = numbers(train)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1
    return [(numbers(p) - mean) / deviation for p in (train, *parts)]


def write(path, x, y):
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(x.shape[1])])
    frame["class"] = y
    frame.to_csv(path, index=False, float_format="%.8g")


def program(*words):
    done = run([hedgerow(), *exactly(*words), "--json", "--quiet"], limit=1500)
    if not done.ok:
        raise RuntimeError(done.trouble())
    return done.json()


def fit(folder, words):
    """Facts of the fit, and its metrics on a file."""
    facts = program("train", *words, folder / "train.csv", folder / "model")
    ask = lambda name: program("predict", folder / f"{name}.csv", folder / "model", folder / "out")["metrics"]  # noqa: E731
    return facts, ask


def result(facts, metrics, search, **more):
    return {"auc": 100 * metrics["auc"], "ap": 100 * metrics["average_precision"], "kernels": facts["support_vectors"],
            "fit_seconds": facts["seconds"], "search_seconds": search, "status": facts["status"], **more}


def ranker(folder, name, gamma):
    words = [*RANKERS[name], "-g", gamma]
    facts, ask = fit(folder, words)
    metrics, search = ask("test"), facts["seconds"]
    lam = program("inspect", folder / "model")["lambda"]
    once, _ = fit(folder, [*words, "--lambda", lam])
    return {**result(facts, metrics, search, **{"lambda": lam}), "fit_seconds": once["seconds"]}


def svm(folder, name, gamma, y, limit):
    rows, positives = len(y), int(y.sum())
    options, exponents = ["-m", 2000, "--max-seconds", limit], range(-20, -10, 3)
    if name == "svm, weighted":
        options += ["--class-weight", f"1={rows / (2 * positives)}", "--class-weight", f"0={rows / (2 * (rows - positives))}"]
    if name == "svm after rus":
        options += ["--resample", "rus"]
        rows, exponents = 2 * positives, range(-20, 11, 2)
    search, best = 0.0, None
    for e in exponents:
        facts, ask = fit(folder, ["svm", "-g", gamma, "-c", 1 / (2.0 ** e * rows), *options])
        search += facts["seconds"]
        auc = ask("valid")["auc"]
        if best is None or auc > best[0]:
            best = auc, result(facts, ask("test"), 0, **{"lambda": 2.0 ** e, "valid_auc": 100 * auc})
    return {**best[1], "search_seconds": search}


def lightgbm(x, y, xt, yt):
    from lightgbm import LGBMClassifier

    start = time.perf_counter()
    model = LGBMClassifier(verbose=-1, random_state=0, n_jobs=1).fit(x, y)
    seconds = time.perf_counter() - start
    s = model.predict_proba(xt)[:, 1]
    return {"auc": 100 * roc_auc_score(yt, s), "ap": 100 * average_precision_score(yt, s), "fit_seconds": seconds, "status": "converged"}


def report(records):
    shares = sorted({r["share"] for r in records})
    for what, key in (("test AUC, %", "auc"), ("average precision, %", "ap"), ("seconds of one fit, least of the draws", "fit_seconds"),
                      ("seconds of the search for lambda, least of the draws", "search_seconds"), ("kernel functions", "kernels")):
        rows = []
        for m in METHODS:
            cells = [[r[key] for r in records if (r["method"], r["share"]) == (m, s) and key in r] for s in shares]
            if key in ("auc", "ap"):
                texts = [f"{np.mean(c):.1f} ({min(c):.1f} to {max(c):.1f})" if c else "" for c in cells]
            else:
                least = [(np.mean if key == "kernels" else min)(c) if c else None for c in cells]
                texts = ["" if v is None else f"{v:.0f}" if v >= 10 else f"{v:.2g}" for v in least]
            if any(texts):
                rows.append([m, *texts])
        print("\n" + table([what, *(f"{s} %" for s in shares)], rows))
    print("\nnot converged:", [(r["method"], r["share"], r["draw"], r["status"]) for r in records if r["status"] != "converged"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shares", default="5,25,50,75")
    parser.add_argument("--draws", type=int, default=2, help="random choices of the share")
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    parser.add_argument("--limit", type=float, default=60, help="seconds of one fit of an SVM")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    store = common.RESULTS / "repro_kdd.jsonl"
    known = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    have = {(r["method"], r["share"], r["draw"]) for r in known}
    jobs = [(d, int(s)) for d in range(args.draws) for s in args.shares.split(",")]
    for draw, share in [] if args.report else jobs:
        todo = [m for m in args.methods.split(";") if (m, share, draw) not in have]
        if not todo:
            continue
        rows, positive, attack = load("train")
        test, yt, _ = load("test")
        train, rest = train_test_split(np.arange(len(rows)), train_size=share / 100, stratify=positive, random_state=draw)
        rest = np.sort(np.random.default_rng(0).permutation(rest)[:30_000])
        x, xv, xt = encoded(rows.iloc[train], attack[train], rows.iloc[rest], test)
        y = positive[train]
        gamma = 1 / (2 * x.var(axis=0).sum())
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for name, a, b in (("train", x, y), ("valid", xv, positive[rest]), ("test", xt, yt)):
                write(folder / f"{name}.csv", a, b)
            for m in todo:
                if m in RANKERS:
                    found = ranker(folder, m, gamma)
                else:
                    found = lightgbm(x, y, xt, yt) if m == "lightgbm" else svm(folder, m, gamma, y, args.limit)
                record = {"share": share, "draw": draw, "rows": len(y), "positives": int(y.sum()), "method": m, **found}
                known.append(record)
                with store.open("a") as f:
                    f.write(json.dumps(record) + "\n")
                print(draw, share, m, {k: round(v, 4) if isinstance(v, float) else v for k, v in found.items()}, file=sys.stderr, flush=True)
    report(known)


if __name__ == "__main__":
    main()
