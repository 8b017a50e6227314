"""Support vector machines on a fast engine, as scikit-learn estimators."""

from . import metrics
from ._files import load_model, load_svmlight, save_model
from ._hedgerow import __version__
from ._kernels import kernel
from ._local import FaLKSVMClassifier, FaLKSVMRegressor
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "SVR",
    "FaLKSVMClassifier",
    "FaLKSVMRegressor",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "__version__",
    "kernel",
    "load_model",
    "load_svmlight",
    "metrics",
    "save_model",
]
