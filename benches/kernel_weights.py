"""Kernel feature weighting beside its peers: tables 7.1 and 7.2 of the document, Madelon, speed.

    cargo build --release -p hedgerow --example weights_on_files; cargo build --release -p hedgerow-cli --bins
    python benches/kernel_weights.py ndcc --structures 10          # AO-II, GMKL, SVM on all columns
    python benches/kernel_weights.py ndcc --structures 10 --peers  # ... and selectors of other packages
    python benches/kernel_weights.py probes --structures 3         # growing numbers of useless columns
    python benches/kernel_weights.py madelon
    python benches/kernel_weights.py speed

Prices are chosen on rows held out of the training rows; test rows are looked at once. Needs numpy and
scikit-learn; the peers are pyHSICLasso and Boruta.
"""

import argparse
import csv
import gzip
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("HEDGEROW_DATA", ROOT.parent / "shared" / "data"))
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
PROGRAM = os.environ.get("HEDGEROW_BIN", str(RELEASE / "hedgerow"))
WEIGHTS = os.environ.get("HEDGEROW_WEIGHTS", str(RELEASE / "examples" / "weights_on_files"))

MADELON_RELEVANT = {
    f - 1
    for f in (29, 49, 65, 106, 129, 154, 242, 282, 319, 337, 339, 379, 434, 443, 452, 454, 456, 473, 476, 494)
}
COSTS, MUS = "0.25,1,4,16", "0.00390625,0.015625,0.0625,0.25,1"


