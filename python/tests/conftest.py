"""Data sets that the tests share: small, made from a fixed seed."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification, make_regression
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="session")
def two_classes():
    X, y = make_classification(
        n_samples=240, n_features=8, n_informative=5, flip_y=0.05, random_state=3
    )
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def four_classes():
    X, y = make_blobs(n_samples=300, centers=4, n_features=5, cluster_std=4.0, random_state=5)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def values():
    X, y = make_regression(n_samples=200, n_features=6, noise=5.0, random_state=1)
    return StandardScaler().fit_transform(X), y / np.std(y)
