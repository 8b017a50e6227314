"""Local machines as scikit-learn estimators: SVMs on neighbourhoods that cover the data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _hedgerow
from ._arrays import n_threads, native_rows
from ._kernels import kernel_text
from ._svm import _class_name, _is_precomputed, _KernelMachine, _number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import Chosen, LocalSettings, Model, SelectionSettings

_SELECT_KEYS = ("k", "C", "gamma", "models", "folds", "inner_half", "centres", "balance")


def _count(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def _list(value: Any) -> list[Any]:
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    return list(value) if is_list else [value]


def _width(gamma: Any) -> Any:
    """A gamma from -1 to 0 is a percentile, as on the command line."""
    if isinstance(gamma, Real) and not isinstance(gamma, bool) and -1 <= gamma < 0:
        return f"q{round(-100 * float(gamma), 9):g}"
    return gamma


class _LocalMachine(_KernelMachine):
    """What local machines share."""

    _method: ClassVar[str]
    _model: Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = False
        return tags

    def _kernel_text(self, gamma: Any) -> str:
        return kernel_text(self.kernel, self.degree, _width(gamma), self.coef0)

    def _selection(self) -> SelectionSettings | None:
        wanted = self.select
        if wanted is None or wanted is False:
            return None
        if wanted is True:
            wanted = {}
        if not isinstance(wanted, Mapping):
            raise ValueError(f"select must be a bool or a dict, not {wanted!r}")
        for key in wanted:
            if key not in _SELECT_KEYS:
                known = ", ".join(_SELECT_KEYS)
                raise ValueError(f"select has no key {key!r}: the keys are {known}")
        # A kernel given as text has its own widths.
        widths = [-0.01, -0.1, -0.5, -0.9] if self.kernel == "rbf" else [self.gamma]
        return {
            "neighbours": [
                _count("k", k, 2) for k in _list(wanted.get("k", [500, 1000, 2000, 4000]))
            ],
            "costs": [_number("C", c) for c in _list(wanted.get("C", [1, 4, 16, 64]))],
            "kernels": [self._kernel_text(gamma) for gamma in _list(wanted.get("gamma", widths))],
            "models": _count("models", wanted.get("models", 10)),
            "folds": _count("folds", wanted.get("folds", 10), 2),
            "inner_half": bool(wanted.get("inner_half", False)),
            "centres": bool(wanted.get("centres", False)),
            "balance": bool(wanted.get("balance", True)),
        }

    def _local_settings(self) -> LocalSettings:
        if _is_precomputed(self.kernel):
            raise ValueError(
                "neighbourhoods are found by features: give the features and a kernel"
            )
        max_iter = self.max_iter
        if not isinstance(max_iter, Integral) or max_iter == 0 or max_iter < -1:
            raise ValueError(f"max_iter must be -1 (no limit) or at least 1, not {max_iter!r}")
        if self.cover not in ("levels", "simple"):
            raise ValueError(f'cover must be "levels" or "simple", not {self.cover!r}')
        if self.assign not in ("nearest", "centre", "vote", "blend"):
            raise ValueError(
                f'assign must be "nearest", "centre", "vote" or "blend", not {self.assign!r}'
            )
        return {
            "method": self._method,
            "kernel": self._kernel_text(self.gamma),
            "neighbours": _count("k", self.k),
            "core": _number("core", self.core),
            "simple_cover": self.cover == "simple",
            "assign": self.assign,
            "voters": _count("voters", self.voters),
            "cost": _number("C", self.C),
            "epsilon": _number("epsilon", getattr(self, "epsilon", 0.1)),
            "probability": bool(getattr(self, "probability", False)),
            "tolerance": _number("tol", self.tol),
            "max_iterations": None if max_iter == -1 else int(max_iter),
            "seed": self._seed(),
            "threads": n_threads(self.n_jobs),
            "selection": self._selection(),
        }

    def _adopt_local(self, model: Model, chosen: Chosen) -> None:
        self._adopt(model, None)
        self.k_, self.C_, self.kernel_, table = chosen
        if table is not None:
            best, rows = table
            names = ("k", "C", "kernel", "mean_score", "std_score")
            columns = list(zip(*rows, strict=True))
            self.selection_ = {
                name: np.asarray(column) for name, column in zip(names, columns, strict=True)
            }
            self.best_index_ = best

    def _adopt(self, model: Model, support: NDArray[np.int64] | None) -> None:
        self._model = model
        self.kernel_ = model.kernel
        centres = model.centres()
        if centres is not None:
            self.centres_, self.n_trained_ = centres
        if model.report is None:
            return
        converged, self.n_iter_, self.objective_ = model.report
        self.fit_status_ = 0 if converged else 1
        if not converged:
            warnings.warn(
                f"some machine stopped without reaching tol={self.tol}; raise max_iter, or scale "
                "the features",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _many_expansions(self) -> NoReturn:
        raise AttributeError("every local machine has support vectors and coefficients of its own")

    support_vectors_ = property(_many_expansions)
    coef_ = property(_many_expansions)


class FaLKSVMClassifier(ClassifierMixin, _LocalMachine):
    """FaLK-SVM: local support vector machines on neighbourhoods that cover the training rows.

    For data that are too large for one SVM: training time grows about linearly with the rows, and
    an answer takes a neighbour search and one small machine.

    Parameters
    ----------
    k : int, default=1000
        Rows of a neighbourhood.
    core : float, default=0.5
        Share of a neighbourhood that its machine answers for.
    C : float, default=1.0
        Price of a violated margin.
    kernel : str, default="rbf"
        As of :class:`SVC`, without ``"precomputed"``.
    degree, coef0
        As of :class:`SVC`.
    gamma : "q50", "q10", ..., "scale", "auto", "mean" or float, default="q50"
        Width of the kernel. A percentile of the distances (``"q50"``, or -0.5) is taken anew in
        every neighbourhood.
    cover : "levels" or "simple", default="levels"
        How rows come to their centre: by smallest rank, or the first that covers them.
    assign : "nearest", "centre", "vote" or "blend", default="nearest"
        Which machine answers: that of the nearest training row, that of the nearest centre
        (faster), or those of the ``voters`` nearest centres, by majority or each by how clearly
        it speaks.
    voters : int, default=3
        Centres that vote or blend.
    class_weight : dict or "balanced", optional
        Factors of ``C`` for classes.
    probability : bool, default=False
        Whether every machine is calibrated, for :meth:`predict_proba`.
    select : bool or dict, optional
        Local model selection (FaLK-SVMl): ``k``, ``C`` and ``gamma`` are chosen on a few
        neighbourhoods before training. A dict may set the values to try, ``k``, ``C``, ``gamma``,
        and ``models`` (neighbourhoods, 10), ``folds`` (10), ``inner_half``, ``centres``,
        ``balance``.
    tol : float, default=1e-3
        Largest violation of optimality that is accepted.
    max_iter : int, default=-1
        Limit of the iterations of each machine; -1 is none.
    random_state : int or RandomState, optional
        Seed of the order of centres, of folds and of the neighbourhoods for selection.
    n_jobs : int, optional
        Threads, as of :class:`SVC`. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    centres_ : ndarray of int
        Training rows that are centres, counted from 0.
    n_trained_ : int
        Machines that were trained; neighbourhoods of one class need none.
    k_, C_, kernel_
        What the machines were trained with.
    selection_ : dict of ndarray
        Candidates of the selection: ``k``, ``C``, ``kernel``, ``mean_score``, ``std_score``.
    best_index_ : int
        The chosen one.
    """

    _method = "falk-svm"

    def __init__(
        self,
        *,
        k: int = 1000,
        core: float = 0.5,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        cover: str = "levels",
        assign: str = "nearest",
        voters: int = 3,
        class_weight: Any = None,
        probability: bool = False,
        select: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.core = core
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.cover = cover
        self.assign = assign
        self.voters = voters
        self.class_weight = class_weight
        self.probability = probability
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FaLKSVMClassifier:
        """Trains on the rows of ``X`` with a positive weight."""
        settings = self._local_settings()
        X, y = self._check_training(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = self._row_weights(sample_weight, X)
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            if not np.all(np.isfinite(factors)) or np.any(factors <= 0):
                raise ValueError(f"class weights must be positive: {factors}")
            weights = factors[codes] if weights is None else weights * factors[codes]
        names = [_class_name(name) for name in self.classes_]
        model, chosen = _hedgerow.fit_local(
            native_rows(X), codes.astype(np.uint32), names, weights, settings
        )
        self._adopt_local(model, chosen)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: for two classes one a row, positive for ``classes_[1]``; for more the
        votes for each class."""
        values = self._decisions(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        X = self._check_queries(X)
        codes = self._model.predict_codes(native_rows(X), n_threads(self.n_jobs))
        return self.classes_[codes]

    def _is_calibrated(self) -> bool:
        model = getattr(self, "_model", None)
        if model is None:
            return bool(self.probability)
        # A model of the program knows better than the constructor's default.
        return ("probability", "true") in model.parameters

    @available_if(_is_calibrated)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, one column a class; a class that the neighbourhood of a row does not
        have gets 0."""
        X = self._check_queries(X)
        return self._model.probabilities(native_rows(X), n_threads(self.n_jobs))


class FaLKSVMRegressor(RegressorMixin, _LocalMachine):
    """FaLK-SVM with epsilon-support vector regression as the local machine.

    Parameters and attributes are those of :class:`FaLKSVMClassifier`, without classes and
    probabilities, and with ``epsilon``, the half width of the tube in which errors are free.
    Candidates of ``select`` are compared by mean squared error.
    """

    _method = "falk-svr"

    def __init__(
        self,
        *,
        k: int = 1000,
        core: float = 0.5,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        cover: str = "levels",
        assign: str = "nearest",
        voters: int = 3,
        select: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.core = core
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.cover = cover
        self.assign = assign
        self.voters = voters
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FaLKSVMRegressor:
        """Trains on the rows of ``X`` with a positive weight."""
        settings = self._local_settings()
        X, y = self._check_training(X, y, y_numeric=True)
        weights = self._row_weights(sample_weight, X)
        targets = np.ascontiguousarray(y, dtype=np.float64)
        model, chosen = _hedgerow.fit_local(native_rows(X), targets, [], weights, settings)
        self._adopt_local(model, chosen)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted value of each row."""
        check_is_fitted(self)
        X = self._check_queries(X)
        return self._model.predict_values(native_rows(X), n_threads(self.n_jobs))
