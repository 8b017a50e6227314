"""Writes cityblock.json, which crates/hedgerow/tests/suite/kernel_city_block.rs compares with.

SVC and SVR of scikit-learn on matrices of its laplacian_kernel, which is exp(-gamma * city-block
distance), for the small files beside this one. Run it in this folder, without arguments; needs numpy
and scikit-learn. A case has method, train, test, gamma, cost, tight answers (tol 1e-8): rho
(= -intercept), support_vectors, decisions of the test rows (positive for the larger label) and a few
kernel values of the first rows.
"""

import json

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_files
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.svm import SVC, SVR

CASES = [
    ("svc", "heart", 0.05, 1.0),
    ("svc", "heart", 0.5, 10.0),
    ("svc", "svmguide1_raw", 0.01, 4.0),
    ("svc", "bands", 2.0, 100.0),
    ("svr", "wave", 1.0, 5.0),
]


def case(method, name, gamma, cost):
    train, test = f"{name}.train", f"{name}.test"
    x, y, z, _ = load_svmlight_files([train, test])
    x, z = x.toarray(), z.toarray()
    model = SVC(kernel="precomputed", C=cost, tol=1e-8)
    if method == "svr":
        model = SVR(kernel="precomputed", C=cost, tol=1e-8, epsilon=0.1)
    model.fit(laplacian_kernel(x, gamma=gamma), y)
    cross = laplacian_kernel(z, x, gamma=gamma)
    decisions = model.predict(cross) if method == "svr" else model.decision_function(cross)
    return {
        "method": method, "train": train, "test": test, "gamma": gamma, "cost": cost,
        "rho": -float(model.intercept_[0]), "support_vectors": len(model.support_),
        "decisions": decisions.tolist(), "values": cross[:5, :5].ravel().tolist(),
    }


cases = [case(*row) for row in CASES]
with open("cityblock.json", "w") as out:
    json.dump({"scikit-learn": sklearn.__version__, "cases": cases}, out)
    out.write("\n")
print(np.array([len(one["decisions"]) for one in cases]))
