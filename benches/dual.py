"""The dual objective of a trained machine, recomputed from its support vectors in f64.

For coefficients b_i = y_i a_i of one pair of classes:

    C-SVC            f = 1/2 b' K b - sum |b_i|
    nu-SVC, 1-class  f = 1/2 b' K b

A machine with k classes is k (k - 1) / 2 pairs; LIBSVM stores the coefficients of class c against class d in row
d - 1 (d > c) or d (d < c) of a (k - 1)-row matrix, the support vectors grouped by class. Scikit-learn and oneDAL
keep the same layout. The sum over the pairs is reported. This judges all programs by the same formula, whatever
they print themselves.
"""

import numpy as np

BLOCK = 1000          # rows of the kernel matrix held at a time


def kernel(kind, gamma=1.0, coef0=0.0, degree=3):
    """A function of two matrices; `kind` is LIBSVM's word."""
    if kind == "linear":
        return lambda a, b: a @ b.T
    if kind == "polynomial":
        return lambda a, b: (gamma * (a @ b.T) + coef0) ** degree
    if kind == "sigmoid":
        return lambda a, b: np.tanh(gamma * (a @ b.T) + coef0)
    if kind == "rbf":
        def rbf(a, b):
            # shifting both sides does not change distances and keeps the norms small
            c = b.mean(0)
            a, b = a - c, b - c
            return np.exp(-gamma * np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * (a @ b.T), 0))
        return rbf
    raise ValueError(f"unknown kernel {kind}")


def quadratic(b, x, k):
    """b' K b without holding K."""
    return float(sum(b[s:s + BLOCK] @ (k(x[s:s + BLOCK], x) @ b) for s in range(0, len(b), BLOCK)))


def objective(x, coefficients, counts, k, linear_term=True):
    """`x`: support vectors grouped by class; `coefficients`: (k - 1) x n; `counts`: support vectors a class."""
    coefficients = np.atleast_2d(np.asarray(coefficients, float))
    ends = np.concatenate([[0], np.cumsum(counts)])
    total = 0.0
    for c in range(len(counts)):
        for d in range(c + 1, len(counts)):
            left, right = slice(ends[c], ends[c + 1]), slice(ends[d], ends[d + 1])
            b = np.concatenate([coefficients[d - 1, left], coefficients[c, right]])
            rows = np.concatenate([x[left], x[right]])
            at = b != 0
            b = b[at]
            total += quadratic(b, rows[at], k) / 2 - (np.abs(b).sum() if linear_term else 0)
    return float(total)


def read_model(path):
    """A LIBSVM model text: header, coefficients (k - 1) x n, support vectors (dense, or serial numbers if precomputed)."""
    head, coefs, rows = {}, [], []
    with open(path) as f:
        for line in f:
            if line.strip() == "SV":
                break
            key, *rest = line.split()
            head[key] = rest
        m = max(int(head["nr_class"][0]) - 1, 1)
        for line in f:
            cells = line.split()
            coefs.append([float(v) for v in cells[:m]])
            rows.append([(int(p.split(":")[0]), float(p.split(":")[1])) for p in cells[m:]])
    if head["kernel_type"][0] == "precomputed":
        return head, np.array(coefs).T, np.array([r[0][1] for r in rows], int)
    width = max((r[-1][0] for r in rows if r), default=0)
    x = np.zeros((len(rows), width))
    for i, r in enumerate(rows):
        for j, v in r:
            x[i, j - 1] = v
    return head, np.array(coefs).T, x


def model_objective(path):
    """Of a LIBSVM model text of a classifier or one-class machine; None where the text does not hold enough (regression)."""
    head, coefs, x = read_model(path)
    kind = head["svm_type"][0]
    if kind not in ("c_svc", "nu_svc", "one_class") or head["kernel_type"][0] == "precomputed":
        return None
    k = kernel(head["kernel_type"][0], float(head.get("gamma", [1])[0]), float(head.get("coef0", [0])[0]), int(head.get("degree", [3])[0]))
    if kind == "one_class":
        return quadratic(coefs[0], x, k) / 2
    return objective(x, coefs, [int(v) for v in head["nr_sv"]], k, kind == "c_svc")
