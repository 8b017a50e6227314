"""Rankers: ordered levels, and probabilities by isotonic maps."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from hedgerow.metrics import mauc

RANKERS = [hedgerow.RankRC, hedgerow.RankSVM, hedgerow.RankRND]


@pytest.fixture
def levels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    value = X[:, 0] + 0.3 * rng.normal(size=240)
    y = np.digitize(value, [0.5, 1.0, 1.6])
    return X, y


def brute_mauc(y, score):
    right, pairs = 0.0, 0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] > y[j]:
                pairs += 1
                right += (score[i] > score[j]) + 0.5 * (score[i] == score[j])
    return right / pairs


@pytest.mark.parametrize("kind", RANKERS, ids=lambda kind: kind.__name__)
def test_levels_are_ranked(kind, levels):
    X, y = levels
    model = kind(levels=True, lam=0.001).fit(X[:160], y[:160])
    score = model.decision_function(X[160:])
    assert score.shape == (80,)
    assert mauc(y[160:], score) == pytest.approx(brute_mauc(y[160:], score), abs=1e-12)
    assert mauc(y[160:], score) > 0.85
    assert model.levels_.tolist() == [0, 1, 2, 3]
    answer = model.predict(X[160:])
    assert set(answer) <= {0, 1, 2, 3}
    # A level rises with the score.
    order = np.argsort(score, kind="stable")
    assert np.all(np.diff(answer[order]) >= 0)
    value = model.expected_value(X[160:])
    assert np.all(np.diff(value[order]) >= 0) and value.min() >= 0 and value.max() <= 3
    assert not hasattr(model, "predict_proba")


def test_names_of_levels_change_nothing(levels):
    X, y = levels
    words = np.asarray(["none", "low", "middle", "high"])
    numbers = hedgerow.RankRC(levels=[0, 1, 2, 3], lam=0.01).fit(X, y)
    texts = hedgerow.RankRC(levels=[*words, "never"], lam=0.01).fit(X, words[y])
    assert texts.classes_.tolist() == sorted(words)
    assert texts.levels_.tolist() == words.tolist()
    np.testing.assert_array_equal(texts.decision_function(X), numbers.decision_function(X))
    np.testing.assert_array_equal(texts.predict(X), words[numbers.predict(X)])


def test_two_levels_are_two_classes_in_their_order(levels):
    X, y = levels
    model = hedgerow.RankRC(levels=True, lam=0.01).fit(X, y > 1)
    assert roc_auc_score(y > 1, model.decision_function(X)) > 0.9
    turned = hedgerow.RankRC(levels=[True, False], lam=0.01).fit(X, y > 1)
    assert roc_auc_score(y > 1, turned.decision_function(X)) < 0.1


def test_levels_go_through_searches_and_files(levels, tmp_path):
    X, y = levels
    scorer = make_scorer(mauc, response_method="decision_function")
    ranker = hedgerow.RankRC(levels=True, lam=0.01)
    assert cross_val_score(ranker, X, y, scoring=scorer, cv=3).min() > 0.8
    search = GridSearchCV(ranker, {"lam": [0.001, 1.0]}, scoring=scorer, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert clone(ranker).levels is True
    model = ranker.fit(X, y)
    hedgerow.save_model(model, tmp_path / "m")
    again = hedgerow.load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.expected_value(X), model.expected_value(X))


def test_what_is_no_scale_is_refused(levels):
    X, y = levels
    for scale in ([0, 1, 2], [0, 1, 2, 2, 3], "0123"):
        with pytest.raises(ValueError, match="levels must name every class"):
            hedgerow.RankRC(levels=scale).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        hedgerow.RankRC(levels=True).fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="levels=True"):
        hedgerow.RankRC().fit(X, y)
    with pytest.raises(AttributeError):
        hedgerow.RankRC(lam=0.1).fit(X, y > 0).expected_value(X)


# These take a classifier for one with a column of decision values a class, whose largest, or for two
# classes whose sign, is the answer. A ranker has one score a row, and a map from scores to levels.
OF_LEVELS = {
    "check_classifiers_classes": "levels come from a map of the score, not from its sign",
    "check_classifiers_train": "one decision value a row, however many levels there are",
}


@parametrize_with_checks(
    [kind(levels=True, lam=0.1) for kind in RANKERS],
    expected_failed_checks=lambda estimator: OF_LEVELS,
)
def test_rankers_of_levels_keep_the_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "model",
    [
        hedgerow.KNNSVMClassifier(neighbours=60, probability="isotonic"),
        hedgerow.KernelFisherDiscriminant(probability="isotonic"),
        hedgerow.RankRC(lam=0.01, probability="isotonic"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_isotonic_maps_never_fall(model, levels, tmp_path):
    X, y = levels
    y = np.where(y > 0, "yes", "no")
    model = clone(model).fit(X[:160], y[:160])
    p = model.predict_proba(X[160:])
    assert np.allclose(p.sum(axis=1), 1) and p.min() >= 0
    score = model.decision_function(X[160:])
    order = np.argsort(score, kind="stable")
    assert np.all(np.diff(p[order, 1]) >= 0)
    assert p[y[160:] == "yes", 1].mean() > p[y[160:] == "no", 1].mean() + 0.2
    # A map that rises in steps is one that scikit-learn's own fit leaves as it is.
    fitted = IsotonicRegression(out_of_bounds="clip").fit(score, p[:, 1]).predict(score)
    np.testing.assert_allclose(fitted, p[:, 1], atol=1e-12)
    hedgerow.save_model(model, tmp_path / "m")
    again = hedgerow.load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_words_choose_the_map_and_leave_the_scores(levels):
    X, y = levels
    y = (y > 0).astype(int)
    kind = hedgerow.KernelFisherDiscriminant
    model = kind(probability="isotonic").fit(X, y)
    sigmoid = kind(probability=True).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), sigmoid.decision_function(X))
    same = kind(probability="sigmoid").fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), sigmoid.predict_proba(X))
    assert roc_auc_score(y, model.predict_proba(X)[:, 1]) > 0.9


def test_wrong_words_and_classes_are_refused(levels):
    X, y = levels
    kind = hedgerow.KernelFisherDiscriminant
    with pytest.raises(ValueError, match='"sigmoid" or "isotonic"'):
        kind(probability="platt").fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        kind(probability="isotonic").fit(X, y)
