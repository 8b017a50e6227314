"""Support vector machines as scikit-learn estimators.

The constructors store their arguments; ``fit`` checks them and hands contiguous arrays to the
native module, which does its work without the interpreter lock.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows, python_rows
from ._kernels import kernel_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import Model, Settings


def _is_precomputed(kernel: Any) -> bool:
    return isinstance(kernel, str) and "precomputed" in kernel.lower()


def _number(name: str, value: Any) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{name} must be a number, not {value!r}")


class _KernelMachine(BaseEstimator):
    """What all machines share. Subclasses name their method and set their parameters."""

    _method: ClassVar[str]
    _model: Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = _is_precomputed(self.kernel)
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags

    def _settings(self) -> Settings:
        max_iter = self.max_iter
        if not isinstance(max_iter, Integral) or max_iter == 0 or max_iter < -1:
            raise ValueError(f"max_iter must be -1 (no limit) or at least 1, not {max_iter!r}")
        cache_size = _number("cache_size", self.cache_size)
        if not 0 < cache_size < 2**43:
            raise ValueError(f"cache_size must be a positive number of MB, not {cache_size}")
        return {
            "method": self._method,
            "kernel": kernel_text(self.kernel, self.degree, self.gamma, self.coef0),
            "cost": _number("C", getattr(self, "C", 1.0)),
            "nu": _number("nu", getattr(self, "nu", 0.5)),
            "epsilon": _number("epsilon", getattr(self, "epsilon", 0.1)),
            "tolerance": _number("tol", self.tol),
            "cache_bytes": int(cache_size * 2**20),
            "shrinking": bool(self.shrinking),
            "max_iterations": None if max_iter == -1 else int(max_iter),
            "seed": self._seed(),
            "threads": n_threads(self.n_jobs),
        }

    def _seed(self) -> int:
        state = self.random_state
        if state is None:
            return 0
        if isinstance(state, Integral):
            return int(state) % 2**64
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        raise ValueError(f"random_state must be None, a whole number or a RandomState: {state!r}")

    def _check_training(self, X: Any, y: Any = "no_validation", **how: Any) -> Any:
        """``X``, or ``X`` and ``y``, as float64."""
        precomputed = _is_precomputed(self.kernel)
        checked = validate_data(
            self,
            X,
            y,
            accept_sparse=False if precomputed else "csr",
            dtype=np.float64,
            order="C",
            **how,
        )
        matrix = checked[0] if isinstance(checked, tuple) else checked
        if precomputed and matrix.shape[0] != matrix.shape[1]:
            rows, columns = matrix.shape
            raise ValueError(
                f"a precomputed kernel must be a square matrix, not {rows} x {columns}"
            )
        return checked

    def _check_queries(self, X: Any) -> Any:
        check_is_fitted(self)
        sparse = False if _is_precomputed(self.kernel) else "csr"
        return validate_data(
            self, X, accept_sparse=sparse, dtype=np.float64, order="C", reset=False
        )

    def _row_weights(self, sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if np.any(weights < 0):
            raise ValueError("sample_weight has negative values; use 0 to leave a row out")
        return np.ascontiguousarray(weights)

    def _adopt(self, model: Model, support: NDArray[np.int64] | None) -> None:
        """Takes the learned attributes from the model."""
        self._model = model
        if support is not None:
            self.support_ = support.astype(np.int32)
        self.dual_coef_, self.intercept_, self.n_support_ = model.coefficients()
        self.kernel_ = model.kernel
        if model.report is None:
            return
        converged, self.n_iter_, self.objective_ = model.report
        self.fit_status_ = 0 if converged else 1
        if not converged:
            warnings.warn(
                f"the solver stopped after {self.n_iter_} iterations without reaching "
                f"tol={self.tol}; raise max_iter, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _decisions(self, X: Any) -> NDArray[np.float64]:
        X = self._check_queries(X)
        return self._model.decision_values(native_rows(X), n_threads(self.n_jobs))

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, a sparse matrix if the model was trained on one."""
        check_is_fitted(self)
        parts = self._model.support_vectors()
        return np.empty((0, 0)) if parts is None else python_rows(parts)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, one row a decision value; for the linear kernel only."""
        check_is_fitted(self)
        if self.kernel_ != "linear":
            raise AttributeError(f"coef_ exists for the linear kernel only, not for {self.kernel_}")
        rows = [coefficients @ self.support_vectors_ for coefficients in self._expansions()]
        return np.vstack([np.asarray(row).ravel() for row in rows])

    def _expansions(self) -> list[NDArray[np.float64]]:
        """Coefficients of all support vectors for each decision value."""
        return list(self.dual_coef_)


class _Classifier(ClassifierMixin, _KernelMachine):
    """Decision values and labels of several classes, one machine a pair."""

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Any:
        if self.decision_function_shape not in ("ovr", "ovo"):
            shape = self.decision_function_shape
            raise ValueError(f'decision_function_shape must be "ovr" or "ovo", not {shape!r}')
        X, y = self._check_training(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = self._row_weights(sample_weight, X)
        self.class_weight_ = compute_class_weight(class_weight, classes=self.classes_, y=y)
        if class_weight is not None:
            if not np.all(np.isfinite(self.class_weight_)) or np.any(self.class_weight_ <= 0):
                raise ValueError(f"class weights must be positive: {self.class_weight_}")
            factors = self.class_weight_[codes]
            weights = factors if weights is None else weights * factors
        names = [_class_name(name) for name in self.classes_]
        model, support = _hedgerow.fit_classifier(
            native_rows(X), codes.astype(np.uint32), names, weights, self._settings()
        )
        self._adopt(model, support)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        For two classes one value a row, positive for ``classes_[1]``. For more, with
        ``decision_function_shape="ovr"`` one column a class, with ``"ovo"`` one a pair of classes,
        positive for the first of them.
        """
        values = self._decisions(X)
        if values.shape[1] == 1:
            return values[:, 0]
        n_classes = len(self.classes_)
        pairwise = values.shape[1] == n_classes * (n_classes - 1) // 2
        if self.decision_function_shape == "ovr" and pairwise and self._is_one_vs_one():
            return _votes(values, n_classes)
        return values

    def _is_one_vs_one(self) -> bool:
        # Only models of the program have a machine a class, and then as many rows as classes.
        return self.dual_coef_.shape[0] == len(self.classes_) - 1

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the one with most votes, of several the first."""
        X = self._check_queries(X)
        codes = self._model.predict_codes(native_rows(X), n_threads(self.n_jobs))
        return self.classes_[codes]

    def _expansions(self) -> list[NDArray[np.float64]]:
        n_classes = len(self.classes_)
        if n_classes == 2 or not self._is_one_vs_one():
            return list(self.dual_coef_)
        ends = np.cumsum(self.n_support_)
        groups = [slice(end - n, end) for end, n in zip(ends, self.n_support_, strict=True)]
        expansions = []
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                row = np.zeros(self.dual_coef_.shape[1])
                row[groups[a]] = self.dual_coef_[b - 1, groups[a]]
                row[groups[b]] = self.dual_coef_[a, groups[b]]
                expansions.append(row)
        return expansions


def _class_name(name: Any) -> float | str:
    """A class as model files write it."""
    return float(name) if isinstance(name, (Real, np.bool_)) else str(name)


def _votes(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """One column a class: its votes, and less than half a vote of confidence to break ties.

    Pairs are (0,1), (0,2), ..., (1,2), ...; a positive decision is a vote for the first.
    """
    votes = np.zeros((decisions.shape[0], n_classes))
    confidence = np.zeros_like(votes)
    pair = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            value = decisions[:, pair]
            votes[:, a] += value >= 0
            votes[:, b] += value < 0
            confidence[:, a] += value
            confidence[:, b] -= value
            pair += 1
    return votes + confidence / (3 * (np.abs(confidence) + 1))


class SVC(_Classifier):
    """C-support vector classification.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin.
    kernel : str, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"`` with the parameters below,
        ``"precomputed"``, or a text form with parameters of its own, such as
        ``"rbf(gamma=q50)"`` or ``"ps(linear, sigma=2, eta=1)"``.
    degree : int, default=3
        Degree of ``"poly"``.
    gamma : "scale", "auto", "mean", "q50", ... or float, default="scale"
        Width of ``"rbf"``, ``"poly"`` and ``"sigmoid"``.
    coef0 : float, default=0.0
        Constant of ``"poly"`` and ``"sigmoid"``.
    class_weight : dict or "balanced", optional
        Factors of ``C`` for classes.
    tol : float, default=1e-3
        Largest violation of optimality that is accepted.
    cache_size : float, default=200
        Memory for kernel rows in MB.
    shrinking : bool, default=True
        Whether settled variables are left out until the end.
    max_iter : int, default=-1
        Limit of the iterations of each machine; -1 is none.
    decision_function_shape : "ovr" or "ovo", default="ovr"
        Form of the decision values of more than two classes.
    random_state : int or RandomState, optional
        Seed of the sample of rows that percentile widths are taken from.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the environment
        variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    support_ : ndarray of int
        Rows that became support vectors, class after class. Of rows with equal features the first
        is named.
    support_vectors_ : ndarray or sparse matrix
    n_support_ : ndarray of int
        Support vectors of each class.
    dual_coef_, intercept_ : ndarray
        Coefficients and constants of the decision functions, laid out as in scikit-learn.
    kernel_ : str
        The kernel with all parameters as numbers.
    fit_status_ : int
        0 if the solver converged.
    n_iter_ : int
        Iterations of all machines together.
    objective_ : float
        The dual objective, summed over the machines.
    """

    _method = "svm"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        class_weight: Any = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVC:
        """Trains on the rows of ``X`` with a positive weight."""
        return self._fit_classes(X, y, sample_weight, self.class_weight)


class NuSVC(_Classifier):
    """Nu-support vector classification: ``nu`` bounds the share of margin errors from above and
    that of support vectors from below.

    Parameters and attributes are those of :class:`SVC` with ``nu`` in (0, 1] in place of ``C``.
    There is no ``class_weight``: the problem has no cost that it could scale.
    """

    _method = "nu-svm"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NuSVC:
        """Trains on the rows of ``X`` with a positive weight."""
        return self._fit_classes(X, y, sample_weight, None)


class _Regressor(RegressorMixin, _KernelMachine):
    """Real targets."""

    def _fit_values(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._check_training(X, y, y_numeric=True)
        weights = self._row_weights(sample_weight, X)
        targets = np.ascontiguousarray(y, dtype=np.float64)
        model, support = _hedgerow.fit_regressor(native_rows(X), targets, weights, self._settings())
        self._adopt(model, support)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted value of each row."""
        return self._decisions(X)[:, 0]


