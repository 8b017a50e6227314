"""Feature selection: the contract, and agreement with scikit-learn's mutual information."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow

SELECTORS = [
    hedgerow.MaxRel(),
    hedgerow.MRMR(),
    hedgerow.QPFS(random_state=0),
    hedgerow.QPFS(random_state=0, rate=0.5),
    hedgerow.CFS(),
    hedgerow.ReliefF(),
    hedgerow.RFESVM(),
    hedgerow.WrapperSVM(random_state=0, cv=2),
    hedgerow.MaxDep(),
    hedgerow.RandomSelector(random_state=0),
    hedgerow.KernelWeights(cost=1.0, mu=0.01, random_state=0),
]


@parametrize_with_checks(SELECTORS)
def test_selectors_keep_the_contract(estimator, check):
    check(estimator)


def problem(rows=120, width=12, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, rows)
    X = random.normal(size=(rows, width))
    X[:, 3] += 2 * y
    X[:, 7] += y
    return X, y


@pytest.mark.parametrize("selector", SELECTORS[:9], ids=lambda s: type(s).__name__)
def test_the_signal_is_found_and_kept(selector):
    X, y = problem()
    selector = type(selector)(n_features_to_select=2).fit(X, y)
    assert selector.ranking_[0] == 3
    kept = selector.get_support(indices=True)
    assert 3 in kept and len(kept) <= 2
    assert selector.transform(X).shape == (120, len(kept))
    sparse_support = type(selector)(n_features_to_select=2).fit(sparse.csr_matrix(X), y)
    assert 3 in sparse_support.get_support(indices=True)


def test_relevance_is_scikit_learns_mutual_information():
    X, y = problem()
    codes = np.clip(np.round(X), -2, 2)
    selector = hedgerow.MaxRel(binning="values").fit(codes, y)
    for feature, score in zip(selector.ranking_, selector.scores_, strict=True):
        assert score == pytest.approx(mutual_info_score(codes[:, feature], y), abs=1e-12)


def test_the_f_statistic_is_scikit_learns():
    X, y = problem()
    selector = hedgerow.MaxRel(similarity="correlation", relevance="f-statistic").fit(X, y)
    expected, _ = f_classif(X, y)
    np.testing.assert_allclose(selector.scores_, expected[selector.ranking_], rtol=1e-10)
    # F statistic divided by mean correlation, as the packages for mRMR do by default.
    mrmr = hedgerow.MRMR(
        4,
        similarity="correlation",
        relevance="f-statistic",
        scheme="quotient",
        quotient_offset=0,
    ).fit(X, y)
    correlation = np.abs(np.corrcoef(X.T))
    chosen = [int(np.argmax(expected))]
    while len(chosen) < 4:
        score = expected / correlation[chosen].mean(axis=0)
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
    assert mrmr.ranking_.tolist() == chosen


def test_a_pair_that_only_speaks_together_is_found_by_joint_information():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (200, 6)).astype(float)
    y = X[:, 2].astype(int) ^ X[:, 4].astype(int)
    best = hedgerow.MaxDep(2, search="exhaustive", binning="values").fit(X, y)
    assert best.get_support(indices=True).tolist() == [2, 4]
    assert best.scores_[-1] == pytest.approx(np.log(2), abs=0.01)


def test_wrappers_walk_backward_too():
    X, y = problem(width=8)
    wrapper = hedgerow.WrapperSVM(1, direction="backward", random_state=0).fit(X, y)
    assert wrapper.ranking_[0] == 3
    assert sorted(wrapper.ranking_) == list(range(8))


def test_weights_of_qpfs_lie_on_the_simplex():
    X, y = problem()
    qpfs = hedgerow.QPFS(0.5, alpha=0.3).fit(X, y)
    assert qpfs.alpha_ == 0.3
    assert qpfs.weights_.min() >= 0 and qpfs.weights_.sum() == pytest.approx(1)
    assert qpfs.transform(X).shape[1] == 6


def test_streamwise_selection_knows_two_classes():
    X, y = problem()
    assert 3 in hedgerow.Streamwise().fit(X, y).ranking_
    with pytest.raises(ValueError, match="two"):
        hedgerow.Streamwise().fit(X, np.arange(120) % 3)


def test_a_pipeline_selects_and_classifies():
    X, y = problem()
    model = make_pipeline(hedgerow.MRMR(3), hedgerow.SVC(kernel="linear")).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (hedgerow.MRMR(0), "n_features_to_select"),
        (hedgerow.MRMR(1.5), "n_features_to_select"),
        (hedgerow.MRMR(similarity="cosine"), "similarity"),
        (hedgerow.MRMR(bins=4), "bins"),
        (hedgerow.QPFS(alpha=2), "alpha"),
        (hedgerow.QPFS(rate=0), "rate"),
        (hedgerow.ReliefF(n_neighbors=0), "n_neighbors"),
        (hedgerow.RFESVM(elimination="all"), "elimination"),
    ],
)
def test_wrong_parameters_are_named(selector, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)


def test_kernel_weights_scale_the_columns_that_matter_together():
    random = np.random.default_rng(1)
    X = 5 + 3 * random.normal(size=(150, 8))
    y = np.where((X[:, 1] - 5) * (X[:, 4] - 5) > 0, "same", "other")
    for method in ("ao-ii", "ao-i", "ao", "full-fs", "gmkl"):
        weights = hedgerow.KernelWeights(method=method, cost=4.0, mu=1.0).fit(X, y)
        assert set(weights.ranking_[:2]) == {1, 4}
        assert weights.feature_weights_.shape == weights.feature_factors_.shape == (8,)
        kept = weights.get_support(indices=True)
        np.testing.assert_allclose(
            weights.feature_factors_, weights.feature_weights_ / X.std(0), rtol=1e-9
        )
        factors = weights.feature_factors_[kept]
        np.testing.assert_array_equal(weights.transform(X), X[:, kept] * factors)
        back = weights.inverse_transform(weights.transform(X))
        np.testing.assert_allclose(back[:, kept], X[:, kept], rtol=1e-12)
        plain = hedgerow.KernelWeights(method=method, cost=4.0, mu=1.0, weigh=False).fit(X, y)
        np.testing.assert_array_equal(plain.transform(X), X[:, kept])
    tuned = hedgerow.KernelWeights(random_state=0, n_features_to_select=2).fit(X, y)
    assert set(tuned.get_support(indices=True)) == {1, 4}
    assert tuned.facts_["validation_error"] < 0.25
    with pytest.raises(ValueError, match="no feature has a weight left"):
        hedgerow.KernelWeights(cost=1.0, mu=1e9).fit(X, y)
    with pytest.raises(ValueError, match="method"):
        hedgerow.KernelWeights(method="nothing").fit(X, y)
