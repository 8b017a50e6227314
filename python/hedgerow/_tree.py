"""Trees of linear SVMs as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows
from ._svm import _class_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import Model, TreeSettings


def _share(name: str, value: Any, *, open_end: bool = False) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if 0 <= number < 1 or (number == 1 and not open_end):
            return number
    end = "less than 1" if open_end else "at most 1"
    raise ValueError(f"{name} must be at least 0 and {end}, not {value!r}")


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


class HLSVMClassifier(ClassifierMixin, BaseEstimator):
    """H-LSVM: a tree whose nodes are linear SVMs, for answers within a microsecond.

    Parameters
    ----------
    lam : float, optional
        Regulariser of every node; by default 1 / rows.
    lambda_search : int, default=0
        Steps of a search for a better regulariser in each node.
    holdout : float, default=0.0
        Share of the rows that only choose how far the tree is pruned; 0 is no pruning.
    min_share : float, optional
        A node with no more than this share of the rows is a leaf; by default
        ``10 ** -floor(log10(rows))``.
    max_depth : int, optional
        Most hyperplanes on a path.
    criterion : "entropy" or "gini", default="entropy"
        Measure of splits.
    balanced : bool, default=True
        Whether both sides of a node weigh the same when its hyperplane is trained.
    frame : "standardised", "centred" or "raw", default="standardised"
        Coordinates in which nodes are trained, for dense data.
    threshold : "best-gain" or "svm", default="best-gain"
        Where a hyperplane is placed along its normal.
    multi_class : "direct" or "one-vs-one", default="direct"
        One tree for all classes, or one for each pair.
    n_estimators : int, default=1
        Trees; more than one is a forest.
    max_samples, max_features : float, default=0.7 and 0.5
        Shares of the rows of a tree and of the features of a node, in a forest.
    probability : bool, default=False
        Whether the probabilities are calibrated by cross-fitting.
    single_precision : bool, default=True
        Whether hyperplanes are stored with four bytes a weight.
    class_weight : dict or "balanced", optional
        Factors of the weights of rows by class.
    tol : float, default=0.1
        Tolerance of the node solver.
    max_iter : int, default=100
        Most passes of the node solver.
    random_state : int or RandomState, optional
        Seed.
    n_jobs : int, optional
        Threads, as of :class:`SVC`. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_hyperplanes_ : int
        Hyperplanes of all trees.
    depth_ : int
        Most hyperplanes on a path of a tree.
    """

    _method: ClassVar[str] = "h-lsvm"
    _model: Model

    def __init__(
        self,
        *,
        lam: float | None = None,
        lambda_search: int = 0,
        holdout: float = 0.0,
        min_share: float | None = None,
        max_depth: int | None = None,
        criterion: str = "entropy",
        balanced: bool = True,
        frame: str = "standardised",
        threshold: str = "best-gain",
        multi_class: str = "direct",
        n_estimators: int = 1,
        max_samples: float = 0.7,
        max_features: float = 0.5,
        probability: bool = False,
        single_precision: bool = True,
        class_weight: Any = None,
        tol: float = 0.1,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.lambda_search = lambda_search
        self.holdout = holdout
        self.min_share = min_share
        self.max_depth = max_depth
        self.criterion = criterion
        self.balanced = balanced
        self.frame = frame
        self.threshold = threshold
        self.multi_class = multi_class
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.probability = probability
        self.single_precision = single_precision
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _settings(self) -> TreeSettings:
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return {
            "lambda": None if self.lam is None else float(self.lam),
            "lambda_search": _count("lambda_search", self.lambda_search, 0),
            "holdout": _share("holdout", self.holdout, open_end=True),
            "min_share": None if self.min_share is None else _share("min_share", self.min_share),
            "max_depth": None if self.max_depth is None else _count("max_depth", self.max_depth, 0),
            "impurity": self.criterion,
            "balanced": bool(self.balanced),
            "frame": self.frame,
            "threshold": self.threshold,
            "multiclass": self.multi_class,
            "trees": _count("n_estimators", self.n_estimators, 1),
            "row_share": _share("max_samples", self.max_samples),
            "feature_share": _share("max_features", self.max_features),
            "probability": bool(self.probability),
            "single": bool(self.single_precision),
            "tolerance": float(self.tol),
            "max_passes": _count("max_iter", self.max_iter, 1),
            "seed": 0 if self.random_state is None else int(seed),
            "threads": n_threads(self.n_jobs),
        }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HLSVMClassifier:
        """Trains on the rows of ``X`` with a positive weight."""
        settings = self._settings()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            if not np.all(np.isfinite(factors)) or np.any(factors <= 0):
                raise ValueError(f"class weights must be positive: {factors}")
            weights = factors[codes] if weights is None else weights * factors[codes]
        names = [_class_name(name) for name in self.classes_]
        model = _hedgerow.fit_tree(
            native_rows(X), codes.astype(np.uint32), names, weights, settings
        )
        self._adopt(model, None)
        return self

    def _adopt(self, model: Model, _support: Any) -> None:
        self._model = model
        shape = model.tree_shape()
        if shape is None:
            raise ValueError("the model is not made of trees")
        self.n_trees_, self.n_hyperplanes_, self.depth_ = shape
        self.n_iter_ = max(model.report[1], 1) if model.report else 1

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return native_rows(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        rows = self._rows(X)
        return self.classes_[self._model.predict_codes(rows, n_threads(self.n_jobs))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class in the leaf of each row, smoothed along its path."""
        rows = self._rows(X)
        return self._model.probabilities(rows, n_threads(self.n_jobs))

    def path_costs(self, X: Any) -> tuple[float, int]:
        """Hyperplanes evaluated for the rows: mean and largest number."""
        rows = self._rows(X)
        return self._model.path_costs(rows, n_threads(self.n_jobs))
