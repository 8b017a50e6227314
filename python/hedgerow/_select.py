"""Feature selection as scikit-learn transformers."""

from __future__ import annotations

import json
import warnings
from abc import abstractmethod
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _hedgerow
from ._arrays import n_threads, native_rows

_GIBIBYTE = 1 << 30


def _number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{name} must be a number, not {value!r}")
    return float(value)


def _count(name: str, value: Any, least: int = 1) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def _word(name: str, value: Any, known: dict[str, Any]) -> Any:
    if not isinstance(value, str) or value not in known:
        words = ", ".join(repr(word) for word in known)
        raise ValueError(f"{name} must be one of {words}, not {value!r}")
    return known[value]


def _variant(name: str, value: Any, *words: str) -> str:
    """The variant that the library calls by a word: ``one-by-one`` is ``OneByOne``."""
    variants = {word: "".join(map(str.capitalize, word.split("-"))) for word in words}
    return _word(name, value, variants)


@dataclass(kw_only=True, eq=False, repr=False)
class _Selector(SelectorMixin, BaseEstimator):
    """Ranks the features in ``fit`` and keeps the best in ``transform``.

    Selectors are data classes: the parameters of ``__init__`` are the annotated fields, those of
    the classes above first.

    Attributes
    ----------
    ranking_ : array of int
        Features, best first; some methods rank only some of them.
    scores_ : array of float
        What the method thinks of each feature of ``ranking_``.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    n_jobs: int | None = None

    @abstractmethod
    def _selector(self) -> Any:
        """The method and its options, as the library reads them."""

    def _seed(self) -> int:
        state = check_random_state(getattr(self, "random_state", None))
        return int(state.randint(np.iinfo(np.int32).max))

    def _wanted(self, n_features: int) -> int | None:
        wanted = self.n_features_to_select
        if wanted is None:
            return None
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            return min(_count("n_features_to_select", wanted), n_features)
        share = _number("n_features_to_select", wanted)
        if not 0 < share <= 1:
            raise ValueError(
                "n_features_to_select must be a count, a share in (0, 1] or None, "
                f"not {wanted!r}"
            )
        return max(1, round(share * n_features))

    _needs_two_classes = False

    def fit(self, X: Any, y: Any) -> Any:
        """Ranks the features of ``X`` by the classes ``y``."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_features=1
        )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self._needs_two_classes and len(self.classes_) < 2:
            raise ValueError(
                "the selector needs at least two classes, but the data have only one class: "
                f"{self.classes_[0]!r}"
            )
        wanted = self._wanted(X.shape[1])
        order, scores, facts, converged, weights = _hedgerow.rank_features(
            native_rows(X),
            codes.astype(np.uint32),
            json.dumps(self._selector()),
            wanted,
            n_threads(self.n_jobs),
        )
        if not converged:
            warnings.warn("the ranking is rough: a solver stopped early", ConvergenceWarning)
        self.ranking_ = np.array(order, dtype=np.intp)
        self.scores_ = np.array(scores, dtype=np.float64)
        self.facts_ = dict(facts)
        self._take_weights(weights)
        kept = self.ranking_ if wanted is None else self.ranking_[:wanted]
        self._mask = np.zeros(X.shape[1], dtype=bool)
        self._mask[kept] = True
        return self

    def _take_weights(self, weights: Any) -> None:
        """Keeps what a method that weighs features found beside the ranking."""

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self._mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _kernel(gamma: Any) -> Any:
    """Gaussian of a width, or linear."""
    return "Linear" if gamma is None else {"Gaussian": {"gamma": _number("gamma", gamma)}}


