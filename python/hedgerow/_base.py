"""What all estimators share: settings, checked arrays, training and the learned attributes.

The constructors of ``_estimators.py`` store their arguments; ``fit`` hands those that differ from
the method's defaults to the native module, which checks them by the table they come from and does
its work without the interpreter lock.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows
from ._kernels import kernel_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import Model, Rows


class Parameter(NamedTuple):
    """An argument of a constructor and the method's parameter that it sets."""

    name: str
    native: str
    default: Any
    #: Whether the default is another one than the method's.
    differs: bool


#: Arguments that together are the kernel.
_KERNEL = ("kernel", "degree", "gamma", "coef0")


def is_precomputed(kernel: Any) -> bool:
    """Whether kernel values come in place of features."""
    return isinstance(kernel, str) and "precomputed" in kernel.lower()


def class_name(name: Any) -> float | str:
    """A class as model files write it."""
    return float(name) if isinstance(name, (int, float, np.number, np.bool_)) else str(name)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


#: Spreads of columns that differ by more than this are worth a warning.
_FAR_APART = 100.0


class ScaleWarning(UserWarning):
    """The columns have very different spreads."""


def warn_of_spreads(X: Any) -> None:
    """Nothing is scaled unasked, but most methods are lost if one column outweighs the others."""
    if sparse.issparse(X):
        ranges = np.asarray(X.max(axis=0).toarray() - X.min(axis=0).toarray()).ravel()
    else:
        ranges = X.max(axis=0) - X.min(axis=0)
    ranges = ranges[ranges > 0]
    if ranges.size > 1 and ranges.max() > _FAR_APART * ranges.min():
        warnings.warn(
            f"the spreads of the columns differ by a factor of {ranges.max() / ranges.min():.0f}: the "
            "widest outweigh the others; put StandardScaler or QuantileTransformer before the estimator",
            ScaleWarning,
            stacklevel=4,
        )


