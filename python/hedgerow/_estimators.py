"""The estimators: one class a method.

Made from the tables of parameters by ``cargo run -p hedgerow-methods --example generate``; a test
fails when this file lags. What estimators do stands in ``_base.py`` and its neighbours.
"""

from __future__ import annotations

from typing import Any

from ._base import Parameter
from ._kinds import (
    CalibratedClassifier,
    ChunkClassifier,
    DirectionClassifier,
    ExpansionClassifier,
    ExpansionOutliers,
    ExpansionRegressor,
    LinearClassifier,
    LinearProbabilities,
    LocalClassifier,
    LocalRegressor,
    ProbabilityClassifier,
    ProximalClassifier,
    RankingClassifier,
    Regressor,
    TreeClassifier,
)

__all__ = [
    "CReGEC",
    "FaLKSVMClassifier",
    "FaLKSVMRegressor",
    "FisherDiscriminant",
    "GEPSVM",
    "HLSVMClassifier",
    "IReGEC",
    "KNNClassifier",
    "KNNRegressor",
    "KNNSVMClassifier",
    "KNNSVMRegressor",
    "KernelFisherDiscriminant",
    "KernelQPFS",
    "LinearSVC",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "PegasosClassifier",
    "RankRC",
    "RankRND",
    "RankSVM",
    "ReGEC",
    "SVC",
    "SVMTreesClassifier",
    "SVR",
]


