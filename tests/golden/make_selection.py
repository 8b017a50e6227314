"""Writes selection.json, which crates/hedgerow/tests/select_*.rs compare with.

Mutual information by scikit-learn, quadratic programmes by Clarabel. Run it in this folder,
without arguments; needs numpy, scipy, scikit-learn and clarabel.
"""

import json

import clarabel
import numpy as np
from scipy import sparse
from sklearn.metrics import mutual_info_score

ROWS, FEATURES, CLASSES = 150, 9, 3


def data(random):
    labels = random.integers(0, CLASSES, ROWS)
    values = random.normal(size=(ROWS, FEATURES))
    values[:, 0] += labels
    values[:, 1] = values[:, 0] + 0.3 * random.normal(size=ROWS)
    values[:, 2] = random.integers(0, 2, ROWS)
    values[:, 3] = labels == 1
    values[:, 4] = np.exp(2 * values[:, 4])
    values[:, 5] = 1e6 + values[:, 5]
    values[:, 6] = values[:, 0] ** 2
    values[:, 7] *= random.random(ROWS) < 0.2
    values[:, 8] = 2.5
    return np.round(values, 6), labels


def deviation_codes(column, bins, deviations):
    if column.min() == column.max():
        return np.zeros(len(column), dtype=int)
    mean, deviation = column.mean(), column.std()
    edges = np.linspace(mean - deviations * deviation, mean + deviations * deviation, bins - 1)
    return (column[:, None] > edges[None, :]).sum(axis=1)


def information(values, labels, bins, deviations):
    codes = [deviation_codes(values[:, f], bins, deviations) for f in range(FEATURES)]
    return {
        "bins": bins,
        "deviations": deviations,
        "matrix": [[mutual_info_score(a, b) for b in codes] for a in codes],
        "relevance": [mutual_info_score(a, labels) for a in codes],
    }


def programme(random, size, rank, ridge):
    factor = random.normal(size=(size, rank))
    hessian = factor @ factor.T + ridge * np.eye(size)
    linear = random.normal(size=size)
    constraints = sparse.vstack([sparse.csc_matrix(np.ones((1, size))), -sparse.eye(size)]).tocsc()
    bounds = np.concatenate([[1.0], np.zeros(size)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    upper = sparse.triu(sparse.csc_matrix(hessian)).tocsc()
    solver = clarabel.DefaultSolver(upper, -linear, constraints, bounds, cones, settings)
    solution = solver.solve()
    x = np.array(solution.x)
    return {
        "factor": factor.ravel().tolist(),
        "rank": rank,
        "ridge": ridge,
        "linear": linear.tolist(),
        "x": x.tolist(),
        "objective": float(0.5 * x @ hessian @ x - linear @ x),
    }


def main():
    random = np.random.default_rng(20)
    values, labels = data(random)
    result = {
        "n_features": FEATURES,
        "values": values.ravel().tolist(),
        "labels": labels.tolist(),
        "information": [information(values, labels, 3, 1.0), information(values, labels, 5, 2.0)],
        "correlation": np.nan_to_num(np.abs(np.corrcoef(values, rowvar=False))).tolist(),
        "programmes": [
            programme(random, size, rank, ridge)
            for size, rank, ridge in [(3, 3, 0.5), (10, 4, 0.1), (30, 30, 0.01), (60, 12, 0.05)]
        ],
    }
    with open("selection.json", "w") as file:
        json.dump(result, file)
        file.write("\n")


if __name__ == "__main__":
    main()