def read(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as text:
        rows = [[float(v) for v in row] for row in list(csv.reader(text))[1:]]
    rows = np.array(rows)
    return rows[:, :-1], rows[:, -1]


def write(path, X, y):
    with open(path, "w") as out:
        out.write(",".join([f"x{f + 1}" for f in range(X.shape[1])] + ["label"]) + "\n")
        for row, label in zip(X, y):
            out.write(",".join(map(repr, row.tolist())) + f",{float(label)!r}\n")


def ndcc(folder, structure, seed, rows, probes):
    path = Path(folder) / f"ndcc-{structure}-{seed}-{probes}.csv"
    words = ["generate", "ndcc-probes", "--rows", rows, "--set", f"probes={probes}", "--set", f"structure={structure}"]
    command = [PROGRAM, *map(str, words), "--seed", str(seed), "--quiet", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


def weigh(method, train, validation, test, costs, mus, starts, *options):
    words = [WEIGHTS, method, train, validation, test, costs, mus, starts, *options]
    environment = dict(os.environ, RAYON_NUM_THREADS="1")
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def standardised(train, *others):
    mean, deviation = train.mean(0), train.std(0)
    deviation[deviation == 0] = 1
    return [(X - mean) / deviation for X in (train, *others)]


def svm_error(columns, train, validation, test):
    """An RBF SVM on some columns, C and width by the validation rows: its error on the test rows."""
    from sklearn.svm import SVC

    (X, y), (V, v), (T, t) = train, validation, test
    best = None
    for cost in 2.0 ** np.arange(-3, 9, 2):
        for power in range(-8, 5):
            model = SVC(C=cost, gamma=2.0**power / len(columns)).fit(X[:, columns], y)
            error = np.mean(model.predict(V[:, columns]) != v)
            if best is None or error < best[0]:
                best = error, model
    return float(np.mean(best[1].predict(T[:, columns]) != t))


def peer_columns(X, y):
    """Columns that other packages keep, with the seconds they take."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import RFE
    from sklearn.inspection import permutation_importance
    from sklearn.svm import SVC

    def hsic():
        from pyHSICLasso import HSICLasso

        lasso = HSICLasso()
        lasso.input(X, y.astype(int))
        lasso.classification(20, B=0, M=1, n_jobs=1)
        return list(lasso.get_index())

    def boruta():
        from boruta import BorutaPy

        forest = RandomForestClassifier(max_depth=5, n_jobs=1, random_state=0)
        found = BorutaPy(forest, n_estimators="auto", random_state=0).fit(X, y)
        kept = np.where(found.support_)[0]
        return list(kept if len(kept) else np.argsort(found.ranking_)[:20])

    def rfe():
        return list(np.where(RFE(SVC(kernel="linear"), n_features_to_select=20).fit(X, y).support_)[0])

    def permutation():
        forest = RandomForestClassifier(500, random_state=0, n_jobs=1).fit(X, y)
        found = permutation_importance(forest, X, y, n_repeats=5, random_state=0, n_jobs=1)
        return list(np.argsort(-found.importances_mean)[:20])

    found = {}
    for name, choose in (
        ("pyHSICLasso", hsic),
        ("Boruta", boruta),
        ("RFE-SVM", rfe),
        ("permutation", permutation),
    ):
        clock = time.process_time()
        output, sys.stdout = sys.stdout, io.StringIO()
        try:
            columns = choose()
        except ImportError as missing:
            print(f"{name}: {missing}", file=sys.stderr)
            continue
        finally:
            sys.stdout = output
        found[name] = columns, time.process_time() - clock
    return found


def tell(table):
    for name, rows in table.items():
        errors, right, wrong = zip(*[row[:3] for row in rows])
        perfect = sum(r == 20 and w == 0 for r, w in zip(right, wrong))
        labels = "".join(row[3] for row in rows)
        seconds = statistics.mean(row[4] for row in rows)
        print(
            f"{name:13} median error {100 * statistics.median(errors):5.1f} % "
            f"right {statistics.median(right):4.1f} wrong {statistics.median(wrong):5.1f} "
            f"20/0 in {perfect} of {len(rows)}  {labels}  {seconds:.1f} s",
            flush=True,
        )


def ndcc_table(arguments, probes=100, methods=("ao-ii", "gmkl")):
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        for structure in range(1, arguments.structures + 1):
            files = [
                ndcc(folder, structure, 3 * structure + k, rows, probes)
                for k, rows in enumerate((200, 200, 1000))
            ]
            train, validation, test = map(read, files)
            X, V, T = standardised(train[0], validation[0], test[0])
            sets = (X, train[1]), (V, validation[1]), (T, test[1])
            for method in methods:
                found = weigh(method, *files, COSTS, MUS, arguments.starts, *arguments.options.split())
                kept = np.array(found["weights"]) > 0
                row = (
                    found["test_error"],
                    int(kept[:20].sum()),
                    int(kept[20:].sum()),
                    found["label"],
                    found["seconds"],
                )
                table.setdefault(method, []).append(row)
                # As the peers are judged: another SVM on the columns that are kept.
                error = svm_error(list(np.where(kept)[0]), *sets)
                table.setdefault(f"{method} + SVM", []).append((error, *row[1:3], "", row[4]))
                if arguments.verbose:
                    told = {key: value for key, value in found.items() if key not in ("weights", "factors")}
                    print(structure, method, row[:4], told, flush=True)
            error = svm_error(list(range(X.shape[1])), *sets)
            table.setdefault("SVM", []).append((error, 20, probes, "", 0.0))
            if arguments.verbose:
                print(structure, "SVM", error, flush=True)
            if arguments.peers:
                for name, (columns, seconds) in peer_columns(X, train[1]).items():
                    right = sum(f < 20 for f in columns)
                    row = svm_error(columns, *sets), right, len(columns) - right, "", seconds
                    table.setdefault(name, []).append(row)
                    if arguments.verbose:
                        print(structure, name, row, flush=True)
    tell(table)


def madelon(arguments):
    from sklearn.neighbors import KNeighborsClassifier

    X, y = read(DATA / "madelon.train.csv.gz")
    T, t = read(DATA / "madelon.test.csv.gz")
    order = np.random.default_rng(0).permutation(len(X))
    first, held = order[:1500], order[1500:]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("train.csv", "held.csv", "test.csv")]
        for path, (rows, labels) in zip(files, ((X[first], y[first]), (X[held], y[held]), (T, t))):
            write(path, rows, labels)
        options = ["--refit", *arguments.options.split()]
        found = weigh("ao-ii", *files, "0.5,1,2", "2,4,8,16", arguments.starts, *options)
    factors = np.array(found["factors"])
    kept = set(np.where(factors > 0)[0].tolist())
    told = {key: value for key, value in found.items() if key not in ("weights", "factors")}
    print(told)
    print(
        f"AO-II: test error {100 * found['test_error']:.2f} % with {len(kept)} features, "
        f"{len(kept - MADELON_RELEVANT)} of them not relevant: {sorted(f + 1 for f in kept)}"
    )
    for name, scale in (("weighted", factors), ("unweighted", 1 / X.std(0))):

        def error(k, train, test):
            model = KNeighborsClassifier(k).fit(X[train] * scale, y[train])
            return np.mean(model.predict(test[0] * scale) != test[1])

        k = min((1, 3, 5, 11, 21, 31), key=lambda k: error(k, first, (X[held], y[held])))
        print(f"k-NN, {name} columns, k = {k}: test error {100 * error(k, order, (T, t)):.2f} %")


# ------------------------------------------------------------------ the same iteration in NumPy
def numpy_ao_two(X, y, cost, mu, z, outers=30, inner=40):
    """AO-II with L-BFGS-B for the weights and Newton's method for the machine; stops as ours does."""
    import scipy.optimize

    def loss(t):
        return np.where(t < 0, 0.5 - t, np.where(t < 1, 0.5 * (1 - t) ** 2, 0))

    def slope(t):
        return np.where(t < 0, -1.0, np.where(t < 1, t - 1, 0))

    def kernel(A, B):
        a, b = (A * A).sum(1), (B * B).sum(1)
        return np.exp(-np.maximum(0, a[:, None] + b[None] - 2 * A @ B.T))

    def machine(K, beta, b):
        n = len(y)
        f = K @ beta + b
        value = 0.5 * beta @ (f - b) + cost * loss(y * f).sum()
        for _ in range(100):
            t = y * f
            straight, bent = t < 0, (t >= 0) & (t < 1)
            target = np.where(straight, cost * y, 0.0)
            q = bent.sum()
            if q == 0:
                break
            matrix = np.zeros((q + 1, q + 1))
            matrix[:q, :q] = K[np.ix_(bent, bent)] + np.eye(q) / cost
            matrix[:q, q] = matrix[q, :q] = 1
            right = np.r_[y[bent] - K[np.ix_(bent, straight)] @ target[straight], -target.sum()]
            solved = np.linalg.solve(matrix, right)
            target[bent], bias = solved[:q], solved[q]
            step = 1.0
            while True:
                new, nb = beta + step * (target - beta), b + step * (bias - b)
                g = K @ new + nb
                next_value = 0.5 * new @ (g - nb) + cost * loss(y * g).sum()
                if next_value < value or step < 1e-6:
                    break
                step /= 2
            done = value - next_value <= 1e-10 * abs(value)
            if next_value < value:
                beta, b, f, value = new, nb, g, next_value
            if done:
                break
        return beta, b, value, n

    beta, b, before, best = np.zeros(len(y)), 0.0, None, (np.inf, z)
    for outer in range(outers):
        active = z > 0
        A = X[:, active] * z[active]
        beta, b, value, _ = machine(kernel(A, A), beta, b)
        norm = beta @ (kernel(A, A) @ beta)
        if value + mu * z.sum() < best[0]:
            best = value + mu * z.sum(), z.copy()
        counts = z >= 0.01 * z.max()
        if norm < 1e-10 or (before is not None and (before == counts).all()):
            break
        before = counts
        S = np.abs(beta) > 1e-12

        def function(p):
            w, margin = np.maximum(p[:-1], 0), p[-1]
            on = w > 0
            Xs = X[:, on]
            B = Xs[S]
            K = kernel(Xs * w[on], B * w[on])
            t = y * (K @ beta[S] + b) / margin
            l1 = slope(t)
            rows = l1 != 0
            W = (cost / margin) * (l1 * y)[rows, None] * beta[S] * K[rows]
            Xr = Xs[rows]
            gradient = np.full(len(w) + 1, mu)
            q = W.sum(1) @ (Xr * Xr) + W.sum(0) @ (B * B) - 2 * (Xr * (W @ B)).sum(0)
            gradient[:-1][on] -= 2 * w[on] * q
            gradient[-1] = -norm / margin**3 - (cost / margin) * (l1 * t).sum()
            return norm / (2 * margin**2) + cost * loss(t).sum() + mu * w.sum(), gradient

        bounds = [(0, None)] * len(z) + [(1e-3, None)]
        options = dict(maxiter=inner, maxfun=inner + 10)
        found = scipy.optimize.minimize(
            function, np.r_[z, 1.0], jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        z = np.maximum(found.x[:-1], 0)
        if z.max() <= 0:
            break
        beta, b = beta / found.x[-1], b / found.x[-1]
    return best, outer + 1


def speed(arguments):
    """One pair of prices, one thread, alternating."""
    with tempfile.TemporaryDirectory() as folder:
        small = ndcc(folder, 1, 3, 200, 100)
        X, y = read(DATA / "madelon.train.csv.gz")
        large = Path(folder) / "madelon.csv"
        write(large, X, y)
        for name, path, cost, mu in (("NDCC 200 x 120", small, 4.0, 2.0**-4), ("Madelon", large, 0.5, 8.0)):
            X, y = read(path)
            (X,) = standardised(X)
            y = np.where(y > y.min(), 1.0, -1.0)
            start = np.full(X.shape[1], 1 / np.sqrt(2 * X.shape[1]))
            ours, theirs, hsic = [], [], []
            for _ in range(arguments.repeats):
                # The same iteration: no feature that fell to 0 is tried again.
                found = weigh("ao-ii", path, path, path, cost, mu, "scaled", "--keep-zeros")
                ours.append(found["seconds"])
                again = weigh("ao-ii", path, path, path, cost, mu, "scaled")
                clock = time.perf_counter()
                (objective, z), rounds = numpy_ao_two(X, y, cost, mu, start)
                theirs.append(time.perf_counter() - clock)
                if arguments.peers:
                    hsic.append(peer_columns_hsic(X, y))
            a, b = statistics.median(ours), statistics.median(theirs)
            print(
                f"{name}: ours {a:.2f} s, objective {found['objective']:.2f}, "
                f"{sum(w > 0 for w in found['weights'])} features; NumPy {b:.2f} s, {objective:.2f}, "
                f"{(z >= 0.01 * z.max()).sum()} features, {rounds} rounds; ratio {b / a:.1f}; "
                f"with features tried again {again['seconds']:.2f} s, objective {again['objective']:.2f}",
                flush=True,
            )
            if hsic:
                print(f"{name}: pyHSICLasso {statistics.median(hsic):.2f} s, ratio {statistics.median(hsic) / a:.1f}")


def peer_columns_hsic(X, y):
    from pyHSICLasso import HSICLasso

    output, sys.stdout = sys.stdout, io.StringIO()
    clock = time.perf_counter()
    try:
        lasso = HSICLasso()
        lasso.input(X, y.astype(int))
        # As its authors say: in blocks of 20 where all rows at once would take too much.
        lasso.classification(20, B=0 if len(X) <= 500 else 20, M=1 if len(X) <= 500 else 3, n_jobs=1)
    finally:
        sys.stdout = output
    return time.perf_counter() - clock


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("ndcc", "probes", "madelon", "speed"))
    parser.add_argument("--structures", type=int, default=10)
    parser.add_argument("--starts", default="scaled")
    parser.add_argument("--options", default="", help="further options of weights_on_files")
    parser.add_argument("--methods", nargs="*", default=["ao-ii", "gmkl"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.part == "ndcc":
        ndcc_table(arguments, methods=arguments.methods)
    elif arguments.part == "probes":
        for probes in (0, 2, 5, 10, 20, 50, 100):
            print(f"{probes} probes")
            ndcc_table(arguments, probes, ("ao", "ao-i", "ao-ii"))
    elif arguments.part == "madelon":
        madelon(arguments)
    else:
        speed(arguments)


if __name__ == "__main__":
    main()
