"""Model files of the program, and ours for the program.

The files in ``data`` were made by ``data/make.sh``. Their classes do not stand in sorted order.
The environment variable ``HEDGEROW_PROGRAM`` names a program to exchange files with.
"""

import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import hedgerow

DATA = Path(__file__).parent / "data"
PROGRAM = os.environ.get("HEDGEROW_PROGRAM")


def pairs_from_attributes(model, X, kernel):
    """Decision values put together from the attributes."""
    gram = hedgerow.kernel(X, model.support_vectors_, kernel)
    expansions = np.vstack(model._expansions())
    return gram @ expansions.T + model.intercept_


@pytest.mark.parametrize("scheme", ["ovo", "ovr", "dag"])
def test_models_of_three_classes(scheme):
    X, _ = hedgerow.load_svmlight(DATA / "three.svm", storage="dense")
    model = hedgerow.load_model(DATA / f"three-{scheme}.model")
    assert type(model) is hedgerow.SVC
    np.testing.assert_array_equal(model.classes_, [-2, 3, 7])
    answers = np.loadtxt(DATA / f"three-{scheme}.txt")
    np.testing.assert_array_equal(model.predict(X), answers)
    model.set_params(decision_function_shape="ovo")
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = pairs_from_attributes(model, scaled, model.kernel_)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)
    if scheme == "ovr":
        best = model.classes_[np.argmax(model.decision_function(X), axis=1)]
        np.testing.assert_array_equal(best, answers)
    else:
        own = hedgerow.SVC(kernel="rbf", gamma="auto", decision_function_shape="ovo")
        _, y = hedgerow.load_svmlight(DATA / "three.svm")
        own.fit(scaled, y)
        np.testing.assert_allclose(
            model.decision_function(X), own.decision_function(scaled), atol=0.02
        )
        np.testing.assert_allclose(model.n_support_, own.n_support_, atol=1)


def test_a_model_that_looks_at_some_features_only():
    X, _ = hedgerow.load_svmlight(DATA / "three.svm", storage="dense")
    model = hedgerow.load_model(DATA / "chosen.model")
    assert model.n_features_in_ == X.shape[1] > 2
    kept = model.selected_features_
    assert len(kept) == 2 and (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(model.predict(X), np.loadtxt(DATA / "chosen.txt"))
    assert model.support_vectors_.shape[1] == 2
    # What the others say does not matter.
    other = np.full_like(X, 1e3)
    other[:, kept] = X[:, kept]
    np.testing.assert_array_equal(model.predict(other), model.predict(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_model_of_two_classes():
    X, y = hedgerow.load_svmlight(DATA / "two.svm")
    model = hedgerow.load_model(DATA / "two.model")
    np.testing.assert_array_equal(model.classes_, [-2, 3])
    answers = np.loadtxt(DATA / "two.txt")
    np.testing.assert_array_equal(model.predict(X), answers)
    np.testing.assert_array_equal(model.decision_function(X) > 0, answers == 3)
    expected = pairs_from_attributes(model, X, model.kernel_)[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)
    own = hedgerow.SVC(gamma="auto").fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), own.decision_function(X), atol=0.02)


@pytest.mark.skipif(PROGRAM is None, reason="HEDGEROW_PROGRAM is not set")
@pytest.mark.parametrize("labels", ["numbers", "texts"])
def test_the_program_reads_our_models(labels, tmp_path):
    X, y = hedgerow.load_svmlight(DATA / "three.svm")
    if labels == "texts":
        y = np.asarray([f"class{int(label) + 2}" for label in y])
    model = hedgerow.SVC().fit(X, y)
    hedgerow.save_model(model, tmp_path / "ours.model")
    out = tmp_path / "answers.txt"
    command = [PROGRAM, "predict", "--quiet", DATA / "three.svm", tmp_path / "ours.model", out]
    subprocess.run(command, check=True)
    kind = y.dtype if labels == "texts" else np.float64
    np.testing.assert_array_equal(np.loadtxt(out, dtype=kind), model.predict(X))
