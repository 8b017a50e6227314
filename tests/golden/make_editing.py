"""Writes editing.json, which crates/hedgerow/tests/suite/clean_golden.rs compares with.

Rows that imbalanced-learn keeps, by number. Run it in this folder, without arguments; needs numpy,
scikit-learn and imbalanced-learn. No two distances from a row are equal, so that ties cannot
matter: iris, which is measured in tenths and has copies, is shaken a little.

What to know of imbalanced-learn:

- it edits all classes but the rarest; sampling_strategy="all" edits all;
- kind_sel="mode" keeps a row if its label is the most frequent among its neighbours, of equally
  frequent labels the smallest; kind_sel="all", the default, if all neighbours have its label;
- RENN stops early when a class vanishes or falls below the size that the rarest had: "passes" says
  when, "settled" whether one more pass would change nothing;
- AllKNN is sequential: ENN with j neighbours on what ENN with j - 1 left, j = 1, ..., k. It stops
  early as RENN does; allow_minority=True turns off all but the stop when a class vanishes, and
  where one does there is null.
"""

import json
import warnings
from collections import Counter

import imblearn
import numpy as np
from imblearn.over_sampling import ADASYN, SMOTE
from imblearn.under_sampling import (
    AllKNN,
    EditedNearestNeighbours,
    NearMiss,
    RepeatedEditedNearestNeighbours,
    TomekLinks,
)
from sklearn.datasets import load_iris


def clouds(random, sizes, features, gap):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    values = random.normal(size=(len(labels), features))
    values[:, 0] += gap * labels
    order = random.permutation(len(labels))
    return np.round(values[order], 6), labels[order]


def iris(random):
    values, labels = load_iris(return_X_y=True)
    # Versicolor and virginica, which overlap, and some setosa.
    rows = np.concatenate([np.arange(15), np.arange(50, 90), np.arange(100, 130)])
    rows = random.permutation(rows)
    shaken = values[rows] + random.uniform(-0.01, 0.01, size=(len(rows), 4))
    return np.round(shaken, 6), labels[rows]


def ensure_no_ties(values):
    distances = np.sqrt(((values[:, None, :] - values[None, :, :]) ** 2).sum(axis=2))
    gaps = np.diff(np.sort(distances, axis=1), axis=1)
    assert gaps.min() > 1e-9, gaps.min()


def kept(sampler, values, labels):
    sampler.fit_resample(values, labels)
    return sorted(sampler.sample_indices_.tolist())


def repeated(values, labels, k, kind):
    settings = {"sampling_strategy": "all", "n_neighbors": k, "kind_sel": kind}
    sampler = RepeatedEditedNearestNeighbours(**settings)
    rows = kept(sampler, values, labels)
    settled = False
    if len(set(labels[rows])) == len(set(labels)):
        again = kept(EditedNearestNeighbours(**settings), values[rows], labels[rows])
        settled = len(again) == len(rows)
    return {"kept": rows, "passes": sampler.n_iter_, "settled": settled}


def all_knn(values, labels, k, kind):
    sampler = AllKNN(
        sampling_strategy="all", n_neighbors=k, kind_sel=kind, allow_minority=True
    )
    rows = kept(sampler, values, labels)
    # The stop when a class vanishes is no part of the rule.
    return rows if len(set(labels[rows])) == len(set(labels)) else None


def counts(sampler, values, labels):
    try:
        _, after = sampler.fit_resample(values, labels)
    except (RuntimeError, ValueError):
        # ADASYN refuses classes without foreign neighbours, and shares that all round to 0.
        return None
    after = Counter(after.tolist())
    return [after[c] for c in range(len(after))]


def golden(name, values, labels):
    ensure_no_ties(values)
    votes = []
    for k in [1, 3, 5]:
        for kind in ["mode", "all"]:
            settings = {"sampling_strategy": "all", "n_neighbors": k, "kind_sel": kind}
            votes.append(
                {
                    "k": k,
                    "kind": kind,
                    "enn": kept(EditedNearestNeighbours(**settings), values, labels),
                    "renn": repeated(values, labels, k, kind),
                    "all_knn": all_knn(values, labels, k, kind),
                }
            )
    return {
        "name": name,
        "n_features": values.shape[1],
        "values": values.ravel().tolist(),
        "labels": labels.tolist(),
        "votes": votes,
        "tomek": {
            "majority": kept(TomekLinks(), values, labels),
            "both": kept(TomekLinks(sampling_strategy="all"), values, labels),
        },
        "near_miss": [
            {
                "version": version,
                "k": k,
                "candidates": candidates,
                "kept": kept(
                    NearMiss(version=version, n_neighbors=k, n_neighbors_ver3=candidates),
                    values,
                    labels,
                ),
            }
            for version in [1, 2, 3]
            for k, candidates in [(3, 3), (1, 2), (5, 4)]
        ],
        "smote_counts": counts(SMOTE(random_state=0), values, labels),
        "adasyn_counts": counts(ADASYN(random_state=0), values, labels),
    }


def main():
    # Version 3 of NearMiss says when there are fewer rows than it should keep.
    warnings.filterwarnings("ignore", message="The number of the samples")
    random = np.random.default_rng(31)
    sets = [
        ("two", *clouds(random, [60, 40], 2, 2.0)),
        ("rare", *clouds(random, [110, 25], 3, 2.2)),
        ("even", *clouds(random, [45, 44], 5, 2.0)),
        ("three", *clouds(random, [70, 50, 30], 2, 2.0)),
        ("iris", *iris(random)),
    ]
    result = {
        "imbalanced_learn": imblearn.__version__,
        "sets": [golden(*one) for one in sets],
    }
    with open("editing.json", "w") as file:
        json.dump(result, file)
        file.write("\n")


if __name__ == "__main__":
    main()
