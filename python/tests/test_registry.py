"""Every estimator of the registry keeps scikit-learn's contract, and its arguments work."""

import inspect

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from hedgerow import _estimators

ALL = [getattr(hedgerow, name) for name in _estimators.__all__]
#: Families whose own tests run the checks with several settings.
ELSEWHERE = {
    "FaLKSVMClassifier",
    "FaLKSVMRegressor",
    "FisherDiscriminant",
    "HLSVMClassifier",
    "LinearSVC",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "PegasosClassifier",
    "SVC",
    "SVR",
}
NEIGHBOURS = "a repeated row counts twice among the neighbours, a heavy one once"
EXCUSED = {
    "KNNSVMRegressor": {
        "check_sample_weight_equivalence_on_dense_data": NEIGHBOURS,
        "check_sample_weight_equivalence_on_sparse_data": NEIGHBOURS,
    },
}


@parametrize_with_checks(
    [kind() for kind in ALL if kind.__name__ not in ELSEWHERE],
    expected_failed_checks=lambda estimator: EXCUSED.get(type(estimator).__name__, {}),
)
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_arguments_are_documented_and_stored(kind):
    signature = inspect.signature(kind.__init__)
    names = [name for name in signature.parameters if name != "self"]
    for name in names:
        assert f"\n    {name} : " in kind.__doc__, f"{kind.__name__}.{name}"
    assert {parameter.name for parameter in kind._parameters} <= set(names)
    for parameter in kind._parameters:
        assert signature.parameters[parameter.name].default == parameter.default


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_defaults_are_accepted_when_they_are_given(kind, two_classes):
    """A default that is handed over means what it means when it is left out."""
    X, y = two_classes
    X, y = X[:80], y[:80]
    plain = kind(n_jobs=1).fit(X, y)
    told = kind(n_jobs=1)
    given = {p.native: p.default for p in kind._parameters}
    for name in ("seed", "kernel", "degree", "gamma", "coef0"):
        given.pop(name, None)
    settings = told._settings
    told._settings = lambda: {
        **settings(),
        **{name: value for name, value in given.items() if value is not None and value != -1},
    }
    np.testing.assert_array_equal(told.fit(X, y).predict(X), plain.predict(X))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_models_go_through_files(kind, two_classes, tmp_path):
    X, y = two_classes
    model = kind(n_jobs=1).fit(X[:100], y[:100])
    hedgerow.save_model(model, tmp_path / "m")
    loaded = hedgerow.load_model(tmp_path / "m")
    assert type(loaded) is kind
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert dict(loaded._model.parameters) == dict(model._model.parameters)
