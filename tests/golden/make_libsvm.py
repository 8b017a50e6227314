#!/usr/bin/env python3
"""Make libsvm.json and the files beside it: what LIBSVM answers on small data.

    LIBSVM_BIN=folder/of/svm-train python tests/golden/make_libsvm.py

Needs LIBSVM 3.3x (svm-train on PATH or in LIBSVM_BIN), its Python package libsvm-official (decision values), numpy and
scikit-learn (sample weights, which LIBSVM lacks). The real sets come from HEDGEROW_DATA (default ../shared/data beside
the repository). The outputs are committed; tests only read them.

libsvm.json: {"libsvm": version, "cases": [...]}. A case has
    name, method (svm, nu-svm, one-class, svr, nu-svr), options (LIBSVM letters), train, test (files here),
    labels (in LIBSVM's order, classifiers only),
    loose (tolerance 1e-3) and tight (1e-8), each with: objective (sum over the pairs, 6 decimals as printed), rho (one a pair),
      support_vectors, bounded (sum over the pairs), predicted (one a test row), decisions (for each test row one value a pair;
      one-class: the distance; regression: the prediction),
    objective_exact in loose and tight: recomputed in f64 from the coefficients, where the model text holds enough,
    model: LIBSVM model text of the loose run, where kept,
    probability: {model, labels, predicted, rows} with -b 1 at 1e-3, where asked for.
LIBSVM keeps kernel values in single precision while it trains: expect its objective to about 1e-5, not to 1e-8, also where tight.
Pairs are in LIBSVM's order (0,1), (0,2), …, (1,2), … of `labels`; a positive decision is a vote for the first.
A `weighted` case is scikit-learn's: weights (one a training row), objective_exact, rho (= -intercept), decisions.
"""

import ctypes
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

import common            # noqa: E402  (after the path is set)
import dual              # noqa: E402
import prepare           # noqa: E402
from libsvm import svm, svmutil     # noqa: E402

METHODS = {"svm": 0, "nu-svm": 1, "one-class": 2, "svr": 3, "nu-svr": 4}


# ---------------------------------------------------------------------------------- data
def write(name, x, y):
    with open(HERE / name, "w") as f:
        for label, row in zip(y, x):
            f.write(" ".join([f"{label:.9g}", *(f"{j + 1}:{v:.12g}" for j, v in enumerate(row) if v)]) + "\n")


def write_kernel(name, k, y):
    with open(HERE / name, "w") as f:
        for i, (label, row) in enumerate(zip(y, k)):
            f.write(f"{label:g} 0:{i + 1} " + " ".join(f"{j + 1}:{v:.7g}" for j, v in enumerate(row)) + "\n")


def real(source, labels=None):
    x, y = prepare.numeric(source)
    return x, np.array([labels[v] if labels else float(v) for v in y])


def thirds(x, y, seed, train, test):
    order = np.random.default_rng(seed).permutation(len(y))
    return x[order[:train]], y[order[:train]], x[order[train:train + test]], y[order[train:train + test]]


