#!/usr/bin/env python3
"""One peer that lives inside Python, in its own process: read, fit, predict, print one JSON line.

    python peer_driver.py sklearn TRAIN TEST --cost 1 --gamma 0.1 --threads 1
    python peer_driver.py libsvm TRAIN TEST --cost 8 --gamma 4 --repeat 200      # the local problem: fits only

Peers: sklearn, onedal, thundersvm, libsvm (the official Python package). Reading and conversion are timed apart
from fitting: these packages are used on arrays already in memory. They get dense double arrays (their faster form on
these sets) unless --sparse is given.
"""

import argparse
import json
import resource
import sys
import time


def clock():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), u.ru_utime + u.ru_stime


def timed(fn):
    a = clock()
    value = fn()
    b = clock()
    return value, b[0] - a[0], b[1] - a[1]


def estimator(a):
    settings = dict(C=a.cost, gamma=a.gamma, tol=a.tolerance, kernel="rbf", cache_size=a.cache)
    if a.peer == "sklearn":
        from sklearn.svm import SVC
        return SVC(**settings)
    if a.peer == "onedal":
        import daal4py
        daal4py.daalinit(a.threads)
        from sklearnex.svm import SVC
        return SVC(**settings)
    from thundersvm import SVC
    settings["max_mem_size"] = settings.pop("cache_size")
    return SVC(n_jobs=a.threads, **settings)


def measure_estimator(a, x, y, xt, yt):
    import numpy as np
    model = estimator(a)

    def fits():
        for _ in range(a.repeat):
            model.fit(x, y)

    _, out["fit_seconds"], out["fit_cpu"] = timed(fits)
    out["support_vectors"] = int(np.sum(model.n_support_))
    if a.repeat == 1:
        labels, out["predict_seconds"], out["predict_cpu"] = timed(lambda: model.predict(xt))
        out["accuracy"] = float((np.asarray(labels).ravel() == yt).mean())
    out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024      # before the objective is computed
    if a.peer == "onedal":
        out["backend"] = "onedal" if getattr(model, "_onedal_estimator", None) is not None else "fell back to scikit-learn"
    try:
        import dual
        dense = lambda m: m.toarray() if hasattr(m, "toarray") else np.asarray(m)
        out["objective"] = dual.objective(dense(x[model.support_]), dense(model.dual_coef_), model.n_support_, dual.kernel("rbf", a.gamma))
    except AttributeError as e:
        out["objective_note"] = str(e)


def measure_libsvm(a, x, y, xt, yt):
    import ctypes
    import numpy as np
    from libsvm import svm
    to_rows = lambda m: [{int(k) + 1: float(r[k]) for k in np.flatnonzero(r)} for r in np.asarray(m)]
    problem, took, _ = timed(lambda: svm.svm_problem(y.tolist(), to_rows(x)))
    out["read_seconds"] += took
    options = svm.svm_parameter(f"-q -t 2 -c {a.cost} -g {a.gamma} -e {a.tolerance} -m {a.cache}")
    options.gamma = a.gamma
    svm.libsvm.svm_set_print_string_function(options.print_func)

    def fits():
        for k in range(a.repeat):
            m = svm.libsvm.svm_train(problem, options)
            if k + 1 < a.repeat:
                svm.libsvm.svm_free_and_destroy_model(ctypes.byref(m))
        return m

    m, out["fit_seconds"], out["fit_cpu"] = timed(fits)
    m = svm.toPyModel(m)
    out["support_vectors"] = int(m.l)
    if a.repeat == 1:
        rows = [svm.gen_svm_nodearray(r)[0] for r in to_rows(xt)]
        labels, out["predict_seconds"], out["predict_cpu"] = timed(lambda: [svm.libsvm.svm_predict(m, r) for r in rows])
        out["accuracy"] = float((np.array(labels) == yt).mean())
    out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    p = argparse.ArgumentParser()
    p.add_argument("peer", choices=["sklearn", "onedal", "thundersvm", "libsvm"])
    p.add_argument("train")
    p.add_argument("test")
    p.add_argument("--cost", type=float, default=1)
    p.add_argument("--gamma", type=float, default=1)
    p.add_argument("--tolerance", type=float, default=1e-3)
    p.add_argument("--cache", type=float, default=1000, help="MB")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--repeat", type=int, default=1, help="number of fits; predicts only when 1")
    p.add_argument("--sparse", action="store_true")
    a = p.parse_args()

    from sklearn.datasets import load_svmlight_files
    (x, y, xt, yt), out["read_seconds"], _ = timed(lambda: load_svmlight_files([a.train, a.test]))
    if not a.sparse:
        x, xt = x.toarray(), xt.toarray()
    out["rows"], out["features"] = x.shape
    (measure_libsvm if a.peer == "libsvm" else measure_estimator)(a, x, y, xt, yt)
    print(json.dumps(out))


out = {}
if __name__ == "__main__":
    try:
        main()
    except (ImportError, OSError) as e:
        print(json.dumps({"missing": str(e)}))
        sys.exit(3)
