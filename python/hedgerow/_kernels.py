"""Kernels by scikit-learn's parameters or by Hedgerow's text form."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils import check_array

from . import _hedgerow
from ._arrays import n_threads, native_rows


def kernel_text(kernel: str, degree: int, gamma: float | str, coef0: float) -> str:
    """The text form of a kernel.

    The five names of scikit-learn take ``degree``, ``gamma`` and ``coef0``; every other text is
    taken as it is and brings its own parameters.
    """
    if not isinstance(kernel, str):
        raise ValueError(
            f"kernel must be a text, not {type(kernel).__name__}; for a function of your own "
            'compute the kernel matrix and use kernel="precomputed"'
        )
    if kernel in ("linear", "precomputed"):
        return kernel
    if kernel not in ("rbf", "poly", "sigmoid"):
        return kernel
    if isinstance(gamma, Real) and not isinstance(gamma, bool):
        # A gamma from -1 to 0 is a percentile, as on the command line.
        percentile = -1 <= gamma < 0
        width = f"q{round(-100 * float(gamma), 9):g}" if percentile else repr(float(gamma))
    elif isinstance(gamma, str):
        width = gamma
    else:
        raise ValueError(f'gamma must be "scale", "auto", "mean", "q50" or a number, not {gamma!r}')
    if kernel == "rbf":
        return f"rbf(gamma={width})"
    if not isinstance(coef0, Real):
        raise ValueError(f"coef0 must be a number, not {coef0!r}")
    shift = repr(float(coef0))
    if kernel == "sigmoid":
        return f"sigmoid(gamma={width}, coef0={shift})"
    if not isinstance(degree, Integral):
        raise ValueError(f"degree must be a whole number, not {degree!r}")
    return f"poly(gamma={width}, coef0={shift}, degree={int(degree)})"


def kernel(
    X: Any,
    Y: Any = None,
    kernel: str = "rbf",
    *,
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Any:
    """The matrix of kernel values between the rows of ``X`` and those of ``Y``.

    Without ``Y`` it is the matrix of ``X`` with itself. Widths that are left to the data
    (``"scale"``, ``"q50"``, ...) are taken from ``Y``, the rows a model would be trained on.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_queries, n_features)
    Y : array or sparse matrix of shape (n_rows, n_features), optional
    kernel : str
        A name of scikit-learn, with ``degree``, ``gamma`` and ``coef0``, or a text form such as
        ``"ps(linear, sigma=2, eta=1)"``.

    Returns
    -------
    ndarray of shape (n_queries, n_rows)
    """
    X = check_array(X, accept_sparse="csr", dtype="float64", order="C")
    if Y is None:
        Y = X
    else:
        Y = check_array(Y, accept_sparse="csr", dtype="float64", order="C")
        if X.shape[1] != Y.shape[1]:
            raise ValueError(f"X has {X.shape[1]} features, Y has {Y.shape[1]}")
    text = kernel_text(kernel, degree, gamma, coef0)
    return _hedgerow.kernel_matrix(
        native_rows(X), native_rows(Y), text, int(random_state), n_threads(n_jobs)
    )
