#!/usr/bin/env python3
"""Make hlsvm.json: trees of linear SVMs, grown by other code than ours, on the small sets beside it.

    python tests/golden/make_hlsvm.py

Needs numpy and scikit-learn. The method of the document is written out here in a few lines: raw coordinates, the hinge with the
weights 1/(2 N+) and 1/(2 N-) of a node, the SVM's own bias (that of a constant feature), entropy in bits, a leaf if a node is pure,
has no more than a share of the rows, or gains nothing. Hyperplanes are those of scikit-learn's LinearSVC at a tolerance of 1e-9.
The script refuses data whose tree hangs on a rounding error: rows near a hyperplane. The sets bands.* and three.* are drawn here.
The output is committed; tests only read it.

hlsvm.json: {"cases": [...]}. A case has name, train, test (files here), lambda, min_share, predicted (labels of the test rows; null
where a path or a vote is not clear), and trees, one for each pair of classes (ascending), each with
    pair (labels; the second lies above), nodes in depth-first order, the side below first. A node has rows, and either
    label (a leaf) or normal (of length 1) and offset.
"""

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.svm import LinearSVC

HERE = Path(__file__).resolve().parent
NO_GAIN = 1e-12
CLEAR = 1e-4


def bands(random, n):
    """Three bands, the outer ones of one class."""
    x = random.uniform(-3, 3, size=(n, 2))
    turned = x[:, 0] + 0.4 * x[:, 1]
    y = np.where(np.abs(turned - 0.3) < 0.9, 1, -1)
    keep = np.abs(np.abs(turned - 0.3) - 0.9) > 0.15
    return x[keep], y[keep]


def three(random, n):
    """Three classes: two clouds, and a third class on both sides of them."""
    places = np.array([[0, 0], [2.5, 0.5], [-2, 2], [4.5, -1.5]])
    which = random.integers(0, 4, n)
    x = places[which] + 0.55 * random.normal(size=(n, 2))
    return x, np.array([1, 2, 3, 3])[which]


def write(name, x, y):
    lines = (f"{b} " + " ".join(f"{f + 1}:{v:.6f}" for f, v in enumerate(a)) for a, b in zip(x, y))
    (HERE / name).write_text("\n".join(lines) + "\n")


def read(name):
    lines = (HERE / name).read_text().splitlines()
    width = max(int(word.split(":")[0]) for line in lines for word in line.split()[1:])
    x = np.zeros((len(lines), width))
    for row, line in zip(x, lines):
        for word in line.split()[1:]:
            f, value = word.split(":")
            row[int(f) - 1] = float(value)
    return x, np.array([float(line.split()[0]) for line in lines])


def entropy(above):
    shares = np.array([above.mean(), 1 - above.mean()])
    shares = shares[shares > 0]
    return -(shares * np.log2(shares)).sum()


def hyperplane(x, above, lam):
    n = len(x)
    weights = np.where(above, 0.5 / above.sum(), 0.5 / (~above).sum())
    svm = LinearSVC(loss="hinge", C=1.0, tol=1e-9, max_iter=50_000_000, random_state=0)
    svm.fit(x, above.astype(int), sample_weight=weights / (lam * n))
    return svm.coef_[0], svm.intercept_[0]


def grow(x, above, n, lam, min_share, parent, nodes):
    """Appends the nodes of a subtree, and returns nothing."""
    count = above.sum()
    label = parent if 2 * count == len(x) else bool(2 * count > len(x))
    leaf = {"rows": len(x), "above": label}
    if count in (0, len(x)) or len(x) / n <= min_share:
        nodes.append(leaf)
        return
    w, b = hyperplane(x, above, lam)
    norm = np.linalg.norm(w)
    distances = (x @ w + b) / norm
    if np.abs(distances).min() < CLEAR:
        raise RuntimeError("a row lies on a hyperplane: draw other data")
    side = distances > 0
    gain = 0.0
    if 0 < side.sum() < len(x):
        share = side.mean()
        gain = entropy(above) - share * entropy(above[side]) - (1 - share) * entropy(above[~side])
    if gain <= NO_GAIN:
        nodes.append(leaf)
        return
    nodes.append({"rows": len(x), "normal": (w / norm).tolist(), "offset": b / norm})
    grow(x[~side], above[~side], n, lam, min_share, label, nodes)
    grow(x[side], above[side], n, lam, min_share, label, nodes)


def answer(nodes, row):
    """Whether the leaf says above, the path's smallest distance, and where the subtree ends."""

    def walk(at):
        node = nodes[at]
        if "normal" not in node:
            return node["above"], np.inf, at + 1
        distance = float(np.dot(node["normal"], row) + node["offset"])
        below = walk(at + 1)
        above = walk(below[2])
        chosen = above if distance > 0 else below
        return chosen[0], min(abs(distance), chosen[1]), above[2]

    return walk(0)


def case(name, stem, lam, min_share):
    x, y = read(f"{stem}.train")
    test, _ = read(f"{stem}.test")
    labels = sorted(set(y))
    trees = []
    for i, low in enumerate(labels):
        for high in labels[i + 1 :]:
            of_pair = (y == low) | (y == high)
            rows = x[of_pair]
            nodes = []
            grow(rows, y[of_pair] == high, len(rows), lam, min_share, True, nodes)
            trees.append({"pair": [low, high], "nodes": nodes})
    predicted = []
    for row in test:
        votes, clear = dict.fromkeys(labels, 0), True
        for tree in trees:
            above, distance, _ = answer(tree["nodes"], row)
            clear &= bool(distance > CLEAR)
            votes[tree["pair"][above]] += 1
        best = max(votes.values())
        winners = [label for label, count in votes.items() if count == best]
        predicted.append(winners[0] if clear and len(winners) == 1 else None)
    for tree in trees:
        for node in tree["nodes"]:
            if "above" in node:
                node["label"] = tree["pair"][node.pop("above")]
    return {
        "name": name, "train": f"{stem}.train", "test": f"{stem}.test", "lambda": lam, "min_share": min_share,
        "trees": trees, "predicted": predicted,
    }  # fmt: skip


def main():
    warnings.simplefilter("error")  # Not converged is not exact.
    random = np.random.default_rng(11)
    for stem, draw in [("bands", bands), ("three", three)]:
        write(f"{stem}.train", *draw(random, 220))
        write(f"{stem}.test", *draw(random, 120))
    cases = [
        case("bands", "bands", 1e-4, 0.01),
        case("bands, few leaves", "bands", 1e-3, 0.2),
        case("three classes", "three", 1e-3, 0.05),
    ]
    for one in cases:
        leaves = [sum("label" in node for node in tree["nodes"]) for tree in one["trees"]]
        print(one["name"], "leaves", leaves, "unclear", one["predicted"].count(None))
    (HERE / "hlsvm.json").write_text(json.dumps({"cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
