"""Learned weights of columns as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows


class LearnedMetric(TransformerMixin, BaseEstimator):
    """Multiplies columns by weights under which near rows are alike in their answers.

    The weights minimise a smoothed leave-one-out loss of the nearest neighbours. Rows kept aside end
    the learning, but do not judge whether the weights help a certain method: the argument ``metric``
    of the local estimators does. Dense and sparse rows are only multiplied, never shifted; columns of
    weight 0 stay, as zeros.

    Parameters
    ----------
    n_neighbors : int, default=40
        Neighbours that are asked.
    n_rows : int, default=4096
        Rows whose neighbours are looked for in a round.
    max_rows : int, default=100000
        Rows that may be neighbours, at most; of more, so many are drawn.
    n_rounds : int, default=10
        Times that neighbours are looked for, at most.
    n_steps : int, default=40
        Steps of a round; the first rounds have fewer.
    penalty : float, default=1.0
        Price of weights that differ, for one row; it fades with the number of rows.
    groups : array of int of shape (n_features,), optional
        Columns of equal numbers share a weight. ``None``: neighbouring columns of two values of which
        every row has exactly one on are found and share one.
    regression : bool, optional
        Whether ``y`` are real targets; ``None``: if they are not whole numbers.
    max_seconds : float, optional
        Take the best weights after about so many seconds; the result then depends on the machine.
    random_state : int, RandomState or None
        Seed of what is drawn; ``None`` is 0.
    n_jobs : int, optional
        Threads. Results do not depend on it.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by. The variances of all columns together stay what they were.
    groups_ : ndarray of int of shape (n_features,)
        Columns of equal numbers share a weight.
    loss_before_, loss_ : float
        Loss of the rows kept aside before and after learning.
    n_iter_ : int
        Rounds.
    """

    def __init__(
        self,
        n_neighbors: int = 40,
        *,
        n_rows: int = 4096,
        max_rows: int = 100_000,
        n_rounds: int = 10,
        n_steps: int = 40,
        penalty: float = 1.0,
        groups: Any = None,
        regression: bool | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_rows = n_rows
        self.max_rows = max_rows
        self.n_rounds = n_rounds
        self.n_steps = n_steps
        self.penalty = penalty
        self.groups = groups
        self.regression = regression
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> LearnedMetric:
        """Learns from the rows of ``X``, which all count alike."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        values = {
            "neighbours": self.n_neighbors,
            "rows": self.n_rows,
            "sample": self.max_rows,
            "rounds": self.n_rounds,
            "steps": self.n_steps,
            "penalty": self.penalty,
            "seconds": self.max_seconds,
            "seed": self._seed(),
        }
        groups = None
        if self.groups is not None:
            numbers = np.asarray(self.groups)
            if numbers.shape != (X.shape[1],):
                raise ValueError("groups must have one number a feature")
            groups = np.unique(numbers, return_inverse=True)[1].tolist()
        found = _hedgerow.learn_metric(
            native_rows(X), self._targets(y), None, groups, values, n_threads(self.n_jobs)
        )
        self.feature_weights_ = np.asarray(found[0])
        self.groups_ = np.asarray(found[1], dtype=np.intp)
        self.n_iter_ = max(found[2], 1)
        self.loss_before_, self.loss_ = found[3:]
        return self

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _targets(self, y: Any) -> Any:
        real = self.regression
        if real is None:
            real = type_of_target(y) == "continuous"
        if real:
            return np.ascontiguousarray(y, dtype=np.float64)
        check_classification_targets(y)
        names, codes = np.unique(y, return_inverse=True)
        if len(names) < 2:
            raise ValueError("a metric needs at least two classes, but y has only one class")
        return codes.astype(np.uint32), [float(code) for code in range(len(names))]

    def transform(self, X: Any) -> Any:
        """The rows with their columns multiplied."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if sparse.issparse(X):
            return X.multiply(self.feature_weights_[np.newaxis, :]).tocsr()
        return X * self.feature_weights_

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns: those of the training data."""
        check_is_fitted(self)
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", None)
        if input_features is None:
            return np.asarray([f"x{f}" for f in range(self.n_features_in_)], dtype=object)
        return np.asarray(input_features, dtype=object)
