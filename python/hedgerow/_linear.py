"""Linear classifiers as scikit-learn estimators."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows
from ._svm import _class_name, _number, _votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import LinearSettings, Model


def _count(name: str, value: Any) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")


class _LinearClassifier(ClassifierMixin, BaseEstimator, ABC):
    """What all linear classifiers share. Subclasses name their method and their settings."""

    _method: ClassVar[str]
    _model: Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _own_settings(self) -> dict[str, Any]:
        """The settings in which the method differs from the others."""

    def _settings(self) -> LinearSettings:
        scheme = getattr(self, "multi_class", "ovr")
        if scheme not in ("ovr", "ovo"):
            raise ValueError(f'multi_class must be "ovr" or "ovo", not {scheme!r}')
        settings: LinearSettings = {
            "method": self._method,
            "cost": _number("C", getattr(self, "C", 1.0)),
            "bias": None,
            "one_vs_one": scheme == "ovo",
            "tolerance": _number("tol", getattr(self, "tol", 1e-4)),
            "max_iterations": _count("max_iter", getattr(self, "max_iter", 1)),
            "seed": self._seed(),
            "loss": "squared_hinge",
            "solver": "auto",
            "regularised_bias": True,
            "regulariser": None,
            "balanced": False,
            "bias_treatment": "feature",
            "bias_rate": 0.01,
            "batch": 1,
            "stop": "pass",
            "ridge": 0.0,
            "threads": n_threads(self.n_jobs),
        }
        settings.update(self._own_settings())  # type: ignore[typeddict-item]
        return settings

    def _bias(self) -> float | None:
        scaling = _number("intercept_scaling", self.intercept_scaling)
        if not self.fit_intercept:
            return None
        if not scaling > 0:
            raise ValueError(f"intercept_scaling must be above 0, not {scaling}")
        return scaling

    def _seed(self) -> int:
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, Integral):
            return int(state) % 2**64
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        raise ValueError(f"random_state must be None, a whole number or a RandomState: {state!r}")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the rows whose weight is positive.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        settings = self._settings()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if np.any(weights < 0):
                raise ValueError("sample_weight has negative values; use 0 to leave a row out")
            for c, name in enumerate(self.classes_):
                if not np.any(weights[codes == c] > 0):
                    raise ValueError(f"class {name!r} has no row with a positive weight")
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            factors = compute_class_weight(class_weight, classes=self.classes_, y=y)
            if not np.all(np.isfinite(factors)) or np.any(factors <= 0):
                raise ValueError(f"class weights must be positive: {factors}")
            weights = factors[codes] if weights is None else weights * factors[codes]
        if weights is not None:
            weights = np.ascontiguousarray(weights)
        names = [_class_name(name) for name in self.classes_]
        model = _hedgerow.fit_linear(
            native_rows(X), codes.astype(np.uint32), names, weights, settings
        )
        self._adopt(model, None)
        return self

    def _adopt(self, model: Model, _support: Any) -> None:
        """Takes the learned attributes from the model."""
        self._model = model
        self.coef_, self.intercept_ = model.hyperplanes()
        if model.report is None:
            return
        converged, self.n_iter_, self.objective_ = model.report
        if not converged:
            warnings.warn(
                f"the solver stopped after {self.n_iter_} iterations without reaching its "
                "tolerance; raise max_iter, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _check_queries(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: for two classes one value a row, positive for ``classes_[1]``;
        for more one column a class."""
        X = self._check_queries(X)
        values = self._model.decision_values(native_rows(X), n_threads(self.n_jobs))
        if values.shape[1] == 1:
            return values[:, 0]
        if getattr(self, "multi_class", "ovr") == "ovo":
            return _votes(values, len(self.classes_))
        return values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        X = self._check_queries(X)
        codes = self._model.predict_codes(native_rows(X), n_threads(self.n_jobs))
        return self.classes_[codes]


class LinearSVC(_LinearClassifier):
    """Linear support vector classification.

    Minimises ``||w||² / 2 + C Σ loss``; the intercept is the weight of a constant feature and is
    regularised like the others.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
    solver : "auto", "dual" or "primal", default="auto"
        Dual coordinate descent, or Newton's method on the primal (squared hinge only). "auto" takes
        the primal if there are at least twice as many rows as features, or if the dual takes too long.
    tol : float, default=1e-4
        For the dual a thousand times the duality gap relative to the objective, for the primal the
        norm of the gradient relative to its first.
    max_iter : int, default=10000
        Largest number of passes.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        Value of the constant feature: the larger, the less the intercept is regularised.
    class_weight : dict or "balanced", optional
    multi_class : "ovr" or "ovo", default="ovr"
        A machine for each class against the rest, or for each pair of classes.
    random_state : int or RandomState, optional
        Order in which rows are visited.
    n_jobs : int, optional
        Threads; machines of several classes are trained at the same time.

    Attributes
    ----------
    coef_ : array of shape (n_machines, n_features)
    intercept_ : array of shape (n_machines,)
    classes_ : array of shape (n_classes,)
    n_iter_ : int
    objective_ : float
    """

    _method = "linear-svm"

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "squared_hinge",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 10000,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        multi_class: str = "ovr",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _own_settings(self) -> dict[str, Any]:
        return {"bias": self._bias(), "loss": str(self.loss), "solver": str(self.solver)}


