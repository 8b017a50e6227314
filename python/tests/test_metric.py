"""Learned weights of columns: the contract, what is found, and what it does for the estimators."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow


@parametrize_with_checks([hedgerow.LearnedMetric(), hedgerow.LearnedMetric(n_rounds=2)])
def test_the_transformer_keeps_the_contract(estimator, check):
    check(estimator)


def ring(n, seed):
    """The first two of twelve columns tell the class."""
    generator = np.random.default_rng(seed)
    X = generator.uniform(-1, 1, (n, 12))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 0.6).astype(int)


def test_the_transformer_finds_the_columns():
    X, y = ring(1500, 0)
    metric = hedgerow.LearnedMetric().fit(X, y)
    assert set(np.argsort(-metric.feature_weights_)[:2]) == {0, 1}
    assert metric.loss_ < metric.loss_before_
    np.testing.assert_allclose(metric.transform(X), X * metric.feature_weights_)
    rows = metric.transform(sparse.csr_matrix(X))
    np.testing.assert_allclose(rows.toarray(), metric.transform(X))
    again = hedgerow.LearnedMetric(n_jobs=1).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(again.feature_weights_, metric.feature_weights_)
    shared = hedgerow.LearnedMetric(groups=np.arange(12) // 2).fit(X, y)
    assert shared.feature_weights_[0] == shared.feature_weights_[1]
    Z, t = ring(600, 1)
    piped = make_pipeline(hedgerow.LearnedMetric(), hedgerow.KNNClassifier(neighbours=5))
    plain = hedgerow.KNNClassifier(neighbours=5).fit(X, y).score(Z, t)
    assert piped.fit(X, y).score(Z, t) > plain + 0.05


@pytest.mark.parametrize(
    "estimator",
    [
        hedgerow.KNNClassifier(neighbours=5, metric="learned"),
        hedgerow.KNNSVMClassifier(neighbours=60, metric="learned"),
        hedgerow.FaLKSVMClassifier(neighbours=100, metric="learned"),
    ],
)
def test_estimators_learn_the_metric(estimator, tmp_path):
    X, y = ring(1200, 2)
    Z, t = ring(300, 3)
    estimator.fit(X, y)
    assert set(np.argsort(-estimator.feature_weights_)[:2]) == {0, 1}
    plain = type(estimator)(neighbours=estimator.neighbours).fit(X, y)
    np.testing.assert_array_equal(plain.feature_weights_, np.ones(12))
    assert estimator.score(Z, t) > plain.score(Z, t)
    path = tmp_path / "model"
    hedgerow.save_model(estimator, path)
    again = hedgerow.load_model(path)
    np.testing.assert_array_equal(again.predict(Z), estimator.predict(Z))
    np.testing.assert_array_equal(again.feature_weights_, estimator.feature_weights_)


def test_regression_learns_it_too():
    X, _ = ring(1200, 4)
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2
    estimator = hedgerow.KNNRegressor(neighbours=5, metric="learned").fit(X, y)
    assert set(np.argsort(-estimator.feature_weights_)[:2]) == {0, 1}
    found = hedgerow.LearnedMetric().fit(X, y)
    assert set(np.argsort(-found.feature_weights_)[:2]) == {0, 1}


def test_weights_can_be_given():
    X, y = ring(400, 5)
    weights = np.r_[1.0, 2.0, np.zeros(10)]
    estimator = hedgerow.KNNClassifier(neighbours=3, metric=weights).fit(X, y)
    np.testing.assert_array_equal(estimator.feature_weights_, weights)
    expected = hedgerow.KNNClassifier(neighbours=3).fit(X * weights, y)
    np.testing.assert_array_equal(estimator.predict(X), expected.predict(X * weights))


def test_wrong_metrics_are_refused():
    X, y = ring(60, 6)
    for metric in ("euclidean", np.ones(3), -np.ones(12)):
        with pytest.raises(ValueError):
            hedgerow.KNNClassifier(metric=metric).fit(X, y)
    with pytest.raises(ValueError):
        hedgerow.KNNClassifier(metric="learned", metric_seconds=0).fit(X, y)
    with pytest.raises(ValueError):
        hedgerow.LearnedMetric(groups=[0, 1]).fit(X, y)