class Estimator(BaseEstimator):
    """A method of the registry as an estimator. Subclasses name the method and its parameters."""

    _method: ClassVar[str]
    _parameters: ClassVar[tuple[Parameter, ...]]
    _model: Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = self._is_precomputed()
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags

    def _is_precomputed(self) -> bool:
        return is_precomputed(getattr(self, "kernel", None))

    def _settings(self) -> dict[str, Any]:
        """The parameters that differ from the method's defaults."""
        settings: dict[str, Any] = {}
        for name, native, default, differs in self._parameters:
            value = getattr(self, name)
            if native == "seed" or native in _KERNEL:
                continue
            if default == -1 and isinstance(value, Integral) and value == -1:
                # scikit-learn's -1 is no limit.
                continue
            if differs or not _same(value, default):
                settings[native] = value
        if isinstance(settings.get("probability"), str):
            word = settings["probability"]
            if word not in ("sigmoid", "isotonic"):
                raise ValueError(
                    f'probability must be a bool, "sigmoid" or "isotonic", not {word!r}'
                )
            settings["probability"] = word == "sigmoid"
        if hasattr(self, "kernel"):
            settings["kernel"] = kernel_text(self.kernel, self.degree, self.gamma, self.coef0)
        return settings

    def _seed(self) -> int:
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, Integral):
            return int(state) % 2**64
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        raise ValueError(f"random_state must be None, a whole number or a RandomState: {state!r}")

    def _search(self) -> dict[str, Any] | None:
        """What the method's own search is to try; ``None`` for no search."""
        return None

    def _metric(self, X: Any) -> NDArray[np.float64] | float | None:
        """Weights of columns, or for how many seconds they may be learned."""
        metric = getattr(self, "metric", None)
        seconds = getattr(self, "metric_seconds", None)
        if metric is None:
            return None
        if isinstance(metric, str):
            if metric != "learned":
                raise ValueError(f"metric must be 'learned', an array or None, not {metric!r}")
            if seconds is None:
                return np.inf
            if not isinstance(seconds, Real) or not seconds > 0:
                raise ValueError(f"metric_seconds must be above 0 or None, not {seconds!r}")
            return float(seconds)
        weights = np.ascontiguousarray(metric, dtype=np.float64)
        if weights.shape != (X.shape[1],):
            raise ValueError(
                f"metric must have one weight a feature: {X.shape[1]}, not shape {weights.shape}"
            )
        return weights

    def _check_training(self, X: Any, y: Any = "no_validation", **how: Any) -> Any:
        """``X``, or ``X`` and ``y``, as float64."""
        precomputed = self._is_precomputed()
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

    def _queries(self, X: Any) -> Rows:
        """Rows to predict, as the native module takes them."""
        model = getattr(self, "_model", None)
        # Arrays that need nothing done to them go straight on: the native module tests the rest.
        if (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.flags.c_contiguous
            and len(X) > 0
            and model is not None
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        ):
            return X
        check_is_fitted(self)
        sparse = False if self._is_precomputed() else "csr"
        return native_rows(
            validate_data(self, X, accept_sparse=sparse, dtype=np.float64, order="C", reset=False)
        )

    def _row_weights(self, sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if np.any(weights < 0):
            raise ValueError("sample_weight has negative values; use 0 to leave a row out")
        return np.ascontiguousarray(weights)

    def _train(self, X: Any, targets: Any, weights: Any, settings: dict[str, Any]) -> None:
        if not self._is_precomputed():
            warn_of_spreads(X)
        model, support, searched = _hedgerow.fit(
            self._method,
            native_rows(X),
            targets,
            weights,
            settings,
            self._seed(),
            n_threads(self.n_jobs),
            self._search(),
            getattr(self, "probability", False) == "isotonic",
            self._metric(X),
        )
        self._adopt(model)
        if support is not None:
            self.support_ = support.astype(np.int32)
        if searched is not None:
            self.best_index_, table = searched
            names = {native: name for name, native, *_ in self._parameters}
            self.selection_ = {
                names.get(name, name): np.asarray(column) for name, column in table.items()
            }

    def _adopt(self, model: Model) -> None:
        """Takes the learned attributes from the model."""
        self._model = model
        if model.kernel is not None:
            self.kernel_ = model.kernel
        if hasattr(self, "metric"):
            weights = model.feature_weights
            self.feature_weights_ = (
                np.ones(model.n_features) if weights is None else np.asarray(weights)
            )
        if model.report is None:
            return
        converged, iterations, self.objective_ = model.report
        # scikit-learn counts at least one, also where training had nothing to iterate.
        self.n_iter_ = max(iterations, 1)
        self.fit_status_ = 0 if converged else 1
        if not converged:
            warnings.warn(
                f"the solver stopped after {self.n_iter_} iterations without reaching its "
                "tolerance; raise max_iter, or scale the features",
                ConvergenceWarning,
                stacklevel=5,
            )


class ClassTraining(Estimator):
    """Training on labels."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the rows of ``X`` with a positive weight.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        settings = self._settings()
        X, y = self._check_training(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = self._row_weights(sample_weight, X)
        if weights is not None:
            for c, name in enumerate(self.classes_):
                if not np.any(weights[codes == c] > 0):
                    raise ValueError(f"class {name!r} has no row with a positive weight")
        if hasattr(self, "class_weight"):
            weights = self._class_weights(y, codes, weights)
        names = [class_name(name) for name in self.classes_]
        self._train(X, (codes.astype(np.uint32), names), weights, settings)
        return self

    def _class_weights(self, y: Any, codes: Any, weights: Any) -> Any:
        """Weights of rows times the factors of their classes."""
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        self.class_weight_ = factors
        if self.class_weight is None:
            return weights
        if not np.all(np.isfinite(factors)) or np.any(factors <= 0):
            raise ValueError(f"class weights must be positive: {factors}")
        return factors[codes] if weights is None else weights * factors[codes]


class RealTraining(Estimator):
    """Training on real targets."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the rows of ``X`` with a positive weight.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        settings = self._settings()
        X, y = self._check_training(X, y, y_numeric=True)
        weights = self._row_weights(sample_weight, X)
        self._train(X, np.ascontiguousarray(y, dtype=np.float64), weights, settings)
        return self


class RowTraining(Estimator):
    """Training on rows alone."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Trains on the rows of ``X`` with a positive weight; ``y`` is not read.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), optional
        """
        settings = self._settings()
        X = self._check_training(X)
        self._train(X, None, self._row_weights(sample_weight, X), settings)
        return self