class LogisticRegression(_LinearClassifier):
    """Logistic regression by Newton's method.

    Minimises ``||w||² / 2 + C Σ ln(1 + exp(-y f(x)))``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the regulariser.
    tol : float, default=1e-4
        Norm of the gradient relative to its first at which to stop.
    max_iter : int, default=1000
        Largest number of Newton steps.
    fit_intercept : bool, default=True
    regularise_intercept : bool, default=False
        Whether the intercept is regularised like the weights.
    class_weight : dict or "balanced", optional
    multi_class : "ovr" or "ovo", default="ovr"
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, objective_
    """

    _method = "logistic"

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-4,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        regularise_intercept: bool = False,
        class_weight: Any = None,
        multi_class: str = "ovr",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.regularise_intercept = regularise_intercept
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.n_jobs = n_jobs

    def _own_settings(self) -> dict[str, Any]:
        return {
            "bias": 1.0 if self.fit_intercept else None,
            "regularised_bias": bool(self.regularise_intercept),
        }

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, one column a class."""
        X = self._check_queries(X)
        return self._model.probabilities(native_rows(X), n_threads(self.n_jobs))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))


class PegasosClassifier(_LinearClassifier):
    """Linear SVM by projected stochastic subgradients.

    Minimises ``λ ||w||² / 2 + mean(ν_i max(0, 1 - y_i f(x_i)))``.

    Parameters
    ----------
    C : float, default=1.0
        ``λ = 1 / (C n)`` unless ``lam`` is given.
    lam : float, optional
    balanced : bool, default=False
        Weigh rows such that both classes of a machine weigh the same (Weighted-Pegasos).
    bias : "feature", "none", "subgradient", "inner" or "rate", default="feature"
        How the intercept is learned: as the weight of a constant feature, not at all, by its own
        subgradient, by minimising over it in every step (for large batches), or by the heuristic
        with the rate ``bias_rate``.
    bias_rate : float, default=0.01
    batch_size : int, default=1
        Rows drawn in a step.
    stop : "pass", "step" or "never", default="pass"
        Whether the mean of the weights over a pass, or the weights in one step, or nothing must
        have moved by at most ``tol`` (the former relative to its norm).
    tol : float, default=1e-3
    max_iter : int, default=10000000
        Largest number of steps.
    class_weight : dict or "balanced", optional
    multi_class : "ovr" or "ovo", default="ovr"
    random_state : int or RandomState, optional
    n_jobs : int, optional

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, objective_
    """

    _method = "pegasos"

    def __init__(
        self,
        C: float = 1.0,
        *,
        lam: float | None = None,
        balanced: bool = False,
        bias: str = "feature",
        bias_rate: float = 0.01,
        batch_size: int = 1,
        stop: str = "pass",
        tol: float = 1e-3,
        max_iter: int = 10_000_000,
        class_weight: Any = None,
        multi_class: str = "ovr",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.lam = lam
        self.balanced = balanced
        self.bias = bias
        self.bias_rate = bias_rate
        self.batch_size = batch_size
        self.stop = stop
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _own_settings(self) -> dict[str, Any]:
        lam = self.lam
        return {
            "bias": 1.0,
            "regulariser": None if lam is None else _number("lam", lam),
            "balanced": bool(self.balanced),
            "bias_treatment": str(self.bias),
            "bias_rate": _number("bias_rate", self.bias_rate),
            "batch": _count("batch_size", self.batch_size),
            "stop": str(self.stop),
        }


class FisherDiscriminant(_LinearClassifier):
    """Fisher's discriminant: the class whose mean is nearest in the metric of the spread within
    classes.

    Parameters
    ----------
    ridge : float, default=0.0
        Share of the mean variance that is added to every variance; raised where the matrix turns
        out to be singular.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    coef_, intercept_, classes_, objective_
    """

    _method = "fda"

    def __init__(self, ridge: float = 0.0, *, n_jobs: int | None = None) -> None:
        self.ridge = ridge
        self.n_jobs = n_jobs

    def _own_settings(self) -> dict[str, Any]:
        return {"ridge": _number("ridge", self.ridge)}
