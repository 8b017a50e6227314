"""The methods race under a time budget; the winner answers."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from . import _hedgerow
from ._arrays import n_threads, native_rows
from ._base import Estimator, class_name
from ._kinds import Classifier, Regressor


if TYPE_CHECKING:
    from numpy.typing import NDArray


def _tells_two_classes_apart(estimator: Any) -> bool:
    return len(getattr(estimator, "classes_", (0, 1))) == 2


class _Race(Estimator):
    """What both kinds share."""

    _parameters: ClassVar[tuple[Any, ...]] = ()

    def __init__(
        self,
        budget: float = 60.0,
        *,
        measure: str | None = None,
        latency_us: float | None = None,
        max_mb: float | None = None,
        explainable: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.budget = budget
        self.measure = measure
        self.latency_us = latency_us
        self.max_mb = max_mb
        self.explainable = explainable
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _limits(self) -> dict[str, Any]:
        limits = {"budget": self.budget, "latency_us": self.latency_us, "max_mb": self.max_mb}
        for name, value in limits.items():
            if value is None and name != "budget":
                continue
            if not isinstance(value, Real) or not 0 < value < np.inf:
                raise ValueError(f"{name} must be a number above 0, not {value!r}")
        return {
            **limits,
            "budget": float(self.budget),
            "measure": self.measure,
            "explainable": bool(self.explainable),
            "seed": self._seed(),
            "verbose": bool(self.verbose),
        }

    def _race(self, X: Any, targets: Any) -> None:
        model, told = _hedgerow.race_methods(
            native_rows(X), targets, self._limits(), n_threads(self.n_jobs)
        )
        self._adopt(model)
        self.best_method_ = told["method"]
        self.best_options_ = told["options"]
        self.measure_ = told["measure"]
        self.leaderboard_ = told["leaderboard"]
        self.unseen_score_ = told["unseen_score"]
        self.latency_us_ = told["latency_us"]
        self.megabytes_ = told["megabytes"]
        self.n_candidates_ = told["candidates"]


_ABOUT = """

    Parameters
    ----------
    budget : float, default=60.0
        Seconds of all of it, the last fit included. How far a race comes in its time depends on the
        machine.
    measure : str, optional
        What is compared, a name of the guide's page on evaluation; by default {measure}.
    latency_us : float, optional
        Microseconds that an answer to one row may take, at the median.
    max_mb : float, optional
        Megabytes that the model may have.
    explainable : bool, default=False
        Only models that a person can read: linear ones.
    verbose : int, default=0
        Above 0 the race is told while it goes on.
    random_state : int, RandomState or None
        Seed of samples and splits; ``None`` is 0.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    best_method_ : str
        Name of the method that won, as the program calls it.
    best_options_ : str
        Its options, as the program takes them.
    leaderboard_ : list of dict
        Candidates on the largest sample first, the best first.
    measure_ : str
        What was compared.
    unseen_score_ : float or None
        Score of the winner on rows that took no part in the race; ``None`` below 1,000 rows.
    latency_us_ : float
        Microseconds of one answer.
    megabytes_ : float
        Size of the model.
    n_candidates_ : int
        Candidates that were tried.
    """


class AutoClassifier(_Race, Classifier):
    __doc__ = "Classification by the method that wins a race on the training rows." + _ABOUT.format(
        measure="accuracy; the AUC if one of two classes has fewer than 5 % of the rows, the "
        "average precision below 1 %"
    )

    _method = "auto"

    def fit(self, X: Any, y: Any) -> AutoClassifier:  # type: ignore[override]
        """Runs the race on the rows of ``X``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        X, y = self._check_training(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "the classifier needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        names = [class_name(name) for name in self.classes_]
        self._race(X, (codes.astype(np.uint32), names))
        return self

    @available_if(_tells_two_classes_apart)
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values of two classes: one value a row, positive for ``classes_[1]``. Methods differ
        in what they say of more classes, so that there is none."""
        rows = self._queries(X)
        values = self._model.decision_values(rows, n_threads(self.n_jobs))
        return values[:, 0] if values.shape[1] == 1 else values[:, 1] - values[:, 0]


class AutoRegressor(_Race, Regressor):
    __doc__ = "Regression by the method that wins a race on the training rows." + _ABOUT.format(
        measure="the mean squared error"
    )

    _method = "auto"

    def fit(self, X: Any, y: Any) -> AutoRegressor:  # type: ignore[override]
        """Runs the race on the rows of ``X``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        X, y = self._check_training(X, y, y_numeric=True, ensure_min_samples=2)
        self._race(X, np.ascontiguousarray(y, dtype=np.float64))
        return self