class SVR(_Regressor):
    """Epsilon-support vector regression.

    Parameters and attributes are those of :class:`SVC`, without classes, and with ``epsilon``, the
    half width of the tube in which errors are free.
    """

    _method = "svr"

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVR:
        """Trains on the rows of ``X`` with a positive weight."""
        return self._fit_values(X, y, sample_weight)


class NuSVR(_Regressor):
    """Nu-support vector regression: the tube is as wide as it must be for about a share ``nu`` of
    the rows outside.

    Parameters and attributes are those of :class:`SVR` with ``nu`` in (0, 1] in place of
    ``epsilon``.
    """

    _method = "nu-svr"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NuSVR:
        """Trains on the rows of ``X`` with a positive weight."""
        return self._fit_values(X, y, sample_weight)


class OneClassSVM(OutlierMixin, _KernelMachine):
    """The region that holds most rows; about a share ``nu`` of the training rows lies outside.

    Parameters and attributes are those of :class:`SVC`, without classes and costs, and with ``nu``
    in (0, 1]. ``offset_`` is the constant between :meth:`score_samples` and
    :meth:`decision_function`.
    """

    _method = "one-class"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Trains on the rows of ``X`` with a positive weight; ``y`` is not read."""
        X = self._check_training(X)
        weights = self._row_weights(sample_weight, X)
        model, support = _hedgerow.fit_one_class(native_rows(X), weights, self._settings())
        self._adopt(model, support)
        return self

    def _adopt(self, model: Model, support: NDArray[np.int64] | None) -> None:
        super()._adopt(model, support)
        self.offset_ = -self.intercept_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed distance from the edge of the region, positive inside."""
        return self._decisions(X)[:, 0]

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The decision values without their constant."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 inside the region, -1 outside."""
        return np.where(self.decision_function(X) > 0, 1, -1)
