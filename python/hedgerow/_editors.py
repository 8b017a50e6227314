"""Editors of rows: one class a method.

Made from the tables of parameters by ``cargo run -p hedgerow-methods --example generate``; a test
fails when this file lags. What editors do stands in ``_clean.py``.
"""

from __future__ import annotations

from typing import Any

from ._base import Parameter
from ._clean import Editor

__all__ = [
    "ADASYN",
    "AkNN",
    "AkNNc",
    "BBNR",
    "BorderlineSMOTE",
    "CNN",
    "DROP1",
    "DROP2",
    "DROP3",
    "DROP4",
    "DROP5",
    "ENN",
    "FCNN",
    "FaLKNR",
    "GCNN",
    "IB2",
    "IB3",
    "ICF",
    "KNNSVMNoiseReduction",
    "NearMiss",
    "RENN",
    "RUS",
    "ReducedNN",
    "SMOTE",
    "SelectiveNN",
    "TomekLinks",
]


class ADASYN(Editor):
    """ADASYN: SMOTE with more rows where neighbours are of other classes.

    Parameters
    ----------
    neighbours : int, default=5
        Neighbours that shares are counted over and that new rows lie towards, k; at most all
        others.
    ratio : float, default=1.0
        Size that smaller classes are raised to, in sizes of the largest.
    random_state : int or RandomState, optional
        Seed of the draws.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "adasyn"
    _parameters = (
        Parameter("neighbours", "neighbours", 5, False),
        Parameter("ratio", "ratio", 1.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 5,
        ratio: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.ratio = ratio
        self.random_state = random_state
        self.n_jobs = n_jobs


class AkNN(Editor):
    """AkNN: keep rows that ENN keeps for every number of neighbours up to k.

    Parameters
    ----------
    neighbours : int, default=3
        Largest number of neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "aknn"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class AkNNc(Editor):
    """AkNNc: AkNN in which a tie does no harm.

    Parameters
    ----------
    neighbours : int, default=3
        Largest number of neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "aknnc"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class BBNR(Editor):
    """BBNR: remove rows that mislead others and are not needed to get others right.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that classify a row, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "bbnr"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class BorderlineSMOTE(Editor):
    """Borderline-SMOTE: SMOTE from rows that have many neighbours of other classes.

    Parameters
    ----------
    kind : int, default=1
        1: new rows between rows of the class; 2: also a little towards other classes.
    neighbours : int, default=5
        Neighbours that new rows lie towards, k; at most all others.
    danger_neighbours : int, default=10
        Neighbours that tell whether a row is in danger, m; at most all others.
    ratio : float, default=1.0
        Size that smaller classes are raised to, in sizes of the largest.
    random_state : int or RandomState, optional
        Seed of the draws.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "borderline-smote"
    _parameters = (
        Parameter("kind", "kind", 1, False),
        Parameter("neighbours", "neighbours", 5, False),
        Parameter("danger_neighbours", "danger_neighbours", 10, False),
        Parameter("ratio", "ratio", 1.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        kind: int = 1,
        neighbours: int = 5,
        danger_neighbours: int = 10,
        ratio: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kind = kind
        self.neighbours = neighbours
        self.danger_neighbours = danger_neighbours
        self.ratio = ratio
        self.random_state = random_state
        self.n_jobs = n_jobs


class CNN(Editor):
    """CNN: add rows that the subset gets wrong until it gets all right.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "cnn"
    _parameters = (
    )

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs


