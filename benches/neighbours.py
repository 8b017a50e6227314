#!/usr/bin/env python3
"""Exact nearest neighbours: hedgerow beside scikit-learn's k-d tree, ball tree and brute force, and FAISS's IndexFlatL2.

    python benches/neighbours.py                                   # everything: an hour or more on two cores
    python benches/neighbours.py --sets ijcnn1,mnist10k --k 1,15 --threads 1
    python benches/neighbours.py --quick                           # small sets, few queries: proves that all of it runs

Every run is a fresh process that reads the same binary file, builds its index, and asks for the k nearest rows of all
queries in one call; building and asking are timed inside the process, reading is not. All get double-precision rows
but FAISS, which knows single precision only. A run that lasts longer than --limit seconds is given up.

Found neighbours are compared with hedgerow's brute force: the number of lists that differ is reported. Lists may
differ where distances are equal or, for FAISS, where single precision cannot tell them apart.

Sets come from the folder HEDGEROW_DATA (see prepare.py) and from `hedgerow generate`; set PEER_PYTHON to the
interpreter that has scikit-learn and faiss-cpu. Results go to build/bench-results/neighbours.jsonl and .md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import common
import prepare
from common import CACHE, RESULTS, table

HERE = Path(__file__).resolve().parent
PEERS = ["auto", "brute", "buckets", "cover", "kd_tree", "ball_tree", "sk_brute", "faiss"]
QUERIES = 10_000

# ---------------------------------------------------------------------------------- data
def covtype(rows):
    cells = np.loadtxt(prepare.source("covtype.csv.gz"), delimiter=",", skiprows=1)[:, :-1]
    cells = cells[np.random.default_rng(prepare.SEED).permutation(len(cells))]
    x, q = prepare.to_range(cells[QUERIES:], cells[:QUERIES], 0, 1)
    return x[:rows], q


def ijcnn1():
    return prepare.read_svm("ijcnn1.train.svm.gz", 22)[0], prepare.read_svm("ijcnn1.test.svm.gz", 22, QUERIES)[0]


def mnist(rows):
    return prepare.read_svm("mnist.train.svm.gz", 784, rows)[0] / 255, prepare.read_svm("mnist.test.svm.gz", 784)[0] / 255


def generated(name, rows, columns):
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        path = Path(tmp) / "data"
        subprocess.run([common.hedgerow(), "generate", name, "--rows", str(rows + QUERIES), "--quiet", str(path)], check=True)
        x = np.zeros((rows + QUERIES, columns))
        with open(path) as f:
            for i, line in enumerate(f):
                for pair in line.split()[1:]:
                    k, v = pair.split(":")
                    x[i, int(k) - 1] = float(v)
    return x[QUERIES:], x[:QUERIES]


def of_machines(name):
    """The arrays that local_machines.py uses too."""
    paths = [CACHE / f"{name}.{part}.npz" for part in ("train", "test")]
    if not all(path.exists() for path in paths):
        raise common.Missing(f"run benches/local_data.py {name} first")
    x, q = (np.load(path)["x"].astype(float) for path in paths)
    return x, q[:QUERIES]


SETS = {
    "covtype100k": lambda: covtype(100_000),
    "covtype570k": lambda: covtype(None),
    "ijcnn1": ijcnn1,
    "2-spirals-100k": lambda: generated("noisy-spirals", 100_000, 2),
    "checker-b-300k": lambda: generated("checker-b", 300_000, 2),
    "ndcc-100k": lambda: generated("ndcc", 100_000, 5),
    "mnist10k": lambda: mnist(10_000),
    "mnist60k": lambda: mnist(None),
    "kddcup99": lambda: of_machines("kddcup99"),
    "census_income": lambda: of_machines("census_income"),
}


def ready(name):
    """The files of a set, and its width; made when missing."""
    rows, queries, about = (CACHE / f"neighbours-{name}.{part}" for part in ("rows", "queries", "json"))
    if not about.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        x, q = SETS[name]()
        x.astype("<f8").tofile(rows)
        q.astype("<f8").tofile(queries)
        about.write_text(json.dumps({"rows": len(x), "features": x.shape[1], "queries": len(q)}))
    return rows, queries, json.loads(about.read_text())


# ---------------------------------------------------------------------------------- one run
def peer_main(peer, rows, queries, features, k, threads, found):
    """Inside the process of a Python peer."""
    import time
    d, k, threads = int(features), int(k), int(threads)
    x, q = np.fromfile(rows).reshape(-1, d), np.fromfile(queries).reshape(-1, d)
    if peer == "faiss":
        import faiss
        faiss.omp_set_num_threads(threads)
        x, q = x.astype("f4"), q.astype("f4")
        start = time.perf_counter()
        index = faiss.IndexFlatL2(d)
        index.add(x)
        built = time.perf_counter()
        lists = index.search(q, k)[1]
    else:
        from sklearn.neighbors import NearestNeighbors
        from threadpoolctl import threadpool_limits
        threadpool_limits(threads)
        start = time.perf_counter()
        index = NearestNeighbors(n_neighbors=k, algorithm=peer.removeprefix("sk_"), n_jobs=threads).fit(x)
        built = time.perf_counter()
        lists = index.kneighbors(q, return_distance=True)[1]
    end = time.perf_counter()
    lists.astype("<u4").tofile(found)
    print(json.dumps({"build_seconds": built - start, "query_seconds": end - built, "structure": peer}))


def one(peer, files, about, k, threads, limit, found):
    rows, queries = files
    if peer in ("auto", "brute", "buckets", "cover"):
        program = common.target() / "examples" / "neighbours"
        command = [program, rows, queries, about["features"], peer, k, threads, found]
    else:
        command = [common.peer_python(), HERE / "neighbours.py", "--peer", peer, rows, queries, about["features"], k, threads, found]
    r = common.run(command, threads, limit)
    return r.json() if r.ok else {"failed": r.trouble()}


def differing(a, b, k):
    """Lists that do not hold the same rows."""
    x, y = (np.sort(np.fromfile(path, "<u4").reshape(-1, k), axis=1) for path in (a, b))
    return int((x != y).any(axis=1).sum())


# ---------------------------------------------------------------------------------- command line
def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--peers", default=",".join(PEERS))
    p.add_argument("--k", default="1,15,1000")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--limit", type=float, default=300)
    p.add_argument("--quick", action="store_true")
    a = p.parse_args()
    if a.quick:
        a.sets, a.k, a.threads = "ijcnn1", "15", "1"
    RESULTS.mkdir(parents=True, exist_ok=True)
    lines = []
    with open(RESULTS / "neighbours.jsonl", "a") as log, tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as tmp:
        for name in a.sets.split(","):
            try:
                rows, queries, about = ready(name)
            except (FileNotFoundError, common.Missing) as e:
                print(f"{name}: skipped, {e}", file=sys.stderr)
                continue
            for k in map(int, a.k.split(",")):
                truth = Path(tmp) / "truth"
                one("brute", (rows, queries), about, k, 2, a.limit, truth)
                for threads in map(int, a.threads.split(",")):
                    for peer in a.peers.split(","):
                        found = Path(tmp) / "found"
                        r = dict(one(peer, (rows, queries), about, k, threads, a.limit, found), set=name, peer=peer, k=k, threads=threads)
                        if "failed" not in r and truth.exists():
                            r["differing"] = differing(truth, found, k)
                        log.write(json.dumps(r) + "\n")
                        log.flush()
                        cells = [r["failed"], "", ""] if "failed" in r else [f"{r['build_seconds']:.3f}", f"{r['query_seconds']:.3f}", r.get("differing", "")]
                        lines.append([name, k, threads, peer if peer != "auto" else f"auto ({r.get('structure', '')})", *cells])
                        print(*lines[-1], flush=True)
    text = table(["set", "k", "threads", "program", "build s", "queries s", "lists that differ"], lines)
    (RESULTS / "neighbours.md").write_text(text + "\n")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer_main(*sys.argv[2:])
    else:
        sys.exit(main())