def make_data():
    iris = real("iris.csv.gz", {"Iris-setosa": 1, "Iris-versicolor": 2, "Iris-virginica": 3})
    x, y, xt, yt = thirds(*iris, 1, 100, 50)
    write("iris.train", x, y), write("iris.test", xt, yt)

    x, y = real("svmguide1.train.csv.gz")
    x, y, xt, yt = thirds(x, y, 2, 200, 60)
    write("svmguide1_raw.train", x, y), write("svmguide1_raw.test", xt, yt)
    x, xt = (np.round(v, 6) for v in prepare.to_range(x, xt, -1, 1))
    write("svmguide1.train", x, y), write("svmguide1.test", xt, yt)
    k = dual.kernel("rbf", 2)
    write_kernel("precomputed.train", k(x[:40], x[:40]), y[:40])
    write_kernel("precomputed.test", k(xt[:15], x[:40]), yt[:15])

    x, y = real("heart.csv.gz", {"absent": -1, "present": 1})
    x, y, xt, yt = thirds(x, y, 3, 200, 70)
    x, xt = (np.round(v, 6) for v in prepare.to_range(x, xt, -1, 1))
    write("heart.train", x, y), write("heart.test", xt, yt)

    # Awkward on purpose: five classes with odd labels and odd sizes, one of a single row; empty rows, duplicates (also with
    # opposite labels), a constant column, a column of tiny and one of large values, a column that only the test part has.
    rng = np.random.default_rng(4)
    sizes, names = [30, 18, 12, 5, 1], [7, -3, 100, 0, 2]
    y = np.repeat(names, sizes)
    x = rng.normal(size=(len(y), 6)) + np.repeat(rng.normal(size=(5, 6)) * 1.2, sizes, axis=0)
    x[:, 1] = 1
    x[:, 2] *= 1e-6
    x[:, 3] = np.round(x[:, 3] * 30)
    x[rng.random(x.shape) < .25] = 0
    x[[3, 40]] = 0
    x[10], x[50], x[51] = x[11], x[2], x[2]
    order = rng.permutation(len(y))
    xt = np.c_[rng.normal(size=(40, 6)), np.zeros(40)]
    xt[:, 2] *= 1e-6
    xt[:, 3] = np.round(xt[:, 3] * 30)
    xt[7] = 0
    xt[9, 6] = 3.5
    write("awkward.train", x[order], y[order]), write("awkward.test", xt, rng.choice(names, 40))

    rng = np.random.default_rng(5)
    x, xt = rng.uniform(-2, 2, (120, 3)), rng.uniform(-2, 2, (40, 3))
    wave = lambda v: np.sin(2 * v[:, 0]) + .5 * v[:, 1] ** 2 - .3 * v[:, 2]
    y = wave(x) + rng.normal(0, .1, 120)
    y[::30] += 4                                    # outliers
    write("wave.train", np.round(x, 6), np.round(y, 6)), write("wave.test", np.round(xt, 6), np.round(wave(xt), 6))


# ---------------------------------------------------------------------------------- cases
def cases():
    rbf = {"iris": [0.25, 10], "svmguide1": [2, 2], "heart": [0.1, 1], "awkward": [0.01, 5]}
    for data, (g, c) in rbf.items():
        yield f"{data}-rbf", "svm", data, f"-t 2 -g {g} -c {c}"
    yield "svmguide1_raw-defaults", "svm", "svmguide1_raw", "-t 2 -g 0.25 -c 1"
    yield "svmguide1-far-bound", "svm", "svmguide1", "-t 2 -g 2 -c 1000"
    yield "iris-linear", "svm", "iris", "-t 0 -c 1"
    yield "heart-linear", "svm", "heart", "-t 0 -c 0.5"
    yield "iris-poly", "svm", "iris", "-t 1 -d 2 -g 0.25 -r 1 -c 1"
    yield "heart-poly", "svm", "heart", "-t 1 -d 3 -g 0.1 -r 1 -c 1"
    yield "heart-sigmoid", "svm", "heart", "-t 3 -g 0.05 -r 0 -c 1"
    yield "svmguide1-sigmoid", "svm", "svmguide1", "-t 3 -g 0.2 -r -0.5 -c 1"
    yield "precomputed", "svm", "precomputed", "-t 4 -c 2"
    yield "heart-weights", "svm", "heart", "-t 2 -g 0.1 -c 1 -w1 3 -w-1 0.5"
    yield "iris-weights", "svm", "iris", "-t 2 -g 0.25 -c 1 -w2 10"
    yield "heart-no-shrinking", "svm", "heart", "-t 2 -g 0.1 -c 1 -h 0"
    yield "heart-nu", "nu-svm", "heart", "-t 2 -g 0.1 -n 0.4"
    yield "iris-nu", "nu-svm", "iris", "-t 2 -g 0.25 -n 0.2"
    yield "svmguide1-one-class", "one-class", "svmguide1", "-t 2 -g 2 -n 0.1"
    yield "heart-one-class", "one-class", "heart", "-t 0 -n 0.5"
    yield "wave-svr", "svr", "wave", "-t 2 -g 0.5 -c 5 -p 0.1"
    yield "wave-svr-linear", "svr", "wave", "-t 0 -c 1 -p 0.2"
    yield "wave-nu-svr", "nu-svr", "wave", "-t 2 -g 0.5 -c 5 -n 0.4"