class DROP1(Editor):
    """DROP1: remove rows without which those left have as many right answers.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "drop1"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class DROP2(Editor):
    """DROP2: DROP1 judged by all rows, those far from other classes first.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "drop2"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class DROP3(Editor):
    """DROP3: DROP2 after ENN.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "drop3"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class DROP4(Editor):
    """DROP4: DROP2 after a noise pass that spares rows which others need.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "drop4"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class DROP5(Editor):
    """DROP5: rows near to other classes first, then DROP2 until nothing changes.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "drop5"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class ENN(Editor):
    """ENN: keep rows whose label is the most frequent among their neighbours.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    conservative : bool, default=False
        Keep rows whose label is as frequent as another.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "enn"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
        Parameter("conservative", "conservative", False, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        conservative: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.conservative = conservative
        self.n_jobs = n_jobs


class FCNN(Editor):
    """FCNN: a subset that gets all rows right, grown from the centres of the classes.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "fcnn"
    _parameters = (
    )

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs


class FaLKNR(Editor):
    """FaLKNR: keep rows to which the local SVM of their core gives their own label.

    Parameters
    ----------
    neighbours : int, optional
        Rows of a neighbourhood, k; at most all rows. ``None``, the default: a tenth of the
        rows, from 100 to 1000.
    core : float, default=0.25
        Share of a neighbourhood that its centre judges, k'/k.
    select : bool, default=False
        Choose C from 1, 10 and 100 by local model selection: the smallest that is within one
        standard error of the best.
    C : float, default=1.0
        Price of a violated margin, C.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="q50"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    tol : float, default=0.001
        Stop when the largest violation of optimality is below this.
    cache_size : float, default=200.0
        Memory for kernel rows in MB; it changes the time, never the result.
    shrinking : bool, default=True
        Leave settled rows out until the end.
    max_iter : int, default=-1
        Largest number of pair updates of one machine. ``-1``, the default: the solver's own
        cap.
    class_weight : dict or "balanced", optional
        Factors of the weights of classes.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "falknr"
    _parameters = (
        Parameter("neighbours", "neighbours", None, False),
        Parameter("core", "core", 0.25, False),
        Parameter("select", "select", False, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "q50", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("tol", "tolerance", 0.001, False),
        Parameter("cache_size", "cache_mb", 200.0, False),
        Parameter("shrinking", "shrinking", True, False),
        Parameter("max_iter", "max_iterations", -1, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int | None = None,
        core: float = 0.25,
        select: bool = False,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.core = core
        self.select = select
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs


class GCNN(Editor):
    """GCNN: CNN in which a row must be right by a margin.

    Parameters
    ----------
    margin : float, default=0.5
        Margin by which a row must be absorbed, in smallest distances between classes, rho.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "gcnn"
    _parameters = (
        Parameter("margin", "margin", 0.5, False),
    )

    def __init__(
        self,
        *,
        margin: float = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.margin = margin
        self.n_jobs = n_jobs


class IB2(Editor):
    """IB2: one pass of CNN.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "ib2"
    _parameters = (
    )

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs


class IB3(Editor):
    """IB3: rows that the subset gets wrong, if they prove better than their class's share.

    Parameters
    ----------
    acceptance : float, default=0.9
        Confidence with which a row must be better than its class's share to be kept.
    rejection : float, default=0.75
        Confidence with which a row must be worse than its class's share to be dropped.
    random_state : int or RandomState, optional
        Seed of the choice among members of which none is acceptable yet.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "ib3"
    _parameters = (
        Parameter("acceptance", "acceptance", 0.9, False),
        Parameter("rejection", "rejection", 0.75, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        acceptance: float = 0.9,
        rejection: float = 0.75,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.acceptance = acceptance
        self.rejection = rejection
        self.random_state = random_state
        self.n_jobs = n_jobs


class ICF(Editor):
    """ICF: after ENN, remove rows that reach more rows than reach them.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote in the noise filter, k; 0: no noise filter.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "icf"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.n_jobs = n_jobs


class KNNSVMNoiseReduction(Editor):
    """kNNSVM-nr: keep rows whose label the SVM of their neighbourhood finds probable.

    Parameters
    ----------
    neighbours : int, default=100
        Rows that a machine is trained on, k; at most all other rows.
    threshold : float, default=0.5
        Rows with a label of no larger probability are removed; below 0 nothing is.
    upper : float, default=0.99
        Rows with a label of no smaller probability are removed by redundancy and two-sided.
    rule : "noise", "hard", "redundancy" or "two_sided", default="noise"
        Which rows stay.
    threshold_folds : int, default=0
        Choose the threshold by cross-validation with this many folds.
    C : float, default=1.0
        Price of a violated margin, C.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="q50"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    tol : float, default=0.001
        Stop when the largest violation of optimality is below this.
    cache_size : float, default=200.0
        Memory for kernel rows in MB; it changes the time, never the result.
    shrinking : bool, default=True
        Leave settled rows out until the end.
    max_iter : int, default=-1
        Largest number of pair updates of one machine. ``-1``, the default: the solver's own
        cap.
    class_weight : dict or "balanced", optional
        Factors of the weights of classes.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "knn-svm-nr"
    _parameters = (
        Parameter("neighbours", "neighbours", 100, False),
        Parameter("threshold", "threshold", 0.5, False),
        Parameter("upper", "upper", 0.99, False),
        Parameter("rule", "rule", "noise", False),
        Parameter("threshold_folds", "threshold_folds", 0, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "q50", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("tol", "tolerance", 0.001, False),
        Parameter("cache_size", "cache_mb", 200.0, False),
        Parameter("shrinking", "shrinking", True, False),
        Parameter("max_iter", "max_iterations", -1, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 100,
        threshold: float = 0.5,
        upper: float = 0.99,
        rule: str = "noise",
        threshold_folds: int = 0,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.threshold = threshold
        self.upper = upper
        self.rule = rule
        self.threshold_folds = threshold_folds
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs


class NearMiss(Editor):
    """NearMiss: of every class the rows nearest to the rarest one, as many as it has.

    Parameters
    ----------
    version : int, default=1
        1: near to the nearest rare rows; 2: near to the farthest; 3: around every rare row,
        far.
    neighbours : int, default=3
        Rows of the rarest class that distances are summed over, k; at most all of them.
    candidates : int, default=3
        Rows around every row of the rarest class that version 3 chooses from, p.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "near-miss"
    _parameters = (
        Parameter("version", "version", 1, False),
        Parameter("neighbours", "neighbours", 3, False),
        Parameter("candidates", "candidates", 3, False),
    )

    def __init__(
        self,
        *,
        version: int = 1,
        neighbours: int = 3,
        candidates: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        self.version = version
        self.neighbours = neighbours
        self.candidates = candidates
        self.n_jobs = n_jobs


class RENN(Editor):
    """RENN: ENN again and again until nothing changes.

    Parameters
    ----------
    neighbours : int, default=3
        Neighbours that vote, k; at most all other rows.
    conservative : bool, default=False
        Keep rows whose label is as frequent as another.
    max_passes : int, optional
        Largest number of passes. ``None``, the default: until nothing changes.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "renn"
    _parameters = (
        Parameter("neighbours", "neighbours", 3, False),
        Parameter("conservative", "conservative", False, False),
        Parameter("max_passes", "max_passes", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 3,
        conservative: bool = False,
        max_passes: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.conservative = conservative
        self.max_passes = max_passes
        self.n_jobs = n_jobs


class RUS(Editor):
    """RUS: a random choice of rows, as many of every class as the rarest has.

    Parameters
    ----------
    ratio : float, default=1.0
        Largest size of a class, in sizes of the rarest.
    random_state : int or RandomState, optional
        Seed of the choice.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "rus"
    _parameters = (
        Parameter("ratio", "ratio", 1.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        ratio: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ratio = ratio
        self.random_state = random_state
        self.n_jobs = n_jobs


class ReducedNN(Editor):
    """RNN: CNN without the rows that no row needs.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "rnn"
    _parameters = (
    )

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs


class SMOTE(Editor):
    """SMOTE: new rows between neighbours of the same class, until classes are equal.

    Parameters
    ----------
    neighbours : int, default=5
        Neighbours of the same class that new rows lie towards, k; at most all others.
    ratio : float, default=1.0
        Size that smaller classes are raised to, in sizes of the largest.
    random_state : int or RandomState, optional
        Seed of the draws.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "smote"
    _parameters = (
        Parameter("neighbours", "neighbours", 5, False),
        Parameter("ratio", "ratio", 1.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 5,
        ratio: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.ratio = ratio
        self.random_state = random_state
        self.n_jobs = n_jobs


class SelectiveNN(Editor):
    """SNN: few rows such that each row is nearer to one of its class than to other classes.

    Parameters
    ----------
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "snn"
    _parameters = (
    )

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs


class TomekLinks(Editor):
    """Tomek links: remove rows whose nearest row is of another class, and they its nearest.

    Parameters
    ----------
    remove : "majority" or "both", default="majority"
        Which rows of a link are removed.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that stay, ascending.
    trust_ : ndarray of float or None
        How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the
        method does not judge single rows.
    suggested_ : ndarray or None
        The label that the neighbourhood of each row argues for.
    facts_ : dict
        Named numbers that the method found on the way.
    """

    _method = "tomek"
    _parameters = (
        Parameter("remove", "remove", "majority", False),
    )

    def __init__(
        self,
        *,
        remove: str = "majority",
        n_jobs: int | None = None,
    ) -> None:
        self.remove = remove
        self.n_jobs = n_jobs
