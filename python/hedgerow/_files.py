"""Data files and model files."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _estimators, _hedgerow
from ._arrays import n_threads, python_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ESTIMATORS = {
    estimator._method: estimator
    for estimator in (getattr(_estimators, name) for name in _estimators.__all__)
}


def load_svmlight(
    path: str | PathLike[str],
    *,
    n_features: int | None = None,
    query_id: bool = False,
    storage: str = "sparse",
    n_jobs: int | None = None,
) -> tuple[Any, ...]:
    """Reads a file in the LIBSVM / SVM-light format, plain, ``.gz`` or ``.zst``, on all cores.

    Parameters
    ----------
    path : str or path
    n_features : int, optional
        Number of columns; by default the largest index in the file. Indices start at 1.
    query_id : bool, default=False
        Whether to return the query ids too.
    storage : "sparse", "dense" or "auto", default="sparse"
        A CSR matrix, an array, or whichever takes less memory.

    Returns
    -------
    X, y or X, y, query_id
        ``y`` has float64 numbers, or texts if some label is no number.
    """
    parts, labels, query_ids = _hedgerow.read_svmlight(
        fspath(path), n_features or 0, storage, n_threads(n_jobs)
    )
    X = python_rows(parts)
    if n_features is not None and X.shape[1] != n_features:
        raise ValueError(f"{path} has {X.shape[1]} features, n_features is {n_features}")
    y = labels if isinstance(labels, np.ndarray) else np.asarray(labels)
    if not query_id:
        return X, y
    return X, y, np.zeros(len(y), dtype=np.uint64) if query_ids is None else query_ids


def save_model(estimator: Any, path: str | PathLike[str]) -> None:
    """Writes a fitted estimator as a model file that the program ``hedgerow`` reads.

    The classes are written as numbers or texts.
    """
    check_is_fitted(estimator)
    model = estimator._model
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and model.feature_names is None:
        model = model.with_feature_names([str(name) for name in names])
    target = Path(path)
    if target.suffix.lower() in (".gz", ".zst"):
        raise ValueError(f"{target}: model files are written without compression")
    # Beside the target and renamed, so that a failure leaves no half-written file.
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.write_bytes(model.to_bytes())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def load_model(path: str | PathLike[str]) -> Any:
    """Reads a model file of the program ``hedgerow`` or of :func:`save_model`.

    Returns
    -------
    SVC, FaLKSVMClassifier, LinearSVC, HLSVMClassifier, ...
        A fitted estimator of the class that belongs to the method. The scaling and the choice of features that the program stores with a
        model are applied to the rows it predicts; its encoding of nominal columns is not: rows
        must have all numeric features of the file that the model was trained on. Of a model with
        a choice, ``selected_features_`` tells the features; ``coef_``, ``support_vectors_`` and
        their like speak of those alone. Of the parameters only ``kernel`` is set.
    """
    model = _hedgerow.Model.load(fspath(path))
    estimator = _ESTIMATORS[model.method]()
    if hasattr(estimator, "kernel") and model.kernel is not None:
        estimator.kernel = model.kernel
    estimator.n_features_in_ = model.n_features
    if model.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
    if model.chosen is not None:
        estimator.selected_features_ = np.asarray(model.chosen, dtype=np.intp)
    if model.classes:
        estimator.classes_ = _classes(model.classes)
    if model.ranks_levels:
        estimator.levels = True
    estimator._adopt(model)
    return estimator


def _classes(names: list[float | str]) -> NDArray[Any]:
    """Whole numbers as integers, other numbers as floats, everything else as texts."""
    if all(isinstance(name, float) for name in names):
        numbers = np.asarray(names, dtype=np.float64)
        whole = numbers.astype(np.int64)
        return whole if np.array_equal(whole, numbers) else numbers
    return np.asarray([f"{name:g}" if isinstance(name, float) else name for name in names])