WITH_PROBABILITY = {"iris-rbf", "heart-rbf", "svmguide1-rbf"}
# One model text for each kernel and method is enough; those with many support vectors are large.
WITHOUT_MODEL = {"svmguide1_raw-defaults", "heart-linear", "heart-poly", "heart-sigmoid", "heart-weights", "heart-no-shrinking", "heart-nu",
                 "heart-one-class", "wave-svr-linear"}


def rounded(values, digits=10):
    return [float(f"{v:.{digits}g}") for v in values]


def solve(method, data, options, tolerance, model, extra=()):
    command = [common.libsvm("svm-train"), "-s", str(METHODS[method]), *options.split(), *extra, "-e", f"{tolerance:g}",
               str(HERE / f"{data}.train"), str(model)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def decide(model, test, probability=False):
    """Labels and decision values (or probabilities) of LIBSVM's own functions. They are called directly: the package's svm_predict
    gives nu-SVC a buffer of one value whatever the number of classes."""
    m = svmutil.svm_load_model(str(model))
    _, rows = svmutil.svm_read_problem(str(HERE / test))
    plain = m.get_svm_type() in (svm.svm_forms.ONE_CLASS, svm.svm_forms.EPSILON_SVR, svm.svm_forms.NU_SVR)
    n = m.get_nr_class()
    width = 1 if plain else n if probability else n * (n - 1) // 2
    buffer, ask = (ctypes.c_double * width)(), svm.libsvm.svm_predict_probability if probability else svm.libsvm.svm_predict_values
    labels, values = [], []
    for row in rows:
        nodes, _ = svm.gen_svm_nodearray(row, isKernel=m.param.kernel_type == svm.kernel_names.PRECOMPUTED)
        labels.append(ask(m, nodes, buffer))
        values.append(list(buffer))
    return labels, np.array(values)


def recompute(model, test):
    """Decision values by the textbook from the model text: a second opinion on what the package told."""
    head, coefs, sv = dual.read_model(model)
    kind = head["kernel_type"][0]
    number = lambda key, default: float(head.get(key, [default])[0])
    if kind == "precomputed":
        k = dense(test, 40)[0][:, sv - 1]
    else:
        x = dense(test, 20)[0]
        sv = np.pad(sv, ((0, 0), (0, x.shape[1] - sv.shape[1])))
        k = dual.kernel(kind, number("gamma", 1), number("coef0", 0), int(number("degree", 3)))(x, sv)
    rho = [float(v) for v in head["rho"]]
    if "nr_sv" not in head:
        return k @ coefs.T - rho
    ends = np.concatenate([[0], np.cumsum([int(v) for v in head["nr_sv"]])])
    columns, n = [], len(ends) - 1
    for c in range(n):
        for d in range(c + 1, n):
            left, right = slice(ends[c], ends[c + 1]), slice(ends[d], ends[d + 1])
            columns.append(k[:, left] @ coefs[d - 1, left] + k[:, right] @ coefs[c, right])
    return np.array(columns).T - rho


def answers(method, data, options, tolerance, model):
    text = solve(method, data, options, tolerance, model)
    head = common.model_header(model)
    labels, values = decide(model, f"{data}.test")
    gap = np.abs(values - recompute(model, f"{data}.test")).max()
    if values.shape[1] != len(head["rho"]) or not gap < 1e-8 * max(1, np.abs(values).max()):
        raise SystemExit(f"{data} {options}: the package's decision values differ from the model text's by {gap}")
    out = {"objective": round(common.libsvm_objective(text), 6), "rho": [float(v) for v in head["rho"]],
           "support_vectors": int(head["total_sv"][0]), "bounded": sum(map(int, re.findall(r"nBSV = (\d+)", text))),
           "predicted": rounded(labels), "decisions": [rounded(v) for v in values]}
    exact = dual.model_objective(model)
    if exact is not None:
        # LIBSVM caches kernel values in single precision and sums its objective from gradients updated with them
        printed, pairs = out["objective"], len(out["rho"])
        if abs(exact - printed) > 1e-4 * abs(printed) + 1e-6 * pairs:
            raise SystemExit(f"{data} {options}: recomputed objective {exact} is not the printed {printed}")
        out["objective_exact"] = float(f"{exact:.12g}")
    return out, head


def make_case(name, method, data, options, tmp):
    model = (tmp if name in WITHOUT_MODEL else HERE / "models") / f"{name}.model"
    loose, head = answers(method, data, options, 1e-3, model)
    tight, _ = answers(method, data, options, 1e-8, tmp / "tight.model")
    out = {"name": name, "method": method, "options": options.split(), "train": f"{data}.train", "test": f"{data}.test"}
    if "label" in head:
        out["labels"] = [float(v) for v in head["label"]]
    out.update(loose=loose, tight=tight)
    if name not in WITHOUT_MODEL:
        out["model"] = f"models/{name}.model"
    if name in WITH_PROBABILITY:
        path = HERE / "models" / f"{name}-probability.model"
        solve(method, data, options, 1e-3, path, ["-b", "1"])
        labels, rows = decide(path, f"{data}.test", True)
        out["probability"] = {"model": f"models/{path.name}", "labels": [float(v) for v in common.model_header(path)["label"]],
                              "predicted": rounded(labels), "rows": [rounded(r, 9) for r in rows]}
    return out


def make_weighted():
    """Sample weights: C_i = C w_i. From scikit-learn, which carries a LIBSVM changed for that; weight 0 leaves the row out."""
    from sklearn.svm import SVC
    import sklearn
    x, y = dense("heart.train", 13)
    xt, _ = dense("heart.test", 13)
    weights = np.round(np.random.default_rng(6).gamma(2, .5, len(y)), 4)
    weights[::25] = 0
    m = SVC(C=1, gamma=0.1, tol=1e-8).fit(x, y, sample_weight=weights)
    f = dual.objective(m.support_vectors_, m.dual_coef_, m.n_support_, dual.kernel("rbf", 0.1))
    return {"name": "heart-sample-weights", "by": f"scikit-learn {sklearn.__version__}", "method": "svm", "options": "-t 2 -g 0.1 -c 1".split(),
            "train": "heart.train", "test": "heart.test", "labels": [1.0, -1.0], "weights": weights.tolist(),
            "tight": {"objective_exact": float(f"{f:.12g}"), "rho": [float(f"{-m.intercept_[0]:.12g}")], "support_vectors": int(m.n_support_.sum()),
                      "predicted": m.predict(xt).tolist(), "decisions": [[float(f"{v:.12g}")] for v in m.decision_function(xt)]}}


def dense(name, columns):
    """Matrix and labels of a file here; the serial number of a precomputed row (index 0) is left out."""
    lines = [line.split() for line in (HERE / name).read_text().splitlines()]
    x = np.zeros((len(lines), columns))
    for i, cells in enumerate(lines):
        for cell in cells[1:]:
            j, v = cell.split(":")
            if j != "0":
                x[i, int(j) - 1] = float(v)
    return x, np.array([float(cells[0]) for cells in lines])


def compact(document):
    """One line a case keeps differences readable without a line a number."""
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in document["cases"])
    weighted = json.dumps(document["weighted"], separators=(",", ":"))
    return f'{{"libsvm":{json.dumps(document["libsvm"])},\n"cases":[\n{lines}\n],\n"weighted":{weighted}}}\n'


def main():
    (HERE / "models").mkdir(exist_ok=True)
    make_data()
    with tempfile.TemporaryDirectory() as tmp:
        made = [make_case(*c, Path(tmp)) for c in cases()]
    (HERE / "libsvm.json").write_text(compact({"libsvm": common.libsvm_version(), "cases": made, "weighted": make_weighted()}))
    size = sum(p.stat().st_size for p in HERE.rglob("*") if p.is_file())
    print(f"{len(made)} cases; the folder has {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
