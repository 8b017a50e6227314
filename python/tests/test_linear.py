"""Linear classifiers: scikit-learn's contract, agreement with scikit-learn, behaviour."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import discriminant_analysis, linear_model, svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow

ORDER = "rows are visited in a random order that depends on their number, and tol is met, not more"
STOCHASTIC = "rows are drawn at random: weights and repetitions give other draws"

SINGULAR = "hardly more rows than features: the spread within the classes has no inverse to 7 digits"


def expected_failures(estimator):
    checks = (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    )
    if isinstance(estimator, hedgerow.PegasosClassifier):
        few = "a thousand steps draw too few rows of so unequal weights"
        return {**dict.fromkeys(checks, STOCHASTIC), "check_class_weight_classifiers": few}
    if isinstance(estimator, hedgerow.FisherDiscriminant):
        return dict.fromkeys(checks, SINGULAR)
    rough = isinstance(estimator, hedgerow.LinearSVC) and estimator.tol > 1e-6
    if rough and estimator.loss == "squared_hinge":
        return dict.fromkeys(checks, ORDER)
    return {}


@parametrize_with_checks(
    [
        hedgerow.LinearSVC(),
        hedgerow.LinearSVC(loss="hinge", multi_class="ovo"),
        hedgerow.LinearSVC(solver="primal", tol=1e-10),
        hedgerow.LogisticRegression(tol=1e-10),
        hedgerow.PegasosClassifier(max_iter=100_000),
        hedgerow.FisherDiscriminant(),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_svc_agrees(cancer, loss):
    X, y = cancer
    ours = hedgerow.LinearSVC(C=0.1, loss=loss, tol=1e-8, max_iter=10**6).fit(X, y)
    theirs = svm.LinearSVC(C=0.1, loss=loss, dual=True, tol=1e-8, max_iter=10**6).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_logistic_regression_agrees(cancer):
    X, y = cancer
    ours = hedgerow.LogisticRegression(C=2.0, tol=1e-8).fit(X, y)
    theirs = linear_model.LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_fisher_agrees_with_equal_priors(iris):
    X, y = iris
    ours = hedgerow.FisherDiscriminant().fit(X, y)
    priors = np.full(3, 1 / 3)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", priors=priors)
    assert np.array_equal(ours.predict(X), theirs.fit(X, y).predict(X))


def test_sparse_and_dense_give_the_same(cancer):
    X, y = cancer
    X = np.where(np.abs(X) > 1, X, 0)
    for estimator in (hedgerow.LinearSVC(), hedgerow.LogisticRegression()):
        dense = estimator.fit(X, y).coef_.copy()
        assert np.array_equal(dense, estimator.fit(sparse.csr_matrix(X), y).coef_)


def test_models_go_through_files_and_pickles(iris, tmp_path):
    X, y = iris
    for estimator in (
        hedgerow.LinearSVC(),
        hedgerow.LinearSVC(multi_class="ovo"),
        hedgerow.LogisticRegression(),
        hedgerow.PegasosClassifier(max_iter=50_000),
        hedgerow.FisherDiscriminant(),
    ):
        estimator.fit(X, y)
        hedgerow.save_model(estimator, tmp_path / "m")
        loaded = hedgerow.load_model(tmp_path / "m")
        assert type(loaded) is type(estimator)
        assert np.array_equal(loaded.predict(X), estimator.predict(X))
        assert np.array_equal(loaded.coef_, estimator.coef_)
        again = pickle.loads(pickle.dumps(estimator))
        assert np.array_equal(again.decision_function(X), estimator.decision_function(X))


def test_coefficients_are_those_of_the_decision(cancer, iris):
    for X, y in (cancer, iris):
        for estimator in (hedgerow.LinearSVC(), hedgerow.FisherDiscriminant()):
            estimator.fit(X, y)
            expected = X @ estimator.coef_.T + estimator.intercept_
            values = estimator.decision_function(X)
            assert np.allclose(values.reshape(expected.shape), expected, atol=1e-8)
            assert np.mean(estimator.predict(X) == y) > 0.9


def test_bad_parameters_are_named(iris):
    X, y = iris
    for estimator, word in (
        (hedgerow.LinearSVC(C=0), "C = 0"),
        (hedgerow.LinearSVC(loss="zero-one"), "loss"),
        (hedgerow.LinearSVC(max_iter=0), "max_iter"),
        (hedgerow.LinearSVC(multi_class="all"), "multi_class"),
        (hedgerow.LinearSVC(intercept_scaling=0), "intercept_scaling"),
        (hedgerow.LinearSVC(loss="hinge", solver="primal"), "primal"),
        (hedgerow.PegasosClassifier(lam=-1), "lam = -1"),
        (hedgerow.PegasosClassifier(bias="both"), "bias"),
        (hedgerow.FisherDiscriminant(ridge=-1), "ridge"),
    ):
        with pytest.raises(ValueError, match=word):
            estimator.fit(X, y)


def test_a_class_without_weight_is_an_error(iris):
    X, y = iris
    weights = np.where(y == 0, 0.0, 1.0)
    with pytest.raises(ValueError, match="no row with a positive weight"):
        hedgerow.LinearSVC().fit(X, y, sample_weight=weights)
