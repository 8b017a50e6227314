"""Proximal classifiers and kernel directions: what they tell beside the contract, and learning later."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import hedgerow
from hedgerow import GEPSVM, CReGEC, IReGEC, KernelFisherDiscriminant, KernelQPFS, ReGEC

SURFACES = [GEPSVM(), ReGEC(), CReGEC(), IReGEC()]


def moons(n, seed):
    return make_moons(n, noise=0.15, random_state=seed)


@pytest.mark.parametrize("model", SURFACES, ids=lambda m: type(m).__name__)
def test_surfaces_tell_their_quotients(model):
    X, y = moons(150, 1)
    model = clone(model).fit(X, y)
    assert len(model.quotients_) == 2 and len(model.gaps_) == 2
    assert all(quotient >= 0 for quotient in model.quotients_)
    scores = model.decision_function(X)
    assert scores.shape == (150,) and np.abs(scores).max() <= 1
    np.testing.assert_array_equal(model.predict(X) == model.classes_[1], scores > 0)
    assert model.score(X, y) > (0.7 if isinstance(model, GEPSVM) else 0.85)


def test_the_surfaces_of_regec_are_those_of_scipy():
    scipy_linalg = pytest.importorskip("scipy.linalg")
    X, y = moons(80, 2)
    delta, gamma = 1e-3, 1.5
    model = ReGEC(gamma=gamma, delta=delta).fit(X, y)
    kernel = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    rows = np.hstack([kernel, -np.ones((80, 1))])
    G, H = rows[y == 1].T @ rows[y == 1], rows[y == 0].T @ rows[y == 0]
    A, B = G + delta * np.diag(np.diag(H)), H + delta * np.diag(np.diag(G))
    values = scipy_linalg.eigh(A, A + B, eigvals_only=True)
    first, last = values[0] / (1 - values[0]), (1 - values[-1]) / values[-1]
    # The surface of the class that sorts first comes first.
    np.testing.assert_allclose(model.quotients_, [last, first], rtol=1e-6)


def test_a_chunk_learns_from_further_rows():
    X, y = moons(600, 3)
    model = CReGEC(gamma=2.0, order="shuffled", random_state=1).partial_fit(X[:200], y[:200], classes=[0, 1])
    chunk = list(model.chunk_)
    assert len(chunk) >= 2 and all(0 <= row < 200 for row in chunk)
    before = model.score(X, y)
    for start in range(200, 600, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
        assert set(chunk) <= set(model.chunk_)
    assert model.update_["remembered"] == 600
    assert model.tried_ == 598 or model.score(X, y) == 1
    assert model.score(X, y) > before - 0.05
    # The rows of the chunk are enough to answer.
    assert model.score(*moons(500, 4)) > 0.85


def test_learning_in_parts_can_be_repeated():
    X, y = moons(300, 5)

    def run():
        model = CReGEC(gamma=2.0, reservoir=100, random_state=3).fit(X[:150], y[:150])
        return model.partial_fit(X[150:], y[150:])

    a, b = run(), run()
    assert a.chunk_ == b.chunk_
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))
    assert a.update_["remembered"] <= 100 + len(a.chunk_)


def test_classes_that_come_late_are_refused():
    X, y = moons(100, 6)
    with pytest.raises(ValueError, match="every class"):
        CReGEC().partial_fit(X, y, classes=[0, 1, 2])
    model = CReGEC().fit(X, y)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="updatable"):
        CReGEC(updatable=False).fit(X, y).partial_fit(X, y)


@pytest.mark.parametrize("kind", [KernelFisherDiscriminant, KernelQPFS])
def test_directions_part_the_classes(kind):
    X, y = moons(200, 7)
    model = kind(gamma=2.0, ridge=0.1).fit(X, y)
    along = model.transform(X)
    assert along.shape[0] == 200
    along = along.reshape(200)
    # The projected means lie 2 apart, whichever comes first.
    assert abs(abs(along[y == 1].mean() - along[y == 0].mean()) - 2) < 1e-6
    assert model.score(X, y) > 0.9


def test_both_directions_are_one():
    X, y = moons(200, 8)
    found = [kind(gamma=5.0, ridge=0.1).fit(X, y).transform(X).ravel() for kind in (KernelFisherDiscriminant, KernelQPFS)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_several_classes():
    generator = np.random.default_rng(9)
    y = np.arange(240) % 3
    X = generator.normal(size=(240, 2)) * 0.5 + np.array([[0, 0], [3, 0], [0, 3]])[y]
    for model in (*SURFACES, KernelFisherDiscriminant(), KernelQPFS()):
        model = clone(model).fit(X, y)
        assert model.score(X, y) > 0.85, type(model).__name__
        assert model.decision_function(X).shape == (240, 3)
    assert hedgerow.KernelFisherDiscriminant().fit(X, y).transform(X).shape == (240, 3)
