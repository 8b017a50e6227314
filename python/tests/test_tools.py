"""Kernel matrices, the reader and the measures."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets
from sklearn.metrics import pairwise, roc_auc_score

import hedgerow


def test_kernel_matrices_equal_those_of_scikit_learn(two_classes):
    X, _ = two_classes
    Y = X[:30]
    cases = [
        ("linear", {}, pairwise.linear_kernel(X, Y)),
        ("rbf", {"gamma": 0.3}, pairwise.rbf_kernel(X, Y, gamma=0.3)),
        ("rbf(gamma=0.3)", {}, pairwise.rbf_kernel(X, Y, gamma=0.3)),
        (
            "poly",
            {"gamma": 0.2, "coef0": 1.0, "degree": 2},
            pairwise.polynomial_kernel(X, Y, gamma=0.2, coef0=1.0, degree=2),
        ),
        (
            "sigmoid",
            {"gamma": 0.2, "coef0": 0.5},
            pairwise.sigmoid_kernel(X, Y, gamma=0.2, coef0=0.5),
        ),
    ]
    for name, parameters, expected in cases:
        ours = hedgerow.kernel(X, Y, name, **parameters)
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6, err_msg=name)
        ours = hedgerow.kernel(sparse.csr_matrix(X), sparse.csr_matrix(Y), name, **parameters)
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6, err_msg=name)


def test_widths_come_from_the_reference_rows(two_classes):
    X, _ = two_classes
    Y = X[:50] * 3
    expected = pairwise.rbf_kernel(X, Y, gamma=1 / (Y.shape[1] * Y.var()))
    np.testing.assert_allclose(hedgerow.kernel(X, Y), expected, rtol=1e-5, atol=1e-6)
    assert hedgerow.kernel(X, kernel="ps(linear, sigma=q50, eta=q10)").shape == (240, 240)


def test_kernels_that_cannot_be_used(two_classes):
    X, _ = two_classes
    with pytest.raises(ValueError, match="features"):
        hedgerow.kernel(X, X[:, 1:])
    with pytest.raises(ValueError, match="precomputed"):
        hedgerow.kernel(X, kernel="precomputed")
    with pytest.raises(ValueError, match="position"):
        hedgerow.kernel(X, kernel="rbf(")


@pytest.mark.parametrize("name", ["data.svm", "data.svm.gz"])
def test_reader_equals_that_of_scikit_learn(tmp_path, name, four_classes):
    X, y = four_classes
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    plain = tmp_path / "plain.svm"
    datasets.dump_svmlight_file(X, y, str(plain), zero_based=False)
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(plain.read_bytes()))
    else:
        path.write_bytes(plain.read_bytes())
    expected, labels = datasets.load_svmlight_file(str(plain), zero_based=False)
    ours, own = hedgerow.load_svmlight(path)
    assert sparse.issparse(ours)
    assert own.dtype == labels.dtype
    assert (ours != expected).nnz == 0
    np.testing.assert_array_equal(own, labels)
    dense, _ = hedgerow.load_svmlight(path, storage="dense", n_features=9)
    np.testing.assert_array_equal(dense[:, :5], expected.toarray())
    assert dense.shape == (300, 9)
    with pytest.raises(ValueError, match="n_features is 3"):
        hedgerow.load_svmlight(path, n_features=3)


def test_reader_of_texts_query_ids_and_errors(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("cat qid:4 1:1\ndog qid:5 2:2.5\n")
    X, y, query_id = hedgerow.load_svmlight(path, query_id=True)
    assert list(y) == ["cat", "dog"]
    assert list(query_id) == [4, 5]
    np.testing.assert_array_equal(X.toarray(), [[1, 0], [0, 2.5]])
    path.write_text("1 1:1\n1 1:x\n")
    with pytest.raises(ValueError, match="line 2"):
        hedgerow.load_svmlight(path)
    with pytest.raises(ValueError, match="storage"):
        hedgerow.load_svmlight(path, storage="wide")
    with pytest.raises(FileNotFoundError):
        hedgerow.load_svmlight(tmp_path / "nothing.svm")


def test_measures_of_ranking():
    random = np.random.RandomState(0)
    scores = np.round(random.normal(size=200), 1)
    labels = np.where(random.uniform(size=200) < 0.3, "yes", "no")
    assert hedgerow.metrics.auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    assert hedgerow.metrics.mauc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    assert hedgerow.metrics.mauc([1, 2, 3], [0.1, 0.5, 0.4]) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="two classes"):
        hedgerow.metrics.auc([1, 1], [0.0, 1.0])
