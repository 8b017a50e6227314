"""What kinds of estimators there are: how they answer and which attributes they learn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows, python_rows
from ._base import ClassTraining, RealTraining, RowTraining, class_name, is_precomputed
from ._kernels import kernel_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._hedgerow import Model


def _tells_probabilities(estimator: Any) -> bool:
    model = getattr(estimator, "_model", None)
    if model is not None:
        # A model of the program knows better than the constructor's default.
        return bool(model.has_probabilities)
    return bool(getattr(estimator, "probability", estimator._always_probabilities))


def _ranks_levels(estimator: Any) -> bool:
    model = getattr(estimator, "_model", None)
    return estimator.levels is not None if model is None else bool(model.ranks_levels)


class Classifier(ClassifierMixin, ClassTraining):
    """Answers with classes."""

    _always_probabilities: ClassVar[bool] = False

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        rows = self._queries(X)
        return self.classes_[self._model.predict_codes(rows, n_threads(self.n_jobs))]

    @available_if(_tells_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, one column a class."""
        rows = self._queries(X)
        return self._model.probabilities(rows, n_threads(self.n_jobs))

    @available_if(_tells_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))


class ProbabilityClassifier(Classifier):
    """Answers with classes and always with probabilities."""

    _always_probabilities = True


class ScoringClassifier(Classifier):
    """Answers with classes and decision values."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: for two classes one value a row, positive for ``classes_[1]``; for
        more one column a class."""
        values = self._decisions(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def _decisions(self, X: Any) -> NDArray[np.float64]:
        rows = self._queries(X)
        return self._model.decision_values(rows, n_threads(self.n_jobs))


class CalibratedClassifier(ScoringClassifier):
    """Answers with classes and decision values, and with probabilities if ``probability``."""


class RankingClassifier(CalibratedClassifier):
    """Ranks one of two classes first, or the rows by their levels: decision values order the rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.levels is not None
        return tags

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        """Trains on the rows of ``X``. Pairs of rows have no weights."""
        if self.levels is not None:
            return self._fit_levels(X, y)
        if type_of_target(y) == "multiclass":
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass. "
                "To rank one class before the rest, fit on y == class. "
                "For classes that are levels of a scale give levels=True."
            )
        return super().fit(X, y)

    def _fit_levels(self, X: Any, y: Any) -> Any:
        settings = self._settings()
        X, y = self._check_training(X, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(
                "the ranker needs at least two levels, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        scale = list(self.classes_) if self.levels is True else _list(self.levels)
        strange = [level for level in self.classes_ if level not in scale]
        if strange or len(set(scale)) < len(scale):
            raise ValueError(
                f"levels must name every class of y once, lowest first: {self.levels!r} lacks "
                f"{strange} or repeats a level"
            )
        # Levels without rows are not learnt.
        known = [level for level in scale if level in self.classes_]
        self.levels_ = np.asarray(known, dtype=self.classes_.dtype)
        places = {level: place for place, level in enumerate(known)}
        codes = np.asarray([places[level] for level in y], dtype=np.uint32)
        names = [class_name(level) for level in known]
        self._train(X, (codes, names, True), None, settings)
        return self

    @available_if(_ranks_levels)
    def expected_value(self, X: Any) -> NDArray[np.float64]:
        """The value of the level that is expected of each row: a number between the lowest and the
        highest level. Levels that are no numbers have the values 0, 1, 2, ..."""
        rows = self._queries(X)
        return self._model.level_values(rows, n_threads(self.n_jobs))

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        self.lambda_ = model.facts()["lambda"]


class UnweightedClassifier(CalibratedClassifier):
    """As its base, for methods that count every row alike."""

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        """Trains on the rows of ``X``, which have no weights."""
        return super().fit(X, y)


class ProximalClassifier(UnweightedClassifier):
    """A surface near each class."""

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        facts = model.facts()
        self.quotients_, self.gaps_ = facts["quotients"], facts["gaps"]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: for two classes one value a row between -1 and 1, positive for
        ``classes_[1]``; for more one column a class."""
        values = super().decision_function(X)
        n_classes = len(self.classes_)
        pairwise = getattr(self, "multi_class", "ovo") == "ovo"
        return votes(values, n_classes) if values.ndim == 2 and pairwise else values


class ChunkClassifier(ProximalClassifier):
    """Surfaces on a few rows; further rows can be learnt."""

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        facts = model.facts()
        self.chunk_ = [row - 1 for row in facts["chunk_rows"]]
        self.tried_ = facts["offered"]

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Learns from further rows; trains on them if the estimator is not fitted.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array, optional
            All classes. They must occur in the rows of the first call, which knows no others.
        """
        if getattr(self, "_model", None) is None:
            self.fit(X, y)
            if classes is not None and len(np.setdiff1d(classes, self.classes_)) > 0:
                raise ValueError("every class must have a row in the first call of partial_fit")
            return self
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", reset=False
        )
        strange = np.setdiff1d(y, self.classes_)
        if len(strange) > 0:
            raise ValueError(f"y has classes that the first rows did not have: {strange}")
        codes = np.searchsorted(self.classes_, y).astype(np.uint32)
        names = [class_name(name) for name in self.classes_]
        model, self.update_ = _hedgerow.update(
            self._model, native_rows(X), (codes, names), n_threads(self.n_jobs)
        )
        self._adopt(model)
        return self


class DirectionClassifier(TransformerMixin, UnweightedClassifier):
    """A direction of a kernel space."""

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Projections of the rows: one column for two classes, otherwise one a class."""
        return self._decisions(X)


class Regressor(RegressorMixin, RealTraining):
    """Answers with values."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted value of each row."""
        rows = self._queries(X)
        return self._model.predict_values(rows, n_threads(self.n_jobs))


class OutlierDetector(OutlierMixin, RowTraining):
    """Tells usual rows from others."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed distance from the edge of the region, positive inside."""
        rows = self._queries(X)
        return self._model.decision_values(rows, n_threads(self.n_jobs))[:, 0]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 inside the region, -1 outside."""
        return np.where(self.decision_function(X) > 0, 1, -1)


def votes(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """One column a class: its votes, and less than half a vote of confidence to break ties.

    Pairs are (0,1), (0,2), ..., (1,2), ...; a positive decision is a vote for the first.
    """
    counts = np.zeros((decisions.shape[0], n_classes))
    confidence = np.zeros_like(counts)
    pair = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            value = decisions[:, pair]
            counts[:, a] += value >= 0
            counts[:, b] += value < 0
            confidence[:, a] += value
            confidence[:, b] -= value
            pair += 1
    return counts + confidence / (3 * (np.abs(confidence) + 1))


class _Expansion:
    """A kernel expansion: support vectors with coefficients."""

    _model: Model

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)  # type: ignore[misc]
        self.dual_coef_, self.intercept_, self.n_support_ = model.coefficients()

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


class ExpansionClassifier(_Expansion, ScoringClassifier):
    """Kernel expansions of several classes, one machine a pair.

    Learned beside the attributes of all: ``support_``, ``support_vectors_``, ``n_support_``,
    ``dual_coef_`` and ``intercept_``, laid out as in scikit-learn.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the rows of ``X`` with a positive weight."""
        if self.decision_function_shape not in ("ovr", "ovo"):
            shape = self.decision_function_shape
            raise ValueError(f'decision_function_shape must be "ovr" or "ovo", not {shape!r}')
        return super().fit(X, y, sample_weight)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        For two classes one value a row, positive for ``classes_[1]``. For more, with
        ``decision_function_shape="ovr"`` one column a class, with ``"ovo"`` one a pair of classes,
        positive for the first of them.
        """
        values = super().decision_function(X)
        if values.ndim == 1 or self.decision_function_shape == "ovo":
            return values
        n_classes = len(self.classes_)
        pairwise = values.shape[1] == n_classes * (n_classes - 1) // 2
        return votes(values, n_classes) if pairwise and self._is_one_vs_one() else values

    def _is_one_vs_one(self) -> bool:
        # Only models of the program have a machine a class, and then as many rows as classes.
        return self.dual_coef_.shape[0] == len(self.classes_) - 1

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


class ExpansionRegressor(_Expansion, Regressor):
    """A kernel expansion of real targets."""


class ExpansionOutliers(_Expansion, OutlierDetector):
    """A kernel expansion around usual rows."""

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        self.offset_ = -self.intercept_

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The decision values without their constant."""
        return self.decision_function(X) + self.offset_


class LinearClassifier(ScoringClassifier):
    """Hyperplanes: ``coef_`` and ``intercept_``, one row a decision value."""

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        scaling = settings.get("bias", 1.0)
        if hasattr(self, "intercept_scaling") and not scaling > 0:
            # The method reads 0 as no intercept, which is what fit_intercept is for.
            raise ValueError(f"intercept_scaling must be above 0, not {scaling!r}")
        if not getattr(self, "fit_intercept", True):
            settings["bias"] = None
        return settings

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        self.coef_, self.intercept_ = model.hyperplanes()

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: for two classes one value a row, positive for ``classes_[1]``;
        for more one column a class."""
        values = super().decision_function(X)
        if values.ndim == 2 and getattr(self, "multi_class", "ovr") == "ovo":
            return votes(values, len(self.classes_))
        return values


class LinearProbabilities(LinearClassifier):
    """Hyperplanes whose decision values are log-odds."""

    _always_probabilities = True


_SELECT_KEYS = ("neighbours", "C", "gamma", "models", "folds", "inner_half", "centres", "balance")


def _list(value: Any) -> list[Any]:
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    return list(value) if is_list else [value]


class _Local:
    """Machines on neighbourhoods."""

    _model: Model

    def _settings(self) -> dict[str, Any]:
        if is_precomputed(self.kernel):
            raise ValueError("neighbourhoods are found by features: give the features and a kernel")
        return super()._settings()  # type: ignore[misc]

    def _search(self) -> dict[str, Any] | None:
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
        settings = [key for key in ("models", "folds", "inner_half", "centres", "balance") if key in wanted]
        # Without settings of their own, candidates race on many neighbourhoods.
        usual = ["q1", "q10", "q50", "q90"] if settings else ["q1", "q4", "q16", "q50", "q90"]
        sizes = [500, 1000, 2000, 4000] if settings else [125, 250, 500, 1000, 2000, 4000]
        costs = [1, 4, 16, 64] if settings else [1, 4, 16, 64, 256]
        # A kernel given as text has its own widths.
        widths = usual if self.kernel == "rbf" else [self.gamma]
        kernels = [
            kernel_text(self.kernel, self.degree, gamma, self.coef0)
            for gamma in _list(wanted.get("gamma", widths))
        ]
        search: dict[str, Any] = {
            "neighbours": _list(wanted.get("neighbours", sizes)),
            "cost": _list(wanted.get("C", costs)),
            "kernel": kernels,
        }
        for key in settings:
            search[key] = wanted[key]
        return search

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)  # type: ignore[misc]
        self.centres_ = model.centre_rows()
        facts = model.facts()
        self.n_trained_ = facts["trained_machines"]
        self.neighbours_, self.C_ = facts["neighbours"], facts["cost"]

    def explain(self, X: Any, top: int = 5) -> list[dict[str, Any]]:
        """Why each row is answered as it is: a dict a row, with the ``top`` training rows that
        weigh most (``influences``, rows counted from 1), the machine and its neighbourhood."""
        rows = self._queries(X)  # type: ignore[attr-defined]
        return self._model.explain(rows, top, n_threads(self.n_jobs))

    def _many_expansions(self) -> NoReturn:
        raise AttributeError("every local machine has support vectors and coefficients of its own")

    support_vectors_ = property(_many_expansions)
    coef_ = property(_many_expansions)


class LocalClassifier(_Local, CalibratedClassifier):
    """Classification by machines on neighbourhoods."""


class LocalRegressor(_Local, Regressor):
    """Regression by machines on neighbourhoods."""


class TreeClassifier(ProbabilityClassifier):
    """Trees of hyperplanes."""

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        facts = model.facts()
        self.n_trees_ = facts["trees"]
        self.n_hyperplanes_ = facts["hyperplanes"]
        self.depth_ = facts["depth"] or 0

    def path_costs(self, X: Any) -> tuple[float, int]:
        """Hyperplanes evaluated for the rows: mean and largest number."""
        rows = self._queries(X)
        return self._model.count_work(rows, n_threads(self.n_jobs))
