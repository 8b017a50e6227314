"""The same answers as scikit-learn's machines.

Both stop when no pair of variables violates optimality by more than ``tol``. Their decision values
then differ by a small multiple of ``tol``; the bound below is 20 times ``tol``.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

import hedgerow

TOL = 1e-4
BOUND = 20 * TOL

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "auto"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.2},
    {"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.1},
]


def agree(ours, theirs, X):
    assert np.max(np.abs(ours - theirs)) < BOUND * max(1.0, np.max(np.abs(theirs)))
    assert ours.shape == theirs.shape
    assert len(ours) == X.shape[0]


def same_labels(ours, theirs):
    assert ours.dtype == theirs.dtype
    assert np.mean(ours == theirs) >= 0.999


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("data", ["two_classes", "four_classes"])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_svc(request, data, kernel, C, shape):
    X, y = request.getfixturevalue(data)
    settings = dict(C=C, tol=TOL, decision_function_shape=shape, **kernel)
    ours = hedgerow.SVC(**settings).fit(X, y)
    theirs = svm.SVC(**settings).fit(X, y)
    if data == "four_classes" and shape == "ovr":
        # A vote more or less is a step, where a decision value lies within the bound of 0.
        pairs = svm.SVC(**{**settings, "decision_function_shape": "ovo"}).fit(X, y)
        sure = np.min(np.abs(pairs.decision_function(X)), axis=1) > BOUND
        assert np.mean(sure) > 0.9
    else:
        sure = np.ones(len(X), dtype=bool)
    agree(ours.decision_function(X)[sure], theirs.decision_function(X)[sure], X[sure])
    same_labels(ours.predict(X), theirs.predict(X))
    assert np.max(np.abs(ours.intercept_ - theirs.intercept_)) < BOUND * max(
        1.0, np.max(np.abs(theirs.intercept_))
    )
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    assert ours.intercept_.shape == theirs.intercept_.shape


@pytest.mark.parametrize("data", ["two_classes", "four_classes"])
def test_attributes_are_laid_out_as_in_scikit_learn(request, data):
    X, y = request.getfixturevalue(data)
    ours = hedgerow.SVC(tol=1e-8, gamma=0.2).fit(X, y)
    theirs = svm.SVC(tol=1e-8, gamma=0.2).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert ours.fit_status_ == 0
    assert ours.objective_ < 0


@pytest.mark.parametrize("data", ["two_classes", "four_classes"])
def test_linear_weights(request, data):
    X, y = request.getfixturevalue(data)
    ours = hedgerow.SVC(kernel="linear", tol=1e-6).fit(X, y)
    theirs = svm.SVC(kernel="linear", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    decisions = hedgerow.SVC(kernel="linear", tol=1e-6, decision_function_shape="ovo").fit(X, y)
    values = decisions.decision_function(X).reshape(len(X), -1)
    np.testing.assert_allclose(X @ ours.coef_.T + ours.intercept_, values, atol=1e-9)
    with pytest.raises(AttributeError, match="linear kernel only"):
        _ = hedgerow.SVC().fit(X, y).coef_


@pytest.mark.parametrize("nu", [0.2, 0.5])
@pytest.mark.parametrize("data", ["two_classes", "four_classes"])
def test_nu_svc(request, data, nu):
    X, y = request.getfixturevalue(data)
    settings = dict(nu=nu, gamma=0.2, tol=1e-6, decision_function_shape="ovo")
    ours = hedgerow.NuSVC(**settings).fit(X, y)
    theirs = svm.NuSVC(**settings).fit(X, y)
    agree(ours.decision_function(X), theirs.decision_function(X), X)
    same_labels(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_svr(values, kernel):
    X, y = values
    settings = dict(C=2.0, epsilon=0.05, tol=TOL, **kernel)
    ours = hedgerow.SVR(**settings).fit(X, y)
    theirs = svm.SVR(**settings).fit(X, y)
    agree(ours.predict(X), theirs.predict(X), X)


def test_svr_attributes(values):
    X, y = values
    ours = hedgerow.SVR(tol=1e-8).fit(X, y)
    theirs = svm.SVR(tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("nu", [0.2, 0.7])
def test_nu_svr(values, nu):
    X, y = values
    ours = hedgerow.NuSVR(nu=nu, C=2.0, tol=1e-6).fit(X, y)
    theirs = svm.NuSVR(nu=nu, C=2.0, tol=1e-6).fit(X, y)
    agree(ours.predict(X), theirs.predict(X), X)


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_one_class(two_classes, nu):
    X, _ = two_classes
    ours = hedgerow.OneClassSVM(nu=nu, gamma=0.1, tol=1e-6).fit(X)
    theirs = svm.OneClassSVM(nu=nu, gamma=0.1, tol=1e-6).fit(X)
    agree(ours.decision_function(X), theirs.decision_function(X), X)
    agree(ours.score_samples(X), theirs.score_samples(X), X)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-3)
    sure = np.abs(theirs.decision_function(X)) > BOUND
    np.testing.assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])


@pytest.mark.parametrize("data", ["two_classes", "four_classes"])
def test_sample_weights(request, data):
    X, y = request.getfixturevalue(data)
    weights = np.random.RandomState(0).uniform(0.1, 5.0, len(y))
    settings = dict(gamma=0.2, tol=TOL, decision_function_shape="ovo")
    ours = hedgerow.SVC(**settings).fit(X, y, sample_weight=weights)
    theirs = svm.SVC(**settings).fit(X, y, sample_weight=weights)
    agree(ours.decision_function(X), theirs.decision_function(X), X)
    plain = hedgerow.SVC(**settings).fit(X, y)
    assert np.max(np.abs(plain.decision_function(X) - ours.decision_function(X))) > 10 * BOUND


def test_sample_weights_of_the_other_machines(values, two_classes):
    X, y = values
    weights = np.random.RandomState(0).uniform(0.1, 5.0, len(y))
    pairs = [
        (hedgerow.SVR(tol=TOL), svm.SVR(tol=TOL)),
        (hedgerow.NuSVR(tol=1e-6), svm.NuSVR(tol=1e-6)),
    ]
    for ours, theirs in pairs:
        ours.fit(X, y, sample_weight=weights)
        theirs.fit(X, y, sample_weight=weights)
        agree(ours.predict(X), theirs.predict(X), X)
    X, y = two_classes
    weights = np.random.RandomState(0).uniform(0.5, 2.0, len(y))
    ours = hedgerow.NuSVC(nu=0.3, tol=1e-6).fit(X, y, sample_weight=weights)
    theirs = svm.NuSVC(nu=0.3, tol=1e-6).fit(X, y, sample_weight=weights)
    agree(ours.decision_function(X), theirs.decision_function(X), X)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0}, {0: 0.2, 1: 3.0}])
def test_class_weights(two_classes, class_weight):
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 0)[:40], np.flatnonzero(y == 1)])
    X, y = X[keep], y[keep]
    ours = hedgerow.SVC(class_weight=class_weight, gamma=0.2, tol=TOL).fit(X, y)
    theirs = svm.SVC(class_weight=class_weight, gamma=0.2, tol=TOL).fit(X, y)
    agree(ours.decision_function(X), theirs.decision_function(X), X)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)


def test_precomputed(four_classes, values):
    X, y = four_classes
    train, test = X[:200], X[200:]
    gram, cross = hedgerow.kernel(train), hedgerow.kernel(test, train)
    settings = dict(kernel="precomputed", tol=TOL, decision_function_shape="ovo")
    ours = hedgerow.SVC(**settings).fit(gram, y[:200])
    theirs = svm.SVC(**settings).fit(gram, y[:200])
    agree(ours.decision_function(cross), theirs.decision_function(cross), test)
    same_labels(ours.predict(cross), theirs.predict(cross))
    direct = hedgerow.SVC(kernel="rbf", tol=TOL, decision_function_shape="ovo")
    direct.fit(train, y[:200])
    agree(ours.decision_function(cross), direct.decision_function(test), test)
    assert ours.support_vectors_.shape == (0, 0)
    assert ours.n_features_in_ == 200
    assert set(y[:200][ours.support_[: ours.n_support_[0]]]) == {0}
    X, y = values
    gram = hedgerow.kernel(X)
    ours = hedgerow.SVR(kernel="precomputed", tol=TOL).fit(gram, y)
    agree(ours.predict(gram), svm.SVR(kernel="precomputed", tol=TOL).fit(gram, y).predict(gram), X)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_and_dense_agree(four_classes, kernel):
    X, y = four_classes
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    settings = dict(kernel=kernel, tol=TOL, decision_function_shape="ovo")
    dense = hedgerow.SVC(**settings).fit(X, y)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        model = hedgerow.SVC(**settings).fit(form(X), y)
        agree(model.decision_function(form(X)), dense.decision_function(X), X)
        agree(model.decision_function(X), dense.decision_function(X), X)
        same_labels(model.predict(form(X)), dense.predict(X))
    assert sparse.issparse(model.support_vectors_)
    np.testing.assert_allclose(X[model.support_], model.support_vectors_.toarray())


def test_unsorted_and_repeated_entries_count_as_in_scipy(two_classes):
    X, y = two_classes
    rows, columns = np.nonzero(X)
    data = X[rows, columns] / 2
    twice = sparse.csr_matrix(X.shape)
    twice.indptr = np.arange(0, 2 * X.size + 1, 2 * X.shape[1], dtype=np.int32)
    backwards = columns.reshape(X.shape)[:, ::-1]
    twice.indices = np.hstack([backwards, backwards]).ravel().astype(np.int32)
    halves = data.reshape(X.shape)[:, ::-1]
    twice.data = np.hstack([halves, halves]).ravel()
    assert not twice.has_canonical_format
    before = twice.indices.copy()
    ours = hedgerow.SVC(gamma=0.2).fit(twice, y)
    np.testing.assert_array_equal(twice.indices, before)
    plain = hedgerow.SVC(gamma=0.2).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(ours.decision_function(X), plain.decision_function(X))
