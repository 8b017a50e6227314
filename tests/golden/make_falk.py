#!/usr/bin/env python3
"""Make falk.json: FaLK-SVM put together from scikit-learn's exact SVMs, on the small sets beside it.

    cargo test -p hedgerow --test local_golden -- --ignored   # falk_centres.json, if the covering has changed
    python tests/golden/make_falk.py

Needs numpy and scikit-learn. Which rows become centres is not determined by the document: any order of the levels of any cover tree
will do. So the centres are taken from falk_centres.json, which our own covering wrote, and the script checks that their cores cover
all rows. Everything else is done here: neighbourhoods by sorting all distances, owners by rank, an SVC or SVR of LIBSVM at a
tolerance of 1e-10 on every neighbourhood, and who answers. Sets in which distances tie where it matters are refused.
The output is committed; tests only read it.

falk.json: {"cases": [...]}. A case has name, train, test (files here), real (regression), neighbours, core, cost, epsilon, gamma,
centres (rows from 0), owner and rank of every training row, and nearest and centre (who answers: the owner of the nearest row, or
the nearest centre), each with
    predicted: labels or estimates; null where a decision or a choice of machine hangs on a rounding error,
    decision (two classes only): positive for the larger label; 1 or -1 where a neighbourhood holds one class.
"""

import json
from pathlib import Path

import numpy as np
from make_hlsvm import read
from sklearn.svm import SVC, SVR

HERE = Path(__file__).resolve().parent
CLEAR = 1e-3

CASES = [
    # name, stem, real, neighbours, core, cost, epsilon, gamma
    ("two classes", "bands", False, 40, 0.5, 10.0, 0.1, 0.5),
    ("two classes, small cores", "bands", False, 60, 0.1, 1.0, 0.1, 2.0),
    ("three classes", "three", False, 50, 0.4, 4.0, 0.1, 0.3),
    ("regression", "wave", True, 30, 0.5, 5.0, 0.05, 0.4),
]


class Machine:
    """The machine of one neighbourhood."""

    def __init__(self, x, y, real, cost, epsilon, gamma):
        self.real, self.only, self.fitted = real, None, None
        if not real and len(set(y)) == 1:
            self.only = y[0]
        elif real:
            self.fitted = SVR(C=cost, epsilon=epsilon, gamma=gamma, tol=1e-10).fit(x, y)
        else:
            self.fitted = SVC(C=cost, gamma=gamma, tol=1e-10, decision_function_shape="ovo").fit(x, y)

    def answer(self, row, labels):
        """The answer, the decision towards the larger label, and whether the answer is clear."""
        if self.only is not None:
            return self.only, 1.0 if self.only == labels[-1] else -1.0, True
        if self.real:
            return float(self.fitted.predict([row])[0]), 0.0, True
        decisions = np.atleast_1d(self.fitted.decision_function([row])[0])
        known = list(self.fitted.classes_)
        votes = dict.fromkeys(known, 0)
        if len(known) == 2:
            votes[known[int(decisions[0] > 0)]] += 1
        else:
            pairs = [(a, b) for i, a in enumerate(known) for b in known[i + 1 :]]
            for (a, b), value in zip(pairs, decisions):
                votes[a if value > 0 else b] += 1
        best = max(votes.values())
        winners = [label for label, count in votes.items() if count == best]
        clear = np.abs(decisions).min() > CLEAR and len(winners) == 1
        return winners[0], float(decisions[0]), bool(clear)


def ordered(distances, most):
    """Rows by distance, refused if it is not clear which are the first `most`, or in which order."""
    order = np.argsort(distances, kind="stable")
    sorted_distances = distances[order][: most + 1]
    if np.diff(sorted_distances).min() < 1e-9:
        raise RuntimeError("two rows are equally far: take another set")
    return order[:most]


def case(name, stem, real, neighbours, share, cost, epsilon, gamma, centres):
    x, y = read(f"{stem}.train")
    test, _ = read(f"{stem}.test")
    labels = sorted(set(y))
    core = int(share * neighbours)
    apart = lambda row: np.sqrt(((x - row) ** 2).sum(axis=1))  # noqa: E731
    owner, rank = np.full(len(x), -1), np.full(len(x), len(x) + 1)
    machines = []
    for number, centre in enumerate(centres):
        near = ordered(apart(x[centre]), neighbours)
        for place, row in enumerate(near[:core], 1):
            if place < rank[row]:
                owner[row], rank[row] = number, place
        machines.append(Machine(x[near], y[near], real, cost, epsilon, gamma))
    if (owner < 0).any():
        raise RuntimeError(f"{name}: the cores of the centres do not cover all rows")
    answers = {}
    for who in ["nearest", "centre"]:
        predicted, decision = [], []
        for row in test:
            candidates = np.arange(len(x)) if who == "nearest" else np.array(centres)
            first, second = candidates[np.argsort(apart(row)[candidates], kind="stable")[:2]]
            chosen = [owner[first], owner[second]] if who == "nearest" else [centres.index(first), centres.index(second)]
            tied = abs(apart(row)[first] - apart(row)[second]) < 1e-9 and chosen[0] != chosen[1]
            value, score, clear = machines[chosen[0]].answer(row, labels)
            predicted.append(float(value) if clear and not tied else None)
            decision.append(None if tied else score)
        answers[who] = {"predicted": predicted}
        if len(labels) == 2:
            answers[who]["decision"] = decision
    return {
        "name": name, "train": f"{stem}.train", "test": f"{stem}.test", "real": real, "neighbours": neighbours, "core": share,
        "cost": cost, "epsilon": epsilon, "gamma": gamma, "centres": centres, "owner": owner.tolist(), "rank": rank.tolist(), **answers,
    }  # fmt: skip


def main():
    centres = json.loads((HERE / "falk_centres.json").read_text())
    cases = [case(*one, centres[one[0]]) for one in CASES]
    for one in cases:
        unclear = [one[who]["predicted"].count(None) for who in ["nearest", "centre"]]
        print(one["name"], "centres", len(one["centres"]), "unclear", unclear)
    (HERE / "falk.json").write_text(json.dumps({"cases": cases}) + "\n")


if __name__ == "__main__":
    main()
