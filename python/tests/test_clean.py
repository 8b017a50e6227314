"""Editors of rows: imbalanced-learn's contract, label issues, priors."""

import numpy as np
import pytest
from imblearn.pipeline import make_pipeline
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import NearestNeighbors

import hedgerow
from hedgerow import _editors

EDITORS = [getattr(hedgerow, name) for name in _editors.__all__]


def dirty(n=200, share=0.1, seed=0):
    X, y = make_blobs(n, centers=[[0, 0], [4, 4]], random_state=seed)
    flipped = np.random.default_rng(seed).random(n) < share
    return X, np.where(flipped, 1 - y, y), flipped


def test_enn_is_the_rule_by_brute_force():
    X, y, _ = dirty()
    near = NearestNeighbors(n_neighbors=4).fit(X).kneighbors(X)[1][:, 1:]
    expected = np.flatnonzero((y[near] == y[:, None]).sum(axis=1) >= 2)
    editor = hedgerow.ENN()
    kept_X, kept_y = editor.fit_resample(X, y)
    assert np.array_equal(editor.sample_indices_, expected)
    assert np.array_equal(kept_X, X[expected]) and np.array_equal(kept_y, y[expected])


@pytest.mark.parametrize("editor", EDITORS, ids=lambda one: one.__name__)
def test_editors_keep_the_contract(editor):
    X, y, _ = dirty(120)
    # One class is rarer than the other.
    X, y = np.vstack([X, X[y == 1][:30] + 0.01]), np.append(y, np.ones(30, dtype=int))
    names = np.array(["no", "yes"])[y]
    first = editor().fit_resample(X, names)
    again = clone(editor()).fit_resample(X, names)
    assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])
    assert set(first[1]) <= {"no", "yes"} and len(first[0]) == len(first[1])
    fitted = editor().fit(X, names)
    kept = fitted.sample_indices_
    assert np.array_equal(first[0][: len(kept)], X[kept])
    if fitted.trust_ is not None:
        assert len(fitted.trust_) == len(X)
        assert ((fitted.trust_ >= 0) & (fitted.trust_ <= 1)).all()
        assert set(fitted.suggested_) <= {"no", "yes"}
    scarce = editor().fit_resample(sparse.csr_matrix(X), names)
    assert sparse.issparse(scarce[0]) and len(scarce[1]) == scarce[0].shape[0]
    assert np.allclose(scarce[0].toarray()[: len(kept)], X[kept])


def test_tables_stay_tables():
    pandas = pytest.importorskip("pandas")
    X, y, _ = dirty(100)
    table = pandas.DataFrame(X, columns=["a", "b"])
    labels = pandas.Series(y, name="label")
    kept, left = hedgerow.ENN().fit_resample(table, labels)
    assert list(kept.columns) == ["a", "b"] and left.name == "label"
    rare = y == 0
    rare[np.flatnonzero(rare)[10:]] = False
    chosen = rare | (y == 1)
    more, labels = hedgerow.SMOTE().fit_resample(table[chosen], labels[chosen])
    assert list(more.columns) == ["a", "b"] and labels.value_counts().nunique() == 1


@pytest.mark.parametrize("editor", [None, hedgerow.ENN(neighbours=15), hedgerow.KNNSVMNoiseReduction()])
def test_label_issues_are_flips(editor):
    X, y, flipped = dirty(400)
    issues, scores = hedgerow.find_label_issues(X, y, editor, return_scores=True)
    assert len(scores) == 400 and np.all(np.diff(scores[issues]) >= 0)
    assert flipped[issues].mean() > 0.9 and flipped[issues].sum() > 0.9 * flipped.sum()


def test_wrong_values_are_refused():
    X, y, _ = dirty(50)
    with pytest.raises(ValueError, match="neighbours"):
        hedgerow.ENN(neighbours=0).fit(X, y)
    with pytest.raises(ValueError):
        hedgerow.ENN().fit(np.full((4, 2), np.nan), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="no opinion"):
        hedgerow.find_label_issues(X, y, hedgerow.RUS())
    with pytest.warns(UserWarning, match="no row is left of class"):
        hedgerow.ENN().fit([[0.0], [1.0], [2.0], [0.5]], [1, 1, 1, 0])


def test_priors_come_back():
    rng = np.random.default_rng(1)
    p = rng.random((5, 2))
    p /= p.sum(axis=1, keepdims=True)
    found = hedgerow.correct_priors(p, [90, 10], [10, 10])
    odds = p[:, 1] / p[:, 0] * (10 / 90)
    assert np.allclose(found[:, 1], odds / (1 + odds))
    with pytest.raises(ValueError):
        hedgerow.correct_priors(p, [1, 2, 3], [1, 2, 3])


def test_class_weights_reach_the_machines():
    X, y, _ = dirty(200, share=0.2)
    plain = hedgerow.FaLKNR(neighbours=50).fit(X, y)
    heavy = hedgerow.FaLKNR(neighbours=50, class_weight={1: 50.0}).fit(X, y)
    kept = lambda editor: (y[editor.sample_indices_] == 1).sum()  # noqa: E731
    assert kept(heavy) > kept(plain)
    hedgerow.FaLKNR(class_weight="balanced").fit(X, y)


@pytest.mark.parametrize("editor", [hedgerow.ENN(), hedgerow.FaLKNR(neighbours=80), hedgerow.DROP3(), hedgerow.SMOTE(random_state=0)])
def test_pipelines_of_imbalanced_learn_edit_what_they_train_on(editor):
    X, y, _ = dirty(300)
    pipeline = make_pipeline(editor, hedgerow.KNNClassifier(neighbours=1))
    edited_X, edited_y = clone(editor).fit_resample(X, y)
    alone = hedgerow.KNNClassifier(neighbours=1).fit(edited_X, edited_y)
    # Rows to predict are not edited: there is an answer for each.
    assert np.array_equal(pipeline.fit(X, y).predict(X), alone.predict(X))
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.7
