"""Measures of ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from . import _hedgerow

__all__ = ["auc", "mauc"]


def _scores(y_score: Any) -> np.ndarray:
    return np.ascontiguousarray(column_or_1d(y_score), dtype=np.float64)


def auc(y_true: Any, y_score: Any) -> float:
    """Area under the ROC curve of two classes; the one that sorts last is positive.

    Ties count half.
    """
    classes, codes = np.unique(column_or_1d(y_true), return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"two classes are needed, y_true has {len(classes)}")
    return _hedgerow.auc(codes == 1, _scores(y_score))


def mauc(y_true: Any, y_score: Any) -> float:
    """Share of the pairs of rows with different levels that the scores put in the right order.

    The levels are the sorted values of ``y_true``. Ties count half. With two levels it is the
    area under the ROC curve.
    """
    _, codes = np.unique(column_or_1d(y_true), return_inverse=True)
    return _hedgerow.mauc(codes.astype(np.uint32), _scores(y_score))