class CReGEC(ChunkClassifier):
    """Two proximal surfaces on a few rows that a greedy selection keeps.

    The model can learn from further rows by ``partial_fit``.

    Parameters
    ----------
    delta : float, default=0.001
        How much is added to the matrices, δ.
    regularisation : "cross", "diagonal", "tikhonov", "literal_rectangular" or "literal_own_class", default="diagonal"
        What is added.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    order : "reverse_columns", "centroid_descending", "as_given" or "shuffled", default="reverse_columns"
        In which order rows are offered; the answer depends on it.
    initial_accuracy : "zero" or "seed_pair", default="zero"
        What the first candidates must improve on.
    selection_score : "accuracy" or "balanced", default="accuracy"
        What must rise with every row that is taken in.
    max_chunk : int, optional
        Most rows of a chunk. ``None``, the default: as many as help.
    max_candidates : int, optional
        Most rows that are offered for a pair of classes. ``None``, the default: all.
    max_seconds : float, optional
        Seconds after which no more rows are offered. ``None``, the default: no limit.
    figure_bounds : bool, default=False
        Leave out the last row of each class, as the published figure does; for comparison.
    warm_starts : bool, default=True
        Look for eigenvectors from those without the candidate; the whole eigenproblem is solved
        only in doubt. Off for comparison: the same rows are kept, later.
    norm : "coefficient" or "rkhs", default="coefficient"
        By what the value of a surface is divided to be a distance.
    updatable : bool, default=True
        Keep the training rows in the model, so that it can learn from new ones.
    reservoir : int, optional
        Most training rows that are kept, a random part of all seen so far. ``None``, the
        default: all of them.
    revisit : bool, default=False
        After an update offer the rows once more that were refused before.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    random_state : int or RandomState, optional
        Seed of everything random: the shuffled order, the reservoir, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    chunk_
        list of int. Training rows that were kept, from 0.
    tried_
        int. Rows that were offered.
    """

    _method = "cregec"
    _parameters = (
        Parameter("delta", "delta", 0.001, False),
        Parameter("regularisation", "regularisation", "diagonal", False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("order", "order", "reverse_columns", False),
        Parameter("initial_accuracy", "initial_accuracy", "zero", False),
        Parameter("selection_score", "score", "accuracy", False),
        Parameter("max_chunk", "max_chunk", None, False),
        Parameter("max_candidates", "max_candidates", None, False),
        Parameter("max_seconds", "max_seconds", None, False),
        Parameter("figure_bounds", "figure_bounds", False, False),
        Parameter("warm_starts", "warm_starts", True, False),
        Parameter("norm", "norm", "coefficient", False),
        Parameter("updatable", "updatable", True, False),
        Parameter("reservoir", "reservoir", None, False),
        Parameter("revisit", "revisit", False, False),
        Parameter("probability", "probability", False, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        delta: float = 0.001,
        regularisation: str = "diagonal",
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        order: str = "reverse_columns",
        initial_accuracy: str = "zero",
        selection_score: str = "accuracy",
        max_chunk: int | None = None,
        max_candidates: int | None = None,
        max_seconds: float | None = None,
        figure_bounds: bool = False,
        warm_starts: bool = True,
        norm: str = "coefficient",
        updatable: bool = True,
        reservoir: int | None = None,
        revisit: bool = False,
        probability: bool | str = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.delta = delta
        self.regularisation = regularisation
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.order = order
        self.initial_accuracy = initial_accuracy
        self.selection_score = selection_score
        self.max_chunk = max_chunk
        self.max_candidates = max_candidates
        self.max_seconds = max_seconds
        self.figure_bounds = figure_bounds
        self.warm_starts = warm_starts
        self.norm = norm
        self.updatable = updatable
        self.reservoir = reservoir
        self.revisit = revisit
        self.probability = probability
        self.random_state = random_state
        self.n_jobs = n_jobs


class FaLKSVMClassifier(LocalClassifier):
    """FaLK-SVM: local support vector machines on neighbourhoods that cover the training rows.

    For data that are too large for one SVM: training time grows about linearly with the rows,
    and an answer takes a neighbour search and one small machine.

    Parameters
    ----------
    neighbours : int, default=1000
        Rows of a neighbourhood, k; at most all rows.
    core : float, default=0.5
        Share of a neighbourhood that its centre answers for, k'/k.
    cover : "levels" or "simple", default="levels"
        In which order rows become centres.
    assign : "nearest", "centre", "vote" or "blend", default="nearest"
        Which machine answers, unless predict is told otherwise.
    voters : int, optional
        Centres that speak with vote or blend. ``None``, the default: 3.
    C : float, default=1.0
        Price of a violated margin, C.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate every machine, so that the model can tell probabilities; costs five more
        solves. ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two
        classes.
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
    select : bool or dict, optional
        Local model selection: ``neighbours``, ``C`` and ``gamma`` are chosen before training by
        a few rows held out in each of many neighbourhoods. A dict may set the values to try,
        ``neighbours``, ``C``, ``gamma``. With any of ``models`` (neighbourhoods, 10), ``folds``
        (10), ``inner_half``, ``centres``, ``balance`` they are chosen by cross-validation of a
        few neighbourhoods (FaLK-SVMl).
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    centres_ : ndarray of int
        Training rows that are centres, counted from 0.
    n_trained_ : int
        Machines that were trained; neighbourhoods of one class need none.
    neighbours_, C_, kernel_
        What the machines were trained with.
    selection_ : dict of ndarray
        Candidates of the selection: ``neighbours``, ``C``, ``kernel``, ``mean_score``,
        ``std_score``.
    best_index_ : int
        The chosen one.
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "falk-svm"
    _parameters = (
        Parameter("neighbours", "neighbours", 1000, False),
        Parameter("core", "core", 0.5, False),
        Parameter("cover", "cover", "levels", False),
        Parameter("assign", "assign", "nearest", False),
        Parameter("voters", "voters", None, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("probability", "probability", False, False),
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
        neighbours: int = 1000,
        core: float = 0.5,
        cover: str = "levels",
        assign: str = "nearest",
        voters: int | None = None,
        C: float = 1.0,
        probability: bool | str = False,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        class_weight: Any = None,
        select: Any = None,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.core = core
        self.cover = cover
        self.assign = assign
        self.voters = voters
        self.C = C
        self.probability = probability
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.select = select
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class FaLKSVMRegressor(LocalRegressor):
    """FaLK-SVM with epsilon-support vector regression as the local machine.

    Candidates of ``select`` are compared by mean squared error.

    Parameters
    ----------
    neighbours : int, default=1000
        Rows of a neighbourhood, k; at most all rows.
    core : float, default=0.5
        Share of a neighbourhood that its centre answers for, k'/k.
    cover : "levels" or "simple", default="levels"
        In which order rows become centres.
    assign : "nearest", "centre", "vote" or "blend", default="nearest"
        Which machine answers, unless predict is told otherwise.
    voters : int, optional
        Centres that speak with vote or blend. ``None``, the default: 3.
    C : float, default=1.0
        Price of a violated margin, C.
    epsilon : float, default=0.1
        Errors up to this size cost nothing in regression.
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
    select : bool or dict, optional
        Local model selection: ``neighbours``, ``C`` and ``gamma`` are chosen before training by
        a few rows held out in each of many neighbourhoods. A dict may set the values to try,
        ``neighbours``, ``C``, ``gamma``. With any of ``models`` (neighbourhoods, 10), ``folds``
        (10), ``inner_half``, ``centres``, ``balance`` they are chosen by cross-validation of a
        few neighbourhoods (FaLK-SVMl).
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    centres_ : ndarray of int
        Training rows that are centres, counted from 0.
    n_trained_ : int
        Machines that were trained; neighbourhoods of one class need none.
    neighbours_, C_, kernel_
        What the machines were trained with.
    selection_ : dict of ndarray
        Candidates of the selection: ``neighbours``, ``C``, ``kernel``, ``mean_score``,
        ``std_score``.
    best_index_ : int
        The chosen one.
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "falk-svr"
    _parameters = (
        Parameter("neighbours", "neighbours", 1000, False),
        Parameter("core", "core", 0.5, False),
        Parameter("cover", "cover", "levels", False),
        Parameter("assign", "assign", "nearest", False),
        Parameter("voters", "voters", None, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("epsilon", "epsilon", 0.1, False),
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
        neighbours: int = 1000,
        core: float = 0.5,
        cover: str = "levels",
        assign: str = "nearest",
        voters: int | None = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        select: Any = None,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.core = core
        self.cover = cover
        self.assign = assign
        self.voters = voters
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
        self.select = select
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class FisherDiscriminant(LinearClassifier):
    """Fisher's discriminant: the class whose mean is nearest in the metric of the spread within
    classes.

    Parameters
    ----------
    ridge : float, default=0.0
        Share of the mean variance that is added to every variance; raised where the matrix is
        singular.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "fda"
    _parameters = (
        Parameter("ridge", "ridge", 0.0, False),
    )

    def __init__(
        self,
        *,
        ridge: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.n_jobs = n_jobs


class GEPSVM(ProximalClassifier):
    """One plane or surface a class, near its rows and far from the others.

    Each comes from an eigenproblem with Tikhonov regularisation.

    Parameters
    ----------
    delta : float, default=0.001
        Weight of the squared length of the unknown; 0, for planes only, is the plain method.
    kernel : str, default="linear"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    multi_class : "ovr" or "ovo", default="ovr"
        How several classes are told apart.
    norm : "coefficient" or "rkhs", default="coefficient"
        By what the value of a surface is divided to be a distance.
    centres : "all", "random", "landmarks" or "chunk", default="all"
        Which rows have a kernel function.
    centre_count : int, optional
        Number of kernel functions, if not all rows have one. ``None``, the default: 1000, or
        those that a selection keeps.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    memory_mb : float, default=2048.0
        Memory for matrices in MB; a problem that needs more is refused before it starts.
    random_state : int or RandomState, optional
        Seed of everything random: centres, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    quotients_
        list of float. The quotient that each surface makes least.
    gaps_
        list of float. Distance of the next eigenvalue, as a share of it.
    """

    _method = "gepsvm"
    _parameters = (
        Parameter("delta", "delta", 0.001, False),
        Parameter("kernel", "kernel", "linear", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("multi_class", "multiclass", "ovr", False),
        Parameter("norm", "norm", "coefficient", False),
        Parameter("centres", "centres", "all", False),
        Parameter("centre_count", "centre_count", None, False),
        Parameter("probability", "probability", False, False),
        Parameter("memory_mb", "memory_mb", 2048.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        delta: float = 0.001,
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        multi_class: str = "ovr",
        norm: str = "coefficient",
        centres: str = "all",
        centre_count: int | None = None,
        probability: bool | str = False,
        memory_mb: float = 2048.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.delta = delta
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.multi_class = multi_class
        self.norm = norm
        self.centres = centres
        self.centre_count = centre_count
        self.probability = probability
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs


class HLSVMClassifier(TreeClassifier):
    """H-LSVM: a tree whose nodes are linear SVMs, for answers within a microsecond.

    Parameters
    ----------
    preset : "default", "document" or "literal", default="default"
        Where settings come from that are not given.
    lam : float, optional
        Regulariser of every node, λ. ``None``, the default: 1 / rows.
    lambda_rule : "constant" or "by_size", default="constant"
        How lambda changes on the way down.
    loss : "hinge" or "squared_hinge", default="hinge"
        What dual coordinate descent minimises.
    lambda_search : int, default=0
        Steps of a search for a better lambda in each node.
    holdout : float, default=0.0
        Share of the rows that only choose how far the tree is pruned; 0: no pruning.
    min_share : float, optional
        A node with no more than this share of the rows is a leaf. ``None``, the default:
        10^-floor(log10 rows).
    max_depth : int, optional
        Most hyperplanes on a path. ``None``, the default: unlimited.
    criterion : "entropy", "gini" or "misclassification", default="entropy"
        Measure of splits.
    weighting : "balanced" or "uniform", default="balanced"
        Weights of rows in a node.
    solver : "dcd", "pegasos" or "pegasos_literal", default="dcd"
        What finds hyperplanes.
    tol : float, default=0.1
        Stop tolerance of the solver.
    max_iter : int, default=100
        Most passes of dual coordinate descent over the rows of a node.
    max_steps : int, optional
        Most steps of Pegasos in a node. ``None``, the default: 10000000.
    batch_size : int, optional
        Rows of a step of Pegasos. ``None``, the default: 1.
    bias_rate : float, optional
        Rate of the bias against that of the weights in Pegasos. ``None``, the default: 0.01.
    node_rows : int, optional
        Most rows that a hyperplane is trained on, drawn at random. ``None``, the default:
        unlimited.
    frame : "raw", "centred" or "standardised", default="standardised"
        Coordinates of a node, for dense data.
    threshold : "svm" or "best_gain", default="best_gain"
        Place of a hyperplane along its normal.
    multi_class : "direct" or "ovo", default="direct"
        How more than two classes are told apart.
    n_estimators : int, default=1
        Trees of a forest; 1: a single tree.
    max_samples : float, default=0.7
        Share of the rows that each tree of a forest sees.
    bootstrap : bool, default=False
        Draw the rows of each tree with replacement.
    max_features : float, default=0.5
        Share of the features that each node of a forest may use.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate the probabilities of leaves by cross-fitting, which costs three more fits.
        ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two
        classes.
    coefficients : "single" or "double", default="single"
        Precision of stored hyperplanes.
    class_weight : dict or "balanced", optional
        Factors of the weights of rows by class.
    random_state : int or RandomState, optional
        Seed of everything random.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_hyperplanes_ : int
        Hyperplanes of all trees.
    n_trees_ : int
        Trees.
    depth_ : int
        Most hyperplanes on a path of a tree.
    """

    _method = "h-lsvm"
    _parameters = (
        Parameter("preset", "preset", "default", False),
        Parameter("lam", "lambda", None, False),
        Parameter("lambda_rule", "lambda_rule", "constant", False),
        Parameter("loss", "loss", "hinge", False),
        Parameter("lambda_search", "lambda_search", 0, False),
        Parameter("holdout", "holdout", 0.0, False),
        Parameter("min_share", "min_share", None, False),
        Parameter("max_depth", "max_depth", None, False),
        Parameter("criterion", "impurity", "entropy", False),
        Parameter("weighting", "weighting", "balanced", False),
        Parameter("solver", "solver", "dcd", False),
        Parameter("tol", "tolerance", 0.1, False),
        Parameter("max_iter", "max_passes", 100, False),
        Parameter("max_steps", "max_steps", None, False),
        Parameter("batch_size", "batch", None, False),
        Parameter("bias_rate", "bias_rate", None, False),
        Parameter("node_rows", "node_rows", None, False),
        Parameter("frame", "frame", "standardised", False),
        Parameter("threshold", "threshold", "best_gain", False),
        Parameter("multi_class", "multiclass", "direct", False),
        Parameter("n_estimators", "trees", 1, False),
        Parameter("max_samples", "row_share", 0.7, False),
        Parameter("bootstrap", "bootstrap", False, False),
        Parameter("max_features", "feature_share", 0.5, False),
        Parameter("probability", "probability", False, False),
        Parameter("coefficients", "coefficients", "single", False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        preset: str = "default",
        lam: float | None = None,
        lambda_rule: str = "constant",
        loss: str = "hinge",
        lambda_search: int = 0,
        holdout: float = 0.0,
        min_share: float | None = None,
        max_depth: int | None = None,
        criterion: str = "entropy",
        weighting: str = "balanced",
        solver: str = "dcd",
        tol: float = 0.1,
        max_iter: int = 100,
        max_steps: int | None = None,
        batch_size: int | None = None,
        bias_rate: float | None = None,
        node_rows: int | None = None,
        frame: str = "standardised",
        threshold: str = "best_gain",
        multi_class: str = "direct",
        n_estimators: int = 1,
        max_samples: float = 0.7,
        bootstrap: bool = False,
        max_features: float = 0.5,
        probability: bool | str = False,
        coefficients: str = "single",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.preset = preset
        self.lam = lam
        self.lambda_rule = lambda_rule
        self.loss = loss
        self.lambda_search = lambda_search
        self.holdout = holdout
        self.min_share = min_share
        self.max_depth = max_depth
        self.criterion = criterion
        self.weighting = weighting
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_steps = max_steps
        self.batch_size = batch_size
        self.bias_rate = bias_rate
        self.node_rows = node_rows
        self.frame = frame
        self.threshold = threshold
        self.multi_class = multi_class
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.max_features = max_features
        self.probability = probability
        self.coefficients = coefficients
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs


class IReGEC(ProximalClassifier):
    """Two proximal surfaces on rows that a selection by mistakes keeps.

    Begins with the middle rows of clusters of each class.

    Parameters
    ----------
    delta : float, default=0.001
        How much is added to the matrices, δ.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    clusters : int, default=5
        Clusters of each class whose middle rows the selection begins with.
    max_chunk : int, optional
        Most rows of a chunk. ``None``, the default: as many as help.
    norm : "coefficient" or "rkhs", default="coefficient"
        By what the value of a surface is divided to be a distance.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    random_state : int or RandomState, optional
        Seed of everything random: the first clusters, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "i-regec"
    _parameters = (
        Parameter("delta", "delta", 0.001, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("clusters", "clusters", 5, False),
        Parameter("max_chunk", "max_chunk", None, False),
        Parameter("norm", "norm", "coefficient", False),
        Parameter("probability", "probability", False, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        delta: float = 0.001,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        clusters: int = 5,
        max_chunk: int | None = None,
        norm: str = "coefficient",
        probability: bool | str = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.delta = delta
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.clusters = clusters
        self.max_chunk = max_chunk
        self.norm = norm
        self.probability = probability
        self.random_state = random_state
        self.n_jobs = n_jobs


class KNNClassifier(ProbabilityClassifier):
    """Kernel k-nearest neighbours: the majority of the nearest rows.

    Neighbours are exact; ``kernel`` names the feature space in which distances are taken.

    Parameters
    ----------
    neighbours : int, default=1
        Rows that vote, k; at most all rows.
    kernel : str, default="linear"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed for percentiles in the kernel.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "knn"
    _parameters = (
        Parameter("neighbours", "neighbours", 1, False),
        Parameter("kernel", "kernel", "linear", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 1,
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class KNNRegressor(Regressor):
    """Kernel k-nearest neighbours: the mean of the nearest rows.

    Neighbours are exact; ``kernel`` names the feature space in which distances are taken.

    Parameters
    ----------
    neighbours : int, default=1
        Rows that vote, k; at most all rows.
    kernel : str, default="linear"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed for percentiles in the kernel.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "knn-regression"
    _parameters = (
        Parameter("neighbours", "neighbours", 1, False),
        Parameter("kernel", "kernel", "linear", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        neighbours: int = 1,
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class KNNSVMClassifier(CalibratedClassifier):
    """kNN-SVM: a support vector machine for every row to predict, trained on the training rows
    nearest to it.

    Parameters
    ----------
    neighbours : int, default=200
        Rows that a machine is trained on, k; at most all rows.
    C : float, default=1.0
        Price of a violated margin, C.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate every machine, so that the model can tell probabilities; costs five more
        solves. ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two
        classes.
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
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "knn-svm"
    _parameters = (
        Parameter("neighbours", "neighbours", 200, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("probability", "probability", False, False),
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
        neighbours: int = 200,
        C: float = 1.0,
        probability: bool | str = False,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        class_weight: Any = None,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
        self.C = C
        self.probability = probability
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class KNNSVMRegressor(Regressor):
    """kNN-SVM with epsilon-support vector regression: a machine for every row to predict, trained
    on the training rows nearest to it.

    Parameters
    ----------
    neighbours : int, default=200
        Rows that a machine is trained on, k; at most all rows.
    C : float, default=1.0
        Price of a violated margin, C.
    epsilon : float, default=0.1
        Errors up to this size cost nothing in regression.
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
    metric : "learned" or array of shape (n_features,), optional
        Weights that columns are multiplied by: given, or learned from the training rows and
        kept only if rows that were kept aside are answered better with them.
    metric_seconds : float, optional
        Learn the metric for at most about so many seconds; the result then depends on the
        machine.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        What columns are multiplied by; 0 for those that are left out, all 1 without a metric or
        where it did not help.
    """

    _method = "knn-svr"
    _parameters = (
        Parameter("neighbours", "neighbours", 200, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("epsilon", "epsilon", 0.1, False),
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
        neighbours: int = 200,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "q50",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        metric: Any = None,
        metric_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.neighbours = neighbours
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
        self.metric = metric
        self.metric_seconds = metric_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs


class KernelFisherDiscriminant(DirectionClassifier):
    """Kernel Fisher discriminant: the nearest projected class mean.

    Parameters
    ----------
    ridge : float, default=0.001
        Weight of the penalty, μ; raised where the matrix is singular.
    ridge_unit : "absolute" or "trace", default="absolute"
        Unit of the ridge.
    penalty : "coefficient" or "rkhs", default="coefficient"
        What is penalised.
    rule : "nearest_mean" or "bias", default="nearest_mean"
        Where the direction of two classes is cut.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    centres : "all", "random", "landmarks" or "chunk", default="all"
        Which rows have a kernel function.
    centre_count : int, optional
        Number of kernel functions, if not all rows have one. ``None``, the default: 1000, or
        those that a selection keeps.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    memory_mb : float, default=2048.0
        Memory for matrices in MB; a problem that needs more is refused before it starts.
    random_state : int or RandomState, optional
        Seed of everything random: centres, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "kfda"
    _parameters = (
        Parameter("ridge", "ridge", 0.001, False),
        Parameter("ridge_unit", "ridge_unit", "absolute", False),
        Parameter("penalty", "penalty", "coefficient", False),
        Parameter("rule", "rule", "nearest_mean", False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("centres", "centres", "all", False),
        Parameter("centre_count", "centre_count", None, False),
        Parameter("probability", "probability", False, False),
        Parameter("memory_mb", "memory_mb", 2048.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        ridge: float = 0.001,
        ridge_unit: str = "absolute",
        penalty: str = "coefficient",
        rule: str = "nearest_mean",
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        centres: str = "all",
        centre_count: int | None = None,
        probability: bool | str = False,
        memory_mb: float = 2048.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.ridge_unit = ridge_unit
        self.penalty = penalty
        self.rule = rule
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.centres = centres
        self.centre_count = centre_count
        self.probability = probability
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs


class KernelQPFS(DirectionClassifier):
    """Quadratic-programming feature selection in kernel space.

    A direction, equal to that of the kernel Fisher discriminant but for its length.

    Parameters
    ----------
    ridge : float, default=0.001
        Weight of the penalty, μ; raised where the matrix is singular.
    ridge_unit : "absolute" or "trace", default="absolute"
        Unit of the ridge.
    penalty : "coefficient" or "rkhs", default="coefficient"
        What is penalised.
    rule : "nearest_mean" or "bias", default="nearest_mean"
        Where the direction of two classes is cut.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    centres : "all", "random", "landmarks" or "chunk", default="all"
        Which rows have a kernel function.
    centre_count : int, optional
        Number of kernel functions, if not all rows have one. ``None``, the default: 1000, or
        those that a selection keeps.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    memory_mb : float, default=2048.0
        Memory for matrices in MB; a problem that needs more is refused before it starts.
    random_state : int or RandomState, optional
        Seed of everything random: centres, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "kqpfs"
    _parameters = (
        Parameter("ridge", "ridge", 0.001, False),
        Parameter("ridge_unit", "ridge_unit", "absolute", False),
        Parameter("penalty", "penalty", "coefficient", False),
        Parameter("rule", "rule", "nearest_mean", False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("centres", "centres", "all", False),
        Parameter("centre_count", "centre_count", None, False),
        Parameter("probability", "probability", False, False),
        Parameter("memory_mb", "memory_mb", 2048.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        ridge: float = 0.001,
        ridge_unit: str = "absolute",
        penalty: str = "coefficient",
        rule: str = "nearest_mean",
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        centres: str = "all",
        centre_count: int | None = None,
        probability: bool | str = False,
        memory_mb: float = 2048.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.ridge_unit = ridge_unit
        self.penalty = penalty
        self.rule = rule
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.centres = centres
        self.centre_count = centre_count
        self.probability = probability
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs


class LinearSVC(LinearClassifier):
    """Linear support vector classification.

    Minimises ``||w||² / 2 + C Σ loss``; the intercept is the weight of a constant feature and is
    regularised like the others.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin, C.
    loss : "hinge" or "squared_hinge", default="squared_hinge"
        What a violated margin costs.
    multi_class : "ovo", "ovr" or "dag", default="ovr"
        How more than two classes are told apart.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight is the intercept; 0 or less: no intercept.
    solver : "auto", "dual" or "primal", default="auto"
        Which problem is solved.
    tol : float, default=1e-4
        Stop when the objective is known to be within a thousandth of this of the optimum
        (dual), or when the gradient has shrunk to this share and about a hundredth of it is
        left to gain (primal).
    max_iter : int, default=10000
        Largest number of passes of the dual over the rows.
    class_weight : dict or "balanced", optional
        Factors of the weights of classes.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    random_state : int or RandomState, optional
        Seed of the order in which rows are visited.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "linear-svm"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("loss", "loss", "squared_hinge", False),
        Parameter("multi_class", "multiclass", "ovr", False),
        Parameter("intercept_scaling", "bias", 1.0, False),
        Parameter("solver", "solver", "auto", False),
        Parameter("tol", "tolerance", 1e-4, True),
        Parameter("max_iter", "max_iterations", 10000, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "squared_hinge",
        multi_class: str = "ovr",
        intercept_scaling: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 10000,
        class_weight: Any = None,
        fit_intercept: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.multi_class = multi_class
        self.intercept_scaling = intercept_scaling
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.n_jobs = n_jobs


class LogisticRegression(LinearProbabilities):
    """Logistic regression by Newton's method.

    Minimises ``||w||² / 2 + C Σ ln(1 + exp(-y f(x)))``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the regulariser, C.
    multi_class : "ovo", "ovr" or "dag", default="ovr"
        How more than two classes are told apart.
    free_bias : bool, default=True
        Do not regularise the intercept.
    tol : float, default=1e-4
        Stop when the norm of the gradient, relative to its first, is below this (LIBLINEAR's
        -e).
    max_iter : int, default=1000
        Largest number of Newton steps.
    class_weight : dict or "balanced", optional
        Factors of the weights of classes.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "logistic"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("multi_class", "multiclass", "ovr", False),
        Parameter("free_bias", "free_bias", True, True),
        Parameter("tol", "tolerance", 1e-4, True),
        Parameter("max_iter", "max_iterations", 1000, False),
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        multi_class: str = "ovr",
        free_bias: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        class_weight: Any = None,
        fit_intercept: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.multi_class = multi_class
        self.free_bias = free_bias
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs


class NuSVC(ExpansionClassifier):
    """Nu-support vector classification: ``nu`` bounds the share of margin errors from above and
    that of support vectors from below.

    There is no ``class_weight``: the problem has no cost that it could scale.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the share of margin errors, lower bound of that of support vectors, ν.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
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
    decision_function_shape : "ovr" or "ovo", default="ovr"
        Form of the decision values of more than two classes: a column a class, or a pair.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "nu-svm"
    _parameters = (
        Parameter("nu", "nu", 0.5, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
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
        nu: float = 0.5,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
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


class NuSVR(ExpansionRegressor):
    """Nu-support vector regression: the tube is as wide as it must be for about a share ``nu`` of
    the rows outside.

    Parameters
    ----------
    C : float, default=1.0
        Price of leaving the tube, C.
    nu : float, default=0.5
        Upper bound of the share of rows outside the tube, ν.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
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
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.
    """

    _method = "nu-svr"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("nu", "nu", 0.5, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
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
        C: float = 1.0,
        nu: float = 0.5,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
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


class OneClassSVM(ExpansionOutliers):
    """One-class support vector machine: a region that holds most rows.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the share of training rows outside, ν.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
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
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    offset_ : ndarray
        What ``score_samples`` has more than the decision values.
    """

    _method = "one-class"
    _parameters = (
        Parameter("nu", "nu", 0.5, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
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
        nu: float = 0.5,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
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


class PegasosClassifier(LinearClassifier):
    """Linear SVM by projected stochastic subgradients.

    Minimises ``λ ||w||² / 2 + mean(ν_i max(0, 1 - y_i f(x_i)))``.

    Parameters
    ----------
    lam : float, optional
        Regulariser, λ = 1 / (C n). ``None``, the default: 1 / (cost × rows).
    C : float, default=1.0
        Penalty of a margin violation, C, if lambda is not given.
    balanced : bool, default=False
        Weigh rows such that both classes of a machine weigh the same (Weighted-Pegasos).
    multi_class : "ovo", "ovr" or "dag", default="ovr"
        How more than two classes are told apart.
    bias : "none", "feature", "subgradient", "inner" or "rate", default="feature"
        How the intercept is learned.
    bias_feature : float, default=1.0
        Value of the constant feature.
    bias_rate : float, optional
        Factor of the intercept's steps with bias = rate. ``None``, the default: 0.01.
    bias_in_margin : bool, default=True
        Whether the intercept counts in the test of the margin; the printed algorithm leaves it
        out.
    batch_size : int, default=1
        Rows drawn in a step.
    max_iter : int, default=10000000
        Largest number of steps.
    stop : "never", "step" or "pass", default="pass"
        When to stop before that.
    tol : float, default=0.001
        Tolerance of the stop rule.
    class_weight : dict or "balanced", optional
        Factors of the weights of classes.
    random_state : int or RandomState, optional
        Seed of the draws.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "pegasos"
    _parameters = (
        Parameter("lam", "lambda", None, False),
        Parameter("C", "cost", 1.0, False),
        Parameter("balanced", "balanced", False, False),
        Parameter("multi_class", "multiclass", "ovr", False),
        Parameter("bias", "bias", "feature", False),
        Parameter("bias_feature", "bias_feature", 1.0, False),
        Parameter("bias_rate", "bias_rate", None, False),
        Parameter("bias_in_margin", "bias_in_margin", True, False),
        Parameter("batch_size", "batch", 1, False),
        Parameter("max_iter", "max_iterations", 10000000, False),
        Parameter("stop", "stop", "pass", False),
        Parameter("tol", "tolerance", 0.001, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        lam: float | None = None,
        C: float = 1.0,
        balanced: bool = False,
        multi_class: str = "ovr",
        bias: str = "feature",
        bias_feature: float = 1.0,
        bias_rate: float | None = None,
        bias_in_margin: bool = True,
        batch_size: int = 1,
        max_iter: int = 10000000,
        stop: str = "pass",
        tol: float = 0.001,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.C = C
        self.balanced = balanced
        self.multi_class = multi_class
        self.bias = bias
        self.bias_feature = bias_feature
        self.bias_rate = bias_rate
        self.bias_in_margin = bias_in_margin
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.stop = stop
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs


class RankRC(RankingClassifier):
    """Ranking of a rare class by kernel functions at its rows and as many others.

    Minimises the smoothed hinge over all pairs of a rare and another row, and so maximises the
    area under the ROC curve.

    Parameters
    ----------
    basis : "rare", "random", "rare_random", "landmarks" or "all", default="rare_random"
        Which rows have a kernel function.
    basis_size : int, optional
        Number of kernel functions, for a basis that leaves it open. ``None``, the default: as
        many as there are rare rows, twice as many for rare-random.
    certified : float, optional
        Grow the basis until the objective is certified to lie above that of all rows by no more
        than this share of itself. ``None``, the default: the basis stays as it is.
    solver : "linearised" or "direct", default="linearised"
        In which variables the problem is solved.
    lam : float, optional
        Weight of the squared norm. ``None``, the default: the best of 2^-20, 2^-18, ..., 2^10
        by cross-validation.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    smoothing : float, default=0.5
        Half the width of the bend of the hinge, ε.
    positive : object, optional
        The class to be ranked first. ``None``, the default: the rarest.
    criterion : "auc" or "average_precision", default="auc"
        What the search for lambda maximises.
    inner_folds : int, default=5
        Folds of the search for lambda, and of the calibration.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation if there
        is no search. ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls,
        for two classes.
    tol : float, default=1e-6
        Stop when no entry of the gradient is larger, or the objective falls by a smaller share.
    max_iter : int, default=400
        Largest number of steps for one lambda.
    cache_size : float, default=4096.0
        Memory for kernel values in MB; it changes the time, never the result.
    levels : True or sequence, optional
        The classes are levels of an ordered scale: ``True`` for the sorted values of ``y``, or
        the levels, lowest first. ``None``, the default: one of two classes is ranked first.
    random_state : int or RandomState, optional
        Seed of everything random: folds, random rows of a basis.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    lambda_
        float. Weight of the squared norm, as given or as found.
    levels_
        ndarray. The levels, lowest first; with ``levels`` only.
    """

    _method = "rank-rc"
    _parameters = (
        Parameter("basis", "basis", "rare_random", False),
        Parameter("basis_size", "basis_size", None, False),
        Parameter("certified", "certified", None, False),
        Parameter("solver", "solver", "linearised", False),
        Parameter("lam", "lambda", None, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("smoothing", "smoothing", 0.5, False),
        Parameter("positive", "positive", None, False),
        Parameter("criterion", "criterion", "auc", False),
        Parameter("inner_folds", "inner_folds", 5, False),
        Parameter("probability", "probability", False, False),
        Parameter("tol", "tolerance", 1e-6, False),
        Parameter("max_iter", "max_iterations", 400, False),
        Parameter("cache_size", "cache_mb", 4096.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        basis: str = "rare_random",
        basis_size: int | None = None,
        certified: float | None = None,
        solver: str = "linearised",
        lam: float | None = None,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        smoothing: float = 0.5,
        positive: Any | None = None,
        criterion: str = "auc",
        inner_folds: int = 5,
        probability: bool | str = False,
        tol: float = 1e-6,
        max_iter: int = 400,
        cache_size: float = 4096.0,
        levels: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.basis = basis
        self.basis_size = basis_size
        self.certified = certified
        self.solver = solver
        self.lam = lam
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.smoothing = smoothing
        self.positive = positive
        self.criterion = criterion
        self.inner_folds = inner_folds
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.levels = levels
        self.random_state = random_state
        self.n_jobs = n_jobs


class RankRND(RankingClassifier):
    """Ranking of a rare class by kernel functions at random rows.

    Parameters
    ----------
    basis_size : int, optional
        Number of kernel functions. ``None``, the default: as many as there are rare rows.
    lam : float, optional
        Weight of the squared norm. ``None``, the default: the best of 2^-20, 2^-18, ..., 2^10
        by cross-validation.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    smoothing : float, default=0.5
        Half the width of the bend of the hinge, ε.
    positive : object, optional
        The class to be ranked first. ``None``, the default: the rarest.
    criterion : "auc" or "average_precision", default="auc"
        What the search for lambda maximises.
    inner_folds : int, default=5
        Folds of the search for lambda, and of the calibration.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation if there
        is no search. ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls,
        for two classes.
    tol : float, default=1e-6
        Stop when no entry of the gradient is larger, or the objective falls by a smaller share.
    max_iter : int, default=400
        Largest number of steps for one lambda.
    cache_size : float, default=4096.0
        Memory for kernel values in MB; it changes the time, never the result.
    levels : True or sequence, optional
        The classes are levels of an ordered scale: ``True`` for the sorted values of ``y``, or
        the levels, lowest first. ``None``, the default: one of two classes is ranked first.
    random_state : int or RandomState, optional
        Seed of everything random: folds, random rows of a basis.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    lambda_
        float. Weight of the squared norm, as given or as found.
    levels_
        ndarray. The levels, lowest first; with ``levels`` only.
    """

    _method = "rank-rnd"
    _parameters = (
        Parameter("basis_size", "basis_size", None, False),
        Parameter("lam", "lambda", None, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("smoothing", "smoothing", 0.5, False),
        Parameter("positive", "positive", None, False),
        Parameter("criterion", "criterion", "auc", False),
        Parameter("inner_folds", "inner_folds", 5, False),
        Parameter("probability", "probability", False, False),
        Parameter("tol", "tolerance", 1e-6, False),
        Parameter("max_iter", "max_iterations", 400, False),
        Parameter("cache_size", "cache_mb", 4096.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        basis_size: int | None = None,
        lam: float | None = None,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        smoothing: float = 0.5,
        positive: Any | None = None,
        criterion: str = "auc",
        inner_folds: int = 5,
        probability: bool | str = False,
        tol: float = 1e-6,
        max_iter: int = 400,
        cache_size: float = 4096.0,
        levels: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.basis_size = basis_size
        self.lam = lam
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.smoothing = smoothing
        self.positive = positive
        self.criterion = criterion
        self.inner_folds = inner_folds
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.levels = levels
        self.random_state = random_state
        self.n_jobs = n_jobs


class RankSVM(RankingClassifier):
    """Ranking of a rare class by kernel functions at all rows, or linear.

    Parameters
    ----------
    lam : float, optional
        Weight of the squared norm. ``None``, the default: the best of 2^-20, 2^-18, ..., 2^10
        by cross-validation.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    smoothing : float, default=0.5
        Half the width of the bend of the hinge, ε.
    positive : object, optional
        The class to be ranked first. ``None``, the default: the rarest.
    criterion : "auc" or "average_precision", default="auc"
        What the search for lambda maximises.
    inner_folds : int, default=5
        Folds of the search for lambda, and of the calibration.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation if there
        is no search. ``True`` is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls,
        for two classes.
    tol : float, default=1e-6
        Stop when no entry of the gradient is larger, or the objective falls by a smaller share.
    max_iter : int, default=400
        Largest number of steps for one lambda.
    cache_size : float, default=4096.0
        Memory for kernel values in MB; it changes the time, never the result.
    levels : True or sequence, optional
        The classes are levels of an ordered scale: ``True`` for the sorted values of ``y``, or
        the levels, lowest first. ``None``, the default: one of two classes is ranked first.
    random_state : int or RandomState, optional
        Seed of everything random: folds, random rows of a basis.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    lambda_
        float. Weight of the squared norm, as given or as found.
    levels_
        ndarray. The levels, lowest first; with ``levels`` only.
    """

    _method = "rank-svm"
    _parameters = (
        Parameter("lam", "lambda", None, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("smoothing", "smoothing", 0.5, False),
        Parameter("positive", "positive", None, False),
        Parameter("criterion", "criterion", "auc", False),
        Parameter("inner_folds", "inner_folds", 5, False),
        Parameter("probability", "probability", False, False),
        Parameter("tol", "tolerance", 1e-6, False),
        Parameter("max_iter", "max_iterations", 400, False),
        Parameter("cache_size", "cache_mb", 4096.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        lam: float | None = None,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        smoothing: float = 0.5,
        positive: Any | None = None,
        criterion: str = "auc",
        inner_folds: int = 5,
        probability: bool | str = False,
        tol: float = 1e-6,
        max_iter: int = 400,
        cache_size: float = 4096.0,
        levels: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.smoothing = smoothing
        self.positive = positive
        self.criterion = criterion
        self.inner_folds = inner_folds
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.levels = levels
        self.random_state = random_state
        self.n_jobs = n_jobs


class ReGEC(ProximalClassifier):
    """Two proximal surfaces from one regularised generalized eigenproblem.

    Parameters
    ----------
    delta : float, default=0.001
        How much is added to the matrix of the first class, δ.
    delta_second : float, optional
        How much is added to the matrix of the second class. ``None``, the default: as for the
        first.
    regularisation : "cross", "diagonal", "tikhonov", "literal_rectangular" or "literal_own_class", optional
        What is added. ``None``, the default: cross for planes, diagonal with a kernel.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="mean"
        Width of the kernel: a number, auto, scale, mean or a percentile of the distances such
        as q50.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    multi_class : "ovr" or "ovo", default="ovr"
        How several classes are told apart.
    norm : "coefficient" or "rkhs", default="coefficient"
        By what the value of a surface is divided to be a distance.
    centres : "all", "random", "landmarks" or "chunk", default="all"
        Which rows have a kernel function.
    centre_count : int, optional
        Number of kernel functions, if not all rows have one. ``None``, the default: 1000, or
        those that a selection keeps.
    probability : bool, "sigmoid" or "isotonic", default=False
        Calibrate, so that the model can tell probabilities; costs a cross-validation. ``True``
        is ``"sigmoid"``; ``"isotonic"`` fits any map that never falls, for two classes.
    memory_mb : float, default=2048.0
        Memory for matrices in MB; a problem that needs more is refused before it starts.
    random_state : int or RandomState, optional
        Seed of everything random: centres, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    quotients_
        list of float. The quotient that each surface makes least.
    gaps_
        list of float. Distance of the next eigenvalue, as a share of it.
    """

    _method = "regec"
    _parameters = (
        Parameter("delta", "delta", 0.001, False),
        Parameter("delta_second", "delta_second", None, False),
        Parameter("regularisation", "regularisation", None, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "mean", False),
        Parameter("coef0", "coef0", 0.0, False),
        Parameter("multi_class", "multiclass", "ovr", False),
        Parameter("norm", "norm", "coefficient", False),
        Parameter("centres", "centres", "all", False),
        Parameter("centre_count", "centre_count", None, False),
        Parameter("probability", "probability", False, False),
        Parameter("memory_mb", "memory_mb", 2048.0, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        delta: float = 0.001,
        delta_second: float | None = None,
        regularisation: str | None = None,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "mean",
        coef0: float = 0.0,
        multi_class: str = "ovr",
        norm: str = "coefficient",
        centres: str = "all",
        centre_count: int | None = None,
        probability: bool | str = False,
        memory_mb: float = 2048.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.delta = delta
        self.delta_second = delta_second
        self.regularisation = regularisation
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.multi_class = multi_class
        self.norm = norm
        self.centres = centres
        self.centre_count = centre_count
        self.probability = probability
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs


class SVC(ExpansionClassifier):
    """C-support vector classification.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin, C.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
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
    decision_function_shape : "ovr" or "ovo", default="ovr"
        Form of the decision values of more than two classes: a column a class, or a pair.
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    """

    _method = "svm"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
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
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        shrinking: bool = True,
        max_iter: int = -1,
        class_weight: Any = None,
        decision_function_shape: str = "ovr",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
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
        self.decision_function_shape = decision_function_shape
        self.random_state = random_state
        self.n_jobs = n_jobs


class SVMTreesClassifier(TreeClassifier):
    """SVM-Trees: a cascade of linear SVMs, each of which leaves one side pure.

    Parameters
    ----------
    C : float, default=1.0
        Price of a violated margin, C.
    max_nodes : int, default=16
        Most hyperplanes of a cascade.
    min_removed : float, default=0.01
        A node that removes a smaller share of its rows ends the cascade.
    tol : float, default=0.01
        Largest range of projected gradients that is accepted.
    max_iter : int, default=3000
        Most passes over the rows of a node.
    random_state : int or RandomState, optional
        Seed of the order of visits.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_hyperplanes_ : int
        Hyperplanes of all cascades.
    n_trees_ : int
        Cascades, one for each pair of classes.
    depth_ : int
        Most hyperplanes of a cascade.
    """

    _method = "svm-trees"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("max_nodes", "max_nodes", 16, False),
        Parameter("min_removed", "min_removed", 0.01, False),
        Parameter("tol", "tolerance", 0.01, False),
        Parameter("max_iter", "max_passes", 3000, False),
        Parameter("random_state", "seed", None, False),
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        max_nodes: int = 16,
        min_removed: float = 0.01,
        tol: float = 0.01,
        max_iter: int = 3000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.max_nodes = max_nodes
        self.min_removed = min_removed
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs


class SVR(ExpansionRegressor):
    """Epsilon-support vector regression.

    Parameters
    ----------
    C : float, default=1.0
        Price of leaving the tube, C.
    epsilon : float, default=0.1
        Half width of the tube: errors up to this cost nothing.
    kernel : str, default="rbf"
        Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : float or str, default="scale"
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
    random_state : int or RandomState, optional
        Seed of everything random: sampled percentiles, folds of the calibration.
    n_jobs : int, optional
        Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the
        environment variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.
    """

    _method = "svr"
    _parameters = (
        Parameter("C", "cost", 1.0, False),
        Parameter("epsilon", "epsilon", 0.1, False),
        Parameter("kernel", "kernel", "rbf", False),
        Parameter("degree", "degree", 3, False),
        Parameter("gamma", "gamma", "scale", False),
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
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
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
