"""Support vector machines on a fast engine, as scikit-learn estimators."""

from . import metrics
from ._files import load_model, load_svmlight, save_model
from ._hedgerow import __version__
from ._kernels import kernel
from ._linear import FisherDiscriminant, LinearSVC, LogisticRegression, PegasosClassifier
from ._local import FaLKSVMClassifier, FaLKSVMRegressor
from ._select import (
    CFS,
    MRMR,
    QPFS,
    RFESVM,
    MaxDep,
    MaxRel,
    RandomSelector,
    ReliefF,
    Streamwise,
    WrapperSVM,
)
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from ._tree import HLSVMClassifier

__all__ = [
    "CFS",
    "MRMR",
    "QPFS",
    "RFESVM",
    "SVC",
    "SVR",
    "FaLKSVMClassifier",
    "FaLKSVMRegressor",
    "FisherDiscriminant",
    "HLSVMClassifier",
    "LinearSVC",
    "LogisticRegression",
    "MaxDep",
    "MaxRel",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "PegasosClassifier",
    "RandomSelector",
    "ReliefF",
    "Streamwise",
    "WrapperSVM",
    "__version__",
    "kernel",
    "load_model",
    "load_svmlight",
    "metrics",
    "save_model",
]
