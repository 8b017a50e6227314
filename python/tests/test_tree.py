"""Trees of linear SVMs: what users rely on beyond the estimator contract."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow

WEIGHTS = (
    "a heavy row is one row for the least share of a node and for the coordinates of a node; "
    "rows of weight 0 are left out, which test_weights_of_zero checks"
)


def expected_failures(estimator):
    excused = {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    }
    if estimator.n_estimators == 1:
        excused["check_class_weight_classifiers"] = (
            "the classes of every node are balanced by default, "
            "whatever they weigh; test_weights_count_without_balance checks them without"
        )
    return excused


@parametrize_with_checks(
    [
        hedgerow.HLSVMClassifier(),
        hedgerow.HLSVMClassifier(multi_class="ovo", frame="raw", threshold="svm", n_jobs=1),
        hedgerow.HLSVMClassifier(n_estimators=3, max_features=1.0, random_state=1),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)


def test_weights_count_without_balance(moons):
    X, y = moons
    counts = []
    for weight in (0.02, 1, 50):
        tree = hedgerow.HLSVMClassifier(
            weighting="uniform", class_weight={0: weight, 1: 1}, max_depth=1, threshold="svm"
        )
        counts.append((tree.fit(X, y).predict(X) == 0).sum())
    assert counts[0] < counts[1] < counts[2]


def test_passes_warn_only_if_they_were_asked_for(moons):
    X, y = moons
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hedgerow.HLSVMClassifier().fit(X, y).fit_status_ == 0
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        assert hedgerow.HLSVMClassifier(tol=0.0, max_iter=1).fit(X, y).fit_status_ == 1


@pytest.fixture(scope="module")
def moons():
    return make_moons(1500, noise=0.2, random_state=1)


def test_a_tree_learns_what_a_hyperplane_cannot(moons):
    X, y = moons
    tree = hedgerow.HLSVMClassifier(holdout=0.2).fit(X[:1000], y[:1000])
    stump = hedgerow.HLSVMClassifier(max_depth=1).fit(X[:1000], y[:1000])
    assert tree.score(X[1000:], y[1000:]) > stump.score(X[1000:], y[1000:]) + 0.02
    assert stump.n_hyperplanes_ == 1
    mean, most = tree.path_costs(X)
    assert 1 <= mean <= most <= tree.depth_


def test_probabilities_sum_to_one_and_agree_with_answers():
    X, y = make_classification(
        600, n_features=6, n_informative=4, n_classes=3, class_sep=1.5, random_state=2
    )
    names = np.array(["b", "a", "c"])[y]
    for multi_class in ("direct", "ovo"):
        model = hedgerow.HLSVMClassifier(multi_class=multi_class).fit(X, names)
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert list(model.classes_) == ["a", "b", "c"]
        agreement = np.mean(model.classes_[p.argmax(axis=1)] == model.predict(X))
        assert agreement > 0.97


def test_calibration_lowers_the_log_loss(moons):
    from sklearn.metrics import log_loss

    X, y = moons
    plain = hedgerow.HLSVMClassifier(random_state=0).fit(X[:1000], y[:1000])
    calibrated = clone(plain).set_params(probability=True).fit(X[:1000], y[:1000])
    assert log_loss(y[1000:], calibrated.predict_proba(X[1000:])) < log_loss(
        y[1000:], plain.predict_proba(X[1000:])
    )


def test_sparse_rows_answer_like_dense_ones_of_the_same_model(moons):
    X, y = moons
    model = hedgerow.HLSVMClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(sparse.csr_matrix(X)), model.predict(X))


def test_threads_pickles_and_files_change_nothing(moons, tmp_path):
    X, y = moons
    one = hedgerow.HLSVMClassifier(n_jobs=1, random_state=3).fit(X, y)
    two = hedgerow.HLSVMClassifier(n_jobs=2, random_state=3).fit(X, y)
    assert one._model.to_bytes() == two._model.to_bytes()
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.predict(X), one.predict(X))
    path = tmp_path / "tree.model"
    hedgerow.save_model(one, path)
    loaded = hedgerow.load_model(path)
    assert isinstance(loaded, hedgerow.HLSVMClassifier)
    np.testing.assert_array_equal(loaded.predict(X), one.predict(X))


def test_weights_of_zero(moons):
    X, y = moons
    weights = np.ones(len(y))
    weights[::3] = 0
    weighted = hedgerow.HLSVMClassifier().fit(X, y, sample_weight=weights)
    left_out = hedgerow.HLSVMClassifier().fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(weighted.predict(X), left_out.predict(X))


@pytest.mark.parametrize(
    "bad",
    [
        {"holdout": 1.0},
        {"holdout": -0.1},
        {"n_estimators": 0},
        {"criterion": "luck"},
        {"frame": "picture"},
        {"lam": 0.0},
        {"max_iter": 0},
    ],
)
def test_parameters_out_of_range(moons, bad):
    X, y = moons
    with pytest.raises(ValueError):
        hedgerow.HLSVMClassifier(**bad).fit(X, y)