@dataclass(kw_only=True, eq=False, repr=False)
class _Discretising(_Selector):
    """A method that can make features discrete."""

    binning: str = "deviations"
    bins: int = 3
    deviations: float = 1.0
    keep_discrete: bool = False

    def _information(self) -> Any:
        """How mutual information is estimated, as the library reads it."""
        bins = _count("bins", self.bins, 2)
        deviations = _number("deviations", self.deviations)
        binnings = {
            "deviations": {"Deviations": {"bins": bins, "deviations": deviations}},
            "quantiles": {"Quantiles": {"bins": bins}},
            "values": "Values",
        }
        return {
            "binning": _word("binning", self.binning, binnings),
            "keep_discrete": bool(self.keep_discrete),
            "nonzero_only": False,
            "max_bytes": 8 * _GIBIBYTE,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class _Filter(_Discretising):
    """A method that compares features."""

    similarity: str = "mi"
    relevance: str = "priors"

    def _similarity(self) -> Any:
        kinds = {"mi": "mi", "correlation": True, "covariance": False}
        kind = _word("similarity", self.similarity, kinds)
        relevance = _variant("relevance", self.relevance, "priors", "f-statistic")
        if kind == "mi":
            return {"MutualInformation": self._information()}
        return {
            "Correlation": {
                "normalized": kind,
                "relevance": relevance,
                "max_bytes": 8 * _GIBIBYTE,
            }
        }


@dataclass(kw_only=True, eq=False, repr=False)
class MaxRel(_Filter):
    """Every feature by its own relevance.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    similarity : {"mi", "correlation", "covariance"}
        Mutual information of discretised features, or absolute correlation or covariance.
    relevance : {"priors", "f-statistic"}
        With correlation or covariance, what makes a feature relevant: its correlation with each
        class, by prior, or the F statistic of the classes.
    binning : {"deviations", "quantiles", "values"}
        How features become discrete for mutual information.
    bins, deviations : int, float
        Number of segments, and half of the range they cover in standard deviations.
    keep_discrete : bool
        Whether features with no more values than ``bins`` keep them.
    n_jobs : int or None
        Number of threads.
    """

    def _selector(self) -> Any:
        return {"MaxRelevance": self._similarity()}


@dataclass(kw_only=True, eq=False, repr=False)
class MRMR(_Filter):
    """Minimal redundancy, maximal relevance: feature after feature.

    Parameters
    ----------
    scheme : {"difference", "quotient"}
        Relevance minus mean redundancy (MID), or divided by it (MIQ).
    quotient_offset : float
        Added to the denominator of the quotient.

    The others are those of :class:`MaxRel`.
    """

    scheme: str = "difference"
    quotient_offset: float = 0.01

    def _selector(self) -> Any:
        params = {
            "scheme": _variant("scheme", self.scheme, "difference", "quotient"),
            "quotient_offset": _number("quotient_offset", self.quotient_offset),
            "count": None,
        }
        return {"Mrmr": [self._similarity(), params]}


@dataclass(kw_only=True, eq=False, repr=False)
class QPFS(_Filter):
    """Quadratic programming feature selection.

    Parameters
    ----------
    alpha : float or None
        Trade-off from 0 (redundancy only) to 1 (relevance only); balanced by the data if None.
    mean : {"computed", "approximated", "upper-triangle"}
        Which mean similarity balances.
    rate : float or None
        Part of the similarities that is computed (Nyström); all if None.
    sampling : {"uniform", "column-norm", "diagonal"}
        How they are sampled.
    domain : {"simplex", "subspace"}
        Where the weights may lie.
    eigen_threshold : float
        Eigenvalues up to this part of the largest are dropped.
    keep_constant : bool
        Whether constant features take part.
    random_state : int, RandomState or None
        Of the sampling.

    The others are those of :class:`MaxRel`. After ``fit``, ``alpha_`` is the trade-off used and
    ``weights_`` the weight of every feature.
    """

    alpha: float | None = None
    mean: str = "computed"
    rate: float | None = None
    sampling: str = "uniform"
    domain: str = "simplex"
    eigen_threshold: float = 1e-8
    keep_constant: bool = False
    random_state: Any = None

    def _selector(self) -> Any:
        mean = _variant("mean", self.mean, "computed", "approximated", "upper-triangle")
        params = {
            "alpha": {"Heuristic": mean}
            if self.alpha is None
            else {"Fixed": _number("alpha", self.alpha)},
            "rate": None if self.rate is None else _number("rate", self.rate),
            "sampling": _variant(
                "sampling", self.sampling, "uniform", "column-norm", "diagonal"
            ),
            "eigen_threshold": _number("eigen_threshold", self.eigen_threshold),
            "domain": _variant("domain", self.domain, "simplex", "subspace"),
            "keep_constant": bool(self.keep_constant),
            "seed": self._seed(),
            "max_bytes": 4 * _GIBIBYTE,
        }
        return {"Qpfs": [self._similarity(), params]}

    def fit(self, X: Any, y: Any) -> QPFS:
        """Weighs and ranks the features of ``X`` by the classes ``y``."""
        super().fit(X, y)
        self.alpha_ = self.facts_["alpha"]
        self.weights_ = np.zeros(self.n_features_in_)
        self.weights_[self.ranking_] = self.scores_
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class CFS(_Filter):
    """The subset of features of best merit, searched best first.

    Parameters
    ----------
    patience : int
        Expansions without success after which the search ends.

    The others are those of :class:`MaxRel`, with correlation by default. Fewer features than
    ``n_features_to_select`` are kept if the best subset is smaller.
    """

    patience: int = 5
    similarity: str = "correlation"

    def _selector(self) -> Any:
        params = {"patience": _count("patience", self.patience), "count": None}
        return {"Cfs": [self._similarity(), params]}


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefF(_Selector):
    """Features that differ between near rows of different classes.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    n_neighbors : int
        Hits, and misses, of a row.
    variant : {"ratio", "classic"}
        Differences to misses divided by those to hits, or their difference with misses of every
        class by prior.
    n_jobs : int or None
        Number of threads.
    """

    _needs_two_classes = True

    n_neighbors: int = 3
    variant: str = "ratio"

    def _selector(self) -> Any:
        return {
            "Relief": {
                "neighbours": _count("n_neighbors", self.n_neighbors),
                "variant": _variant("variant", self.variant, "ratio", "classic"),
            }
        }


@dataclass(kw_only=True, eq=False, repr=False)
class Streamwise(_Selector):
    """Streamwise selection by α-investing; two classes.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Keep at most so many of the features that entered the model.
    wealth, payout : float
        Wealth at the beginning, and what a discovery earns.
    n_jobs : int or None
        Number of threads.
    """

    wealth: float = 0.5
    payout: float = 0.5

    def _selector(self) -> Any:
        return {
            "Streamwise": {
                "wealth": _number("wealth", self.wealth),
                "payout": _number("payout", self.payout),
            }
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = None
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class RFESVM(_Selector):
    """Recursive feature elimination by a support vector machine.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    C : float
        Price of a violated margin.
    gamma : float or None
        Width of a Gaussian kernel; linear if None.
    elimination : {"halving", "one-by-one"}
        How many features a round drops.
    n_jobs : int or None
        Number of threads.
    """

    _needs_two_classes = True

    C: float = 1.0
    gamma: float | None = None
    elimination: str = "halving"

    def _selector(self) -> Any:
        return {
            "Rfe": {
                "cost": _number("C", self.C),
                "elimination": _variant(
                    "elimination", self.elimination, "halving", "one-by-one"
                ),
                "kernel": _kernel(self.gamma),
                "keep": 1,
                "tolerance": 1e-3,
                "max_bytes": _GIBIBYTE,
            }
        }


@dataclass(kw_only=True, eq=False, repr=False)
class WrapperSVM(_Selector):
    """Greedy search by the cross-validated error of a support vector machine.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    direction : {"forward", "backward"}
        Whether features are added one by one, or removed.
    C : float
        Price of a violated margin.
    gamma : float or None
        Width of a Gaussian kernel; linear if None.
    cv : int
        Folds by which a set of features is judged.
    random_state : int, RandomState or None
        Of the folds.
    n_jobs : int or None
        Number of threads.
    """

    _needs_two_classes = True

    direction: str = "forward"
    C: float = 1.0
    gamma: float | None = None
    cv: int = 5
    random_state: Any = None

    def _selector(self) -> Any:
        direction = _variant("direction", self.direction, "forward", "backward")
        judge = {
            "cost": _number("C", self.C),
            "kernel": _kernel(self.gamma),
            "folds": _count("cv", self.cv, 2),
            "seed": self._seed(),
        }
        return {"Wrapper": [{"direction": direction, "count": None}, judge]}


@dataclass(kw_only=True, eq=False, repr=False)
class MaxDep(_Discretising):
    """The features of largest joint information with the class; for a few discrete features.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    search : {"greedy", "exhaustive"}
        One feature after the other, or all sets of at most 20 features.

    The others are those of :class:`MaxRel`, without ``similarity`` and ``relevance``.
    """

    search: str = "greedy"

    def _selector(self) -> Any:
        search = _variant("search", self.search, "greedy", "exhaustive")
        return {"MaxDependency": [self._information(), search]}


@dataclass(kw_only=True, eq=False, repr=False)
class RandomSelector(_Selector):
    """Features in random order: what every method should beat.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep: a count, a share, or all.
    random_state : int, RandomState or None
        Of the order.
    n_jobs : int or None
        Number of threads.
    """

    random_state: Any = None

    def _selector(self) -> Any:
        return {"Random": {"seed": self._seed()}}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelWeights(_Selector):
    """Weights of features inside a kernel: which inputs matter to a non-linear model.

    A kernel machine is trained together with a weight for every feature, and weights have a price
    that drives most of them to 0. ``transform`` keeps the features that have a weight and, with
    ``weigh``, multiplies them by their factors, so that any method that goes by distances sees the
    weighted space.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep at most: a count, a share, or all that have a weight.
    method : {"ao-ii", "ao-i", "ao", "full-fs", "gmkl"}
        How weights are found.
    cost, mu : float or None
        Price of a violated margin and of a weight; what is None is chosen by cross-validation.
    kernel : {"gaussian", "polynomial", "linear"}
        The kernel whose features are weighted.
    degree, offset : int, float
        Of the polynomial kernel.
    start : {"scaled", "ones", "relief", "several"}
        Where the search begins.
    steps : {"auto", "exact", "subspace"}
        How steps of the weights are computed.
    penalised : {"weights", "squares"}
        What has the price ``mu``.
    reactivate : bool
        Whether features that fell to 0 are tried again at the end.
    landmarks : int or None
        Kernel functions at so many random rows only; at all if None.
    folds : int
        Of the choice of prices.
    weigh : bool
        Whether ``transform`` multiplies features by their factors.
    random_state : int, RandomState or None
        Of folds and landmarks.
    n_jobs : int or None
        Number of threads.

    Attributes
    ----------
    feature_weights_ : array of float
        Weight of every standardised feature; of several classes the largest.
    feature_factors_ : array of float
        What features as they are are multiplied by: with the kernel ``exp(-||u - v||**2)`` of
        products the machine is trained.
    """

    method: str = "ao-ii"
    cost: float | None = None
    mu: float | None = None
    kernel: str = "gaussian"
    degree: int = 2
    offset: float = 1.0
    start: str = "scaled"
    steps: str = "auto"
    penalised: str = "weights"
    reactivate: bool = True
    landmarks: int | None = None
    folds: int = 3
    weigh: bool = True
    random_state: Any = None

    _needs_two_classes = True

    def _selector(self) -> Any:
        kernels = {
            "gaussian": "Gaussian",
            "linear": "Linear",
            "polynomial": {
                "Polynomial": {
                    "degree": _count("degree", self.degree),
                    "offset": _number("offset", self.offset),
                }
            },
        }
        methods = {
            "ao-ii": "AoTwo",
            "ao-i": "AoOne",
            "ao": "Simple",
            "full-fs": "Full",
            "gmkl": "Gmkl",
        }
        params = {
            "method": _word("method", self.method, methods),
            "kernel": _word("kernel", self.kernel, kernels),
            "cost": None if self.cost is None else _number("cost", self.cost),
            "mu": None if self.mu is None else _number("mu", self.mu),
            "epsilon": 0.5,
            "start": _variant("start", self.start, "scaled", "ones", "relief", "several"),
            "steps": _variant("steps", self.steps, "auto", "exact", "subspace"),
            "penalised": _variant("penalised", self.penalised, "weights", "squares"),
            "printed": False,
            "reactivate": bool(self.reactivate),
            "landmarks": None
            if self.landmarks is None
            else _count("landmarks", self.landmarks),
            "folds": _count("folds", self.folds, 2),
            "labels": False,
            "max_rounds": 30,
            "max_steps": 40,
            "max_full_steps": 200,
            "tolerance": 1e-3,
            "step_tolerance": 1e-5,
            "seed": self._seed(),
            "max_bytes": 8 * _GIBIBYTE,
        }
        return {"KernelWeights": params}

    def _take_weights(self, weights: Any) -> None:
        found, factors = weights
        self.feature_weights_ = np.array(found, dtype=np.float64)
        self.feature_factors_ = np.array(factors, dtype=np.float64)

    def _transform(self, X: Any) -> Any:
        chosen = super()._transform(X)
        if not self.weigh:
            return chosen
        factors = self.feature_factors_[self._mask]
        return chosen.multiply(factors).tocsr() if issparse(chosen) else chosen * factors

    def inverse_transform(self, X: Any) -> Any:
        """The features as they were, zeros for those that were dropped."""
        restored = super().inverse_transform(X)
        if not self.weigh:
            return restored
        factors = np.where(self._mask, self.feature_factors_, 1.0)
        return restored.multiply(1 / factors).tocsr() if issparse(restored) else restored / factors
