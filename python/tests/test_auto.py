"""Races of all methods."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from hedgerow import AutoClassifier, AutoRegressor


def rings(rows, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (rows, 2))
    return X * [1, 1000], np.where(X.prod(1) > 0, "same", "other")


#: Checks that train twice and compare.
CLOCK = "how far a race comes depends on the machine"
TWICE = [
    "check_classifier_data_not_an_array",
    "check_fit_idempotent",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_supervised_y_2d",
]


@parametrize_with_checks(
    [AutoClassifier(budget=0.2), AutoRegressor(budget=0.2)],
    expected_failed_checks=lambda estimator: dict.fromkeys(TWICE, CLOCK),
)
def test_a_race_keeps_the_contract(estimator, check):
    check(estimator)


def test_the_winner_answers_and_is_told():
    X, y = rings(1500, 1)
    model = AutoClassifier(budget=5, random_state=3).fit(X, y)
    new, truth = rings(500, 2)
    assert (model.predict(new) == truth).mean() > 0.95
    assert model.best_method_ in {row["method"] for row in model.leaderboard_}
    assert model.measure_ == "accuracy"
    assert model.unseen_score_ > 0.9
    assert model.latency_us_ > 0 and model.megabytes_ > 0
    decisions = model.decision_function(new)
    assert ((decisions > 0) == (model.predict(new) == model.classes_[1])).all()


def test_limits_are_kept_and_checked(capsys):
    X, y = rings(600, 1)
    model = AutoClassifier(budget=2, explainable=True, verbose=1).fit(X, y)
    assert model.best_method_ in ("logistic", "linear-svm")
    assert "candidates on" in capsys.readouterr().out
    small = AutoClassifier(budget=4, max_mb=0.01).fit(X, y)
    assert small.megabytes_ <= 0.01
    for wrong in ({"budget": 0}, {"budget": "soon"}, {"max_mb": -1}, {"latency_us": np.inf}):
        with pytest.raises(ValueError, match="above 0"):
            clone(model).set_params(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="best"):
        AutoClassifier(measure="best").fit(X, y)


def test_numbers_are_predicted():
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 3))
    y = X[:, 0] + np.sin(3 * X[:, 1])
    model = AutoRegressor(budget=4).fit(X[:300], y[:300])
    assert np.corrcoef(model.predict(X[300:]), y[300:])[0, 1] > 0.95


def test_columns_of_very_different_spread_are_warned_of():
    X, y = rings(100, 1)
    with pytest.warns(hedgerow.ScaleWarning, match="differ by a factor of"):
        hedgerow.SVC().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hedgerow.SVC().fit(X / [1, 1000], y)
