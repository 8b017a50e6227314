"""Support vector machines on a fast engine, as scikit-learn estimators."""

from . import _editors, _estimators, metrics
from ._auto import AutoClassifier, AutoRegressor
from ._base import ScaleWarning
from ._clean import correct_priors, find_label_issues
from ._editors import *  # noqa: F403
from ._estimators import *  # noqa: F403
from ._files import load_model, load_svmlight, save_model
from ._hedgerow import __version__
from ._kernels import kernel
from ._metric import LearnedMetric
from ._select import (
    CFS,
    MRMR,
    QPFS,
    RFESVM,
    KernelWeights,
    MaxDep,
    MaxRel,
    RandomSelector,
    ReliefF,
    Streamwise,
    WrapperSVM,
)

__all__ = [
    "CFS",
    "MRMR",
    "QPFS",
    "RFESVM",
    "AutoClassifier",
    "AutoRegressor",
    "KernelWeights",
    "LearnedMetric",
    "MaxDep",
    "MaxRel",
    "RandomSelector",
    "ReliefF",
    "ScaleWarning",
    "Streamwise",
    "WrapperSVM",
    "__version__",
    "correct_priors",
    "find_label_issues",
    "kernel",
    "load_model",
    "load_svmlight",
    "metrics",
    "save_model",
]
__all__ += _editors.__all__
__all__ += _estimators.__all__
